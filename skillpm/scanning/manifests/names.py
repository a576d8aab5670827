"""Names of packages that are easily taken for the name of another, much used one."""

from __future__ import annotations

from functools import cache
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.manifests.distance import distance_is_one
from skillpm.scanning.manifests.neighbours import NEIGHBOURS
from skillpm.scanning.manifests.popular import DRESSED, FOREMOST, REGISTRIES, SCOPES, popular

LOOK_ALIKE: Final = "supply-chain/look-alike-name"
MISSPELT: Final = "supply-chain/misspelt-name"

_SEPARATORS: Final = regex(r"[-_.]{1,20}")
_NAME: Final = regex(r"[a-z0-9][a-z0-9._-]{2,60}")
_SHORTEST: Final = 5
_LONG: Final = 6
_SWAPPED: Final = str.maketrans("015", "ols")
_DRESS: Final = regex(
    r"^(?:python[-_.]?|py[-_.]|node[-_.]|nodejs[-_.]?|js[-_.]|the[-_.]?|real[-_.]?"
    r"|official[-_.]?|secure[-_.])"
    r"|(?:[-_.]?python3?|[-_.]py3?|[-_.]?nodejs|[-_.]node|[-_.]js|js|[-_.]?lib|[-_.]official"
    r"|[-_.]?pro"
    r"|[-_.]secure|[-_.]latest|[-_.]?[0-9]{1,2})$"
)


def taken_for(name: str, ecosystem: str) -> str:
    """The much used package that a name is easily taken for; "" when it is none.

    A name that is itself much used, in any ecosystem, is taken for nothing; neither is one that
    is known to be honest although it is close.

    Args:
        name: as it is written in a manifest or an install command.
        ecosystem: one of `popular.REGISTRIES`.
    """
    if name.startswith("@"):
        return _scope(name)
    plain = name.lower()
    if not _NAME.fullmatch(plain) or plain in _honest() or _normal(plain) in _honest():
        return ""
    return _same_letters(plain, ecosystem) or _one_off(plain, ecosystem) or _dressed(plain)


def is_misspelt(name: str, known: str) -> bool:
    """Whether a name is another one with two letters swapped, or one doubled or not doubled.

    Nobody calls a package so who doesn't wait for people who mistype the other. Of the foremost
    names it is any letter.
    """
    if min(len(name), len(known)) < _LONG or not distance_is_one(name, known):
        return False
    if known in popular(FOREMOST):
        return True
    if len(name) == len(known):
        return sorted(name) == sorted(known)
    longer, shorter = sorted((name, known), key=len, reverse=True)
    at = next((i for i, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), -1)
    return at != 0 and longer[at] == longer[at - 1]


def look_alike(name: str, ecosystem: str) -> tuple[str, str]:
    """The rule for a name that is taken for another, and both names; two "" for an honest one."""
    known = taken_for(name, ecosystem)
    if not known:
        return "", ""
    rule = MISSPELT if is_misspelt(name.lower(), known) else LOOK_ALIKE
    return rule, f"{name}, {known}"


def _scope(name: str) -> str:
    scope = name[1:].partition("/")[0].lower()
    if scope in popular(SCOPES) or len(scope) < _SHORTEST or scope in NEIGHBOURS:
        return ""
    for known in popular(SCOPES):
        if distance_is_one(scope, known) or scope.replace("-", "") == known.replace("-", ""):
            return f"@{known}"
    return ""


def _same_letters(name: str, ecosystem: str) -> str:
    """Only separators differ, or letters that look like others."""
    found = _squeezed(ecosystem).get(_SEPARATORS.sub("", name))
    if found and _normal(found) != _normal(name) and len(name) > _SHORTEST:
        return found
    folded = name.translate(_SWAPPED).replace("rn", "m").replace("vv", "w")
    return folded if folded != name and folded in popular(ecosystem) else ""


def _one_off(name: str, ecosystem: str) -> str:
    if len(name) < _SHORTEST:
        return ""
    shorter = {name[:i] + name[i + 1 :] for i in range(len(name))}
    near = set(_deletions(ecosystem).get(name, ()))
    for one in shorter:
        near.update(_deletions(ecosystem).get(one, ()))
    near |= shorter & popular(ecosystem)
    found = (known for known in sorted(near) if len(known) >= _SHORTEST)
    same_start = (known for known in found if len(name) > _SHORTEST or known[0] == name[0])
    return next((known for known in same_start if distance_is_one(name, known)), "")


def _dressed(name: str) -> str:
    bare = _DRESS.sub("", name, count=1)
    return bare if bare != name and bare in popular(DRESSED) else ""


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name)


@cache
def _honest() -> frozenset[str]:
    known = frozenset().union(*map(popular, REGISTRIES))
    return known | NEIGHBOURS | {_normal(name) for name in known}


@cache
def _squeezed(ecosystem: str) -> dict[str, str]:
    return {_SEPARATORS.sub("", name): name for name in sorted(popular(ecosystem))}


@cache
def _deletions(ecosystem: str) -> dict[str, tuple[str, ...]]:
    """Each name with one letter left out, and the names that it came from."""
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(popular(ecosystem)):
        for i in range(len(name)):
            shorter = name[:i] + name[i + 1 :]
            found[shorter] = (*found.get(shorter, ()), name)
    return found
