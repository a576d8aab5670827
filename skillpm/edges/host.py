"""The machine as it is when the program starts: folders, environment, clock, terminal.

The only module that reads the environment, the home directory and the clock.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from skillpm.errors import StateError, UsageError

APP: Final = "skillpm"


class Dirs(NamedTuple):
    """Where state lives.

    Attributes:
        data: library, store and `state.db`; nothing here may be lost.
        config: `config.toml`.
        cache: everything here may vanish at any time.
    """

    data: Path
    config: Path
    cache: Path

    @property
    def library(self) -> Path:
        """The directory in which installed skills live."""
        return self.data / "library"

    @property
    def staging(self) -> Path:
        """Private work space on the same disk as the library."""
        return self.data / "staging"


@dataclass(frozen=True, slots=True)
class Host:
    """The process's surroundings, read once.

    Attributes:
        env: the environment, without the variables that would steer git.
        interactive: whether a person can answer a question.
        present: whether a person both sees what is printed and can answer: input, output and
            errors are terminals. Nothing else says so, no option and no variable.
    """

    dirs: Dirs
    env: Mapping[str, str]
    interactive: bool
    present: bool = False

    @classmethod
    def from_process(cls) -> Host:
        """Read the environment, and take out of it what would steer git behind our back.

        Raises:
            UsageError: `SKILL_HOME` is not an absolute path, or there is no home directory.
        """
        env = dict(os.environ)
        for key in [key for key in os.environ if key.startswith("GIT_") or key == "SSH_ASKPASS"]:
            del os.environ[key]
        interactive = _is_terminal(sys.stdin) and _is_terminal(sys.stderr)
        present = interactive and _is_terminal(sys.stdout)
        return cls(_without_links(_dirs(env)), env, interactive, present)

    def account(self) -> str:
        """The account that this process runs as; no variable and no setting has a say in it."""
        try:
            import pwd

            return pwd.getpwuid(os.getuid()).pw_name
        except ImportError:
            return self.login()  # Windows
        except KeyError:
            return f"uid {os.getuid()}"

    def now(self) -> str:
        """The time in UTC as ISO 8601 with seconds."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def program(self, name: str) -> str:
        """The absolute path of a program; "" when there is none.

        Only absolute entries of PATH are searched, so that one planted in the current folder is
        never run.
        """
        import shutil

        path = self.env.get("PATH", os.defpath).split(os.pathsep)
        return shutil.which(name, path=os.pathsep.join(p for p in path if p.startswith("/"))) or ""

    def git(self) -> str:
        """The absolute path of the git program.

        Raises:
            StateError: there is none.
        """
        found = self.program("git")
        if not found:
            raise StateError(
                "git is not on PATH, and this source is a git repository",
                hint="install git; bundled skills, hubs and plain URLs work without it",
            )
        # GitPython runs "git version" when it is imported: this one, never whatever lies about.
        os.environ["GIT_PYTHON_GIT_EXECUTABLE"] = found
        return found

    def login(self) -> str:
        """The name under which the person is logged in; "unknown" when nothing tells it."""
        import getpass

        try:
            return getpass.getuser()
        except (OSError, KeyError, ImportError):
            return "unknown"

    def read_input(self, limit: int) -> bytes:
        """All of standard input.

        Raises:
            UsageError: there is nothing, a terminal is there, or it is more than `limit` bytes.
        """
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "standard input is a terminal, and a document or an archive was expected there"
            )
        data = sys.stdin.buffer.read(limit + 1)
        if len(data) > limit:
            raise UsageError(f"standard input is larger than {limit // 1024 // 1024} MiB")
        if not data:
            raise UsageError("standard input is empty")
        return data

    def here(self) -> Path:
        """The current folder, without links on the way.

        Raises:
            UsageError: it is gone.
        """
        try:
            return Path.cwd().resolve()
        except (OSError, RuntimeError) as error:
            raise UsageError(f"the current folder cannot be found: {error}") from None

    def home(self) -> Path:
        """The user's home folder, as the environment names it; links are left as they are."""
        return _home(self.env)

    def owns(self, path: Path) -> bool:
        """Whether a folder is there and belongs to the account of this process."""
        try:
            return path.is_dir() and path.stat().st_uid == os.getuid()
        except (OSError, AttributeError):
            return False

    def has_folder(self, path: str) -> bool:
        """Whether a path as typed leads to a folder; no when that cannot be told."""
        try:
            return self.expand(path).is_dir()
        except OSError:
            return False

    def shorten(self, path: Path) -> str:
        """A path relative to the current folder, `/`-separated; "" for it and for any outside."""
        here, path = Path.cwd(), Path(os.path.normpath(path))
        inside = path.relative_to(here).as_posix() if path.is_relative_to(here) else "."
        return "" if inside == "." else inside

    def expand(self, path: str) -> Path:
        """A path as typed, with `~/` replaced, made absolute; links are left as they are."""
        if path == "~" or path.startswith("~/"):
            return _home(self.env) / path[2:]
        return Path.cwd() / path


def _is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is behind a stream; one that was closed before we started is None."""
    return stream is not None and stream.isatty()


def _dirs(env: Mapping[str, str]) -> Dirs:
    home = env.get("SKILL_HOME", "")
    if home:
        root = Path(home)
        if not root.is_absolute():
            raise UsageError("SKILL_HOME is not an absolute path")
        return Dirs(root, root, root / "cache")
    if env.get("HOME", "").startswith("/") and sys.platform.startswith("linux"):
        return _xdg(env, Path(env["HOME"]))
    import platformdirs

    user = platformdirs.PlatformDirs(APP, appauthor=False)
    return Dirs(user.user_data_path, user.user_config_path, user.user_cache_path)


def _without_links(dirs: Dirs) -> Dirs:
    """The folders as they are now; a link that appears later on the way to them stops us."""
    try:
        return Dirs(*(folder.resolve() for folder in dirs))
    except (OSError, RuntimeError) as error:
        raise UsageError(f"the folders of skill cannot be found: {error}") from None


def _xdg(env: Mapping[str, str], home: Path) -> Dirs:
    """The XDG base directories; relative values are ignored, as the specification says."""

    def base(variable: str, default: str) -> Path:
        value = env.get(variable, "")
        return (Path(value) if value.startswith("/") else home / default) / APP

    return Dirs(
        base("XDG_DATA_HOME", ".local/share"),
        base("XDG_CONFIG_HOME", ".config"),
        base("XDG_CACHE_HOME", ".cache"),
    )


def _home(env: Mapping[str, str]) -> Path:
    value = env.get("HOME", "")
    return Path(value) if value.startswith("/") else Path.home()
