"""Methods of texts, arrays and functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries
from skillpm.scanning.behaviour.javascript.folding import bytes_of, joined, readable, string_method
from skillpm.scanning.behaviour.javascript.objects import Objects
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    MAX_ITEMS,
    Closure,
    Instance,
    Items,
    Known,
    Number,
    Record,
    Thing,
    number_of,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, origin

MAX_CALLS: Final = 8
"""A function is called for so many items of an array when it is more than an expression."""

_RECEIVER: Final = frozenset(
    [
        "filter",
        "sort",
        "slice",
        "trim",
        "values",
        "reverse",
        "flat",
        "concat",
        "toString",
        "forEach",
        "tap",
        "on",
        "once",
        "addListener",
        "addEventListener",
        "off",
        "finally",
        "catch",
        "setEncoding",
        "pipeThrough",
        "resume",
        "unref",
    ]
)


class Methods(Objects):
    """Calls methods."""

    def apply(
        self, function: Thing, arguments: Sequence[Thing], this: Thing | None = None
    ) -> Thing:
        """Calls a function."""
        raise NotImplementedError

    def provide(self, name: str, arguments: list[Thing], this: Thing | None) -> Thing:
        """Calls a function of the language or a library."""
        raise NotImplementedError

    def method(self, thing: Thing, name: str, arguments: list[Thing]) -> Thing:
        """Calls a method of a thing."""
        if isinstance(thing, CALLABLE):
            return self._of_function(thing, name, arguments)
        if name == "then" and arguments:
            return self._awaited(thing, arguments)
        if isinstance(thing, Items):
            return self._of_items(thing, name, arguments)
        if isinstance(thing, Instance):
            return self.provide(f"<{thing.kind}>.{name}", arguments, thing)
        if isinstance(thing, Number):
            return self._of_number(thing, name, arguments)
        if isinstance(thing, Record):
            found = self.member(thing, name)
            if not isinstance(found, Value):
                return self.apply(found, arguments, thing)
        if isinstance(thing, Value):
            return self._of_value(thing, name, arguments)
        return self.unknown([thing, *arguments], arguments)

    def _awaited(self, thing: Thing, arguments: Sequence[Thing]) -> Thing:
        """`promise.then(f)`."""
        outcome = self.apply(arguments[0], [thing])
        if isinstance(outcome, Value) and not outcome.text and not outcome.carries:
            return UNKNOWN
        return outcome

    def unknown(self, flowing: Sequence[Thing], arguments: Sequence[Thing]) -> Thing:
        """A function about which nothing is known: all may flow into its callbacks and result."""
        values = [
            self.inert(thing)
            for thing in flowing
            if not isinstance(thing, Known) and not isinstance(thing, CALLABLE)
        ]
        whole = origin(values)
        if len(values) == 1 and values[0].key and not values[0].known:
            whole = whole._replace(key=values[0].key)
        for thing in arguments:
            if isinstance(thing, Closure):
                self.apply(thing, [whole, whole])
        return whole

    def _of_function(self, function: Thing, name: str, arguments: list[Thing]) -> Thing:
        if name == "call":
            return self.apply(function, arguments[1:], arguments[0] if arguments else None)
        if name == "apply":
            given = arguments[1] if len(arguments) > 1 else UNKNOWN
            items = given.items if isinstance(given, Items) else [given]
            return self.apply(function, items, arguments[0] if arguments else None)
        if name == "bind":
            return function
        return self.unknown(arguments, arguments)

    def _of_number(self, number: Number, name: str, arguments: Sequence[Thing]) -> Thing:
        base = number_of(arguments[0]) if arguments else 10
        if name != "toString" or base is None or not 2 <= base <= 36:
            return Value(number.text)
        amount, digits = abs(int(number.amount)), ""
        while amount and len(digits) < 64:
            amount, digit = divmod(amount, base)
            digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        return Value(("-" if number.amount < 0 else "") + (digits or "0"))._replace(joined=True)

    def _of_value(self, value: Value, name: str, arguments: list[Thing]) -> Thing:
        if name == "pipe":
            return self.provide("<data>.pipe", arguments, value)
        if value.known:
            folded = string_method(name, value, arguments)
            if folded is not None:
                return folded
        callbacks = [thing for thing in arguments if isinstance(thing, CALLABLE)]
        outcome: Thing = UNKNOWN
        for callback in callbacks:
            outcome = self.apply(callback, [value, value])
        if name == "toString" and text_of(next(iter(arguments), None)) in ("base64", "hex"):
            return origin([value]).carrying(Carries.ENCODED)
        if name in _RECEIVER:
            return value
        flows = origin([self.flow(t) for t in (outcome, *arguments) if not isinstance(t, CALLABLE)])
        if name in ("map", "flatMap", "reduce", "replace") and callbacks:
            return outcome if not isinstance(outcome, Value) else origin([value, outcome, flows])
        if name in _ASKING:
            return UNKNOWN
        return origin([value, flows], HOLE, value.key)

    # Arrays

    def _of_items(self, items: Items, name: str, arguments: list[Thing]) -> Thing:
        handler = self.arrays.get(name)
        if handler is None:
            return self.unknown([items, *arguments], arguments)
        return handler(self, items, arguments)

    def _each(self, items: Items, arguments: Sequence[Thing]) -> list[Thing]:
        """What a function returns for each item."""
        if not arguments:
            return []
        function = arguments[0]
        limit = MAX_ITEMS if _is_expression(function) else MAX_CALLS
        given: list[Thing] = items.items[:limit]
        if items.rest.text or items.rest.carries or not given:
            given = [*given, items.rest if items.rest.text else UNKNOWN]
        results = []
        for number, item in enumerate(given):
            self.fuel -= 20
            if self.fuel < 0:
                break
            results.append(self.apply(function, [item, Number(number), items]))
        return results

    def _map(self, items: Items, arguments: list[Thing]) -> Thing:
        whole = len(items.items) <= MAX_CALLS or (bool(arguments) and _is_expression(arguments[0]))
        results = self._each(items, arguments)
        if not items.items or not whole:
            return Items([], origin([self.flow(result) for result in results]))
        return Items(results)

    def _for_each(self, items: Items, arguments: list[Thing]) -> Thing:
        self._each(items, arguments)
        return UNKNOWN

    def _filter(self, items: Items, arguments: list[Thing]) -> Thing:
        self._each(Items(items.items[:2], items.rest), arguments)
        return items

    def _find(self, items: Items, arguments: list[Thing]) -> Thing:
        self._each(Items(items.items[:2], items.rest), arguments)
        return items.items[0] if items.items else items.rest

    def _reduce(self, items: Items, arguments: list[Thing]) -> Thing:
        if not arguments:
            return UNKNOWN
        given = list(items.items[:500])
        total = arguments[1] if len(arguments) > 1 else (given.pop(0) if given else items.rest)
        for item in given or [items.rest]:
            self.fuel -= 20
            if self.fuel < 0:
                return UNKNOWN
            total = self.apply(arguments[0], [total, item])
        return total

    def _join(self, items: Items, arguments: list[Thing]) -> Thing:
        separator = text_of(arguments[0]) if arguments else ","
        flat = Items(
            [i if isinstance(i, Number) else self.flow(i) for i in items.items], items.rest
        )
        flat.reversed = items.reversed
        return joined(flat, separator)

    def _reverse(self, items: Items, _arguments: list[Thing]) -> Thing:
        single = all(len(text_of(item)) <= 1 for item in items.items)
        return Items(items.items[::-1], items.rest, single and len(items.items) > 3)

    def _sliced(self, items: Items, arguments: list[Thing]) -> Thing:
        start = number_of(arguments[0]) if arguments else 0
        end = number_of(arguments[1]) if len(arguments) > 1 else len(items.items)
        return items if start is None or end is None else Items(items.items[start:end], items.rest)

    def _concat(self, items: Items, arguments: list[Thing]) -> Thing:
        whole = Items(list(items.items), items.rest)
        for thing in arguments:
            whole.items += thing.items if isinstance(thing, Items) else [thing]
        return whole

    def _push(self, items: Items, arguments: list[Thing]) -> Thing:
        if len(items.items) < MAX_ITEMS:
            items.items += arguments
        return UNKNOWN

    def _append(self, items: Items, arguments: list[Thing]) -> Thing:
        """Of a form: a name and what goes under it."""
        return self._push(items, arguments[1:])

    def _pop(self, items: Items, _arguments: list[Thing]) -> Thing:
        return items.items[-1] if items.items else items.rest

    def _shift(self, items: Items, _arguments: list[Thing]) -> Thing:
        if items.items:
            items.items.append(items.items.pop(0))
            return items.items[-1]
        return items.rest

    def _flat(self, items: Items, _arguments: list[Thing]) -> Thing:
        whole = Items([], items.rest)
        for thing in items.items:
            whole.items += thing.items if isinstance(thing, Items) else [thing]
        return whole

    def _at(self, items: Items, arguments: list[Thing]) -> Thing:
        at = number_of(arguments[0]) if arguments else None
        inside = at is not None and -len(items.items) <= at < len(items.items)
        return items.items[at] if inside and at is not None else items.rest

    def _to_string(self, items: Items, arguments: list[Thing]) -> Thing:
        """Of a buffer: its bytes as a text."""
        data = bytes_of(items) if items.items else None
        if data is None:
            return self._join(items, [Value(",")])
        encoding = text_of(arguments[0]) if arguments else "utf8"
        if encoding in ("base64", "base64url", "hex"):
            return origin([self.flow(items)]).carrying(Carries.ENCODED)
        return origin([items.rest], readable(data)).carrying(Carries.BUILT)

    def _itself(self, items: Items, _arguments: list[Thing]) -> Thing:
        return items

    arrays: Final[dict[str, Callable[[Methods, Items, list[Thing]], Thing]]] = {
        "map": _map,
        "flatMap": _map,
        "forEach": _for_each,
        "some": _for_each,
        "every": _for_each,
        "filter": _filter,
        "find": _find,
        "reduce": _reduce,
        "join": _join,
        "reverse": _reverse,
        "toReversed": _reverse,
        "slice": _sliced,
        "subarray": _sliced,
        "concat": _concat,
        "push": _push,
        "unshift": _push,
        "append": _append,
        "set": _append,
        "pop": _pop,
        "shift": _shift,
        "flat": _flat,
        "at": _at,
        "toString": _to_string,
        "sort": _itself,
        "values": _itself,
        "entries": _itself,
        "fill": _itself,
    }


_ASKING: Final = frozenset(
    {"includes", "startsWith", "endsWith", "indexOf", "test", "match", "has", "length", "search"}
)


def _is_expression(function: Thing) -> bool:
    """Whether a function is short enough to be run for many items."""
    if not isinstance(function, Closure):
        return True
    return function.node.end_byte - function.node.start_byte < 200
