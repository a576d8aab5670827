"""What of the documents is made, not written: the reference, and pictures of a terminal.

    python docs/make.py reference                   # docs/reference.md
    PYTHONPATH=tests python docs/make.py pictures   # docs/pictures/*.svg

The pictures are of real commands that talk to a git server on this machine.
"""

from __future__ import annotations

import importlib
import inspect
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from skillpm.cli.main import COMMANDS, cli
from skillpm.formats.settings import SETTINGS

DOCS: Final = Path(__file__).parent
REFERENCE: Final = DOCS / "reference.md"
PICTURES: Final = DOCS / "pictures"

_HEAD: Final = """\
# Reference

Made from the commands by `python docs/make.py reference`; a test compares the two. Every command
takes `--json` and `--help`, which are not repeated; `--project` means the project here,
`.agents/skills` and `skills.lock`, instead of your library. Exit statuses, the JSON envelope and
the environment are in [output](output.md).
"""


def reference() -> str:
    """The text of `docs/reference.md`."""
    parts = [_HEAD, *_global_options(), *(part for one in _commands() for part in _command(*one))]
    return "\n".join([*parts, *_settings()])


def _commands() -> Iterator[tuple[str, click.Command]]:
    for name, (module, _) in COMMANDS.items():
        command = getattr(importlib.import_module(f"skillpm.cli.{module}"), f"{name}_command")
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", sub) for inner, sub in sorted(command.commands.items()))


def _global_options() -> Iterator[str]:
    yield "## skill\n"
    yield from _options(cli, ("help",))


def _command(words: str, command: click.Command) -> Iterator[str]:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    told = "".join(f" {_argument(one)}" for one in arguments)
    yield f"{'###' if ' ' in words else '##'} skill {words}\n"
    if not isinstance(command, click.Group):
        yield f"`skill {words}{told}`\n"
    yield inspect.cleandoc(command.help or "") + "\n"
    yield from _options(command, ("as_json", "help"))


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    if isinstance(argument.type, click.Choice):
        name = "|".join(map(str, argument.type.choices))
    if argument.nargs < 0 and not name.endswith(("...", "]")):
        name += "..."
    optional = not argument.required and not name.startswith("[")
    return f"[{name}]" if optional else name


def _options(command: click.Command, without: tuple[str, ...]) -> Iterator[str]:
    options = [
        one
        for one in command.params
        if isinstance(one, click.Option) and one.name not in without and not one.hidden
    ]
    if not options:
        return
    yield "| option | meaning |\n|---|---|"
    for one in options:
        value = "" if one.is_flag else f" {one.metavar or _value(one)}"
        yield f"| `{', '.join(one.opts)}{value}` | {_cell(one.help or '')} |"
    yield ""


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return (option.type.name or "value").split()[0].upper()


def _settings() -> Iterator[str]:
    yield "## Settings\n"
    yield "What `skill config` shows and changes; what has a mark, on a terminal alone.\n"
    yield "| setting | default | variable | meaning |\n|---|---|---|---|"
    for one in SETTINGS:
        default = {True: "true", False: "false", None: ""}.get(one.default, str(one.default))
        mark = " ⚑" if one.guards else ""
        variable = f"`{one.env}`" if one.env else ""
        yield f"| `{one.key}`{mark} | {default} | {variable} | {_cell(one.help)} |"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def pictures() -> None:
    """Run the five main commands on a terminal, and draw what it shows."""
    from journeys.world import document, index, settle
    from support.gitserver import GitServer
    from support.hubserver import HubServer
    from support.webserver import WebServer

    with (
        tempfile.TemporaryDirectory() as folder,
        GitServer(Path(folder) / "served") as git,
        WebServer() as web,
        HubServer() as hub,
    ):
        home = Path(folder) / "person" / "skillhome"
        settle(home, git, web)
        team = git.repo("acme/skills")
        files = {
            "skills/tidy-up/SKILL.md": document("tidy-up"),
            "skills/tidy-up/scripts/run.sh": "#!/bin/sh\necho tidy\n",
        }
        team.commit({**files, "tap.json": index({"tidy-up": "./skills/tidy-up"})})
        show = _camera(home, {"SKILL_HUB": hub.url})
        show("info", "acme/skills/skills/tidy-up", name="")  # what is said once is said here
        show("search", "release")
        show("tap", "add", "acme/skills")
        show("install", "acme/tidy-up", answer=_agrees)
        show("install", "cut-a-release", name="")
        team.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "More.")})
        show("update", "--all", answer=_agrees)
        show("audit")


def _agrees(shown: str) -> str | None:
    return "y\n" if "[y/N]" in shown else None


def _camera(home: Path, env: Mapping[str, str]) -> Callable[..., None]:
    from rich.console import Console
    from rich.text import Text
    from support.terminal import converse

    def show(
        *words: str, answer: Callable[[str], str | None] = lambda _: None, name: str | None = None
    ) -> None:
        done = converse(*words, home=home, env=env, answer=answer)
        name = words[0] if name is None else name
        if not name:
            return
        console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
        console.print(Text.from_ansi(f"$ skill {' '.join(words)}\n{_tidy(done.out, home)}"))
        PICTURES.mkdir(exist_ok=True)
        svg = console.export_svg(title=f"skill {words[0]}", unique_id=f"skill-{name}")
        (PICTURES / f"{name}.svg").write_text(svg, "utf-8")

    return show


def _tidy(text: str, home: Path) -> str:
    """What is shown, without the folders of this run and without lines that were wiped out."""
    text = re.sub(r"\r\x1b\[K[^\r\n]*(?=\r)", "", text).replace("\r\x1b[K", "")
    return text.replace(str(home), "~/.local/share/skillpm").rstrip()


def main(words: list[str]) -> int:
    """Make what is asked for."""
    made: dict[str, Callable[[], Any]] = {
        "reference": lambda: REFERENCE.write_text(reference(), "utf-8"),
        "pictures": pictures,
    }
    if len(words) != 1 or words[0] not in made:
        sys.stderr.write(__doc__ or "")
        return 2
    made[words[0]]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
