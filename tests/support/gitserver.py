"""A real smart-HTTP git server on loopback: `git http-backend` behind a threaded server."""

from __future__ import annotations

import os
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO

from .exchange import Reply, Request
from .gitrepo import GitRepo, git_environment
from .httpd import LoopbackServer

_CHUNK = 64 * 1024


class GitServer(LoopbackServer):
    """Serves every bare repository below a folder, as `/owner/repo.git` and as `/owner/repo`.

    Args:
        root: the folder of the repositories; it is made when it does not exist.
        context: a server's TLS context; None serves plain HTTP.
    """

    def __init__(self, root: Path, context: ssl.SSLContext | None = None) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        super().__init__(context)

    def repo(self, name: str = "owner/repo") -> GitRepo:
        """Make a repository that is served at once."""
        return GitRepo(self.root / f"{name}.git")

    def url_of(self, name: str = "owner/repo") -> str:
        """The address to clone a repository from."""
        return f"{self.url}/{name}.git"

    def redirect(self, old: str, new: str, status: int = 301) -> None:
        """Answer requests for one repository with a redirect to the same page of another.

        Args:
            old: the name (`owner/repo`) that moved.
            new: its new name, or a whole address of another server.
            status: the status of the redirect.
        """
        base = new if "://" in new else f"/{new}"

        def hook(request: Request) -> Reply | None:
            for prefix in (f"/{old}.git/", f"/{old}/"):
                if request.target.startswith(prefix):
                    to = f"{base}.git/{request.target.removeprefix(prefix)}"
                    return Reply.redirect(to, status)
            return None

        self.on_request(hook)

    def answer(self, request: Request) -> Reply:
        """What `git http-backend` answers, streamed."""
        program = _Backend(self._variables(request), request.body)
        headers = program.headers()
        status = int(headers.pop("Status", "200").split()[0])
        return Reply(status, program, headers)

    def _variables(self, request: Request) -> dict[str, str]:
        variables = {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": self._located(request.path),
            "QUERY_STRING": request.target.partition("?")[2],
            "REQUEST_METHOD": request.method,
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": (request.basic or ("",))[0],
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        }
        return git_environment() | {name: value for name, value in variables.items() if value}

    def _located(self, path: str) -> str:
        for page in ("/info/refs", "/git-upload-pack", "/git-receive-pack"):
            folder = path.removesuffix(page)
            if folder != path and (self.root / f"{folder.strip('/')}.git").is_dir():
                return f"{folder}.git{page}"
        return path


class _Backend:
    """One run of `git http-backend`: the headers, then the body as an iterable with `close`."""

    def __init__(self, variables: dict[str, str], body: bytes) -> None:
        with tempfile.TemporaryFile() as spool:
            spool.write(body)
            spool.seek(0)
            self._process = subprocess.Popen(
                [_backend()],
                stdin=spool,
                stdout=subprocess.PIPE,
                bufsize=0,
                stderr=subprocess.DEVNULL,
                env=variables,
            )

    def headers(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while line := self._out.readline().strip():
            name, _, value = line.decode().partition(": ")
            found[name] = value
        return found

    def __iter__(self) -> Iterator[bytes]:
        while chunk := os.read(self._out.fileno(), _CHUNK):
            yield chunk

    def close(self) -> None:
        self._out.close()
        self._process.kill()
        self._process.wait()

    @property
    def _out(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout


@cache
def _backend() -> str:
    folder = subprocess.check_output(["git", "--exec-path"], env=git_environment(), text=True)
    return str(Path(folder.strip()) / "git-http-backend")
