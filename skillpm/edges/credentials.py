"""Secrets, each for one origin (scheme, host and port) and for nobody else.

A source is asked without one first. When it then says that it is not there, or not open, the
credential of its origin is tried once: a token from the environment, then what git's own
credential helpers hold, then (on request) what `gh` holds. Nobody is ever asked for a password.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from skillpm.edges.host import Host
from skillpm.errors import StateError
from skillpm.model.policy import origin

_FORGES: Final = (
    ("GITHUB_TOKEN", "https://github.com:443", "x-access-token"),
    ("GH_TOKEN", "https://github.com:443", "x-access-token"),
    ("GITLAB_TOKEN", "https://gitlab.com:443", "oauth2"),
)
_USER: Final = "oauth2"
_SECRET: Final = re.compile(r"[\x21-\x7e]{1,4096}")
_NAME: Final = 100
_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Credential:
    """One secret; it is not shown when the object is.

    Attributes:
        name: where it comes from, for people.
    """

    name: str
    user: str = field(repr=False)
    secret: str = field(repr=False)

    @property
    def basic(self) -> str:
        """The Authorization header's value, as git's servers want it."""
        pair = f"{self.user}:{self.secret}".encode()
        return f"Basic {base64.b64encode(pair).decode()}"

    @property
    def id(self) -> str:
        """Tells one secret from another without telling either."""
        return hashlib.sha256(self.basic.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Credentials:
    """Where secrets are looked for.

    Attributes:
        host: the environment and the user's home; None where there are no secrets at all.
        tokens: origin to the name of the environment variable that holds its token.
        use_gh: whether `gh auth token` may be asked.
    """

    host: Host | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)
    use_gh: bool = False
    _found: dict[str, Credential | None] = field(default_factory=dict, repr=False, compare=False)

    def of(self, url: str) -> Credential | None:
        """The credential of a URL's origin; None when there is none, or it may not travel."""
        if url not in self._found:
            self._found[url] = self._look(url)
        return self._found[url]

    def _look(self, url: str) -> Credential | None:
        parts = urlsplit(url)
        if self.host is None or parts.scheme not in ("https", "http") or not url.isprintable():
            return None
        if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
            return None
        where = origin(url)
        found = self._token(self.host, where) or self._from_git(self.host, url)
        if found is None and self.use_gh and where == "https://github.com:443":
            found = self._from_gh(self.host)
        return found

    def _token(self, host: Host, where: str) -> Credential | None:
        rows = [
            (variable, origin(address), _USER)
            for address, variable in self.tokens.items()
        ]  # fmt: skip
        for variable, place, user in (*rows, *_FORGES):
            secret = host.env.get(variable, "").strip()
            if place == where and _SECRET.fullmatch(secret):
                return Credential(variable, user, secret)
        return None

    def _from_git(self, host: Host, url: str) -> Credential | None:
        """What the user's own helpers hold; they see this one address and nothing else of ours."""
        try:
            settings = self._helpers(host)
        except StateError:
            return None  # there is no git, so there are no helpers
        if not settings:
            return None
        parts = urlsplit(url)
        asked = f"protocol={parts.scheme}\nhost={parts.netloc.rpartition('@')[2]}\n"
        asked += f"path={unquote(parts.path).strip('/')}\n\n"
        if len(asked.splitlines()) != 4 or "\0" in asked:
            return None
        env = {f"GIT_CONFIG_KEY_{n}": key for n, (key, _) in enumerate(settings)}
        env |= {f"GIT_CONFIG_VALUE_{n}": value for n, (_, value) in enumerate(settings)}
        env["GIT_CONFIG_COUNT"] = str(len(settings))
        argv = [host.git(), "credential", "fill"]
        out = _run(argv, _environment(host) | {"GIT_CONFIG_GLOBAL": os.devnull} | env, asked)
        answer = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
        user, secret = answer.get("username", ""), answer.get("password", "")
        return Credential("git's credential helper", user, secret) if secret else None

    def _helpers(self, host: Host) -> list[tuple[str, str]]:
        argv = [host.git(), "config", "--global", "--includes", "--null"]
        out = _run([*argv, "--get-regexp", r"^credential\."], _environment(host))
        pairs = (entry.partition("\n") for entry in out.split("\0") if entry)
        settings = [(key, value) for key, _, value in pairs]
        return settings if any(key.endswith(".helper") for key, _ in settings) else []

    def _from_gh(self, host: Host) -> Credential | None:
        import shutil

        folders = [p for p in host.env.get("PATH", "").split(os.pathsep) if p.startswith("/")]
        program = shutil.which("gh", path=os.pathsep.join(folders))
        if not program:
            return None
        argv = [program, "auth", "token", "--hostname", "github.com"]
        secret = _run(argv, _environment(host)).strip()
        if not _SECRET.fullmatch(secret):
            return None
        return Credential("gh auth token", "x-access-token", secret)


def person(host: Host) -> str:
    """Who the user says they are: git's `user.name`, else the name of their login."""
    try:
        out = _run(
            [host.git(), "config", "--global", "--includes", "user.name"], _environment(host)
        )
    except StateError:
        out = ""  # there is no git
    name = " ".join(out.split())[:_NAME]
    return name if name and name.isprintable() else host.login()


def _environment(host: Host) -> dict[str, str]:
    """The user's environment without what would ask a question or steer git."""
    kept = {
        key: value
        for key, value in host.env.items()
        if not key.startswith("GIT_") and key not in ("SSH_ASKPASS", "DISPLAY")
    }
    home = Path(host.env.get("HOME", "/nonexistent"))
    if host.env.get("GIT_CONFIG_GLOBAL"):
        kept["GIT_CONFIG_GLOBAL"] = host.env["GIT_CONFIG_GLOBAL"]
    return kept | {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GCM_INTERACTIVE": "never",
        "GH_PROMPT_DISABLED": "1",
    }


def _run(argv: list[str], env: Mapping[str, str], given: str = "") -> str:
    """The output of a program of the user's, "" when it fails or takes too long."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return ""
    with process:
        try:
            out, _ = process.communicate(given.encode(), timeout=_SECONDS)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # the helper too
            if isinstance(error, subprocess.TimeoutExpired | OSError):
                return ""
            raise
    return out.decode("utf-8", "replace") if process.returncode == 0 else ""


def _is_loopback(host: str) -> bool:
    return host in ("127.0.0.1", "::1", "localhost")
