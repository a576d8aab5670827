"""The manifests of plugins: they add folders inside their repository, and never take one away."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillpm.formats.plugin import MAX_PATHS, declared_folders, is_manifest

MARKET, PLUGIN = ".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"


def market(*plugins: Any, path: str = MARKET, **more: Any) -> tuple[str, ...]:
    return declared_folders(path, json.dumps({"plugins": list(plugins), **more}).encode())


def plugin(path: str = PLUGIN, **value: Any) -> tuple[str, ...]:
    return declared_folders(path, json.dumps(value).encode())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (MARKET, True), (PLUGIN, True), (f"a/b/{PLUGIN}", True), ("plugin.json", False),
        (".claude-plugin/other.json", False), (f"{PLUGIN}.bak", False), ("", False),
        (".claude-plugin", False), (".Claude-plugin/plugin.json", False),
    ],
)  # fmt: skip
def test_a_manifest_is_told_by_its_path(path: str, expected: bool) -> None:
    assert is_manifest(path) is expected


@pytest.mark.parametrize(
    ("path", "skills", "expected"),
    [
        (PLUGIN, None, ("skills",)),
        (PLUGIN, "./tools", ("skills", "tools")),
        (PLUGIN, ["./a", "b/c/"], ("skills", "a", "b/c")),
        (PLUGIN, "./", ("skills", ".")),
        (PLUGIN, "/a", ("skills", "a")),
        (f"plugins/x/{PLUGIN}", None, ("plugins/x/skills",)),
        (f"plugins/x/{PLUGIN}", ["a"], ("plugins/x/skills", "plugins/x/a")),
        (f"plugins/x/{PLUGIN}", ["a", "a"], ("plugins/x/skills", "plugins/x/a", "plugins/x/a")),
    ],
)  # fmt: skip
def test_a_plugin_declares_its_folders_below_its_own(
    path: str, skills: Any, expected: tuple[str, ...]
) -> None:
    assert plugin(path, skills=skills) == expected


@pytest.mark.parametrize(
    ("entry", "root", "expected"),
    [
        ({"source": "./"}, None, ("skills",)),
        ({"source": "."}, None, ("skills",)),
        ({"source": "./plugins/x"}, None, ("plugins/x/skills",)),
        ({"source": "x", "skills": ["./a"]}, "./plugins", ("plugins/x/skills", "plugins/x/a")),
        ({"source": "x"}, "plugins/", ("plugins/x/skills",)),
        ({"source": "x"}, 7, ("x/skills",)),
    ],
)  # fmt: skip
def test_a_marketplace_declares_the_folders_of_its_plugins(
    entry: dict[str, Any], root: Any, expected: tuple[str, ...]
) -> None:
    assert market(entry, metadata={"pluginRoot": root}) == expected


@pytest.mark.parametrize(
    "source",
    [
        None, 7, True, [], ["./x"], {"source": "github", "repo": "a/b"}, {},
        "https://github.com/a/b", "file:///etc", "git://x", "..", "../x", "./../x", "a/../../x",
        "a/..", "\\x", "..\\x", "a\nb", "a\x1b[2J", "a\0", "\u202ex", "\x85",
    ],
    ids=ascii,
)  # fmt: skip
def test_a_plugin_from_elsewhere_or_outside_declares_nothing_and_hides_no_other(
    source: Any,
) -> None:
    good = {"source": "./good"}
    assert market({"source": source, "skills": ["./s"]}, good) == ("good/skills",)


@pytest.mark.parametrize("root", ["..", "../x", "a/../..", "\\x", "a\x1b[2J"], ids=ascii)
def test_a_root_that_climbs_out_leaves_no_plugin_below_it(root: str) -> None:
    assert market({"source": "x"}, path=f"sub/{MARKET}", metadata={"pluginRoot": root}) == ()


@pytest.mark.parametrize(
    "skills",
    [
        7, True, {}, {"a": "b"}, [7, None, {}, ["x"]], "..", "../x", ["../x", "a/../../b"],
        ["\\x"], ["a\nb"], ["a\0"], ["\x1b[2J"], ["\u202e"],
    ],
    ids=ascii,
)  # fmt: skip
def test_skills_that_are_no_path_inside_are_left_out(skills: Any) -> None:
    assert plugin(skills=skills) == ("skills",)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"7", b'"x"', b"[]", b'[{"source": "./x"}]', b"\xff\xfe", b"{}x",
        b'{"plugins": [{"source": "\xff"}]}', b"[" * 100_000, b'{"a":' * 100_000,
        b'{"plugins": [{"source": "\\ud800"}]}', b'{"plugins": [], "plugins": []}',
        b'{"x": NaN}', b"9" * 10_000, b"{}" + b" " * 6_000_000,
    ],
    ids=lambda data: ascii(data[:24]),
)  # fmt: skip
def test_a_manifest_that_is_none_declares_nothing(data: bytes) -> None:
    assert declared_folders(MARKET, data) == ()
    assert declared_folders(PLUGIN, data) in ((), ("skills",))


@pytest.mark.parametrize("plugins", [None, 7, "x", {}, {"source": "./x"}, [None, 7, "x", [], {}]])
def test_plugins_of_another_shape_declare_nothing(plugins: Any) -> None:
    assert declared_folders(MARKET, json.dumps({"plugins": plugins}).encode()) == ()


@pytest.mark.parametrize("metadata", [None, 7, "x", [], {"pluginRoot": None}])
def test_metadata_of_another_shape_is_as_if_it_were_not_there(metadata: Any) -> None:
    assert market({"source": "x"}, metadata=metadata) == ("x/skills",)


def test_a_manifest_declares_so_many_folders_and_no_more() -> None:
    assert len(plugin(skills=[f"s{n}" for n in range(3 * MAX_PATHS)])) == MAX_PATHS
    assert len(market(*({"source": f"p{n}"} for n in range(3 * MAX_PATHS)))) == MAX_PATHS


PATHS = st.sampled_from(
    ["./", ".", "..", "../x", "x", "./x/../..", "/etc", "\\x", "a\n", "\x1b[2J", "https://x/y", "~"]
) | st.text(max_size=8)  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | PATHS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["plugins", "source", "skills", "metadata", "pluginRoot"]), inner,
        max_size=4),
    max_leaves=15,
)  # fmt: skip
PLUGINS = st.lists(st.fixed_dictionaries({"source": PATHS, "skills": ANY}), max_size=4)
MARKETS = st.fixed_dictionaries({"plugins": PLUGINS, "metadata": ANY, "skills": ANY})
MANIFESTS = (ANY | MARKETS).map(lambda value: json.dumps(value).encode())


@given(
    st.sampled_from([MARKET, PLUGIN, f"a/b/{MARKET}", f"a/b/{PLUGIN}"]),
    MANIFESTS | st.binary(max_size=500),
)
def test_any_manifest_declares_folders_below_its_own(path: str, data: bytes) -> None:
    base = PurePosixPath(path).parent.parent
    for folder in declared_folders(path, data):
        assert folder.isprintable()
        pure = PurePosixPath(folder)
        assert ".." not in pure.parts
        assert not pure.is_absolute()
        assert pure.is_relative_to(base)
