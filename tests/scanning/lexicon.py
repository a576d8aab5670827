"""The concepts of `lexicon.yaml` as expressions.

A term is a concept in a language (`drop.en`), or several that follow each other within a few
words (`outrank.en>authority.en`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Final

from skillpm.scanning.index import EDGE

Concepts = dict[str, dict[str, str]]

ANY: Final = "any"
UNSPACED: Final = frozenset(("zh", "ja", "ko"))
GAP: Final = r"[^.!?;。！？；\x00]{0,40}"
_CLASS: Final = re.compile(r"\[(?:\\.|[^\]\\])+\]")
_PARTS: Final = re.compile(r"\\.|\{[0-9,]+\}|.", re.DOTALL)
# RE2's letters are those of ASCII; its Unicode classes are too large to be repeated often.
_LETTER: Final = (
    r"[^\x00-/:-@\[-^\x60{-\x7f\x{a0}-\x{bf}\x{2000}-\x{206f}\x{3000}-\x{303f}\x{ff01}-\x{ff20}]"
)
_OTHER: Final = _LETTER.replace("^", "", 1).replace("-/", "-,./")


def in_each_language(formula: str, concepts: Concepts) -> Iterator[list[str]]:
    """The terms of a formula, once for each language that has words for all of its concepts.

    Raises:
        KeyError: there is no such concept.
    """
    terms = [[name.strip() for name in term.split(">")] for term in formula.split("&")]
    spoken = [set(concepts[name]) for term in terms for name in term]
    languages = set.union(*spoken) - {ANY} or {ANY}
    for language in sorted(languages):
        if all({language, ANY} & words for words in spoken):
            yield [">".join(f"{name}.{language}" for name in term) for term in terms]


def marks(words: str) -> list[str]:
    """The words of a language as literals of the index."""
    return [f"{EDGE}{word}{EDGE}" for word in words.split(" / ")]


def expression(term: str, concepts: Concepts) -> str:
    """The expression of a term for RE2; its group is without what stands around the words."""
    return _framed(term, concepts, _LETTER, _OTHER)


def for_literals(term: str, concepts: Concepts) -> str:
    """The same for the parser of Python, to see which literals it needs."""
    return _framed(term, concepts, r"\w", r"[^\w-]")


def _framed(term: str, concepts: Concepts, letter: str, other: str) -> str:
    names = [name.rpartition(".") for name in term.split(">")]
    language = names[0][2]
    parts = [_one_of(concepts[name], language, letter) for name, *_ in names]
    if language in UNSPACED:
        return f"({GAP.join(parts)})"
    body = f"{other}{GAP}".join(parts)
    return f"(?:^|{other})({body})(?:{other}|-|$)"


def _one_of(words: dict[str, str], language: str, letter: str) -> str:
    entries = " / ".join(words[tongue] for tongue in (language, ANY) if tongue in words)
    return "(?:" + "|".join(_entry(one, letter) for one in entries.split(" / ")) + ")"


def _entry(entry: str, letter: str) -> str:
    outside = (_plain(part, letter) for part in _CLASS.split(entry.strip()))
    inside = _CLASS.findall(entry)
    return "".join(chain.from_iterable(zip_longest(outside, inside, fillvalue="")))


def _plain(text: str, letter: str) -> str:
    text = text.replace(r"\w+", r"\w{1,16}")
    return "".join(_mapped(part[0], letter) for part in _PARTS.finditer(text.replace(" ?", "\t")))


def _mapped(part: str, letter: str) -> str:
    special = {
        " ": r"\s{1,6}",
        "\t": r"\s{0,6}",
        "*": letter + "*",
        "~": GAP,
        ".": r"\.",
        r"\w": letter,
        "(": "(?:",
    }
    return special.get(part, part)
