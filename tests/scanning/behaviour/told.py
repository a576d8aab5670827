"""Acts as plain words, so that tables of tests can be read."""

from __future__ import annotations

from collections.abc import Sequence

from skillpm.scanning.behaviour.acts import HOLE, Act, Carries, FrontEnd, Source


def labels(carries: Carries) -> str:
    return "+".join((flag.name or "").lower() for flag in carries)


def words_of(act: Act) -> str:
    """`send https://x.example with secret_file+encoded how upload`; `?` for what is not known."""
    said = f"{act.deed} {act.target.replace(HOLE, '?').strip()}"
    if act.carries:
        said += f" with {labels(act.carries)}"
    if act.how:
        said += f" how {'+'.join(sorted(act.how))}"
    return said


def told(front: FrontEnd, text: str, path: str = "run") -> list[str]:
    return [words_of(act) for _, act in front.acts([Source(path, text)])]


def told_of(front: FrontEnd, files: dict[str, str]) -> list[tuple[str, str]]:
    """The acts of several files, each with the file it stands in."""
    sources = [Source(path, text) for path, text in files.items()]
    return [(sources[number].path, words_of(act)) for number, act in front.acts(sources)]


def slices(front: FrontEnd, text: str, path: str = "run") -> list[tuple[str, str]]:
    """Each act's deed and what stands in the text at its place."""
    acts: Sequence[tuple[int, Act]] = list(front.acts([Source(path, text)]))
    return [(act.deed.value, text[act.start : act.end]) for _, act in acts]
