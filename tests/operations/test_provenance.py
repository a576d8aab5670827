"""`skill provenance`: where a skill came from, as an in-toto statement that others can check."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
from typing import Any, Final

import pytest
from journeys.world import GITHUB, SITE, Person, World, document, packages
from support.archives import zip_of
from support.cli import run_skill

from skillpm.errors import IntegrityError
from skillpm.formats.intoto import promised_tree, without_secrets

HEX: Final = {"type": "string", "pattern": "^[0-9a-f]{40,128}$"}
DIGESTS: Final = {"type": "object", "minProperties": 1, "additionalProperties": HEX}
DESCRIPTOR: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "uri": {"type": "string", "minLength": 1},
        "digest": DIGESTS,
        "content": {"type": "string"},
        "downloadLocation": {"type": "string"},
        "mediaType": {"type": "string"},
        "annotations": {"type": "object"},
    },
    "additionalProperties": False,
    "anyOf": [{"required": ["uri"]}, {"required": ["digest"]}, {"required": ["content"]}],
}
STATEMENT: Final = {
    "type": "object",
    "required": ["_type", "subject", "predicateType", "predicate"],
    "additionalProperties": False,
    "properties": {
        "_type": {"const": "https://in-toto.io/Statement/v1"},
        "subject": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {**DESCRIPTOR, "required": ["digest"]},
        },
        "predicateType": {"type": "string", "pattern": "^https://[^/]+/.+/v[0-9]+$"},
        "predicate": {
            "type": "object",
            "required": ["resolvedDependencies", "files", "scan", "installer"],
            "properties": {
                "resolvedDependencies": {"type": "array", "items": DESCRIPTOR, "minItems": 1},
                "files": {"type": "array", "items": DESCRIPTOR, "minItems": 1},
            },
        },
    },
}
"""The rules of the Statement and the ResourceDescriptor of version 1, written as a schema."""

VALIDATOR: Final = importlib.import_module("jsonschema").Draft202012Validator(STATEMENT)


def statement_of(person: Person, name: str) -> dict[str, Any]:
    data: dict[str, Any] = person.json("provenance", name)
    VALIDATOR.validate(data)
    return data


def test_a_skill_from_a_repository_names_its_tree_and_its_commit(world: World) -> None:
    commit = world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.person.skill("install", "jane/skills", "--yes")
    data = statement_of(world.person, "tidy-up")
    (subject,) = data["subject"]
    record = world.person.record("tidy-up")
    assert subject["name"] == "tidy-up"
    assert f"git-tree-sha256:{subject['digest']['gitTree']}" == record["digest"]
    (source,) = data["predicate"]["resolvedDependencies"]
    assert source["uri"] == f"{GITHUB}/jane/skills"
    assert source["digest"] == {"gitCommit": commit}
    assert source["annotations"]["path"] == "skills/tidy-up"


def test_the_digests_can_be_made_again_with_stock_tools(world: World) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.person.skill("install", "jane/skills", "--yes")
    digests = statement_of(world.person, "tidy-up")["subject"][0]["digest"]
    place = world.person.home / "library/tidy-up"
    line = (
        "find . -type f | cut -c3- | LC_ALL=C sort | xargs -r sha256sum | sha256sum | cut -f1 -d' '"
    )
    made = subprocess.run(["sh", "-c", line], cwd=place, capture_output=True, check=True).stdout
    assert made.decode().strip() == digests["dirHash"]
    assert set(digests) == {"gitTree", "dirHash"}


@pytest.mark.parametrize("kind", ["bundled", "document", "hub", "folder"])
def test_every_kind_of_source_makes_a_valid_statement(kind: str, world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.hub.publish("@jane/tidy-up", "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
    folder = world.person.home.parent / "tidy-up"
    folder.mkdir()
    (folder / "SKILL.md").write_text(document("tidy-up"))
    words = {
        "bundled": "cut-a-release", "document": f"{SITE}/tidy-up.md", "hub": "@jane/tidy-up",
        "folder": str(folder),
    }[kind]  # fmt: skip
    world.person.skill("install", words, "--yes")
    data = statement_of(world.person, "cut-a-release" if kind == "bundled" else "tidy-up")
    assert data["predicate"]["installer"]["id"].startswith("skillpm/")


def test_the_statement_alone_is_the_data_of_the_envelope(person: Person) -> None:
    person.skill("install", "cut-a-release")
    alone = json.loads(person.skill("provenance", "cut-a-release", "--statement").out)
    assert alone == person.json("provenance", "cut-a-release")
    person.skill("provenance", "cut-a-release", "--statement", "--json", status=2)
    assert "git-tree-sha256:" in person.skill("provenance", "cut-a-release").out


def test_what_may_be_secret_in_an_address_is_left_out(world: World) -> None:
    url = f"{SITE}/tidy-up.md?token=s3cr3t&x=1"
    world.web.serve("/tidy-up.md?token=s3cr3t&x=1", document("tidy-up"))
    world.person.skill("install", url, "--yes", "--as", "tidy-up")
    for more in ((), ("--json",), ("--statement",)):
        shown = run_skill("provenance", "tidy-up", *more, home=world.person.home)
        assert "s3cr3t" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:pw@host.example/r.git", "https://host.example/r.git"),
        ("https://ghp_x@host.example/r.git#v1", "https://host.example/r.git#v1"),
        ("ssh://git@host.example/r", "ssh://host.example/r"),
        ("https://host.example/a.md?sig=x#frag", "https://host.example/a.md#frag"),
        ("x --source https://a:b@h.example/?k=v", "x --source https://h.example/"),
        ("@jane/tidy-up@1.0.0", "@jane/tidy-up@1.0.0"),
        ("./what?", "./what?"),
        ("git@host.example:team/r", "git@host.example:team/r"),
    ],
)
def test_an_address_loses_user_password_and_query(address: str, shown: str) -> None:
    assert without_secrets(address) == shown


def test_what_is_edited_or_put_there_by_hand_is_said(person: Person) -> None:
    person.skill("install", "cut-a-release")
    person.writes("cut-a-release/SKILL.md", "edited\n")
    assert "edited" in person.skill("provenance", "cut-a-release").err
    person.writes("mine.md", document("mine"))
    assert "by hand" in person.error("provenance", "mine", status=3)


GOOD: Final = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": "a", "digest": {"gitTree": "ab" * 32, "sha256": "0" * 64}}],
    "predicateType": "https://example.com/x/v1",
}
BAD: dict[str, Any] = {
    "no JSON": b"{",
    "a list": [],
    "text": "x",
    "nothing": {},
    "an older version": {**GOOD, "_type": "https://in-toto.io/Statement/v0.1"},
    "no subject": {**GOOD, "subject": []},
    "two subjects": {**GOOD, "subject": [GOOD["subject"][0]] * 2},
    "a subject that is text": {**GOOD, "subject": ["a"]},
    "a subject without digests": {**GOOD, "subject": [{"name": "a"}]},
    "digests that are text": {**GOOD, "subject": [{"digest": "x"}]},
    "a tree of SHA-1": {**GOOD, "subject": [{"digest": {"gitTree": "ab" * 20}}]},
    "a tree in capitals": {**GOOD, "subject": [{"digest": {"gitTree": "AB" * 32}}]},
    "a tree with a line end": {**GOOD, "subject": [{"digest": {"gitTree": "ab" * 32 + "\n"}}]},
    "another digest only": {**GOOD, "subject": [{"digest": {"sha256": "0" * 64}}]},
}


@pytest.mark.parametrize("case", BAD)
def test_a_statement_of_others_that_is_none_is_an_integrity_error(case: str) -> None:
    value = BAD[case]
    with pytest.raises(IntegrityError):
        promised_tree(value if isinstance(value, bytes) else json.dumps(value).encode())


def test_a_statement_of_others_names_one_tree() -> None:
    assert promised_tree(json.dumps(GOOD).encode()) == f"git-tree-sha256:{'ab' * 32}"
    assert len(hashlib.sha256().hexdigest()) == len("ab" * 32)
