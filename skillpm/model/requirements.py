"""What a skill says that it needs: variables, commands and other skills; never a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Variable(NamedTuple):
    """An environment variable.

    Attributes:
        help: what its author says of how to get one; not safe to print.
        optional: whether the skill works without it.
        purpose: what it is for; not safe to print.
    """

    name: str
    help: str = ""
    optional: bool = False
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Requirements:
    """Everything that a skill needs, in the order in which it says so.

    Attributes:
        commands: each a choice of programs, of which one is enough.
        skills: references to other skills: `name`, `tap/name`, `@owner/name`, `hub:@owner/name`.
    """

    variables: tuple[Variable, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    skills: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.variables or self.commands or self.skills)

    def __str__(self) -> str:
        return _words(self.variables, self.commands, self.skills)

    def missing(
        self,
        value: Callable[[str], str],
        program: Callable[[str], str],
        skill: Callable[[str], bool],
    ) -> Missing:
        """What is not there.

        Args:
            value: of a variable; blank is as good as none.
            program: where one lies; "" for nowhere.
            skill: whether one of that name can be used here.
        """
        return Missing(
            tuple(v for v in self.variables if not v.optional and not value(v.name).strip()),
            tuple(names for names in self.commands if not any(map(program, names))),
            tuple(one for one in self.skills if not skill(local_name(one))),
        )

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {
            "variables": [variable._asdict() for variable in self.variables],
            "commands": [list(names) for names in self.commands],
            "skills": list(self.skills),
        }

    def as_text(self) -> str:
        """What `requirements_from` reads; "" for nothing."""
        return json.dumps(self.as_json()) if self else ""


@dataclass(frozen=True, slots=True)
class Missing:
    """What of a skill's needs is not there on this machine."""

    variables: tuple[Variable, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    skills: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.variables or self.commands or self.skills)

    def __str__(self) -> str:
        return _words(self.variables, self.commands, self.skills)

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary: of variables the names, and never anything of their values."""
        return {
            "variables": [variable.name for variable in self.variables],
            "commands": [list(names) for names in self.commands],
            "skills": list(self.skills),
        }


NOTHING = Requirements()

_WORDS = ("requir", "prerequisites", "collect_secrets", "depends", "envVars", "\\")


def may_require(document: str) -> bool:
    """Whether a document's header could say that anything is needed; it is not parsed for that.

    Every key that is read for it has one of the words, unless it is written with escapes.
    """
    if not document.startswith("---"):
        return False
    header = document.split("\n---", 1)[0]
    return any(word in header for word in _WORDS)


def _words(
    variables: Iterable[Variable], commands: Iterable[tuple[str, ...]], skills: Iterable[str]
) -> str:
    words = [variable.name for variable in variables]
    words += [f"command {' or '.join(names)}" for names in commands]
    words += [f"skill {one}" for one in skills]
    return ", ".join(words)


def local_name(reference: str) -> str:
    """The name under which a referenced skill is installed."""
    return reference.rpartition("/")[2].partition("@")[0]


def requirements_from(text: str) -> Requirements:
    """What `Requirements.as_text` wrote; nothing for "".

    Raises:
        ValueError: the text is something else.
    """
    if not text:
        return NOTHING
    try:
        value = json.loads(text)
        return Requirements(
            tuple(Variable(**one) for one in value["variables"]),
            tuple(tuple(map(str, names)) for names in value["commands"]),
            tuple(map(str, value["skills"])),
        )
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"it tells of no requirements: {error}") from None
