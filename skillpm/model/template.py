"""A template, parsed: text and `{{ expressions }}`, the grammar that workflow skills may use."""

from __future__ import annotations

from dataclasses import dataclass

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Path:
    """A variable: names and list positions, `cart.items.0.name`."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written out."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Call:
    """A function: `generate_discount(10, 'percent')`."""

    name: str
    arguments: tuple[Path | Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter of a chain, with what follows its colon."""

    name: str
    arguments: tuple[Path | Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class Expression:
    """What stands between `{{` and `}}`.

    Attributes:
        written: as its author wrote it, without the braces.
    """

    source: Path | Literal | Call
    filters: tuple[Filter, ...] = ()
    written: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """A text with expressions in it; a single expression and nothing else keeps its type."""

    parts: tuple[str | Expression, ...]

    @property
    def whole(self) -> Expression | None:
        """The expression that is the whole value; None when there is text around it."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Expression) else None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All of them, in order."""
        return tuple(part for part in self.parts if isinstance(part, Expression))
