"""Sites with a well-known index: both versions, promises about bytes, and sites as hubs."""

from __future__ import annotations

import json

import pytest
from journeys.world import SITE, World, document
from support.archives import zip_of
from support.siteserver import NEW, OLD, publish, publish_old

DEPLOY = document("deploy")
PDF = zip_of({"SKILL.md": document("pdf"), "run.sh": "echo\n"}, executable=["run.sh"])


def test_a_document_and_an_archive_of_a_site_are_installed_and_updated(world: World) -> None:
    publish(world.web, {"deploy": DEPLOY, "pdf": PDF})
    world.person.skill("install", "deploy", "--source", SITE, "--yes")
    world.person.skill("install", f"{SITE}{NEW}/index.json#pdf", "--yes")
    assert set(world.person.installed("pdf")) == {"SKILL.md", "run.sh"}
    assert world.person.record("deploy")["source"] == f"{SITE}{NEW}/index.json#deploy"
    world.web.forget()
    assert {s["state"] for s in world.person.json("outdated")["skills"]} == {"current"}
    assert set(world.web.paths()) == {f"GET {NEW}/index.json"}  # the digests are enough
    publish(world.web, {"deploy": document("deploy", "Better."), "pdf": PDF})
    world.person.skill("update", "--all", "--yes")
    assert "Better." in world.person.skill("read", "deploy").out


def test_other_bytes_than_the_index_promises_are_refused(world: World) -> None:
    publish(world.web, {"deploy": DEPLOY, "pdf": PDF})
    world.web.serve(f"{NEW}/deploy.md", document("deploy", "Swapped."))
    world.web.serve(f"{NEW}/pdf.zip", zip_of({"SKILL.md": document("pdf")}))
    for name in ("deploy", "pdf"):
        world.person.error("install", name, "--source", SITE, "--yes", status=6)


def test_an_older_index_gives_every_file_or_none(world: World) -> None:
    publish_old(world.web, {"deploy": {"SKILL.md": DEPLOY, "references/a b.md": "More."}})
    world.person.skill("install", "deploy", "--source", SITE, "--yes")
    assert set(world.person.installed("deploy")) == {"SKILL.md", "references/a b.md"}
    world.web.serve(f"{OLD}/deploy/references/a b.md", "gone", status=404)
    world.person.skill("remove", "deploy")
    told = world.person.error("install", "deploy", "--source", SITE, "--yes", status=4)
    assert "incomplete" in told


def test_an_unknown_version_is_refused_and_an_unknown_type_is_named(world: World) -> None:
    url = publish(world.web, {"deploy": DEPLOY}, type="plugin")
    told = world.person.error("install", "deploy", "--source", SITE, "--yes", status=3)
    assert "unknown type 'plugin'" in told
    world.web.serve(f"{NEW}/index.json", json.dumps({"$schema": "https://x/9", "skills": []}))
    told = world.person.error("install", f"{url}#deploy".replace(world.web.url, SITE), status=7)
    assert "unknown version" in told


def test_an_index_of_a_site_names_public_addresses_and_its_own_alone(world: World) -> None:
    publish(world.web, {"deploy": DEPLOY}, url="https://127.0.0.1:1/x.md")
    told = world.person.error("install", "deploy", "--source", world.web.url, "--yes", status=5)
    assert "private" in told


def test_a_site_is_a_hub(world: World) -> None:
    publish(world.web, {"deploy": DEPLOY, "pdf": PDF})
    world.person.skill("hub", "add", SITE, "--name", "acme")
    assert "acme/deploy" in [
        s["reference"] for s in world.person.json("search", "deploy")["skills"]
    ]
    world.person.skill("install", "acme/deploy", "--yes")
    assert world.person.record("deploy")["registry"] == "hub:skills.example"
    world.person.skill("update", "deploy", "--yes")
    assert "acme/pdf" in world.person.error("install", "acme/pfd", status=3)


@pytest.mark.parametrize("below", ["/docs", "/docs/"])
def test_a_host_with_one_skill_is_not_what_a_page_below_it_means(below: str, world: World) -> None:
    publish(world.web, {"deploy": DEPLOY})
    assert "deploy" in world.person.error("install", f"{SITE}{below}", "--yes", status=3)
    world.person.skill("install", "deploy", "--source", f"{SITE}{below}", "--yes")
