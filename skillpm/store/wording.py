"""Words: those an entry is found by, those a query asks for, and those that were mistyped. Pure.

What an entry is found by is a list of terms. A mark before a word, a character that no word has,
says where it stands: in the name, in the labels (tags, owner, reference), or, bare, anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final
from zlib import crc32

NAME: Final = "§"
START: Final = "°"  # the first letter, or two, of a word of the name
LABEL: Final = "¶"
TAG: Final = "¤"
TRUST: Final = "¬"

MAX_TEXT: Final = 2000  # characters of a description that are searched
KEY_LETTERS: Final = 6  # of a word that its keys are made of

_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> list[str]:
    """The words of a text in their order: letters and digits, without case and accents.

    A Chinese or Japanese character is a word of its own. Nothing else can be in a word: no
    quote, no operator, no mark, no control character.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    apart = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _WORD.findall(plain.casefold())


def as_tag(text: str) -> str:
    """A tag as one term: however its words are joined."""
    return TAG + TAG.join(words_of(text))


def terms(name: str, labels: str, description: str) -> list[str]:
    """What an entry is found by; a description of ASCII is left whole, FTS5 takes it apart."""
    named = words_of(name)
    others = [word for word in dict.fromkeys(words_of(labels)) if word not in named]
    text = description[:MAX_TEXT]
    found = [*named, *others]
    found += [NAME + word for word in named]
    found += [START + word[:1] for word in named]
    found += [START + word[:2] for word in named]
    found += [LABEL + word for word in others]
    found += [text] if text.isascii() else words_of(text)
    return found


def matches(words: Sequence[str]) -> Iterator[str]:
    """MATCH expressions for a query, best first: only quoted words and marks are in them.

    Whole words of the name, starts of them, names with some of the words, names and labels.
    """
    yield _all(map(_named, words))
    yield _all(map(_name_starts, words))
    for count in sorted({len(words) - 1, 1} - {0, len(words)}, reverse=True):
        yield _any(
            _all(_named(word) if word in chosen else _quoted(word) for word in words)
            for chosen in combinations(words, count)
        )
    yield _all(f'("{LABEL}{word}" OR {_name_starts(word)})' for word in words)


def partial_match(words: Sequence[str]) -> str:
    """Every word starts something anywhere, and one of them something in the name."""
    return _all((_any(map(_name_starts, words)), *map(_starts, words)))


def whole_match(words: Sequence[str]) -> str:
    """Every word is somewhere."""
    return _all(map(_quoted, words))


def widest_match(words: Sequence[str]) -> str:
    """Every word starts something somewhere: whatever matches otherwise matches this as well."""
    return _all(map(_starts, words))


def _quoted(word: str) -> str:
    return f'"{word}"'


def _named(word: str) -> str:
    return f'"{NAME}{word}"'


def _name_starts(word: str) -> str:
    return f'"{NAME}{word}"*' if len(word) > 2 else f'"{START}{word}"'


def _starts(word: str) -> str:
    """A word or one that starts with it; of one or two letters that helps in names alone."""
    return f'"{word}"*' if len(word) > 2 else f'("{word}" OR {_name_starts(word)})'


def _all(parts: Iterable[str]) -> str:
    return f"({' AND '.join(parts)})"


def _any(parts: Iterable[str]) -> str:
    return f"({' OR '.join(parts)})"


def reach(word: str) -> int:
    """How many slips are forgiven in a word: none under 3 letters, 2 from 6 letters on."""
    return 0 if len(word) < 3 else 1 if len(word) < 6 else 2


def keys(word: str) -> set[int]:
    """Numbers that a word shares with every word within its reach, and with few others.

    Two words that differ by few slips become the same text when few letters are taken out of
    each, so what is left after taking them out is looked up instead of every known word.
    """
    left = {word[:KEY_LETTERS]}
    found = set(left)
    for _ in range(reach(word)):
        left = {text[:at] + text[at + 1 :] for text in left for at in range(len(text))}
        found |= left
    return {crc32(text.encode()) for text in found}


def slips(one: str, other: str, most: int) -> int:
    """Letters added, left out, replaced or swapped with a neighbour; `most + 1` for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, against in enumerate(other, 1):
            least = min(last[column - 1] + (letter != against), last[column] + 1, line[-1] + 1)
            swapped = column > 1 and letter == other[column - 2] and against == one[row - 2]
            line.append(min(least, before[column - 2] + 1) if before and swapped else least)
        if min(line) > most:
            return most + 1
        before, last = last, line
    return min(last[-1], most + 1)


def nearest(word: str, known: Iterable[tuple[str, int]]) -> str:
    """The closest known word within reach, the commonest of equally close ones; "" for none.

    Args:
        word: the mistyped one.
        known: words and how often each occurs.
    """
    most = reach(word)
    best = (most + 1, True, 0, "")
    for candidate, count in known:
        distance = slips(word, candidate, min(most, best[0]))
        best = min(best, (distance, candidate[0] != word[0], -count, candidate))
    return best[-1] if best[0] <= most else ""
