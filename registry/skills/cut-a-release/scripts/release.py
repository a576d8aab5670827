#!/usr/bin/env python3
"""Work out the next version and its changelog section from the git history.

Reads the commits since the newest `vX.Y.Z` tag that HEAD contains, as Conventional
Commits: a breaking change raises the major number, `feat` the minor, `fix`, `perf`
and reverts the patch; other types release nothing. Before 1.0.0 a breaking change
raises the minor number; `--stable` goes to 1.0.0. Without a tag the first version
is --initial. Pre-release tags (v1.0.0-rc.1) are not starting points.

Nothing is changed without --write:
  --write changelog   puts the section into the changelog file, in one step
  --write tag         makes the annotated tag on HEAD; the tree must be clean and
                      the committed changelog must hold the section

Exit statuses:
  0  there is something to release (and what --write asked for was done)
  1  nothing to release since the last version
  2  wrong usage
  3  no usable git history here (no repository, no commit, a shallow clone, git failed)
  4  refused: the version or the section is already there, the tree is not clean
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime as dt
import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

READY, NOTHING, USAGE, NO_HISTORY, REFUSED = 0, 1, 2, 3, 4
VERSION = re.compile(r"(0|[1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,9})")
HEADING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)(?:\(([^()\n]+)\))?(!)?: +(\S.*)")
FOOTER = re.compile(r"(?:BREAKING[ -]CHANGE|[A-Za-z][A-Za-z-]*)(?:: | #)")
BREAKING = re.compile(r"BREAKING[ -]CHANGE(?:: | #)(.*)")
REVERTED = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})")
GIT_REVERT = re.compile(r'Revert "(.+)"')
RELEASE_HEADING = re.compile(r"##[ \t]+(?!\[?unreleased)", re.IGNORECASE)
SECTIONS = (
    ("breaking", "Breaking changes"),
    ("feat", "Added"),
    ("fix", "Fixed"),
    ("perf", "Performance"),
    ("revert", "Reverted"),
)
CHANGELOG_START = "# Changelog\n\n"


class HistoryError(Exception):
    """The history can't be used to compute a version."""


class RefusedError(Exception):
    """What --write asked for would overwrite or contradict something."""


@dataclasses.dataclass(frozen=True, order=True)
class Version:
    """A release version, without pre-release or build parts."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        """The dotted form."""
        return f"{self.major}.{self.minor}.{self.patch}"


@dataclasses.dataclass(frozen=True)
class Commit:
    """One commit of the range, as Conventional Commits reads it."""

    hash: str
    type: str
    scope: str
    description: str
    breaking: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Release:
    """The answer: what comes next, and why."""

    current: Version | None
    next: Version | None
    bump: str
    commits: tuple[Commit, ...]
    section: str


# --- reading the history ------------------------------------------------------------------


def git(repo: Path, *arguments: str) -> str:
    """Run git in `repo` with its helpers off, and return what it prints.

    Raises:
        HistoryError: when git is missing, fails or takes longer than a minute.
    """
    settings = (
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "log.showSignature=false",
        "i18n.logOutputEncoding=UTF-8",
    )
    argv = ["git", "--no-pager", "-C", str(repo)]
    for setting in settings:
        argv += ["-c", setting]
    environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            [*argv, *arguments],
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            env=environment,
        )
    except FileNotFoundError as error:
        raise HistoryError("git is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise HistoryError(f"git {arguments[0]} took more than a minute") from error
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise HistoryError(f"git {arguments[0]}: {told[-1] if told else 'failed'}") from error
    return done.stdout.decode("utf-8", "replace")


def newest_version(repo: Path) -> Version | None:
    """The highest vX.Y.Z tag that HEAD contains."""
    tags = git(repo, "tag", "--merged", "HEAD", "--list", "v*").splitlines()
    found = [match for tag in tags if (match := VERSION.fullmatch(tag[1:]))]
    return max((as_version(match) for match in found), default=None)


def as_version(match: re.Match[str]) -> Version:
    """The numbers of a matched version."""
    major, minor, patch = (int(part) for part in match.groups())
    return Version(major, minor, patch)


def commits_since(repo: Path, version: Version | None) -> list[Commit]:
    """The commits after `version`'s tag, newest first."""
    span = f"refs/tags/v{version}..HEAD" if version else "HEAD"
    out = git(repo, "log", "-z", "--no-color", "--topo-order", "--format=%H%n%B", span, "--")
    return [read_commit(record) for record in out.split("\0") if record.strip()]


def read_commit(record: str) -> Commit:
    """Read one `hash, newline, message` record."""
    digest, _, message = record.partition("\n")
    lines = message.strip().splitlines() or [""]
    reverts = tuple(REVERTED.findall(message))
    match = HEADING.fullmatch(lines[0].strip())
    if match is None:
        native = GIT_REVERT.fullmatch(lines[0].strip())
        if native and reverts:
            return Commit(digest, "revert", "", native[1], (), reverts)
        return Commit(digest, "", "", lines[0].strip())
    kind, scope, bang, description = match.groups()
    breaking = breaking_notes(lines[1:])
    if bang and not breaking:
        breaking = (description,)
    kind = kind.lower()
    return Commit(
        digest,
        kind,
        (scope or "").strip(),
        description.strip(),
        breaking,
        reverts if kind == "revert" else (),
    )


def breaking_notes(lines: Sequence[str]) -> tuple[str, ...]:
    """The texts of the BREAKING CHANGE footers, continuation lines joined."""
    notes: list[list[str]] = []
    inside = False
    for line in lines:
        match = BREAKING.match(line)
        if match:
            notes.append([match[1].strip()])
            inside = True
        elif inside and line.strip() and not FOOTER.match(line):
            notes[-1].append(line.strip())
        else:
            inside = False
    return tuple(text for note in notes if (text := " ".join(note).strip()))


def without_reverted(commits: Sequence[Commit]) -> list[Commit]:
    """Drop each commit that a later one took back, and the one that took it back.

    A revert of something from an earlier release stays: it is news.
    """
    dropped: set[str] = set()
    for commit in commits:  # newest first, so a reverted revert no longer counts
        if commit.hash in dropped or not commit.reverts:
            continue
        hit = {
            other.hash
            for other in commits
            if any(other.hash.startswith(prefix) for prefix in commit.reverts)
        }
        if hit:
            dropped |= hit | {commit.hash}
    return [commit for commit in commits if commit.hash not in dropped]


# --- deciding -----------------------------------------------------------------------------


def bump_of(commits: Sequence[Commit]) -> str:
    """The greatest change among the commits: major, minor, patch or none."""
    if any(commit.breaking for commit in commits):
        return "major"
    kinds = {commit.type for commit in commits}
    if "feat" in kinds:
        return "minor"
    return "patch" if kinds & {"fix", "perf", "revert"} else "none"


def next_version(current: Version, bump: str) -> Version:
    """The version after `current`; before 1.0.0 a breaking change raises the minor number."""
    if bump == "major" and current.major > 0:
        return Version(current.major + 1, 0, 0)
    if bump in {"major", "minor"}:
        return Version(current.major, current.minor + 1, 0)
    return Version(current.major, current.minor, current.patch + 1)


def decide(repo: Path, options: argparse.Namespace) -> Release:
    """Read the history and work out the release; touches nothing."""
    git(repo, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if git(repo, "rev-parse", "--is-shallow-repository").strip() == "true":
        raise HistoryError("this clone is shallow; run `git fetch --unshallow --tags` first")
    current = newest_version(repo)
    commits = tuple(without_reverted(commits_since(repo, current)))
    bump = bump_of(commits)
    if bump == "none":
        return Release(current, None, bump, commits, "")
    following = next_version(current, bump) if current else options.initial
    if options.stable:
        if following >= Version(1, 0, 0):
            raise RefusedError(f"--stable is for the step to 1.0.0, and this would be {following}")
        following = Version(1, 0, 0)
    return Release(current, following, bump, commits, section(following, options.date, commits))


# --- the changelog ------------------------------------------------------------------------


def section(version: Version, day: dt.date, commits: Sequence[Commit]) -> str:
    """The Markdown section of a release, breaking changes first, oldest change first."""
    lines = [f"## [{version}] - {day.isoformat()}"]
    for kind, title in SECTIONS:
        entries = [entry for commit in reversed(commits) for entry in entries_of(commit, kind)]
        if entries:
            lines += ["", f"### {title}", "", *entries]
    return "\n".join(lines) + "\n"


def entries_of(commit: Commit, kind: str) -> list[str]:
    """The lines of one commit under one title."""
    scope = f"**{markdown(commit.scope)}:** " if commit.scope else ""
    mark = f" ({commit.hash[:7]})"
    if kind == "breaking":
        return [f"- {scope}{markdown(note)}{mark}" for note in commit.breaking]
    if commit.type != kind:
        return []
    return [f"- {scope}{markdown(commit.description)}{mark}"]


def clean(text: str) -> str:
    """Spell out control and invisible characters of text that others wrote."""
    return "".join(
        char
        if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text
    )


def markdown(text: str) -> str:
    """Keep code spans; take links, images and HTML of the rest literally."""
    parts = re.split(r"(`[^`]+`)", clean(text))
    plain = [re.sub(r"([\\\[\]<>*_])", r"\\\1", part) for part in parts[::2]]
    woven = [piece for pair in zip(plain, [*parts[1::2], ""], strict=True) for piece in pair]
    return "".join(woven)


def with_section(text: str, version: Version, added: str) -> str:
    """The changelog with the section above the older releases.

    Raises:
        RefusedError: when the version has a section already.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").splitlines(keepends=True)
    if has_section(text, version):
        raise RefusedError(f"the changelog has a section for {version} already")
    place = next((i for i, line in enumerate(lines) if RELEASE_HEADING.match(line)), len(lines))
    before, after = "".join(lines[:place]), "".join(lines[place:])
    before = before.rstrip("\n") + "\n\n" if before.strip() else CHANGELOG_START
    return (before + added + ("\n" + after if after else "")).replace("\n", newline)


def has_section(text: str, version: Version) -> bool:
    """Whether a heading of the changelog names exactly this version."""
    pattern = rf"^##[ \t]+\[?v?{re.escape(str(version))}(?![0-9A-Za-z.+-])"
    return re.search(pattern, text, re.MULTILINE) is not None


def write_changelog(path: Path, release: Release) -> None:
    """Put the section into the file in one step; a link is refused, the mode is kept."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise RefusedError(f"{path} is not a regular file")
    old = path.read_bytes().decode("utf-8") if path.exists() else ""
    if release.next is None:
        return
    new = with_section(old, release.next, release.section).encode()
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    with aside.open("xb") as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        aside.chmod(path.stat().st_mode & 0o777)
    aside.replace(path)


def write_tag(repo: Path, changelog: Path, release: Release) -> None:
    """Make the annotated tag on HEAD.

    Raises:
        RefusedError: when the tree is not clean, the tag exists, or the changelog of
            HEAD lacks the section.
    """
    tag = f"v{release.next}"
    if git(repo, "status", "--porcelain").strip():
        raise RefusedError("the tree has uncommitted changes; commit or set them aside first")
    if git(repo, "tag", "--list", tag).strip():
        raise RefusedError(f"{tag} exists already, outside the history of HEAD")
    text = changelog.read_text(encoding="utf-8") if changelog.is_file() else ""
    if release.next is None or not has_section(text, release.next):
        raise RefusedError(f"the changelog has no section for {release.next}; write and commit it")
    message = f"{tag}\n\n{release.section}"
    git(repo, "tag", "--annotate", "--cleanup=verbatim", "--message", message, tag, "HEAD")


# --- the command line ---------------------------------------------------------------------


def as_json(release: Release, written: str) -> str:
    """The answer for a program."""
    data: dict[str, Any] = {
        "schema": 1,
        "current": str(release.current) if release.current else None,
        "next": str(release.next) if release.next else None,
        "tag": f"v{release.next}" if release.next else None,
        "bump": release.bump,
        "commits": [dataclasses.asdict(commit) for commit in release.commits],
        "changelog": release.section,
        "written": written or None,
    }
    return json.dumps(data, indent=2)


def as_text(release: Release, written: str) -> str:
    """The answer for a person."""
    current = f"v{release.current}" if release.current else "no release yet"
    if release.next is None:
        return f"{current}: nothing to release in {len(release.commits)} commits since"
    lines = [f"{current} -> v{release.next} ({release.bump})", "", release.section.rstrip(), ""]
    other = [commit for commit in release.commits if not commit.type]
    if other:
        lines.append(f"{len(other)} commits are not Conventional Commits and were not counted:")
        lines += [f"  {commit.hash[:7]} {clean(commit.description)}" for commit in other[:20]]
    lines.append(f"written: {written}" if written else "nothing was written (see --write)")
    return "\n".join(lines)


def version_argument(text: str) -> Version:
    """An X.Y.Z argument, with or without the v."""
    match = VERSION.fullmatch(text.removeprefix("v"))
    if match is None:
        raise argparse.ArgumentTypeError("must look like 1.2.3")
    return as_version(match)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = argparse.ArgumentParser(
        prog="release.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--repo", type=Path, default=Path(), help="the repository (here)")
    made.add_argument("--changelog", type=Path, default=Path("CHANGELOG.md"), help="inside it")
    made.add_argument("--initial", type=version_argument, default=Version(0, 1, 0), help="(0.1.0)")
    made.add_argument("--stable", action="store_true", help="leave 0.x: the next version is 1.0.0")
    made.add_argument(
        "--date", type=dt.date.fromisoformat, default=dt.datetime.now(dt.UTC).date(), help="(today)"
    )
    made.add_argument("--write", choices=("changelog", "tag"), help="change something, at last")
    made.add_argument("--json", action="store_true", help="for a program")
    return made.parse_args(words)


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    try:
        root = Path(git(options.repo, "rev-parse", "--show-toplevel").rstrip("\n"))
        changelog = root / options.changelog
        if not changelog.resolve().is_relative_to(root.resolve()):
            raise RefusedError("the changelog must be inside the repository")
        release = decide(root, options)
        written = ""
        if options.write == "changelog" and release.next:
            write_changelog(changelog, release)
            written = str(options.changelog)
        if options.write == "tag" and release.next:
            write_tag(root, changelog, release)
            written = f"tag v{release.next}"
    except HistoryError as error:
        print(clean(str(error)), file=sys.stderr)
        return NO_HISTORY
    except (RefusedError, OSError, UnicodeDecodeError) as error:
        print(f"refused: {clean(str(error))}", file=sys.stderr)
        return REFUSED
    print(as_json(release, written) if options.json else as_text(release, written))
    return READY if release.next else NOTHING


if __name__ == "__main__":
    sys.exit(main())
