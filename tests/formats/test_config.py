"""Settings: every key has a default, a type, and a way to be overridden."""

from __future__ import annotations

import pytest

from skillpm.errors import StateError, UsageError
from skillpm.formats.config import DEFAULT_HUB, Config, read_config

FULL = b"""
[hub]
url = "https://hub.example/"
[search]
seconds = 7
[mirrors]
"https://github.com/" = "http://127.0.0.1:8000/"
"""


def test_without_a_file_everything_has_a_default() -> None:
    assert read_config(b"", {}, "c") == Config(DEFAULT_HUB, 3.0, {})


def test_every_key_is_read() -> None:
    mirrors = {"https://github.com/": "http://127.0.0.1:8000/"}
    assert read_config(FULL, {}, "c") == Config("https://hub.example", 7.0, mirrors)


@pytest.mark.parametrize("off", ["", "off", "OFF", "none", "0"])
def test_hubs_can_be_switched_off(off: str) -> None:
    assert read_config(FULL, {"SKILL_HUB": off}, "c").hub == ""
    assert read_config(b'[hub]\nurl = "off"', {}, "c").hub == ""


def test_the_environment_wins_over_the_file() -> None:
    env = {"SKILL_HUB": "http://127.0.0.1:9/", "SKILL_SEARCH_SECONDS": "0.5"}
    found = read_config(FULL, env, "c")
    assert (found.hub, found.search_seconds) == ("http://127.0.0.1:9", 0.5)


@pytest.mark.parametrize(
    "data",
    [
        b"x", b"[hub", b"\xff", b"hub = 1", b"search = []", b'mirrors = "x"', b"[hub]\nurl = 7",
        b"[search]\nseconds = 'soon'", b"[search]\nseconds = 0", b"[search]\nseconds = -1",
        b"[search]\nseconds = 61", b"[search]\nseconds = nan", b"[search]\nseconds = inf",
        b'[mirrors]\n"https://a/" = 1', b"a = 1\na = 2", b"a = " + b"[" * 20_000,
        b"a = " + b"{a=" * 20_000,
    ],
    ids=lambda data: ascii(data[:24]),
)  # fmt: skip
def test_a_file_with_a_fault_is_named_and_nothing_is_guessed(data: bytes) -> None:
    with pytest.raises(StateError, match=r"/etc/c\.toml"):
        read_config(data, {}, "/etc/c.toml")


@pytest.mark.parametrize(
    "url",
    ["hub.example", "ftp://hub.example", "https://me:pw@hub.example", "https://", "https:///x",
    "file:///x",
     "https://hub.example/\x1b", "https://hub example", "javascript:x"],
)  # fmt: skip
def test_an_unusable_hub_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match="SKILL_HUB"):
        read_config(b"", {"SKILL_HUB": url}, "c")


@pytest.mark.parametrize("seconds", ["x", "0", "-1", "61", "nan", "inf", "1e9"])
def test_an_unusable_deadline_is_a_usage_error(seconds: str) -> None:
    with pytest.raises(UsageError, match="SKILL_SEARCH_SECONDS"):
        read_config(b"", {"SKILL_SEARCH_SECONDS": seconds}, "c")


@pytest.mark.parametrize(
    ("text", "env", "offline"),
    [
        ("", "", False), ("[network]\noffline = true", "", True), ("", "1", True),
        ("", "yes", True),
        ("[network]\noffline = true", "0", False), ("[network]\noffline = true", "no", False),
        ("[network]\noffline = true", "off", False), ("[network]\noffline = false", "1", True),
    ],
)  # fmt: skip
def test_offline_is_set_in_the_file_or_by_the_environment(
    text: str, env: str, offline: bool
) -> None:
    assert read_config(text.encode(), {"SKILL_OFFLINE": env}, "c").offline is offline


def test_tokens_name_variables_and_gh_is_asked_on_request() -> None:
    text = '[tokens]\n"https://git.corp:8443" = "CORP_TOKEN"\n[github]\nuse_gh = true\n'
    config = read_config(text.encode(), {}, "c")
    assert config.tokens == {"https://git.corp:8443": "CORP_TOKEN"}
    assert config.use_gh
    assert read_config(b"", {"SKILL_USE_GH": "1"}, "c").use_gh
    assert not read_config(text.encode(), {"SKILL_USE_GH": "0"}, "c").use_gh


@pytest.mark.parametrize(
    "line",
    [
        '"https://git.corp" = "ghp_realtoken"', '"https://git.corp" = 7', '"git.corp" = "A"',
        '"https://git.corp/path" = "A"', '"https://me@git.corp" = "A"', '"https://" = "A"',
        '"ssh://git.corp" = "A"',
    ],
)  # fmt: skip
def test_a_token_itself_or_an_address_with_more_is_refused_and_not_repeated(line: str) -> None:
    with pytest.raises(StateError) as caught:
        read_config(f"[tokens]\n{line}\n".encode(), {}, "c")
    assert "realtoken" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    "text", ["[network]\noffline = 1", "[github]\nuse_gh = 'yes'", "network = 1"]
)
def test_a_flag_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(StateError):
        read_config(text.encode(), {}, "c")
