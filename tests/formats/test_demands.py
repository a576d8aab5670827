"""`[policy]` as people and attackers write it: what can't be understood lets nothing in."""

from __future__ import annotations

import pytest

from skillpm.errors import RefusedError
from skillpm.formats.demands import read_demands
from skillpm.model.demands import Demands
from skillpm.model.provenance import Origin

GOOD = """
[policy]
min_origin = "community"
require_reviewed = true
min_age = "7d"
allowed_hosts = ["github.com", "git.corp.example"]
"""

MALFORMED = (
    "[policy", "[policy]\nmin_origin", "[policy]\nmin_origin = official", "policy = 1",
    "policy = []", "[[policy]]", "[policy]\n[policy]", "\x00", "[policy]\nmin_origin = 1",
    '[policy]\nmin_origin = ""', '[policy]\nmin_origin = "Official"',
    '[policy]\nmin_origin = "trusted"', '[policy]\nmin_origin = ["official"]',
    '[policy]\nmin_origin = "official "', "[policy]\nmin_origin = true",
    '[policy]\nrequire_reviewed = "true"', "[policy]\nrequire_reviewed = 1",
    "[policy]\nrequire_reviewed = []", '[policy]\nrequire_reviewed = "no"',
    "[policy]\nmin_age = 7", '[policy]\nmin_age = "7"', '[policy]\nmin_age = "7 d"',
    '[policy]\nmin_age = "-7d"', '[policy]\nmin_age = "7w"', '[policy]\nmin_age = "1.5d"',
    '[policy]\nmin_age = "999999d"', '[policy]\nmin_age = ""', '[policy]\nmin_age = "\u0667d"',
    "[policy]\nmin_age = 2026-12-01", '[policy]\nallowed_hosts = "github.com"',
    "[policy]\nallowed_hosts = [1]", '[policy]\nallowed_hosts = [""]',
    '[policy]\nallowed_hosts = ["*.github.com"]', '[policy]\nallowed_hosts = ["GitHub.com"]',
    '[policy]\nallowed_hosts = ["https://github.com"]',
    '[policy]\nallowed_hosts = ["github.com/acme"]', '[policy]\nallowed_hosts = ["github.com:443"]',
    '[policy]\nallowed_hosts = ["a..b"]', '[policy]\nallowed_hosts = ["user@github.com"]',
    '[policy]\nallowed_hosts = ["gith\u00fcb.com"]', '[policy]\nallowed_hosts = ["-a.com"]',
    "[policy]\nallowed_hosts = {a = 1}", "[policy]\nmax_origin = 1",
    '[policy]\nallow = ["x"]', '[policy]\n"min_origin " = "official"',
    '[policy]\n"\\u001b[31m" = 1',
)  # fmt: skip


def test_a_policy_is_read() -> None:
    hosts = frozenset({"github.com", "git.corp.example"})
    assert read_demands(GOOD.encode(), "p") == Demands("p", Origin.COMMUNITY, True, 604_800, hosts)


@pytest.mark.parametrize("text", ["", "# nothing\n", "[scan]\n", "[policy]\n"])
def test_no_policy_demands_nothing(text: str) -> None:
    assert read_demands(text.encode(), "p") == Demands("p")


@pytest.mark.parametrize("text", MALFORMED)
def test_what_cannot_be_understood_lets_nothing_in(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read_demands(text.encode(), "skills.toml")
    assert "skills.toml" in caught.value.message
    assert caught.value.message.isprintable()
    assert "nothing comes in" in caught.value.hint


def test_the_line_is_named() -> None:
    with pytest.raises(RefusedError, match="line 3: min_age"):
        read_demands(b'[policy]\nrequire_reviewed = true\nmin_age = "soon"\n', "p")
