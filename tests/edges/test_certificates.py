"""Certificates: six that are wrong, each named; and the user's own authority counts alone."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme
from support.ca import CA
from support.gitserver import GitServer
from support.webserver import WebServer

from skillpm.edges import certificates
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import UnreachableError
from skillpm.model.policy import Policy

from .conftest import MakeGit

TYPED = Policy(typed=True)
LIMITS = Limits(10_000, 10)
OLD, FAR = datetime(2020, 1, 1, tzinfo=UTC), datetime(2090, 1, 1, tzinfo=UTC)


def of_another(tmp_path: Path) -> ssl.SSLContext:
    (tmp_path / "other").mkdir(exist_ok=True)
    return CA(tmp_path / "other").context()


def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """A certificate that is its own issuer."""
    lonely = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    path = tmp_path / "self.pem"
    lonely.private_key_pem.write_to_path(str(path))
    lonely.cert_pem.write_to_path(str(path), append=True)
    context.load_cert_chain(path)
    return context


def without_intermediate(tmp_path: Path, root: trustme.CA) -> ssl.SSLContext:
    """A certificate whose issuer the server does not send along."""
    leaf = root.create_child_ca().issue_cert("127.0.0.1")
    path = tmp_path / "leaf.pem"
    leaf.private_key_pem.write_to_path(str(path))
    leaf.cert_chain_pems[0].write_to_path(str(path), append=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


FAULTS: dict[str, tuple[Callable[[CA, Path], ssl.SSLContext], str]] = {
    "unknown authority": (lambda _, path: of_another(path), r"not known|authority"),
    "self-signed": (lambda _, path: self_signed(path), r"self-signed|another host"),
    "another host": (lambda ca, _: ca.context("other.example"), r"another host"),
    "expired": (lambda ca, _: ca.context(not_after=OLD), r"expired"),
    "not yet valid": (lambda ca, _: ca.context(not_before=FAR, not_after=FAR), r"not yet valid"),
    "missing intermediate": (
        lambda ca, path: without_intermediate(path, ca._authority), r"not sent along",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_certificate_is_refused_by_both_with_the_cause(
    fault: str, ca: CA, tmp_path: Path, make_git: MakeGit
) -> None:
    make, said = FAULTS[fault]
    env = {"SSL_CERT_FILE": str(ca.pem)}
    with GitServer(tmp_path / "srv", make(ca, tmp_path)) as server:
        server.repo().commit({"a": "1"})
        with pytest.raises(UnreachableError, match=said) as caught:
            Http(Network(env)).get(f"{server.url}/x", TYPED, LIMITS)
        assert caught.value.hint
        with pytest.raises(UnreachableError, match=r"certificate|SSL"):
            make_git(env).refs(Remote(server.url_of(), TYPED))
        assert server.requests == []


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"])
def test_the_users_own_authority_counts_for_both(
    name: str, ca: CA, tmp_path: Path, https_git_server: GitServer, make_git: MakeGit
) -> None:
    sha = https_git_server.repo().commit({"a": "1"})
    place = ca.pem
    if name == "SSL_CERT_DIR":
        place = tmp_path / "certs"
        place.mkdir()
        shutil.copy(ca.pem, place / "corp.crt")  # a name that no rehash made
        (place / "README").write_text("not a certificate")
    env = {name: str(place)}
    http = Http(Network(env))
    https_git_server.on_request(lambda _: None)
    assert http.get(f"{https_git_server.url_of()}/info/refs?service=git-upload-pack", TYPED, LIMITS)
    assert make_git(env).refs(Remote(https_git_server.url_of(), TYPED)).head == sha
    http.close()


def test_it_counts_alone(ca: CA, tmp_path: Path) -> None:
    alone = certificates.context({"SSL_CERT_FILE": str(ca.pem)})
    assert alone.cert_store_stats()["x509_ca"] == 1
    assert alone.verify_mode is ssl.CERT_REQUIRED
    assert alone.check_hostname
    given = certificates.for_git({"SSL_CERT_FILE": str(ca.pem)}, tmp_path)
    assert given["GIT_SSL_CAINFO"] == str(ca.pem)
    assert list(Path(given["GIT_SSL_CAPATH"]).iterdir()) == []
    assert certificates.for_git({}, tmp_path) == {}


def test_without_one_the_systems_store_is_used() -> None:
    made = certificates.context({})
    paths = ssl.get_default_verify_paths()
    if paths.cafile:
        assert made.cert_store_stats() == ssl.create_default_context().cert_store_stats()
    assert made.verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("content", [None, b"", b"not a certificate", b"-----BEGIN CERTIFICATE"])
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "GIT_SSL_CAINFO", "SSL_CERT_DIR"])
def test_what_holds_no_certificates_is_named(
    name: str, content: bytes | None, tmp_path: Path, make_git: MakeGit
) -> None:
    path = tmp_path / "ca"
    if content is not None and name == "SSL_CERT_DIR":
        path.mkdir()
        (path / "x.pem").write_bytes(content)
    elif content is not None:
        path.write_bytes(content)
    env = {name: str(path)}
    for use in (
        lambda: Http(Network(env)).get("https://127.0.0.1:1/x", TYPED, LIMITS),
        lambda: make_git(env).refs(Remote("https://127.0.0.1:1/x", TYPED)),
    ):
        with pytest.raises(UnreachableError, match=f"{name}=.*holds no certificates"):
            use()


def test_both_may_be_set_and_each_listens_to_its_own(
    ca: CA, tmp_path: Path, https_git_server: GitServer, make_git: MakeGit, https_web: WebServer
) -> None:
    https_git_server.repo().commit({"a": "1"})
    (tmp_path / "o").mkdir()
    other = CA(tmp_path / "o")
    env = {"SSL_CERT_FILE": str(other.pem), "GIT_SSL_CAINFO": str(ca.pem)}
    assert make_git(env).refs(Remote(https_git_server.url_of(), TYPED)).head
    with pytest.raises(UnreachableError):
        Http(Network(env)).get(https_web.serve("/x", "y"), TYPED, LIMITS)
