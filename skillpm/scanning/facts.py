"""The facts about a skill that every analyser works on."""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from skillpm.model.tree import File
from skillpm.scanning.behaviour.acts import Act
from skillpm.scanning.containers.parts import Note
from skillpm.scanning.identify import Identity

TEXT_ORIGIN: Final = "text"


class Role(enum.StrEnum):
    """The part that a piece of text plays in its document."""

    FRONT_MATTER = "front-matter"
    HEADING = "heading"
    PROSE = "prose"
    QUOTE = "quote"
    TABLE = "table"
    COMMENT = "comment"
    INLINE = "inline-code"
    CODE = "code-block"
    SCRIPT = "script"
    DATA = "data"


class Segment(NamedTuple):
    """A stretch of text with one role.

    Attributes:
        start: offset of the first character.
        end: offset after the last.
        role: the part it plays.
        language: of a code block or script, "" when unknown.
        intro: the line that introduces it (the sentence before a list or a code block).
        heading: the headings above it but the title, outermost first, joined by " / ".
    """

    start: int
    end: int
    role: Role
    language: str = ""
    intro: str = ""
    heading: str = ""


@dataclass(frozen=True)
class Layer:
    """One reading of a file: its own text, or what came out of decoding a part of it.

    Attributes:
        origin: `text`, or the chain of decoders, such as `base64>hex`.
        text: what it says.
        read: tells the parts of the text apart; where there are `offsets`, those of the file's.
        offsets: for each character its offset in the file's text, when that is not the same.
        anchor: where in the file's text the whole layer came from, when it was decoded.
    """

    origin: str
    text: str
    read: Callable[[str], tuple[Segment, ...]]
    offsets: Sequence[int] | None = None
    anchor: int | None = None

    @property
    def decoded(self) -> bool:
        """Whether a reader of the file could not have seen this text as it is."""
        return self.anchor is not None

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The parts, in order, without gaps or overlaps; told apart when first asked for."""
        return self.read(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        return [segment.start for segment in self.segments]

    def segment_at(self, position: int) -> Segment:
        """The segment in which `position` lies."""
        if self.offsets:
            position = self.origin_of(position)
        return self.segments[max(bisect_right(self._starts, position) - 1, 0)]

    def origin_of(self, position: int) -> int:
        """The offset in the file's own text that `position` of this layer came from."""
        if self.anchor is not None:
            return self.anchor
        if self.offsets is None:
            return position
        return self.offsets[min(position, len(self.offsets) - 1)] if self.offsets else 0


@dataclass(frozen=True)
class FileFacts:
    """One file, identified and decoded.

    Attributes:
        file: the file of the tree.
        identity: what its content is.
        layers: the text itself first; empty for what is not text.
        cut: whether the text was too long or too nested to be decoded completely.
        notes: what is to be said about it as a container of other files.
        inside: how many containers it lies in; 0 for a file of the skill itself.
    """

    file: File
    identity: Identity
    layers: tuple[Layer, ...] = ()
    cut: bool = False
    notes: tuple[Note, ...] = ()
    inside: int = 0

    @cached_property
    def _line_starts(self) -> list[int]:
        text = self.layers[0].text if self.layers else ""
        starts, at = [0], text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = text.find("\n", at + 1)
        return starts

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """1-based place of an offset of the file's own text."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


@dataclass(frozen=True, slots=True)
class Doing:
    """An act and where it stands: its offsets are those of the layer.

    Attributes:
        language: of the code that does it.
        nested: how many interpreters the code was handed through before it does this.
    """

    act: Act
    file: FileFacts
    layer: Layer
    language: str
    nested: int = 0


@dataclass(frozen=True)
class SkillFacts:
    """One skill, for analysers that look across files.

    A file that lies in another one follows it, with a path such as `a.zip!/inner/x.sh`; so does
    a text that was read out of one (`logo.png!/metadata`).

    Attributes:
        files: all of them.
        doings: what their code does.
        unread: those with code that could not be followed.
    """

    files: tuple[FileFacts, ...] = ()
    doings: tuple[Doing, ...] = ()
    unread: tuple[FileFacts, ...] = ()
