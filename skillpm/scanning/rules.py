"""The rules, as data, and how one rule finds its places in a text.

The rules are written in `data/rules/*.yaml`, with examples, for people; what ships beside them is
`rules.json`, compiled from those files (a test proves that they agree) so that a scan starts
without reading YAML. A pattern is compiled when one of its `needs`, literals of which every match
contains at least one, is seen for the first time; and it is tried only around the places where
they stand. Every pattern is free of backreferences and look-around and has an upper bound on its
length (`width`), so the time of a rule is linear in the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from typing import Any, Final

from skillpm.model.finding import Explanation, Severity
from skillpm.scanning.facts import Role
from skillpm.scanning.index import Index, Literals, Span

ENGINE: Final = "1"
MAX_WINDOWS: Final = 20_000
FEW: Final = 12


@dataclass(frozen=True, slots=True)
class Term:
    """Something that is said in one of many ways.

    Attributes:
        expression: in the syntax of RE2.
        needs: literals, lower case; every match contains one.
    """

    expression: str
    needs: frozenset[str]


# The names of what has to be said in one sentence.
Saying = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expression of a rule.

    Attributes:
        text: the expression.
        width: the longest match it can have.
        needs: sets of literals, lower case, the most telling first; every match contains one of
            each set.
    """

    text: str
    width: int
    needs: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the rule data.

    Attributes:
        id: `category/name`.
        severity: where nothing lowers it.
        confidence: `high`, `medium` or `low`; how surely a match means what the rule says.
        what: what was found, one sentence.
        why: why that matters.
        fix: what an author can do.
        view: `command` (the text, lower case), `prose` (markup blanked, lines joined) or
            `exact` (the text as it is).
        contexts: the roles it looks at; empty for all.
        languages: of scripts and code blocks it looks at; empty for all.
        patterns: any of them is a match.
        sayings: so is the first term of any of them, where the others stand in its sentence.
        near: each of these must also match within `reach` characters.
        unless: none of these may match in the same statement.
        check: the name of a predicate of `checks`, or "".
        lowers: whether a warning or a mention around it lowers its weight.
        references: ids in other catalogues: ATT&CK, CWE, OWASP.
    """

    id: str
    severity: Severity
    confidence: str
    what: str
    why: str
    fix: str
    view: str
    contexts: frozenset[Role]
    languages: frozenset[str]
    patterns: tuple[Pattern, ...]
    sayings: tuple[Saying, ...]
    near: tuple[str, ...]
    reach: int
    unless: tuple[str, ...]
    check: str
    lowers: bool
    references: tuple[str, ...] = ()

    @property
    def category(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class RuleSet:
    """All rules of one version.

    Attributes:
        version: engine and content hash; the same version gives the same report.
        rules: by id; those without patterns belong to an analyser that is code.
        trusted_installers: `host/path` prefixes of installers that are published as one-liners.
        terms: what sayings are made of, by name; a name ends with a dot and its language.
        languages: for some languages the literals of which a text in it has at least one.
    """

    version: str
    rules: dict[str, Rule]
    trusted_installers: tuple[str, ...]
    terms: dict[str, Term]
    languages: dict[str, frozenset[str]]

    @cached_property
    def literals(self) -> Literals:
        """Every literal that a pattern or a term needs."""
        patterns = chain.from_iterable(one.needs for _, one in self._patterns)
        terms = (term.needs for term in self.terms.values())
        return Literals(chain.from_iterable(chain(patterns, terms, self.languages.values())))

    @cached_property
    def _patterns(self) -> tuple[tuple[Rule, Pattern], ...]:
        return tuple((rule, one) for rule in self.rules.values() for one in rule.patterns)

    @cached_property
    def _sayings(self) -> dict[str, list[tuple[Rule, Saying]]]:
        """By language."""
        found: dict[str, list[tuple[Rule, Saying]]] = {}
        for rule in self.rules.values():
            for saying in rule.sayings:
                found.setdefault(saying[0].rpartition(".")[2], []).append((rule, saying))
        return found

    @cached_property
    def _terms(self) -> dict[str, dict[str, frozenset[str]]]:
        """By language what its terms need."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for name, term in self.terms.items():
            found.setdefault(name.rpartition(".")[2], {})[name] = term.needs
        return found

    def candidates(self, possible: frozenset[str]) -> dict[str, list[Pattern]]:
        """By rule the patterns that can match a text, of which these literals may be a part."""
        found: dict[str, list[Pattern]] = {}
        for rule, pattern in self._patterns:
            for needs in pattern.needs:
                if needs.isdisjoint(possible):
                    break
            else:
                found.setdefault(rule.id, []).append(pattern)
        return found

    def sayable(self, possible: frozenset[str]) -> Iterator[tuple[Rule, Saying]]:
        """What can be said in such a text."""
        for language, sayings in self._sayings.items():
            if possible.isdisjoint(self.languages.get(language, possible)):
                continue
            terms = self._terms[language].items()
            there = {name for name, needs in terms if not needs.isdisjoint(possible)}
            yield from (one for one in sayings if there.issuperset(one[1]))

    def __getitem__(self, rule: str) -> Rule:
        return self.rules[rule]

    def explain(self, rule: str) -> Explanation:
        """What a rule says of itself, for people.

        Raises:
            KeyError: there is no such rule.
        """
        row = self.rules[rule]
        return Explanation(
            rule=row.id,
            severity=row.severity,
            confidence=row.confidence,
            what=row.what,
            why=row.why,
            fix=row.fix,
            contexts=tuple(sorted(row.contexts)),
            languages=tuple(sorted(row.languages)),
            references=row.references,
        )


def examples(rule: str) -> dict[str, list[str]]:
    """Texts that a rule finds (`match`) and passes (`no_match`), as its author wrote them."""
    from skillpm.formats.yaml import load_rows

    category, _, name = rule.partition("/")
    source = resources.files("skillpm") / "data" / "rules" / f"{category}.yaml"
    rows = load_rows(source.read_text("utf-8")) if source.is_file() else []
    row: dict[str, Any] = next((row for row in rows if row.get("id") == name), {})
    return {key: list(row.get(key, [])) for key in ("match", "no_match")}


@cache
def default_rules() -> RuleSet:
    """The rules that ship with the package; read once, when first asked for."""
    source = resources.files("skillpm") / "data" / "rules" / "rules.json"
    return rule_set(json.loads(source.read_text("utf-8")))


def rule_set(compiled: dict[str, Any]) -> RuleSet:
    """A rule set from its compiled form."""
    rules = [_rule(row) for row in compiled["rules"]]
    return RuleSet(
        version=f"{ENGINE}.{compiled['hash'][:12]}",
        rules={rule.id: rule for rule in rules},
        trusted_installers=tuple(compiled["trusted_installers"]),
        terms={
            name: Term(text, frozenset(map(str.lower, needs)))
            for name, (text, needs) in compiled["terms"].items()
        },
        languages={name: frozenset(marks) for name, marks in compiled["languages"].items()},
    )


def _rule(row: dict[str, Any]) -> Rule:
    return Rule(
        id=row["id"],
        severity=Severity[row["severity"].upper()],
        confidence=row["confidence"],
        what=row["what"],
        why=row["why"],
        fix=row["fix"],
        view=row["view"],
        contexts=frozenset(map(Role, row["contexts"])),
        languages=frozenset(row["languages"]),
        patterns=tuple(
            Pattern(text, width, _literals(needs)) for text, width, needs in row["patterns"]
        ),
        sayings=tuple(map(tuple, row["says"])),
        near=tuple(row["near"]),
        reach=row["reach"],
        unless=tuple(row["unless"]),
        check=row["check"],
        lowers=row["lowers"],
        references=tuple(row.get("references", ())),
    )


def _literals(needs: Iterable[Iterable[str]]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(str.lower, some)) for some in needs)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled once for the process."""
    return re.compile(pattern)


def matches(patterns: Iterable[Pattern], text: str, index: Index) -> Iterator[Span]:
    """Where some patterns of `RuleSet.candidates` match, without looking at the context."""
    for pattern in patterns:
        expression = compiled(pattern.text)
        for start, end in _windows(_places(pattern, index)[:MAX_WINDOWS], pattern.width):
            yield from (found.span() for found in expression.finditer(text, start, end))


def crowded(patterns: Iterable[Pattern], index: Index) -> bool:
    """Whether there are more places than are tried: then the text was not looked at completely."""
    return any(len(_places(pattern, index)) > MAX_WINDOWS for pattern in patterns)


def _places(pattern: Pattern, index: Index) -> list[Span]:
    """The places of its best set of literals; where they are many, those near the other sets."""
    found = index.places(pattern.needs[0])
    for needs in pattern.needs[1:]:
        if len(found) > FEW:
            places = index.places(needs)
            found = [span for span in found if _is_near(span, places, pattern.width)]
    return found


def _is_near(span: Span, places: list[Span], width: int) -> bool:
    at = bisect_left(places, (span[0] - width, 0))
    return at < len(places) and places[at][0] <= span[1] + width


def _windows(spans: list[Span], width: int) -> Iterator[Span]:
    """The spans widened by the length of a match, overlapping ones joined."""
    start, end = -1, -1
    for low, high in spans:
        if low - width <= end:
            end = max(end, high + width + 2)
            continue
        if end >= 0:
            yield start, end
        start, end = max(low - width, 0), high + width + 2
    yield start, end
