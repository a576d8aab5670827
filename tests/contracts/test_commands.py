"""Every command keeps the same promises: help, documented options, JSON, known statuses."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import click
import pytest
from journeys.world import Person, World, document
from support.cli import STATUSES, run_skill, user_home
from support.files import build
from support.terminal import converse, types_back

from skillpm import errors
from skillpm.cli.main import COMMANDS, cli


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand by the words that call it."""
    for name, (module, _) in COMMANDS.items():
        command = getattr(importlib.import_module(f"skillpm.cli.{module}"), f"{name}_command")
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", sub) for inner, sub in command.commands.items())
        yield name, command


TABLE = dict(commands())
WORKING = {name: command for name, command in TABLE.items() if not isinstance(command, click.Group)}

CALLS: dict[str, tuple[str, ...]] = {
    "search": ("release",),
    "info": ("cut-a-release",),
    "install": ("cut-a-release",),
    "update": ("--all",),
    "remove": ("cut-a-release",),
    "pin": ("cut-a-release",),
    "unpin": ("cut-a-release",),
    "sync": ("--yes",),
    "adopt": ("--yes",),
    "history": ("cut-a-release",),
    "diff": ("cut-a-release",),
    "rollback": ("cut-a-release", "--to", "1"),
    "tap add": ("team/reg",),
    "tap remove": ("team",),
    "tap accept": ("team", "a"),
    "tap reset": ("team",),
    "verify": ("cut-a-release",),
    "provenance": ("cut-a-release",),
    "review": ("cut-a-release",),
    "trust add": ("github.com/acme",),
    "trust remove": ("github.com/acme",),
    "hub add": ("https://skills.example/index.json",),
    "hub remove": ("mine",),
    "agents link": ("claude-code",),
    "agents unlink": ("claude-code",),
    "scan": ("cut-a-release",),
    "validate": ("cut-a-release",),
    "read": ("create-watch",),
    "path": ("create-watch",),
    "exec": ("create-watch", "scripts/watch.py", "--", "--help"),
    "new": ("tidy-up",),
    "config get": ("search.seconds",),
    "config set": ("search.seconds", "5"),
    "config unset": ("search.seconds",),
    "completion": ("bash",),
    "pack": ("create-watch", "--output", "a.zip"),
}
FAILURES: dict[str, tuple[tuple[str, ...], int]] = {
    "search": (("--limit", "x"), 2),
    "info": (("not-there",), 3),
    "install": (("not-there",), 3),
    "update": (("not-there",), 3),
    "remove": (("not-there",), 3),
    "pin": (("not-there",), 3),
    "unpin": (("not-there",), 3),
    "sync": ((), 3),
    "adopt": (("not-there",), 3),
    "history": (("not-there",), 3),
    "diff": (("not-there",), 3),
    "rollback": (("not-there",), 3),
    "undo": (("extra",), 2),
    "log": (("Not A Name",), 2),
    "tap add": (("./here",), 2),
    "tap remove": (("nobody",), 3),
    "tap accept": (("nobody", "a"), 3),
    "tap reset": (("nobody",), 3),
    "tap list": (("extra",), 2),
    "verify": (("not-there",), 3),
    "provenance": (("not-there",), 3),
    "review": (("not-there",), 3),
    "trust add": (("nowhere",), 2),
    "trust remove": (("github.com/nobody",), 3),
    "trust list": (("extra",), 2),
    "hub add": (("nobody",), 2),
    "hub remove": (("nobody",), 3),
    "hub list": (("extra",), 2),
    "tap update": (("extra",), 2),
    "scan": (("not-there",), 3),
    "validate": (("not-there",), 3),
    "read": (("not-there",), 3),
    "path": (("not-there",), 3),
    "agents list": (("--unknown",), 2),
    "agents link": (("nobody",), 3),
    "agents unlink": (("nobody",), 3),
    "agents doctor": (("extra",), 2),
    "index": (("extra",), 2),
    "commands": (("extra",), 2),
    "exec": (("not-there", "scripts/x.py"), 3),
    "new": (("Not A Name",), 2),
    "pack": (("not-there",), 3),
    "doctor": (("extra",), 2),
    "config list": (("extra",), 2),
    "config get": (("nope",), 2),
    "config set": (("search.seconds", "soon"), 2),
    "config unset": (("nope",), 2),
    "config path": (("extra",), 2),
    "completion": (("csh",), 2),
    "list": (("--unknown",), 2),
    "outdated": (("--unknown",), 2),
    "audit": (("not-there",), 3),
    "mcp serve": (("--port", "x"), 2),
    "cache info": (("extra",), 2),
    "cache prune": (("--days", "x"), 2),
    "cache clear": (("extra",), 2),
    "registry build": (("/nowhere/at/all",), 3),
    "registry verify": (("/nowhere/at/all",), 3),
}
ENVELOPE = ["schema", "command", "status", "data", "messages", "error"]


@pytest.mark.parametrize("words", TABLE)
def test_every_command_has_help_that_says_what_it_does(words: str, person: Person) -> None:
    shown = person.skill(*words.split(), "--help").out
    assert f"Usage: skill {words}" in shown
    assert TABLE[words].help
    assert person.skill(*words.split(), "-h").out == shown


@pytest.mark.parametrize("words", TABLE)
def test_every_option_is_documented(words: str) -> None:
    options = [p for p in TABLE[words].params if isinstance(p, click.Option)]
    assert all(option.help for option in options)
    assert all(any(o.startswith("--") for o in option.opts) for option in options)


@pytest.mark.parametrize("words", WORKING)
def test_every_command_speaks_json(words: str) -> None:
    assert "as_json" in [parameter.name for parameter in WORKING[words].params]


# Only a person on a terminal can do these; `journeys/test_review.py` has them.
PERSONAL = ("review", "trust add")


@pytest.mark.parametrize(
    "words", [w for w in WORKING if not w.startswith("registry") and w not in PERSONAL]
)
def test_what_works_prints_one_envelope(words: str, world: World) -> None:
    world.web.serve("/a.md", document("a"))
    world.git.repo("team/reg").commit(
        {"tap.json": '{"a": {"source": "https://skills.example/a.md"}}'}
    )
    world.person.home.chmod(0o700)
    if words == "adopt":
        build(user_home(world.person.home), {"skills/a/SKILL.md": document("a")})
    if words == "sync":
        world.person.skill("install", "cut-a-release", "--project")
    if words in (
        "pin", "unpin", "remove", "update", "outdated", "history", "diff", "rollback", "undo",
        "verify", "provenance",
    ):  # fmt: skip
        world.person.skill("install", "cut-a-release")
    world.web.serve("/index.json", '{"a": {"source": "https://skills.example/a.md"}}')
    if words == "hub remove":
        world.person.skill("hub", "add", "https://skills.example/index.json", "--name", "mine")
    if words == "trust remove":
        converse("trust", "add", "github.com/acme", home=world.person.home, answer=types_back)
    if words in ("tap remove", "tap accept", "tap reset"):
        world.person.skill("tap", "add", "team/reg")
    if words == "tap accept":
        moved = {"tap.json": '{"a": {"source": "https://skills.example/b.md"}}'}
        world.git.repo("team/reg").commit(moved)
        world.person.skill("tap", "update")
    done = world.person.skill(*words.split(), "--json", *CALLS.get(words, ()))
    envelope = done.json()
    assert list(envelope) == ENVELOPE
    assert envelope["schema"] == 1
    assert envelope["command"] == words
    assert envelope["status"] == 0
    assert envelope["error"] is None
    assert envelope["data"]
    for message in envelope["messages"]:
        assert set(message) == {"level", "text"}
        assert message["level"] in ("note", "warning", "error")


@pytest.mark.parametrize("words", FAILURES)
def test_what_fails_prints_the_same_envelope(words: str, person: Person) -> None:
    more, status = FAILURES[words]
    done = person.skill(*words.split(), *more, "--json", status=status)
    envelope = done.json()
    assert list(envelope) == ENVELOPE
    assert envelope["command"] == words
    assert envelope["status"] == status
    assert envelope["data"] == {}
    assert set(envelope["error"]) == {"code", "message", "hint"}
    assert done.err == ""


def test_every_working_command_has_its_failure_in_this_table() -> None:
    assert set(FAILURES) == set(WORKING)


def test_json_is_ascii_and_escapes_what_would_steer_a_terminal(world: World) -> None:
    url = world.web.serve("/a.md", document("a").replace("Use when", "\u202e\x1b[31m Ünder"))
    done = run_skill("info", url, "--json", home=world.person.home, env=world.person.env)
    assert done.out.isascii()
    json.loads(done.out)


def _errors() -> Iterator[type[errors.SkillError]]:
    kinds: list[type[errors.SkillError]] = [errors.SkillError]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind is not errors.SkillError:
            yield kind


STATUS_OF: dict[str, Any] = {
    "usage": 2, "not-found": 3, "ambiguous": 3, "invalid-skill": 4, "refused": 5, "danger": 5,
    "conflict": 5, "integrity": 6, "unreachable": 7, "state": 8, "locked": 8, "partial": 9,
}  # fmt: skip


def test_the_statuses_of_errors_are_those_of_the_table() -> None:
    found = {kind.code: kind.status for kind in _errors()}
    assert found == STATUS_OF
    assert set(found.values()) <= STATUSES


def test_every_status_is_told_in_the_help() -> None:
    told = " ".join((cli.help or "").split())
    for status in sorted(STATUSES):
        assert f" {status} " in told


def test_what_is_piped_has_no_escape_codes_and_a_terminal_gets_a_table(person: Person) -> None:
    person.skill("install", "cut-a-release")
    piped = person.skill("list").out
    assert "\x1b" not in piped
    assert all("\t" in line for line in piped.splitlines())
    shown = person.skill("list", tty=True).out
    assert "\x1b[" in shown
    assert "name" in shown.splitlines()[0]
    assert "\t" not in shown
    for words in (("search", "release"), ("info", "cut-a-release"), ("audit",), ("outdated",)):
        assert "\x1b[" in person.skill(*words, tty=True).out
        assert "\x1b" not in person.skill(*words).out


def test_a_reader_that_leaves_early_is_no_error(person: Person) -> None:
    import subprocess
    import sys

    from support.cli import environment

    line = f"{sys.executable} -m skillpm search --limit 500 | head -c 1; echo ${{PIPESTATUS[0]}}"
    env = environment(person.home, person.env)
    done = subprocess.run(["bash", "-c", line], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("0\n")
    assert "Traceback" not in done.stderr
