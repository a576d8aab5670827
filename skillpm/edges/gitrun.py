"""Running the git program: a fixed argv, an environment made here, a deadline, a byte cap.

The process is started through GitPython's `Git.execute` (its only use here); nothing that git
prints decides anything, it is only cleaned and shown.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from skillpm.edges import certificates, disk, folders, retry
from skillpm.edges.credentials import Credential
from skillpm.edges.host import Host
from skillpm.edges.network import Network, Progress
from skillpm.errors import (
    IntegrityError,
    NotFoundError,
    RefusedError,
    SkillError,
    StateError,
    UnreachableError,
)
from skillpm.model.policy import Policy, origin
from skillpm.model.text import safe

MAX_FETCH: Final = 200 * 1024 * 1024
SECONDS: Final = 120.0
OLDEST: Final = "2.30"
_USAGE: Final = 129
_GRACE: Final = 0.08

_CONFIG: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "http.followRedirects=false",
    "transfer.fsckObjects=true",
    "transfer.bundleURI=false",
    "fetch.fsck.zeroPaddedFilemode=ignore",
    "fetch.fsck.badTimezone=ignore",
    "fetch.fsck.missingSpaceBeforeDate=ignore",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.bareRepository=explicit",
    "safe.directory=*",
    "submodule.recurse=false",
    "credential.helper=",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=30",
)
_INHERITED: Final = ("PATH", "SSH_AUTH_SOCK", "USER", "TMPDIR")


_PRIVATE: Final = (
    "could not read Username", "Authentication failed", "error: 401", "error: 404",
    "' not found", "Repository not found",
)  # fmt: skip
_BROKEN: Final = (
    "Connection reset", "Empty reply", "unexpected disconnect", "early EOF", "transfer closed",
    "hung up unexpectedly", "returned error: 429", "returned error: 50",
)  # fmt: skip
_ABSENT: Final = ("not found", "does not exist", "does not appear to be")


class NoAccessError(NotFoundError):
    """Not there, or there and not for us: servers do not say which."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository's URL and who named it."""

    url: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class Job:
    """What one run of git may cost.

    Attributes:
        remote: whom it talks to; None for a local command, which may talk to nobody.
        watch: the repository whose growth is capped at `MAX_FETCH`.
        seconds: the whole.
    """

    remote: Remote | None = None
    watch: Path | None = None
    seconds: float = SECONDS


LOCAL: Final = Job()


class GitProgram:
    """The git program with everything that could steer it taken away.

    Args:
        host: where git is, and the environment.
        cwd: a private folder that serves as working directory and home.
        network: mirrors, proxies, certificates and credentials.
        progress: told about bytes as they arrive.
    """

    def __init__(self, host: Host, cwd: Path, network: Network, progress: Progress) -> None:
        self.network = network
        self._host = host
        self._cwd = cwd
        self._progress = progress
        self._lock = threading.Lock()
        self._closed = False
        self._running: set[subprocess.Popen[bytes]] = set()
        self._granted: dict[str, Credential] = {}

    def close(self) -> None:
        """End every process that still runs, with all that it started; start no other."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        _end(running)

    @property
    def folder(self) -> Path:
        """The private folder in which it runs."""
        return self._cwd

    def program(self, name: str) -> str:
        """The absolute path of another program that git may start; "" when there is none."""
        return self._host.program(name)

    def url(self, remote: Remote) -> str:
        """What git is given for a remote, mirrors applied."""
        return self.network.mirrored(remote.url)

    def scheme(self, remote: Remote) -> str:
        """The one protocol that git may speak to a remote."""
        url = self.url(remote)
        return url.partition("://")[0] if "://" in url else "ssh"

    def _environment(self, remote: Remote | None, credential: Credential | None) -> dict[str, str]:
        env = {key: self._host.env[key] for key in _INHERITED if key in self._host.env}
        scheme = self.scheme(remote) if remote else "none"
        env |= {
            "HOME": str(self._cwd),
            "XDG_CONFIG_HOME": str(self._cwd),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GIT_ALLOW_PROTOCOL": scheme,
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=5",
        }
        if remote is None or scheme not in ("https", "http"):
            return env
        url = self.url(remote)
        settings = {"http.proxy": self.network.proxy(url)}
        if credential:
            settings[f"http.{origin(url)}/.extraHeader"] = f"Authorization: {credential.basic}"
        env |= certificates.for_git(self._host.env, self._cwd)
        return env | _settings({key: value for key, value in settings.items() if value})

    def talk(self, argv: Sequence[str], job: Job, *, stdin: bytes = b"") -> bytes:
        """Run git against a remote: without a credential first, then once with the origin's.

        Raises:
            NotFoundError: it is not there, or is private and we have no access.
            SkillError: git failed; the class says how.
        """
        remote = job.remote
        if remote is None:
            return self.run(argv, job, stdin=stdin)
        url = self.url(remote)
        granted = self._granted.get(url)
        try:
            return self._tried(argv, job, stdin, granted)
        except NoAccessError as error:
            if granted:
                raise
            credential = self.network.credentials.of(url)
            if credential is None:
                raise
            try:
                out = self._tried(argv, job, stdin, credential)
            except NoAccessError:
                raise NoAccessError(
                    f"{safe(remote.url)} was not found, or is private and"
                    f" {credential.name} gives no access to it"
                ) from error
        self._granted[url] = credential
        return out

    def _tried(
        self, argv: Sequence[str], job: Job, stdin: bytes, credential: Credential | None
    ) -> bytes:
        """Run git against a remote, again when the connection broke: all of it only reads there."""
        until = time.monotonic() + job.seconds
        for attempt in range(1, retry.TRIES):
            try:
                return self.run(argv, job, stdin=stdin, credential=credential)
            except retry.BrokenError as error:
                wait = retry.pause(attempt, error.wait)
                if time.monotonic() + wait >= until:
                    raise
                time.sleep(wait)
                job = replace(job, seconds=until - time.monotonic())
        return self.run(argv, job, stdin=stdin, credential=credential)

    def attempt(self, argv: Sequence[str], stdin: bytes = b"") -> bytes | None:
        """The output of a local command (a newline when it is silent), None when it failed."""
        try:
            return self.run(argv, stdin=stdin) or b"\n"
        except (StateError, UnreachableError):
            return None

    def run(
        self,
        argv: Sequence[str],
        job: Job = LOCAL,
        *,
        stdin: bytes = b"",
        credential: Credential | None = None,
    ) -> bytes:
        """Run git once and return its output.

        Raises:
            SkillError: git failed; the class says how.
        """
        program = self._host.git()
        config = [part for setting in _CONFIG for part in ("-c", setting)]
        folders.private_folder(self._cwd)
        # In a folder of ours: else Python tries others, the current one among them.
        with disk.translated("run git"), tempfile.TemporaryFile(dir=self._cwd) as given:
            given.write(stdin)
            given.seek(0)
            env = self._environment(job.remote, credential)
            with self._lock:
                if self._closed:
                    raise UnreachableError("it was interrupted")
                process = _start([program, *config, *argv], given, env, self._cwd)
                self._running.add(process)
            try:
                out, err = self._watch(process, job)
            except BaseException:
                _end((process,))
                process.communicate()
                raise
            finally:
                self._running.discard(process)
        if process.returncode == _USAGE:
            raise self._too_old(program)
        if process.returncode:
            said = err.decode("utf-8", "replace")
            # Then it is the cache that is wrong, not the remote.
            ours = str(self._cwd) in said or "bad shallow line" in said
            raise _failure(None if ours else job.remote, said)
        return out

    def _too_old(self, program: str) -> SkillError:
        """What it means that git does not know one of our options."""
        done = subprocess.run([program, "--version"], capture_output=True, check=False)
        version = safe(done.stdout.decode("utf-8", "replace").strip() or "this git", 60)
        return StateError(
            f"{version} at {safe(program)} is too old for us",
            hint=f"install git {OLDEST} or newer; bundled skills, hubs and plain URLs work without",
        )

    def _watch(self, process: subprocess.Popen[bytes], job: Job) -> tuple[bytes, bytes]:
        """Wait for the process within its time, and for a fetch within its bytes."""
        start = time.monotonic()
        before = _folder_size(job.watch)
        while True:
            try:
                return process.communicate(timeout=0.25)
            except subprocess.TimeoutExpired:
                moved = _folder_size(job.watch) - before
                where = safe(job.remote.url) if job.remote else "git"
                self._progress(where, moved, 0)
                if time.monotonic() - start > job.seconds:
                    raise UnreachableError(
                        f"{where} did not finish within {job.seconds:.0f} s"
                    ) from None
                if moved > MAX_FETCH:
                    raise UnreachableError(
                        f"{where} sends more than {MAX_FETCH >> 20} MiB"
                    ) from None


def _start(
    argv: Sequence[str], stdin: BinaryIO, env: Mapping[str, str], cwd: Path
) -> subprocess.Popen[bytes]:
    try:
        import git as gitpython  # runs "git version"
    except ImportError as error:
        raise StateError(
            f"git cannot be used: {safe(str(error), 200)}",
            hint="see whether this works: git version",
        ) from error
    started: Any = gitpython.Git(str(cwd)).execute(
        list(argv),
        istream=stdin,
        as_process=True,
        shell=False,
        env=dict(env),
        start_new_session=True,
    )
    process: subprocess.Popen[bytes] = started.proc
    vars(process)["_sigint_wait_secs"] = 0.0  # it would wait a quarter of a second after Ctrl-C
    started.proc = None  # ours to wait for and to kill, with its whole process group
    return process


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End processes and everything they started: asked first, then made to, all at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + _GRACE
        for process in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(until - time.monotonic(), 0.001))


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """Configuration as variables: unlike an argument, no other user can read them."""
    env = {"GIT_CONFIG_COUNT": str(len(values))}
    for number, (key, value) in enumerate(values.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return env


def _folder_size(path: Path | None) -> int:
    if path is None:
        return 0
    total = 0
    for folder, _, files in os.walk(path / "objects"):
        for name in files:
            with contextlib.suppress(OSError):
                total += (Path(folder) / name).stat().st_size
    return total


def _failure(remote: Remote | None, stderr: str) -> SkillError:
    lines = [line for line in stderr.splitlines() if line.strip()]
    said = next(
        (s for s in lines if s.startswith(("fatal:", "error:", "remote:"))),
        lines[0] if lines else "",
    )
    reason = safe(said.removeprefix("fatal: ").removeprefix("error: "), 300)
    if remote is None:
        return StateError(f"git failed: {reason}")
    where = safe(remote.url)
    if "redirect" in stderr:
        return RefusedError(f"{where} has moved: {reason}", hint="give the new address yourself")
    if "not our ref" in stderr or "remote ref" in stderr:
        return NotFoundError(f"{where} has no such commit")
    if "fsck" in stderr or "bad object" in stderr or "contains '" in stderr:
        return IntegrityError(f"{where} sends objects that git refuses: {reason}")
    if any(word in stderr for word in _PRIVATE):
        return NoAccessError(
            f"{where} was not found, or is private and we have no access",
            hint="check the spelling; for a private one set GITHUB_TOKEN, GITLAB_TOKEN or [tokens],"
            " or let git's credential helper know it",
        )
    if any(word in stderr for word in _ABSENT):
        return NotFoundError(f"{where}: no git repository is there for us ({reason})")
    if any(word in stderr for word in _BROKEN):
        return retry.BrokenError(f"{where}: {reason}")
    return UnreachableError(f"{where}: {reason or 'git failed without a word'}")
