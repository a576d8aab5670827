"""Building and verifying a registry folder: `skills/<name>/…` and the `registry.json` over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from skillpm.edges import disk, folders
from skillpm.errors import IntegrityError, InvalidSkillError, NotFoundError
from skillpm.formats import json
from skillpm.formats.document import read_document
from skillpm.formats.spec import validate
from skillpm.model.finding import Verdict
from skillpm.model.name import skill_name
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.tree import Tree
from skillpm.operations.workspace import Workspace
from skillpm.scanning.scanner import scan
from skillpm.sources.shipped import COMPILED, INDEX

BUILTIN_FLAG: Final = "builtin.txt"
_LIMIT: Final = 5 * 1024 * 1024


def build(workspace: Workspace, folder: str) -> Outcome:
    """Write the index of a registry folder.

    Raises:
        InvalidSkillError: a skill does not validate, has no version, or does not scan `safe`.
        NotFoundError: there is no `skills` folder.
    """
    root = workspace.host.expand(folder)
    index = _index(root)
    folders.write_atomic(root / INDEX, json.dump(index).encode())
    names = list(index["skills"])
    return Outcome(
        {"folder": str(root), "skills": index["skills"]},
        (Message(f"wrote {root / INDEX}: {len(names)} skills"),),
        (_table(index),),
    )


def verify(workspace: Workspace, folder: str) -> Outcome:
    """Compare a registry's index with its skills.

    Raises:
        IntegrityError: they differ; the message names the skills.
        InvalidSkillError, NotFoundError: as `build`.
    """
    root = workspace.host.expand(folder)
    index = _index(root)
    written = disk.read_file(root / INDEX, _LIMIT)
    if written is None:
        raise NotFoundError(f"there is no {root / INDEX}", hint=f"skill registry build {folder}")
    if written != json.dump(index).encode():
        raise IntegrityError(
            f"{root / INDEX} is not what its skills make: {_differences(written, index)}",
            hint=f"skill registry build {folder}",
        )
    message = Message(f"{len(index['skills'])} skills, each as the index says")
    return Outcome({"folder": str(root), "skills": index["skills"]}, (message,), (_table(index),))


def _index(root: Path) -> dict[str, Any]:
    skills = root / "skills"
    if disk.entry_kind(skills) != "folder":
        raise NotFoundError(f"there is no folder {skills}")
    with disk.translated(f"read {skills}"):
        names = sorted(place.name for place in skills.iterdir() if not place.name.startswith("."))
    flags = (disk.read_file(root / BUILTIN_FLAG, _LIMIT) or b"").decode().split()
    entries = {name: _entry(skills / name, name, builtin=name in flags) for name in names}
    return {"schema": 1, "skills": entries}


def _entry(place: Path, name: str, *, builtin: bool) -> dict[str, Any]:
    tree = disk.read_tree(place, without=COMPILED)
    _check(tree, skill_name(name))
    document = read_document(tree.entry)
    if not document.version:
        raise InvalidSkillError(f"{name} has no version in its header")
    return {
        "path": f"skills/{name}",
        "version": document.version,
        "description": document.summary,
        "digest": tree.digest,
        "builtin": builtin,
    }


def _check(tree: Tree, name: str) -> None:
    errors = [problem for problem in validate(tree, name) if problem.severity == "error"]
    if errors:
        raise InvalidSkillError(f"{name}: {errors[0].message} [{errors[0].rule}]")
    report = scan(tree)
    if report.verdict is not Verdict.SAFE:
        worst = report.findings[0]
        raise InvalidSkillError(
            f"{name} scans {report.verdict.value}: {worst.path}:{worst.line} {worst.message}"
            f" [{worst.rule}]"
        )


def _differences(written: bytes, index: dict[str, Any]) -> str:
    try:
        old = json.load(written)["skills"]
        names = sorted(name for name in old.keys() | index["skills"] if old.get(name) !=
                       index["skills"].get(name))  # fmt: skip
    except (json.JsonError, KeyError, TypeError, AttributeError):
        return "it is damaged"
    return ", ".join(names) or "it is written differently"


def _table(index: dict[str, Any]) -> Table:
    rows = tuple(
        (name, entry["version"], "builtin" if entry["builtin"] else "", entry["digest"])
        for name, entry in index["skills"].items()
    )
    return Table(("name", "version", "", "digest"), rows)
