"""A new skill passes the check, and each fault is found at its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
import yaml

from .tools import Done, run, script

CHECK: Final = script("skill-creator", "check.py")
NEW: Final = script("skill-creator", "new.py")
GOOD: Final = "---\nname: x\ndescription: Does x. Use when x is wanted.\n---\n\n# X\n\nDo x.\n"


def skill(folder: Path, text: str, name: str = "x") -> Path:
    root = folder / name
    root.mkdir()
    (root / "SKILL.md").write_text(text, encoding="utf-8")
    return root


def errors(root: Path) -> list[str]:
    done = run(CHECK, "--json", root)
    (found,) = json.loads(done.stdout).values()
    told = [f"{item['line']}: {item['text']}" for item in found if item["level"] == "error"]
    assert done.returncode == (1 if told else 0)
    return told


def test_a_good_skill_has_no_errors(tmp_path: Path) -> None:
    assert errors(skill(tmp_path, GOOD)) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: x", "name: y", "2: `name` is y, the folder is x"),
        ("name: x", "name: X", "2: `name`: lower-case"),
        ("name: x", "name: a--b", "2: `name`: lower-case"),
        ("name: x\n", "", "1: `name` is missing"),
        ("name: x", "name: x\nname: x", "3: `name` is given twice"),
        ("name: x", "name: &a x", "2: anchors"),
        ("name: x", "just words", "2: this is not `key: value`"),
        (
            "description: Does x. Use when x is wanted.",
            "description:",
            "3: `description` is missing",
        ),
        ("Does x.", "Does: x.", "3: a plain value can't hold"),
        ("Does x. Use when x is wanted.", "d" * 1025, "3: `description` has 1025"),
        (
            "---\n\n#",
            "metadata:\n  version: 1.10\n---\n\n#",
            "4: `metadata.version` must be a text",
        ),
        ("---\n\n#", "metadata:\n  a: b\n  a: c\n---\n\n#", "6: `metadata.a` is given twice"),
        ("---\n\n#", f"compatibility: {'c' * 501}\n---\n\n#", "4: `compatibility`"),
        ("Do x.", "Run `scripts/run.py`.", "8: scripts/run.py does not exist"),
        ("Do x.", "See [more](references/more.md#part).", "8: references/more.md does not exist"),
        ("Do x.", "See [more](../other/SKILL.md).", "8: ../other/SKILL.md leads out"),
        ("Do x.", "Do\u200b x.", "8: invisible character U+200B"),
        ("# X\n\nDo x.\n", "", "5: the body is empty"),
    ],
)
def test_a_fault_is_found_at_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in GOOD
    found = errors(skill(tmp_path, GOOD.replace(old, new, 1)))
    assert any(item.startswith(told) for item in found), found


@pytest.mark.parametrize(
    "header",
    [
        "description: >\n  Does x.\n  Use when x is wanted.",
        "description: |\n  Does x.\n  Use when x is wanted.",
        'description: "Does x: all of it. Use when x is wanted."',
        "description: 'Does x. Use when it''s wanted.'  # a comment",
        "description: Does x.\n  Use when x is wanted.",
        'description: Use when x is wanted.\nmetadata:\n  version: "1.10"\n  author: Ana',
    ],
)
def test_ordinary_yaml_is_understood(tmp_path: Path, header: str) -> None:
    text = f"---\nname: x\n{header}\n---\n\nDo x.\n"
    assert "Use when" in yaml.safe_load(text.split("---\n")[1])["description"]
    assert errors(skill(tmp_path, text)) == []


@pytest.mark.parametrize(
    "content", [b"", b"# X\n", b"---\nname: x\n", b"\xff\xfe", b"\0" * 2_000_000]
)
def test_a_file_that_is_no_skill_is_an_error_and_no_crash(tmp_path: Path, content: bytes) -> None:
    root = skill(tmp_path, "")
    (root / "SKILL.md").write_bytes(content)
    assert len(errors(root)) >= 1


def test_a_link_in_a_skill_is_an_error(tmp_path: Path) -> None:
    root = skill(tmp_path, GOOD)
    (root / "notes.md").symlink_to("/etc/hostname")
    assert errors(root) == ["0: notes.md is a link; a skill must carry its own files"]


def test_advice_alone_is_status_0(tmp_path: Path) -> None:
    root = skill(tmp_path, GOOD.replace(" Use when x is wanted.", ""))
    (root / "scripts").mkdir()
    (root / "scripts" / "a.py").write_text("#!/usr/bin/env python3\n")
    done = run(CHECK, root)
    assert done.returncode == 0
    assert "says what, not when" in done.stdout
    assert "not executable" in done.stdout


def test_a_fault_quoted_from_a_file_can_not_move_the_cursor(tmp_path: Path) -> None:
    root = skill(tmp_path, GOOD.replace("name: x", "name: x\n\x1b[2J words"))
    assert "\x1b" not in run(CHECK, root).stdout


def make(folder: Path, name: str, description: str = "Does x. Use when x: y.") -> Done:
    return run(NEW, name, "--into", folder, "--scripts", f"--description={description}")


@pytest.mark.parametrize("description", ["Does x. Use when x: y.", '"Q" \\ #1 caf\xe9 {x} for you'])
def test_a_new_skill_passes_the_check_and_yaml_reads_its_description(
    tmp_path: Path, description: str
) -> None:
    done = make(tmp_path, "publish-docs", description)
    assert done.returncode == 0, done.stderr
    entry = tmp_path / "publish-docs" / "SKILL.md"
    assert done.stdout.strip() == str(entry)
    header = yaml.safe_load(entry.read_text(encoding="utf-8").split("---\n")[1])
    assert header["description"] == description
    assert header["metadata"] == {"version": "0.1.0"}
    assert errors(tmp_path / "publish-docs") == []


def test_nothing_that_exists_is_overwritten(tmp_path: Path) -> None:
    root = skill(tmp_path, "mine")
    assert make(tmp_path, "x").returncode == 1
    assert (root / "SKILL.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["X", "a b", "../a", "a--b", "-a", "", "a" * 65])
def test_a_name_the_format_does_not_allow_is_wrong_usage(tmp_path: Path, name: str) -> None:
    assert make(tmp_path, f"{name}").returncode == 2
    assert list(tmp_path.iterdir()) == []
