"""A package arrives whole: every file, byte and executable bit, and nothing that is no file."""

from __future__ import annotations

import stat
from collections.abc import Callable

import pytest
from journeys.world import World, document
from support.archives import tar_of, zip_of
from support.files import build

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
LATIN = "Grüße aus Köln, größer als ÄÖÜ\r\n".encode("latin-1")
FILES: dict[str, bytes | str] = {
    "SKILL.md": document("tidy-up"),
    ".editorconfig": "root = true\n",
    ".config/deep/.keep": "",
    "assets/logo.png": PNG,
    "notes-latin-1.txt": LATIN,
    "scripts/run": "#!/bin/sh\necho done\n",
    "scripts/plain.sh": "echo plain\n",
    "empty.txt": b"",
    "Grüße.md": "# Hallo\n",
}


def _git(world: World) -> str:
    world.git.repo("jane/tidy-up").commit(FILES, executable=["scripts/run"])
    return "jane/tidy-up"


def _zip(world: World) -> str:
    data = zip_of(FILES, executable=["scripts/run"])
    return world.web.serve("/tidy-up.zip", data)


def _tar(world: World) -> str:
    return world.web.serve("/tidy-up.tgz", tar_of(FILES, executable=["scripts/run"], folder="x"))


def _folder(world: World) -> str:
    return str(build(world.person.home.parent / "tidy-up", FILES, ["scripts/run"]))


def _hub(world: World) -> str:
    world.hub.publish("@jane/tidy-up", "1.0.0", zip_of(FILES, executable=["scripts/run"]))
    return "@jane/tidy-up"


@pytest.mark.parametrize("put", [_git, _zip, _tar, _folder, _hub], ids=lambda f: f.__name__)
def test_hidden_files_binaries_and_modes_arrive_from_every_kind_of_source(
    put: Callable[[World], str], world: World
) -> None:
    world.person.skill("install", put(world), "--yes")
    found = world.person.installed("tidy-up")
    assert {path: data for path, (data, _) in found.items()} == {
        path: data.encode() if isinstance(data, str) else data for path, data in FILES.items()
    }
    runnable = [path for path, (_, mode) in found.items() if mode & 0o111]
    assert runnable == ["scripts/run"]
    assert not any(mode & (stat.S_ISUID | 0o022) for _, mode in found.values())


def test_the_digest_is_the_same_from_every_kind_of_source(world: World) -> None:
    digests = {
        world.person.json("info", put(world))["digest"] for put in (_git, _zip, _tar, _folder, _hub)
    }
    assert len(digests) == 1


def test_a_binary_file_can_be_found_and_is_not_printed(world: World) -> None:
    world.person.skill("install", _folder(world))
    world.person.error("read", "tidy-up", "assets/logo.png", status=2)
    place = world.person.skill("path", "tidy-up", "assets/logo.png").out.strip()
    assert place.endswith("tidy-up/assets/logo.png")
    world.person.error("read", "tidy-up", "not-there.md", status=3)
    world.person.error("read", "tidy-up", "../../state.db", status=2)
    world.person.error("path", "tidy-up", "../../state.db", status=2)


def test_a_script_that_changed_is_a_change(world: World) -> None:
    world.person.skill("install", _folder(world))
    world.person.writes("tidy-up/scripts/plain.sh", "echo other\n")
    shown = {s["name"]: s["state"] for s in world.person.json("list")["skills"]}
    assert shown["tidy-up"] == "edited"
    world.person.skill("audit", "tidy-up", status=6)


def test_a_file_that_was_added_by_hand_is_a_change(world: World) -> None:
    world.person.skill("install", _folder(world))
    world.person.writes("tidy-up/new.txt", "x")
    world.person.skill("audit", "tidy-up", status=6)


@pytest.mark.parametrize(
    ("name", "install_as"), [("Tidy_Up", "tidy-up"), ("", "tidy-up"), ("other-name", "other-name")]
)
def test_the_local_name_comes_from_the_header_else_the_place_and_can_be_chosen(
    name: str, install_as: str, world: World
) -> None:
    text = document(name) if name else "# Tidy up\n\nPut things away.\n"
    folder = build(world.person.home.parent / "tidy-up", {"SKILL.md": text, "a.txt": "a"})
    world.person.skill("install", str(folder))
    assert world.person.record(install_as)
    world.person.skill("install", str(folder), "--as", "chosen")
    assert world.person.record("chosen")
