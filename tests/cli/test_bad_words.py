"""Words that are no name, no option and no address: status 2, a reason, and nothing touched."""

from __future__ import annotations

import pytest
from journeys.world import Person, document
from support.files import assert_same, build, tree_of

NAMES = [
    "../../evil", "", "..", ".", "@a/..", "@../a", "CON", "con", "nul", "A", "a" * 65, "a--b",
    "-a-", "a b", "a/", "/", " a", "a\n", "a\x1b[31m", "a\u202eb", "\u0430bc", "a\\b", "C:\\x",
    "a.md/..", "@a/b@../c", "@a", "@/b", "~root/x", "x:y",
]  # fmt: skip
ADDRESSES = [
    "ftp://example.com/x.md", "javascript:alert(1)", "https://", "https://user:pw@example.com/x.md",
    "https://exa mple.com/x.md", "file://other-host/x", "https://example.com/../x.md",
    "https://github.com/a/b/issues/1", "git+https://example.com/",
    "ext::sh -c id", "--upload-pack=id", "https://example.com/a.git#--upload-pack=id",
    "https://example.com/a.git#main:../..", "https://gist.github.com/a/b/c",
]  # fmt: skip
TAKING_A_NAME = [
    ("install",), ("info",), ("remove",), ("pin",), ("unpin",), ("update",), ("read",), ("path",),
    ("audit",), ("scan",), ("validate",), ("install", "good", "--as"),
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_bad_name_installs_and_removes_nothing(name: str, person: Person) -> None:
    own = build(person.home / "library" / "mine", {"SKILL.md": document("mine")})
    outside = tree_of(person.home.parent)
    for words in (("install", "--yes", "--", name), ("remove", "--discard", "--", name)):
        person.error(*words, status=2)
    assert own.exists()
    after = {k: v for k, v in tree_of(person.home.parent).items() if not k.startswith("skillhome/")}
    before = {k: v for k, v in outside.items() if not k.startswith("skillhome/")}
    added = {k for k in after.keys() - before.keys() if not k.startswith(("user", "tmp"))}
    assert not added


@pytest.mark.parametrize("command", TAKING_A_NAME, ids=" ".join)
@pytest.mark.parametrize("name", ["../../evil", "", "CON"], ids=ascii)
def test_every_command_that_takes_a_name_refuses_it(
    command: tuple[str, ...], name: str, person: Person
) -> None:
    told = person.error(*command, name, status=2)
    assert told.strip()
    assert not (person.home / "library").exists()


@pytest.mark.parametrize("address", ADDRESSES, ids=ascii)
def test_a_bad_address_is_a_usage_error(address: str, person: Person) -> None:
    person.error("install", "good", f"--source={address}", "--yes", status=2)
    person.error("tap", "add", "--", address, status=2)


@pytest.mark.parametrize(
    "words",
    [
        ("install", "--unknown", "cut-a-release"),
        ("install", "cut-a-release", "--unknown"),
        ("install", "cut-a-release", "a--b"),
        ("install",),
        ("install", "cut-a-release", "--source"),
        ("list", "extra"),
        ("search", "--limit", "x", "y"),
        ("search", "--limit", "0", "y"),
        ("tap",),
        ("tap", "frobnicate"),
        ("tap", "add"),
        ("registry",),
        ("frobnicate",),
        ("instal", "cut-a-release"),
        ("--unknown",),
        ("scan", "cut-a-release", "--fail-on", "sometimes"),
        ("update",),
    ],
    ids=" ".join,
)
def test_wrong_words_are_a_usage_error_and_say_what_would_be_right(
    words: tuple[str, ...], person: Person
) -> None:
    done = person.skill(*words, status=2)
    assert (done.out + done.err).strip()
    assert not (person.home / "library").exists()


def test_options_may_stand_before_and_after_the_name(person: Person) -> None:
    place = build(person.home.parent / "work", {"one.md": document("one")})
    person.skill("install", "--source", str(place), "--yes", "one")
    person.skill("install", "one", "--as", "two", f"--source={place}")
    person.skill("install", "--as", "three", "one", "--json", "--source", str(place))
    shown = {s["name"] for s in person.json("list")["skills"]}
    assert {"one", "two", "three"} <= shown


def test_a_misspelled_command_is_suggested(person: Person) -> None:
    assert "install" in person.skill("instal", "x", status=2).err


@pytest.mark.parametrize("value", ["relative/home", "~/x"])
def test_a_home_that_is_not_absolute_is_a_usage_error(value: str, person: Person) -> None:
    person.skill("list", status=2, env={"SKILL_HOME": value})


@pytest.mark.parametrize(
    "text", ["not toml [", "[mirrors]\nx = 1\n", "hub = 1\n", "[search]\nseconds = 'x'\n", "\xff"]
)
def test_a_damaged_configuration_is_named_and_not_overwritten(text: str, person: Person) -> None:
    person.home.mkdir(parents=True)
    config = person.home / "config.toml"
    config.write_bytes(text.encode("latin-1"))
    env = {"SKILL_HUB": ""}
    told = person.skill("search", "x", status=8, env=env).err
    assert "config.toml" in told
    assert config.read_bytes() == text.encode("latin-1")


def test_a_damaged_database_is_never_read_as_empty(person: Person) -> None:
    person.skill("install", "cut-a-release")
    for extra in ("state.db-wal", "state.db-shm"):
        (person.home / extra).unlink(missing_ok=True)
    database = person.home / "state.db"
    database.write_bytes(b"SQLite format 3\0" + b"garbage" * 1000)
    before = tree_of(person.home)
    for words in (("list",), ("install", "read-pdf"), ("remove", "cut-a-release"), ("audit",)):
        assert "state.db" in person.skill(*words, status=8).err
    assert_same(before, tree_of(person.home))
