"""What a skill is and where it would come from; fetches and looks, installs nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from skillpm.errors import NotFoundError
from skillpm.formats.document import read_document
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.tree import Tree
from skillpm.operations import describing
from skillpm.operations.candidate import Candidate, Request
from skillpm.operations.install import examine
from skillpm.operations.judging import terms
from skillpm.operations.requiring import missing, needs_of, usable_names
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, State


def info(workspace: Workspace, request: Request) -> Outcome:
    """Resolve, fetch and scan a skill and show all that is known of it.

    A name that no registry knows and that stands in the library is shown from there.

    Raises:
        SkillError: the words lead nowhere, or to something that is no skill.
    """
    notes = Notes()
    entry = _installed(workspace, request)
    try:
        asked = replace(request, follow=True)
        candidate = examine(workspace, asked, notes, terms(workspace))
    except NotFoundError:
        if entry is None or entry.state is State.MISSING:
            raise
        return _from_library(workspace, entry, notes)
    data = {
        **describing.listing_data(candidate.listing),
        "name": candidate.name,
        "description": _summary(candidate),
        "revision": str(candidate.fetched.revision),
        "mutable_source": candidate.fetched.revision.is_mutable,
        "path": candidate.fetched.path,
        "digest": candidate.tree.digest,
        "reviewed": _reviewed(workspace, candidate.tree),
        "files": [_file(f.path, len(f.data), f.executable) for f in candidate.tree.files],
        "scan": candidate.judgement.as_json(),
        **_needs(workspace, candidate.tree),
        "validation": [p.as_json() for p in candidate.problems],
        "installed": describing.record_data(entry.record) if entry and entry.record else None,
    }
    _tell_needs(data, notes)
    for problem in candidate.problems:
        notes.warn(f"{problem.severity}: {problem.where}: {problem.message} [{problem.rule}]")
    return Outcome(data, tuple(notes.messages), _tables(data, entry, candidate))


def _reviewed(workspace: Workspace, tree: Tree) -> str:
    """Who reviewed these very files, and when; "" for nobody."""
    found = workspace.store.reviews.of(tree.digest)
    return f"by {found.by} on {found.at[:10]}" if found else ""


def _needs(workspace: Workspace, tree: Tree) -> dict[str, Any]:
    """What it says that it needs, and what of that is not here."""
    wanted = needs_of(tree)
    lacking = missing(workspace.host, wanted, usable_names(workspace))
    return {"requirements": wanted.as_json(), "missing": lacking.as_json(), "needs": str(lacking)}


def _tell_needs(data: dict[str, Any], notes: Notes) -> None:
    for skill in data["requirements"]["skills"]:
        notes.note(f"needs the skill {skill}, which install brings")
    if data["needs"]:
        notes.warn(f"{data['name']} needs {data['needs']}, which is not here")


def _installed(workspace: Workspace, request: Request) -> Entry | None:
    if request.source or not is_skill_name(request.words):
        return None
    return workspace.store.library.entry(SkillName(request.words))


def _summary(candidate: Candidate) -> str:
    return candidate.listing.description or read_document(candidate.tree.entry).summary


def _file(path: str, size: int, executable: bool) -> dict[str, Any]:
    return {"path": path, "size": size, "executable": executable}


def _tables(data: dict[str, Any], entry: Entry | None, candidate: Candidate) -> tuple[Table, ...]:
    installed = f"{entry.state.value} in {entry.place}" if entry else "no"
    facts = (
        ("name", data["name"]),
        ("description", data["description"]),
        ("version", data["version"] or "-"),
        ("registry", data["registry"]),
        ("source", data["source"]),
        ("path", data["path"] or "(root)"),
        ("revision", describing.revision_text(candidate.fetched.revision)),
        ("digest", data["digest"]),
        ("reviewed", data["reviewed"] or "no"),
        ("trust", data["trust"]),
        ("missing", data["needs"] or "nothing"),
        ("scan", data["scan"]["verdict"]),
        ("installed", installed),
    )
    files = tuple(
        (f["path"], str(f["size"]), "executable" if f["executable"] else "") for f in data["files"]
    )
    tables = [Table(("", ""), facts), Table(("file", "bytes", "mode"), files)]
    if candidate.judgement.verdict.rank:
        tables.append(describing.findings_table(candidate.judgement.open))
    return tuple(tables)


def _from_library(workspace: Workspace, entry: Entry, notes: Notes) -> Outcome:
    tree = workspace.store.library.read(entry.place)
    document = read_document(tree.entry)
    record = entry.record
    data: dict[str, Any] = {
        "name": entry.name,
        "description": document.summary,
        "version": record.version if record else document.version,
        "registry": str(record.registry) if record else "none",
        "source": record.source if record else str(entry.place),
        "path": record.path if record else "",
        "revision": str(record.revision) if record else "",
        "digest": tree.digest,
        "reviewed": _reviewed(workspace, tree),
        "trust": record.origin.value if record else "local",
        "files": [_file(f.path, len(f.data), f.executable) for f in tree.files],
        "installed": describing.record_data(record) if record else None,
        "mutable_source": bool(record and record.revision.is_mutable),
        **_needs(workspace, tree),
    }
    _tell_needs(data, notes)
    shown = data | {"revision": describing.revision_text(record.revision if record else None)}
    rows = tuple((key, str(shown[key])) for key in list(data)[:10])
    rows += (
        ("missing", data["needs"] or "nothing"),
        ("state", f"{entry.state.value} in {entry.place}"),
    )
    return Outcome(data, tuple(notes.messages), (Table(("", ""), rows),))
