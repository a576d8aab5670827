"""The surroundings are read once: folders, the environment without what steers git, the clock."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from skillpm.edges.host import Host
from skillpm.errors import StateError, UsageError

from .conftest import make_host


def test_one_folder_holds_everything_when_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILL_HOME", "/srv/skills")
    dirs = Host.from_process().dirs
    assert (dirs.data, dirs.config) == (Path("/srv/skills"), Path("/srv/skills"))
    assert dirs.cache == Path("/srv/skills/cache")
    assert dirs.library == Path("/srv/skills/library")


@pytest.mark.parametrize("value", ["relative", "./x", "~/x", "~"])
def test_a_home_that_is_not_absolute_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("SKILL_HOME", value)
    with pytest.raises(UsageError, match="SKILL_HOME"):
        Host.from_process()


def test_otherwise_the_places_of_the_platform_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    dirs = Host.from_process().dirs
    assert str(dirs.data) == "/home/me/.local/share/skillpm"
    assert str(dirs.config) == "/home/me/.config/skillpm"
    assert str(dirs.cache) == "/home/me/.cache/skillpm"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative is ignored")
    dirs = Host.from_process().dirs
    assert str(dirs.data) == "/data/skillpm"
    assert str(dirs.cache) == "/home/me/.cache/skillpm"


def test_what_would_steer_git_is_taken_out_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GIT_DIR", "GIT_SSH_COMMAND", "GIT_ANYTHING_NEW", "SSH_ASKPASS"):
        monkeypatch.setenv(name, "x")
    Host.from_process()
    assert not [name for name in os.environ if name.startswith("GIT_") or name == "SSH_ASKPASS"]


def test_the_time_is_utc_to_the_second(host: Host) -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", host.now())


def test_a_path_is_made_absolute_and_links_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("/etc")
    host = make_host(tmp_path, {"HOME": "/home/me"})
    assert host.expand("link") == tmp_path / "link"
    assert host.expand("/a/b") == Path("/a/b")
    assert host.expand("~/x") == Path("/home/me/x")
    assert host.expand("~") == Path("/home/me")


def test_git_is_found_in_absolute_folders_only(tmp_path: Path) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\n")
    (tmp_path / "git").chmod(0o755)
    assert make_host(tmp_path, {"PATH": f"rel:.:{tmp_path}"}).git() == str(tmp_path / "git")
    with pytest.raises(StateError):
        make_host(tmp_path, {"PATH": "rel:.:"}).git()
