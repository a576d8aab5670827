"""The rule files as people write them: read, checked, expanded and compiled to `rules.json`.

`python tests/scanning/rulebook.py` writes the compiled file; a test fails when it is out of date.
In a pattern a space stands for one to eight characters of white space, and `{{name}}` for an
entry of `vocabulary.yaml`. What a rule `says` are concepts of `lexicon.yaml` that stand in one
sentence: `drop & prior & orders`, the rarest first; `a > b` is one soon after the other.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final

import yaml

from scanning import lexicon
from skillpm.scanning.index import EDGE

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "skillpm" / "data" / "rules"
COMPILED: Final = FOLDER / "rules.json"
DEFAULTS: Final[dict[str, Any]] = {
    "confidence": "high",
    "view": "command",
    "contexts": [],
    "languages": [],
    "patterns": [],
    "says": [],
    "near": [],
    "reach": 0,
    "unless": [],
    "check": "",
    "lowers": True,
    "references": [],
}
EXAMPLES: Final = ("match", "no_match", "path")
_CLASS: Final = re.compile(r"(?<!\\)\[(?:\\.|[^\]\\])+\]")
MOST_LITERALS: Final = 40
MOST_SETS: Final = 3
SHORTEST: Final = 3
REQUIRED: Final = ("id", "severity", "what", "why", "fix")


def read(name: str) -> Any:
    """One of the YAML files."""
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))


def rows() -> list[dict[str, Any]]:
    """Every rule as written, examples included, its id completed by the file's category."""
    found = []
    for file in sorted(FOLDER.glob("*.yaml")):
        if file.stem in ("vocabulary", "destinations", "lexicon"):
            continue
        for row in read(file.stem):
            unknown = set(row) - set(DEFAULTS) - set(EXAMPLES) - set(REQUIRED)
            missing = set(REQUIRED) - set(row)
            if unknown or missing:
                raise ValueError(f"{file.name}: {row.get('id')}: {unknown=} {missing=}")
            found.append({**row, "id": f"{file.stem}/{row['id']}"})
    return found


def expand(pattern: str, words: dict[str, str]) -> str:
    """The pattern with vocabulary filled in and spaces made flexible."""
    for _ in range(5):
        pattern = re.sub(r"\{\{(\w+)\}\}", lambda m: f"(?:{words[m[1]]})", pattern)
    outside = (_flexible(part) for part in _CLASS.split(pattern))
    inside = (part.replace(" ", r"\s") for part in _CLASS.findall(pattern))
    return "".join(chain.from_iterable(zip_longest(outside, inside, fillvalue="")))


def _flexible(part: str) -> str:
    return part.replace(" ?", r"\s{0,8}").replace(" ", r"\s{1,8}")


def width(pattern: str) -> int:
    """The longest match the pattern can have."""
    from re import _parser  # type: ignore[attr-defined]

    return int(_parser.parse(pattern).getwidth()[1])


def needs(pattern: str) -> list[list[str]]:
    """Sets of literals; every match contains at least one of each set. The best sets first."""
    from re import _parser  # type: ignore[attr-defined]

    certain = {
        frozenset(_shortest({tidy(one) for one in found}))
        for found in _certain(_parser.parse(pattern))
    }
    ranked = sorted(certain, key=lambda found: (-_worth(set(found)), sorted(found)))
    good = [sorted(found) for found in ranked if min(map(len, found)) >= SHORTEST]
    return good[:MOST_SETS] or [sorted(found) for found in ranked[:1] if min(map(len, found))]


def tidy(literal: str) -> str:
    """Only the boundaries at the ends of a literal are of use."""
    inner = literal.strip(EDGE)
    longest = max(inner.split(EDGE), key=len)
    if longest != inner:
        return longest
    return EDGE * literal.startswith(EDGE) + inner + EDGE * (literal.endswith(EDGE) and inner != "")


def _shortest(literals: set[str]) -> set[str]:
    """Without the literals that contain another one of the set."""
    return {one for one in literals if not any(o != one and o in one for o in literals)}


def _best(sequence: Any) -> set[str]:
    return max(_certain(sequence), key=_worth)


def _certain(sequence: Any) -> list[set[str]]:
    """For each part of the sequence the literals of which one must be there."""
    found: list[set[str]] = []
    run = {""}
    for element in sequence:
        exact = _exact(element)
        if exact is not None and len(run) * len(exact) <= MOST_LITERALS:
            run = {head + tail for head in run for tail in exact}
            continue
        found.append(run)
        run = {""} if exact is None else exact
        if exact is None:
            found += _inner(element)
    return [*found, run]


def _worth(literals: set[str]) -> float:
    if any(not literal.strip(EDGE) for literal in literals):
        return -100
    shortest = min(map(len, literals))
    return min(shortest, 6) - len(literals) / 20


def _inner(element: Any) -> list[set[str]]:
    name, value = str(element[0]), element[1]
    if name == "SUBPATTERN":
        return _certain(value[3])
    if name == "MAX_REPEAT" and value[0] >= 1:
        return _certain(value[2])
    if name == "BRANCH":
        return [set().union(*(_best(branch) for branch in value[1]))]
    return []


def _exact(element: Any) -> set[str] | None:
    """Everything the element can be, when that is little."""
    name, value = str(element[0]), element[1]
    if name == "LITERAL":
        return {chr(value)}
    if name == "AT":
        return {EDGE if str(value) == "AT_BOUNDARY" else ""}
    if name == "SUBPATTERN":
        return _exact_all(value[3])
    if name == "BRANCH":
        parts = [_exact_all(branch) for branch in value[1]]
        return None if None in parts else _few(set().union(*(p for p in parts if p is not None)))
    if name == "MAX_REPEAT" and tuple(value[:2]) in {(0, 1), (1, 1)}:
        body = _exact_all(value[2])
        return None if body is None else _few(body | ({""} if value[0] == 0 else set()))
    if name == "IN" and len(value) <= 3 and all(str(kind) == "LITERAL" for kind, _ in value):
        return {chr(code) for _, code in value}
    return None


def _exact_all(sequence: Any) -> set[str] | None:
    found = {""}
    for element in sequence:
        exact = _exact(element)
        if exact is None or len(found) * len(exact) > MOST_LITERALS:
            return None
        found = {head + tail for head in found for tail in exact}
    return found


def _few(found: set[str]) -> set[str] | None:
    return found if len(found) <= MOST_LITERALS else None


def compile_rules() -> dict[str, Any]:
    """The compiled form of all rules."""
    words, concepts = read("vocabulary"), read("lexicon")
    compiled = []
    for row in rows():
        plain = {key: row.get(key, default) for key, default in DEFAULTS.items()}
        plain |= {key: " ".join(str(row[key]).split()) for key in REQUIRED}
        for key in ("near", "unless"):
            plain[key] = [expand(pattern, words) for pattern in plain[key]]
        expanded = [expand(pattern, words) for pattern in plain["patterns"]]
        plain["patterns"] = [[text, width(text), needs(text)] for text in expanded]
        said = (lexicon.in_each_language(formula, concepts) for formula in plain["says"])
        plain["says"] = list(chain.from_iterable(said))
        compiled.append(plain)
    used = sorted({term for row in compiled for saying in row["says"] for term in saying})
    terms = {term: _term(term, concepts) for term in used}
    marks = {tongue: lexicon.marks(words) for tongue, words in concepts["language"].items()}
    body: dict[str, Any] = {
        "rules": compiled,
        "terms": terms,
        "languages": marks,
        **read("destinations"),
    }
    canonical = json.dumps(body, sort_keys=True).encode()
    return {"hash": hashlib.sha256(canonical).hexdigest(), **body}


def _term(term: str, concepts: lexicon.Concepts) -> list[Any]:
    """The expression for RE2, and literals of which every match has one."""
    return [lexicon.expression(term, concepts), needs(lexicon.for_literals(term, concepts))[0]]


def rendered() -> str:
    """The exact text of the compiled file."""
    return json.dumps(compile_rules(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    COMPILED.write_text(rendered(), "utf-8")
    sys.stdout.write(f"wrote {COMPILED.relative_to(ROOT)}\n")
