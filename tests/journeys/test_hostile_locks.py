"""A lock comes with somebody's repository: whatever it says, nothing is touched, and it is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
from support.files import build, tree_of

from journeys.team import SKILLS, Team, install
from journeys.world import document

Change = Callable[[str], str]


def put(key: str, value: str) -> Change:
    """Another value for a key of the first entry."""

    def change(text: str) -> str:
        lines = text.split("\n")
        (at, *_) = [n for n, line in enumerate(lines) if line.startswith(f"{key} = ")]
        lines[at] = f"{key} = {value}"
        return "\n".join(lines)

    return change


def swap(old: str, new: str) -> Change:
    """Another text in place of one that is there."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(text: str) -> str:
        for one in changes:
            text = one(text)
        return text

    return change


def twice(text: str) -> str:
    """The same entry two times."""
    return text + text[text.index("\n[[skill]]") :]


SHA = "0" * 64

HOSTILE: dict[str, tuple[Change, int, str]] = {
    # no lock of ours
    "a later version": (put("version", "2"), 8, "line 2: it has version 2"),
    "version zero": (put("version", "0"), 8, "line 2"),
    "a version that is text": (put("version", '"1"'), 8, "line 2"),
    "a merge, ours": (swap("\n[[skill]]", "\n<<<<<<< HEAD\n[[skill]]"), 8, "line 4: a merge"),
    "a merge, between": (swap("\n[[skill]]", "\n=======\n[[skill]]"), 8, "line 4: a merge"),
    "a merge, theirs": (swap("\n[[skill]]", "\n>>>>>>> main\n[[skill]]"), 8, "line 4: a merge"),
    "no TOML": (swap("[[skill]]", "[[skill"), 8, "line 4"),
    "a table that is text": (lambda _: 'version = 1\nskill = "x"\n', 8, "skill is not a list"),
    "one entry twice": (twice, 8, "stands twice"),
    "a control character": (put("version", "1\n\x1b[31m"), 8, "TOML"),
    "a key is missing": (swap('path = "', 'pfad = "'), 8, "has no path"),
    # names
    "a name that climbs": (put("name", '"../../evil"'), 8, "line 5"),
    "an absolute name": (put("name", '"/etc/passwd"'), 8, "line 5"),
    "an empty name": (put("name", '""'), 8, "line 5"),
    "a name of a device": (put("name", '"con"'), 8, "line 5"),
    "a name with a slash": (put("name", '"a/b"'), 8, "line 5"),
    "a name in another case": (put("name", '"Tidy-Up"'), 8, "line 5"),
    "a name that steers a terminal": (put("name", '"a\\u001b[31m"'), 8, "line 5"),
    "a name that is a number": (put("name", "7"), 8, "line 5"),
    # digests and files
    "a short digest": (put("digest", f'"git-tree-sha256:{SHA[:40]}"'), 8, "64 hex"),
    "a long digest": (put("digest", f'"git-tree-sha256:{SHA}00"'), 8, "64 hex"),
    "another kind of digest": (put("digest", f'"sha256:{SHA}"'), 8, "not a digest"),
    "a digest in capitals": (put("digest", f'"git-tree-sha256:{"A" * 64}"'), 8, "64 hex"),
    "a digest of other files": (put("digest", f'"git-tree-sha256:{SHA}"'), 6, "line 4: tidy-up"),
    "a tree id of other files": (put("git_tree", f'"{SHA[:40]}"'), 6, "not those of its digest"),
    "a file that climbs": (swap('path = "SKILL.md"', 'path = "../x"'), 8, "files"),
    "an absolute file": (swap('path = "SKILL.md"', 'path = "/x"'), 8, "files"),
    "a file of git's": (swap('path = "SKILL.md"', 'path = ".git/config"'), 8, "files"),
    "a file with a backslash": (swap('path = "SKILL.md"', 'path = "a\\\\b"'), 8, "files"),
    "a file listed twice": (
        swap('path = "scripts/run.sh"', 'path = "skill.MD"'), 8, "same on some disks"
    ),
    "a file that is a link": (swap('mode = "100644"', 'mode = "120000"'), 8, "mode"),
    "a file of minus one byte": (swap("size = ", "size = -"), 8, "size"),
    "a huge file": (swap("size = ", "size = 99999999999"), 8, "size"),
    "a file that is not in it": (
        swap('path = "scripts/run.sh"', 'path = "scripts/two.sh"'), 6, "not those of its digest"
    ),
    "no files": (lambda t: t[: t.index("files = [")] + "files = []\n", 8, "list of 1 to"),
    # where it comes from
    "a password in the address": (
        put("source", '"https://me:secret@git.example.com/x.git"'), 8, "user name or password"
    ),
    "a token in the address": (put("source", '"https://tok@git.example.com/x.git"'), 8, "line 8"),
    "an option for git": (put("source", '"--upload-pack=x"'), 8, "line 8"),
    "a helper of git": (put("source", '"ext::sh -c x"'), 8, "line 8"),
    "a path inside that climbs": (put("path", '"../../x"'), 8, "line 9"),
    "a folder above the project": (put("source", '"../outside"'), 8, "line 8"),
    "a folder below the home": (put("source", '"~/.ssh"'), 8, "line 8"),
    "loopback": (put("source", '"https://127.0.0.1/x.git"'), 5, "line 4: tidy-up"),
    "loopback as a number": (put("source", '"https://2130706433/x.git"'), 5, "line 4: tidy-up"),
    "loopback by name": (put("source", '"https://localhost/x.git"'), 5, "line 4: tidy-up"),
    "a private address": (put("source", '"https://10.0.0.7:8443/x.git"'), 5, "your own network"),
    "the cloud's metadata": (put("source", '"https://169.254.169.254/x.md"'), 5, "your own"),
    "a private address of IPv6": (put("source", '"https://[fd00::1]/x.git"'), 5, "your own"),
    "a host that is reached by ssh": (
        put("source", '"ssh://git@git.example.com/x"'), 5, "names git.example.com"
    ),
    "the same, in short": (put("source", '"git@10.0.0.7:x/y"'), 5, "names 10.0.0.7"),
    "in the clear": (put("source", '"http://git.example.com/x.git"'), 5, "not encrypted"),
    "git in the clear": (put("source", '"git://git.example.com/x.git"'), 5, "not encrypted"),
    "a commit that is an option": (
        swap('"commit", value = "', '"commit", value = "--x'), 8, "is not a commit"
    ),
    "a branch that is an option": (swap('ref = "refs/heads', 'ref = "--refs/heads'), 8, "branch"),
    "a commit that is not there": (
        put("revision", f'{{ kind = "commit", value = "{SHA[:40]}", ref = "" }}'),
        6, "line 4: tidy-up",
    ),
    # claims
    "it is said to be official": (put("origin", '"official"'), 5, "line 4: tidy-up: it is said"),
    "it is said to be builtin": (put("origin", '"builtin"'), 5, "line 4: tidy-up: it is said"),
    "it is said to be local": (put("origin", '"local"'), 5, "line 4: tidy-up: it is said"),
    "it is said to ship with skill": (put("registry", '"bundled"'), 5, "registry bundled"),
    "a hub that nobody uses": (put("registry", '"hub:evil.example"'), 5, "none of yours"),
    "a hub's skill of a hub that nobody uses": (
        both(put("source", '"evil:@jane/tidy-up"'), put("registry", '"hub:evil.example"')),
        5, "not a hub that you use",
    ),
    "a builtin with other files": (
        both(put("source", '"bundled:cut-a-release"'), put("registry", '"bundled"')),
        6, "line 4: tidy-up",
    ),
    "a builtin that is none": (
        both(put("source", '"bundled:tidy-up"'), put("registry", '"bundled"')), 6, "no such skill"
    ),
    "no origin at all": (put("origin", '"root"'), 8, "no origin"),
    "words of a registry": (put("registry", '"tap:"'), 8, "registry"),
}  # fmt: skip


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_lock_is_refused_and_changes_nothing(fault: str, team: Team) -> None:
    change, status, told = HOSTILE[fault]
    install(team.ann, "tidy-up")
    team.bob.lock.write_text(change(team.ann.lock.read_text()))
    said = team.bob.refused("sync", "--yes", status=status)
    assert told in said
    assert "skills.lock" in said
    assert "secret" not in said


@pytest.mark.parametrize("fault", [name for name, row in HOSTILE.items() if row[1] == 8])
def test_what_is_no_lock_stops_every_command_of_the_project(fault: str, team: Team) -> None:
    install(team.ann, "tidy-up")
    team.ann.lock.write_text(HOSTILE[fault][0](team.ann.lock.read_text()))
    for words in (("list", "--project"), ("remove", "tidy-up", "--project")):
        team.ann.refused(*words, status=8)


@pytest.mark.parametrize("words", [("update", "--all", "--yes"), ("outdated",)], ids=" ".join)
@pytest.mark.parametrize(
    "source", ["https://127.0.0.1/x.git", "http://git.example.com/x.git", "https://[::1]/x.md"]
)
def test_a_lock_sends_no_update_into_the_users_network(
    source: str, words: tuple[str, ...], team: Team
) -> None:
    install(team.ann, "tidy-up")
    team.ann.lock.write_text(put("source", f'"{source}"')(team.ann.lock.read_text()))
    team.world.git.forget()
    assert "line 4" in team.ann.refused(*words, "--project", status=5)
    assert team.world.git.requests == []


def test_a_host_that_the_users_own_settings_name_is_explained(team: Team) -> None:
    team.world.web.serve("/tidy-up.md", document("tidy-up"))
    source = f"{team.world.web.url}/tidy-up.md"
    team.ann.skill("install", "tidy-up", "--source", source, "--yes", "--project")
    team.ann.hands_lock_to(team.bob)
    team.bob.refused("sync", "--yes", status=5)
    config = team.bob.person.home / "config.toml"
    config.write_text(f'{config.read_text()}[tokens]\n"{team.world.web.url}" = "CORP_TOKEN"\n')
    team.bob.skill("sync", "--yes")
    assert team.bob.skills == team.ann.skills


def test_files_that_are_not_what_the_lock_says_are_never_shown_as_trusted(team: Team) -> None:
    team.ann.skill("install", "cut-a-release", "--project")
    text = put("name", '"mine"')(team.ann.lock.read_text())
    build(team.bob.project / SKILLS / "mine", {"SKILL.md": document("mine", "Obey.")})
    team.bob.lock.write_text(text)
    (found,) = [s for s in team.bob.json("list", "--project")["skills"] if s["name"] == "mine"]
    assert (found["state"], found["origin"]) == ("edited", "community")


def test_a_skill_that_comes_with_the_repository_is_never_official(team: Team) -> None:
    install(team.ann, "tidy-up")
    shutil.copytree(team.ann.project / ".agents", team.bob.project / ".agents")
    text = put("origin", '"official"')(team.ann.lock.read_text())
    team.bob.lock.write_text(put("registry", '"bundled"')(text))
    (found,) = [s for s in team.bob.json("list", "--project")["skills"] if s["name"] == "tidy-up"]
    assert (found["state"], found["origin"]) == ("ok", "community")
    before = tree_of(team.bob.project)
    team.bob.refused("sync", "--frozen", status=5)
    assert tree_of(team.bob.project) == before
