"""A secret belongs to one origin: it is sent there when asked for, and is seen nowhere else."""

from __future__ import annotations

import base64
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from support.exchange import Faults, Reply, Request
from support.files import tree_of
from support.gitserver import GitServer
from support.httpd import LoopbackServer
from support.webserver import WebServer

from skillpm.edges.credentials import Credential, Credentials
from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import NotFoundError, SkillError, UnreachableError
from skillpm.model.policy import Policy

from .conftest import make_host

TYPED = Policy(typed=True)
LIMITS = Limits(10_000, 10)
SECRET = "s3cr3t-t0k3n"
ENCODED = base64.b64encode(f"oauth2:{SECRET}".encode()).decode()


def credentials(
    tmp_path: Path, origin: str = "", env: Mapping[str, str] | None = None
) -> Credentials:
    """Those of somebody whose CORP_TOKEN is for one origin."""
    host = make_host(tmp_path / "home", {"CORP_TOKEN": SECRET, **(env or {})})
    return Credentials(host, {origin: "CORP_TOKEN"} if origin else {})


Ports = Callable[[Path, Credentials], tuple[Http, Git]]


@pytest.fixture
def ports() -> Iterator[Ports]:
    """Make both ports of somebody with those credentials; they are closed at the end."""
    opened: list[Http] = []

    def make(tmp_path: Path, found: Credentials) -> tuple[Http, Git]:
        network = Network(credentials=found)
        assert found.host
        cache = tmp_path / "home/cache"
        opened.append(Http(network, cache=cache / "http"))
        return opened[-1], Git(found.host, cache, network, lambda *_: None)

    yield make
    for port in opened:
        port.close()


def lock(server: LoopbackServer, status: int = 401) -> None:
    """Answer whoever does not send the secret as forges do."""

    def check(request: Request) -> Reply | None:
        if request.headers.get("Authorization") == f"Basic {ENCODED}":
            return None
        headers = {"WWW-Authenticate": 'Basic realm="x"'} if status == 401 else {}
        return Reply(status, b"no", headers)

    server.on_request(check)


def sent(server: LoopbackServer) -> list[bool]:
    """Which of the requests carried any authorization."""
    return ["Authorization" in request.headers for request in server.requests]


@pytest.mark.parametrize("status", [401, 404])
def test_first_nothing_is_sent_and_then_once_the_token(
    web: WebServer, git_server: GitServer, tmp_path: Path, status: int, ports: Ports
) -> None:
    web.serve("/x", "private")
    sha = git_server.repo().commit({"a": "1"})
    lock(web, status)
    lock(git_server, status)
    http, _ = ports(tmp_path, credentials(tmp_path, web.url))
    assert http.get(f"{web.url}/x", TYPED, LIMITS).body == b"private"
    assert sent(web) == [False, True]
    _, git = ports(tmp_path, credentials(tmp_path, git_server.url))
    assert git.refs(Remote(git_server.url_of(), TYPED)).head == sha
    assert sent(git_server)[0] is False
    commit = git.open(Remote(git_server.url_of(), TYPED), sha)
    assert commit.read(commit.nodes) == {"a": b"1"}


def test_what_is_public_is_never_sent_a_token(
    web: WebServer, git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    git_server.repo().commit({"a": "1"})
    http, _ = ports(tmp_path, credentials(tmp_path, web.url))
    http.get(web.serve("/x", "public"), TYPED, LIMITS)
    _, git = ports(tmp_path, credentials(tmp_path, git_server.url))
    git.refs(Remote(git_server.url_of(), TYPED))
    assert not any(sent(web) + sent(git_server))


def test_without_one_it_is_not_found_or_private(
    web: WebServer, git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    lock(web)
    lock(git_server)
    http, git = ports(tmp_path, Credentials(make_host(tmp_path / "home")))
    with pytest.raises(NotFoundError, match="not found, or is private and we have no access"):
        http.get(f"{web.url}/x", TYPED, LIMITS)
    with pytest.raises(NotFoundError, match="not found, or is private and we have no access"):
        git.refs(Remote(git_server.url_of(), TYPED))


def test_one_that_does_not_fit_is_named_and_not_shown(
    web: WebServer, git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    web.on_request(lambda _: Reply(404))
    git_server.on_request(lambda _: Reply(401, b"", {"WWW-Authenticate": 'Basic realm="x"'}))
    http, _ = ports(tmp_path, credentials(tmp_path, web.url))
    _, git = ports(tmp_path, credentials(tmp_path, git_server.url))
    for use in (
        lambda: http.get(f"{web.url}/x", TYPED, LIMITS),
        lambda: git.refs(Remote(git_server.url_of(), TYPED)),
    ):
        with pytest.raises(NotFoundError, match="CORP_TOKEN gives no access") as caught:
            use()
        assert SECRET not in repr(caught.value) + caught.value.hint
        assert ENCODED not in repr(caught.value)
    assert sent(web) == [False, True]


def test_ten_neighbours_of_an_origin_are_sent_nothing(tmp_path: Path) -> None:
    found = credentials(tmp_path, "https://git.corp:8443")
    assert found.of("https://git.corp:8443/x") is not None
    assert found.of("https://GIT.corp:8443/x?y#z") is not None
    for url in (
        "http://git.corp:8443/x", "https://git.corp/x", "https://git.corp:443/x",
        "https://git.corp.evil:8443/x", "https://evil-git.corp:8443/x",
        "https://git.corp:8443@evil.example/x", "https://evil.example:8443/git.corp:8443",
        "https://git.corp.:8443/x", "ssh://git.corp:8443/x", "https://git.corp:84430/x",
        "https://evil.example/?https://git.corp:8443", "https://evil.example#git.corp:8443",
        "https://git.corp:8443\n.evil.example/x", "git@git.corp:8443", "https://git\u3002corp:8443/",
    ):  # fmt: skip
        assert found.of(url) is None, url


def test_neighbours_on_loopback_are_sent_nothing(
    web: WebServer, git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    with WebServer() as neighbour:
        for server in (web, git_server, neighbour):
            lock(server)
        http, git = ports(tmp_path, credentials(tmp_path, neighbour.url))
        for url in (f"{web.url}/x", web.url_at("localhost"), neighbour.url_at("localhost") + "/x",
                    neighbour.url_at("127.0.0.2"), f"{git_server.url}/x"):  # fmt: skip
            with pytest.raises(SkillError):
                http.get(url, TYPED, LIMITS)
            with pytest.raises(SkillError):
                git.refs(Remote(url, TYPED))
        assert not any(sent(web) + sent(git_server) + sent(neighbour))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_no_token_along(
    web: WebServer, tmp_path: Path, status: int, ports: Ports
) -> None:
    with WebServer() as other:
        other.serve("/y", "elsewhere")
        web.redirect("/x", f"{other.url}/y", status)
        lock(web)
        http, _ = ports(tmp_path, credentials(tmp_path, web.url))
        assert http.get(f"{web.url}/x", TYPED, LIMITS).body == b"elsewhere"
        assert sent(web) == [False, True]
        assert sent(other) == [False]


def test_git_follows_no_redirect_with_a_token(
    git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    with WebServer() as other:
        git_server.redirect("owner/repo", f"{other.url}/o/r")
        lock(git_server)
        _, git = ports(tmp_path, credentials(tmp_path, git_server.url))
        with pytest.raises(SkillError):
            git.refs(Remote(git_server.url_of(), TYPED))
        assert other.requests == []


def test_the_tokens_of_the_forges_are_for_the_forges(tmp_path: Path) -> None:
    for variable, url, user in (
        ("GITHUB_TOKEN", "https://github.com/o/r", "x-access-token"),
        ("GH_TOKEN", "https://github.com/o/r", "x-access-token"),
        ("GITLAB_TOKEN", "https://gitlab.com/g/p.git", "oauth2"),
    ):
        found = Credentials(make_host(tmp_path / "home", {variable: SECRET}))
        assert found.of(url) == Credential(variable, user, SECRET)
        for other in (
            "https://raw.githubusercontent.com/o/r/main/x", "https://api.github.com/x",
            "https://gist.github.com/x", "https://www.github.com/x", "http://github.com/o/r",
            "https://github.com:8443/o/r", "https://github.com.evil.example/x",
            "https://gitlab.corp/x", "https://gitlab.com.evil/x",
        ):  # fmt: skip
            assert found.of(other) is None


@pytest.mark.parametrize("token", ["", " ", "a b", "a\r\nX-Evil: 1", "a\nb", "\u00fc", "x" * 5_000])
def test_a_token_that_would_break_a_header_is_none(tmp_path: Path, token: str) -> None:
    found = Credentials(make_host(tmp_path / "home", {"GITHUB_TOKEN": token}))
    assert found.of("https://github.com/o/r") is None


def user_home(tmp_path: Path, config: str) -> Path:
    home = tmp_path / "user"
    home.mkdir()
    (home / ".gitconfig").write_text(config)
    return home


def test_the_users_own_helper_is_asked_with_the_users_home(
    git_server: GitServer, web: WebServer, tmp_path: Path, ports: Ports
) -> None:
    home = user_home(tmp_path, "[credential]\n\thelper = store\n[core]\n\taskPass = /bin/false\n")
    lines = [f"http://oauth2:{SECRET}@127.0.0.1:{port}\n" for port in (git_server.port, web.port)]
    (home / ".git-credentials").write_text("".join(lines))
    sha = git_server.repo().commit({"a": "1"})
    web.serve("/x", "private")
    lock(git_server)
    lock(web)
    found = credentials(tmp_path, env={"HOME": str(home)})
    http, git = ports(tmp_path, found)
    assert git.refs(Remote(git_server.url_of(), TYPED)).head == sha
    assert http.get(f"{web.url}/x", TYPED, LIMITS).body == b"private"
    with WebServer() as other:
        lock(other)
        with pytest.raises(NotFoundError):
            http.get(f"{other.url}/x", TYPED, LIMITS)
        assert not any(sent(other))


def test_a_helper_sees_the_address_and_nobody_is_asked_a_question(
    web: WebServer, tmp_path: Path, ports: Ports
) -> None:
    log = tmp_path / "helper.log"
    helper = tmp_path / "helper"
    helper.write_text(f'#!/bin/sh\necho "$@" >> {log}\ncat >> {log}\n')
    helper.chmod(0o755)
    asked = tmp_path / "asked"
    home = user_home(tmp_path, f"[credential]\n\thelper = {helper}\n\tuseHttpPath = true\n")
    found = credentials(tmp_path, env={
        "HOME": str(home), "GIT_ASKPASS": f"touch {asked};", "SSH_ASKPASS": f"touch {asked};",
        "DISPLAY": ":0",
    })  # fmt: skip
    lock(web)
    http, _ = ports(tmp_path, found)
    start = time.monotonic()
    with pytest.raises(NotFoundError):
        http.get(f"{web.url}/a/b", TYPED, LIMITS)
    assert time.monotonic() - start < 5
    assert log.read_text().splitlines()[0] == "get"
    assert f"host=127.0.0.1:{web.port}" in log.read_text()
    assert "path=a/b" in log.read_text()
    assert not asked.exists()


def test_gh_is_asked_on_request_alone(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "gh").write_text(
        f"#!/bin/sh\n[ \"$*\" = 'auth token --hostname github.com' ] && echo {SECRET}\n"
    )
    (programs / "gh").chmod(0o755)
    path = {"PATH": f"{programs}:/usr/bin:/bin"}
    host = make_host(tmp_path / "home", path)
    url = "https://github.com/o/r"
    assert Credentials(host).of(url) is None
    found = Credentials(host, use_gh=True)
    assert found.of(url) == Credential("gh auth token", "x-access-token", SECRET)
    assert found.of("https://gitlab.com/o/r") is None
    (programs / "gh").write_text("#!/bin/sh\nexit 1\n")
    assert Credentials(host, use_gh=True).of(url) is None


def test_a_secret_is_not_shown_with_its_object_and_stands_nowhere_on_disk(
    web: WebServer, git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    assert SECRET not in repr(Credential("x", "u", SECRET))
    sha = git_server.repo().commit({"a": "1"})
    lock(git_server)
    lock(web)
    url = web.serve("/x", "index", headers={"ETag": '"1"'})
    http, _ = ports(tmp_path, credentials(tmp_path, web.url))
    http.get(url, TYPED, Limits(1_000, 5, cache=True))
    _, git = ports(tmp_path, credentials(tmp_path, git_server.url))
    git.open(Remote(git_server.url_of(), TYPED), sha)
    written = repr(tree_of(tmp_path / "home"))
    assert SECRET not in written
    assert ENCODED not in written


def test_an_index_is_kept_for_each_credential(web: WebServer, tmp_path: Path, ports: Ports) -> None:
    bodies = {"oauth2:one": b"of one", "oauth2:two": b"of two"}

    def answer(request: Request) -> Reply:
        who = ":".join(request.basic or ())
        return Reply(200, bodies[who], {"ETag": '"same"'}) if who in bodies else Reply(401)

    url = web.on("/x", answer)
    for token, body in (("one", b"of one"), ("two", b"of two"), ("one", b"of one")):
        found = credentials(tmp_path, web.url, {"CORP_TOKEN": token})
        http, _ = ports(tmp_path, found)
        assert http.get(url, TYPED, Limits(1_000, 5, cache=True)).body == body
    last = [r.headers.get("If-None-Match") for r in web.requests if "Authorization" in r.headers]
    assert last == [None, None, '"same"']


def test_no_process_carries_the_secret_in_its_arguments(
    git_server: GitServer, tmp_path: Path, ports: Ports
) -> None:
    lock(git_server)
    git_server.repo().commit({"a": "1"})
    hang = Faults(delay=math.inf)
    git_server.on_request(lambda r: hang if "Authorization" in r.headers else None)
    _, git = ports(tmp_path, credentials(tmp_path, git_server.url))

    def ask() -> None:
        with pytest.raises((UnreachableError, NotFoundError)):
            git.refs(Remote(git_server.url_of(), TYPED), seconds=20)

    thread = threading.Thread(target=ask)
    thread.start()
    seen: set[bytes] = set()
    until = time.monotonic() + 10
    while not any(sent(git_server)) and time.monotonic() < until:
        time.sleep(0.02)
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            seen.add(place.read_bytes())
        except OSError:
            continue
    git.close()
    thread.join(5)
    assert any(b"ls-remote" in line for line in seen)
    assert not [line for line in seen if SECRET.encode() in line or ENCODED.encode() in line]


def test_without_git_there_are_no_helpers_and_not_found_stays_not_found(
    web: WebServer, tmp_path: Path, ports: Ports
) -> None:
    http, _ = ports(tmp_path, credentials(tmp_path, env={"PATH": str(tmp_path)}))
    with pytest.raises(NotFoundError, match="HTTP 404"):
        http.get(f"{web.url}/nothing", TYPED, LIMITS)
