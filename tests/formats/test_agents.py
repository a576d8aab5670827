"""What a `config.toml` says of agents."""

from __future__ import annotations

import pytest

from skillpm.errors import StateError, UsageError
from skillpm.formats.agents import read_agents


def test_nobody_is_chosen_until_somebody_chooses() -> None:
    assert read_agents(b"", {}, "c").chosen is None
    assert read_agents(b"[agents]\nlink = []\n", {}, "c").chosen == ()


def test_a_row_of_the_users_is_added_or_changes_one_of_the_table() -> None:
    text = b"""
[agents.known.mine]
global = "~/.mine/skills"
[agents.known.claude-code]
copies = true
"""
    known = read_agents(text, {}, "c").known
    assert (known["mine"].user, known["mine"].project) == ("~/.mine/skills", "")
    assert known["claude-code"].copies
    assert known["claude-code"].user == "~/.claude/skills"
    assert len(known) == 80


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[agents]\nlink = 'claude-code'", "agents.link is not a list"),
        ("[agents]\nlink = ['../x']", "agents.link is not a list"),
        ("[agents]\nlinks = []", "agents.links is no setting"),
        ("agents = 1", "[agents] is not a table"),
        ("[agents]\nknown = 1", "[agents.known] is not a table"),
        ("[agents.known.'../x']\nproject = '.x/skills'", "is no id of an agent"),
        ("[agents.known.x]\nglobal = '/etc'", "it is not a folder below ~/"),
        ("[agents.known.x]\nglobal = '~/../../etc'", "it is not a folder below ~/"),
        ("[agents.known.x]\nglobal = '~/'", "it is not a folder below ~/"),
        ("[agents.known.x]\nglobal = '$HOME/x'", "it is not a folder below ~/"),
        ("[agents.known.x]\nglobal = '~/a\\nb'", "it is not a folder below ~/"),
        ('[agents.known.x]\nglobal = "~/a\\u001bb"', "it is not a folder below ~/"),
        ("[agents.known.x]\nproject = '/etc'", "it is not a folder below the project"),
        ("[agents.known.x]\nproject = '..'", "it is not a folder below the project"),
        ("[agents.known.x]\nproject = 'a/../../b'", "it is not a folder below the project"),
        ("[agents.known.x]\nproject = '.git/hooks'", "it is not a folder below the project"),
        ("[agents.known.x]\nproject = 'a\\\\b'", "it is not a folder below the project"),
        ("[agents.known.x]\nproject = 1", "it has the wrong type"),
        ("[agents.known.x]\ndetect = ['x']", "it is not ~/"),
        ("[agents.known.x]\nhome = '~/x'", "it is not known"),
        ("[agents.known.x]\nname = 'X'", "neither `global` nor `project`"),
        ("[agents.known.x]\n[", "is not TOML"),
    ],
)
def test_what_cannot_be_is_refused_with_its_key(text: str, told: str) -> None:
    with pytest.raises(StateError) as caught:
        read_agents(text.encode(), {}, "config.toml")
    assert told in caught.value.message
    assert caught.value.message.startswith("config.toml")


@pytest.mark.parametrize(
    ("said", "chosen"),
    [("none", ()), ("", ()), ("cursor, claude-code,cursor", ("cursor", "claude-code"))],
)
def test_the_variable_says_otherwise(said: str, chosen: tuple[str, ...]) -> None:
    env = {"SKILL_AGENTS": said}
    assert read_agents(b"[agents]\nlink = ['amp']\n", env, "c").chosen == chosen


def test_the_variable_names_agents_that_are_known() -> None:
    with pytest.raises(UsageError, match="'nobody', which is no agent"):
        read_agents(b"", {"SKILL_AGENTS": "nobody"}, "c")
