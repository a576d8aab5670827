"""What a registry named may point to the internet only, however its address is written."""

from __future__ import annotations

from typing import Final

import pytest
from support.webserver import WebServer

from skillpm.edges.addresses import is_public, public_address
from skillpm.edges.http import Http, Limits
from skillpm.errors import RefusedError, UnreachableError
from skillpm.formats.address import parse_source
from skillpm.model.address import Web
from skillpm.model.policy import Policy, origin

NAMED: Final = Policy(typed=False)
LIMITS: Final = Limits(10_000, 5)

PRIVATE = [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1",
    "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250",
    "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::",
    "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "fc00::1", "fd12::1",
    "fe80::1", "fec0::1", "ff02::1", "100::1", "5f00::1",
]  # fmt: skip
PUBLIC = [
    "8.8.8.8", "1.1.1.1", "140.82.121.3", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8",
    "64:ff9b::808:808", "2002:808:808::1",
]  # fmt: skip
ENCODED = [
    "2130706433", "0x7f000001", "017700000001", "127.1", "127.0.1", "0x7f.1", "0177.0.0.1",
    "0x7f.0x0.0x0.0x1", "0", "0x0", "167772161", "0xa9fea9fe", "2852039166", "127.0.0.1.",
    "localhost", "LOCALHOST", "foo.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::]",
    "[64:ff9b::7f00:1]", "[fe80::1]", "3232235777", "00000177.1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_on_the_internet_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text", ["", "x", "127.0.0", "1.2.3.4.5", "::g", "8.8.8.8/32", "\u0661.1.1.1"]
)
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("host", ENCODED)
def test_however_a_private_host_is_written_it_is_refused(host: str, http: Http) -> None:
    for url in (f"https://{host}/x.md", f"https://{host}:8443/x.md"):
        with pytest.raises((RefusedError, UnreachableError)):
            http.get(url, NAMED, LIMITS)


@pytest.mark.parametrize("host", ENCODED[:13])
def test_a_number_that_is_an_address_is_told_as_one(host: str) -> None:
    with pytest.raises(RefusedError, match="private address"):
        public_address(host, 443)


def test_a_public_number_is_used_as_the_address_it_is() -> None:
    assert public_address("134744072", 443) == "8.8.8.8"
    assert public_address("[2606:4700::1111]", 443) == "2606:4700::1111"


def test_a_private_server_is_never_reached_by_what_a_registry_named(
    web: WebServer, https_web: WebServer, https: Http
) -> None:
    for server in (web, https_web):
        for host in ("127.0.0.1", "localhost"):
            server.serve("/x", "secret")
            with pytest.raises(RefusedError):
                https.get(f"{server.url_at(host)}/x", NAMED, LIMITS)
        assert server.requests == []


def test_plain_http_is_refused_with_the_command_that_would_do_it(http: Http) -> None:
    with pytest.raises(RefusedError, match="not encrypted") as caught:
        http.get("http://8.8.8.8/x.md", NAMED, LIMITS)
    command, _, words = caught.value.hint.partition("skill install ")
    assert command == "if you trust it: "
    assert parse_source(words.split()[-1]) == Web("http://8.8.8.8/x.md")


def test_the_origin_of_the_tap_that_the_user_typed_may_be_private(
    https_web: WebServer, web: WebServer, https: Http
) -> None:
    url = https_web.serve("/x", "near")
    near = Policy(typed=False, near=(origin(url),))
    assert https.get(url, near, LIMITS).body == b"near"
    with pytest.raises(RefusedError):
        https.get(web.serve("/x", "other port"), near, LIMITS)
    with pytest.raises(RefusedError):
        https.get(https_web.url_at("localhost") + "/x", near, LIMITS)


def test_a_redirect_out_of_the_near_origin_is_checked_again(
    https_web: WebServer, ca_other: WebServer, https: Http
) -> None:
    url = https_web.redirect("/x", ca_other.serve("/inside", "secret"))
    with pytest.raises(RefusedError, match="private address"):
        https.get(url, Policy(typed=False, near=(origin(url),)), LIMITS)
    assert ca_other.requests == []
