"""Asking and fetching ahead of many updates: each repository once, side by side.

Nothing here decides: what fails fails again, and is told, where the skill itself is looked at.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Final

from skillpm.edges.git import Commit
from skillpm.errors import SkillError
from skillpm.formats.address import parse_source
from skillpm.model.node import Node
from skillpm.model.provenance import Record
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.fetching import newest
from skillpm.operations.upstream import differs, remote_of
from skillpm.operations.workspace import Workspace
from skillpm.sources.fetched import Want

SIDE_BY_SIDE: Final = 8


def ask_ahead(workspace: Workspace, records: Sequence[Record], taps: Sequence[TapAnswer]) -> None:
    """Ask the repositories that records come from for their refs: each once, some side by side.

    `standing` then finds the answers, and the failures, with the git port.
    """
    found = (remote_of(workspace, record, taps) for record in records if not record.pinned)
    waiting = {remote.url: remote for remote in found if remote}
    if len(waiting) < 2:
        return
    git = workspace.git

    def work() -> None:
        while waiting:
            with contextlib.suppress(SkillError, KeyError, OSError):
                git.refs(waiting.popitem()[1])

    threads = [
        threading.Thread(target=work, daemon=True) for _ in range(min(SIDE_BY_SIDE, len(waiting)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fetch_ahead(workspace: Workspace, records: Sequence[Record], taps: Sequence[TapAnswer]) -> None:
    """Bring the files of every skill whose repository moved: one request for each commit.

    What fails here fails again, and is told, where the skill itself is fetched.
    """
    wanted: dict[tuple[str, str], tuple[Commit, list[Node]]] = {}
    for record in records:
        remote = remote_of(workspace, record, taps)
        if remote is None or record.pinned or not record.path:
            continue
        with contextlib.suppress(SkillError):
            source = parse_source(record.source)
            want = Want(source, record.name, remote.policy, record.path, record.revision.ref)
            found = newest(workspace, want)
            if found.value == record.revision.value or not differs(workspace, record, want, found):
                continue
            commit = workspace.git.open(remote, found.value)
            inside = (record.path, f"{record.path}/")
            wanted.setdefault((remote.url, found.value), (commit, []))[1].extend(
                node
                for node in commit.nodes
                if node.kind == "file"
                and (node.path == inside[0] or node.path.startswith(inside[1]))
            )
    for commit, nodes in wanted.values():
        with contextlib.suppress(SkillError):
            workspace.git.bring(commit, nodes)
