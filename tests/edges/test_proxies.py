"""Proxies: the same rules for HTTP and git, and nobody ever reads the password."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ca import CA
from support.gitserver import GitServer
from support.webserver import WebServer

from skillpm.edges.addresses import public_address
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import RefusedError, SkillError, UnreachableError
from skillpm.model.policy import Policy

from .conftest import MakeGit
from .proxyserver import ForwardProxy

TYPED = Policy(typed=True)
LIMITS = Limits(10_000, 10)
SECRET = "p4ss-w0rd"


def through(proxy: ForwardProxy, user: str = "", name: str = "https_proxy") -> dict[str, str]:
    """The environment of somebody behind a proxy."""
    return {name: f"http://{user}127.0.0.1:{proxy.port}"}


@pytest.fixture(params=["", f"me:{SECRET}"], ids=["open", "with a password"])
def user(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_http_goes_through_the_proxy(web: WebServer, user: str) -> None:
    web.serve("/x", "body")
    with ForwardProxy(web.port, user) as proxy:
        port = Http(Network(through(proxy, f"{user}@" if user else "", "http_proxy")))
        assert port.get("http://skills.example/x", TYPED, LIMITS).body == b"body"
        assert proxy.asked == ["GET http://skills.example/x HTTP/1.1"]
        port.close()
    assert "Proxy-Authorization" not in web.requests[0].headers


def test_https_goes_through_a_tunnel(ca: CA, user: str) -> None:
    with (
        WebServer(ca.context("skills.example")) as server,
        ForwardProxy(server.port, user) as proxy,
    ):
        server.serve("/x", "body")
        env = through(proxy, f"{user}@" if user else "") | {"SSL_CERT_FILE": str(ca.pem)}
        port = Http(Network(env))
        for _ in range(2):  # the name is not looked up here: the proxy gets it as a name
            assert port.get("https://skills.example/x", TYPED, LIMITS).body == b"body"
        assert set(proxy.asked) == {"CONNECT skills.example:443 HTTP/1.1"}
        assert len(proxy.asked) == 1, "one tunnel for all"
        port.close()


def test_git_goes_through_the_proxy_too(
    git_server: GitServer, make_git: MakeGit, user: str
) -> None:
    sha = git_server.repo().commit({"a": "1"})
    with ForwardProxy(git_server.port, user) as proxy:
        env = through(proxy, f"{user}@" if user else "", "HTTP_PROXY")
        git = make_git(env)
        assert git.refs(Remote("http://git.example/owner/repo", TYPED)).head == sha
        assert proxy.asked


def test_git_goes_through_a_tunnel(
    https_git_server: GitServer, make_git: MakeGit, ca: CA, tmp_path: Path
) -> None:
    sha = https_git_server.repo().commit({"a": "1"})
    with ForwardProxy(https_git_server.port) as proxy:
        env = through(proxy, name="ALL_PROXY") | {"SSL_CERT_FILE": str(ca.pem)}
        url = f"https://localhost:{https_git_server.port}/owner/repo"
        assert make_git(env).refs(Remote(url, TYPED)).head == sha
        assert proxy.asked[0].startswith("CONNECT localhost:")


def test_a_private_address_is_refused_behind_a_proxy_too(web: WebServer) -> None:
    with ForwardProxy(web.port) as proxy:
        port = Http(Network(through(proxy)))
        for host in ("localhost", "127.0.0.1", "169.254.169.254", "10.1.2.3"):
            with pytest.raises(RefusedError, match="private"):
                port.get(f"https://{host}/x", Policy(typed=False), LIMITS)
        assert proxy.asked == []


def test_a_name_that_only_the_proxy_knows_is_left_to_it() -> None:
    with pytest.raises(UnreachableError, match="no address"):
        public_address("::1::", 443)
    assert public_address("::1::", 443, proxied=True) == ""
    assert public_address("8.8.8.8", 443, proxied=True) == ""


@pytest.mark.parametrize(
    ("no_proxy", "url", "direct"),
    [
        ("", "https://a.example/", False),
        ("*", "https://a.example/", True),
        ("a.example", "https://a.example/", True),
        ("a.example", "https://x.a.example/", True),
        (".a.example", "https://x.a.example/", True),
        (".a.example", "https://a.example/", True),
        ("*.a.example", "https://x.a.example/", True),
        ("a.example", "https://ba.example/", False),
        ("a.example", "https://a.example.evil/", False),
        ("A.Example.", "https://a.example./", True),
        ("x, a.example ,y", "https://a.example/", True),
        ("x a.example", "https://a.example/", True),
        ("a.example:8443", "https://a.example:8443/", True),
        ("127.0.0.1", "https://127.0.0.1:9/", True),
        ("10.0.0.0/8", "https://10.1.2.3/", True),
        ("10.0.0.0/8", "https://11.1.2.3/", False),
        ("::1", "https://[::1]/", True),
        ("fd00::/8", "https://[fd12::1]/", True),
    ],
)
def test_who_is_reached_without_the_proxy(no_proxy: str, url: str, direct: bool) -> None:
    network = Network({"HTTPS_PROXY": "proxy:3128", "no_proxy": no_proxy})
    assert network.proxy(url) == ("" if direct else "http://proxy:3128")


def test_the_variable_of_the_scheme_counts_and_the_lower_case_name_first() -> None:
    network = Network(
        {"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:1", "ALL_PROXY": "http://all:1"}
    )
    assert network.proxy("https://a.example/") == "http://low:1"
    assert network.proxy("http://a.example/") == "http://all:1"
    assert network.proxy("file:///x") == network.proxy("ssh://a.example/x") == ""


@pytest.mark.parametrize(
    "value",
    [
        f"ftp://me:{SECRET}@proxy:1", f"socks5://me:{SECRET}@proxy:1", f"http://me:{SECRET}@",
        f"http://me:{SECRET}@proxy:99999", f"http://me:{SECRET}@[::1", "http://", ":", "http:// x",
    ],
)  # fmt: skip
def test_a_proxy_that_is_none_is_named_without_its_password(value: str, make_git: MakeGit) -> None:
    env = {"HTTPS_PROXY": value}
    for use in (
        lambda: Http(Network(env)).get("https://a.example/x", TYPED, LIMITS),
        lambda: make_git(env).refs(Remote("https://a.example/x", TYPED)),
    ):
        with pytest.raises(SkillError, match="_proxy") as caught:
            use()
        assert SECRET not in caught.value.message + caught.value.hint


def test_a_wrong_password_is_told_and_not_shown(
    web: WebServer, git_server: GitServer, make_git: MakeGit
) -> None:
    with ForwardProxy(web.port, "me:right") as proxy:
        env = through(proxy, f"me:{SECRET}@", "ALL_PROXY")
        for use in (
            lambda: Http(Network(env)).get("https://a.example/x", TYPED, LIMITS),
            lambda: make_git(env).refs(Remote("https://a.example/x", TYPED)),
            lambda: make_git(env).refs(Remote("http://a.example/x", TYPED)),
        ):
            with pytest.raises(UnreachableError, match=r"407|[Pp]roxy") as caught:
                use()
            assert SECRET not in caught.value.message + caught.value.hint


def test_a_proxy_that_is_down_is_told(make_git: MakeGit) -> None:
    with WebServer() as gone:
        port = gone.port
    env = {"ALL_PROXY": f"http://me:{SECRET}@127.0.0.1:{port}"}
    for use in (
        lambda: Http(Network(env)).get("https://a.example/x", TYPED, LIMITS),
        lambda: make_git(env).refs(Remote("https://a.example/x", TYPED)),
    ):
        with pytest.raises(UnreachableError) as caught:
            use()
        assert SECRET not in caught.value.message + caught.value.hint
