"""Addresses made by Hypothesis: whatever is printed is read back, and nothing dangerous is read."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, strategies as st

from skillpm.errors import UsageError
from skillpm.formats.address import parse_request, parse_source
from skillpm.model.address import Bundled, Git, Hub, Local, Source, Web, checked_ref
from skillpm.model.name import SkillName

WORDS = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,5})?", fullmatch=True)
NAMES = WORDS.filter(lambda w: w not in ("con", "prn", "aux", "nul")).map(SkillName)
HOSTS = st.one_of(
    st.lists(WORDS, min_size=2, max_size=3).map(".".join),
    st.sampled_from(
        ["github.com", "gitlab.com", "codeberg.org", "127.0.0.1", "[::1]", "localhost"]
    ),
)
PORTS = st.one_of(st.just(""), st.integers(1, 65535).map(lambda n: f":{n}"))
ODD = st.text(st.characters(min_codepoint=33, max_codepoint=0x17F, categories=("L", "N", "P", "S")))
PART = st.one_of(WORDS, ODD.filter(bool))


def _ref(text: str) -> bool:
    with suppress(UsageError):
        return bool(checked_ref(text))
    return False


REFS = st.one_of(st.just(""), WORDS, ODD.filter(_ref), st.just("0" * 40))
PATHS = st.lists(
    PART.filter(lambda p: p not in (".", "..") and not set(p) & set("\\/")), max_size=3
).map("/".join)


@st.composite
def repositories(draw: st.DrawFn) -> Git:
    """Git addresses as the parser makes them."""
    host = draw(HOSTS)
    port = "" if host in ("github.com", "gitlab.com") else draw(PORTS)
    owner, repo = draw(WORDS), draw(WORDS)
    ending = ".git" if host == "gitlab.com" else draw(st.sampled_from(["", ".git"]))
    if host == "github.com":
        ending = ""
    ways = [f"https://{host}{port}/{owner}/{repo}{ending}"]
    if host not in ("github.com", "gitlab.com"):
        ways += [
            f"http://{host}{port}/{owner}/{repo}{ending}",
            f"ssh://git@{host}{port}/{owner}/{repo}{ending}",
            f"file:///{owner}/{repo}{ending}",
        ]
        ways += [] if host.startswith("[") else [f"git@{host}:{owner}/{repo}{ending}"]
    git = Git(draw(st.sampled_from(ways)), draw(REFS), draw(PATHS))
    tail = draw(PATHS)
    return Git(git.url, tail=tail) if tail and not git.ref and not git.path else git


SOURCES: st.SearchStrategy[Source] = st.one_of(
    repositories(),
    st.builds(Web, st.builds("https://{}{}/{}.md".format, HOSTS, PORTS, WORDS)),
    st.builds(
        Hub, WORDS, NAMES, st.one_of(st.just(""), WORDS), st.sampled_from(["", "h.example:8"])
    ),
    st.builds(Bundled, NAMES),
    st.builds(Local, st.builds("/{}".format, PATHS)),
)


@given(SOURCES)
def test_what_is_printed_is_read_back(source: Source) -> None:
    assert parse_source(str(source)) == source


@given(st.text(max_size=200))
def test_what_is_read_from_any_text_can_be_printed_and_read_again(text: str) -> None:
    for parse in (parse_source, parse_request):
        with suppress(UsageError):
            address = parse(text)
            assert parse(str(address)) == address


PIECES = st.sampled_from(
    ["https://", "http://", "ssh://", "file:///", "git+", "github.com", "gitlab.com",
    "host.example",
     "gist.github.com", "/o/r", "/-/tree/", "/tree/", "/blob/", "/raw/", "/skills/", "/packages/",
     "@a/b", "@", ":", "#", "?", "%2e", "%23", "%3F", "%25", "%2f", "%00", "..", ".", "/", "\\",
     "-",
     "~", ".git", ".md", ".zip", "0" * 40, "a1" * 10, "[::1]", ":8080", "ext::", "é", " ",
     "user:pw"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=9).map("".join))
def test_addresses_put_together_from_their_parts_round_trip_or_are_refused(text: str) -> None:
    try:
        source = parse_source(text)
    except UsageError:
        return
    assert parse_source(str(source)) == source
    if isinstance(source, Git | Web):
        assert not source.url.startswith("-")
        assert "\\" not in source.url
        assert source.url.isprintable()
        authority = source.url.partition("://")[2].partition("/")[0]
        assert "@" not in authority or source.url.startswith("ssh://")
        assert not authority.startswith("-")
    if isinstance(source, Git):
        assert ".." not in source.path.split("/")
        assert ".." not in source.tail.split("/")
