"""What one version of a skill can do that another could not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from skillpm.model.text import safe

_WORDS: Final = {
    "scripts": "scripts",
    "executables": "executable files",
    "tools": "allowed tools",
    "hosts": "hosts",
    "commands": "commands",
    "reads": "files it reads",
    "writes": "files it writes",
    "variables": "environment variables",
    "captures": "what it watches",
}


@dataclass(frozen=True, slots=True)
class Gains:
    """What a version can do that another could not, each kind sorted.

    Attributes:
        scripts: files with code that were not there.
        executables: files that can be run and could not.
        tools: what `allowed-tools` names and did not.
        hosts: that its code talks to, and the rest as in `Capabilities`.
    """

    scripts: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    captures: tuple[str, ...] = ()

    @property
    def widens(self) -> bool:
        """Whether it runs, may use or reaches more: somebody must agree to that anew."""
        return bool(self.scripts or self.executables or self.tools or self.hosts)

    @property
    def any(self) -> bool:
        """Whether there is anything at all."""
        return self != Gains()

    def lines(self) -> Iterator[str]:
        """One line a kind, for people."""
        for kind in fields(self):
            found = getattr(self, kind.name)
            if found:
                yield f"{_WORDS[kind.name]}: {safe(', '.join(found))}"

    def as_json(self) -> dict[str, list[str]]:
        """A plain dictionary of lists."""
        return {kind.name: list(getattr(self, kind.name)) for kind in fields(self)}
