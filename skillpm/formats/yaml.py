"""YAML as untrusted input: small, flat, without the features that make it dangerous."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 16

_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT: Final = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")


class YamlError(ValueError):
    """The text is not YAML that we read; `line` is 1-based, 0 when unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"{message} (line {line})" if line else message)
        self.reason = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Mapping:
    """A YAML mapping with its values, and its scalars as they were written.

    `values` follows YAML 1.2's core schema (`no` is a string, `true` a boolean); `raw` has the
    text of each top-level scalar, so that `version: 1.10` is not read as 1.1.
    """

    values: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


def load_mapping(text: str, *, limit: int = MAX_BYTES) -> Mapping:
    """Read a mapping.

    Anchors, aliases, tags, duplicate keys, keys that are not strings, nesting deeper than
    `MAX_DEPTH`, several documents and texts over `limit` bytes are errors.

    Raises:
        YamlError: with the line where it can be told.
    """
    if len(text.encode(errors="surrogatepass")) > limit:
        raise YamlError(f"it is longer than {limit // 1024} kB")
    import yaml

    _refuse_deep(text)
    try:
        _check_events(yaml, text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ", ".join(filter(None, (error.context, error.problem)))
        raise YamlError(reason or "it is not YAML", mark.line + 1 if mark else 0) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(str(error).splitlines()[0][:120] or "it is not YAML") from None
    if node is None:
        return Mapping()
    if not isinstance(node, yaml.MappingNode):
        raise YamlError("it is not a mapping of keys to values", node.start_mark.line + 1)
    return _top(yaml, node)


def load_rows(text: str) -> list[dict[str, Any]]:
    """A list of mappings out of a file of our own, which ships with the package."""
    import yaml

    rows: list[dict[str, Any]] = yaml.safe_load(text) or []
    return rows


def _top(yaml: Any, node: Any) -> Mapping:
    values = _convert(yaml, node, 0)
    raw, lines = {}, {}
    for key, value in node.value:
        lines[key.value] = key.start_mark.line + 1
        if isinstance(value, yaml.ScalarNode):
            raw[key.value] = value.value
    return Mapping(values, raw, lines)


def _check_events(yaml: Any, text: str) -> None:
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1
        if getattr(event, "anchor", None):
            raise YamlError("anchors and aliases are not read", line)
        if getattr(event, "tag", None):
            raise YamlError("tags are not read", line)


def _convert(yaml: Any, node: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise YamlError("it is nested too deeply", node.start_mark.line + 1)
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else _scalar(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_convert(yaml, item, depth + 1) for item in node.value]
    result: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise YamlError("a key is not plain text", line)
        if key.value in result:
            raise YamlError(f"the key {ascii(key.value)[:60]} stands twice", line)
        result[key.value] = _convert(yaml, value, depth + 1)
    return result


def _scalar(text: str) -> Any:
    match text:
        case "" | "~" | "null" | "Null" | "NULL":
            return None
        case "true" | "True" | "TRUE":
            return True
        case "false" | "False" | "FALSE":
            return False
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _refuse_deep(text: str) -> None:
    """Stop before PyYAML recurses: count what could nest, without understanding it."""
    flow = max(text.count("["), text.count("{"))
    dashes = max((len(m) for m in re.findall(r"^[ ]*(?:- ?)+", text, re.MULTILINE)), default=0)
    if flow > 400 or dashes > 2 * MAX_DEPTH + 200:
        raise YamlError("it is nested too deeply")
