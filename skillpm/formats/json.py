"""JSON as untrusted input: bounded, no duplicate keys, no numbers or text that break others."""

from __future__ import annotations

import json
from typing import Any, Final

MAX_BYTES: Final = 5 * 1024 * 1024


class JsonError(ValueError):
    """The bytes are not JSON that we read; the message says why in one line."""


def load(data: bytes, *, limit: int = MAX_BYTES) -> Any:
    """Read one JSON value.

    Raises:
        JsonError: too large, not UTF-8, malformed, too deep, a duplicate key, a number that is
            not finite or absurdly long, or half a surrogate pair.
    """
    if len(data) > limit:
        raise JsonError(f"it is larger than {limit // 1024} kB")
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_constant
        )
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeError:
        raise JsonError("it is not UTF-8") from None
    except RecursionError:
        raise JsonError("it is nested too deeply") from None
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} in line {error.lineno}, column {error.colno}") from None
    except ValueError:
        raise JsonError("it holds a number that is too long or too large") from None
    return value


def dump(value: Any) -> str:
    """Pretty JSON with a newline at the end, keys in the order given."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def field(entry: dict[str, Any], key: str, limit: int = 2_048) -> str:
    """A text field, trimmed to one line and `limit` characters; "" when absent or not text."""
    value = entry.get(key)
    return " ".join(value.split())[:limit] if isinstance(value, str) else ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise JsonError("a key stands twice in one object")
    return result


def _constant(text: str) -> Any:
    raise JsonError(f"{text} is not a JSON number")
