"""The same over TLS: an authority that the user trusts, and none that they don't."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.archives import zip_of
from support.ca import CA
from support.exchange import Reply
from support.gitserver import GitServer
from support.hubserver import HubServer
from support.webserver import WebServer

from journeys.world import Person, document, index, packages


@pytest.fixture
def trusting(home: Path, ca: CA) -> Person:
    """A person whose SSL_CERT_FILE names the throw-away authority."""
    return Person(home, {"SKILL_HUB": "off", "SSL_CERT_FILE": str(ca.pem)})


def test_a_document_and_an_archive_over_tls(trusting: Person, https_web: WebServer) -> None:
    https_web.serve("/tidy-up.md", document("tidy-up"))
    https_web.serve("/other.zip", zip_of(packages("other")))
    done = trusting.skill("install", f"{https_web.url}/tidy-up.md", "--yes")
    assert "not encrypted" not in done.err
    trusting.skill("install", f"{https_web.url}/other.zip", "--yes")
    trusting.skill("update", "--all", "--yes")


def test_a_repository_and_a_tap_over_tls(trusting: Person, https_git_server: GitServer) -> None:
    repo = https_git_server.repo("jane/skills")
    repo.commit(packages("tidy-up", "other"))
    url = https_git_server.url_of("jane/skills")
    trusting.skill("install", "tidy-up", "--source", url, "--yes")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")})
    trusting.skill("update", "tidy-up", "--yes")
    assert b"Newer." in trusting.installed("tidy-up")["SKILL.md"][0]
    trusting.skill("tap", "add", url)
    trusting.skill("install", "other", "--yes")
    assert trusting.record("other")["registry"] == "tap:jane"


def test_a_hub_over_tls(home: Path, ca: CA) -> None:
    with HubServer(ca.context()) as hub:
        hub.publish("@jane/tidy-up", "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
        person = Person(home, {"SKILL_HUB": hub.url, "SSL_CERT_FILE": str(ca.pem)})
        person.skill("install", hub.page_url("@jane/tidy-up"), "--yes")
        assert "@jane/tidy-up" in person.skill("search", "tidy").out


def test_an_authority_nobody_trusts_is_refused_with_the_setting_that_would_help(
    home: Path, https_web: WebServer, https_git_server: GitServer
) -> None:
    person = Person(home, {"SKILL_HUB": "off"})
    https_web.serve("/tidy-up.md", document("tidy-up"))
    told = person.error("install", f"{https_web.url}/tidy-up.md", "--yes", status=7)
    assert "SSL_CERT_FILE" in told
    https_git_server.repo("jane/skills").commit(packages("tidy-up"))
    url = https_git_server.url_of("jane/skills")
    person.error("install", "tidy-up", "--source", url, "--yes", status=7)
    wrong = {"SSL_CERT_FILE": "/nowhere.pem"}
    person.error("install", f"{https_web.url}/tidy-up.md", status=7, env=wrong)


def test_a_redirect_out_of_tls_is_refused(
    trusting: Person, https_web: WebServer, web: WebServer
) -> None:
    web.serve("/tidy-up.md", document("tidy-up"))
    https_web.redirect("/tidy-up.md", f"{web.url}/tidy-up.md")
    told = trusting.error("install", f"{https_web.url}/tidy-up.md", "--yes", status=5)
    assert "unencrypted" in told
    assert not web.requests


def test_a_tap_over_tls_may_name_what_lies_beside_it_and_nothing_else_private(
    trusting: Person, https_web: WebServer, https_git_server: GitServer
) -> None:
    https_web.serve("/near.md", document("near"))
    far = f"{https_git_server.url}/far.md"
    entries = {"near": f"{https_web.url}/near.md", "far": far}
    https_web.on("/index.json", lambda _: Reply.text(index(entries)))
    trusting.skill("tap", "add", f"{https_web.url}/index.json", "--name", "site")
    trusting.skill("install", "near", "--yes")
    trusting.error("install", "far", "--yes", status=5)
    assert not https_git_server.requests
