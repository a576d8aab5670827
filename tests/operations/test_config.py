"""Settings: every one is listed, one changes and no other byte, guards are a person's business."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, strategies as st
from journeys.world import Person
from support.terminal import converse

from skillpm.errors import StateError
from skillpm.formats.settings import SETTINGS, setting_of, value_at, with_value

MINE = """# mine, all of it
[search]   # how long
seconds = 1.5 # a while

[mirrors]
"https://github.com/" = "https://git.corp/"
"""


def write(person: Person, text: str) -> None:
    """The person's config.toml."""
    person.home.mkdir(parents=True, exist_ok=True)
    (person.home / "config.toml").write_text(text)


def read(person: Person) -> str:
    """What stands in it."""
    return (person.home / "config.toml").read_text()


def test_all_are_listed_with_who_says_so(person: Person) -> None:
    write(person, MINE)
    env = {"SKILL_OFFLINE": "1"}
    rows = {row["key"]: row for row in person.json("config", "list", env=env)["settings"]}
    assert rows["search.seconds"]["value"] == 1.5
    assert rows["search.seconds"]["origin"] == "file"
    assert rows["mirrors.https://github.com/"]["value"] == "https://git.corp/"
    assert rows["network.offline"]["origin"] == "SKILL_OFFLINE"
    assert rows["history.keep"] == {
        "key": "history.keep", "value": "forever", "origin": "default",
        "help": rows["history.keep"]["help"],
    }  # fmt: skip


def test_one_changes_and_no_other_byte_does(person: Person) -> None:
    write(person, MINE)
    person.skill("config", "set", "search.seconds", "5")
    assert read(person) == MINE.replace("1.5", "5.0")
    assert person.skill("config", "get", "search.seconds").out == "5.0\n"
    person.skill("undo")
    assert read(person) == MINE
    person.skill("config", "unset", "search.seconds")
    assert read(person) == MINE.replace("seconds = 1.5 # a while\n", "")
    assert person.json("config", "get", "search.seconds")["origin"] == "default"


def test_a_variable_that_stands_before_it_is_told(person: Person) -> None:
    env = {"SKILL_HISTORY_KEEP": "5d"}
    done = person.skill("config", "set", "history.keep", "90d", env=env)
    assert "SKILL_HISTORY_KEEP" in done.err


WRONG = {
    "no such key": (("nope.at.all", "1"), "skill config list"),
    "nearly": (("search.second", "1"), "search.seconds"),
    "a table": (("mirrors.", "x"), "no setting"),
    "no number": (("search.seconds", "soon"), "a number"),
    "out of bounds": (("search.seconds", "600"), "up to 60"),
    "no flag": (("network.offline", "maybe"), "true or false"),
    "no span": (("history.keep", "a while"), "history.keep"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_and_nothing_written(case: str, person: Person) -> None:
    write(person, MINE)
    words, told = WRONG[case]
    status = 8 if case in ("out of bounds", "no span") else 2
    assert told in person.error("config", "set", *words, status=status)
    assert read(person) == MINE


GUARDS = [setting.key for setting in SETTINGS if setting.guards]


@pytest.mark.parametrize("key", GUARDS)
def test_what_decides_what_may_come_in_is_changed_on_a_terminal_alone(
    key: str, person: Person
) -> None:
    for word in ("PREFIX", "ORIGIN", "RULE"):
        key = key.replace(word, "x")
    assert "terminal" in person.error("config", "set", key, "x", status=5)
    assert "terminal" in person.error("config", "unset", key, status=5)


def test_on_a_terminal_a_guard_is_set(person: Person) -> None:
    done = converse(
        "config", "set", "policy.min_age", "7d", home=person.home, answer=lambda _: None
    )
    assert done.status == 0
    assert tomllib.loads(read(person)) == {"policy": {"min_age": "7d"}}
    done = converse(
        "config", "set", "policy.min_age", "soon", home=person.home, answer=lambda _: None
    )
    assert done.status == 5
    assert tomllib.loads(read(person)) == {"policy": {"min_age": "7d"}}


@pytest.mark.parametrize("text", ["[search", "\ufeff[a]\n", "a = 1\na = 2\n"])
def test_a_damaged_file_is_told_and_left(text: str, person: Person) -> None:
    write(person, text)
    for words in (("list",), ("get", "search.seconds"), ("set", "search.seconds", "5")):
        person.error("config", *words, status=8)
    assert read(person) == text


NAMES = st.sampled_from(["search", "a", "b c", "x.y", "ü", '"', "#"])
VALUES = st.recursive(
    st.text(max_size=8) | st.booleans() | st.integers(-99, 99),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
KEYS = [setting.key for setting in SETTINGS if not setting.is_open]


@given(st.dictionaries(NAMES, VALUES, max_size=3), st.sampled_from(KEYS), st.text(max_size=9))
def test_any_file_changes_as_asked_or_is_left_to_a_person(
    table: dict[str, object], key: str, value: str
) -> None:
    import tomlkit

    data = tomlkit.dumps(table).encode()
    _, path = setting_of(key)
    try:
        done = with_value(data, path, value, "config.toml")
    except StateError:
        return
    assert value_at(tomllib.loads(done.decode()), path) == value
    gone = with_value(done, path, None, "config.toml")
    kept = tomllib.loads(gone.decode())
    assert value_at(kept, path) is None
    assert all(kept.get(name) == value for name, value in table.items() if name != path[0])
