"""What else servers, names and callers do to a request; rows of the threat table by number."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import httpcore
import pytest
from support.webserver import WebServer

from skillpm.edges import deadline
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.errors import SkillError, UnreachableError
from skillpm.model.policy import Policy

from .conftest import MakeGit

TYPED = Policy(typed=True)
LIMITS = Limits(10_000, 10)


def test_h2_headers_are_for_the_first_origin_alone(web: WebServer, http: Http) -> None:
    with WebServer() as other:
        other.serve("/z", "end")
        web.redirect("/x", "/y")
        web.redirect("/y", f"{other.url}/z")
        headers = {"X-Token": "secret", "Cookie": "a=secret", "Authorization": "secret"}
        assert http.get(f"{web.url}/x", TYPED, LIMITS, headers).body == b"end"
        assert [request.headers["X-Token"] for request in web.requests] == ["secret", "secret"]
        assert "secret" not in str(other.requests[0].headers)


@pytest.mark.parametrize(
    "headers",
    [{"X": "a\r\nY: b"}, {"X": "a\nb"}, {"X\r\nY": "b"}, {"X": "a\0b"}, {"X": "\u20ac"}, {"": "x"}],
    ids=ascii,
)
def test_h23_a_header_that_would_break_out_is_never_sent(
    web: WebServer, http: Http, headers: dict[str, str]
) -> None:
    with pytest.raises(UnreachableError):
        http.get(web.serve("/x", "y"), TYPED, LIMITS, headers)
    assert web.requests == []


@pytest.mark.parametrize("part", ["a\r\nX: y", "a\nb", "a\0b", "a\x7fb", "\ud800"], ids=ascii)
def test_h23_an_address_that_would_break_out_is_never_sent(
    web: WebServer, http: Http, part: str
) -> None:
    with pytest.raises(UnreachableError) as caught:
        http.get(f"{web.url}/{part}", TYPED, LIMITS)
    assert caught.value.message.isprintable()
    assert all("X" not in request.headers for request in web.requests)


def test_h9_a_login_page_is_told_from_the_answer(web: WebServer, http: Http) -> None:
    answer = http.get(web.serve("/x.zip", "<html>log in", "text/html"), TYPED, LIMITS)
    assert answer.is_html


def test_h10_a_name_in_the_headers_is_only_a_header(web: WebServer, http: Http) -> None:
    headers = {"Content-Disposition": 'attachment; filename="../../x"'}
    answer = http.get(web.serve("/a", "b", headers=headers), TYPED, LIMITS)
    assert answer.url.endswith("/a")


class Dialler:
    """A network on which some addresses never answer; stands where httpcore's own would."""

    def __init__(self, dead: set[str]) -> None:
        self.dead = dead
        self.tried: list[tuple[str, float]] = []

    def connect_tcp(self, host: str, port: int, timeout: float, **_: Any) -> Any:
        self.tried.append((host, timeout))
        if host in self.dead:
            raise httpcore.ConnectTimeout
        return object()


def test_h27_another_address_is_tried_when_one_is_dead() -> None:
    dialler = Dialler({"::1"})
    deadline.Backend(dialler).connect_tcp("127.0.0.1", 80, 9.0)
    assert dialler.tried == [("127.0.0.1", deadline.CONNECT)], "nine seconds are for all of them"
    dead = Dialler({"127.0.0.1"})
    with pytest.raises(httpcore.ConnectTimeout):
        deadline.Backend(dead).connect_tcp("127.0.0.1", 80, 5.0)
    assert len(dead.tried) == 1


@pytest.mark.parametrize(
    ("found", "order"),
    [
        (["::1", "::2", "::3", "1.1.1.1"], ["::1", "1.1.1.1", "::2", "::3"]),
        (["1.1.1.1", "2.2.2.2", "::1"], ["1.1.1.1", "::1", "2.2.2.2"]),
        (["1.1.1.1", "1.1.1.1"], ["1.1.1.1"]),
        ([], []),
    ],
)
def test_h27_the_families_take_turns(found: list[str], order: list[str]) -> None:
    assert deadline.in_turns(found) == order


def test_h27_a_name_without_an_address_is_named(http: Http) -> None:
    start = time.monotonic()
    with pytest.raises(UnreachableError, match=r"::1::.* is no usable URL"):
        http.get("http://[::1::]:9/x", TYPED, LIMITS)
    assert time.monotonic() - start < 5


@pytest.fixture
def black_hole() -> Iterator[int]:
    """A port of loopback where nobody is turned away and nobody let in: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        time.sleep(0.1)
        yield listener.getsockname()[1]
        for one in waiting:
            one.close()


def test_h27_an_address_that_swallows_everything_is_left_in_time_and_named(
    http: Http, black_hole: int
) -> None:
    start = time.monotonic()
    with pytest.raises(
        UnreachableError, match=rf"127\.0\.0\.1:{black_hole} did not answer in time"
    ):
        http.get(f"http://127.0.0.1:{black_hole}/x", TYPED, Limits(10_000, 1.5))
    assert 1 < time.monotonic() - start < 4


@pytest.mark.parametrize("url", ["http://[::1", "http://a:99999/", "http://a:x/", "https://[v9.x/"])
def test_an_address_that_is_none_is_told(http: Http, make_git: MakeGit, url: str) -> None:
    for policy in (TYPED, Policy(typed=False)):
        with pytest.raises(UnreachableError, match="no usable URL"):
            http.get(url, policy, LIMITS)
        with pytest.raises(SkillError) as caught:
            make_git({"ALL_PROXY": "http://127.0.0.1:1"}).refs(Remote(url, policy))
        assert caught.value.message.isprintable()
