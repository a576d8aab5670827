"""All sources of a skill as one program: what an import means, in what order code runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import Deed, Source
from skillpm.scanning.behaviour.python.calls import ROWS, SPECIALS, carry_out, standalone
from skillpm.scanning.behaviour.python.expressions import EXPRESSIONS
from skillpm.scanning.behaviour.python.heat import Heat, hot_sources
from skillpm.scanning.behaviour.python.machine import (
    Exhausted,
    Function,
    Language,
    Machine,
    Module,
)
from skillpm.scanning.behaviour.python.parsing import Command, read
from skillpm.scanning.behaviour.python.source_calls import ATTRIBUTES, TEXTS
from skillpm.scanning.behaviour.python.statements import STATEMENTS
from skillpm.scanning.behaviour.python.values import CLEAN, Flow

_MAX_PARTS: Final = 6


class Program:
    """The modules of a skill, and where an import leads."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.modules: list[Module] = []
        self.unread: set[int] = set()
        self._by_name: dict[str, list[Module]] = {}
        hot = hot_sources(sources)
        for number, source in enumerate(sources):
            reading = read(source.text) if hot[number] else None
            if reading is None:
                continue
            if not reading.whole and source.whole:
                self.unread.add(number)
            module = Module(number, source.path, source.text, reading)
            self.modules.append(module)
            if source.whole:
                for name in _names_of(source.path):
                    self._by_name.setdefault(name, []).append(module)
        known = frozenset({*ROWS, *SPECIALS, *ATTRIBUTES, *TEXTS})
        self.machine = Machine(Language(EXPRESSIONS, STATEMENTS, carry_out, self._imported, known))

    def run(self) -> None:
        """Goes through every module, then through the functions that nobody called."""
        for module in self.modules:
            self._commands(module)
            self.machine.begin()
            self._run_module(self.machine, module)
        for module in self.modules:
            self.machine.begin()
            self._run_uncalled(module)

    def _commands(self, module: Module) -> None:
        """The lines of a notebook that go to a shell."""
        for command in module.reading.commands:
            deed = Deed.RUN if command.install else Deed.INTERPRET
            self.machine.ledger.note(
                (module.number, deed, command.start, command.end, command.text, "shell"),
                *_manner(command),
            )

    def _run_module(self, machine: Machine, module: Module) -> None:
        if module.begun:
            return
        module.begun = True
        state = (machine.frame, machine.depth, machine.loops, machine.calls)
        machine.frame, machine.loops = module.frame, 0
        try:
            machine.run(module.reading.tree.body)
            machine.catch_up()
        except (Exhausted, RecursionError):
            self.unread.add(module.number)
        machine.frame, machine.depth, machine.loops, machine.calls = state

    def _run_uncalled(self, module: Module) -> None:
        """The functions that nobody called, again while that shows more of them to be hot.

        Twice each at most: what one method keeps in its object may flow out of another.
        """
        heat = Heat(module)
        done: Counter[Function] = Counter()
        while True:
            own = [one for one in self.machine.functions.values() if one.frame.module is module]
            alone = [one for one in own if one.alone or one.node not in self.machine.called]
            hot = [one for one in heat.hot(alone) if done[one] < 2]
            if not hot:
                return
            for function in hot:
                done[function] += 1
                if not self._run_alone(module, function):
                    return

    def _run_alone(self, module: Module, function: Function) -> bool:
        """Goes through a function as if someone called it; whether there are steps left."""
        machine = self.machine
        function.alone = True
        machine.frame, machine.depth, machine.loops, machine.calls = module.frame, 0, 0, 0
        try:
            standalone(machine, function)
            machine.catch_up()
        except Exhausted:
            return False
        except RecursionError:
            return True
        return True

    def _imported(self, machine: Machine, name: str, level: int) -> Module | None:
        """The module of the skill that an import means, run before it is used."""
        importer = machine.frame.module
        if level:
            folder = importer.path
            for _ in range(level):
                folder = folder.rpartition("/")[0]
            parts = [*folder.split("/"), *name.split(".")]
            name = ".".join(part for part in parts if part)
        found = self._by_name.get(name)
        if not found:
            return None
        folder = importer.path.rpartition("/")[0]
        module = max(found, key=lambda one: (one.path.startswith(folder), -len(one.path)))
        if module is not importer:
            self._run_module(machine, module)
        return module


def _manner(command: Command) -> tuple[Flow, frozenset[str]]:
    return CLEAN, frozenset({"install"} if command.install else ())


def _names_of(path: str) -> list[str]:
    """The names a file can be imported by: from its own folder, and from those above it."""
    if not path.endswith((".py", ".pyw")):
        return []
    parts = path.rpartition(".")[0].split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return [
        ".".join(parts[number:]) for number in range(max(len(parts) - _MAX_PARTS, 0), len(parts))
    ]
