"""Row G12: a helper is spoken to in lines, so an address never brings one of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.exchange import Reply
from support.gitserver import GitServer
from support.httpd import LoopbackServer
from support.webserver import WebServer

from skillpm.edges.credentials import Credentials
from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import SkillError, UsageError
from skillpm.formats.address import parse_registry_source, parse_request, parse_source, tap_url
from skillpm.model.policy import Policy

from .conftest import make_host

TYPED = Policy(typed=True)
LIMITS = Limits(10_000, 10)
SECRET = "s3cr3t-t0k3n"
VICTIM = "github.com"

BREAKS = ["\n", "\r", "\r\n", "\0", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x7f"]
ESCAPED = ["%0a", "%0A", "%0d", "%0d%0a", "%00", "%0b", "%C2%85", "%E2%80%A8"]


class Helper:
    """A credential helper of the user's own that knows every secret and logs what it reads."""

    def __init__(self, folder: Path, *, with_path: bool) -> None:
        self.log = folder / "helper.log"
        program = folder / "helper"
        program.write_text(
            f'#!/bin/sh\necho "# $*" >> {self.log}\ncat >> {self.log}\n'
            f'[ "$1" = get ] && printf "username=me\\npassword={SECRET}\\n"\n'
        )
        program.chmod(0o755)
        self.home = folder / "user"
        self.home.mkdir()
        path = "true" if with_path else "false"
        config = f"[credential]\n\thelper = {program}\n\tuseHttpPath = {path}\n"
        (self.home / ".gitconfig").write_text(config)

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture(params=[True, False], ids=["with the path", "without the path"])
def helper(tmp_path: Path, request: pytest.FixtureRequest) -> Helper:
    return Helper(tmp_path, with_path=request.param)


@pytest.fixture
def ports(tmp_path: Path, helper: Helper) -> Iterator[tuple[Http, Git]]:
    """Both ports of somebody with that helper."""
    host = make_host(tmp_path / "home", {"HOME": str(helper.home)})
    network = Network(host.env, credentials=Credentials(host))
    http = Http(network)
    yield http, Git(host, tmp_path / "home/cache", network, lambda *_: None)
    http.close()


def lock(*servers: LoopbackServer) -> None:
    """Answer 401 to everybody."""
    for server in servers:
        server.on_request(lambda _: Reply(401, b"", {"WWW-Authenticate": 'Basic realm="x"'}))


def addresses(base: str, broken: str) -> list[str]:
    """Where a line could be smuggled in: path, query, user, behind the port."""
    line = f"{broken}host={VICTIM}{broken}protocol=https"
    bare = base.removeprefix("http://")
    return [
        f"{base}/o/r{line}", f"{base}/o/r.git{line}", f"{base}/o{line}/r.git",
        f"{base}/o/r.git?x={line}", f"http://me{line}@{bare}/o/r.git",
        f"{base}{line}/o/r.git",
    ]  # fmt: skip


@pytest.mark.parametrize("broken", [*BREAKS, *ESCAPED], ids=ascii)
def test_g12_an_address_with_a_line_of_its_own_is_refused_where_it_is_read(broken: str) -> None:
    in_host = f"https://{broken}host={VICTIM}.example/o/r.git"
    for address in (in_host, *addresses("https://127.0.0.1:9", broken)):
        if "?" in address and broken in ESCAPED:
            continue  # a query is never decoded: it stays text of one line
        for read in (parse_request, parse_source, parse_registry_source, tap_url):
            with pytest.raises(UsageError) as caught:
                read(address)
            assert caught.value.message.isprintable()


@pytest.mark.parametrize("broken", [*BREAKS, *ESCAPED], ids=ascii)
def test_g12_whatever_reaches_the_ports_the_helper_is_told_one_address_or_nothing(
    broken: str, ports: tuple[Http, Git], helper: Helper, web: WebServer, git_server: GitServer
) -> None:
    http, git = ports
    lock(web, git_server)
    for address in addresses(web.url, broken):
        with pytest.raises(SkillError):
            http.get(address, TYPED, LIMITS)
    for address in addresses(git_server.url, broken):
        with pytest.raises(SkillError):
            git.refs(Remote(address, TYPED))
    own = {f"127.0.0.1:{web.port}", f"127.0.0.1:{git_server.port}"}
    hosts = [line.removeprefix("host=") for line in helper.lines() if line.startswith("host=")]
    assert all(host in own for host in hosts)
    assert set(helper.lines()) & {f"host={VICTIM}", "protocol=https"} == set()
    assert helper.lines().count("# get") == len(hosts)


def test_g12_a_redirect_that_carries_a_line_takes_the_helper_nowhere(
    ports: tuple[Http, Git], helper: Helper, web: WebServer
) -> None:
    http, _ = ports
    for escaped in ESCAPED:
        web.redirect("/x", f"/y{escaped}host={VICTIM}{escaped}")
        web.on_request(lambda r: None if r.path == "/x" else Reply(401))
        with pytest.raises(SkillError):
            http.get(f"{web.url}/x", TYPED, LIMITS)
    assert VICTIM not in "".join(helper.lines())


def test_g12_the_helper_is_told_protocol_host_and_path_and_nothing_else(
    ports: tuple[Http, Git], helper: Helper, git_server: GitServer
) -> None:
    _, git = ports
    lock(git_server)
    with pytest.raises(SkillError):
        git.refs(Remote(git_server.url_of("own%65r/repo"), TYPED))
    said = [line for line in helper.lines() if "=" in line and not line.startswith("capability")]
    given = dict(line.split("=", 1) for line in said)
    path = {"path": unquote("own%65r/repo.git")} if "path" in given else {}
    assert given == {"protocol": "http", "host": f"127.0.0.1:{git_server.port}"} | path
    assert [line for line in helper.lines() if line.startswith("#")] == ["# get"]


def test_g12_a_line_in_the_answer_of_a_helper_reaches_no_header(
    ports: tuple[Http, Git], helper: Helper, web: WebServer
) -> None:
    http, _ = ports
    program = helper.home.parent / "helper"
    program.write_text('#!/bin/sh\nprintf "username=me\\npassword=a\\rX-Evil: 1\\n"\n')
    lock(web)
    with pytest.raises(SkillError):
        http.get(f"{web.url}/x", TYPED, LIMITS)
    assert all("X-Evil" not in request.headers for request in web.requests)
