"""The version and the changelog that a real git history asks for."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from .tools import Done, run, script

RELEASE: Final = script("cut-a-release", "release.py")
GIT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.com",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.com",
}


class Repo:
    """A real repository in a temporary folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.path), *words],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **GIT},
        )
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """An empty commit with this message; its hash."""
        self.git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-m", message)
        return self.git("rev-parse", "HEAD")

    def release(self, *words: str | Path) -> Done:
        return run(RELEASE, "--date", "2024-05-01", *words, cwd=self.path, env=GIT)

    def answer(self, *words: str | Path) -> dict[str, Any]:
        done = self.release("--json", *words)
        loaded = json.loads(done.stdout)
        assert isinstance(loaded, dict)
        return loaded


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


@pytest.mark.parametrize(
    ("tag", "messages", "bump", "following"),
    [
        ("v1.2.3", ["fix: a"], "patch", "1.2.4"),
        ("v1.2.3", ["perf(core): a"], "patch", "1.2.4"),
        ("v1.2.3", ["fix: a", "feat: b", "docs: c"], "minor", "1.3.0"),
        ("v1.2.3", ["FEAT: b"], "minor", "1.3.0"),
        ("v1.2.3", ["fix!: a"], "major", "2.0.0"),
        ("v1.2.3", ["chore(deps)!: drop old Python"], "major", "2.0.0"),
        ("v1.2.3", ["fix: a\n\nwhy\n\nBREAKING CHANGE: b"], "major", "2.0.0"),
        ("v1.2.3", ["fix: a\n\nBREAKING-CHANGE: b"], "major", "2.0.0"),
        ("v1.2.3", ["fix: a\n\nnot a BREAKING CHANGE: b"], "patch", "1.2.4"),
        ("v1.2.3", ["fix: a\n\nbreaking change: b"], "patch", "1.2.4"),
        ("v0.4.1", ["feat!: a"], "major", "0.5.0"),
        ("v0.4.1", ["feat: a"], "minor", "0.5.0"),
        ("v0.4.1", ["fix: a"], "patch", "0.4.2"),
        ("v9.9.9", ["feat: a"], "minor", "9.10.0"),
    ],
)
def test_the_greatest_change_decides_the_version(
    repo: Repo, tag: str, messages: list[str], bump: str, following: str
) -> None:
    repo.commit("chore: start")
    repo.git("tag", tag)
    for message in messages:
        repo.commit(message)
    answer = repo.answer()
    assert (answer["bump"], answer["next"], answer["tag"]) == (bump, following, f"v{following}")
    assert answer["current"] == tag[1:]


@pytest.mark.parametrize("message", ["docs: a", "chore: a", "feat:no space", "feature", "wip", ""])
def test_commits_that_users_do_not_notice_release_nothing(repo: Repo, message: str) -> None:
    repo.commit("feat: start")
    repo.git("tag", "v1.0.0")
    repo.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", message)
    done = repo.release()
    assert done.returncode == 1
    assert "nothing to release" in done.stdout


def test_without_a_tag_the_first_version_is_the_initial_one(repo: Repo) -> None:
    repo.commit("feat: start")
    assert repo.answer()["next"] == "0.1.0"
    assert repo.answer("--initial", "v1.0.0")["next"] == "1.0.0"


def test_leaving_zero_is_a_decision_that_has_to_be_said(repo: Repo) -> None:
    repo.commit("feat: start")
    repo.git("tag", "v0.9.0")
    repo.commit("fix: a")
    assert repo.answer()["next"] == "0.9.1"
    assert repo.answer("--stable")["next"] == "1.0.0"
    repo.git("tag", "v1.0.0")
    repo.commit("fix: b")
    assert repo.release("--stable").returncode == 4


def test_tags_are_compared_as_numbers_and_other_tags_are_passed_over(repo: Repo) -> None:
    repo.commit("feat: start")
    for tag in ("v1.9.0", "v1.10.0", "v2.0.0-rc.1", "v01.99.0", "2.0.0", "v3", "vNext"):
        repo.git("tag", tag)
    repo.commit("fix: a")
    assert repo.answer()["next"] == "1.10.1"


def test_a_tag_of_another_branch_is_no_starting_point_and_is_not_tagged_again(repo: Repo) -> None:
    repo.commit("feat: start")
    repo.git("tag", "v1.0.0")
    repo.git("switch", "--quiet", "-c", "side")
    repo.commit("fix: there")
    repo.git("tag", "v1.0.1")
    repo.git("switch", "--quiet", "main")
    repo.commit("fix: here")
    assert repo.answer()["next"] == "1.0.1"
    (repo.path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.0.1]\n")
    repo.git("add", ".")
    repo.commit("chore: log")
    done = repo.release("--write", "tag")
    assert done.returncode == 4
    assert "exists already" in done.stderr


def test_what_was_reverted_before_the_release_counts_for_nothing(repo: Repo) -> None:
    repo.commit("chore: start")
    repo.git("tag", "v1.0.0")
    bad = repo.commit("feat!: everything new")
    repo.commit("fix: small")
    repo.commit(f'Revert "feat!: everything new"\n\nThis reverts commit {bad}.')
    answer = repo.answer()
    assert answer["next"] == "1.0.1"
    assert "everything new" not in answer["changelog"]


def test_a_reverted_revert_brings_the_change_back(repo: Repo) -> None:
    repo.commit("chore: start")
    repo.git("tag", "v1.0.0")
    good = repo.commit("feat: search")
    revert = repo.commit(f'Revert "feat: search"\n\nThis reverts commit {good}.')
    repo.commit(f'Revert "Revert "feat: search""\n\nThis reverts commit {revert}.')
    answer = repo.answer()
    assert answer["next"] == "1.1.0"
    assert "search" in answer["changelog"]


def test_taking_back_something_released_is_a_patch(repo: Repo) -> None:
    old = repo.commit("feat: start")
    repo.git("tag", "v1.0.0")
    repo.commit(f'Revert "feat: start"\n\nThis reverts commit {old}.')
    answer = repo.answer()
    assert answer["next"] == "1.0.1"
    assert "### Reverted" in answer["changelog"]


def test_the_section_lists_by_kind_with_breaking_changes_first(repo: Repo) -> None:
    repo.commit("chore: start")
    repo.git("tag", "v1.0.0")
    first = repo.commit("fix(cli): exit status")
    second = repo.commit("feat: watch\n\nBREAKING CHANGE: `run` is gone\n  use `watch`\nRefs: #1")
    assert repo.answer()["changelog"] == (
        "## [2.0.0] - 2024-05-01\n"
        "\n### Breaking changes\n\n"
        f"- `run` is gone use `watch` ({second[:7]})\n"
        "\n### Added\n\n"
        f"- watch ({second[:7]})\n"
        "\n### Fixed\n\n"
        f"- **cli:** exit status ({first[:7]})\n"
    )


def test_text_of_commits_can_neither_move_the_cursor_nor_become_markup(repo: Repo) -> None:
    repo.commit("feat: \x1b[2Jgone <img src=x> [a](http://x) `a<b` \u202eabc")
    answer = repo.answer()
    section = answer["changelog"]
    assert r"\<img src=x\> \[a\](http://x) `a<b`" in section
    assert "\x1b" not in section
    assert "\u202e" not in section
    plain = repo.release().stdout
    assert "\x1b" not in plain
    assert "\u202e" not in plain


def test_nothing_is_written_without_being_asked(repo: Repo) -> None:
    repo.commit("feat: start")
    before = (repo.git("for-each-ref"), sorted(repo.path.iterdir()), repo.git("status", "-s"))
    assert repo.release().returncode == 0
    assert repo.release("--json").returncode == 0
    assert before == (
        repo.git("for-each-ref"),
        sorted(repo.path.iterdir()),
        repo.git("status", "-s"),
    )


def test_a_whole_release_from_changelog_to_tag(repo: Repo) -> None:
    repo.commit("feat: start")
    assert repo.release("--write", "changelog").returncode == 0
    log = repo.path / "CHANGELOG.md"
    assert log.read_text().startswith("# Changelog\n\n## [0.1.0] - 2024-05-01\n")
    assert repo.release("--write", "tag").returncode == 4  # not committed yet
    repo.git("add", "CHANGELOG.md")
    repo.commit("chore(release): v0.1.0")
    assert repo.release("--write", "tag").returncode == 0
    assert repo.git("cat-file", "-t", "v0.1.0") == "tag"
    assert "## [0.1.0]" in repo.git("tag", "-l", "--format=%(contents)", "v0.1.0")
    assert repo.release().returncode == 1


def test_the_section_goes_between_unreleased_and_the_older_releases(repo: Repo) -> None:
    log = repo.path / "CHANGELOG.md"
    old = "# Changes\r\n\r\n## [Unreleased]\r\n\r\n- by hand\r\n\r\n## [1.0.0]\r\n\r\n- first\r\n"
    log.write_bytes(old.encode())
    log.chmod(0o640)
    repo.git("add", ".")
    repo.commit("feat: start")
    repo.git("tag", "v1.0.0")
    repo.commit("fix: a")
    assert repo.release("--write", "changelog").returncode == 0
    new = log.read_bytes().decode()
    place = new.index("## [1.0.1]")
    assert new.index("- by hand") < place < new.index("## [1.0.0]")
    assert new.replace(new[place : new.index("## [1.0.0]")], "") == old
    assert "\n" not in new.replace("\r\n", "")
    assert log.stat().st_mode & 0o777 == 0o640


def test_a_section_is_not_written_twice(repo: Repo) -> None:
    repo.commit("feat: start")
    assert repo.release("--write", "changelog").returncode == 0
    text = (repo.path / "CHANGELOG.md").read_bytes()
    again = repo.release("--write", "changelog")
    assert again.returncode == 4
    assert (repo.path / "CHANGELOG.md").read_bytes() == text


@pytest.mark.parametrize("name", ["../outside.md", "/outside.md"])
def test_the_changelog_stays_inside_the_repository(repo: Repo, name: str) -> None:
    repo.commit("feat: start")
    assert repo.release("--changelog", name, "--write", "changelog").returncode == 4
    assert not (repo.path.parent / "outside.md").exists()


def test_a_changelog_that_is_a_link_is_refused(repo: Repo) -> None:
    repo.commit("feat: start")
    (repo.path / "real.md").write_text("kept\n")
    (repo.path / "CHANGELOG.md").symlink_to("real.md")
    assert repo.release("--write", "changelog").returncode == 4
    assert (repo.path / "real.md").read_text() == "kept\n"


def test_a_shallow_clone_is_refused_because_its_history_is_cut(repo: Repo, tmp_path: Path) -> None:
    repo.commit("feat: start")
    repo.commit("fix: a")
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", "--depth=1", repo.path.as_uri(), str(clone))
    done = run(RELEASE, "--repo", clone, env=GIT)
    assert done.returncode == 3
    assert "shallow" in done.stderr


@pytest.mark.parametrize("make", [False, True], ids=["no repository", "no commit"])
def test_without_a_history_it_says_so(tmp_path: Path, *, make: bool) -> None:
    place = Repo(tmp_path / "x").path if make else tmp_path
    done = run(RELEASE, cwd=place, env={**GIT, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert done.returncode == 3
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_can_not_make_it_run_a_program(repo: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\n")
    trap.chmod(0o755)
    hook = repo.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    repo.commit("feat: start")
    assert repo.release("--write", "changelog").returncode == 0
    repo.git("add", ".")
    repo.commit("chore: log")
    hook.write_text(trap.read_text())
    hook.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(trap))
    mark.unlink(missing_ok=True)
    assert repo.release("--write", "tag").returncode == 0
    assert not mark.exists()
