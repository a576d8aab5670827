"""The arguments of tools: what is told of them, and how what comes is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from skillpm.errors import UsageError
from skillpm.model.name import show

Kind = Literal["text", "texts", "number", "flag"]

_SCHEMAS: Final[dict[Kind, dict[str, Any]]] = {
    "text": {"type": "string", "maxLength": 4_000},
    "texts": {"type": "array", "items": {"type": "string", "maxLength": 32_000}, "maxItems": 256},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
}


class Param(NamedTuple):
    """One argument of a tool.

    Attributes:
        text: what a model is told of it; our own words.
        required: whether it must be given.
    """

    name: str
    text: str
    kind: Kind = "text"
    required: bool = False


def schema(params: Sequence[Param]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {one.name: {**_SCHEMAS[one.kind], "description": one.text} for one in params},
        "required": [one.name for one in params if one.required],
        "additionalProperties": False,
    }


def checked(params: Sequence[Param], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, each of its kind; what was not given is left out.

    Raises:
        UsageError: something unknown or of another kind was given, or something is missing.
    """
    known = {one.name: one for one in params}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"there is no argument {show(name)}")
        if not _fits(known[name].kind, value):
            raise UsageError(f"{name} must be {known[name].kind}")
    for one in params:
        if one.required and given.get(one.name) in (None, "", []):
            raise UsageError(f"{one.name} is missing")
    return {name: value for name, value in given.items() if value is not None}


def _fits(kind: Kind, value: Any) -> bool:
    match kind:
        case "text":
            return value is None or (isinstance(value, str) and len(value) <= 4_000)
        case "texts":
            return value is None or (
                isinstance(value, list)
                and len(value) <= 256
                and all(isinstance(one, str) and "\0" not in one for one in value)
            )
        case "flag":
            return value is None or isinstance(value, bool)
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
