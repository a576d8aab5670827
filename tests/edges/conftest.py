"""The ports as the program makes them, for tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from support.ca import CA
from support.webserver import WebServer

from skillpm.edges.credentials import Credentials
from skillpm.edges.git import Git
from skillpm.edges.host import Dirs, Host
from skillpm.edges.http import Http
from skillpm.edges.network import Network

MakeGit = Callable[..., Git]


def make_host(root: Path, env: Mapping[str, str] | None = None) -> Host:
    """A host of its own below a folder."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(root)} | dict(env or {})
    return Host(Dirs(root, root, root / "cache"), variables, interactive=False)


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host below the test's folder."""
    return make_host(tmp_path / "home")


@pytest.fixture
def make_git(tmp_path: Path) -> MakeGit:
    """Make a git port; `env` and `mirrors` are its host's, `said` collects progress."""

    def make(
        env: Mapping[str, str] | None = None,
        mirrors: Mapping[str, str] | None = None,
        said: list[str] | None = None,
    ) -> Git:
        told: list[str] = [] if said is None else said
        root = tmp_path / "home"
        progress = lambda what, _done, _total: told.append(what)  # noqa: E731 - one line is enough
        host = make_host(root, env)
        network = Network(host.env, dict(mirrors or {}), credentials=Credentials(host))
        return Git(host, root / "cache", network, progress)

    return make


@pytest.fixture
def git(make_git: MakeGit) -> Git:
    """A git port with nothing special."""
    return make_git()


@pytest.fixture
def http() -> Iterator[Http]:
    """An HTTP port with nothing special."""
    port = Http()
    yield port
    port.close()


@pytest.fixture
def https(ca: CA) -> Iterator[Http]:
    """An HTTP port that trusts the tests' authority."""
    port = Http(Network({"SSL_CERT_FILE": str(ca.pem)}))
    yield port
    port.close()


@pytest.fixture
def ca_other(ca: CA) -> Iterator[WebServer]:
    """A second server over HTTPS, at another port."""
    with WebServer(ca.context()) as server:
        yield server
