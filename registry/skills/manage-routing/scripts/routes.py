#!/usr/bin/env python3
"""Read and change `agents-routes.toml`: which agent, model or rule handles what.

  routes.py list
  routes.py which [--path PATH] [--text TEXT]     who would handle this
  routes.py agent NAME --about TEXT [--model M]   add or change an agent
  routes.py add NAME --to AGENT (--path GLOB | --words A,B) [--why TEXT] [--before ROUTE]
  routes.py move NAME --before ROUTE
  routes.py remove NAME
  routes.py default AGENT

The first route that matches wins, the default is last. A change is only shown, as a
difference, until --yes is given; then the file is replaced in one step and the old
one kept beside it as `agents-routes.toml.bak`.

Exit statuses:
  0  done; for `which`: a route matched
  1  for `which`: no route matched, the default handles it; else: nothing to change
  2  wrong usage (no such route or agent, a name that is taken)
  3  the file is damaged or contradicts itself
  4  the change was shown but not made: --yes was not given
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import fnmatch
import json
import os
import re
import sys
import tomllib
import unicodedata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, FELL_THROUGH, USAGE, DAMAGED, ONLY_SHOWN = 0, 1, 2, 3, 4
LIMIT = 1_048_576
NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
HEAD = (
    "# Who handles what. The first route that matches wins. Kept by routes.py: put notes in `why`."
)


class UsageError(Exception):
    """What was asked for can't be done with these routes."""


class FileError(Exception):
    """The file can't be used as it is."""


@dataclasses.dataclass(frozen=True)
class Agent:
    """Somebody work can go to."""

    name: str
    about: str
    model: str = ""


@dataclasses.dataclass(frozen=True)
class Route:
    """Work that matches `path` or one of `words` goes to `to`."""

    name: str
    to: str
    path: str = ""
    words: tuple[str, ...] = ()
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Table:
    """The whole file."""

    default: str = "main"
    agents: tuple[Agent, ...] = (Agent("main", "everything that no route names"),)
    routes: tuple[Route, ...] = ()


# --- the file -----------------------------------------------------------------------------


def load(path: Path) -> tuple[Table, str]:
    """The table and the text it was read from; without a file, the empty table.

    Raises:
        FileError: when it is no TOML, has unknown keys, or contradicts itself.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(LIMIT + 1)
        if len(raw) > LIMIT:
            raise FileError("it is over 1 MiB")
        text = raw.decode("utf-8")
        table = as_table(tomllib.loads(text))
    except FileNotFoundError:
        return Table(), ""
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, OSError) as error:
        raise FileError(str(error)) from error
    problems = contradictions(table)
    if problems:
        raise FileError("; ".join(problems))
    return table, text


def as_table(data: dict[str, Any]) -> Table:
    """The table in parsed TOML."""
    known(data, {"default", "agents", "routes"}, "the file")
    agents = data.get("agents", {})
    routes = data.get("routes", [])
    if not isinstance(agents, dict) or not isinstance(routes, list):
        raise FileError("`agents` must be a table and `routes` a list of tables")
    return Table(
        text_of(data, "default", "the file"),
        tuple(as_agent(name, value) for name, value in agents.items()),
        tuple(as_route(value) for value in routes),
    )


def as_agent(name: str, data: Any) -> Agent:
    """One agent."""
    where = f"agent {name}"
    known(data, {"about", "model"}, where)
    return Agent(name, text_of(data, "about", where), text_of(data, "model", where, ""))


def as_route(data: Any) -> Route:
    """One route."""
    known(data, {"name", "to", "path", "words", "why"}, "a route")
    name = text_of(data, "name", "a route")
    where = f"route {name}"
    words = data.get("words", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FileError(f"{where}: `words` must be a list of texts")
    return Route(
        name,
        text_of(data, "to", where),
        text_of(data, "path", where, ""),
        tuple(words),
        text_of(data, "why", where, ""),
    )


def known(data: Any, keys: set[str], where: str) -> None:
    """Refuse what is no table or has keys we don't write, rather than lose them."""
    if not isinstance(data, dict):
        raise FileError(f"{where} must be a table")
    unknown = sorted(set(data) - keys)
    if unknown:
        raise FileError(f"{where} has unknown keys: {', '.join(unknown)}")


def text_of(data: dict[str, Any], key: str, where: str, fallback: str | None = None) -> str:
    """A text value, required unless there is a fallback."""
    value = data.get(key, fallback)
    if not isinstance(value, str):
        raise FileError(f"{where}: `{key}` must be a text")
    return value


def contradictions(table: Table) -> list[str]:
    """All that does not fit together."""
    agents = {agent.name for agent in table.agents}
    names = [route.name for route in table.routes]
    found = [f"route {name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    if table.default not in agents:
        found.append(f"the default {table.default} is no agent of the file")
    for route in table.routes:
        if route.to not in agents:
            found.append(f"route {route.name} goes to {route.to}, which is no agent of the file")
        if bool(route.path) == bool(route.words):
            found.append(f"route {route.name} needs either `path` or `words`")
    return found


def as_toml(table: Table) -> str:
    """The file for a table; the same table always gives the same bytes."""
    blocks = [f"{HEAD}\ndefault = {quoted(table.default)}"]
    for agent in table.agents:
        lines = [f"[agents.{quoted(agent.name)}]", f"about = {quoted(agent.about)}"]
        if agent.model:
            lines.append(f"model = {quoted(agent.model)}")
        blocks.append("\n".join(lines))
    for route in table.routes:
        lines = ["[[routes]]", f"name = {quoted(route.name)}"]
        if route.path:
            lines.append(f"path = {quoted(route.path)}")
        if route.words:
            lines.append(f"words = [{', '.join(quoted(word) for word in route.words)}]")
        lines.append(f"to = {quoted(route.to)}")
        if route.why:
            lines.append(f"why = {quoted(route.why)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def quoted(text: str) -> str:
    """A TOML text; JSON's form of it is one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def replace(path: Path, old: str, new: str) -> None:
    """Keep the old file as .bak and put the new one in its place in one step."""
    if path.is_symlink():
        raise FileError("it is a link; name the file itself with --file")
    if old:
        put(path.with_name(f"{path.name}.bak"), old)
    put(path, new)


def put(path: Path, text: str) -> None:
    """Write a file aside, then rename it into place."""
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    with aside.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


# --- deciding -----------------------------------------------------------------------------


def matching(table: Table, path: str, text: str) -> Route | None:
    """The first route for a path or a request."""
    spoken = set(re.findall(r"\w+", text.casefold()))
    joined = " ".join(re.findall(r"\w+", text.casefold()))
    for route in table.routes:
        if route.path and path and path_matches(path, route.path):
            return route
        for word in route.words:
            plain = " ".join(re.findall(r"\w+", word.casefold()))
            if plain and (plain in spoken or f" {plain} " in f" {joined} "):
                return route
    return None


def path_matches(path: str, pattern: str) -> bool:
    """`docs/**` is everything below docs, `*.md` every such name anywhere; case counts."""
    plain = str(PurePosixPath(path))
    if pattern.endswith("/**"):
        return plain.startswith(pattern[:-2]) or fnmatch.fnmatchcase(plain, pattern)
    if "/" in pattern:
        return fnmatch.fnmatchcase(plain, pattern)
    return fnmatch.fnmatchcase(PurePosixPath(plain).name, pattern)


def changed(table: Table, options: argparse.Namespace) -> Table:
    """The table after the change that was asked for.

    Raises:
        UsageError: when it does not fit the table.
    """
    if options.verb == "agent":
        agent = Agent(options.name, options.about, options.model)
        known_names = [other.name for other in table.agents]
        agents = tuple(agent if other.name == agent.name else other for other in table.agents)
        table = dataclasses.replace(
            table, agents=agents if agent.name in known_names else (*agents, agent)
        )
    elif options.verb == "default":
        table = dataclasses.replace(table, default=options.name)
    elif options.verb == "add":
        if any(route.name == options.name for route in table.routes):
            raise UsageError(f"route {options.name} is there already")
        words = tuple(word.strip() for word in options.words.split(",") if word.strip())
        route = Route(options.name, options.to, options.path, words, options.why)
        table = dataclasses.replace(table, routes=inserted(table.routes, route, options.before))
    else:
        route = named(table, options.name)
        rest = tuple(other for other in table.routes if other.name != route.name)
        if options.verb == "move":
            rest = inserted(rest, route, options.before)
        table = dataclasses.replace(table, routes=rest)
    problems = contradictions(table)
    if problems:
        raise UsageError("; ".join(problems))
    return table


def named(table: Table, name: str) -> Route:
    """The route of that name."""
    for route in table.routes:
        if route.name == name:
            return route
    raise UsageError(f"there is no route {name}")


def inserted(routes: tuple[Route, ...], route: Route, before: str) -> tuple[Route, ...]:
    """The routes with one more, last or before another."""
    if not before:
        return (*routes, route)
    names = [other.name for other in routes]
    if before not in names:
        raise UsageError(f"there is no route {before}")
    place = names.index(before)
    return (*routes[:place], route, *routes[place:])


# --- the command line ---------------------------------------------------------------------


def clean(text: str) -> str:
    """Text that can't move the cursor."""
    return "".join(
        char if char == "\n" or unicodedata.category(char)[0] != "C" else ascii(char)[1:-1]
        for char in text
    )


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = argparse.ArgumentParser(
        prog="routes.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--file", type=Path, default=Path("agents-routes.toml"), help="(here)")
    made.add_argument("--yes", action="store_true", help="make the change that was shown")
    verbs = made.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="show agents and routes")
    which = verbs.add_parser("which", help="say who would handle something")
    which.add_argument("--path", default="")
    which.add_argument("--text", default="")
    agent = verbs.add_parser("agent", help="add or change an agent")
    agent.add_argument("name")
    agent.add_argument("--about", required=True)
    agent.add_argument("--model", default="")
    add = verbs.add_parser("add", help="add a route")
    add.add_argument("name")
    add.add_argument("--to", required=True)
    how = add.add_mutually_exclusive_group(required=True)
    how.add_argument("--path", default="", help="glob, such as docs/** or *.md")
    how.add_argument("--words", default="", help="words of a request, with commas between")
    add.add_argument("--why", default="")
    add.add_argument("--before", default="")
    move = verbs.add_parser("move", help="change the order")
    move.add_argument("name")
    move.add_argument("--before", required=True)
    verbs.add_parser("remove", help="take a route out").add_argument("name")
    verbs.add_parser("default", help="who handles the rest").add_argument("name")
    options = made.parse_args(words)
    name = getattr(options, "name", "x")
    if not NAME.fullmatch(name) or len(name) > 64:
        made.error("a name takes lower-case letters, digits and inner hyphens, at most 64")
    if options.verb == "which" and not (options.path or options.text):
        made.error("which: give --path or --text")
    return options


def show(table: Table) -> None:
    """Print the table in the order it is used."""
    for agent in table.agents:
        model = f" [{agent.model}]" if agent.model else ""
        print(clean(f"agent {agent.name}{model}: {agent.about}"))
    for number, route in enumerate(table.routes, start=1):
        what = route.path or ", ".join(route.words)
        print(clean(f"{number}. {route.name}: {what} -> {route.to}  {route.why}".rstrip()))
    print(clean(f"else -> {table.default}"))


def which(table: Table, options: argparse.Namespace) -> int:
    """Print who handles a path or a request, and why."""
    route = matching(table, options.path, options.text)
    print(clean(f"{route.to} (route {route.name})" if route else f"{table.default} (default)"))
    return DONE if route else FELL_THROUGH


def change(table: Table, old: str, options: argparse.Namespace) -> int:
    """Show the change, and make it when it was confirmed."""
    new = as_toml(changed(table, options))
    if new == old:
        print("nothing to change", file=sys.stderr)
        return FELL_THROUGH
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm="")
    print(clean("\n".join(lines)))
    if not options.yes:
        print("shown only; --yes makes the change", file=sys.stderr)
        return ONLY_SHOWN
    replace(options.file, old, new)
    return DONE


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    try:
        table, text = load(options.file)
        if options.verb == "list":
            show(table)
            return DONE
        return which(table, options) if options.verb == "which" else change(table, text, options)
    except UsageError as error:
        print(clean(str(error)), file=sys.stderr)
        return USAGE
    except (FileError, OSError, UnicodeEncodeError) as error:
        print(clean(f"{options.file}: {error}"), file=sys.stderr)
        return DAMAGED


if __name__ == "__main__":
    sys.exit(main())
