"""Fields of objects: those of the code, of the language and of libraries."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Act, Carries, Deed, Hop
from skillpm.scanning.behaviour.javascript.looks import PROPERTIES
from skillpm.scanning.behaviour.javascript.names import canonical
from skillpm.scanning.behaviour.javascript.statements import Statements
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Closure,
    Instance,
    Items,
    Kind,
    Known,
    Native,
    Number,
    Record,
    Thing,
    merged,
    number_of,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, is_secret_name, origin

ENVIRONMENTS: Final = ("process.env", "Deno.env", "Bun.env", "import.meta.env")
NAMES_KEY: Final = "<names of variables>"
_DANGEROUS: Final = frozenset(
    [
        "eval",
        "Function",
        "constructor",
        "require",
        "exec",
        "execSync",
        "spawn",
        "spawnSync",
        "execFile",
        "child_process",
        "process",
        "env",
        "importScripts",
        "atob",
        "document",
        "cookie",
        "fetch",
        "XMLHttpRequest",
        "mainModule",
        "binding",
        "readFileSync",
        "writeFileSync",
        "unescape",
        "execFileSync",
        "localStorage",
    ]
)
_PLACES: Final = {
    "HOME": "~",
    "USERPROFILE": "~",
    "APPDATA": "%APPDATA%",
    "LOCALAPPDATA": "%LOCALAPPDATA%",
    "TMPDIR": "$TMPDIR",
    "TEMP": "$TMPDIR",
}


class Objects(Statements):
    """Reads and sets fields."""

    def member(self, thing: Thing, name: str) -> Thing:
        """A field of a thing."""
        if isinstance(thing, Known):
            return self._provided_member(thing.path, name)
        if isinstance(thing, Record):
            return self._record_member(thing, name)
        if isinstance(thing, Kind):
            return thing.shared if name == "prototype" else self._record_member(thing.shared, name)
        if isinstance(thing, Items):
            return self._items_member(thing, name)
        if isinstance(thing, Instance):
            return self._instance_member(thing, name)
        if isinstance(thing, Closure | Native | Number):
            return Known("Function") if name == "constructor" else UNKNOWN
        if name == "length":
            return Number(len(thing.text)) if thing.known and thing.text else UNKNOWN
        if name == "constructor":
            return Known("?")
        return _part(thing, name)

    def _provided_member(self, path: str, name: str) -> Thing:
        if path in ENVIRONMENTS:
            return self.variable(name)
        if path == "module" and name == "exports":
            return self.exports.setdefault(self.script.number, Record())
        if name == "constructor":
            return Known("Function")
        whole = canonical(f"{path}.{name}")
        if whole.startswith(("localStorage.", "sessionStorage.")) and name not in _STORAGE:
            return self.kept(whole)
        found = PROPERTIES.get(whole)
        if found is not None:
            return found(self)
        if name == "length":
            return UNKNOWN
        return Known(whole) if len(whole) < 200 else UNKNOWN

    def variable(self, name: str) -> Value:
        """A variable of the environment."""
        if not is_secret_name(name):
            if name in _PLACES:
                return Value(_PLACES[name])
            facts = name in ("USER", "USERNAME", "HOSTNAME", "LOGNAME", "COMPUTERNAME")
            return Value(HOLE, Carries.FACTS if facts else Carries.NOTHING, key=f"${name}")
        names = frozenset({name})
        self.record(Act(Deed.VARIABLE, *self.span, name, Carries.SECRET_VARIABLE, names))
        hop = Hop(self.span[0], f"variable {name}", self.path)
        return Value(HOLE, Carries.SECRET_VARIABLE, names, (hop,), f"${name}")

    def _record_member(self, record: Record, name: str) -> Thing:
        found = record.fields.get(name)
        if found is not None:
            return found
        for thing in record.rest:
            part = self.member(thing, name)
            if not (isinstance(part, Value) and not part.carries and not part.known):
                return part
        if name == "constructor":
            return Known("?")
        return UNKNOWN

    def _items_member(self, items: Items, name: str) -> Thing:
        if name == "length":
            return UNKNOWN if items.rest.text else Number(len(items.items))
        if name == "constructor":
            return Known("?")
        at = number_of(Value(name))
        return self.item(items, at) if at is not None and at >= 0 else Known(f"Array.{name}")

    def _instance_member(self, instance: Instance, name: str) -> Thing:
        found = instance.fields.get(name)
        if found is not None:
            return found
        if instance.kind == "process" and name in ("stdin", "stdout", "stderr"):
            return Instance(name, instance.value, instance.fields)
        if instance.kind in ("stdin", "stdout", "file", "element", "mailer", "server"):
            return UNKNOWN
        return origin([instance.value], HOLE, f"{instance.value.identity}.{name}")

    def indexed(self, thing: Thing, index: Thing) -> Thing:
        """The field of a thing that an expression names."""
        if isinstance(thing, Known) and thing.path in ENVIRONMENTS:
            return self._indexed_variable(index)
        number = number_of(index)
        if isinstance(thing, Items) and number is not None:
            return self.item(thing, number)
        if isinstance(thing, Value) and number is not None and thing.known:
            return thing.saying(thing.text[number : number + 1])._replace(joined=True)
        name = text_of(index)
        if not name or HOLE in name:
            return self._some_member(thing)
        if isinstance(index, Value) and (index.joined or Carries.BUILT in index.carries):
            self._hidden(thing, name)
        return self.member(thing, name)

    def _indexed_variable(self, index: Thing) -> Thing:
        if isinstance(index, Value):
            if index.known and index.text:
                return self.variable(index.text)
            if index.key == NAMES_KEY or Carries.ENVIRONMENT in index.carries:
                return self.environment()
        return UNKNOWN

    def _some_member(self, thing: Thing) -> Thing:
        """Any field of a thing."""
        if isinstance(thing, Known):
            return UNKNOWN
        things = list(thing.fields.values()) if isinstance(thing, Record) else []
        things = thing.items[:50] if isinstance(thing, Items) else things
        found: Thing = UNKNOWN
        for one in things[:50]:
            if isinstance(one, CALLABLE):
                continue
            found = merged(found, one)
        if isinstance(found, Value):
            return origin([found, self.flow(thing)])
        return found

    def _hidden(self, thing: Thing, name: str) -> None:
        """Notes that the name of something dangerous is put together to be read."""
        if name not in _DANGEROUS:
            return
        owner = thing.path + "." if isinstance(thing, Known) else ""
        hop = Hop(self.span[0], f"put together: {name}", self.path)
        self.record(Act(Deed.LOAD, *self.span, owner + name, Carries.BUILT, trail=(hop,)))

    def set_member(self, thing: Thing, name: str, value: Thing) -> None:
        """Sets a field of a thing."""
        if isinstance(thing, Record):
            thing.fields[name] = value
        elif isinstance(thing, Kind):
            thing.shared.fields[name] = value
        elif isinstance(thing, Items):
            thing.items.append(value)
        elif isinstance(thing, Instance):
            thing.fields[name] = value
            self.provide(f"<{thing.kind}>.{name}=", [value], thing)
        elif isinstance(thing, Known):
            self._set_provided(thing.path, name, value)

    def _set_provided(self, path: str, name: str, value: Thing) -> None:
        number = self.script.number
        if path == "module" and name == "exports":
            if isinstance(value, Record):
                self.exports[number] = value
            else:
                record = self.exports.setdefault(number, Record())
                record.fields["default"] = value
                record.rest.append(value)
        elif path == "exports":
            self.exports.setdefault(number, Record()).fields[name] = value
        else:
            self.provide(canonical(f"{path}.{name}") + "=", [value], None)

    def provide(self, name: str, arguments: list[Thing], this: Thing | None) -> Thing:
        """Calls a function of the language or a library."""
        raise NotImplementedError

    def keys(self, thing: Thing) -> Thing:
        """The names of a thing's fields."""
        if isinstance(thing, Known) and thing.path in ENVIRONMENTS:
            return Value(HOLE, Carries.FACTS, key=NAMES_KEY)
        return UNKNOWN


_STORAGE: Final = frozenset({"getItem", "setItem", "removeItem", "clear", "length", "key"})


def _part(value: Value, name: str) -> Value:
    """A field of something of which only the origin is known."""
    if not value.carries and not value.key:
        return UNKNOWN
    return origin([value], HOLE, f"{value.key}.{name}" if len(value.key) < 100 else value.key)
