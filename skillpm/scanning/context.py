"""Is it an order, a warning, or a mention? Told from the words around a match.

The reach of a warning is its own clause, list or code block, never a number of characters: a
prohibition does not cover a live order that stands after it on the same line. Text that was
hidden or encoded is always an order: nobody hides a warning.
"""

from __future__ import annotations

import enum
from collections import deque
from typing import Final

from skillpm.scanning import phrases
from skillpm.scanning.facts import Layer, Role, Segment
from skillpm.scanning.views import lower


class Stance(enum.StrEnum):
    """How the text around a match means it."""

    ORDER = "order"
    WARNING = "warning"
    MENTION = "mention"


_BACK: Final = 240
_AHEAD: Final = 160
_DOCUMENT_ROLES: Final = frozenset((Role.PROSE, Role.HEADING, Role.QUOTE, Role.TABLE, Role.INLINE))


def stance(layer: Layer, start: int, end: int) -> Stance:
    """How the match is meant where it stands."""
    if layer.decoded:
        return Stance.ORDER
    segment = layer.segment_at(start)
    text = lower(layer.text[max(start - 2 * _BACK, 0) : end + _AHEAD])
    at = min(start, 2 * _BACK)
    before, match, after = text[:at], text[at : at + end - start], text[at + end - start :]
    if segment.role in _DOCUMENT_ROLES or segment.role is Role.FRONT_MATTER:
        return _in_document(segment, before, match, after)
    if segment.role is Role.COMMENT:
        return Stance.ORDER
    return _in_code(segment, before, after)


def _in_document(segment: Segment, before: str, match: str, after: str) -> Stance:
    clause, line = _clause(before), before[before.rfind("\n") + 1 :]
    if negated(clause) or (segment.role is Role.TABLE and "❌" in line):
        return Stance.WARNING
    quoted = _is_quoted(segment, before, match, after)
    if quoted and phrases.CONDEMNED_AFTER.match(after):
        return Stance.WARNING
    introduced = line.lstrip().startswith("|") or bool(phrases.LIST_LINE.match(line + match))
    if introduced and phrases.PROHIBITING.search(segment.intro.lower()):
        return Stance.WARNING
    if _reported(clause, match + after):
        return Stance.MENTION
    return _mention(segment, clause, quoted=quoted, introduced=introduced, after=after)


def _reported(clause: str, rest: str) -> bool:
    """Whether somebody else's words are told, by one who watches for them."""
    told = phrases.REPORTED.search(clause)
    if not told:
        told = phrases.SUPPOSED.search(clause)
        sentence = phrases.SENTENCE_END.split(rest, maxsplit=1)[0]
        if not (told and phrases.ANSWERED.search(sentence)):
            return False
    return not phrases.OWN_WORDS.search(phrases.INDIRECT.sub("", clause[told.end() :]))


def _mention(
    segment: Segment, clause: str, *, quoted: bool, introduced: bool, after: str
) -> Stance:
    """A mention is quoted, listed or tabulated, and something near says what it is."""
    if not (quoted or introduced) or phrases.ORDERING.search(clause):
        return Stance.ORDER
    frame = clause + " " + phrases.SENTENCE_END.split(after, maxsplit=1)[0]
    if introduced:
        frame += " " + segment.intro.lower()
    if phrases.DESCRIBING.search(frame) or (quoted and _prohibits(clause)):
        return Stance.MENTION
    return Stance.MENTION if phrases.BAD_HEADING.search(segment.heading.lower()) else Stance.ORDER


def _prohibits(clause: str) -> bool:
    """Whether a word of prohibition stands in the clause and nothing after it takes it back."""
    words = phrases.PROHIBITING.search(clause)
    return bool(words) and not phrases.REVERSAL.search(clause, words.end() if words else 0)


def negated(clause: str) -> bool:
    """Whether the end of the clause is under a negation that nothing takes back."""
    found = deque(phrases.NEGATION.finditer(clause), maxlen=1)
    if not found:
        return False
    before, between = clause[: found[0].start()], clause[found[0].end() :]
    conditional = phrases.CONDITION.search(before)
    if len(between) > 120 or (conditional and "," not in before[conditional.end() :]):
        return False
    return not phrases.REVERSAL.search(between) or between.count(",") >= 2


def _clause(before: str) -> str:
    start = 0
    for boundary in phrases.CLAUSE.finditer(before):
        start = boundary.end()
    return before[start:]


def _is_quoted(segment: Segment, before: str, match: str, after: str) -> bool:
    if segment.role in (Role.INLINE, Role.QUOTE):
        return True
    line = before[before.rfind("\n") + 1 :]
    if "`" in match[:2]:
        return True
    for opening, closing in (('"', '"'), ("\u201c", "\u201d"), ("`", "`"), ("«", "»")):
        opened = line.count(opening) % 2 if opening == closing else opening in line
        if opened and closing in match + after[:120]:
            return True
    return False


def _in_code(segment: Segment, before: str, after: str) -> Stance:
    line_start = before.rfind("\n") + 1
    line = before[line_start:]
    if phrases.DENY_KEY.search(before) or phrases.MATCHER.search(line):
        return Stance.MENTION
    spoken = phrases.SPOKEN.search(line) or phrases.CODE_COMMENT.search(line)
    if spoken and negated(phrases.SPEECH.split(line)[-1]):
        return Stance.WARNING
    if _commented_as_bad(before[:line_start], line, after):
        return Stance.WARNING
    if segment.role is Role.CODE and _prohibits(segment.intro.lower().rstrip(" :*")):
        return Stance.WARNING
    if segment.role is Role.CODE and _shown_as_attack(segment):
        return Stance.MENTION
    return Stance.ORDER


def _shown_as_attack(segment: Segment) -> bool:
    """Whether what introduces a block calls it an attack, and doesn't say to run it."""
    intro = segment.intro.lower().rstrip(" :*")
    if phrases.ORDERING.search(intro):
        return False
    return bool(
        phrases.DESCRIBING.search(intro) or phrases.BAD_HEADING.search(segment.heading.lower())
    )


def _commented_as_bad(above: str, line: str, after: str) -> bool:
    """Whether a comment on the line or directly above it says not to do this."""
    trailing = after.partition("\n")[0]
    previous = above.rstrip("\n").rsplit("\n", 1)[-1]
    for piece in (trailing, previous, line):
        comment = phrases.CODE_COMMENT.search(piece)
        if comment and phrases.PROHIBITING.search(comment[1]):
            return True
    return False
