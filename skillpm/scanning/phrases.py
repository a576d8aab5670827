"""The words by which a text warns of something, describes it, or orders it."""

from __future__ import annotations

from typing import Final

from skillpm.model.regex import regex

# Where a clause begins: after a sentence, a paragraph, a list mark, a table cell, a dash.
CLAUSE: Final = regex(
    r"[.!?;](?:\s|$)|\x00\x00|\n\s{0,40}\n|\n\s{0,40}(?:[-*+]|\d{1,3}[.)])\s|\n\s{0,8}#"
    r"|\n\s{0,8}>?\s?\||—\s"
)
SENTENCE_END: Final = regex(r"[.!?\n]\s")
LIST_LINE: Final = regex(r"[ \t>]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]")

NEGATION: Final = regex(
    r"\b(?:never|(?:do|does|did|must|should|shall|may|can|could|will|would)(?:n't|not| not)"
    r"|cannot|avoid(?:s|ing)?|refus(?:e|es|ing)(?: to)?|reject(?:s|ing)?|forbid(?:s|den)?"
    r"|prohibit(?:s|ed)?|prevent(?:s|ing)?|block(?:s|ed|ing)?|den(?:y|ies)|disallow(?:s|ed)?"
    r"|no need to|not allowed to|instead of|rather than|beware of"
    r"|warn(?:s|ing|ed)? (?:about|against|before|if|when)|(?:guard|protect)(?:s|ing)? against"
    r"|nicht|niemals|nunca|jamais|никогда|не|不要|切勿|nao|não)\b"
)
CONDITION: Final = regex(r"\b(?:if|when|whenever|in case|where|since|because|as)\b")
REVERSAL: Final = regex(
    r"\b(?:but|however|then|unless|until|hesitate|forget|fail|worry|stop|wait|just|only|now|simply"
    r"|question|ask|tell|mention|inform|instead|anyway)\b(?! of)|,\s{0,4}$|:\s{0,4}$"
)
CONDEMNED_AFTER: Final = regex(
    r"^[^.!?\n]{0,60}\b(?:(?:is|are|must|should|will|would|gets?|was|be|stays?|remains?)\b"
    r"[^.\n]{0,40}\b(?:never|not|forbidden|prohibited|blocked|refused|rejected|denied|dangerous"
    r"|destructive|disallowed|flagged|unsafe|malicious|bad|off[- ]limits|irreversible"
    r"|catastrophic)|blocked|refused|rejected|denied|forbidden|considered harmful)\b"
)
PROHIBITING: Final = regex(
    r"\b(?:never|do not|don'?t|avoid|forbidden|prohibit(?:ed)?|not allowed|anti-?patterns?"
    r"|what not to do|must not|mustn'?t|should not|shouldn'?t|bad|wrong|incorrect|unsafe|insecure"
    r"|vulnerable|dangerous|blocked?|blocks|den(?:y|ied|ies)|refus(?:e|es|ed)|reject(?:s|ed)?"
    r"|blacklist|blocklist|denylist|off[- ]limits|destructive (?:commands?|operations?|actions?)"
    r"|(?:needs?|requires?) (?:your |explicit )?(?:confirmation|approval)"
    r"|(?:ask|confirm) (?:first|before))\b|❌|🚫|⛔|✗|✘"
)
DESCRIBING: Final = regex(
    r"\b(?:detect(?:s|ed|ing|ion|ions|or)?|flag(?:s|ged|ging)?|scan(?:s|ning|ner)? for"
    r"|look(?:s|ing)? for|watch (?:out )?for|attacks?|attackers?|injections?|payloads?|malicious"
    r"|malware|suspicious|threats?|adversarial|jailbreaks?|red[- ]team(?:ing)?|red flags?"
    r"|warning signs?|signs? of|exploit(?:s|ation)?|vulnerabilit(?:y|ies)|abuse|phishing"
    r"|hijack(?:s|ing)?|untrusted|hostile|attempts? to|tries to|try to|trying to"
    r"|might (?:say|contain|include|read)|indicators?|heuristics?|signatures?|deception)\b"
)
BAD_HEADING: Final = regex(
    r"\b(?:attacks?|anti-?patterns?|what not to do|red flags?|malicious|injections?|payloads?"
    r"|jailbreaks?|never|forbidden|prohibited|blocked|dangerous (?:commands?|patterns?|operations?)"
    r"|(?:destructive|unsafe) \w{1,30}|warning signs?|threats?|indicators? of compromise|do not"
    r"|don'?ts?|bad (?:examples?|practices?)|blocklist|denylist)\b"
)
ORDERING: Final = regex(
    r"(?:^|[,:;(.]\s{0,3}|\b(?:then|and|please|just|now|first|must|should|always|can|simply)"
    r"\s{1,3})[^\w`]{0,6}(?:run|execute|paste|install|type|enter|copy|launch|start with|call)\b"
    r"[^.,;]{0,60}$"
)

# Somebody else's words: what a text, a page or an attacker says, told by who watches for it.
_THEIRS: Final = (
    r"(?:texts?|prompts?|messages?|pages?|web ?sites?|skills?|documents?|contents?|e-?mails?"
    r"|comments?|payloads?|attackers?|instructions?|files?|tools?|responses?|someone|anything"
    r"|phrases?|lines?)"
)
_SAY: Final = (
    r"(?:says?|tells?|asks?|claims?|tries to|try to|instructs?|orders?|wants?|contains?|urges?)"
)
REPORTED: Final = regex(
    rf"\b(?:(?:detect|flag|report|reject|catch|find|look for|watch for|guard against|beware of"
    rf"|distrust|refuse|block)(?:e?s|ed|ing)?\b[^.!?;:]{{0,40}}\b{_THEIRS}"
    rf" (?:that |which |who )?{_SAY}"
    rf"|{_THEIRS} (?:that|which) {_SAY} (?:the |an |your )?"
    r"(?:models?|agents?|assistants?|llms?|ais?))\b"
)
SUPPOSED: Final = regex(
    rf"\b(?:if|when|whenever|where|should) (?:a|an|any|some|the|one) (?:\w{{1,20}} ){{0,3}}"
    rf"{_THEIRS} (?:\w{{1,12}} )?{_SAY}\b"
)
# What follows "says" in reported speech, and what ends it.
INDIRECT: Final = regex(
    r"^ (?:(?:the |an |your |any )?(?:agents?|models?|assistants?|llms?|ais?|users?|you|it) )?"
    r"(?:to|that|it)\b(?:[^,:;.]{0,60}\band (?!then|now|just))?"
)
OWN_WORDS: Final = regex(r"[,:]|\b(?:and|then|but|now|so|just|simply|next|also|instead|please)\b")
ANSWERED: Final = regex(
    r"\b(?:report|flag|stop|refuse|reject|warn|tell the user|do not|don't|never|treat it|distrust"
    r"|discard it|ignore it|quote it|raise)\b"
)

CODE_COMMENT: Final = regex(r"(?:^|\s)(?:#|//|--|<!--|/\*|;|rem\b|::)(.{0,200})")
DENY_KEY: Final = regex(
    r"\b\w{0,30}(?:deny|denied|disallow|block|forbid|forbidden|prohibit|dangerous|malicious"
    r"|suspicious|injection|banned|blacklist|unsafe|destructive|pattern|signature|detect|threat"
    r"|attack)\w{0,30}\b[\"']?\s{0,4}(?::[^\n=]{0,60}=|[:=]|=>)\s{0,4}(?:\w{1,30}\()?"
    r"(?:\[[^\]]{0,1500}|[({][^)}]{0,1500})$"
)
MATCHER: Final = regex(
    r"\b(?:e?grep|rg|ack|re\.(?:compile|search|match|findall)|\.test|includes|contains)\b"
    r"[^|;&\n]{0,80}[\"'`/(]$"
)
SPOKEN: Final = regex(
    r"(?:\becho|\bprintf?|console\.\w{3,5}|log(?:ger)?\.\w{4,8}|raise \w{1,40})\b[^|;&\n]{0,120}$"
)
SPEECH: Final = regex(r"[\"'`#]|//")
