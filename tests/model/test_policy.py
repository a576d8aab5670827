"""Who named an address decides where it may point."""

from __future__ import annotations

import pytest

from skillpm.model.policy import Policy, origin


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://Example.com/x", "https://example.com:443"),
        ("http://example.com", "http://example.com:80"),
        ("ssh://git@host/x", "ssh://host:22"),
        ("https://host:8443/a:1@b", "https://host:8443"),
        ("https://host?x=1@evil:80/", "https://host:443"),
        ("https://host#@evil", "https://host:443"),
        ("HTTPS://host/", "https://host:443"),
        ("https://[::1]:8080/x", "https://[::1]:8080"),
        ("https://[::1]/x", "https://[::1]:443"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, expected: str) -> None:
    assert origin(url) == expected


def test_what_the_user_typed_may_be_private() -> None:
    assert Policy(typed=True).allows_private("http://127.0.0.1/x")


def test_a_registry_may_name_what_lies_beside_it_and_nothing_else() -> None:
    policy = Policy(typed=False, near=("https://tap.local:443",))
    assert policy.allows_private("https://tap.local/other/path")
    for url in (
        "http://tap.local/x", "https://tap.local:444/x", "https://tap.local.evil/x",
        "https://user@tap.local.evil/x", "https://evil/?https://tap.local/",
    ):  # fmt: skip
        assert not policy.allows_private(url)
