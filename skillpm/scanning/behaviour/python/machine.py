"""The state of one run over the sources of a skill, and the steps that every part of it shares.

The machine goes through code in order with abstract values. What an expression, a statement or a
call means stands in tables that it is given, so that the parts need not know each other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from skillpm.scanning.behaviour.acts import HOLE, Deed, Hop
from skillpm.scanning.behaviour.python.ledger import Ledger
from skillpm.scanning.behaviour.python.parsing import Reading
from skillpm.scanning.behaviour.python.values import (
    CLEAN,
    NOTHING,
    SECRET,
    Flow,
    Thing,
    Value,
    both,
    constant,
    flow_of,
    joined,
)

STEPS: Final = 600_000
"""So many nodes are visited for one source, counting those visited again."""

_RESERVE: Final = 450_000
"""So many steps are kept for what was not visited yet, more than a source has characters: nothing
is visited again from there on, and nothing can hide behind what takes long."""

_MAX_SECRETS: Final = 100
_ALL_STEPS: Final = 3_000_000
_DEPTH: Final = 70
_UNROLLED: Final = 20_000
_FOLDED: Final = 8_000_000

Body: TypeAlias = list[ast.stmt]


class Exhausted(Exception):  # noqa: N818  # it ends a walk, it tells of no error
    """The budget of a source is used up."""


@dataclass(slots=True, eq=False)
class Module(Thing):
    """A source as a module: what stands in it, and the names it has when it was run."""

    number: int
    path: str
    text: str
    reading: Reading
    begun: bool = False
    stars: list[str] = field(default_factory=list)
    frame: Frame = field(init=False)

    def __post_init__(self) -> None:
        self.frame = Frame(self)


@dataclass(slots=True, eq=False)
class Frame:
    """The names of a module or of one call of a function.

    Attributes:
        module: whose code it is.
        outer: the frame around it.
        names: what each name stands for now.
        shared: the names that belong to the module although a function assigns them.
        returned: what the function may return.
        owner: the class whose method it is.
        log: the names that were assigned in the present branch, with what they were before.
    """

    module: Module
    outer: Frame | None = None
    names: dict[str, Value] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()
    returned: list[Value] = field(default_factory=list)
    owner: Class | None = None
    log: list[tuple[str, Value | None]] | None = None

    def put(self, name: str, value: Value) -> None:
        """Gives a name its value."""
        if self.log is not None:
            self.log.append((name, self.names.get(name)))
        self.names[name] = value


@dataclass(slots=True, eq=False)
class Stored(Thing):
    """A file that is open, or the contents of one.

    Attributes:
        path: the texts of its path.
        flow: what it holds.
        writing: whether it was opened to be written.
        spot: where it was opened to be written: the node and the frame it was met in.
        append: whether what is written comes after what is there.
    """

    path: tuple[str, ...]
    flow: Flow = CLEAN
    writing: bool = False
    spot: tuple[ast.expr, Frame] | None = None
    append: bool = False

    def held(self) -> Flow:
        """What was read from it or written to it."""
        return self.flow


@dataclass(slots=True, eq=False)
class Function(Thing):
    """A function, method or lambda of the skill.

    Attributes:
        node: its definition.
        frame: the names around it.
        owner: the class it is a method of.
        known: what it returned, by what it was given.
        active: how many of its calls are being gone through.
        alone: whether it was gone through because nobody calls it.
        acts: whether it did anything so far.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    frame: Frame
    owner: Class | None = None
    known: dict[object, Value] = field(default_factory=dict)
    active: int = 0
    alone: bool = False
    acts: bool = False


@dataclass(slots=True, eq=False)
class Class(Thing):
    """A class of the skill; what its instances hold is kept for all of them together."""

    node: ast.ClassDef
    frame: Frame
    bases: tuple[Value, ...] = ()
    names: dict[str, Value] = field(default_factory=dict)
    version: int = 0


@dataclass(slots=True, eq=False)
class Instance(Thing):
    """An instance of a class of the skill; `above` looks names up in its bases only."""

    owner: Class
    above: bool = False


@dataclass(slots=True, eq=False)
class Bound(Thing):
    """A method and its instance."""

    function: Function
    instance: Value


@dataclass(slots=True)
class Call:
    """One call: of what, with what.

    Attributes:
        node: where.
        callee: what is called.
        positional: the arguments without names.
        keywords: those with.
        receiver: before the dot of a method.
        method: after it.
        spread: the flow of arguments that are not known one by one (`*rest`).
    """

    node: ast.expr
    callee: Value
    positional: list[Value]
    keywords: dict[str, Value]
    receiver: Value = NOTHING
    method: str = ""
    spread: Flow = CLEAN

    def argument(self, *keys: int | str) -> Value:
        """The first argument that was given under one of some positions and names."""
        for key in keys:
            if isinstance(key, str):
                if key in self.keywords:
                    return self.keywords[key]
            elif key < len(self.positional):
                return self.positional[key]
        return NOTHING

    def has(self, *keys: int | str) -> bool:
        """Whether an argument was given."""
        return any(
            key in self.keywords if isinstance(key, str) else key < len(self.positional)
            for key in keys
        )

    def everything(self) -> tuple[Value, ...]:
        """Every argument that is known by itself."""
        return (*self.positional, *self.keywords.values())

    def flow(self, *without: str) -> Flow:
        """All that flows in by arguments, but for some names."""
        found = both(flow_of(self.positional), self.spread)
        for key, value in self.keywords.items():
            if key not in without:
                found = both(found, flow_of((value,)))
        return found


Expression: TypeAlias = Callable[["Machine", Any], Value]
Statement: TypeAlias = Callable[["Machine", Any], None]


@dataclass(frozen=True, slots=True)
class Language:
    """What the nodes of a tree mean, and how a call is carried out.

    Attributes:
        expressions: the meaning of each kind of expression.
        statements: that of each kind of statement.
        call: carries out a call.
        imported: the module of the skill that an import means, already run.
        known: the full names of all functions that are known.
    """

    expressions: Mapping[type[ast.AST], Expression]
    statements: Mapping[type[ast.AST], Statement]
    call: Callable[[Machine, Call], Value]
    imported: Callable[[Machine, str, int], Module | None]
    known: frozenset[str]


class Machine:
    """Goes through the code of one skill."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._expressions = language.expressions
        self.functions: dict[ast.AST, Function] = {}
        self.called: set[ast.AST] = set()
        self.ledger = Ledger()
        self.contents: dict[str, Flow] = {}
        self.secrets: dict[str, Flow] = {}
        self.frame: Frame = Frame.__new__(Frame)
        self.loops = 0
        self.calls = 0
        self._exact = 0
        self._left = _ALL_STEPS
        self.steps = STEPS
        self.begin()

    def begin(self) -> None:
        """Fills the budgets for one source."""
        self._left -= STEPS - self.steps
        self.steps = min(STEPS, max(self._left, _RESERVE))
        self.unrolled = _UNROLLED
        self._folded = _FOLDED
        self.depth = 0
        self._later: list[tuple[ast.expr, Frame]] = []

    def value(self, node: ast.expr) -> Value:
        """What an expression gives; what it does is noted on the way."""
        if isinstance(node, ast.Constant):
            return constant(node.value)
        if isinstance(node, ast.Name):
            found = self.frame.names.get(node.id)
            if found is not None:
                return found
        meaning = self._expressions.get(node.__class__)
        if meaning is None:
            return NOTHING
        self.steps -= 1
        if self.steps < 0:
            raise Exhausted
        if self.depth > _DEPTH:
            self._later.append((node, self.frame))
            return NOTHING
        self.depth += 1
        found = meaning(self, node)
        self.depth -= 1
        return found

    def run(self, body: Body) -> None:
        """Carries out statements in order."""
        meanings = self.language.statements
        for statement in body:
            meaning = meanings.get(statement.__class__)
            if meaning is not None:
                self.steps -= 1
                if self.steps < 0:
                    raise Exhausted
                self.depth += 1
                if self.depth < _DEPTH * 2:
                    meaning(self, statement)
                self.depth -= 1

    def catch_up(self) -> None:
        """Goes through what was too deep when it was met."""
        self.depth = 0
        while self._later:
            node, self.frame = self._later.pop()
            self.value(node)

    def call(self, call: Call) -> Value:
        """Carries out a call."""
        return self.language.call(self, call)

    def call_back(self, callee: Value, given: Sequence[Value], node: ast.expr) -> Value:
        """Calls what was handed over as a value."""
        return self.call(Call(node, callee, list(given), {}))

    def hop(self, node: ast.AST, words: str) -> Hop:
        """A step of a trail, at a node of the module that is run."""
        module = self.frame.module
        start = module.reading.places.span(node)[0]
        return Hop(start, words[:80], module.path)

    def source(self, node: ast.AST, labels: int, words: str) -> Flow:
        """A flow that begins at a node."""
        return Flow(labels, frozenset(), (self.hop(node, words),))

    def emit(  # noqa: PLR0913, PLR0917  # an act has as many parts
        self,
        deed: Deed,
        node: ast.AST,
        targets: Sequence[str],
        flow: Flow = CLEAN,
        how: frozenset[str] = frozenset(),
        language: str = "",
    ) -> None:
        """Notes an act for each of the texts that its target may be."""
        module = self.frame.module
        span = module.reading.places.span(node)
        if self.loops and not self._exact:
            how = how | {"loop"}
        for target in targets:
            self.ledger.note((module.number, deed, *span, target or HOLE, language), flow, how)

    def affords(self, characters: int) -> bool:
        """Whether a text of so many characters may still be put together."""
        self._folded -= characters // 8 + 1
        return self._folded > 0

    def affords_rounds(self, rounds: int) -> bool:
        """Whether a loop may be gone through so many times."""
        self.unrolled -= rounds
        return self.unrolled > 0 and self.ample

    @property
    def ample(self) -> bool:
        """Whether there are steps enough to visit something again."""
        return self.steps > _RESERVE

    def remember(self, paths: Sequence[str], flow: Flow) -> None:
        """Keeps what was written to files, for when they are read or run."""
        if flow.labels:
            for path in paths:
                if HOLE not in path or path.startswith("/tmp/"):  # noqa: S108  # for copies
                    self.contents[path] = both(self.contents.get(path, CLEAN), flow)
                    if flow.labels & SECRET and len(self.secrets) < _MAX_SECRETS:
                        self.secrets[path] = flow

    def assign(self, name: str, value: Value) -> None:
        """Gives a name its value."""
        frame = self.frame
        if name in frame.shared:
            frame = frame.module.frame
            value = joined(frame.names.get(name, NOTHING), value)
        frame.put(name, value)

    def look_up(self, name: str) -> Value | None:
        """The value of a name in the frames that can be seen."""
        frame: Frame | None = self.frame
        while frame is not None:
            found = frame.names.get(name)
            if found is not None:
                return found
            frame = frame.outer
        return None

    def exactly(self, rounds: Callable[[], None]) -> None:
        """Runs something in which every round of a loop is gone through by itself."""
        self._exact += 1
        rounds()
        self._exact -= 1

    @property
    def exact(self) -> bool:
        """Whether every round of the loops around is gone through by itself."""
        return self._exact > 0
