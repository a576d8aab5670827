"""What skills need that is not here: names of variables, commands, other skills; never a value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import NamedTuple

from skillpm.edges.host import Host
from skillpm.errors import SkillError
from skillpm.model.requirements import NOTHING, Missing, Requirements, requirements_from
from skillpm.model.text import safe
from skillpm.model.tree import Tree
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped


class Needs(NamedTuple):
    """What a skill says that it needs, and what of that is missing."""

    requirements: Requirements
    missing: Missing


def needs_of(tree: Tree) -> Requirements:
    """What the skill with those files says; nothing when its document cannot be read."""
    from skillpm.formats.document import read_document
    from skillpm.formats.requirements import requirements_of

    try:
        return requirements_of(read_document(tree.entry).header.values)
    except SkillError:
        return NOTHING


def missing(
    host: Host,
    wanted: Requirements,
    usable: Collection[str],
    program: Callable[[str], str] | None = None,
) -> Missing:
    """What is not here.

    Args:
        host: whose variables and programs count.
        wanted: what a skill needs.
        usable: the names of skills that can be used here.
        program: where a program lies; as the host says when nothing.
    """
    found = program or host.program
    return wanted.missing(lambda name: host.env.get(name, ""), found, usable.__contains__)


def weigh(host: Host, told: Mapping[str, str], usable: Collection[str]) -> dict[str, Needs]:
    """What many skills need and what of it is missing, each program looked for once.

    Args:
        host: whose variables and programs count.
        told: the name of a skill to what is written down of its needs.
        usable: the names of skills that can be used here.
    """
    program = cache(host.program)
    wanted = {name: requirements_from(text) for name, text in told.items()}
    return {n: Needs(one, missing(host, one, usable, program)) for n, one in wanted.items()}


def usable_names(workspace: Workspace) -> frozenset[str]:
    """The names of all skills that can be used here."""
    names = set(workspace.shelf.library.found())
    return frozenset(names | {one.name for one in shipped.skills() if one.builtin})


def told(lacking: Missing, name: str) -> str:
    """One line about what is missing, for whoever is to use the skill; "" for nothing."""
    return f"{safe(name)} needs {lacking}, which is not here" if lacking else ""
