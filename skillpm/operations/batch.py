"""Installing several skills in one command: each for itself, fetched together."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from skillpm.errors import PartialError, SkillError
from skillpm.formats.address import parse_request, parse_source
from skillpm.model.address import Git
from skillpm.model.name import skill_name
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.policy import Policy
from skillpm.operations.candidate import Request
from skillpm.operations.deciding import Permissions
from skillpm.operations.dependencies import install_needed
from skillpm.operations.install import Consent
from skillpm.operations.workspace import Workspace
from skillpm.sources import repo
from skillpm.sources.fetched import Want


def install_many(
    workspace: Workspace,
    requests: Sequence[Request],
    permissions: Permissions,
    consent: Consent,
) -> Outcome:
    """Install each of several skills; one that fails does not stop the others.

    The outcome's status is 9 when some failed.

    Raises:
        UsageError: one of the words can be no skill; then nothing was touched.
        StateError: our own state is damaged.
    """
    for request in requests:
        if request.source and not request.words.startswith("@"):
            skill_name(request.words)
        else:
            parse_request(request.words)
    _bring_together(workspace, requests)
    data: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    messages: list[Message] = []
    partly = 0
    for number, request in enumerate(requests, 1):
        workspace.progress(f"{number} of {len(requests)}: {request.words}", 0, 0)
        try:
            outcome = install_needed(workspace, request, permissions, consent)
        except SkillError as error:
            hint = f" ({error.hint})" if error.hint else ""
            messages.append(Message(f"{request.words}: {error.message}{hint}", "error"))
            rows.append((request.words, "failed", error.message))
            fault = {"code": error.code, "message": error.message, "hint": error.hint}
            data.append({"name": request.words, "action": "failed", "error": fault})
            continue
        messages += [m for m in outcome.messages if m.level != "note"]
        partly = partly or outcome.status
        skill = outcome.data["skill"]
        rows.append((skill["name"], outcome.data["action"], str(outcome.data["place"])))
        data.append({"name": skill["name"], "error": None, **outcome.data})
    failed = any(row[1] == "failed" for row in rows)
    table = Table(("name", "result", "detail"), tuple(rows))
    status = PartialError.status if failed else partly
    return Outcome({"skills": data}, tuple(messages), (table,), status=status)


def _bring_together(workspace: Workspace, requests: Sequence[Request]) -> None:
    """Fetch the files of all skills of one repository in one request."""
    sources = {request.source for request in requests}
    for text in sources - {""}:
        source = parse_source(text)
        if isinstance(source, Git) and not source.pick:
            names = [request.words for request in requests if request.source == text]
            want = Want(source, "", Policy(typed=True))
            with contextlib.suppress(SkillError):  # each install meets it again and tells it
                repo.prefetch(workspace.git, source, want, names)
