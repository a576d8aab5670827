"""Whatever is installed, linked, removed and undone: what is not ours stays to the byte."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from contracts.test_agents import workspace
from hypothesis import given, settings, strategies as st
from journeys.world import document
from support.files import Snapshot, build, tree_of

from skillpm.errors import ConflictError, NotFoundError
from skillpm.model.name import SkillName
from skillpm.operations.candidate import Request
from skillpm.operations.deciding import Permissions
from skillpm.operations.dependencies import install_needed
from skillpm.operations.history import undo
from skillpm.operations.linking import Wish, link, unlink
from skillpm.operations.removing import remove
from skillpm.operations.workspace import Workspace
from skillpm.store.showing import seen

NAMES = [SkillName("one"), SkillName("two")]
AGENTS = ["claude-code", "openclaw"]
FOLDERS = [".agents/skills", ".claude/skills", ".openclaw/skills"]


class User:
    """Somebody with two agents, a package and a document to install, and things of their own."""

    def __init__(self, folder: Path) -> None:
        self.home = build(folder / "home", {
            "src/one/SKILL.md": document("one"), "src/one/run.sh": "#!/bin/sh\n",
            "src/two.md": document("two"), ".claude/": "", ".openclaw/": "",
        })  # fmt: skip
        self.workspace: Workspace = workspace(folder, {"SKILL_HUB": "off"})
        self.theirs: dict[Path, Snapshot | str] = {}

    def install(self, name: SkillName) -> None:
        """Install a skill, or another version of it."""
        place = self.home / "src" / ("one/SKILL.md" if name == "one" else "two.md")
        place.write_text(place.read_text() + "More.\n")
        source = place.parent if name == "one" else place
        install_needed(self.workspace, Request(str(source)), Permissions(), lambda _: True)

    def remove(self, name: SkillName) -> None:
        """Remove it."""
        remove(self.workspace, name, lambda _: False, discard=False)

    def link(self, agent: str) -> None:
        """Show an agent everything."""
        link(self.workspace, Wish((agent,)))

    def unlink(self, agent: str) -> None:
        """Show it nothing."""
        unlink(self.workspace, Wish((agent,)))

    def undo(self, _: object) -> None:
        """Take the last change back."""
        undo(self.workspace)

    def put(self, where: tuple[str, str, str]) -> None:
        """Put something of one's own where nothing stands."""
        folder, name, kind = where
        place = self.home / folder / name
        if os.path.lexists(place):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "folder":
            build(place, {"SKILL.md": "mine"})
        else:
            place.symlink_to("../nowhere")
        self.theirs[place] = _look(place)

    def check(self) -> None:
        """What is somebody's is as it was; everything else is recorded and as it was put."""
        rows = {row.place: row for row in self.workspace.store.shown.on("")}
        assert {place: _look(place) for place in self.theirs} == self.theirs
        for folder in FOLDERS:
            root = self.home / folder
            for place in root.iterdir() if root.exists() else ():
                assert place in self.theirs or rows[place].holds(seen(place)), place
        assert not set(rows) & set(self.theirs)


def _look(place: Path) -> Snapshot | str:
    return str(place.readlink()) if place.is_symlink() else tree_of(place)


ACTIONS: dict[str, Callable[[User], Callable[..., None]]] = {
    "install": lambda user: user.install, "remove": lambda user: user.remove,
    "link": lambda user: user.link, "unlink": lambda user: user.unlink,
    "undo": lambda user: user.undo, "put": lambda user: user.put,
}  # fmt: skip
places = st.tuples(
    st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from(["folder", "link"])
)
deeds = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["install", "remove"]), st.sampled_from(NAMES)),
        st.tuples(st.sampled_from(["link", "unlink"]), st.sampled_from(AGENTS)),
        st.tuples(st.just("undo"), st.none()),
        st.tuples(st.just("put"), places),
    ),
    min_size=3, max_size=10,
)  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(deeds)
def test_what_is_somebodys_stays_and_what_is_ours_can_be_taken_out(
    done: list[tuple[str, object]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        user = User(Path(folder).resolve())
        user.install(NAMES[0])
        user.link(AGENTS[0])
        for word, what in done:
            with contextlib.suppress(NotFoundError, ConflictError):
                ACTIONS[word](user)(what)
            user.check()
        unlink(user.workspace, Wish())
        left = {p for f in FOLDERS if (user.home / f).exists() for p in (user.home / f).iterdir()}
        assert left == set(user.theirs)
        user.check()
