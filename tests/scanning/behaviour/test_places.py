"""What paths and hosts mean, in tables."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.scanning.behaviour import paths
from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.hosts import Place, domain_of, host_of, place_of


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh/id_rsa", "~/.ssh", "$HOME/.aws/credentials", "/home/jane/.netrc", ".env",
        ".env.production", "/etc/shadow", "C:\\Users\\jane\\.ssh\\id_ed25519", "~/.kube/config",
        "~/Library/Keychains/login.keychain-db", "/proc/self/environ", "wallet.dat",
        "~/.config/google-chrome/Default/Login Data", "~/.claude/history.jsonl", "x/cookies.sqlite",
        "~/.bash_history", "~/.config/gh/hosts.yml", "vault.kdbx",
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_path(path: str) -> None:
    assert paths.is_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        "~/.ssh/id_rsa.pub", "~/.ssh/config", "~/.ssh/known_hosts", ".env.example", "README.md",
        "environment.yml", "/etc/hosts", "src/secrets.py", "tests/fixtures/id.txt", "", HOLE,
    ],
)  # fmt: skip
def test_what_is_no_secret(path: str) -> None:
    assert not paths.is_secret(path)


@pytest.mark.parametrize(
    "path",
    ["/", "/*", "~", "~/", "$HOME", "${HOME}/*", "/etc", "/usr/local", "~/Documents", "C:\\",
     "C:\\Users", "/home/jane", "*", f"{HOLE}/*", "..", "/var/*", "~/.ssh"],
)  # fmt: skip
def test_what_must_not_be_deleted(path: str) -> None:
    assert paths.is_vital(path)


@pytest.mark.parametrize(
    "path",
    ["build", "./dist", "node_modules", "/tmp/x", "~/.cache/tool", "/var/lib/x", "out/*", "a/b/*",
     HOLE, "", "/home/jane/project/build", ".git"],
)  # fmt: skip
def test_what_may_be_deleted(path: str) -> None:
    assert not paths.is_vital(path)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://203.0.113.9/x", Place.ADDRESS),
        ("http://0xCB007109/", Place.ADDRESS),
        ("http://3405803785", Place.ADDRESS),
        ("http://[2001:db9::1]:80/x", Place.ADDRESS),
        ("http://127.0.0.1:8080", Place.LOCAL),
        ("http://10.0.0.4/x", Place.LOCAL),
        ("localhost:5432", Place.LOCAL),
        ("db.internal:5432", Place.LOCAL),
        ("https://webhook.site/abc", Place.DROP),
        (f"https://{HOLE}.ngrok-free.app/x", Place.DROP),
        ("https://notwebhook.site.example.com", Place.NAMED),
        ("https://bit.ly/x", Place.SHORT),
        ("https://discord.com/api/webhooks/1/x", Place.CHANNEL),
        ("https://discord.com/channels/1", Place.NAMED),
        ("git@github.com:acme/x.git", Place.KNOWN),
        ("https://user:word@api.github.com/x", Place.KNOWN),
        ("https://github.com.example.com/x", Place.NAMED),
        (f"https://{HOLE}/v1", Place.CHOSEN),
        ("$HOST", Place.CHOSEN),
        ("", Place.CHOSEN),
    ],
)
def test_a_host_is_of_a_kind(address: str, place: Place) -> None:
    assert place_of(address) is place


@pytest.mark.parametrize(
    ("host", "domain"),
    [("a.b.example.com", "example.com"), ("a.example.co.uk", "example.co.uk"), ("x", "x")],
)
def test_the_part_that_an_owner_registers(host: str, domain: str) -> None:
    assert domain_of(host) == domain


@given(st.text(max_size=300))
def test_every_text_has_an_answer(text: str) -> None:
    place_of(text)
    domain_of(host_of(text))
    for ask in (paths.is_secret, paths.is_vital, paths.starts_programs, paths.steers_agents,
                paths.lets_in, paths.in_home, paths.is_temporary, paths.is_build_output):  # fmt: skip
        assert ask(text) in (True, False)
