"""Every reader is total: whatever bytes it is given, it returns or raises our error, and soon."""

from __future__ import annotations

import json as stdlib_json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from support.archives import GOOD, tar_of, zip_of

from skillpm.edges.archive import is_archive, open_archive
from skillpm.errors import SkillError
from skillpm.formats.address import derived_name, parse_registry_source, parse_request, parse_source
from skillpm.formats.config import read_config
from skillpm.formats.document import decode, looks_like_html, read_document
from skillpm.formats.foreign.readers import ROWS
from skillpm.formats.hub import read_package, read_search, read_versions
from skillpm.formats.index import TapPlace, read_tap_index
from skillpm.formats.json import JsonError, load
from skillpm.formats.lockfile import read_lock
from skillpm.formats.shipped import read_shipped
from skillpm.formats.spec import validate
from skillpm.formats.yaml import YamlError, load_mapping
from skillpm.model.address import checked_ref
from skillpm.model.name import handle_name, relative_path, skill_name, version_text
from skillpm.model.text import safe, safe_block
from skillpm.model.tree import File, Tree, check_collisions, check_path

OURS = (SkillError, YamlError, JsonError)

OF_BYTES: dict[str, Callable[[bytes], Any]] = {
    "a document": read_document,
    "a decoded document": decode,
    "a guess at HTML": looks_like_html,
    "JSON": load,
    "the index of a tap": lambda data: read_tap_index(data, TapPlace("t")),
    "the shipped registry": read_shipped,
    "a hub's package": lambda data: read_package(data, "hub"),
    "a hub's versions": lambda data: read_versions(data, "hub"),
    "a hub's search": lambda data: read_search(data, "hub"),
    "a configuration": lambda data: read_config(data, {}, "c"),
    "a lock": lambda data: read_lock(data, "skills.lock"),
    "other tools' records": lambda data: [row.read(data) for row in ROWS],
    "an archive": lambda data: [open_archive(data), is_archive(data)],
    "a skill": lambda data: validate(Tree.single(data), "name"),
}

OF_TEXT: dict[str, Callable[[str], Any]] = {
    "YAML": load_mapping,
    "a name": skill_name,
    "a handle": handle_name,
    "a version": version_text,
    "a request": parse_request,
    "a source": lambda text: derived_name(parse_source(text)),
    "a registry's source": parse_registry_source,
    "a ref": checked_ref,
    "a path in a source": relative_path,
    "a path in a skill": check_path,
    "two paths": lambda text: check_collisions(text.split(" ")),
    "a tree": lambda text: Tree.of([File(text, b"")]).digest,
    "a text": safe,
    "a block": safe_block,
    "a hub in the environment": lambda text: read_config(b"", {"SKILL_HUB": text}, "c"),
    "a deadline": lambda text: read_config(b"", {"SKILL_SEARCH_SECONDS": text}, "c"),
}

ANY_TEXT = st.text(st.characters(categories=None))
HEADERS = st.lists(
    st.sampled_from(
        ["---\n", "name: x\n", "description: ", "a: b: c\n", "[", "{", "&a", "*a", "!!x ", "- ",
        "? ",
         ": ", "|\n", "'", '"', "\t", "\r\n", "\ufeff", "\u2028", "\x85", "#", "%YAML 1.1\n",
         "...\n",
         "metadata:\n", "  version: 1.10\n", "allowed-tools: [x]\n", "references/x.md ", "\0"]
    )
).map(lambda parts: "".join(parts).encode())  # fmt: skip
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["o/r", "./x", "@a/b", "https://h.example/x.md", "../x", "skill", "a" * 64]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["skills", "source", "path", "name", "items", "version", "sha256", "scan",
                         "owner", "digest", "description", "a", "../x"]) | st.text(max_size=4),
        inner, max_size=5),
    max_leaves=12,
).map(lambda value: stdlib_json.dumps(value).encode())  # fmt: skip
MEMBERS = st.sampled_from([zip_of(GOOD), tar_of(GOOD), tar_of(GOOD, compress=False)])


@st.composite
def bent(draw: st.DrawFn) -> bytes:
    """An archive with some bytes changed, cut out or repeated."""
    data = bytearray(draw(MEMBERS))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(st.binary(max_size=4))
        data[at : at + draw(st.integers(0, 8))] = change
    return bytes(data)


ANY_BYTES = st.one_of(st.binary(max_size=2_000), ANY_TEXT.map(
    lambda text: text.encode("utf-8", "surrogatepass")), HEADERS, SHAPES, bent())  # fmt: skip


@pytest.mark.parametrize("reader", OF_BYTES)
@settings(max_examples=60, deadline=2_000)
@given(data=ANY_BYTES)
def test_a_reader_of_bytes_returns_or_raises_our_error(reader: str, data: bytes) -> None:
    with suppress(*OURS):
        OF_BYTES[reader](data)


@pytest.mark.parametrize("reader", OF_TEXT)
@settings(max_examples=60, deadline=2_000)
@given(text=ANY_TEXT)
def test_a_reader_of_text_returns_or_raises_our_error(reader: str, text: str) -> None:
    with suppress(*OURS):
        OF_TEXT[reader](text)


@given(data=ANY_BYTES)
def test_an_error_for_people_is_one_printable_line(data: bytes) -> None:
    for read in OF_BYTES.values():
        try:
            read(data)
        except SkillError as error:
            assert "\n" not in error.message  # noqa: PT017 - most inputs raise nothing
            assert "\x1b" not in error.message  # noqa: PT017
        except (YamlError, JsonError) as error:
            assert "\n" not in str(error)  # noqa: PT017
