"""What this project advises: conventions whose breach breaks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.formats.document import SUMMARY_FROM_BODY, SUMMARY_FROM_HEADER, Document
from skillpm.model.problem import Problem
from skillpm.model.text import safe
from skillpm.model.tree import Tree

MAX_LINES: Final = 500
MAX_BYTES: Final = 20_000
MAX_REFERENCES: Final = 60
MOST_INCIDENTS: Final = 4

_REFERENCE: Final = re.compile(r"\b(?:references|templates|assets|scripts)/[\w./-]*[\w]")
_UNWANTED: Final = (
    "README.md", "CHANGELOG.md", "install.sh", ".env", ".env.example", ".gitignore",
)  # fmt: skip
_MARKETING: Final = re.compile(
    r"\b(powerful|comprehensive|seamless(?:ly)?|robust|cutting-edge|state-of-the-art|world-class"
    r"|revolutionary)\b",
    re.IGNORECASE,
)
_INCIDENT: Final = re.compile(r"(?:\b(?:PR|issue|pull)[ /]?|(?<![\w&/]))#\d{1,7}\b", re.IGNORECASE)
_FENCE: Final = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_PLAIN_TYPES: Final = (str, dict, list)


def advice(document: Document, tree: Tree) -> Iterator[Problem]:
    """Everything worth improving, in no order."""
    if not document.summary:
        message = "there is neither a description nor a first line"
        yield Problem("error", "no_summary", message, fix="say in a line what it is for")
    yield from _description(document)
    yield from _values(document)
    yield from _body(document, tree)
    yield from _files(tree)
    yield from _dangling(document, {f.path for f in tree.files})


def _advice(rule: str, message: str, at: tuple[int, int] = (0, 0), fix: str = "") -> Problem:
    return Problem("advice", rule, message, *at, fix)


def _description(document: Document) -> Iterator[Problem]:
    value, at = document.header.values.get("description"), document.place_of("description")
    if not isinstance(value, str) or not value.strip():
        return
    if "when" not in value.lower() and "use " not in value.lower():
        message = "the description does not say when to use it"
        yield _advice("no_trigger", message, at, "add 'Use when …'")
    if len(" ".join(value.split())) > SUMMARY_FROM_HEADER:
        message = f"the description is cut after {SUMMARY_FROM_HEADER} characters in lists"
        yield _advice("description_long", message, at, "say what matters first, or shorten it")
    praise = sorted({word.lower() for word in _MARKETING.findall(value)})
    if praise:
        message = f"the description praises itself: {', '.join(praise)}"
        yield _advice("marketing", message, at, "say what it does")


def _values(document: Document) -> Iterator[Problem]:
    """Values of `metadata` are texts: `1.10` would be read as 1.1."""
    metadata = document.header.values.get("metadata")
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if not isinstance(value, _PLAIN_TYPES):
            message = f"metadata.{safe(key, 60)} is read as a number or a word of YAML"
            at = document.place_of("metadata", key)
            yield Problem(
                "advice", "metadata_values", message, *at, "put it in quotes", value is not None
            )


def _body(document: Document, tree: Tree) -> Iterator[Problem]:
    lines = document.body.count("\n")
    if lines > MAX_LINES:
        message = f"the body has {lines} lines, over {MAX_LINES}"
        yield _advice("body_long", message, fix="move details into references/")
    size = len(tree.entry) if tree.get("SKILL.md") else 0
    if size > MAX_BYTES:
        message = f"the document has {size} bytes, over {MAX_BYTES}: an agent reads them all"
        yield _advice("long", message, fix="move details into references/")
    if document.state == "missing":
        first = next((line.strip() for line in document.body.splitlines() if line.strip()), "")
        if len(first) > SUMMARY_FROM_BODY:
            message = f"the first line is cut after {SUMMARY_FROM_BODY} characters in lists"
            yield _advice("first_line_long", message, (1, 1), "begin with a short line")
    prose = _FENCE.sub("", document.body)
    incidents = len(_INCIDENT.findall(prose))
    if incidents >= MOST_INCIDENTS and incidents * 2_000 >= len(prose):
        message = f"the body tells of {incidents} issues and pull requests by their numbers"
        yield _advice("incident_log", message, fix="say the rule that was learned")


def _files(tree: Tree) -> Iterator[Problem]:
    paths = {f.path for f in tree.files}
    for unwanted in sorted(paths & set(_UNWANTED)):
        problem = _advice("forbidden_file", f"{unwanted} has no place in a skill", fix="remove it")
        yield problem
    references = sum(p.startswith("references/") and p.endswith(".md") for p in paths)
    if references > MAX_REFERENCES:
        message = f"there are {references} documents in references/, over {MAX_REFERENCES}"
        yield _advice("references_sprawl", message, fix="bring together what is read together")


def _dangling(document: Document, paths: set[str]) -> Iterator[Problem]:
    known = paths | {path[:end] for path in paths for end, c in enumerate(path) if c == "/"}
    for number, text in enumerate(document.body.splitlines(), document.body_line):
        for match in _REFERENCE.finditer(text):
            wanted = match[0].rstrip("./")
            if wanted not in known:
                known.add(wanted)
                message = f"{wanted} is mentioned and is not in the skill"
                at = number, match.start() + 1
                yield _advice("dangling_reference", message, at, "add the file or mend the path")
