"""What a file is, told from its bytes; its name only names the language of a text."""

from __future__ import annotations

import codecs
import enum
from dataclasses import dataclass
from typing import Final

from skillpm.model.regex import regex
from skillpm.model.tree import File
from skillpm.scanning.containers.tables import is_encrypted_zip, office_kind


class Kind(enum.StrEnum):
    """What the content of a file is."""

    EMPTY = "empty"
    TEXT = "text"
    IMAGE = "image"
    DOCUMENT = "document"
    FONT = "font"
    MEDIA = "media"
    OFFICE = "office document"
    MACRO = "office document with macros"
    ARCHIVE = "archive"
    ENCRYPTED = "encrypted archive"
    EXECUTABLE = "native executable"
    BYTECODE = "compiled bytecode"
    SERIALIZED = "serialized objects"
    DATABASE = "database"
    UNKNOWN = "unrecognised binary data"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a file is.

    Attributes:
        kind: the sort of content.
        detail: the format, such as `PNG` or `ELF`; for text its encoding.
        text: the decoded text, "" when it is none.
        language: of a text: `markdown`, `python`, `shell`, `json`, …, or `text`.
    """

    kind: Kind
    detail: str = ""
    text: str = ""
    language: str = ""


_MAGIC: Final[tuple[tuple[int, bytes, Kind, str], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", Kind.IMAGE, "PNG"),
    (0, b"\xff\xd8\xff", Kind.IMAGE, "JPEG"),
    (0, b"GIF87a", Kind.IMAGE, "GIF"),
    (0, b"GIF89a", Kind.IMAGE, "GIF"),
    (8, b"WEBP", Kind.IMAGE, "WebP"),
    (0, b"\x00\x00\x01\x00", Kind.IMAGE, "icon"),
    (0, b"II*\x00", Kind.IMAGE, "TIFF"),
    (0, b"MM\x00*", Kind.IMAGE, "TIFF"),
    (4, b"ftypavif", Kind.IMAGE, "AVIF"),
    (4, b"ftypheic", Kind.IMAGE, "HEIC"),
    (0, b"%PDF-", Kind.DOCUMENT, "PDF"),
    (0, b"wOFF", Kind.FONT, "WOFF"),
    (0, b"wOF2", Kind.FONT, "WOFF2"),
    (0, b"OTTO", Kind.FONT, "OpenType"),
    (0, b"\x00\x01\x00\x00\x00", Kind.FONT, "TrueType"),
    (0, b"ttcf", Kind.FONT, "TrueType collection"),
    (0, b"ID3", Kind.MEDIA, "MP3"),
    (0, b"OggS", Kind.MEDIA, "Ogg"),
    (0, b"fLaC", Kind.MEDIA, "FLAC"),
    (8, b"WAVE", Kind.MEDIA, "WAV"),
    (8, b"AVI ", Kind.MEDIA, "AVI"),
    (4, b"ftyp", Kind.MEDIA, "MP4"),
    (0, b"\x1aE\xdf\xa3", Kind.MEDIA, "Matroska"),
    (0, b"PK\x03\x04", Kind.ARCHIVE, "zip"),
    (0, b"PK\x05\x06", Kind.ARCHIVE, "zip"),
    (0, b"\x1f\x8b", Kind.ARCHIVE, "gzip"),
    (0, b"BZh", Kind.ARCHIVE, "bzip2"),
    (0, b"\xfd7zXZ\x00", Kind.ARCHIVE, "xz"),
    (0, b"\x28\xb5\x2f\xfd", Kind.ARCHIVE, "zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", Kind.ARCHIVE, "7z"),
    (0, b"Rar!\x1a\x07", Kind.ARCHIVE, "rar"),
    (0, b"xar!", Kind.ARCHIVE, "xar"),
    (0, b"!<arch>\n", Kind.ARCHIVE, "ar"),
    (257, b"ustar", Kind.ARCHIVE, "tar"),
    (0, b"\x7fELF", Kind.EXECUTABLE, "ELF"),
    (0, b"\xfe\xed\xfa\xce", Kind.EXECUTABLE, "Mach-O"),
    (0, b"\xfe\xed\xfa\xcf", Kind.EXECUTABLE, "Mach-O"),
    (0, b"\xce\xfa\xed\xfe", Kind.EXECUTABLE, "Mach-O"),
    (0, b"\xcf\xfa\xed\xfe", Kind.EXECUTABLE, "Mach-O"),
    (0, b"\xca\xfe\xba\xbe", Kind.EXECUTABLE, "Mach-O or Java class"),
    (0, b"\x00asm", Kind.BYTECODE, "WebAssembly"),
    (0, b"dex\n", Kind.BYTECODE, "Dalvik"),
    (2, b"\r\n", Kind.BYTECODE, "Python bytecode"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind.MACRO, "OLE"),
    (0, b"SQLite format 3\x00", Kind.DATABASE, "SQLite"),
    (0, b"\x93NUMPY", Kind.DATABASE, "NumPy array"),
    (0, b"\x80\x04\x95", Kind.SERIALIZED, "pickle"),
    (0, b"\x80\x05\x95", Kind.SERIALIZED, "pickle"),
    (0, b"\x80\x02", Kind.SERIALIZED, "pickle"),
    (0, b"\x80\x03", Kind.SERIALIZED, "pickle"),
)

_LANGUAGES: Final = {
    "markdown": "md mdx markdown mdc",
    "python": "py pyw pyi pth",
    "shell": "sh bash zsh ksh fish command envrc bashrc zshrc profile bash_profile zprofile",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "ruby": "rb gemspec gemfile rakefile podfile vagrantfile fastfile brewfile",
    "perl": "pl pm",
    "php": "php phtml",
    "lua": "lua",
    "applescript": "applescript scpt",
    "vbscript": "vbs vba",
    "make": "mk makefile gnumakefile justfile",
    "docker": "dockerfile containerfile",
    "rust": "rs",
    "go": "go",
    "c": "c h cc cpp hpp cu cuh",
    "java": "java kt kts scala groovy gradle",
    "swift": "swift",
    "sql": "sql",
    "html": "html htm xhtml svg xml vue svelte plist",
    "css": "css scss less",
    "json": "json jsonc json5 jsonl ndjson webmanifest ipynb",
    "yaml": "yaml yml",
    "toml": "toml lock cfg ini conf properties env service timer desktop",
    "csv": "csv tsv",
}
_BY_SUFFIX: Final = {s: language for language, names in _LANGUAGES.items() for s in names.split()}
_SHEBANG: Final = regex(r"#!\s{0,8}\S{0,80}?([a-z]{2,12})[0-9.]{0,6}(?:\s+-\S{1,20}){0,3}\s*$")
_SHEBANG_ENV: Final = regex(r"#!\S{0,80}/env\s+(?:-\S{1,20}\s+){0,3}([a-z]{2,12})")
_INTERPRETERS: Final = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish", "ash"), "shell"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), "javascript"),
    **dict.fromkeys(("python", "pypy", "uv"), "python"),
    **{name: name for name in ("ruby", "perl", "php", "lua")},
    "tsx": "typescript",
    "pwsh": "powershell",
    "osascript": "applescript",
    "make": "make",
}
_SNIFFED: Final = 4096
_CONTROL: Final = frozenset(range(0x20)) - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B}


def identify(file: File) -> Identity:
    """What the file is; total: every input has an answer."""
    if not file.data:
        return Identity(Kind.EMPTY)
    binary = _by_magic(file.data)
    if binary is not None:
        return binary
    decoded = _decode(file.data)
    if decoded is None:
        return Identity(Kind.UNKNOWN)
    text, encoding = decoded
    return Identity(Kind.TEXT, encoding, text, language_of(file.path, text))


def language_of(path: str, text: str) -> str:
    """The language of a text: a shebang says more than the name, and the name more than nothing."""
    first = text[:200].lstrip("\ufeff").partition("\n")[0]
    if first.startswith("#!"):
        found = _SHEBANG_ENV.match(first) or _SHEBANG.match(first.rstrip())
        if found and found[1] in _INTERPRETERS:
            return _INTERPRETERS[found[1]]
    return expected_language(path)


def expected_language(path: str) -> str:
    """The language that the name alone promises, or `text`."""
    name = path.rpartition("/")[2].lower()
    return _BY_SUFFIX.get(name.rpartition(".")[2], "text")


def _by_magic(data: bytes) -> Identity | None:
    for offset, magic, kind, detail in _MAGIC:
        if data.startswith(magic, offset) and _is_sound(data, magic, kind):
            return _refine(data, kind, detail)
    if data.startswith(b"MZ") and b"\0" in data[:_SNIFFED]:
        return Identity(Kind.EXECUTABLE, "PE")
    return None


def _is_sound(data: bytes, magic: bytes, kind: Kind) -> bool:
    """Whether more than a short magic speaks for the kind."""
    if kind is Kind.SERIALIZED:
        return len(magic) > 2 or data.endswith(b".")
    return kind is not Kind.BYTECODE or b"\0" in data[:16]


def _refine(data: bytes, kind: Kind, detail: str) -> Identity:
    if detail == "zip":
        if is_encrypted_zip(data):
            return Identity(Kind.ENCRYPTED, detail)
        office = office_kind(data)
        if office:
            return Identity(Kind.MACRO if office == "macros" else Kind.OFFICE, detail)
    return Identity(kind, detail)


def _decode(data: bytes) -> tuple[str, str] | None:
    for bom, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(bom):
            text = data[len(bom) :] if encoding == "utf-8" else data
            return text.decode(encoding, "replace"), encoding
    if b"\0" in data:
        return _decode_with_nul(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_legacy(data)


def _decode_with_nul(data: bytes) -> tuple[str, str] | None:
    """UTF-16 without a mark, or a text with stray NULs; else not text."""
    sample = data[:_SNIFFED]
    half = len(sample) // 2 or 1
    if sample[1::2].count(0) > 0.4 * half and sample[::2].count(0) < 0.1 * half:
        return data.decode("utf-16-le", "replace"), "utf-16"
    if sample[::2].count(0) > 0.4 * half and sample[1::2].count(0) < 0.1 * half:
        return data.decode("utf-16-be", "replace"), "utf-16"
    return _decode_legacy(data)


def _decode_legacy(data: bytes) -> tuple[str, str] | None:
    odd = len(data) - len(data.translate(None, bytes(_CONTROL)))
    high = len(data) - len(data.translate(None, bytes(range(0x80, 0x100))))
    if odd > max(4, len(data) // 10) or high > len(data) // 2:
        return None
    try:
        return data.decode("utf-8"), "utf-8 with control characters"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"
