"""Every row of the table of agents keeps the same promises, and so do a user's own rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.files import build

from skillpm.edges.host import Dirs, Host
from skillpm.formats.agents import Agents, shipped
from skillpm.model.agent import SHARED, Agent, is_agent_id, is_inside, parts_of
from skillpm.operations.agentfolders import detected, folders, looked_into
from skillpm.operations.showing import allowed
from skillpm.operations.workspace import Workspace

ROWS = {agent.id: agent for agent in shipped()}
ALL = Agents(ROWS)
AUTHORS = {"skills", "data/skills", "agent/skills"}


def quiet(*_: object) -> None:
    """Say nothing."""


def workspace(tmp_path: Path, env: dict[str, str], *, in_project: bool = False) -> Workspace:
    """A user whose home is `tmp_path/home`; the project is the current folder."""
    state = tmp_path.resolve() / "home" / ".local" / "skillpm"
    host = Host(Dirs(state, state, state / "cache"), {"HOME": f"{tmp_path}/home", **env}, False)
    return Workspace(host, quiet, quiet, in_project)


@pytest.fixture
def user(tmp_path: Path) -> Workspace:
    """Somebody with an empty home."""
    build(tmp_path / "home", {})
    return workspace(tmp_path, {})


@pytest.fixture
def member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Somebody in a project."""
    build(tmp_path / "home", {"app/.git/HEAD": "x"})
    monkeypatch.chdir(tmp_path / "home/app")
    return workspace(tmp_path, {}, in_project=True)


def test_the_table_has_the_79_agents_sorted_each_once() -> None:
    ids = [agent.id for agent in shipped()]
    assert len(ids) == 79
    assert ids == sorted(set(ids))


def test_every_row_is_spelled_as_the_table_says() -> None:
    for agent in shipped():
        assert is_agent_id(agent.id)
        assert agent.name.isprintable()
        assert is_inside(agent.project), agent.id
        assert parts_of(agent.user or "~/x")[0] in ("~", "$XDG_CONFIG_HOME"), agent.id
        for place in (*agent.detect, *agent.also):
            parts_of(place)
        if agent.home_env:
            assert agent.detect[0].startswith("~/"), agent.id
        assert agent.is_authors == (agent.project in AUTHORS), agent.id


def test_every_folder_of_a_user_lies_in_the_home(user: Workspace, tmp_path: Path) -> None:
    found = folders(user, ALL, ROWS)
    assert {one.problem.partition(" has no")[2] for one in found} == {
        "", " folder for a user's skills: --project",
    }  # fmt: skip
    home = (tmp_path / "home").resolve()
    assert all(one.path.is_relative_to(home) and one.path != home for one in found)
    assert {agent for one in found for agent in one.ids} == set(ROWS)
    assert found[0].path == home / SHARED
    assert len({one.path for one in found}) == len(found)


def test_every_folder_in_a_project_lies_in_it_and_the_shared_one_needs_nothing(
    member: Workspace, tmp_path: Path
) -> None:
    found = folders(member, ALL, ROWS)
    root = (tmp_path / "home/app").resolve()
    assert all(one.path.is_relative_to(root) and not one.problem for one in found)
    (shared,) = [one for one in found if one.has_all]
    assert set(shared.ids) == {one.id for one in shipped() if one.reads_shared}


def test_nobody_is_given_an_authors_folder_without_being_named(member: Workspace) -> None:
    found = folders(member, ALL, ROWS)
    assert {one.shown for one in found} - {one.shown for one in allowed(member, found)} == AUTHORS


def test_every_agent_is_found_by_its_traces(
    member: Workspace, user: Workspace, tmp_path: Path
) -> None:
    for agent in [one for one in shipped() if one.detect]:
        start, inside = parts_of(agent.detect[0])
        base = {"~": "home", ".": "home/app", "$XDG_CONFIG_HOME": "home/.config"}[start]
        (tmp_path / base / inside).mkdir(parents=True, exist_ok=True)
        only = Agents({agent.id: agent})
        assert detected(member, only) == (agent.id,)
        assert bool(detected(user, only)) == (start != "."), agent.id


def test_nobody_is_found_in_an_empty_home(member: Workspace, user: Workspace) -> None:
    here = {agent.id for agent in shipped() if any(p.startswith("/") for p in agent.detect)}
    assert set(detected(member, ALL)) | set(detected(user, ALL)) <= here


@pytest.mark.parametrize("agent", [a for a in shipped() if a.home_env], ids=lambda a: a.id)
def test_the_variable_of_an_agent_moves_its_home(agent: Agent, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (tmp_path / "home").mkdir()
    there = workspace(tmp_path, {agent.home_env: str(moved)})
    assert agent.id in detected(there, ALL)
    own = folders(there, ALL, [agent.id])[-1]
    below_its_home = agent.user.startswith(agent.detect[0] + "/")
    assert own.path.is_relative_to(moved.resolve()) == below_its_home
    assert not own.problem


def test_a_variable_that_names_no_folder_of_the_user_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    there = workspace(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "not-there")})
    assert "leads out of your home" in folders(there, ALL, ["claude-code"])[-1].problem


@pytest.mark.parametrize(
    ("link", "target", "told"),
    [
        (".claude", "dotfiles/claude", ""),
        (".claude/skills", ".agents/skills", ""),
        (".claude", "/etc", "leads out of your home folder, to /etc/skills"),
        (".claude/skills", "../../outside", "leads out of your home folder"),
        (".claude/skills", "..", "leads out of your home folder"),
        (".claude/skills", ".claude/skills", "goes round in circles"),
        (".claude/skills", ".local/skillpm/store", "leads into a folder of skill's own"),
        (".claude/skills", ".local/skillpm", "leads into a folder of skill's own"),
    ],
)
def test_a_link_is_followed_inside_the_home_alone(
    user: Workspace, tmp_path: Path, link: str, target: str, told: str
) -> None:
    place = tmp_path / "home" / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target if target.startswith(("/", "..")) else tmp_path / "home" / target)
    found = folders(user, ALL, ["claude-code", "cline"])
    own = next(one for one in found if "claude-code" in one.ids)
    assert told in own.problem
    assert own.is_open == (not told)
    if not told:
        assert own.path == (place if link.endswith("skills") else place / "skills").resolve()


@pytest.mark.parametrize(
    ("link", "target", "told"),
    [
        (".claude/skills", "../.agents/skills", ""),
        (".claude", "tools/claude", ""),
        (".claude", "..", "leads out of the project"),
        (".claude/skills", "/tmp", "leads out of the project"),
        (".claude/skills", "../.git/hooks", "leads into what git owns"),
        (".claude/skills", "../.agents/skills/one", "leads into a folder of skill's own"),
    ],
)
def test_a_link_in_a_project_is_followed_inside_it_alone(
    member: Workspace, tmp_path: Path, link: str, target: str, told: str
) -> None:
    place = tmp_path / "home/app" / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    (own,) = folders(member, ALL, ["claude-code"])
    assert told in own.problem
    assert own.has_all == (target == "../.agents/skills")


def test_one_folder_of_several_agents_comes_once_and_as_a_copy_if_one_needs_that(
    user: Workspace, tmp_path: Path
) -> None:
    build(tmp_path / "home", {".openclaw/skills/": ""})
    (tmp_path / "home/.cursor").symlink_to(".openclaw")
    _, own = folders(user, ALL, ["cursor", "openclaw"])
    assert own.ids == ("cursor", "openclaw")
    assert own.copies


def test_folders_that_are_only_read_are_looked_into_and_never_given(
    user: Workspace, tmp_path: Path
) -> None:
    build(tmp_path / "home", {".moltbot/skills/": "", ".claude/skills/": ""})
    assert [one.shown for one in looked_into(user, ALL)] == [
        "~/.claude/skills",
        "~/.moltbot/skills",
    ]
    assert "~/.moltbot/skills" not in {one.shown for one in folders(user, ALL, ROWS)}
