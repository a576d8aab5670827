"""Guards for every test, and the fixtures that hand out the servers of `support`."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings
from support.ca import CA
from support.gitrepo import GitRepo, MakeRepo
from support.gitserver import GitServer
from support.guards import NETWORK, own_environment
from support.hubserver import HubServer
from support.webserver import WebServer

# `--hypothesis-profile=long`: more inputs for the tests that leave their number open.
settings.register_profile("long", max_examples=500)


def pytest_configure() -> None:
    """Close the way out before any test module is imported.

    A shell starts what runs in its background with interrupts ignored, and so would be everything
    that the tests start, those that are to be interrupted as well.
    """
    NETWORK.install()
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_environment(tmp_path_factory.mktemp("own")):
        yield


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    NETWORK.take()
    yield
    seen = NETWORK.take()
    if seen:
        pytest.fail("the test left loopback: " + "; ".join(seen))


@pytest.fixture(scope="session")
def ca(tmp_path_factory: pytest.TempPathFactory) -> CA:
    """A certificate authority that only the tests trust."""
    return CA(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def git_server(tmp_path: Path) -> Iterator[GitServer]:
    """A git server over plain HTTP."""
    with GitServer(tmp_path / "served") as server:
        yield server


@pytest.fixture
def https_git_server(tmp_path: Path, ca: CA) -> Iterator[GitServer]:
    """A git server over HTTPS, with a certificate of `ca`."""
    with GitServer(tmp_path / "served-tls", ca.context()) as server:
        yield server


@pytest.fixture
def web() -> Iterator[WebServer]:
    """A web server over plain HTTP."""
    with WebServer() as server:
        yield server


@pytest.fixture
def https_web(ca: CA) -> Iterator[WebServer]:
    """A web server over HTTPS, with a certificate of `ca`."""
    with WebServer(ca.context()) as server:
        yield server


@pytest.fixture
def hub() -> Iterator[HubServer]:
    """A hub over plain HTTP."""
    with HubServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A SKILL_HOME that does not exist yet, for `run_skill(home=...)`."""
    return tmp_path / "person" / "skillhome"


@pytest.fixture
def make_repo(tmp_path: Path) -> MakeRepo:
    """Make a repository: `make_repo({"a.md": "text"}, name="other")`."""

    def make(files: Mapping[str, bytes | str] | None = None, name: str = "repo") -> GitRepo:
        repo = GitRepo(tmp_path / "repos" / f"{name}.git")
        if files:
            repo.commit(files)
        return repo

    return make
