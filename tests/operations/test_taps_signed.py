"""A tap whose keys are pinned: each commit that is read is signed by one that held before it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from journeys.world import SITE, World
from support.gitrepo import GitRepo
from support.sshkeys import Key, make_key, needs_ssh_keygen, sign

pytestmark = needs_ssh_keygen

GOOD = "https://github.com/team/tidy-up"
LIST = "registry-signers"


@pytest.fixture
def key(tmp_path: Path) -> Key:
    return make_key(tmp_path / "keys/jane")


@pytest.fixture
def other(tmp_path: Path) -> Key:
    return make_key(tmp_path / "keys/mallory")


def entries(*names: str) -> dict[str, bytes | str | None]:
    skills = {name: {"source": f"https://github.com/team/{name}"} for name in names}
    return {"tap.json": json.dumps({"skills": skills})}


def signed_tap(world: World, key: Key) -> GitRepo:
    repo = world.git.repo("team/skills")
    repo.commit(entries("tidy-up"))
    sign(repo, key)
    world.person.skill("tap", "add", "team/skills", "--signer", key.public)
    return repo


def the_tap(world: World) -> dict[str, Any]:
    (tap,) = world.person.json("tap", "list")["taps"]
    found: dict[str, Any] = tap
    return found


def refused(world: World, word: str = "not signed by a key that is pinned") -> None:
    """The tap's news are refused with status 6, and the old index stays."""
    before = the_tap(world)
    done = world.person.skill("tap", "update", status=6)
    assert word in done.err
    assert the_tap(world) == before
    assert world.person.json("search", "dust")["skills"] == []


def test_a_tap_that_is_signed_by_the_pinned_key_is_added_and_followed(
    world: World, key: Key
) -> None:
    repo = signed_tap(world, key)
    tap = the_tap(world)
    assert tap["signed_by"].startswith("keeper SHA256:")
    assert [f"{one['type']} {one['key']}" for one in tap["signers"]] == [key.public]
    repo.commit(entries("tidy-up", "dust"))
    head = sign(repo, key)
    world.person.skill("tap", "update")
    assert the_tap(world)["commit"] == head


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_every_kind_of_key_that_ssh_has_can_sign(kind: str, world: World, tmp_path: Path) -> None:
    signed_tap(world, make_key(tmp_path / "keys/one", kind))


def test_keys_come_from_a_file_as_well(world: World, key: Key, other: Key, tmp_path: Path) -> None:
    repo = world.git.repo("team/skills")
    repo.commit(entries("tidy-up"))
    sign(repo, key)
    lines = f"# ours\n\n{other.line('bob@example.com')}{key.line('jane@example.com')}"
    (tmp_path / "signers").write_text(lines)
    told = world.person.skill("tap", "add", "team/skills", "--signers", str(tmp_path / "signers"))
    assert key.public in told.out
    assert the_tap(world)["signed_by"].startswith("jane@example.com SHA256:")


def unsigned(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit(entries("tidy-up", "dust"))


def by_another_key(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, other)


def unsigned_on_top_of_signed(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({"README.md": "signed"})
    sign(repo, key)
    repo.commit(entries("tidy-up", "dust"))


def with_the_signature_of_another_commit(repo: GitRepo, key: Key, other: Key) -> None:
    good = repo.git("cat-file", "commit", repo.head())
    header = good[good.index("gpgsig") : good.index("\n\n")]
    repo.commit(entries("tidy-up", "dust"))
    head, _, message = repo.git("cat-file", "commit", repo.head()).partition("\n\n")
    forged = f"{head}\n{header}\n\n{message}\n".encode()
    repo.force("main", repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=forged))


def with_a_signature_of_another_program(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit(entries("tidy-up", "dust"))
    head, _, message = repo.git("cat-file", "commit", repo.head()).partition("\n\n")
    armour = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    forged = f"{head}\n{armour}\n\n{message}\n".encode()
    repo.force("main", repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=forged))


def with_nonsense_for_a_signature(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit(entries("tidy-up", "dust"))
    head, _, message = repo.git("cat-file", "commit", repo.head()).partition("\n\n")
    armour = "gpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----"
    forged = f"{head}\n{armour}\n\n{message}\n".encode()
    repo.force("main", repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=forged))


def a_rotation_by_the_new_key_alone(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({LIST: other.line("mallory"), **entries("tidy-up", "dust")})
    sign(repo, other)


def a_rotation_by_nobody(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({LIST: other.line("mallory")})
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, other)


def a_rotation_by_the_new_key_below_a_commit_of_the_old_one(
    repo: GitRepo, key: Key, other: Key
) -> None:
    repo.commit({LIST: other.line("mallory")})
    sign(repo, other)
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, key)


def a_rotation_that_is_taken_back_before_anyone_looks(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({LIST: other.line("mallory")})
    sign(repo, other)
    repo.commit({LIST: None, **entries("tidy-up", "dust")})
    sign(repo, other)


def a_rotation_on_a_branch_that_the_new_key_merges(repo: GitRepo, key: Key, other: Key) -> None:
    main = repo.head()
    repo.commit({LIST: other.line("mallory")}, branch="side", parents=(main,))
    side = sign(repo, other, "side")
    files = {LIST: other.line("mallory"), **entries("tidy-up", "dust")}
    repo.commit(files, parents=(main, side))
    sign(repo, other)


def a_list_of_keys_that_is_none(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({LIST: "* cert-authority ssh-ed25519 AAAA\n", **entries("tidy-up", "dust")})
    sign(repo, key)


def an_empty_list_of_keys(repo: GitRepo, key: Key, other: Key) -> None:
    repo.commit({LIST: "# nobody\n", **entries("tidy-up", "dust")})
    sign(repo, key)


def a_list_of_keys_with_control_characters(repo: GitRepo, key: Key, other: Key) -> None:
    text = other.line("m\x1b[2J\u202e")
    repo.commit({LIST: text, **entries("tidy-up", "dust")})
    sign(repo, key)


HOSTILE = (
    unsigned, by_another_key, unsigned_on_top_of_signed, with_the_signature_of_another_commit,
    with_a_signature_of_another_program, with_nonsense_for_a_signature,
    a_rotation_by_the_new_key_alone, a_rotation_by_nobody,
    a_rotation_by_the_new_key_below_a_commit_of_the_old_one,
    a_rotation_that_is_taken_back_before_anyone_looks,
    a_rotation_on_a_branch_that_the_new_key_merges,
)  # fmt: skip
BAD_LISTS = (
    a_list_of_keys_that_is_none, an_empty_list_of_keys, a_list_of_keys_with_control_characters,
)  # fmt: skip


@pytest.mark.parametrize("attack", HOSTILE, ids=lambda attack: attack.__name__.replace("_", " "))
def test_what_no_pinned_key_signed_is_refused(
    attack: Any, world: World, key: Key, other: Key
) -> None:
    repo = signed_tap(world, key)
    attack(repo, key, other)
    refused(world)
    assert world.person.json("log", "team")["events"][-1]["action"] == "tap refuse"


@pytest.mark.parametrize("attack", BAD_LISTS, ids=lambda attack: attack.__name__.replace("_", " "))
def test_a_list_of_keys_that_cannot_be_read_is_refused_as_a_whole(
    attack: Any, world: World, key: Key, other: Key
) -> None:
    repo = signed_tap(world, key)
    attack(repo, key, other)
    refused(world, "registry-signers, is unusable")


def test_the_old_key_may_hand_over_to_a_new_one(world: World, key: Key, other: Key) -> None:
    repo = signed_tap(world, key)
    repo.commit({LIST: other.line("bob")})
    sign(repo, key)
    assert "keys of the tap team changed" in world.person.skill("tap", "update").err
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, other)
    world.person.skill("tap", "update")
    assert the_tap(world)["signed_by"].startswith("bob SHA256:")
    repo.commit({"README.md": "by the old key"})
    sign(repo, key)
    assert "not signed" in world.person.skill("tap", "update", status=6).err


def test_somebody_who_missed_two_handovers_follows_them_one_by_one(
    world: World, key: Key, other: Key, tmp_path: Path
) -> None:
    third = make_key(tmp_path / "keys/third")
    repo = signed_tap(world, key)
    for number, (after, by) in enumerate(((other, key), (third, other))):
        repo.commit({LIST: after.line(f"k{number}")})
        sign(repo, by)
        repo.commit({"README.md": f"{number}"})
        sign(repo, after)
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, third)
    world.person.skill("tap", "update")
    assert the_tap(world)["signed_by"].startswith("k1 SHA256:")


def test_the_list_of_a_tap_whose_head_the_pinned_key_signed_is_taken_when_it_is_added(
    world: World, key: Key, other: Key
) -> None:
    repo = world.git.repo("team/skills")
    repo.commit({LIST: key.line("jane") + other.line("bob"), **entries("tidy-up")})
    sign(repo, key)
    world.person.skill("tap", "add", "team/skills", "--signer", key.public)
    assert [one["name"] for one in the_tap(world)["signers"]] == ["jane", "bob"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ('valid-before="20200101"', 6),
        ('valid-after="29990101"', 6),
        ('valid-before="202001010000Z"', 6),
        ('valid-after="20200101",valid-before="29990101"', 0),
        ('namespaces="git",valid-before="29990101000000"', 0),
    ],
)
def test_a_key_counts_only_while_it_holds(
    options: str, status: int, world: World, key: Key, tmp_path: Path
) -> None:
    repo = world.git.repo("team/skills")
    repo.commit(entries("tidy-up"))
    sign(repo, key)
    (tmp_path / "signers").write_text(key.line("jane", options))
    words = ("tap", "add", "team/skills", "--signers", str(tmp_path / "signers"))
    world.person.skill(*words, status=status)
    assert len(world.person.json("tap", "list")["taps"]) == (not status)


@pytest.mark.parametrize("attack", [unsigned, by_another_key], ids=["unsigned", "another key"])
def test_adding_a_tap_that_is_not_signed_as_asked_adds_nothing(
    attack: Any, world: World, key: Key, other: Key
) -> None:
    attack(world.git.repo("team/skills"), key, other)
    told = world.person.error("tap", "add", "team/skills", "--signer", key.public, status=6)
    assert "not signed" in told
    assert world.person.json("tap", "list")["taps"] == []


def test_keys_can_be_pinned_for_a_tap_that_is_there(world: World, key: Key, other: Key) -> None:
    repo = world.git.repo("team/skills")
    repo.commit(entries("tidy-up"))
    world.person.skill("tap", "add", "team/skills")
    world.person.error("tap", "add", "team/skills", "--signer", key.public, status=6)
    repo.commit(entries("tidy-up", "dust"))
    sign(repo, key)
    world.person.skill("tap", "add", "team/skills", "--signer", key.public)
    unsigned(repo, key, other)
    assert "not signed" in world.person.skill("tap", "update", status=6).err


def test_adding_it_again_or_resetting_it_does_not_forget_its_keys(
    world: World, key: Key, other: Key
) -> None:
    repo = signed_tap(world, key)
    by_another_key(repo, key, other)
    world.person.error("tap", "add", "team/skills", status=6)
    world.person.error("tap", "reset", "team", status=6)
    assert [one["name"] for one in the_tap(world)["signers"]] == ["keeper"]


def test_an_index_at_a_url_can_not_be_signed(world: World, key: Key) -> None:
    world.web.serve("/tap.json", json.dumps({"a": {"source": GOOD}}))
    told = world.person.error("tap", "add", f"{SITE}/tap.json", "--signer", key.public, status=6)
    assert "not verifiable" in told


def test_without_ssh_keygen_nothing_counts_as_signed(
    world: World, key: Key, tmp_path: Path
) -> None:
    repo = world.git.repo("team/skills")
    repo.commit(entries("tidy-up"))
    sign(repo, key)
    only_git = tmp_path / "bin"
    only_git.mkdir()
    for name in ("git", "git-remote-http"):
        where = Path("/usr/bin") / name
        if where.exists():
            (only_git / name).symlink_to(where)
    words = ("tap", "add", "team/skills", "--signer", key.public)
    told = world.person.error(*words, status=6, env={"PATH": str(only_git)})
    assert "ssh-keygen is not on PATH" in told


BAD_KEYS = {
    "no key": "hello",
    "a private key": "-----BEGIN OPENSSH PRIVATE KEY-----",
    "a type alone": "ssh-ed25519",
    "a key that is cut": "ssh-ed25519 AAAA",
    "a key of another type": "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIAAA",
    "a key that no longer signs": "ssh-dss AAAAB3NzaC1kc3M",
    "an option": "--evil ssh-ed25519 AAAA",
    "everybody": "* ssh-ed25519 AAAA",
    "control characters": "ssh-ed25519 \x1b[2J",
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_KEYS)
def test_a_key_that_is_none_is_a_word_too_many(case: str, world: World) -> None:
    world.git.repo("team/skills").commit(entries("tidy-up"))
    words = ("tap", "add", "team/skills", f"--signer={BAD_KEYS[case]}")
    world.person.error(*words, status=2)
    world.person.error("tap", "add", "team/skills", "--signers", "/nowhere", status=3)
