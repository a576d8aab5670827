"""Commands that read files or their input and print what they make of it."""

from __future__ import annotations

import base64
import binascii
import bz2
import contextlib
import lzma
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, MAX_TEXT, Carries, Deed
from skillpm.scanning.behaviour.shell.calls import Call, Handler, Options, options
from skillpm.scanning.behaviour.shell.network import openssl_client, parsed
from skillpm.scanning.behaviour.shell.options import FAMILY, VALUED, names
from skillpm.scanning.behaviour.shell.spelling import unescape
from skillpm.scanning.behaviour.shell.tables import (
    COUNTERS,
    DECODERS,
    DECODING,
    ENCODERS,
    PATTERN_FIRST,
    READERS,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, is_secret_name, join, origin

_SAME: Final = names("cat head tail tac less more bat sort uniq fmt pv dos2unix expand iconv")
_CLASSES: Final = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789", "[:space:]": " \t\n\r\f\v",
}  # fmt: skip
_SUBSTITUTION: Final = regex(r"s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gIi]*)\Z", re.DOTALL)
_SETTING: Final = regex(r"\^?(?:export )?([A-Z][A-Z0-9_]{2,60})=?(?:\.\*)?\$?\Z")
_SYSTEM: Final = regex(
    r"system\(\s*\"((?:[^\"\\]|\\.){1,2000})\"|\"((?:[^\"\\]|\\.){1,2000})\"\s*\|\s*getline"
)
_FORMAT: Final = regex(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?([sbdiouxXcq]))")


def reader(call: Call) -> Value:
    """A filter: its files or its input, changed as it changes them."""
    name = call.name
    if name in ("jq", "yq"):
        call.words = _without_pairs(call)
    given = parsed(call)
    family = FAMILY.get(name, name)
    rest = list(given.rest)
    program = EMPTY
    if family in PATTERN_FIRST:
        given_by_option = given.all(*PATTERN_FIRST[family])
        program = given_by_option[0] if given_by_option else (rest.pop(0) if rest else EMPTY)
    if family in ("tr", "envsubst", "rev") or (name == "xxd" and given.has("-r") and not rest):
        second = rest.pop(0) if rest else EMPTY
        return _made(call, given, call.given, program, second)
    if family == "sed" and given.has("-i", "--in-place", "-i.bak"):
        return _edited(call, rest, program)
    contents = [call.read(path) for path in rest[:50]]
    source = join(contents) if contents else call.given
    if family == "awk":
        _awk(call, program)
    if family == "grep" and given.has(
        "-q", "-c", "-l", "--quiet", "--count", "--files-with-matches"
    ):
        return EMPTY
    if family == "grep" and rest and ".env" in rest[0].text:
        source = _one_setting(source, program)
    out = _made(call, given, source, program, EMPTY)
    target = given.first("-o") if family in ("sort", "base64") else None
    if target is not None and target.text:
        call.write(target, out)
        return EMPTY
    return out


def _without_pairs(call: Call) -> list[Value]:
    """The words of `jq` without `--arg name value`."""
    words, kept, at = call.words, list[Value](), 0
    while at < len(words):
        text = words[at].text
        if text in ("--slurpfile", "--rawfile") and at + 2 < len(words):
            call.read(words[at + 2])
        if text in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            at += 3
        else:
            kept.append(words[at])
            at += 1
    return kept


def _one_setting(source: Value, program: Value) -> Value:
    """What `grep ^NAME .env` prints: a secret only when the name says so."""
    found = _SETTING.match(program.text)
    if not found or Carries.SECRET_FILE not in source.carries:
        return source
    if is_secret_name(found[1]):
        return Value(HOLE, Carries.SECRET_VARIABLE, frozenset({found[1]}), source.trail, source.key)
    return Value(HOLE, Carries.FILE, frozenset(), (), source.key)


def _edited(call: Call, paths: Iterable[Value], program: Value) -> Value:
    for path in paths:
        call.act(Deed.WRITE, path.text, origin([call.host.stored(path) or EMPTY, program]))
    return EMPTY


def _awk(call: Call, program: Value) -> None:
    for found in _SYSTEM.finditer(program.text):
        call.host.play(program.saying((found[1] or found[2]).replace('\\"', '"')), call)


def _made(call: Call, given: Options, source: Value, program: Value, second: Value) -> Value:
    """What comes out of a filter for what goes in."""
    name = call.name
    if name in DECODERS or (name in ENCODERS and any(flag in DECODING for flag in given.flags)):
        return decoded(call, source, name)
    if name in ENCODERS:
        return origin([source]).carrying(Carries.ENCODED, call.hop(f"encoded by {name}"))
    if name in _SAME:
        return source
    if not source.known or not source.text:
        return origin([source, program])
    change = _CHANGES.get(FAMILY.get(name, name) if name != "rev" else name)
    return change(source, program, second) if change else origin([source])


def decoded(call: Call, source: Value, how: str) -> Value:
    """What a decoder makes of its input; the text, when the input is known."""
    text: str | None = None
    if source.known and source.text.strip():
        decode = _DECODE.get(how, _unbase64)
        with contextlib.suppress(
            ValueError, binascii.Error, zlib.error, OSError, EOFError, lzma.LZMAError
        ):
            text = _text(decode(source.text[:MAX_TEXT]))
    value = origin([source], HOLE if text is None else text)
    return value.carrying(Carries.DECODED, call.hop(f"decoded by {how}"))


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unbase64(text: str) -> bytes:
    packed = "".join(text.split()).rstrip("=")
    return base64.b64decode(packed + "=" * (-len(packed) % 4))


def _unbase32(text: str) -> bytes:
    packed = "".join(text.split()).rstrip("=")
    return base64.b32decode(packed + "=" * (-len(packed) % 8), casefold=True)


def _unhex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"(?m)^[0-9a-f]{8}:|\\x|0x|\s\s.*$", "", text))


def _inflate(text: str) -> bytes:
    return zlib.decompressobj(47).decompress(text.encode("latin-1"), MAX_TEXT)


def _bunzip(text: str) -> bytes:
    return bz2.BZ2Decompressor().decompress(text.encode("latin-1"), MAX_TEXT)


def _unxz(text: str) -> bytes:
    return lzma.LZMADecompressor().decompress(text.encode("latin-1"), MAX_TEXT)


_DECODE: Final[dict[str, Callable[[str], bytes]]] = {
    "xxd": _unhex, "base32": _unbase32, "gunzip": _inflate, "zcat": _inflate, "gzip": _inflate,
    "bunzip2": _bunzip, "bzip2": _bunzip, "unxz": _unxz, "xz": _unxz,
}  # fmt: skip


def _reversed(source: Value, _program: Value, _second: Value) -> Value:
    lines = source.text.splitlines()
    return source.saying("\n".join(line[::-1] for line in lines)).carrying(Carries.BUILT)


def _span(found: re.Match[str]) -> str:
    first, last = ord(found[1]), ord(found[2])
    return "".join(map(chr, range(first, min(last, first + 200) + 1)))


def _alphabet(text: str) -> str:
    for name, letters in _CLASSES.items():
        text = text.replace(name, letters)
    text = unescape(text)[0]
    return re.sub(r"(?s)(.)-(.)", _span, text)


def _translated(source: Value, program: Value, second: Value) -> Value:
    """`tr a b`, or `tr -d a`, whose set then is the program."""
    if not (program.known and second.known):
        return origin([source])
    before, after = _alphabet(program.text), _alphabet(second.text)
    if program.text.startswith("-") or not after:
        removed = _alphabet((second if program.text.startswith("-") else program).text)
        return source.saying(source.text.translate({ord(char): None for char in removed}))
    after = after.ljust(len(before), after[-1])
    table = {ord(old): new for old, new in zip(before, after, strict=False)}
    changed = source.saying(source.text.translate(table))
    plain = (
        "[:" in program.text
        or len(before) < 3
        or {before.lower(), after.lower()} == {before.lower()}
    )
    return changed if plain else changed.carrying(Carries.BUILT)


def _substituted(source: Value, program: Value, _second: Value) -> Value:
    """`sed s/a/b/` where that is as simple as it looks."""
    found = _SUBSTITUTION.match(program.text)
    if (
        not found
        or len(found[2]) > 40
        or len(source.text) > 4000
        or re.search(r"[*+{(|]", found[2])
    ):
        return origin([source, program])
    try:
        pattern = re.compile(found[2])
        said = pattern.sub(lambda _: found[3], source.text, count=0 if "g" in found[4] else 1)
    except re.error:
        return origin([source, program])
    return source.saying(said)


def _cut(source: Value, _program: Value, _second: Value) -> Value:
    return origin([source])


_CHANGES: Final[dict[str, Callable[[Value, Value, Value], Value]]] = {
    "rev": _reversed, "tr": _translated, "sed": _substituted, "cut": _cut,
}  # fmt: skip


def counter(call: Call) -> Value:
    """A command of whose input nothing is left."""
    return EMPTY if call.name in ("test", "[", "[[") else Value(HOLE)


def echo(call: Call) -> Value:
    """`echo`: its arguments."""
    words = call.words[1:]
    escapes = False
    while words and re.match(r"-[neE]+\Z", words[0].text):
        escapes = escapes or "e" in words[0].text
        words = words[1:]
    said = join(words, " ") if words else EMPTY
    if escapes and "\\" in said.text:
        said = _unescaped(said)
    return said.saying(said.text + "\n")


def _unescaped(said: Value) -> Value:
    text, coded = unescape(said.text.replace("\\0", "\\"))
    changed = said.saying(text)
    return changed.carrying(Carries.BUILT) if coded else changed


def printf(call: Call) -> Value:
    """`printf format arguments`."""
    words = call.words[1:]
    if words and words[0].text == "-v":
        return EMPTY
    words = words[1:] if words and words[0].text == "--" else words
    if not words:
        return EMPTY
    form, rest = words[0], list(words[1:])
    said = _unescaped(form) if "\\" in form.text else form
    pieces = [_filled(said.text, rest)]
    while rest and len(pieces) < 50 and "%" in said.text:
        pieces.append(_filled(said.text, rest))
    return origin([said, *words[1:]], "".join(pieces))


def _filled(form: str, rest: list[Value]) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        text = rest.pop(0).text if rest else ""
        return unescape(text)[0] if found[1] == "b" else text

    return _FORMAT.sub(fill, form)


def tee(call: Call) -> Value:
    """`tee file…`: writes its input and passes it on."""
    given = parsed(call)
    how = ("append",) if given.has("-a", "--append") else ()
    for path in given.rest:
        call.write(path, call.given, *how)
    return call.given


def openssl(call: Call) -> Value:
    """`openssl enc`, `base64`, `s_client`; else a program."""
    words = call.words[1:]
    verb = words[0].text if words else ""
    if verb == "s_client":
        return openssl_client(call)
    given = options(words[1:], VALUED["openssl"], dashed=True)
    path = given.first("-in")
    if verb not in ("enc", "base64", "rsautl", "pkeyutl", "smime") and not verb.startswith(
        ("aes-", "des", "bf-")
    ):
        if verb in ("rand", "genrsa", "req", "x509", "version", "dgst", "ciphers", "ecparam"):
            return Value(HOLE)
        call.act(Deed.RUN, call.line)
        return Value(HOLE)
    source = call.read(path) if path else call.given
    plain = verb == "base64" or given.has("-base64", "-a")
    ciphers = [
        flag for flag in given.flags if flag.startswith(("-aes", "-des", "-camellia", "-chacha"))
    ]
    if given.has("-d", "-decrypt"):
        out = decoded(call, source, "base64" if plain and not ciphers else "openssl")
    else:
        if verb != "base64" and (ciphers or not plain):
            call.act(Deed.ENCRYPT, path.text if path else "", source)
        out = origin([source]).carrying(Carries.ENCODED, call.hop("encrypted by openssl"))
    return _put(call, given.first("-out"), out)


def _undecodable(_text: str) -> bytes:
    raise ValueError


_DECODE["openssl"] = _undecodable


def _put(call: Call, target: Value | None, content: Value) -> Value:
    if target is None or target.text in ("", "-"):
        return content
    call.write(target, content)
    return EMPTY


def gpg(call: Call) -> Value:
    """`gpg`: encrypts, decrypts or prints keys."""
    given = parsed(call)
    target = given.first("-o", "--output")
    source = call.read(given.rest[0]) if given.rest else call.given
    if given.has("--export-secret-keys", "--export-secret-subkeys"):
        call.act(Deed.READ, "~/.gnupg", Value(carries=Carries.SECRET_FILE))
        hop = call.hop("secret keys printed by gpg")
        return _put(call, target, Value(HOLE, Carries.SECRET_FILE, frozenset(), (hop,)))
    if given.has("-d", "--decrypt"):
        return _put(
            call, target, origin([source]).carrying(Carries.DECODED, call.hop("decrypted by gpg"))
        )
    if given.has("-c", "--symmetric", "-e", "--encrypt", "-r", "--recipient"):
        name = given.rest[0] if given.rest else EMPTY
        call.act(Deed.ENCRYPT, name.text, source)
        out = origin([source]).carrying(Carries.ENCODED, call.hop("encrypted by gpg"))
        if target is None and name.text:
            target = name.saying(name.text + ".gpg")
        return _put(call, target, out)
    call.act(Deed.RUN, call.line)
    return Value(HOLE)


HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(READERS, reader), **dict.fromkeys(COUNTERS, counter),
    "echo": echo, "printf": printf, "tee": tee, "sponge": tee, "openssl": openssl, "gpg": gpg,
    "gpg2": gpg, "yes": echo, "say": lambda _: EMPTY,
}  # fmt: skip
