"""Row G20: a git that may lack security fixes is said once, for each program, and never blocks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillpm.edges.gitversion import may_lack_fixes, remark
from skillpm.edges.host import Host

from .conftest import make_host

OLD = [
    "1.8.3", "2.30.0", "2.39.5", "2.42.99", "2.43.6", "2.43", "2.43.0", "2.44.3", "2.45.3",
    "2.46.3", "2.47.2", "2.48.1", "2.49.0", "2.49", "2.50.0", "2.39.5 (Apple Git-154)",
    "2.50.0.windows.1", "2.45.GIT", "0.1.2",
]  # fmt: skip
NEW = [
    "2.43.7", "2.43.10", "2.44.4", "2.45.4", "2.46.4", "2.47.3", "2.48.2", "2.49.1", "2.50.1",
    "2.50.1 (Apple Git-155)", "2.51.0", "2.51.0.windows.2", "2.99", "2.60.GIT", "3.0.0", "10.2.1",
]  # fmt: skip


@pytest.mark.parametrize("version", OLD)
def test_a_release_without_the_fixes_may_lack_them(version: str) -> None:
    assert may_lack_fixes(f"git version {version}")


@pytest.mark.parametrize("version", NEW)
def test_a_release_with_the_fixes_lacks_nothing(version: str) -> None:
    assert not may_lack_fixes(f"git version {version}")


@pytest.mark.parametrize("text", ["", "git", "git version", "2.50.1", "git version x.y", "\0" * 9])
def test_what_says_no_version_may_lack_them(text: str) -> None:
    assert may_lack_fixes(text)


def install(folder: Path, says: str, code: int = 0) -> Path:
    """A git that prints something as its version, and logs each time that it is asked."""
    folder.mkdir(exist_ok=True)
    program = folder / "git"
    program.write_text(f"#!/bin/sh\necho asked >> {folder}/log\nprintf '{says}\\n'\nexit {code}\n")
    program.chmod(0o755)
    return program


def asked(folder: Path) -> int:
    log = folder / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    return tmp_path / "bin"


@pytest.fixture
def host(tmp_path: Path, tools: Path) -> Host:
    return make_host(tmp_path / "home", {"PATH": f"{tools}:/bin"})


def test_an_old_git_is_named_with_its_version_and_its_place_and_only_once(
    tools: Path, host: Host
) -> None:
    program = install(tools, "git version 2.39.5")
    told = remark(host, host.dirs.cache)
    assert f"git version 2.39.5 at {program} may lack" in told
    assert [remark(host, host.dirs.cache) for _ in range(3)] == ["", "", ""]
    assert asked(tools) == 1


def test_a_good_git_is_not_mentioned_and_asked_once(tools: Path, host: Host) -> None:
    install(tools, "git version 2.50.1")
    assert [remark(host, host.dirs.cache) for _ in range(3)] == ["", "", ""]
    assert asked(tools) == 1


def test_another_git_is_looked_at_anew(tools: Path, host: Host) -> None:
    install(tools, "git version 2.50.1")
    assert not remark(host, host.dirs.cache)
    program = install(tools, "git version 2.50.0")
    os.utime(program, ns=(1, 1))
    assert "2.50.0" in remark(host, host.dirs.cache)


def test_after_the_cache_was_cleared_it_is_said_again(tools: Path, host: Host) -> None:
    install(tools, "git version 2.39.5")
    assert remark(host, host.dirs.cache)
    (host.dirs.cache / "git-version").unlink()
    assert remark(host, host.dirs.cache)


@pytest.mark.parametrize(
    ("says", "code"), [("", 0), ("", 1), ("nonsense", 3), ("git version 2.\\033[2Jx", 0)]
)
def test_a_git_that_tells_no_version_is_said_on_a_clean_line(
    tools: Path, host: Host, says: str, code: int
) -> None:
    install(tools, says, code)
    told = remark(host, host.dirs.cache)
    assert "may lack" in told
    assert told.isprintable()


def test_where_nothing_can_be_kept_it_is_still_said(tools: Path, host: Host) -> None:
    install(tools, "git version 2.39.5")
    host.dirs.cache.parent.mkdir(parents=True)
    host.dirs.cache.write_text("a file where the folder belongs")
    assert "may lack" in remark(host, host.dirs.cache)


def test_without_git_there_is_nothing_to_say(host: Host) -> None:
    host = make_host(host.dirs.data, {"PATH": "/nonexistent"})
    assert remark(host, host.dirs.cache) == ""
