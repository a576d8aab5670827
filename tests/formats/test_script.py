"""What runs a script is told by its first line, else by its name, and is one of five programs."""

from __future__ import annotations

import pytest

from skillpm.formats.script import Runner, runner_of


@pytest.mark.parametrize(
    ("path", "data", "runner"),
    [
        ("scripts/a.py", b"print()\n", Runner("python3")),
        ("a.PY", b"", Runner("python3")),
        ("a.mjs", b"", Runner("node")),
        ("a.rb", b"", Runner("ruby")),
        ("a.sh", b"echo", Runner("bash")),
        ("a", b"#!/bin/sh\n", Runner("sh")),
        ("a", b"#! /usr/bin/bash -eu\n", Runner("bash", ("-eu",))),
        ("a", b"#!/usr/bin/env python3\r\n", Runner("python3")),
        ("a", b"#!/usr/bin/env -S node --no-warnings\n", Runner("node", ("--no-warnings",))),
        ("a", b"#!/usr/bin/env nodejs", Runner("node")),
        ("a.py", b"#!/opt/anything/python3.12\n", Runner("python3.12")),
        ("a.py", b"#!./bin/python\n", Runner("python")),
    ],
)
def test_a_script_says_what_runs_it(path: str, data: bytes, runner: Runner) -> None:
    assert runner_of(path, data) == runner


@pytest.mark.parametrize(
    ("path", "data", "why"),
    [
        ("SKILL.md", b"# Hello", "no script"),
        ("a", b"\x7fELF\x02", "no script"),
        ("scripts.py/data", b"", "no script"),
        ("a.py", b"#!/usr/bin/perl\n", "asks for 'perl'"),
        ("a.py", b"#!/usr/bin/env -S uv run --script\n", "asks for 'uv'"),
        ("a.sh", b"#!/bin/sh-evil\n", "asks for 'sh-evil'"),
        ("a.sh", b"#!/usr/bin/env PATH=. sh\n", "asks for 'PATH=.'"),
        ("a.sh", b"#!\n", "names nothing"),
        ("a.sh", b"#!/usr/bin/env\n", "names nothing"),
        ("a.sh", "#!/bin/sh\u202e\n".encode(), "cannot be understood"),
        ("a.sh", b"#!/bin/sh '\n", "cannot be understood"),
    ],
)
def test_everything_else_is_not_run_and_the_reason_is_told(
    path: str, data: bytes, why: str
) -> None:
    found = runner_of(path, data)
    assert found.program == ""
    assert why in found.problem
