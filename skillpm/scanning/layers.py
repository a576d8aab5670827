"""Facts of one file: what it is, and every bounded reading of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from skillpm.model.tree import File
from skillpm.scanning import decoders, markdown, unicode
from skillpm.scanning.containers.opening import parts_of
from skillpm.scanning.containers.parts import JOINT, Budget, Note, Part, shown
from skillpm.scanning.facts import TEXT_ORIGIN, FileFacts, Layer, Role, Segment
from skillpm.scanning.identify import Identity, Kind, identify, language_of

MAX_TEXT: Final = 4_000_000
MAX_ALL_TEXT: Final = 10_000_000
MAX_DEPTH: Final = 3
MAX_LAYERS: Final = 200
MAX_DECODED: Final = 1_000_000

_DOCUMENTS: Final = frozenset(("markdown", "text"))
_SHELL: Final = _DOCUMENTS | {"shell", "make", "docker"}
_MARKUP: Final = frozenset(("html",))
DATA_LANGUAGES: Final = frozenset(("json", "yaml", "toml", "csv", "css"))


def facts_of_all(files: Iterable[File]) -> tuple[FileFacts, ...]:
    """The facts of every file and of all that lies in it.

    Together they are bounded too, and what is over is marked as cut.
    """
    left, found = MAX_ALL_TEXT, []
    for file in files:
        for facts in unfolded(file, left):
            left = max(left - (len(facts.layers[0].text) if facts.layers else 0), 0)
            found.append(facts)
    return tuple(found)


def unfolded(file: File, limit: int = MAX_ALL_TEXT) -> Iterator[FileFacts]:
    """The facts of a file, then those of its parts and of theirs; `limit` characters in all."""
    budget, waiting = Budget(), [(facts_of(file, min(limit, MAX_TEXT)), 0)]
    while waiting:
        facts, depth = waiting.pop(0)
        limit -= len(facts.layers[0].text) if facts.layers else 0
        notes: list[Note] = []
        for found in parts_of(facts.file, facts.identity, budget, depth):
            if isinstance(found, Note):
                notes.append(found)
            else:
                inner = _facts_of_part(facts.file.path, found, max(min(limit, MAX_TEXT), 0))
                waiting.append((inner, depth + 1))
        yield replace(facts, notes=tuple(notes), inside=depth) if notes or depth else facts


def _facts_of_part(outer: str, part: Part, limit: int) -> FileFacts:
    path = f"{outer}{JOINT}{shown(part.name)}"
    if not part.origin:
        return facts_of(File(path, part.data, part.executable), limit)
    text = part.data.decode("utf-8", "replace")
    identity = Identity(Kind.TEXT, part.origin, text, language_of(path, text))
    whole = Layer(part.origin, text[:limit], reader(identity.language), anchor=_anchor(part))
    layers, cut = _all_layers(whole, identity.language)
    return FileFacts(File(path, part.data), identity, layers, cut or len(text) > limit)


def _anchor(part: Part) -> int | None:
    return 0 if part.unseen else None


def facts_of(file: File, limit: int = MAX_TEXT) -> FileFacts:
    """Identify and decode, at most `limit` characters; total and bounded for any bytes."""
    identity = identify(file)
    if identity.kind is not Kind.TEXT:
        return FileFacts(file, identity)
    text = identity.text[:limit].replace("\r\n", " \n")
    whole = Layer(TEXT_ORIGIN, text, reader(identity.language))
    layers, cut = _all_layers(whole, identity.language)
    return FileFacts(file, identity, layers, cut or len(identity.text) > limit)


def _all_layers(whole: Layer, language: str) -> tuple[tuple[Layer, ...], bool]:
    """The text, its other spellings, and what is encoded in any of them."""
    readings = [whole, *_respelled(whole, language)]
    budget, seen = MAX_DECODED, {whole.text}
    level = list(readings)
    for _ in range(MAX_DEPTH):
        found: list[Layer] = []
        for layer in level:
            for inner in _decoded(layer, seen):
                budget -= len(inner.text)
                if budget < 0 or len(readings) + len(found) >= MAX_LAYERS:
                    return (*readings, *found), True
                found.append(inner)
        readings += found
        level = found
    return tuple(readings), False


def _respelled(whole: Layer, language: str) -> Iterator[Layer]:
    text, unusual = whole.text, ""
    readings = decoders.respelled(text, commands=language in _SHELL)
    if not text.isascii():
        unusual = unicode.unusual(text)
        if unicode.INVISIBLE.search(unusual):
            readings = chain(decoders.without_invisible(text), readings)
        if unicode.foldable(unusual) and unicode.needs_folding(text):
            yield Layer("look-alike-letters", unicode.fold(text), lambda _: whole.segments)
    for name, joined, offsets in readings:
        yield Layer(name, joined, lambda _: whole.segments, offsets)


def _decoded(layer: Layer, seen: set[str]) -> Iterator[Layer]:
    prefix = "" if layer.origin == TEXT_ORIGIN else layer.origin + ">"
    for decoder in decoders.PIECEWISE:
        for offset, name, text in decoder(layer.text):
            if text not in seen:
                seen.add(text)
                yield Layer(prefix + name, text, reader(""), anchor=layer.origin_of(offset))


def reader(language: str) -> Callable[[str], tuple[Segment, ...]]:
    """What tells the parts of a text in this language apart."""
    if language in _DOCUMENTS:
        return markdown.segments
    if language in _MARKUP:
        return markdown.comments
    role = Role.DATA if language in DATA_LANGUAGES else Role.SCRIPT
    return lambda text: (Segment(0, len(text), role, language),)
