"""What runs inside a network of its own: a real name server, a public address, a black hole.

Started by `test_names_that_change.py` as `unshare --net … python otherworld.py SCENARIO`; prints
one JSON object. The public address is one of this machine's, so that nothing leaves it.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from support.ca import CA
from support.dnsd import NameServer
from support.gitserver import GitServer
from support.webserver import WebServer

from edges.conftest import make_host
from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import SkillError
from skillpm.model.policy import Policy

PUBLIC: Final = "93.184.216.34"
DEAD: Final = ["10.9.9.7", "10.9.9.8", "10.9.9.9", "10.9.9.10"]
DEAD6: Final = "2001:db8::7"
NAME: Final = "rebind.example"
MIXED: Final = [
    [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], [PUBLIC, "::1"], [PUBLIC, "::ffff:127.0.0.1"],
    [PUBLIC, "10.0.0.1"], ["169.254.169.254"],
]  # fmt: skip
NAMED: Final = Policy(typed=False)
TYPED: Final = Policy(typed=True)


class Door:
    """A TCP port at one address that leads to a server on loopback, and counts who comes.

    Attributes:
        opened: connections so far.
    """

    def __init__(self, address: str, to: int) -> None:
        self.opened = 0
        self._to = to
        self._listener = socket.create_server((address, 443))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            self.opened += 1
            far = socket.create_connection(("127.0.0.1", self._to))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=pair, daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


class World:
    """The servers, and what they saw; `good` is behind the public address, `inner` is not."""

    def __init__(self, folder: Path) -> None:
        ca = CA(folder)
        self.env = {"SSL_CERT_FILE": str(ca.pem)}
        self.folder = folder
        self.names = NameServer()
        self.good = WebServer(ca.context(NAME))
        self.good.serve("/x", "public")
        inner = WebServer(ca.context(NAME))
        inner.serve("/x", "secret")
        self.repos = GitServer(folder / "served", ca.context(NAME))
        self.http = Http(Network(self.env))
        self.trap = Door("127.0.0.1", inner.port)
        self.front: Door | None = None

    def open(self, server: WebServer | GitServer) -> None:
        """Put a server behind the public address."""
        self.front = Door(PUBLIC, server.port)

    def get(
        self, url: str = f"https://{NAME}/x", policy: Policy = NAMED, seconds: float = 30
    ) -> Any:
        """The text behind a URL, or the error."""
        start = time.monotonic()
        try:
            body = self.http.get(url, policy, Limits(10_000, seconds)).body.decode()
            return {"body": body, "seconds": time.monotonic() - start}
        except SkillError as error:
            seconds = time.monotonic() - start
            return {"error": error.code, "message": error.message, "seconds": seconds}

    def seen(self, **more: Any) -> dict[str, Any]:
        """Who came through which door, and how often the name was asked for."""
        return {
            "public": self.front.opened if self.front else 0,
            "inside": self.trap.opened,
            "asked": self.names.asked[NAME, 4],
            "hosts": [request.headers["Host"] for request in self.good.requests],
            **more,
        }


def web(world: World) -> Any:
    """The name is public the first time, and this machine afterwards."""
    world.open(world.good)
    world.names.answer(NAME, [PUBLIC], ["127.0.0.1"])
    return world.seen(got=[world.get(), world.get()])


def redirect(world: World) -> Any:
    """The name changes between a request and the redirect that it is answered with."""
    world.open(world.good)
    world.good.redirect("/x", f"https://{NAME}/y")
    world.names.answer(NAME, [PUBLIC], ["127.0.0.1"])
    return world.seen(got=[world.get()])


def mixed(world: World) -> Any:
    """One of several addresses is private, at each place in the list and in each family."""
    world.open(world.good)
    got = []
    for turn in MIXED:
        world.names.asked.clear()
        world.names.answer(NAME, turn)
        got.append(world.get())
    return world.seen(got=got)


def repository(world: World) -> Any:
    """A fetch is several connections of git's own: all of them to the address that was checked."""
    sha = world.repos.repo().commit({"a": "public"})
    world.open(world.repos)
    world.names.answer(NAME, [PUBLIC], ["127.0.0.1"])
    host = make_host(world.folder / "home", world.env)
    git = Git(host, world.folder / "cache", Network(world.env), lambda *_: None)
    remote = Remote(f"https://{NAME}/owner/repo.git", NAMED)
    head = git.refs(remote).head
    commit = git.open(remote, sha)
    files = {path: data.decode() for path, data in commit.read(commit.nodes).items()}
    return world.seen(head=head == sha, files=files)


def slow(world: World) -> Any:
    """Names whose addresses are black holes, in part or all of them; all at the same time."""
    live = WebServer()
    live.serve("/x", "alive")
    for name, addresses in {
        "half.example": [DEAD6, "127.0.0.1"], "dead.example": [*DEAD], "short.example": [*DEAD],
    }.items():  # fmt: skip
        world.names.answer(name, addresses)
    world.names.be_silent("silent.example")
    asked = {
        "half": ("half.example", 60), "dead": ("dead.example", 60), "short": ("short.example", 2),
        "silent": ("silent.example", 2), "unknown": ("unknown.example", 60),
    }  # fmt: skip
    with ThreadPoolExecutor(len(asked)) as pool:
        got = {
            case: pool.submit(world.get, f"http://{name}:{live.port}/x", TYPED, seconds)
            for case, (name, seconds) in asked.items()
        }
        named = pool.submit(world.get, "https://silent.example/x", NAMED, 2)
    return {case: future.result() for case, future in got.items()} | {"named": named.result()}


SCENARIOS: Final[dict[str, Callable[[World], Any]]] = {
    "web": web, "redirect": redirect, "mixed": mixed, "repository": repository, "slow": slow,
}  # fmt: skip


def network(folder: Path) -> None:
    """Bring up loopback with a public address, a black hole, and this machine as name server."""
    resolver = folder / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\n")
    for command in (
        "ip link set lo up",
        f"ip addr add {PUBLIC}/32 dev lo",
        "ip tuntap add hole mode tun",
        "ip link set hole up",
        "ip addr add 10.9.9.1/24 dev hole",
        "ip addr add 2001:db8::1/64 dev hole nodad",
        f"mount --bind {resolver} /etc/resolv.conf",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)


def main(scenario: str) -> None:
    """Run one scenario, or ("") nothing but the set-up; print what came of it."""
    with tempfile.TemporaryDirectory() as name:
        network(Path(name))
        found = SCENARIOS[scenario](World(Path(name))) if scenario else {}
        sys.stdout.write(json.dumps(found))
        sys.stdout.flush()
    os._exit(0)  # the servers' threads are not waited for


if __name__ == "__main__":
    main(sys.argv[1])
