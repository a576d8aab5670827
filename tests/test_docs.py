"""The documents say what is true: their commands run, their links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Final

import pytest
from support.cli import run_skill

from skillpm.cli.main import COMMANDS, cli
from skillpm.errors import SkillError

ROOT: Final = Path(__file__).resolve().parent.parent
README: Final = (ROOT / "README.md").read_text("utf-8")
DOCUMENTS: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
OFFLINE: Final = {"SKILL_HUB": "off"}


def blocks(text: str) -> list[str]:
    return re.findall(r"```sh\n(.*?)```", text, re.DOTALL)


def commands(text: str) -> list[str]:
    """Every command line of a document that calls the tool."""
    lines = [
        line.partition("  #")[0].strip() for block in blocks(text) for line in block.splitlines()
    ]
    return [line for line in lines if line.startswith("skill ")]


def test_the_readme_opens_with_the_two_commands_that_do_all_the_setup() -> None:
    first, second = blocks(README)[:2]
    assert first.startswith("sh .ci/setup tool && ~/.local/bin/skill install cut-a-release")
    assert second == "sh .ci/setup tests\n"


def test_ci_calls_the_second_command_of_the_readme_then_ruff_and_mypy() -> None:
    steps = (ROOT / ".ci/run").read_text("utf-8")
    assert steps.index("sh .ci/setup tests") < steps.index("ruff check") < steps.index("mypy")


def test_what_the_first_command_shows_is_there_without_a_network(home: Path) -> None:
    run_skill("install", "cut-a-release", home=home, env=OFFLINE).ok()
    assert "# " in run_skill("read", "cut-a-release", home=home, env=OFFLINE).ok().out


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_in_a_document_is_one_that_the_parser_knows(path: Path) -> None:
    for line in commands(path.read_text("utf-8")):
        words = shlex.split(line)[1:]
        assert words[0] in COMMANDS, line
        command = cli.get_command(cli.make_context("skill", [], resilient_parsing=True), words[0])
        assert command is not None
        try:
            command.make_context(words[0], words[1:])
        except SkillError as error:
            pytest.fail(f"{line}: {error}")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_inside_the_project_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


def test_every_command_is_in_the_readme_or_the_guide() -> None:
    text = (
        README
        + (ROOT / "docs/guide.md").read_text("utf-8")
        + (ROOT / "CONTRIBUTING.md").read_text()
    )
    shown = {line.split()[1] for line in commands(text)} | set(re.findall(r"`skill (\w+)", text))
    assert set(COMMANDS) <= shown


@pytest.mark.parametrize("path", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_no_document_tells_anyone_to_install_somebody_elses_package(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"(pip|pipx|uv tool|uvx|npm) install (skill|skillpm)\b(?!-cli)", text)


def test_the_setup_script_is_plain_posix_shell() -> None:
    subprocess.run(["sh", "-n", str(ROOT / ".ci/setup")], check=True)
