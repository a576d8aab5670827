"""Functions that make texts of texts: encodings, paths, JSON, promises, timers."""

from __future__ import annotations

import bz2
import posixpath
import zlib
from collections.abc import Callable
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, MAX_TEXT, Carries, Deed
from skillpm.scanning.behaviour.javascript.calls import Call, Handler
from skillpm.scanning.behaviour.javascript.folding import (
    bytes_of,
    characters,
    decoded_uri,
    readable,
)
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Instance,
    Items,
    Known,
    Number,
    Record,
    Thing,
    number_of,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, join, origin

_ENCODED: Final = frozenset({"base64", "base64url", "hex"})


def same(call: Call) -> Thing:
    """Its first argument: `JSON.parse`, `Promise.resolve`, `util.promisify`."""
    return call.arguments[0] if call.arguments else UNKNOWN


def text(call: Call) -> Thing:
    """Its arguments as data: `JSON.stringify`, `String`, `encodeURIComponent`."""
    values = [call.value(number) for number in range(len(call.arguments))]
    return values[0] if len(values) == 1 else origin(values)


def assigned(call: Call) -> Thing:
    """`Object.assign`: one object with the fields of all."""
    record = Record()
    for thing in call.arguments:
        if isinstance(thing, Record):
            record.fields.update(thing.fields)
            record.rest += thing.rest
        else:
            record.rest.append(thing)
    return record


def keys(call: Call) -> Thing:
    """`Object.keys`."""
    return call.host.keys(call.arguments[0]) if call.arguments else UNKNOWN


def from_codes(call: Call) -> Thing:
    """`String.fromCharCode`."""
    things: list[Thing] = []
    for thing in call.arguments:
        things += thing.items if isinstance(thing, Items) else [thing]
    if len(things) == 1 and (code := number_of(things[0])) is not None:
        return Value(chr(code & 0xFFFF), Carries.BUILT)
    return characters(things)


def number(call: Call) -> Thing:
    """`parseInt`, `Number`."""
    said = text_of(call.thing(0))
    base = number_of(call.thing(1)) or 10
    try:
        return Number(float(int(said, base if call.leaf == "parseInt" else 0)))
    except ValueError:
        return UNKNOWN


def decoded(call: Call) -> Thing:
    """`atob`."""
    return _decoded(call, call.thing(0) or EMPTY, "base64")


def _decoded(call: Call, thing: Thing, encoding: str) -> Value:
    data = bytes_of(thing, encoding)
    flows = call.host.flow(thing)
    whole = origin([flows], HOLE if data is None else readable(data))
    return whole.carrying(Carries.DECODED, call.hop(f"decoded from {encoding}"))


def encoded(call: Call) -> Thing:
    """`btoa`, `zlib.gzip`."""
    whole = origin([call.value(0)]).carrying(Carries.ENCODED, call.hop(f"encoded by {call.leaf}"))
    call.callback(UNKNOWN, whole)
    return whole


def buffer(call: Call) -> Thing:
    """`Buffer.from`, `new Uint8Array`."""
    thing = call.thing(0)
    encoding = text_of(call.thing(1))
    if encoding in _ENCODED and thing is not None:
        return _decoded(call, thing, encoding)
    if isinstance(thing, Items):
        return thing
    return UNKNOWN if thing is None or isinstance(thing, Number) else call.value(0)


def joined(call: Call) -> Thing:
    """`Buffer.concat`."""
    thing = call.thing(0)
    if isinstance(thing, Items):
        return join([call.host.flow(item) for item in thing.items] or [thing.rest])
    return call.value(0)


def as_text(call: Call) -> Thing:
    """`TextDecoder.decode`."""
    thing = call.thing(0)
    data = bytes_of(thing) if isinstance(thing, Items) and thing.items else None
    return Value(readable(data), Carries.BUILT) if data is not None else call.value(0)


def uri(call: Call) -> Thing:
    """`decodeURIComponent`, `unescape`."""
    return decoded_uri(call.value(0))


_INFLATE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gunzip": lambda data: zlib.decompressobj(47).decompress(data, MAX_TEXT),
    "unzip": lambda data: zlib.decompressobj(47).decompress(data, MAX_TEXT),
    "inflate": lambda data: zlib.decompressobj().decompress(data, MAX_TEXT),
    "inflateRaw": lambda data: zlib.decompressobj(-15).decompress(data, MAX_TEXT),
    "bunzip": lambda data: bz2.BZ2Decompressor().decompress(data, MAX_TEXT),
}


def inflated(call: Call) -> Thing:
    """`zlib.gunzip` and its kin."""
    value = call.value(0)
    said = HOLE
    inflate = _INFLATE.get(call.leaf)
    if value.known and inflate is not None:
        try:
            said = readable(inflate(value.text.encode("latin-1")))
        except (ValueError, zlib.error, OSError, EOFError):
            said = HOLE
    whole = origin([value], said).carrying(Carries.DECODED, call.hop(f"decoded by {call.leaf}"))
    call.callback(UNKNOWN, whole)
    return whole


def cipher(call: Call) -> Thing:
    """`crypto.createCipheriv`, `createDecipheriv`."""
    return Instance("decipher" if "Decipher" in call.leaf else "cipher")


def deciphered(call: Call) -> Thing:
    """`decipher.update`, `CryptoJS.AES.decrypt`."""
    return origin([call.value(0)]).carrying(Carries.DECODED, call.hop("decrypted"))


def ciphered(call: Call) -> Thing:
    """`cipher.update`, `CryptoJS.AES.encrypt`."""
    value = call.value(1 if "subtle" in call.name else 0)
    if "subtle" in call.name:
        value = call.value(2)
    call.act(Deed.ENCRYPT, "", value)
    return origin([value]).carrying(Carries.ENCODED, call.hop("encrypted"))


def path_joined(call: Call) -> Thing:
    """`path.join`, `path.resolve`."""
    values = [call.value(number) for number in range(len(call.arguments))]
    parts = [value for value in values if value.text]
    if call.leaf == "resolve":
        rooted = [n for n, part in enumerate(parts) if part.text[0] in "/~"]
        parts = parts[rooted[-1] :] if rooted else parts
    whole = join(parts, "/") if parts else Value(".")
    key = posixpath.normpath(whole.key) if whole.key else ""
    return origin([whole], posixpath.normpath(whole.text), key)


def path_part(call: Call) -> Thing:
    """`path.dirname`, `path.basename`."""
    value = call.value(0)
    if call.leaf == "dirname":
        return value.saying(posixpath.dirname(value.text) or ".")
    leaf = posixpath.basename(value.text)
    return value.saying(leaf.removesuffix(text_of(call.thing(1))))


def address(call: Call) -> Thing:
    """`new URL(path, base)`."""
    value, base = call.value(0), call.value(1)
    if "://" in value.text or not base.text:
        return value
    if base.text.startswith("file://"):
        folder = posixpath.dirname(base.text.removeprefix("file://"))
        return value.saying(posixpath.normpath(posixpath.join(folder, value.text)))
    return join([base.saying(base.text.rstrip("/")), value], "" if value.text[:1] == "/" else "/")


def local(call: Call) -> Thing:
    """`url.fileURLToPath`."""
    value = call.value(0)
    return value.saying(value.text.removeprefix("file://"))


def got(call: Call) -> Thing:
    """`Reflect.get(object, name)`."""
    owner, name = call.thing(0), call.thing(1)
    return UNKNOWN if owner is None or name is None else call.host.indexed(owner, name)


def applied(call: Call) -> Thing:
    """`Reflect.apply(function, this, arguments)`, `Reflect.construct`."""
    given = call.thing(2 if call.leaf == "apply" else 1)
    items = given.items if isinstance(given, Items) else []
    function = call.thing(0)
    return UNKNOWN if function is None else call.host.apply(function, items)


def later(call: Call) -> Thing:
    """`setTimeout`: a function is called, a text is run."""
    thing = call.thing(0)
    if isinstance(thing, (*CALLABLE, Known)):
        call.host.apply(thing, list(call.arguments[2:]))
    elif isinstance(thing, Value) and (thing.text.strip(HOLE) or thing.carries):
        call.act(Deed.INTERPRET, thing.text, thing, language="javascript")
        call.host.run_text(thing)
    return UNKNOWN


def awaited(call: Call) -> Thing:
    """`process.on('exit', f)`: what is called when something happens."""
    call.callback(UNKNOWN)
    return UNKNOWN


def nothing(_call: Call) -> Thing:
    """Functions of whose arguments nothing is left in what they return."""
    return UNKNOWN


def _all(handler: Handler, *names: str) -> dict[str, Handler]:
    return dict.fromkeys(names, handler)


HANDLERS: Final[dict[str, Handler]] = {
    **_all(
        same,
        "JSON.parse",
        "Promise.resolve",
        "Promise.all",
        "Promise.allSettled",
        "Promise.race",
        "Promise.any",
        "util.promisify",
        "promisify",
        "Object.freeze",
        "Object.create",
        "structuredClone",
        "Array.from",
        "new Array",
        "new Set",
        "new Map",
        "new Proxy",
        "stream.Readable.from",
        "path.normalize",
        "String.raw`",
        "events.once",
        "new String",
    ),
    **_all(
        text,
        "JSON.stringify",
        "String",
        "encodeURIComponent",
        "encodeURI",
        "escape",
        "Object.entries",
        "Object.values",
        "Object.fromEntries",
        "querystring.stringify",
        "qs.stringify",
        "new URLSearchParams",
        "util.inspect",
        "util.format",
        "TextEncoder.encode",
        "new Blob",
        "new File",
        "Array.of",
        "yaml.stringify",
        "Buffer.alloc",
    ),
    **_all(keys, "Object.keys", "Object.getOwnPropertyNames", "Reflect.ownKeys"),
    **_all(from_codes, "String.fromCharCode", "String.fromCodePoint"),
    **_all(number, "parseInt", "Number", "Number.parseInt", "parseFloat"),
    **_all(encoded, "btoa", "zlib.gzip", "zlib.deflate", "zlib.deflateRaw", "zlib.brotliCompress"),
    **_all(buffer, "Buffer.from", "new Buffer", "Buffer", "new Uint8Array", "Uint8Array.from"),
    **_all(buffer, "Uint8Array.of", "new Uint16Array", "new Uint32Array", "new Int8Array"),
    **_all(uri, "decodeURIComponent", "unescape", "decodeURI"),
    **_all(inflated, "zlib.gunzip", "zlib.inflate", "zlib.inflateRaw", "zlib.unzip"),
    **_all(inflated, "zlib.brotliDecompress", "pako.inflate", "pako.ungzip"),
    **_all(
        cipher,
        "crypto.createCipheriv",
        "crypto.createDecipheriv",
        "crypto.createCipher",
        "crypto.createDecipher",
    ),
    **_all(deciphered, "<decipher>.update", "<decipher>.final", "CryptoJS.AES.decrypt"),
    **_all(deciphered, "crypto.subtle.decrypt", "crypto.privateDecrypt"),
    **_all(ciphered, "<cipher>.update", "CryptoJS.AES.encrypt", "crypto.subtle.encrypt"),
    **_all(ciphered, "crypto.publicEncrypt"),
    **_all(path_joined, "path.join", "path.resolve"),
    **_all(path_part, "path.dirname", "path.basename"),
    **_all(address, "new URL", "new url.URL", "url.resolve"),
    **_all(local, "url.fileURLToPath", "fileURLToPath"),
    **_all(applied, "Reflect.apply", "Reflect.construct"),
    **_all(
        later,
        "setTimeout",
        "setInterval",
        "setImmediate",
        "queueMicrotask",
        "process.nextTick",
        "requestAnimationFrame",
    ),
    **_all(
        nothing,
        "crypto.createHash",
        "crypto.createHmac",
        "crypto.randomBytes",
        "crypto.randomUUID",
        "crypto.timingSafeEqual",
        "crypto.subtle.digest",
        "Math.random",
        "Date.now",
        "isNaN",
        "Array.isArray",
        "Boolean",
        "Number.isInteger",
        "clearTimeout",
        "new Error",
        "assert",
        "performance.now",
    ),
    **_all(awaited, "process.on", "process.once", "window.addEventListener", "addEventListener"),
    "Object.assign": assigned,
    "atob": decoded,
    "Buffer.concat": joined,
    "TextDecoder.decode": as_text,
    "Reflect.get": got,
}
