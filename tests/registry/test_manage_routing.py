"""Routes are looked up in order and changed only after a yes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from .tools import Done, run, script

ROUTES: Final = script("manage-routing", "routes.py")
DONE, FELL_THROUGH, USAGE, DAMAGED, ONLY_SHOWN = range(5)


def routes(folder: Path, *words: str) -> Done:
    return run(ROUTES, *words, cwd=folder)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two agents and three routes, made by the script itself."""
    for words in (
        ("agent", "writer", "--about", "documentation", "--model", "small"),
        ("agent", "billing", "--about", "money"),
        ("add", "markdown", "--to", "main", "--path", "*.md"),
        ("add", "docs", "--to", "writer", "--path", "docs/**", "--before", "markdown"),
        ("add", "refunds", "--to", "billing", "--words", "refund, money back", "--why", "law"),
    ):
        assert routes(tmp_path, "--yes", *words).returncode == DONE
    return tmp_path


@pytest.mark.parametrize(
    ("words", "told", "status"),
    [
        (["--path", "docs/a/b.md"], "writer (route docs)", DONE),
        (["--path", "./docs/a.txt"], "writer (route docs)", DONE),
        (["--path", "README.md"], "main (route markdown)", DONE),
        (["--path", "src/docs/x.py"], "main (default)", FELL_THROUGH),
        (["--path", "docsy/x.py"], "main (default)", FELL_THROUGH),
        (["--text", "She wants her MONEY  back!"], "billing (route refunds)", DONE),
        (["--text", "a refund, please"], "billing (route refunds)", DONE),
        (["--text", "refunding is hard"], "main (default)", FELL_THROUGH),
        (["--text", "back to money"], "main (default)", FELL_THROUGH),
    ],
)
def test_the_first_route_that_matches_answers(
    table: Path, words: list[str], told: str, status: int
) -> None:
    done = routes(table, "which", *words)
    assert (done.stdout.strip(), done.returncode) == (told, status)


def test_without_a_yes_a_change_is_only_shown(table: Path) -> None:
    before = {path.name: path.read_bytes() for path in table.iterdir()}
    done = routes(table, "remove", "docs")
    assert done.returncode == ONLY_SHOWN
    assert '-name = "docs"' in done.stdout
    assert {path.name: path.read_bytes() for path in table.iterdir()} == before


def test_without_a_file_nothing_is_made_before_the_yes(tmp_path: Path) -> None:
    assert routes(tmp_path, "which", "--text", "x").returncode == FELL_THROUGH
    assert routes(tmp_path, "agent", "writer", "--about", "x").returncode == ONLY_SHOWN
    assert list(tmp_path.iterdir()) == []


def test_the_version_before_the_change_is_kept(table: Path) -> None:
    before = (table / "agents-routes.toml").read_bytes()
    assert routes(table, "--yes", "default", "writer").returncode == DONE
    assert (table / "agents-routes.toml.bak").read_bytes() == before
    assert "else -> writer" in routes(table, "list").stdout


def test_moving_a_route_changes_who_answers(table: Path) -> None:
    assert routes(table, "--yes", "move", "markdown", "--before", "docs").returncode == DONE
    assert "markdown" in routes(table, "which", "--path", "docs/a.md").stdout


def test_the_same_change_twice_changes_nothing(table: Path) -> None:
    assert routes(table, "--yes", "default", "main").returncode == FELL_THROUGH


@pytest.mark.parametrize(
    "words",
    [
        ["add", "x", "--to", "nobody", "--path", "*"],
        ["add", "docs", "--to", "main", "--path", "*"],
        ["add", "x", "--to", "main", "--path", "*", "--words", "a"],
        ["add", "x", "--to", "main"],
        ["add", "x", "--to", "main", "--words", " , "],
        ["add", "X Y", "--to", "main", "--path", "*"],
        ["add", "x", "--to", "main", "--path", "*", "--before", "nothing"],
        ["remove", "nothing"],
        ["move", "docs", "--before", "nothing"],
        ["move", "docs", "--before", "docs"],
        ["default", "nobody"],
        ["which"],
    ],
)
def test_what_does_not_fit_is_wrong_usage_and_changes_nothing(
    table: Path, words: list[str]
) -> None:
    before = (table / "agents-routes.toml").read_bytes()
    done = routes(table, "--yes", *words)
    assert done.returncode == USAGE
    assert "Traceback" not in done.stderr
    assert (table / "agents-routes.toml").read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b"x",
        b'default = "main"',
        b"default = 1",
        b'default = "a"\n[agents.a]\nabout = "x"\nextra = 1',
        b'default = "a"\nagents = []',
        b'default = "a"\n[agents.a]\nabout = "x"\n[[routes]]\nname = "r"\nto = "b"\npath = "*"',
        b'default = "a"\n[agents.a]\nabout = "x"\n[[routes]]\nname = "r"\nto = "a"',
        b"a = " + b"[" * 50_000,
    ],
)
def test_a_file_that_is_damaged_or_contradicts_itself_is_not_used(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "agents-routes.toml"
    file.write_bytes(content)
    for words in (["list"], ["which", "--text", "x"], ["--yes", "agent", "b", "--about", "c"]):
        done = routes(tmp_path, *words)
        assert done.returncode == DAMAGED
        assert "Traceback" not in done.stderr
    assert file.read_bytes() == content


def test_a_link_is_not_replaced(table: Path, tmp_path: Path) -> None:
    file = table / "agents-routes.toml"
    real = table / "real.toml"
    file.rename(real)
    file.symlink_to(real)
    assert routes(table, "--yes", "default", "writer").returncode == DAMAGED
    assert file.is_symlink()


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    about=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
)
def test_any_text_survives_writing_and_reading(tmp_path: Path, about: str) -> None:
    file = tmp_path / "agents-routes.toml"
    file.unlink(missing_ok=True)
    done = routes(tmp_path, "--yes", "agent", "a", f"--about={about}")
    assert done.returncode == DONE, done.stderr
    assert tomllib.loads(file.read_bytes().decode())["agents"]["a"]["about"] == about
    assert "\x1b" not in routes(tmp_path, "list").stdout
