"""What the code of a skill reaches for: a summary for people, compared between two versions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What code does, each kind sorted and without repetitions.

    What is only known when the code runs is left out.

    Attributes:
        hosts: that it talks to.
        reads: files outside its own folder that it reads.
        writes: files outside its own folder that it writes or deletes.
        commands: programs that it starts.
        variables: of the environment that it reads; `*` for all.
        captures: what of the user it watches: clipboard, keyboard, screen, …
        unsaid: hosts that no document of the skill names.
    """

    hosts: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    captures: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()

    def beyond(self, other: Capabilities) -> Capabilities:
        """What is here and not in the other: what an update adds."""
        return Capabilities(
            *(
                tuple(sorted({*getattr(self, kind.name)} - {*getattr(other, kind.name)}))
                for kind in fields(self)
            )
        )

    @property
    def any(self) -> bool:
        """Whether there is anything at all."""
        return self != NOTHING

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary of lists."""
        return {kind: list(found) for kind, found in asdict(self).items()}


NOTHING: Final = Capabilities()
"""Code that reaches for nothing, or no code."""
