"""Sigstore bundles: an optional extra, and a signature over these very files or none at all."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from journeys.world import SITE, World, document, packages
from support.sigstore import Sigstore

JANE = "jane@example.com"
ISSUER = "https://accounts.example.com"

HERE = importlib.util.find_spec("sigstore") is not None
with_extra = pytest.mark.skipif(not HERE, reason="the extra `sigstore` is not installed")
without_extra = pytest.mark.skipif(HERE, reason="the extra `sigstore` is installed")


@pytest.fixture
def sigstore() -> Sigstore:
    return Sigstore()


def installed(world: World) -> str:
    """A skill from a repository; its digest."""
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.person.skill("install", "jane/skills", "--yes")
    digest: str = world.person.record("tidy-up")["digest"]
    return digest


def statement(digest: str, **more: Any) -> bytes:
    tree = digest.removeprefix("git-tree-sha256:")
    value = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "tidy-up", "digest": {"gitTree": tree}}],
        "predicateType": "https://example.com/review/v1",
        "predicate": {},
    }
    return json.dumps(value | more).encode()


def words(world: World, bundle: Any, sigstore: Sigstore, **how: str) -> tuple[str, ...]:
    """The words that check a bundle."""
    folder = world.person.home.parent
    path = folder / "bundle.json"
    path.write_bytes(bundle if isinstance(bundle, bytes) else json.dumps(bundle).encode())
    root = sigstore.trusted_root(folder / "root.json")
    return (
        "verify", "tidy-up", "--bundle", str(path), "--trusted-root", str(root),
        "--identity", how.get("identity", JANE), "--issuer", how.get("issuer", ISSUER),
    )  # fmt: skip


def signature(data: dict[str, Any]) -> tuple[str, str]:
    (skill,) = data["skills"]
    found = [check for check in skill["checks"] if check["what"] == "signature"]
    return found[-1]["answer"], found[-1]["detail"]


@without_extra
@pytest.mark.parametrize("bundle", [{}, {"mediaType": "x"}, {"dsseEnvelope": {}}])
def test_without_the_extra_nothing_is_verifiable_and_its_name_is_said(
    bundle: Any, world: World, sigstore: Sigstore
) -> None:
    installed(world)
    done = world.person.json(*words(world, bundle, sigstore), status=1)
    answer, detail = signature(done)
    assert answer == "not verifiable"
    assert "skillpm-cli[sigstore]" in detail


@pytest.mark.parametrize("bundle", [b"", b"{", b"\xff\xfe", b'{"a": 1, "a": 2}', b"[" * 9_999])
def test_what_is_no_json_fails_with_or_without_the_extra(
    bundle: bytes, world: World, sigstore: Sigstore
) -> None:
    installed(world)
    assert signature(world.person.json(*words(world, bundle, sigstore), status=6))[0] == "FAILED"


@pytest.mark.parametrize(
    "more",
    [
        ("--identity", JANE),
        ("--issuer", ISSUER),
        ("--bundle", "x"),
        ("--trusted-root", "x"),
        ("--all", "--bundle", "x", "--identity", JANE, "--issuer", ISSUER),
    ],
)
def test_an_identity_needs_an_issuer_and_a_bundle_needs_both(
    more: tuple[str, ...], world: World
) -> None:
    name = () if "--all" in more else ("tidy-up",)
    world.person.error("verify", *name, *more, status=2)


def test_without_a_bundle_nothing_is_verifiable(world: World) -> None:
    installed(world)
    who = ("--identity", JANE, "--issuer", ISSUER)
    answer, detail = signature(world.person.json("verify", "tidy-up", *who, status=1))
    assert (answer, "--bundle FILE" in detail) == ("not verifiable", True)
    gone = ("verify", "tidy-up", *who, "--bundle", "/nowhere")
    assert signature(world.person.json(*gone, status=1))[0] == "not verifiable"


@with_extra
def test_a_signature_over_the_digest_is_verified(world: World, sigstore: Sigstore) -> None:
    digest = installed(world)
    bundle = sigstore.sign(f"{digest}\n".encode(), JANE, ISSUER)
    answer, detail = signature(world.person.json(*words(world, bundle, sigstore)))
    assert answer == "verified"
    assert JANE in detail
    assert ISSUER in detail


@with_extra
def test_a_statement_about_the_tree_is_verified_offline_and_counts_as_signed(
    world: World, sigstore: Sigstore
) -> None:
    bundle = sigstore.attest(statement(installed(world)), JANE, ISSUER)
    asked = words(world, bundle, sigstore)
    world.person.skill(*asked, "--signed")
    assert signature(world.person.json("--offline", *asked))[0] == "verified"


def edits(bundle: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The same bundle with one thing wrong in each."""
    found = {}

    def edit(name: str) -> dict[str, Any]:
        found[name] = copy.deepcopy(bundle)
        return found[name]

    edit("another signature")["messageSignature"]["signature"] = "AAAA"
    edit("another digest")["messageSignature"]["messageDigest"]["digest"] = "AAAA"
    edit("no signature").pop("messageSignature")
    edit("another format")["mediaType"] = "application/x"
    edit("no material").pop("verificationMaterial")
    edit("no log entry")["verificationMaterial"]["tlogEntries"] = []
    edit("no certificate")["verificationMaterial"].pop("certificate")
    edit("a cut certificate")["verificationMaterial"]["certificate"]["rawBytes"] = "MIIB"
    entry = edit("another time")["verificationMaterial"]["tlogEntries"][0]
    entry["integratedTime"] = "1"
    entry = edit("another root")["verificationMaterial"]["tlogEntries"][0]
    entry["inclusionProof"]["rootHash"] = "AAAA"
    entry = edit("no promise")["verificationMaterial"]["tlogEntries"][0]
    entry.pop("inclusionPromise")
    entry = edit("text for a number")["verificationMaterial"]["tlogEntries"][0]
    entry["logIndex"] = "\x1b[2J"
    return found


@with_extra
def test_a_bundle_that_was_touched_fails(world: World, sigstore: Sigstore) -> None:
    digest = installed(world)
    for name, bundle in edits(sigstore.sign(f"{digest}\n".encode(), JANE, ISSUER)).items():
        done = world.person.skill(*words(world, bundle, sigstore), status=6)
        assert "signature FAILED" in done.err, name


@with_extra
@pytest.mark.parametrize(
    "how",
    [
        {"identity": "mallory@example.com"},
        {"issuer": "https://accounts.example.org"},
        {"identity": "JANE@example.com"},
        {"identity": "*"},
    ],
    ids=str,
)
def test_a_signature_of_somebody_else_fails(
    how: dict[str, str], world: World, sigstore: Sigstore
) -> None:
    bundle = sigstore.attest(statement(installed(world)), JANE, ISSUER)
    assert signature(world.person.json(*words(world, bundle, sigstore, **how), status=6))[0] == (
        "FAILED"
    )


@with_extra
@pytest.mark.parametrize("case", ["other files", "two subjects", "another kind", "another log"])
def test_a_good_signature_over_something_else_fails(
    case: str, world: World, sigstore: Sigstore
) -> None:
    digest = installed(world)
    tree = {"digest": {"gitTree": digest.removeprefix("git-tree-sha256:")}}
    other = statement(f"git-tree-sha256:{'0' * 64}")
    bundle = {
        "other files": lambda: sigstore.attest(other, JANE, ISSUER),
        "two subjects": lambda: sigstore.attest(
            statement(digest, subject=[tree, tree]), JANE, ISSUER
        ),
        "another kind": lambda: sigstore.attest(statement(digest), JANE, ISSUER, "text/plain"),
        "another log": lambda: Sigstore().attest(statement(digest), JANE, ISSUER),
    }[case]()
    assert signature(world.person.json(*words(world, bundle, sigstore), status=6))[0] == "FAILED"


@with_extra
@pytest.mark.parametrize("text", ["", "{", "{}", '{"mediaType": "x"}'])
def test_a_file_of_keys_that_is_none_makes_nothing_verifiable(
    text: str, world: World, sigstore: Sigstore
) -> None:
    bundle = sigstore.attest(statement(installed(world)), JANE, ISSUER)
    asked = words(world, bundle, sigstore)
    (world.person.home.parent / "root.json").write_text(text)
    assert signature(world.person.json(*asked, status=1))[0] == "not verifiable"


@with_extra
@pytest.mark.parametrize("place", ["repository", "site", "folder"])
def test_a_bundle_beside_the_source_is_found(
    place: str, world: World, sigstore: Sigstore, tmp_path: Path
) -> None:
    text = document("tidy-up")
    (tmp_path / "tidy-up").mkdir()
    (tmp_path / "tidy-up/SKILL.md").write_text(text)
    digest = world.person.json("info", str(tmp_path / "tidy-up"))["digest"]
    bundle = json.dumps(sigstore.attest(statement(digest), JANE, ISSUER))
    (tmp_path / "tidy-up.sigstore.json").write_text(bundle)
    world.web.serve("/tidy-up.md", text)
    world.web.serve("/tidy-up.md.sigstore.json", bundle)
    files = {"skills/tidy-up/SKILL.md": text, "skills/tidy-up.sigstore.json": bundle}
    world.git.repo("jane/skills").commit(files)
    source = {
        "repository": "jane/skills",
        "site": f"{SITE}/tidy-up.md",
        "folder": str(tmp_path / "tidy-up"),
    }[place]
    world.person.skill("install", source, "--yes")
    root = sigstore.trusted_root(tmp_path / "root.json")
    asked = ("--identity", JANE, "--issuer", ISSUER, "--trusted-root", str(root))
    assert signature(world.person.json("verify", "tidy-up", *asked))[0] == "verified"
