"""Three tries, never more, with a pause that the server may ask for; and never half a body."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest
from support.exchange import Faults, Reply, Request
from support.faultproxy import FaultProxy
from support.webserver import Handler, WebServer

from skillpm.edges import retry
from skillpm.edges.http import Http, Limits
from skillpm.errors import NotFoundError, UnreachableError
from skillpm.model.policy import Policy

TYPED = Policy(typed=True)
LIMITS = Limits(100_000, 10)


def at_last(*first: Reply) -> Handler:
    """A handler that answers these, one after the other, and then 200."""
    left = list(first)
    return lambda _request: left.pop(0) if left else Reply(200, b"whole")


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("times", [1, 2])
def test_a_server_that_stumbles_is_asked_again(
    web: WebServer, http: Http, status: int, times: int
) -> None:
    url = web.on("/x", at_last(*[Reply(status)] * times))
    assert http.get(url, TYPED, LIMITS).body == b"whole"
    assert len(web.requests) == times + 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_after_three_times_it_is_an_error(web: WebServer, http: Http, status: int) -> None:
    url = web.serve("/x", b"", status=status)
    with pytest.raises(UnreachableError, match=f"HTTP {status}"):
        http.get(url, TYPED, LIMITS)
    assert len(web.requests) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 410, 418, 429, 501])
def test_what_will_not_change_is_asked_once(web: WebServer, http: Http, status: int) -> None:
    url = web.serve("/x", b"", status=status)
    with pytest.raises((UnreachableError, NotFoundError)):
        http.get(url, TYPED, LIMITS)
    assert len(web.requests) == 1


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_server_that_asks_to_wait_is_waited_for_and_it_is_said(
    web: WebServer, status: int
) -> None:
    said: list[str] = []
    port = Http(progress=lambda what, _done, _total: said.append(what))
    url = web.on("/x", at_last(Reply(status, b"", {"Retry-After": "1"})))
    start = time.monotonic()
    assert port.get(url, TYPED, LIMITS).body == b"whole"
    assert 1 <= time.monotonic() - start < 3
    assert [line for line in said if "asks to wait 1 s" in line]
    port.close()


def test_a_date_to_wait_for_and_a_rate_limit_that_resets(web: WebServer, http: Http) -> None:
    soon = formatdate(time.time() + 1, usegmt=True)
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 2)}
    for headers in ({"Retry-After": soon}, reset):
        url = web.on("/x", at_last(Reply(403, b"", headers)))
        assert http.get(url, TYPED, LIMITS).body == b"whole"


@pytest.mark.parametrize(
    ("status", "seconds"), [(429, "31"), (503, "3600"), (403, "99999"), (429, "9")]
)
def test_too_long_a_wait_is_an_error_that_says_how_long(
    web: WebServer, http: Http, status: int, seconds: str
) -> None:
    url = web.serve("/x", b"", status=status, headers={"Retry-After": seconds})
    start = time.monotonic()
    with pytest.raises(UnreachableError) as caught:
        http.get(url, TYPED, Limits(1_000, 5))
    assert caught.value.hint == f"it asks to wait {seconds} s"
    assert time.monotonic() - start < 2
    assert len(web.requests) == 1


@pytest.mark.parametrize("value", ["", "soon", "-1", "9" * 40, "1e3", "\u0661", "Mon, 99 Foo"])
def test_a_wait_that_is_no_time_is_none(value: str) -> None:
    assert retry.asked_wait(429, {"retry-after": value}) is None


def test_the_pause_is_anywhere_up_to_a_bound_that_doubles() -> None:
    for attempt, bound in enumerate((0.25, 0.5, 1.0)):
        pauses = [retry.pause(attempt, None) for _ in range(200)]
        assert 0 <= min(pauses) < bound / 4
        assert bound * 3 / 4 < max(pauses) <= bound


@pytest.mark.parametrize("faults", [Faults(cut_after=3), Faults(cut_after=3, reset=True)])
def test_a_body_that_was_cut_off_is_read_again_from_its_start(
    web: WebServer, http: Http, faults: Faults
) -> None:
    bodies = [b"first version", b"second version"]
    url = web.on("/x", lambda _: Reply(200, bodies[min(len(web.requests), 2) - 1]))
    web.on_request(lambda _: faults if len(web.requests) == 1 else None)
    assert http.get(url, TYPED, LIMITS).body == b"second version"
    assert "Range" not in web.requests[1].headers
    assert len(web.requests) == 2


def test_a_body_that_is_always_cut_off_is_asked_for_three_times(web: WebServer, http: Http) -> None:
    url = web.serve("/x", b"0123456789")
    web.fault("/x", Faults(cut_after=5))
    with pytest.raises(UnreachableError):
        http.get(url, TYPED, LIMITS)
    assert len(web.requests) == 3


def test_a_connection_that_is_reset_is_made_again(web: WebServer, http: Http) -> None:
    web.serve("/x", b"whole")
    with FaultProxy(web.port) as proxy:
        proxy.down.reset_after(0)
        with pytest.raises(UnreachableError):
            http.get(f"{proxy.url}/x", TYPED, LIMITS)
        assert proxy.connections == 3


def test_the_tries_count_over_redirects_and_stay_within_the_time(
    web: WebServer, http: Http
) -> None:
    web.redirect("/a", "/b")
    web.serve("/b", b"", status=500)
    with pytest.raises(UnreachableError):
        http.get(f"{web.url}/a", TYPED, LIMITS)
    assert web.paths() == ["GET /a", "GET /b", "GET /b"]
    start = time.monotonic()
    with pytest.raises(UnreachableError):
        http.get(f"{web.url}/b", TYPED, Limits(1_000, 0.01))
    assert time.monotonic() - start < 1


def test_statuses_that_are_accepted_are_answers(web: WebServer, http: Http) -> None:
    for status in (404, 409, 401, 503):
        url = web.serve("/x", b"why", status=status)
        answer = http.get(url, TYPED, Limits(1_000, 5, accept=(404, 409, 401, 503)))
        assert (answer.status, answer.body) == (status, b"why")
    assert http.get(web.serve("/y", "z"), TYPED, LIMITS).status == 200
    with pytest.raises(UnreachableError, match="larger than"):
        http.get(web.serve("/x", b"x" * 2_000, status=409), TYPED, Limits(1_000, 5, accept=(409,)))


def test_requests_one_after_the_other_share_a_connection_also_after_errors(
    web: WebServer, http: Http
) -> None:
    web.on("/x", at_last(Reply(200, b"a"), Reply(404), Reply(500), Reply(200, b"b")))
    with FaultProxy(web.port) as proxy:
        for _ in range(4):
            http.get(f"{proxy.url}/x", TYPED, Limits(1_000, 5, accept=(404,)))
        assert proxy.connections == 1
        assert len(web.requests) == 5


def test_a_connection_that_the_server_closed_meanwhile_is_made_again(
    web: WebServer, http: Http
) -> None:
    web.serve("/x", b"y")
    with FaultProxy(web.port) as proxy:
        proxy.down.cut_after(400)
        for _ in range(6):
            assert http.get(f"{proxy.url}/x", TYPED, LIMITS).body == b"y"


def test_what_is_sent_is_a_get_and_nothing_else(web: WebServer, http: Http) -> None:
    seen: list[Request] = []
    web.on_request(seen.append)
    http.get(web.serve("/x", "y"), TYPED, LIMITS)
    assert [(request.method, request.body) for request in seen] == [("GET", b"")]
