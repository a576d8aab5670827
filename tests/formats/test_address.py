"""Every spelling of an address that people paste: what it means, and that it round-trips."""

from __future__ import annotations

import pytest

from skillpm.errors import UsageError
from skillpm.formats.address import (
    derived_name,
    is_plain,
    parse_registry_source,
    parse_request,
    parse_source,
    tap_url,
)
from skillpm.model.address import (
    Address,
    Bundled,
    Git,
    Hub,
    Local,
    Named,
    Site,
    Source,
    Tapped,
    Unknown,
    Web,
)
from skillpm.model.name import SkillName

SHA = "0123456789abcdef0123456789abcdef01234567"
GH = "https://github.com/o/r"
GIST = "https://gist.github.com/aa11bb22cc33dd44ee55.git"
NAME = SkillName("read-pdf")

SOURCES: dict[str, Source] = {
    # owner/repo and GitHub
    "o/r": Git(GH),
    "o/r.git": Git(GH),
    "o/r#v1": Git(GH, "v1"),
    "o/r#v1:skills/x": Git(GH, "v1", "skills/x"),
    "o/r#:skills/x": Git(GH, "", "skills/x"),
    "https://github.com/o/r": Git(GH),
    "https://github.com/o/r/": Git(GH),
    "https://github.com/o/r.git": Git(GH),
    "HTTPS://GitHub.com/o/r": Git(GH),
    "https://www.github.com/o/r": Git(GH),
    "http://github.com/o/r": Git(GH),
    "https://github.com/o/r#feature/x": Git(GH, "feature/x"),
    "https://github.com/o/r/tree/main": Git(GH, tail="main"),
    "https://github.com/o/r/tree/main/skills/x": Git(GH, tail="main/skills/x"),
    "https://github.com/o/r/tree/feature/a/b": Git(GH, tail="feature/a/b"),
    "https://github.com/o/r/blob/main/x/SKILL.md": Git(GH, tail="main/x/SKILL.md"),
    "https://github.com/o/r/blob/main/x.md?plain=1#L3": Git(GH, tail="main/x.md"),
    "https://github.com/o/r/raw/main/x.md": Git(GH, tail="main/x.md"),
    "https://github.com/o/r/tree/main/with%20space": Git(GH, tail="main/with space"),
    f"https://github.com/o/r/tree/{SHA}/x": Git(GH, SHA, "x"),
    f"https://github.com/o/r/blob/{SHA}/x.md": Git(GH, SHA, "x.md"),
    "https://raw.githubusercontent.com/o/r/main/x.md": Git(GH, tail="main/x.md"),
    f"https://raw.githubusercontent.com/o/r/{SHA}/a/x.md": Git(GH, SHA, "a/x.md"),
    "https://raw.githubusercontent.com/o/r/refs/heads/main/x.md": Git(
        GH, tail="refs/heads/main/x.md"
    ),
    "https://github.com/o/r/archive/refs/heads/main.zip": Web(
        "https://github.com/o/r/archive/refs/heads/main.zip"
    ),
    "https://github.com/o/r/releases/download/v1/x.tar.gz": Web(
        "https://github.com/o/r/releases/download/v1/x.tar.gz"
    ),
    "https://codeload.github.com/o/r/zip/main": Web("https://codeload.github.com/o/r/zip/main"),
    # GitLab, with groups inside groups, also self-hosted
    "https://gitlab.com/g/p": Git("https://gitlab.com/g/p.git"),
    "https://gitlab.com/g/s/p": Git("https://gitlab.com/g/s/p.git"),
    "https://gitlab.com/g/s/p.git": Git("https://gitlab.com/g/s/p.git"),
    "https://gitlab.com/g/p#v1:x": Git("https://gitlab.com/g/p.git", "v1", "x"),
    "https://gitlab.com/g/s/p/-/tree/main/x": Git("https://gitlab.com/g/s/p.git", tail="main/x"),
    "https://gitlab.com/g/s/p/-/blob/main/x.md": Git(
        "https://gitlab.com/g/s/p.git", tail="main/x.md"
    ),
    f"https://gitlab.com/g/p/-/raw/{SHA}/x.md": Git("https://gitlab.com/g/p.git", SHA, "x.md"),
    "https://git.firm.example/g/p/-/tree/main/x": Git(
        "https://git.firm.example/g/p.git", tail="main/x"
    ),
    "https://gitlab.com/g/p/-/archive/main/p.zip": Web(
        "https://gitlab.com/g/p/-/archive/main/p.zip"
    ),
    # gists
    "https://gist.github.com/me/aa11bb22cc33dd44ee55": Git(GIST),
    "https://gist.github.com/aa11bb22cc33dd44ee55": Git(GIST),
    "https://gist.github.com/aa11bb22cc33dd44ee55.git": Git(GIST),
    "https://gist.github.com/me/aa11bb22cc33dd44ee55#file-read-pdf-md": Git(
        GIST, "", "file-read-pdf-md"
    ),
    f"https://gist.github.com/me/aa11bb22cc33dd44ee55/{SHA}": Git(GIST, SHA),
    f"https://gist.github.com/me/aa11bb22cc33dd44ee55/{SHA}#file-x-md": Git(GIST, SHA, "file-x-md"),
    "https://gist.github.com/me/aa11bb22cc33dd44ee55/raw": Git(GIST),
    "https://gist.githubusercontent.com/me/aa11bb22cc33dd44ee55/raw/x.md": Git(GIST, "", "x.md"),
    f"https://gist.githubusercontent.com/me/aa11bb22cc33dd44ee55/raw/{SHA}/x.md": Git(
        GIST, SHA, "x.md"
    ),
    # any git
    "git@host.example:o/r.git": Git("git@host.example:o/r.git"),
    "git@host.example:o/r.git#v1:x": Git("git@host.example:o/r.git", "v1", "x"),
    "ssh://git@host.example/o/r.git": Git("ssh://git@host.example/o/r.git"),
    "ssh://git@host.example:2222/o/r#v1": Git("ssh://git@host.example:2222/o/r", "v1"),
    "ssh://host.example/o/r": Git("ssh://host.example/o/r"),
    "https://host.example/o/r.git": Git("https://host.example/o/r.git"),
    "https://host.example/o/r": Unknown("https://host.example/o/r"),
    "https://host.example:8443/o/r#v1:a b": Git("https://host.example:8443/o/r", "v1", "a b"),
    "git+https://host.example/o/r.zip": Git("https://host.example/o/r.zip"),
    "git+ssh://git@host.example/o/r": Git("ssh://git@host.example/o/r"),
    "git+http://127.0.0.1:8080/o/r": Git("http://127.0.0.1:8080/o/r"),
    "http://127.0.0.1:8080/o/r.git": Git("http://127.0.0.1:8080/o/r.git"),
    "https://[2001:db8::1]:8443/o/r.git": Git("https://[2001:db8::1]:8443/o/r.git"),
    "git+https://host.example/a%23b/c%3Fd": Git("https://host.example/a%23b/c%3Fd"),
    "https://host.example/a%2523b.git": Git("https://host.example/a%2523b.git"),
    "https://codeberg.org/o/r": Git("https://codeberg.org/o/r.git"),
    "https://codeberg.org/o/r/src/branch/a/b/skills/x": Git(
        "https://codeberg.org/o/r.git", tail="refs/heads/a/b/skills/x"
    ),
    "https://git.firm.example/o/r/src/tag/v1/x.md": Git(
        "https://git.firm.example/o/r.git", tail="refs/tags/v1/x.md"
    ),
    f"https://git.firm.example/o/r/raw/commit/{SHA}/x.md": Git(
        "https://git.firm.example/o/r.git", SHA, "x.md"
    ),
    "https://bitbucket.org/o/r": Git("https://bitbucket.org/o/r.git"),
    "https://bitbucket.org/o/r/src/main/skills/x": Git(
        "https://bitbucket.org/o/r.git", tail="main/skills/x"
    ),
    "https://git.firm.example/projects/KEY/repos/r/browse/skills/x?at=refs%2Fheads%2Fmain": Git(
        "https://git.firm.example/scm/key/r.git", "refs/heads/main", "skills/x"
    ),
    "https://dev.azure.com/o/p/_git/r": Git("https://dev.azure.com/o/p/_git/r"),
    "https://o@dev.azure.com/o/p/_git/r": Git("https://dev.azure.com/o/p/_git/r"),
    "https://dev.azure.com/o/p/_git/r?path=/skills/x&version=GBmain": Git(
        "https://dev.azure.com/o/p/_git/r", "refs/heads/main", "skills/x"
    ),
    "https://o.visualstudio.com/p/_git/r?path=%2Fx&version=GTv1": Git(
        "https://o.visualstudio.com/p/_git/r", "refs/tags/v1", "x"
    ),
    "https://git.sr.ht/~u/r": Git("https://git.sr.ht/~u/r"),
    "https://git.sr.ht/~u/r/tree/main/item/skills/x": Git(
        "https://git.sr.ht/~u/r", "main", "skills/x"
    ),
    "https://git.firm.example/o/r/tree/main/skills/x": Unknown(
        "https://git.firm.example/o/r/tree/main/skills/x"
    ),
    "https://host.example/o/r#main:x": Git("https://host.example/o/r", "main", "x"),
    # shorthand
    "o/r/skills/x": Git("https://github.com/o/r", path="skills/x"),
    "o/r/skills/x#v1": Git("https://github.com/o/r", "v1", "skills/x"),
    "o/r@x": Git("https://github.com/o/r", pick="x"),
    "o/r@feature/x": Git("https://github.com/o/r", pick="feature/x"),
    "https://github.com/o/r#@x": Git("https://github.com/o/r", pick="x"),
    # sites
    "https://host.example/.well-known/agent-skills/index.json": Unknown(
        "https://host.example/.well-known/agent-skills/index.json"
    ),
    "https://host.example/.well-known/skills/index.json#x": Site(
        "https://host.example/.well-known/skills/index.json", SkillName("x")
    ),
    # packages of other registries
    "https://host.example/x/-/x-1.0.0.tgz": Web("https://host.example/x/-/x-1.0.0.tgz"),
    "file:///srv/r.git": Git("file:///srv/r.git"),
    "file:///srv/r": Git("file:///srv/r"),
    "file:///srv/with%20space/r": Git("file:///srv/with%20space/r"),
    "git+file:///srv/r.zip": Git("file:///srv/r.zip"),
    # the web
    "https://host.example/x.md": Web("https://host.example/x.md"),
    "https://host.example/x.md?token=1&b=2": Web("https://host.example/x.md?token=1&b=2"),
    "https://host.example/x.md#part": Web("https://host.example/x.md"),
    "https://host.example/a%20b.zip": Web("https://host.example/a%20b.zip"),
    "https://Host.Example/X.TAR.GZ": Web("https://host.example/X.TAR.GZ"),
    "https://host.example/download?id=7": Unknown("https://host.example/download?id=7"),
    "https://host.example/": Unknown("https://host.example/"),
    "http://localhost:8000/x.md": Web("http://localhost:8000/x.md"),
    "https://host.example/index.json": Web("https://host.example/index.json"),
    # this machine
    "/srv/skill": Local("/srv/skill"),
    "./skill": Local("./skill"),
    "../skill": Local("../skill"),
    "~/skill": Local("~/skill"),
    ".": Local("."),
    "..": Local(".."),
    "x.md": Local("./x.md"),
    "x.zip": Local("./x.zip"),
    "file:///srv/x.md": Local("/srv/x.md"),
    "file:///srv/a%20b.zip": Local("/srv/a b.zip"),
    # hubs and the bundled registry
    "@jhonathas/read-pdf": Hub("jhonathas", NAME),
    "@Jhonathas/read-pdf@1.2.0": Hub("jhonathas", NAME, "1.2.0"),
    "https://hub.pepe-agent.com/skills/@me/read-pdf": Hub("me", NAME, "", "hub.pepe-agent.com"),
    "https://hub.pepe-agent.com/packages/@me/read-pdf@2": Hub(
        "me", NAME, "2", "hub.pepe-agent.com"
    ),
    "https://hub.pepe-agent.com/skills/@me/read-pdf?tab=x#y": Hub(
        "me", NAME, "", "hub.pepe-agent.com"
    ),
    "http://127.0.0.1:9/skills/@me/read-pdf": Hub("me", NAME, "", "127.0.0.1:9"),
    "bundled:read-pdf": Bundled(NAME),
}

REQUESTS: dict[str, Address] = {
    "read-pdf": Named(NAME),
    "team/read-pdf": Tapped("team", "read-pdf"),
    "owner/Repo.x": Tapped("owner", "Repo.x"),
    "@me/read-pdf": Hub("me", NAME),
    "./read-pdf": Local("./read-pdf"),
    "https://host.example/x.md": Web("https://host.example/x.md"),
    "git@host.example:o/r": Git("git@host.example:o/r"),
}

REFUSED = [
    "", " ", "a" * 3_000, " o/r", "o/r ", "o/r\n", "o/\x1br", "o/r\u202e", "a b",
    # user names and passwords
    "https://user@host.example/r.git", "https://user:pw@host.example/r.git",
    "https://github.com@evil.example/x", "https://token@github.com/o/r",
    "http://:@host.example/x.md",
    "ssh://git:pw@host.example/r", "git+https://x@host.example/r",
    # backslashes, IDN, bad hosts and ports
    "https://host.example\\@evil.example/x", "https://host.example/a\\b", "C:\\skills\\x",
    "https://h\u00f6st.example/x.md", "https://\u0430pple.example/x", "https://host_x/x.md",
    "https:///x.md", "https://", "https://-host/x.md", "https://host.example:99999/x.md",
    "https://host.example:0/x.md", "https://host.example:/x.md", "https://host.example:8x/x.md",
    "https://[::1/x.md", "https://[::1]80/x.md", "https://[:::::]/x.md", "https://[a]/x.md",
    "https://a..b/x.md", "https://host.example?x=1",
    # what git would run or take for an option
    "ext::sh -c id", "ext::sh", "fd::17", "-uhttps://host.example/x", "--upload-pack=touch x",
    "-u./payload", "ssh://-oProxyCommand=id/x", "ssh://-o@host.example/x", "git@-oProxy:x",
    "-x@host.example:o/r", "git@host.example:-x", "https://host.example/-x", "file:///srv/-x",
    # other schemes
    "ftp://host.example/x.md", "data:text/plain,x", "javascript:x", "file://host.example/x",
    "file://c:/x", "git+ext://x", "git+git+https://host.example/r",
    # climbing
    "https://host.example/../x", "https://host.example/%2e%2e/x",
    "https://host.example/a/./x", "https://github.com/o/r/tree/main/../x", "o/r#:../x", "o/r#a..b",
    "o/r#-x", "o/..", "../o/r\0", "@a/..", "@../a", "@a/b/c", "@a", "@/b", "@a/B", "@a/CON",
    "@a/b@",
    "@a/b@../1", "@a..b/c", "@\u212a/read-pdf", "o/\u0440epo", "\u043eg@host.example:r",
    "https://github.com/o/r/issues/1", "https://gist.github.com/me/not-a-gist", "bundled:..",
    "https://host.example/%ff", "https://host.example/a%00b", "https://host.example/a%0ab",
]  # fmt: skip


@pytest.mark.parametrize("text", SOURCES)
def test_a_source_means_what_its_page_shows(text: str) -> None:
    assert parse_source(text) == SOURCES[text]


@pytest.mark.parametrize("text", SOURCES)
def test_a_printed_source_is_read_back_as_the_same(text: str) -> None:
    source = parse_source(text)
    assert parse_source(str(source)) == source
    assert str(parse_source(str(source))) == str(source)


@pytest.mark.parametrize("text", REQUESTS)
def test_a_request_is_a_name_or_an_address_and_round_trips(text: str) -> None:
    assert parse_request(text) == REQUESTS[text]
    assert parse_request(str(REQUESTS[text])) == REQUESTS[text]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_address_is_a_usage_error_in_plain_ascii(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_source(text)
    for said in (caught.value.message, caught.value.hint):
        assert said.isprintable()
        assert len(said) < 4_000
    with pytest.raises(UsageError):
        parse_registry_source(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "..", "../../evil", ".", "CON", "con", "A", "Read-PDF", "x" * 65, "a/..", "../a",
        "a/../b",
        "\u0430bc", "-rf", "--force", "a--b", "@a/..", "a\0", "name ", "a/b/../c",
    ],
)  # fmt: skip
def test_a_request_that_is_no_name_touches_nothing(text: str) -> None:
    with pytest.raises(UsageError):
        parse_request(text)


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd", "./x", "../x", "~/x", "x.md", "file:///srv/r.git", "git+file:///srv/r",
        "file:///srv/x.md", "bundled:read-pdf", "http://host.example/x.md", "git://host.example/r",
        "http://host.example/r.git", "git+http://host.example/r", "http://127.0.0.1/x.zip",
    ],
)  # fmt: skip
def test_a_registry_may_not_name_this_machine_or_plain_http(text: str) -> None:
    with pytest.raises(UsageError, match="a registry may not name"):
        parse_registry_source(text)


@pytest.mark.parametrize(
    "text", ["o/r", "https://github.com/o/r/tree/main/x", "https://host.example/x.tar.gz", "@a/b"]
)
def test_a_registry_may_name_what_anyone_can_fetch(text: str) -> None:
    assert parse_registry_source(text) == parse_source(text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("o/r", "https://github.com/o/r"),
        ("https://github.com/your-team/skills", "https://github.com/your-team/skills"),
        ("https://github.com/o/r/tree/main", "https://github.com/o/r#~main"),
        ("https://host.example/r.git", "https://host.example/r.git"),
        ("https://host.example/index.json", "https://host.example/index.json"),
        ("file:///srv/tap", "git+file:///srv/tap"),
        ("git@host.example:o/r", "git@host.example:o/r"),
    ],
)
def test_a_tap_is_a_repository_or_an_index(text: str, url: str) -> None:
    assert tap_url(text) == url
    assert tap_url(url) == url


@pytest.mark.parametrize("text", ["./x", "/srv/tap", "@a/b", "bundled:x", "..", "name"])
def test_what_is_no_tap_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        tap_url(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [("http://h/x.md", True), ("git://h/r", True), ("https://h/x.md", False), ("o/r", False)],
)
def test_unencrypted_sources_are_told(text: str, plain: bool) -> None:
    assert is_plain(parse_source(text)) is plain


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("o/read-pdf", "read-pdf"), ("o/r#v1:skills/read-pdf", "read-pdf"), ("o/Read-PDF",
        "read-pdf"),
        ("https://github.com/o/r/blob/main/read-pdf/SKILL.md", "read-pdf"), ("./x/read-pdf/",
        "read-pdf"),
        ("https://h.example/read-pdf.md?x=1", "read-pdf"), ("https://h.example/read-pdf.tar.gz",
        "read-pdf"),
        ("@me/read-pdf@1", "read-pdf"), ("bundled:read-pdf", "read-pdf"), ("..", ""), ("/", ""),
        ("https://h.example/", ""), ("o/r_x", ""), ("./SKILL.md", ""), ("https://h.example/con.md",
        ""),
    ],
)  # fmt: skip
def test_an_address_suggests_a_name_only_when_it_is_one(text: str, name: str) -> None:
    assert derived_name(parse_source(text)) == name


@pytest.mark.parametrize("text", ["skills", "PDF", "name"])
def test_a_hint_with_a_spelling_can_be_typed(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_source(text)
    if "'" in caught.value.hint:
        assert parse_source(caught.value.hint.split("'")[1])


def test_a_host_in_other_letters_is_shown_in_ascii() -> None:
    with pytest.raises(UsageError, match="usable host name") as caught:
        parse_source("https://\u0430pple.example/x.md")
    assert "xn--" in caught.value.hint
