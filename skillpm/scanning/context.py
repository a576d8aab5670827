"""Is it an order, a warning, or a mention? Told from the words around a match.

The reach of a warning is its own clause, list or code block, never a number of characters: a
prohibition does not cover a live order that stands after it on the same line. Text that was
hidden or encoded is always an order: nobody hides a warning.
"""

from __future__ import annotations

import enum
import re
from typing import Final

from skillpm.scanning.facts import Layer, Role, Segment


class Stance(enum.StrEnum):
    """How the text around a match means it."""

    ORDER = "order"
    WARNING = "warning"
    MENTION = "mention"


_BACK: Final = 240
_AHEAD: Final = 160
_CLAUSE: Final = re.compile(
    r"[.!?;](?:\s|$)|\x00\x00|\n\s{0,40}\n|\n\s{0,40}(?:[-*+]|\d{1,3}[.)])\s|\n\s{0,8}#|\n\s{0,8}>?\s?\||—\s"
)
_NEGATION: Final = re.compile(
    r"\b(?:never|(?:do|does|did|must|should|shall|may|can|could|will|would|is|are)(?:n[o']t|n.t| not)"
    r"|cannot|avoid(?:s|ing)?|refus(?:e|es|ing)(?: to)?|reject(?:s|ing)?|forbid(?:s|den)?"
    r"|prohibit(?:s|ed)?|prevent(?:s|ing)?|block(?:s|ed|ing)?|den(?:y|ies)|disallow(?:s|ed)?"
    r"|no need to|not allowed to|instead of|rather than|without|beware of|warn(?:s|ing|ed)? (?:about|against|before|if|when)"
    r"|guard(?:s|ing)? against|protect(?:s|ing)? against|nicht|niemals|nunca|jamais|никогда|не|不要|切勿|nao|não|no)\b"
)
_REVERSAL: Final = re.compile(
    r"\b(?:but|however|then|unless|until|hesitate|forget|fail|worry|stop|wait|just|only|now|simply"
    r"|question|ask|tell|mention|inform|instead|anyway)\b(?! of)|,\s{0,4}$|:\s{0,4}$"
)
_VERDICT_AHEAD: Final = re.compile(
    r"^[^.!?\n]{0,60}\b(?:(?:is|are|must|should|will|would|gets?|was|be|stays?|remains?)\b[^.\n]{0,40}"
    r"\b(?:never|not|forbidden|prohibited|blocked|refused|rejected|denied|dangerous|destructive"
    r"|disallowed|flagged|unsafe|malicious|bad|off[- ]limits|irreversible|catastrophic)"
    r"|blocked|refused|rejected|denied|forbidden|considered harmful)\b"
)
_PROHIBITING: Final = re.compile(
    r"\b(?:never|do not|don'?t|avoid|forbidden|prohibited|prohibit|not allowed|anti-?patterns?|what not to do"
    r"|must not|mustn'?t|should not|shouldn'?t|bad|wrong|incorrect|unsafe|insecure|vulnerable|dangerous"
    r"|blocked?|blocks|den(?:y|ied|ies)|refus(?:e|es|ed)|reject(?:s|ed)?|blacklist|blocklist|denylist|off[- ]limits"
    r"|destructive (?:commands?|operations?|actions?)|needs? (?:your )?(?:confirmation|approval)|require(?:s)? (?:explicit )?(?:confirmation|approval)"
    r"|ask (?:first|before)|confirm (?:first|before))\b|❌|🚫|⛔|✗|✘"
)
_DESCRIBING: Final = re.compile(
    r"\b(?:detect(?:s|ed|ing|ion|ions|or)?|flag(?:s|ged|ging)?|scan(?:s|ning|ner)? for"
    r"|look(?:s|ing)? for|watch (?:out )?for|attacks?|attackers?|injections?|payloads?|malicious"
    r"|malware|suspicious|threats?|adversarial|jailbreaks?|red[- ]team(?:ing)?|red flags?"
    r"|warning signs?|signs? of|exploit(?:s|ation)?|vulnerabilit(?:y|ies)|abuse|phishing"
    r"|hijack(?:s|ing)?|untrusted|hostile|attempts? to|tries to|try to|trying to"
    r"|might (?:say|contain|include|read)|indicators?|heuristics?|signatures?|deception)\b"
)
_BAD_HEADING: Final = re.compile(
    r"\b(?:attacks?|attack (?:patterns?|examples?|vectors?)|anti-?patterns?|what not to do|red flags?"
    r"|malicious|injections?|payloads?|jailbreaks?|never|forbidden|prohibited|blocked"
    r"|dangerous (?:commands?|patterns?|operations?)|(?:destructive|unsafe) \w+|warning signs?"
    r"|threats?|indicators? of compromise|do not|don'?ts?|bad (?:examples?|practices?)|blocklist|denylist)\b"
)
_ORDERING: Final = re.compile(
    r"(?:^|[,:;(.]\s{0,3}|\b(?:then|and|please|just|now|first|must|should|always|can|simply)\s{1,3})"
    r"[^\w`]{0,6}(?:run|execute|paste|install|type|enter|copy|launch|start with|call)\b[^.,;]{0,60}$"
)
_LIST_LINE: Final = re.compile(r"[ \t>]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]")
_CODE_COMMENT: Final = re.compile(r"(?:^|\s)(?:#|//|--|<!--|/\*|;|rem\b|::)(.{0,200})")
_DENY_KEY: Final = re.compile(
    r"(?:\b\w{0,30}(?:deny|denied|disallow|block|forbid|forbidden|prohibit|dangerous|malicious|suspicious|injection|banned|blacklist|unsafe|destructive|pattern|signature|detect|threat|attack)\w{0,30}\b)"
    r"[\"']?\s{0,4}(?::[^\n=]{0,60}=|[:=]|=>)\s{0,4}(?:\w{1,30}\()?(?:\[[^\]]{0,1500}|[({][^)}]{0,1500})$"
)
_MATCHER: Final = re.compile(
    r"\b(?:e?grep|rg|ack|re\.(?:compile|search|match|findall)|\.test|includes|contains)\b[^|;&\n]{0,80}[\"'`/(]$"
)
_SPOKEN: Final = re.compile(
    r"(?:\becho|\bprintf?|console\.\w{3,5}|log(?:ger)?\.\w{4,8}|raise \w{1,40})\b[^|;&\n]{0,120}$"
)
_SENTENCE_END: Final = re.compile(r"[.!?\n]\s")
_SPEECH: Final = re.compile(r"[\"'`#]|//")
_DOCUMENT_ROLES: Final = frozenset((Role.PROSE, Role.HEADING, Role.QUOTE, Role.TABLE, Role.INLINE))


def stance(layer: Layer, start: int, end: int) -> Stance:
    """How the match is meant where it stands."""
    if layer.decoded:
        return Stance.ORDER
    segment = layer.segment_at(start)
    text = layer.text[max(start - 2 * _BACK, 0) : end + _AHEAD].lower()
    at = min(start, 2 * _BACK)
    before, match, after = text[:at], text[at : at + end - start], text[at + end - start :]
    if segment.role in _DOCUMENT_ROLES or segment.role is Role.FRONT_MATTER:
        return _in_document(segment, before, match, after)
    if segment.role is Role.COMMENT:
        return Stance.ORDER
    return _in_code(segment, before, match, after)


def _in_document(segment: Segment, before: str, match: str, after: str) -> Stance:
    clause, line = _clause(before), before[before.rfind("\n") + 1 :]
    if negated(clause) or (segment.role is Role.TABLE and "❌" in line):
        return Stance.WARNING
    quoted = _is_quoted(segment, before, match, after)
    if quoted and _VERDICT_AHEAD.match(after):
        return Stance.WARNING
    introduced = line.lstrip().startswith("|") or bool(_LIST_LINE.match(line + match))
    if introduced and _PROHIBITING.search(segment.intro.lower()):
        return Stance.WARNING
    return _mention(segment, clause, quoted=quoted, introduced=introduced, after=after)


def _mention(
    segment: Segment, clause: str, *, quoted: bool, introduced: bool, after: str
) -> Stance:
    """A mention is quoted, listed or tabulated, and something near says what it is."""
    if not (quoted or introduced) or _ORDERING.search(clause):
        return Stance.ORDER
    frame = clause + " " + _SENTENCE_END.split(after, maxsplit=1)[0]
    if introduced:
        frame += " " + segment.intro.lower()
    if _DESCRIBING.search(frame) or (quoted and _prohibits(clause)):
        return Stance.MENTION
    return Stance.MENTION if _BAD_HEADING.search(segment.heading.lower()) else Stance.ORDER


def _prohibits(clause: str) -> bool:
    """Whether a word of prohibition stands in the clause and nothing after it takes it back."""
    words = _PROHIBITING.search(clause)
    return bool(words) and not _REVERSAL.search(clause, words.end() if words else 0)


def negated(clause: str) -> bool:
    """Whether the end of the clause is under a negation that nothing takes back."""
    found = None
    for found in _NEGATION.finditer(clause):
        pass
    if found is None:
        return False
    between = clause[found.end() :]
    if len(between) > 120:
        return False
    return not _REVERSAL.search(between) or between.count(",") >= 2


def _clause(before: str) -> str:
    start = 0
    for boundary in _CLAUSE.finditer(before):
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


def _in_code(segment: Segment, before: str, match: str, after: str) -> Stance:
    line_start = before.rfind("\n") + 1
    line = before[line_start:]
    if _DENY_KEY.search(before) or _MATCHER.search(line):
        return Stance.MENTION
    spoken = _SPOKEN.search(line) or _CODE_COMMENT.search(line)
    if spoken and negated(_SPEECH.split(line)[-1]):
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
    if _ORDERING.search(intro):
        return False
    return bool(_DESCRIBING.search(intro) or _BAD_HEADING.search(segment.heading.lower()))


def _commented_as_bad(above: str, line: str, after: str) -> bool:
    """Whether a comment on the line or directly above it says not to do this."""
    trailing = after.partition("\n")[0]
    previous = above.rstrip("\n").rsplit("\n", 1)[-1]
    for piece in (trailing, previous, line):
        comment = _CODE_COMMENT.search(piece)
        if comment and _PROHIBITING.search(comment[1]):
            return True
    return False
