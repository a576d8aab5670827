"""Asking whether a kept body still holds: the server decides, and damage is as if nothing was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.exchange import Faults, Reply, Request
from support.files import tree_of
from support.webserver import WebServer

from skillpm.edges.http import Http, Limits
from skillpm.errors import UnreachableError
from skillpm.model.policy import Policy

TYPED = Policy(typed=True)
INDEX = Limits(10_000, 10, cache=True)


@pytest.fixture
def cached(tmp_path: Path) -> Iterator[Http]:
    port = Http(cache=tmp_path / "cache")
    yield port
    port.close()


def serve(web: WebServer, body: bytes, etag: str = '"1"', path: str = "/index.json") -> str:
    """Serve a body with an ETag, and 304 to whoever has it."""

    def answer(request: Request) -> Reply:
        if request.headers.get("If-None-Match") == etag:
            return Reply(304, b"", {"ETag": etag})
        return Reply(200, body, {"ETag": etag, "Content-Type": "application/json"})

    return web.on(path, answer)


def statuses(web: WebServer) -> list[int]:
    return [request.status for request in web.requests]


def test_a_second_time_nothing_but_304_moves(web: WebServer, cached: Http) -> None:
    url = serve(web, b"index")
    first, second = (cached.get(url, TYPED, INDEX) for _ in range(2))
    assert first.body == second.body == b"index"
    assert second.headers["content-type"] == "application/json"
    assert second.status == 200
    assert statuses(web) == [200, 304]
    serve(web, b"newer", '"2"')
    assert cached.get(url, TYPED, INDEX).body == b"newer"
    assert cached.get(url, TYPED, INDEX).body == b"newer"
    assert statuses(web) == [200, 304, 200, 304]


def test_another_run_and_last_modified_work_too(web: WebServer, tmp_path: Path) -> None:
    date = "Mon, 01 Jan 2024 00:00:00 GMT"

    def answer(request: Request) -> Reply:
        if request.headers.get("If-Modified-Since") == date:
            return Reply(304)
        return Reply(200, b"x", {"Last-Modified": date})

    url = web.on("/x", answer)
    for _ in range(2):
        port = Http(cache=tmp_path / "c")
        assert port.get(url, TYPED, INDEX).body == b"x"
        port.close()
    assert statuses(web) == [200, 304]


def test_what_is_no_index_or_has_no_mark_is_not_kept(
    web: WebServer, cached: Http, tmp_path: Path
) -> None:
    cached.get(serve(web, b"x"), TYPED, Limits(10_000))
    cached.get(web.serve("/y", "y"), TYPED, INDEX)
    assert tree_of(tmp_path / "cache") == {}


@pytest.mark.parametrize("damage", ["removed", "emptied", "cut", "changed", "another type"])
def test_a_damaged_entry_is_a_miss(
    web: WebServer, cached: Http, tmp_path: Path, damage: str
) -> None:
    url = serve(web, b"index")
    cached.get(url, TYPED, INDEX)
    for path in [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]:
        data = path.read_bytes()
        if damage == "removed":
            path.unlink()
        elif damage == "another type":
            path.write_bytes(b"[1]")
        else:
            path.write_bytes(
                {"emptied": b"", "cut": data[:2], "changed": bytes([data[0] ^ 1]) + data[1:]}[
                    damage
                ]
            )
        web.forget()
        assert cached.get(url, TYPED, INDEX).body == b"index"
        assert statuses(web) == [200]


def test_a_304_that_nobody_asked_for_or_for_other_bytes_is_a_miss(
    web: WebServer, cached: Http
) -> None:
    url = web.serve("/x", b"", status=304)
    with pytest.raises(UnreachableError, match="304"):
        cached.get(url, TYPED, INDEX)
    replies = [Reply(200, b"a", {"ETag": '"1"'}), Reply(304, b"", {"ETag": '"2"'})]
    url = web.on("/y", lambda _: replies.pop(0) if replies else Reply(200, b"b", {"ETag": '"2"'}))
    assert cached.get(url, TYPED, INDEX).body == b"a"
    web.forget()
    assert cached.get(url, TYPED, INDEX).body == b"b"
    assert statuses(web) == [304, 200]
    assert "If-None-Match" not in web.requests[1].headers


def test_a_weak_mark_counts_like_a_strong_one(web: WebServer, cached: Http) -> None:
    replies = [Reply(200, b"a", {"ETag": 'W/"1"'}), Reply(304, b"", {"ETag": '"1"'})]
    url = web.on("/y", lambda _: replies.pop(0))
    assert [cached.get(url, TYPED, INDEX).body for _ in range(2)] == [b"a", b"a"]


def test_a_failed_fetch_changes_nothing_in_the_cache(
    web: WebServer, cached: Http, tmp_path: Path
) -> None:
    url = serve(web, b"index")
    cached.get(url, TYPED, INDEX)
    before = tree_of(tmp_path / "cache")
    serve(web, b"another body", '"2"')
    web.fault("/index.json", Faults(cut_after=4))
    with pytest.raises(UnreachableError):
        cached.get(url, TYPED, INDEX)
    web.on_request(lambda _: Reply(500))
    with pytest.raises(UnreachableError):
        cached.get(url, TYPED, INDEX)
    assert tree_of(tmp_path / "cache") == before


def test_a_body_over_the_limit_is_not_taken_from_the_cache(web: WebServer, cached: Http) -> None:
    url = serve(web, b"x" * 100)
    cached.get(url, TYPED, INDEX)
    with pytest.raises(UnreachableError, match="larger"):
        cached.get(url, TYPED, Limits(50, 5, cache=True))


def test_each_url_has_its_own_and_no_url_stands_in_the_cache(
    web: WebServer, cached: Http, tmp_path: Path
) -> None:
    for number in range(3):
        url = serve(web, b"same", f'"{number}"', f"/{number}?key=secret")
        cached.get(url, TYPED, INDEX)
    kept = tree_of(tmp_path / "cache")
    assert len([path for path in kept if path.startswith("bodies/")]) == 1
    assert b"secret" not in repr(kept).encode()


def test_a_cache_that_cannot_be_written_is_no_cache(web: WebServer, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file stands in the way")
    port = Http(cache=tmp_path / "cache")
    assert port.get(serve(web, b"x"), TYPED, INDEX).body == b"x"
    assert port.get(f"{web.url}/index.json", TYPED, INDEX).body == b"x"
    port.close()
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
