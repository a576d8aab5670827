"""The summary of what all code of a skill reaches for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from skillpm.model.capability import Capabilities
from skillpm.model.regex import regex
from skillpm.scanning.behaviour import paths
from skillpm.scanning.behaviour.acts import HOLE, Act, Deed
from skillpm.scanning.behaviour.hosts import Place, host_of, place_of
from skillpm.scanning.behaviour.scene import Scene
from skillpm.scanning.facts import Doing

MOST: Final = 100
LONGEST: Final = 120
_TALK: Final = frozenset((Deed.SEND, Deed.FETCH))
_CHANGE: Final = frozenset((Deed.WRITE, Deed.DELETE, Deed.PERMIT))
_NAME: Final = regex(r"(?:\S{0,80}/)?([\w.+-]{1,40})(?:\s|$)")


def summary(doings: Iterable[Doing], scene: Scene) -> Capabilities:
    """What the code reaches for; at most `MOST` of a kind."""
    acts = [doing.act for doing in doings]
    hosts = _sorted(host for act in acts for host in _host(act))
    return Capabilities(
        hosts=hosts,
        reads=_sorted(path for act in acts if act.deed is Deed.READ for path in _outside(act)),
        writes=_sorted(path for act in acts if act.deed in _CHANGE for path in _outside(act)),
        commands=_sorted(name for act in acts if act.deed is Deed.RUN for name in _program(act)),
        variables=_sorted(act.target for act in acts if act.deed is Deed.VARIABLE),
        captures=_sorted(act.target for act in acts if act.deed is Deed.CAPTURE),
        unsaid=tuple(host for host in hosts if not scene.says(host)),
    )


def _sorted(words: Iterable[str]) -> tuple[str, ...]:
    known = {word[:LONGEST] for word in words if word and HOLE not in word}
    return tuple(sorted(known)[:MOST])


def _host(act: Act) -> Iterator[str]:
    if act.deed in _TALK and place_of(act.target) not in (Place.LOCAL, Place.CHOSEN):
        yield host_of(act.target)


def _outside(act: Act) -> Iterator[str]:
    """The path, when it does not lie in the skill's or the project's folder."""
    if act.target.startswith(("/", "~", "..")) or paths.in_home(act.target):
        yield act.target


def _program(act: Act) -> Iterator[str]:
    found = _NAME.match(act.target.strip())
    if found:
        yield found[1]
