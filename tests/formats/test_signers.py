"""Lists of signers: read strictly and written anew; ssh-keygen never sees a stranger's line."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, strategies as st

from skillpm.errors import StateError, UsageError
from skillpm.formats.pins import pins_text, read_pins
from skillpm.formats.signers import MAX_SIGNERS, read_signers, signers_text
from skillpm.model.pins import Known, Pins, Signer


def blob(kind: str, more: bytes = b"key") -> str:
    return base64.b64encode(len(kind).to_bytes(4, "big") + kind.encode() + more).decode()


KEY = f"ssh-ed25519 {blob('ssh-ed25519')}"

READ = {
    "a plain line": (f"jane {KEY}", f'jane namespaces="git" {KEY}\n'),
    "a remark at its end": (f"jane {KEY} of the laptop", f'jane namespaces="git" {KEY}\n'),
    "an address as name": (f"j@example.com {KEY}", f'j@example.com namespaces="git" {KEY}\n'),
    "the namespace of commits": (
        f'jane namespaces="git" {KEY}', f'jane namespaces="git" {KEY}\n'),
    "dates": (
        f'jane valid-after="20260101",valid-before="20270101120000Z" {KEY}',
        f'jane namespaces="git",valid-after="20260101Z",valid-before="20270101120000Z" {KEY}\n'),
    "remarks and empty lines": (f"# x\n\n  jane {KEY}\r\n", f'jane namespaces="git" {KEY}\n'),
    "a line twice": (f"jane {KEY}\njane {KEY}", f'jane namespaces="git" {KEY}\n'),
}  # fmt: skip
REFUSED = {
    "nothing": "",
    "remarks alone": "# x\n",
    "a name alone": "jane",
    "no name": KEY,
    "a pattern": f"* {KEY}",
    "a negated pattern": f"!jane {KEY}",
    "several names": f"jane,bob {KEY}",
    "a quoted name": f'"jane doe" {KEY}',
    "a name that is an option": f"-jane {KEY}",
    "an authority": f"jane cert-authority {KEY}",
    "another namespace": f'jane namespaces="file" {KEY}',
    "two namespaces": f'jane namespaces="git,file" {KEY}',
    "an unknown option": f"jane no-touch {KEY}",
    "a date that is none": f'jane valid-before="soon" {KEY}',
    "a date without quotes": f"jane valid-before=20260101 {KEY}",
    "an old type": f"jane ssh-dss {blob('ssh-dss')}",
    "a certificate": f"jane ssh-ed25519-cert-v01@openssh.com {blob('ssh-ed25519-cert-v01')}",
    "a key of another type": f"jane ssh-rsa {blob('ssh-ed25519')}",
    "a key that is no Base64": "jane ssh-ed25519 AAAA*",
    "a key that is cut": "jane ssh-ed25519 AAAA",
    "a huge key": f"jane ssh-ed25519 {blob('ssh-ed25519', b'x' * 5_000)}",
    "one bad line among good ones": f"jane {KEY}\nbob",
    "too much text": "#" * 70_000,
    "a zero byte": f"ja\0ne {KEY}",
}


@pytest.mark.parametrize("case", READ)
def test_a_line_is_read_and_written_anew(case: str) -> None:
    text, written = READ[case]
    assert signers_text(read_signers(text)) == written
    assert read_signers(written.replace('Z"', '"')) == read_signers(text)


@pytest.mark.parametrize("case", REFUSED)
def test_a_line_that_is_not_understood_spoils_the_list(case: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_signers(REFUSED[case])
    assert caught.value.message.isprintable()


def test_a_public_key_file_gets_the_name_that_is_given() -> None:
    assert read_signers(KEY, "keeper")[0].name == "keeper"


def test_a_list_has_an_end() -> None:
    lines = [f"jane ssh-ed25519 {blob('ssh-ed25519', bytes([n]))}" for n in range(MAX_SIGNERS + 1)]
    assert len(read_signers("\n".join(lines[:-1]))) == MAX_SIGNERS
    with pytest.raises(UsageError, match="more than"):
        read_signers("\n".join(lines))


@given(st.text(max_size=200))
def test_any_text_is_a_list_or_an_error_and_what_is_written_is_plain(text: str) -> None:
    try:
        found = read_signers(text)
    except UsageError:
        return
    assert signers_text(found).isascii()


@given(st.text(alphabet='jane *"=,-git\n#ssh-ed25519' + KEY[-8:], max_size=120))
def test_what_looks_like_a_line_never_writes_two(text: str) -> None:
    try:
        found = read_signers(f"{text} {KEY}")
    except UsageError:
        return
    assert signers_text(found).count("\n") == len(found)


@pytest.mark.parametrize(
    ("after", "before", "holds"),
    [
        ("", "", True), ("20260101", "", True), ("20270101", "", False), ("", "20270101", True),
        ("", "20260101", False), ("20260601120000", "", True), ("20260601120001", "", False),
        ("", "20260601120000", False), ("", "202606011201", True),
    ],
)  # fmt: skip
def test_a_key_holds_between_its_dates(after: str, before: str, holds: bool) -> None:
    signer = Signer("jane", "ssh-ed25519", "x", after, before)
    assert signer.holds_at("2026-06-01T12:00:00Z") is holds


def test_pins_survive_being_written() -> None:
    signer = Signer("jane", "ssh-ed25519", "x", "20260101", "")
    pins = Pins(
        ("a", "b"), "c", (signer,), (signer,), "jane", 7, "x", {"n": Known("s", "d")}, {"o": "why"}
    )
    assert read_pins(pins_text(pins)) == pins
    assert read_pins("{}") == Pins()


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "7", "null", '"x"', '{"other": 1}', '{"version": "1"}', '{"version": true}',
        '{"roots": [1]}', '{"roots": 7}', '{"known": []}', '{"known": {"a": "x"}}',
        '{"known": {"a": {"source": 7}}}', '{"known": {"a": {}}}', '{"retired": []}',
        '{"retired": {"a": 1}}', '{"signers": [{}]}', '{"held": "x"}', '{"first": null}',
        '{"signers": [{"name": "a", "kind": 1, "key": "c"}]}',
    ],
)  # fmt: skip
def test_pins_that_were_tampered_with_are_damage_and_never_read_as_empty(text: str) -> None:
    with pytest.raises(StateError):
        read_pins(text)
