"""An audit as one HTML page: for a phone as for a desk, with nothing from elsewhere and no script.

Every text of the page may be hostile: it is made safe as for a terminal, then escaped, and stands
in text alone, never in an attribute. The policy of the page lets nothing load or run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from skillpm.model.audited import Audited
from skillpm.model.finding import Finding
from skillpm.model.text import safe

MAX_FINDINGS: Final = 200
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_STYLE: Final = """
:root{color-scheme:light dark;--line:#8885;--bad:#c62828;--fair:#b26a00;--good:#2e7d32}
body{font:16px/1.45 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:60rem}
h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.1rem;margin:0;display:inline}
.sum{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;list-style:none}
.sum li,.mark{border:1px solid var(--line);border-radius:1rem;padding:.1rem .6rem}
.mark{font-size:.85rem;white-space:nowrap}
details{border:1px solid var(--line);border-radius:.5rem;margin:.6rem 0;padding:.5rem .8rem}
summary{cursor:pointer;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(5.5rem,auto) 1fr;gap:.2rem .8rem;margin:.6rem 0}
dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
li{overflow-wrap:anywhere}code{font-size:.85rem;overflow-wrap:anywhere}
.bad{color:var(--bad);border-color:var(--bad)}.fair{color:var(--fair);border-color:var(--fair)}
.good{color:var(--good);border-color:var(--good)}
@media print{details{break-inside:avoid}}
"""
_BAD: Final = frozenset(
    {"danger", "edited", "missing", "unreadable", "not scanned", "source changed", "taken out",
     "history rewritten", "gone", "differs", "linked elsewhere"}
)  # fmt: skip
_FAIR: Final = frozenset({"caution", "behind", "unknown", "not asked", "community"})


def page(skills: Sequence[Audited], at: str, *, network: bool) -> str:
    """The page, the same for the same audit.

    Args:
        skills: what was audited, in the order in which it is told; what needs attention comes
            first all the same.
        at: when, ISO 8601.
        network: whether the sources were asked.
    """
    ordered = sorted(skills, key=lambda one: not one.remarks)
    body = "\n".join(map(_skill, ordered)) or "<p>Nothing is installed.</p>"
    asked = "" if network else "<p>No source was asked whether it moved on.</p>\n"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Audit of {len(skills)} skills</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>Audit of {len(skills)} skills</h1>\n<p>{_text(at)}</p>\n{_summary(skills)}\n{asked}"
        f"{body}\n</body>\n</html>\n"
    )


def _summary(skills: Sequence[Audited]) -> str:
    counts = Counter(one.verdict for one in skills)
    items = [_item(f"{count} {verdict}", verdict) for verdict, count in sorted(counts.items())]
    needing = sum(bool(one.remarks) for one in skills)
    items.append(_item(f"{needing} need attention", "caution" if needing else "safe"))
    return f'<ul class="sum">{"".join(items)}</ul>'


def _item(text: str, word: str) -> str:
    return f'<li class="{_class(word)}">{_text(text)}</li>'


def _skill(one: Audited) -> str:
    marks = " ".join(map(_mark, (one.verdict, one.files, one.origin, one.upstream.state)))
    opened = " open" if one.remarks else ""
    facts = "".join(f"<dt>{name}</dt><dd>{told}</dd>" for name, told in _facts(one))
    return (
        f"<details{opened}><summary><h2>{_text(one.name)}</h2> {marks}</summary>"
        f"{_list(map(_text, one.remarks))}<dl>{facts}</dl>{_findings(one)}</details>"
    )


def _facts(one: Audited) -> Iterator[tuple[str, str]]:
    yield "source", _text(one.source)
    yield "registry", _text(one.registry)
    yield "revision", _text(one.revision)
    if one.recorded:
        yield "installed", _code(one.recorded)
    if one.actual != one.recorded:
        yield "on disk", _code(one.actual or "-")
    yield "review", _text(one.review or "nobody has reviewed these files")
    yield "age", _text(one.age)
    newest = f" ({one.upstream.newest})" if one.upstream.newest else ""
    yield "upstream", _text(one.upstream.state + newest)
    for copy in one.copies:
        yield "copy", f"{_code(copy.place)} {_mark(copy.state)}"


def _findings(one: Audited) -> str:
    found = one.judgement.open if one.judgement else ()
    more = len(found) - MAX_FINDINGS
    told = [_finding(finding) for finding in found[:MAX_FINDINGS]]
    if more > 0:
        told.append(f"and {more} more: skill audit {_text(one.name)}")
    return _list(told)


def _finding(finding: Finding) -> str:
    seen = f"<br><code>{_text(finding.excerpt)}</code>" if finding.excerpt else ""
    where = f"{_mark(finding.severity.label)} {_code(finding.rule)} {_code(finding.where)}"
    return f"{where}<br>{_text(finding.message)}{seen}"


def _list(items: Iterator[str] | list[str]) -> str:
    told = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{told}</ul>" if told else ""


def _mark(word: str) -> str:
    return f'<span class="mark {_class(word)}">{_text(word)}</span>'


def _class(word: str) -> str:
    """A class of ours for a word of anybody's."""
    if word in _BAD or word.startswith("untrusted"):
        return "bad"
    return "fair" if word in _FAIR else "good"


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    return escape(safe(text))
