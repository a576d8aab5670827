"""HTTP against a real server that does everything wrong a server can do."""

from __future__ import annotations

import gzip
import math
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from support.ca import CA
from support.exchange import Faults, Reply, endless
from support.faultproxy import FaultProxy
from support.webserver import WebServer

from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import NotFoundError, RefusedError, SkillError, UnreachableError
from skillpm.model.policy import Policy

TYPED: Final = Policy(typed=True)
LIMITS: Final = Limits(10_000, 10)


def test_a_body_arrives_as_it_was_sent(web: WebServer, http: Http) -> None:
    url = web.serve("/x.md", b"\x00\xffbytes", "text/markdown")
    answer = http.get(url, TYPED, LIMITS)
    assert (answer.body, answer.url, answer.is_html) == (b"\x00\xffbytes", url, False)
    assert answer.headers["content-type"] == "text/markdown"
    assert web.requests[0].headers["Accept-Encoding"] == "identity"
    assert web.requests[0].headers["User-Agent"] == "skillpm"


def test_nothing_of_the_user_goes_along(web: WebServer, http: Http, tmp_path: Path) -> None:
    (Path.home() / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    first = web.serve("/set", "x", headers={"Set-Cookie": "a=secret"})
    http.get(first, TYPED, LIMITS)
    http.get(web.serve("/x", "y"), TYPED, LIMITS)
    for request in web.requests:
        assert "Authorization" not in request.headers
        assert "secret" not in str(request.headers)


def test_one_connection_serves_many_requests(web: WebServer, http: Http) -> None:
    with FaultProxy(web.port) as proxy:
        web.serve("/x", "y")
        for _ in range(5):
            http.get(f"{proxy.url}/x", TYPED, LIMITS)
        assert proxy.connections == 1


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (404, NotFoundError, "HTTP 404"), (410, NotFoundError, "HTTP 410"),
        (401, NotFoundError, "private and we have no access"),
        (403, UnreachableError, "not open to us"),
        (429, UnreachableError, "too many requests"), (500, UnreachableError, "HTTP 500"),
        (502, UnreachableError, "HTTP 502"), (503, UnreachableError, "HTTP 503"),
        (204, UnreachableError, "HTTP 204"), (206, UnreachableError, "HTTP 206"),
        (304, UnreachableError, "HTTP 304"), (418, UnreachableError, "HTTP 418"),
    ],
)  # fmt: skip
def test_every_status_but_200_is_an_error_that_says_which(
    web: WebServer, http: Http, status: int, kind: type[SkillError], said: str
) -> None:
    url = web.serve("/x.md", b"" if status in (204, 304) else b"<html>", status=status)
    with pytest.raises(kind, match=said):
        http.get(url, TYPED, LIMITS)


def test_how_long_to_wait_is_told_and_cleaned(web: WebServer, http: Http) -> None:
    url = web.serve("/x", b"", status=429, headers={"Retry-After": "60"})
    with pytest.raises(UnreachableError) as caught:
        http.get(url, TYPED, LIMITS)
    assert caught.value.hint == "it asks to wait 60 s"
    web.serve("/x", b"", status=429, headers={"Retry-After": "\x9b31m" + "9" * 99})
    with pytest.raises(UnreachableError) as caught:
        http.get(url, TYPED, LIMITS)
    assert caught.value.hint.isprintable()
    assert len(caught.value.hint) < 80


def test_html_is_told(web: WebServer, http: Http) -> None:
    url = web.serve("/x.md", "<html>", "Text/HTML; charset=utf-8")
    assert http.get(url, TYPED, LIMITS).is_html


def test_five_redirects_are_followed_and_a_loop_is_not(web: WebServer, http: Http) -> None:
    web.serve("/0", "end")
    for number in range(1, 8):
        web.redirect(f"/{number}", f"/{number - 1}", [301, 302, 303, 307, 308][number % 5])
    assert http.get(f"{web.url}/5", TYPED, LIMITS).body == b"end"
    assert http.get(f"{web.url}/5", TYPED, LIMITS).url == f"{web.url}/0"
    web.redirect("/loop", "/loop")
    web.forget()
    for path in ("/7", "/loop"):
        with pytest.raises(UnreachableError, match="more than 5"):
            http.get(web.url + path, TYPED, LIMITS)
    assert len(web.requests) == 12


@pytest.mark.parametrize(
    "to",
    [
        "file:///etc/passwd", "data:text/plain,x", "ftp://127.0.0.1/x", "javascript:x", "",
        "http://user:pw@127.0.0.1/x", "http://user@127.0.0.1/x", "//user@127.0.0.1/x",
        "http://[::1/x", "http://127.0.0.1:99999/x", "http://127.0.0.1:x/", "gopher://127.0.0.1/",
    ],
)  # fmt: skip
def test_a_redirect_to_anything_but_a_plain_address_is_refused(
    web: WebServer, http: Http, to: str
) -> None:
    url = web.redirect("/x", to)
    with pytest.raises((RefusedError, UnreachableError)) as caught:
        http.get(url, TYPED, LIMITS)
    assert caught.value.message.isprintable()
    assert len(web.requests) == 1


def test_a_redirect_from_https_to_http_is_refused(
    https_web: WebServer, web: WebServer, https: Http
) -> None:
    web.serve("/x", "secret")
    for to in (f"{web.url}/x", f"HTTP://127.0.0.1:{web.port}/x"):
        url = https_web.redirect("/x", to)
        with pytest.raises(RefusedError, match="unencrypted"):
            https.get(url, TYPED, LIMITS)
    assert web.requests == []


def test_a_redirect_from_http_to_https_is_followed(
    https_web: WebServer, web: WebServer, https: Http
) -> None:
    url = web.redirect("/x", https_web.serve("/y", "safe"))
    assert https.get(url, TYPED, LIMITS).body == b"safe"


@pytest.mark.parametrize(
    "faults",
    [
        Faults(cut_after=0), Faults(cut_after=10), Faults(cut_after=10, reset=True),
        Faults(length=5_000), Faults(cut_after=4, length=4_000),
    ],
)  # fmt: skip
def test_a_body_that_is_cut_off_is_no_body(web: WebServer, http: Http, faults: Faults) -> None:
    url = web.serve("/x.md", b"0123456789abcdefghij")
    web.fault("/x.md", faults)
    with pytest.raises(UnreachableError):
        http.get(url, TYPED, LIMITS)


def test_a_chunked_body_that_is_cut_off_is_no_body(web: WebServer, http: Http) -> None:
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    url = web.on("/x", lambda _: Reply(raw=raw))
    with pytest.raises(UnreachableError):
        http.get(url, TYPED, LIMITS)


def test_a_cut_at_any_byte_of_the_answer_is_an_error(web: WebServer, http: Http) -> None:
    web.serve("/x.md", b"0123456789")
    with FaultProxy(web.port) as proxy:
        http.get(f"{proxy.url}/x.md", TYPED, LIMITS)
        for count in range(0, proxy.down.bytes, 5):
            proxy.down.clear().cut_after(count)
            port = Http()
            with pytest.raises(UnreachableError):
                port.get(f"{proxy.url}/x.md", TYPED, LIMITS)
            port.close()


@pytest.mark.parametrize("announced", [True, False])
def test_too_large_a_body_is_not_read(web: WebServer, http: Http, announced: bool) -> None:
    url = web.serve("/x", b"x" * 20_000 if announced else [b"x" * 20_000])
    with pytest.raises(UnreachableError, match="larger than"):
        http.get(url, TYPED, LIMITS)


def test_a_body_without_end_is_left(web: WebServer, http: Http) -> None:
    url = web.serve("/x", endless())
    with pytest.raises(UnreachableError, match="larger than"):
        http.get(url, TYPED, Limits(1_000_000, 10))


@pytest.mark.parametrize("path", ["drip", "hang", "drip in the head", "hang in the middle"])
def test_a_slow_server_is_given_up_at_the_deadline(web: WebServer, http: Http, path: str) -> None:
    web.serve("/x", b"x" * 500)
    with FaultProxy(web.port) as proxy:
        if path == "hang":
            web.fault("/x", Faults(delay=math.inf))
        elif path == "drip":
            web.fault("/x", Faults(drip=0.1))
        elif path == "drip in the head":
            proxy.down.slice(1, 0.1)
        else:
            web.serve("/x", [b"x"])
            web.fault("/x", Faults(length=400))
        start = time.monotonic()
        with pytest.raises(UnreachableError):
            http.get(f"{proxy.url}/x", TYPED, Limits(10_000, 1))
        assert time.monotonic() - start < 3


def test_the_deadline_counts_over_all_redirects(web: WebServer, http: Http) -> None:
    for number in range(1, 6):
        web.redirect(f"/{number}", f"/{number - 1}")
    web.fault("/*", Faults(delay=0.4))
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="in time"):
        http.get(f"{web.url}/5", TYPED, Limits(10_000, 1))
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, gzip", "x"])
def test_an_encoding_that_was_not_asked_for_is_refused(
    web: WebServer, http: Http, encoding: str
) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    url = web.serve("/x", bomb, headers={"Content-Encoding": encoding})
    with pytest.raises(UnreachableError, match="encoded"):
        http.get(url, TYPED, Limits(1_000_000, 10))


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (n,
        b"y" * 900) for n in range(90)) + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx", b"not http at all\r\n\r\n", b"",
        b"\0" * 100,
        b"HTTP/1.1 999999 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\n \r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
    ],
    ids=lambda raw: ascii(raw[:30]),
)  # fmt: skip
def test_an_answer_that_is_not_http_is_unreachable(web: WebServer, http: Http, raw: bytes) -> None:
    url = web.on("/x", lambda _: Reply(raw=raw))
    with pytest.raises((UnreachableError, RefusedError)) as caught:
        http.get(url, TYPED, LIMITS)
    assert caught.value.message.isprintable()


def test_a_server_that_is_down_is_unreachable_and_named(http: Http) -> None:
    with WebServer() as gone:
        url = gone.url
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1"):
        http.get(url, TYPED, LIMITS)


def test_https_is_checked_against_the_given_authority(https_web: WebServer, https: Http) -> None:
    assert https.get(https_web.serve("/x", "ok"), TYPED, LIMITS).body == b"ok"


def test_an_unknown_authority_is_refused_with_what_to_set(https_web: WebServer, http: Http) -> None:
    url = https_web.serve("/x", "secret")
    with pytest.raises(UnreachableError, match="CERTIFICATE") as caught:
        http.get(url, TYPED, LIMITS)
    assert "SSL_CERT_FILE" in caught.value.hint
    assert https_web.requests == []


@pytest.mark.parametrize("fault", ["another host", "expired", "not yet valid"])
def test_a_certificate_with_a_fault_is_refused(ca: CA, https: Http, fault: str) -> None:
    context = {
        "another host": lambda: ca.context("other.example"),
        "expired": lambda: ca.context(not_after=datetime(2020, 1, 1, tzinfo=UTC)),
        "not yet valid": lambda: ca.context(not_before=datetime(2090, 1, 1, tzinfo=UTC)),
    }[fault]()
    with WebServer(context) as server:
        url = server.serve("/x", "secret")
        with pytest.raises(UnreachableError, match="CERTIFICATE"):
            https.get(url, TYPED, LIMITS)


@pytest.mark.parametrize("content", [None, b"", b"not a certificate"])
def test_a_certificate_file_without_certificates_is_named(
    tmp_path: Path, content: bytes | None, https_web: WebServer
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreachableError, match=r"ca\.pem"):
        Http(Network({"SSL_CERT_FILE": str(path)})).get(https_web.serve("/x", "y"), TYPED, LIMITS)


def test_progress_is_told_with_the_total_when_it_is_known(web: WebServer) -> None:
    told: list[tuple[str, int, int]] = []
    port = Http(progress=lambda *what: told.append(what))
    port.get(web.serve("/x", b"x" * 100), TYPED, LIMITS)
    assert told[-1] == (f"127.0.0.1:{web.port}", 100, 100)
    port.get(web.serve("/y", [b"x" * 50, b"x" * 50]), TYPED, LIMITS)
    assert told[-1] == (f"127.0.0.1:{web.port}", 100, 0)
    port.close()


def test_a_mirror_of_a_whole_host_holds_for_the_host_alone_too() -> None:
    network = Network(mirrors={"https://a.example/": "https://mirror.example/a/"})
    assert network.mirrored("https://a.example") == "https://mirror.example/a/"
    assert network.mirrored("https://a.example/x") == "https://mirror.example/a/x"
    assert network.mirrored("https://a.example.evil/x") == "https://a.example.evil/x"


def test_a_mirror_is_asked_instead(web: WebServer) -> None:
    web.serve("/m/o/r.md", "mirrored")
    web.serve("/deep.md", "deeper")
    mirrors = {
        "https://raw.example/": f"{web.url}/m/",
        "https://raw.example/deep/": f"{web.url}/",
    }
    port = Http(Network(mirrors=mirrors))
    for policy in (TYPED, Policy(typed=False)):
        answer = port.get("https://raw.example/o/r.md", policy, LIMITS)
        assert (answer.body, answer.url) == (b"mirrored", "https://raw.example/o/r.md")
        assert port.get("https://raw.example/deep/deep.md", policy, LIMITS).body == b"deeper"
    port.close()
