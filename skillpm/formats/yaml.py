"""YAML as untrusted input: small, flat, without the features that make it dangerous."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 16

_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT: Final = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
_MOST_FAULTS: Final = 20

Path = tuple[str | int, ...]
"""Where something stands in a document: the keys and positions that lead to it."""


class YamlError(ValueError):
    """The text is not YAML that we read; `line` and `column` are 1-based, 0 when unknown.

    Attributes:
        more: what else is wrong with the same text, in the order of its lines.
    """

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{message} (line {line})" if line else message)
        self.reason = message
        self.line = line
        self.column = column
        self.more: tuple[YamlError, ...] = ()


class Spot(NamedTuple):
    """Where a key and its value stand, 1-based; an item of a list has no key but itself.

    Attributes:
        line: of the key; `column` likewise.
        at: line and column of the value.
        end: line and column after the value.
        style: `plain`, `quoted`, `block` (a scalar after `|` or `>`), `flow` (`[…]`, `{…}`) or
            `nested`.
    """

    line: int
    column: int
    at: tuple[int, int]
    end: tuple[int, int]
    style: str


@dataclass(frozen=True, slots=True)
class Mapping:
    """A YAML mapping with its values, and its scalars as they were written.

    `values` follows YAML 1.2's core schema (`no` is a string, `true` a boolean); `raw` has the
    text of each top-level scalar, so that `version: 1.10` is not read as 1.1. `spots` tells where
    everything stands, inner keys and items included.
    """

    values: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    spots: dict[Path, Spot] = field(default_factory=dict)

    @property
    def lines(self) -> dict[str, int]:
        """The line of each top-level key."""
        return {str(path[0]): spot.line for path, spot in self.spots.items() if len(path) == 1}


def load_mapping(text: str, *, limit: int = MAX_BYTES) -> Mapping:
    """Read a mapping.

    Anchors, aliases, tags, duplicate keys, keys that are not strings, nesting deeper than
    `MAX_DEPTH`, several documents and texts over `limit` bytes are errors.

    Raises:
        YamlError: with line and column where they can be told, and with what else is wrong.
    """
    if len(text.encode(errors="surrogatepass")) > limit:
        raise YamlError(f"it is longer than {limit // 1024} kB")
    import yaml

    _refuse_deep(text)
    try:
        _raise_all(list(_unread(yaml, text)))
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        raise _of_parser(error) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(str(error).splitlines()[0][:120] or "it is not YAML") from None
    if node is None:
        return Mapping()
    if not isinstance(node, yaml.MappingNode):
        mark = node.start_mark
        raise YamlError("it is not a mapping of keys to values", mark.line + 1, mark.column + 1)
    reader = _Reader(yaml)
    values = reader.convert(node, ())
    _raise_all(reader.faults)
    raw = {k.value: v.value for k, v in node.value if isinstance(v, yaml.ScalarNode)}
    return Mapping(values, raw, reader.spots)


def load_rows(text: str) -> list[dict[str, Any]]:
    """A list of mappings out of a file of our own, which ships with the package."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # written in C: six times as fast
    rows: list[dict[str, Any]] = yaml.load(text, loader) or []  # noqa: S506 - either is safe
    return rows


def scalar(text: str) -> Any:
    """What a plain scalar means in YAML 1.2's core schema."""
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


def _raise_all(faults: list[YamlError]) -> None:
    if faults:
        faults[0].more = tuple(faults[1:_MOST_FAULTS])
        raise faults[0]


def _of_parser(error: Any) -> YamlError:
    mark = error.problem_mark or error.context_mark
    reason = ", ".join(filter(None, (error.context, error.problem))) or "it is not YAML"
    return YamlError(reason, mark.line + 1, mark.column + 1) if mark else YamlError(reason)


def _unread(yaml: Any, text: str) -> Iterator[YamlError]:
    """The features that are not read."""
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        at = event.start_mark.line + 1, event.start_mark.column + 1
        if getattr(event, "anchor", None):
            yield YamlError("anchors and aliases are not read", *at)
        if getattr(event, "tag", None):
            yield YamlError("tags are not read", *at)


class _Reader:
    """Makes values of a tree of nodes, notes where each stands, and gathers what is wrong."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self.spots: dict[Path, Spot] = {}
        self.faults: list[YamlError] = []

    def convert(self, node: Any, path: Path) -> Any:
        """The value of a node."""
        if len(path) > MAX_DEPTH:
            self._fault("it is nested too deeply", node)
            return None
        if isinstance(node, self._yaml.ScalarNode):
            return node.value if node.style else scalar(node.value)
        if isinstance(node, self._yaml.SequenceNode):
            return [self._item(item, (*path, at)) for at, item in enumerate(node.value)]
        result: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self._yaml.ScalarNode):
                self._fault("a key is not plain text", key)
            elif key.value == "<<" and not key.style:
                self._fault("merge keys are not read", key)
            elif key.value in result:
                self._fault(f"the key {ascii(key.value)[:60]} stands twice", key)
            else:
                inner = (*path, key.value)
                self.spots[inner] = _spot(key, value)
                result[key.value] = self.convert(value, inner)
        return result

    def _item(self, item: Any, path: Path) -> Any:
        self.spots[path] = _spot(item, item)
        return self.convert(item, path)

    def _fault(self, message: str, node: Any) -> None:
        mark = node.start_mark
        self.faults.append(YamlError(message, mark.line + 1, mark.column + 1))


def _spot(key: Any, value: Any) -> Spot:
    start, at, end = key.start_mark, value.start_mark, value.end_mark
    return Spot(
        start.line + 1,
        start.column + 1,
        (at.line + 1, at.column + 1),
        (end.line + 1, end.column + 1),
        _style(value),
    )


def _style(node: Any) -> str:
    if isinstance(node.value, list):
        return "flow" if node.flow_style else "nested"
    return {"'": "quoted", '"': "quoted", "|": "block", ">": "block"}.get(node.style, "plain")


def _refuse_deep(text: str) -> None:
    """Stop before PyYAML recurses: count what could nest, without understanding it."""
    flow = max(text.count("["), text.count("{"))
    dashes = max((len(m) for m in re.findall(r"^[ ]*(?:- ?)+", text, re.MULTILINE)), default=0)
    if flow > 400 or dashes > 2 * MAX_DEPTH + 200:
        raise YamlError("it is nested too deeply")
