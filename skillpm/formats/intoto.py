"""A record of an install as an in-toto Statement v1, and reading the statements of others.

Format: <https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md>, digests:
<https://github.com/in-toto/attestation/blob/main/spec/v1/digest_set.md>. Our digest is a git tree
in the SHA-256 object format, which is what `gitTree` with 64 digits means there.
"""

from __future__ import annotations

import hashlib
import json as stdjson
import re
from collections.abc import Mapping
from typing import Any, Final

from skillpm.errors import IntegrityError
from skillpm.formats import json
from skillpm.model.name import show
from skillpm.model.provenance import Record
from skillpm.model.tree import DIGEST_PREFIX

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://hub.pepe-agent.com/attestations/skill-install/v1"
PAYLOAD: Final = "application/vnd.in-toto+json"

_SECRET: Final = re.compile(r"(?<=://)[^/?#@\s]*@")
_QUERY: Final = re.compile(r"\?[^#\s]*")


def statement(record: Record, program: str) -> dict[str, Any]:
    """What was written down about an install, as a statement about its files.

    Args:
        record: with its file list.
        program: name and version of this program.
    """
    return {
        "_type": STATEMENT,
        "subject": [{"name": record.name, "digest": _digests(record)}],
        "predicateType": PREDICATE,
        "predicate": {
            "requested": without_secrets(record.requested),
            "registry": str(record.registry),
            "origin": record.origin.value,
            "owner": record.owner,
            "version": record.version,
            "resolvedDependencies": [_source(record)],
            "files": [
                {"name": path, "digest": {"sha256": facts[0]}, "annotations": {"mode": facts[2]}}
                for path, facts in sorted(record.files.items())
            ],
            "scan": {
                "verdict": record.verdict,
                "findings": record.findings,
                "forced": list(record.forced),
                "accepted": [one.as_json() for one in record.accepted],
            },
            "installer": {"id": program},
            "metadata": {"installedOn": record.installed_at, "updatedOn": record.updated_at},
        },
    }


def statement_text(value: Mapping[str, Any]) -> str:
    """A statement as JSON in ASCII, which reaches a terminal or a file as it is."""
    return stdjson.dumps(value, indent=2).replace("\x7f", "\\u007f")


def promised_tree(payload: bytes) -> str:
    """The digest of the one tree that somebody's statement is about.

    Raises:
        IntegrityError: it is no statement, or is not about one tree.
    """
    try:
        value = json.load(payload)
    except json.JsonError as error:
        raise IntegrityError(f"the signed statement is not JSON: {error}") from None
    if not isinstance(value, dict) or value.get("_type") != STATEMENT:
        raise IntegrityError("what is signed is no in-toto statement of version 1")
    subjects = value.get("subject")
    if not isinstance(subjects, list) or len(subjects) != 1:
        raise IntegrityError("the signed statement is not about exactly one thing")
    digests = subjects[0].get("digest") if isinstance(subjects[0], dict) else None
    tree = digests.get("gitTree") if isinstance(digests, dict) else None
    if not isinstance(tree, str) or not re.fullmatch("[0-9a-f]{64}", tree):
        raise IntegrityError(
            f"the signed statement names no SHA-256 git tree: {show(str(tree)[:80])}"
        )
    return f"{DIGEST_PREFIX}{tree}"


def without_secrets(address: str) -> str:
    """An address without what may be a secret in it: user, password, and query."""
    return _QUERY.sub("", _SECRET.sub("", address)) if "://" in address else address


def _digests(record: Record) -> dict[str, str]:
    lines = sorted((path.encode(), facts[0]) for path, facts in record.files.items())
    listed = b"".join(f"{sha256}  ".encode() + path + b"\n" for path, sha256 in lines)
    return {
        "gitTree": record.digest.removeprefix(DIGEST_PREFIX),
        "dirHash": hashlib.sha256(listed).hexdigest(),
    }


def _source(record: Record) -> dict[str, Any]:
    """Where the files came from, as a resource descriptor."""
    kind, value = record.revision.kind, record.revision.value
    names = {"commit": "gitCommit", "content": "sha256"}
    notes = {"path": record.path, "ref": record.revision.ref, "gitTreeSha1": record.git_tree}
    if kind == "version":
        notes["version"] = value
    found: dict[str, Any] = {"uri": without_secrets(record.source)}
    if kind in names:
        found["digest"] = {names[kind]: value}
    return found | {"annotations": {key: text for key, text in notes.items() if text}}
