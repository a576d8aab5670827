"""Characters that a reader can't see, or takes for others.

Sources: Unicode's default-ignorable code points and bidirectional controls (UAX #44, UAX #9), the
confusables of UTS #39 <https://www.unicode.org/reports/tr39/> for the letters that pass for
Latin ones, and the tag and variation-selector blocks, which can carry text unseen.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from skillpm.model.regex import regex

# Written as escapes, so that this file is itself free of what it looks for.
INVISIBLE: Final = regex(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
BIDI: Final = regex("[\u202a-\u202e\u2066-\u2069]")
TAGS: Final = regex("[\U000e0001\U000e0020-\U000e007f]{1,100000}")
VARIATIONS: Final = regex("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,100000}")
_FLAG: Final = regex("\U0001f3f4[\U000e0020-\U000e007e]{3,8}\U000e007f")
_ZERO_WIDTH_IN_WORD: Final = regex("[A-Za-z][\u00ad\u200b-\u200f\u2060-\u2064\ufeff]{1,64}[A-Za-z]")

_LOOKALIKES: Final = {
    **dict(zip("асеіјоԛрѕԝхуһԁ", "aceijoqpswxyhd", strict=True)),
    **dict(zip("АВСЕНІЈКМОРЅТХУ", "ABCEHIJKMOPSTXY", strict=True)),
    **dict(zip("αικνορυ", "aikvopu", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),
    **dict(zip("ıɑɡℓ", "iagl", strict=True)),
}
_FOLD: Final = {ord(like): latin for like, latin in _LOOKALIKES.items()}
# Letters of other scripts only: a dotless i is an ordinary letter of Turkish.
_LIKES: Final = "".join(like for like in _LOOKALIKES if like not in "\u0131\u0251\u0261\u2113")
_MIXED: Final = regex(
    f"[A-Za-z]{{1,40}}[{_LIKES}]{{1,40}}[A-Za-z]|[{_LIKES}]{{1,40}}[A-Za-z]{{2}}|[A-Za-z]{{2}}[{_LIKES}]"
)
_STYLED: Final = regex("[\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9]{2,2000}")


@lru_cache(maxsize=8)
def unusual(text: str) -> str:
    """Each character of the text that is not ASCII, once: what cheap checks look at first."""
    return "".join(char for char in set(text) if not char.isascii())


def foldable(characters: str) -> bool:
    """Whether any of these is a letter that passes for a Latin one, or a styled letter."""
    return any(ord(c) in _FOLD or _STYLED.match(c + c) for c in characters)


def without_flags(text: str) -> str:
    """The text with emoji flags of regions blanked: the one honest use of tag characters."""
    return _FLAG.sub(lambda m: " " * len(m[0]), text) if "\U0001f3f4" in text else text


def tag_text(run: str) -> str:
    """What a run of tag characters spells."""
    return "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)


def variation_bytes(run: str) -> bytes:
    """The bytes that a run of variation selectors can stand for."""
    return bytes(
        ord(c) - 0xFE00 if ord(c) < 0xFE10 else min(ord(c) - 0xE0100 + 16, 255) for c in run
    )


def fold(text: str) -> str:
    """The same length, look-alike letters and styled letters as plain Latin ones."""
    folded = _STYLED.sub(lambda m: "".join(map(_plain, m[0])), text)
    return folded.translate(_FOLD)


def mixed_word(text: str) -> re.Match[str] | None:
    """The first word that mixes Latin letters with letters that pass for Latin."""
    return _MIXED.search(text)


def split_word(text: str) -> re.Match[str] | None:
    """The first Latin word that an invisible character cuts."""
    return _ZERO_WIDTH_IN_WORD.search(text)


def needs_folding(text: str) -> bool:
    """Whether folding could bring out words that are not there as they stand."""
    return bool(_STYLED.search(text) or _MIXED.search(text))


def _plain(char: str) -> str:
    normal = unicodedata.normalize("NFKC", char)
    return normal if len(normal) == 1 else char
