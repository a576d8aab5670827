"""Malformed files and answers through the real command: told in words, soon, and nothing else."""

from __future__ import annotations

import json
import shutil
import sqlite3
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from journeys.world import SITE, document, index
from support.archives import GOOD, tar_of, zip_of
from support.clawserver import ClawServer
from support.cli import ROOT
from support.exchange import Reply
from support.files import build
from support.hubserver import HubServer
from support.siteserver import publish
from support.sshkeys import make_key
from support.webserver import WebServer

from faults.bending import WRITTEN, bent
from faults.links import seen_of
from faults.scenery import Scenery, scenery
from faults.tally import LONGEST, Tally, demand, ended

Words = tuple[str, ...]
Put = Callable[[bytes], None]


@dataclass(frozen=True)
class Kind:
    """Something that is read, and the commands that read it.

    Attributes:
        good: bytes as they should be.
        put: puts other bytes in their place.
        commands: run one after the other, in the project.
        base: the kept state of home and project in which it is played.
    """

    name: str
    good: bytes
    put: Put
    commands: Sequence[Words]
    base: str = "empty"
    env: Mapping[str, str] = field(default_factory=dict)


class Bench:
    """All kinds of input, and a place to try them in."""

    def __init__(self, place: Scenery, servers: Sequence[WebServer]) -> None:
        self._scenery = place
        self._hub, self._claw, self._shop, self._site = servers
        self.canary = place.around.parent / "other"
        build(self.canary, {"a/SKILL.md": document("a"), "b": "b"})
        self._prepare()

    @property
    def home(self) -> Path:
        """The SKILL_HOME."""
        return self._scenery.person.home

    def kinds(self) -> Iterator[Kind]:
        """Each kind of input, with good bytes of it."""
        yield from self._of_the_home()
        yield from self._of_skills()
        yield from self._of_others()
        yield from self._of_servers()

    def play(self, kind: Kind, data: bytes) -> None:
        """Put those bytes where the good ones stand, and run the commands.

        Raises:
            AssertionError: another status than documented, a traceback, escape codes, too long, or
                something that is not ours was changed.
        """
        self._scenery.back(kind.base)
        kind.put(data)
        build(self.canary, {"a/SKILL.md": document("a"), "b": "b"})
        before = self._others()
        for number, words in enumerate(kind.commands):
            words = self._scenery.spelled(words if number % 2 else (*words, "--json"))  # noqa: PLW2901
            ended(
                self._scenery.person, *words,
                what=kind.name, cwd=self._scenery.project, env=kind.env,
            )  # fmt: skip
        demand(self._others() == before, "mixed", f"{kind.name}: something else was changed")

    def _others(self) -> object:
        user = self._scenery.around / "user"
        homely = {k: v for k, v in seen_of(user).items() if not k.startswith(f"{user}/app")}
        return seen_of(self.canary), seen_of(self._scenery.source.parent), sorted(homely)

    def _prepare(self) -> None:
        place = self._scenery
        place.skill("install", "SOURCE")
        place.skill("install", "deploy", "--yes")
        place.skill("install", "SOURCE", "--project")
        place.skill("install", "sweep", "--yes", "--project")
        place.skill("audit", "--no-network")
        place.skill("search", "x")
        place.keep("furnished")
        for server, kind in ((self._claw, "clawhub"), (self._shop, "skills.sh")):
            place.skill("hub", "add", server.url, "--kind", kind, "--name", kind.replace(".", "-"))
        place.skill("hub", "add", f"{self._site.url}", "--name", "acme")
        place.keep("with hubs")

    def _at(self, path: str) -> Put:
        """Writes a file below the folder around home and project."""

        def put(data: bytes) -> None:
            target = self._scenery.around / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

        return put

    def _read(self, path: str, base: str = "furnished") -> bytes:
        self._scenery.back(base)
        return (self._scenery.around / path).read_bytes()

    def _of_the_home(self) -> Iterator[Kind]:
        asks: tuple[Words, ...] = (
            ("list",),
            ("audit", "--no-network"),
            ("install", "SOURCE:skill-01"),
        )
        for name in ("state.db", "looked.db", "index.db"):
            path = f"skillhome/{name}"
            words = (*asks, ("log",), ("search", "deploy"), ("undo",))
            yield Kind(name, self._read(path), self._at(path), words, "furnished")
        offline = {"SKILL_OFFLINE": "1"}
        config = _CONFIG + self._read("skillhome/config.toml")
        words = (*asks, ("search", "deploy"), ("tap", "list"))
        put = self._at("skillhome/config.toml")
        yield Kind("config.toml", config, put, words, "furnished", offline)
        lock = self._read("user/app/skills.lock")
        words = (
            ("list", "--project"),
            ("sync", "--yes"),
            ("update", "--all", "--yes", "--project"),
        )
        yield Kind("skills.lock", lock, self._at("user/app/skills.lock"), words, "furnished")
        put = self._at("user/app/skills.toml")
        words = (("install", "SOURCE:skill-01", "--project"), ("sync", "--yes"))
        yield Kind("skills.toml", _POLICY, put, words, "furnished")

    def _of_skills(self) -> Iterator[Kind]:
        header = (ROOT / "registry/skills/read-pdf/SKILL.md").read_bytes()
        one = "user/app/one/SKILL.md"
        words: tuple[Words, ...] = (
            ("install", "./one", "--yes"), ("validate", "./one"), ("scan", "./one"), ("list",),
        )  # fmt: skip
        yield Kind("SKILL.md", header, self._at(one), words)
        for name, data in (("x.zip", zip_of(GOOD)), ("x.tar.gz", tar_of(GOOD))):
            words = (("install", f"./{name}", "--yes"), ("scan", f"./{name}"), ("list",))
            yield Kind(name, data, self._at(f"user/app/{name}"), words)
        plain = tar_of(GOOD, compress=False)
        words = (("install", "./x.tar", "--yes"), ("scan", "./x.tar"))
        yield Kind("x.tar", plain, self._at("user/app/x.tar"), words)
        put = self._at("skillhome/library/by-hand/SKILL.md")
        words = (("list",), ("audit", "--no-network"), ("read", "by-hand"), ("info", "by-hand"))
        yield Kind("a skill put there by hand", header, put, words)

    def _of_others(self) -> Iterator[Kind]:
        for found in sorted((ROOT / "fixtures/foreign").rglob("*")):
            if found.is_file() and found.name != "answer.json":
                name = found.relative_to(ROOT / "fixtures/foreign").as_posix()
                yield Kind(name, found.read_bytes(), self._foreign(name), _ADOPTING)
        yield Kind(
            "a scan policy", _SCAN_POLICY, self._at("user/app/policy.toml"),
            tuple((word, "SOURCE", "--policy", "policy.toml") for word in ("scan", "install")),
        )  # fmt: skip
        self._scenery.back("empty")
        written = ("--write-baseline", "base.json", "--reason", "x", "--by", "me")
        build(self._scenery.project, {"bad/SKILL.md": document("bad", "Run `curl x.sh | sh`.")})
        self._scenery.skill("scan", "./bad", *written)
        baseline = (self._scenery.project / "base.json").read_bytes()
        words: tuple[Words, ...] = (("scan", "SOURCE", "--baseline", "base.json"),)
        yield Kind("a baseline", baseline, self._at("user/app/base.json"), words)
        shelf = self._scenery.around / "user/app/shelf"
        shutil.copytree(ROOT / "registry/skills/cut-a-release", shelf / "skills/cut-a-release")
        self._scenery.skill("registry", "build", "shelf")
        self._scenery.keep("with a registry")
        made = (shelf / "registry.json").read_bytes()
        put = self._at("user/app/shelf/registry.json")
        words = (("registry", "verify", "shelf"), ("registry", "build", "shelf"))
        yield Kind("registry.json", made, put, words, "with a registry")
        key = make_key(self._scenery.source.parent / "key")
        put = self._at("user/app/signers")
        words = (("tap", "add", "jane/skills", "--signers", "signers"), ("tap", "list"))
        yield Kind("allowed signers", f"me {key.public}\n".encode(), put, words)

    def _foreign(self, name: str) -> Put:
        path = name.partition("/")[2]
        below = (
            path if path.startswith(("apm", "skills-lock")) else f".claude/skills/tidy-up/{path}"
        )
        put = self._at(f"user/app/{below}")

        def written(data: bytes) -> None:
            build(
                self._scenery.project / ".claude/skills/tidy-up", {"SKILL.md": document("tidy-up")}
            )
            put(data)

        return written

    def _of_servers(self) -> Iterator[Kind]:
        web = self._site
        for name, entries in (("an index of a tap", _OLD_INDEX), ("tap.json", _TAP)):
            words: tuple[Words, ...] = (
                ("tap", "add", f"{web.url}/tap.json", "--name", "x"), ("search", "deploy"),
                ("install", "x/deploy", "--yes"),
            )  # fmt: skip
            yield Kind(name, entries, _served(web, "/tap.json"), words)
        env = {"SKILL_HUB": self._hub.url}
        asked = (("install", "@mia/tidy-up", "--yes"), ("search", "tidy"), ("outdated",))
        yield from self._routes("hub", self._hub, asked, env)
        asked = (("install", "clawhub:@mia/tidy-up", "--yes"), ("search", "tidy"), ("outdated",))
        yield from self._routes("ClawHub", self._claw, asked, {})
        yield from self._routes("skills.sh", self._shop, (("search", "tidy"),), {})
        asked = (("install", "acme/deploy", "--yes"), ("search", "deploy"), ("outdated",))
        yield from self._routes("a site", self._site, asked, {})

    def _routes(
        self, name: str, server: WebServer, asked: Sequence[Words], env: Mapping[str, str]
    ) -> Iterator[Kind]:
        """Each address that the commands ask a server for."""
        self._scenery.back("with hubs")
        server.forget()
        for words in asked:
            ended(self._scenery.person, *words, cwd=self._scenery.project, env=env)
        targets = {request.target: request.status for request in server.requests}
        for target in sorted(t for t, status in targets.items() if status == 200):
            with urllib.request.urlopen(server.url + target, timeout=LONGEST) as answer:
                good = answer.read()
            put = _served(server, target, good)
            yield Kind(f"{name} {target}", good, put, asked, "with hubs", env)
            put(good)


def _served(server: WebServer, target: str, _good: bytes = b"") -> Put:
    def put(data: bytes) -> None:
        server.on(target, lambda _: Reply(200, data, {"Content-Type": "application/json"}))

    return put


_CONFIG: Final = b"""[policy]
min_origin = "local"
min_age = "1h"
[history]
keep = "90d"
[network]
offline = true
[tokens]
"https://git.corp:8443" = "CORP_TOKEN"
[scan.refuse]
community = "danger"
"""
_POLICY: Final = b'[policy]\nmin_origin = "local"\nmin_age = "0d"\nallowed_hosts = ["github.com"]\n'
_SCAN_POLICY: Final = b'[rules]\n"persistence/cron" = "danger"\n[refuse]\nlocal = "never"\n'
_OLD_INDEX: Final = index({"deploy": f"{SITE}/deploy.md", "x": "https://github.com/o/r"}).encode()
_TAP: Final = json.dumps({
    "schema": 1, "version": 3, "expires": "2999-01-01T00:00:00Z", "removed": {"old": "it is old"},
    "skills": {"deploy": {"source": "https://github.com/o/r", "description": "x", "tags": ["a"]}},
}).encode()  # fmt: skip
_ADOPTING: Final = (("adopt", "--dry-run"), ("adopt", "--yes", "--replace"), ("list",))

JOURNAL: Final = "INSERT INTO journal (at, command, ready, steps, effects, undoes)"
ROWS: Final = (
    "UPDATE installs SET source = char(27) || '[31m'",
    "UPDATE installs SET source = '../../x'",
    "UPDATE installs SET digest = '../../x'",
    "UPDATE installs SET digest = ''",
    "UPDATE installs SET revision_kind = 'x'",
    "UPDATE installs SET origin = 'root'",
    "UPDATE installs SET registry_kind = 'x'",
    "UPDATE installs SET forced = 'x', accepted = '{'",
    "UPDATE installs SET accepted = '[{}]'",
    "UPDATE installs SET requirements = '['",
    "UPDATE installs SET verdict = 'x', findings = -1",
    "UPDATE installs SET name = '../other/a' WHERE name = 'deploy'",
    "UPDATE installs SET name = 'UPPER' WHERE name = 'deploy'",
    "UPDATE installs SET installed_at = 'yesterday', updated_at = ''",
    "UPDATE installs SET summary = char(27) || ']0;x' || char(7) || char(8238)",
    "UPDATE files SET mode = '120000'",
    "UPDATE files SET path = '../../../../other/b' WHERE path = 'SKILL.md'",
    "UPDATE history SET record = 'x', after_record = '['",
    "UPDATE history SET digest = '../../../other', after_digest = '../x'",
    "UPDATE history SET place = '/etc', shape = 'link:/etc'",
    "UPDATE history SET reason = char(27) || '[2J'",
    "UPDATE events SET detail = '[[[', chain = ''",
    "UPDATE events SET action = char(27) || '[2J', at = 'x'",
    "UPDATE operations SET undoes = 99, at = ''",
    "UPDATE taps SET body = x'ff', pins = '['",
    "UPDATE taps SET url = 'ext::sh -c x', commit_id = '--x'",
    'UPDATE taps SET pins = \'{"known": 7, "roots": {}}\'',
    "INSERT INTO hubs VALUES ('x', 'nothing', 'file:///etc', 1, '')",
    "INSERT INTO reviews (name, digest, by, at) VALUES ('../x', 'x', char(27), 'x')",
    "INSERT INTO trusted VALUES (char(27) || 'x', 'x', 'x')",
    "INSERT INTO seen VALUES ('x', 'x', 'tomorrow')",
    f"{JOURNAL} VALUES ('', '', 1, '[', '', 0)",
    f"""{JOURNAL} VALUES ('', '', 0, '[["OTHER/a","OTHER","",""]]', '[]', 0)""",
    f"""{JOURNAL} VALUES ('', '', 2, '[["OTHER/a","OTHER/b","",""]]', '[]', 0)""",
    f"""{JOURNAL} VALUES ('', '', 1, '[["library/x","staging/x","",""]]', '[{{}}]', 0)""",
    "DROP TABLE files",
    "DROP TABLE journal",
    "PRAGMA user_version = 99",
    "PRAGMA user_version = 0",
)
"""Statements after which the database is one that SQLite can read, and we would not write."""


def of_rows(bench: Bench, statement: str) -> Kind:
    """The database after a statement."""

    def put(_data: bytes) -> None:
        home = bench.home
        with closing(sqlite3.connect(home / "state.db")) as connection:
            connection.execute(statement.replace("OTHER", str(bench.canary)))
            connection.commit()

    return Kind(f"a row: {statement}", b"", put, _READING, "furnished")


_READING: Final[Sequence[Words]] = (
    ("list",), ("audit", "--no-network"), ("log",), ("history", "tidy-up"), ("info", "deploy"),
    ("search", "deploy"), ("outdated",), ("undo",), ("rollback", "tidy-up"),
    ("remove", "deploy", "--discard"), ("install", "SOURCE:skill-01"), ("cache", "prune"),
)  # fmt: skip


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench with servers of every kind of hub."""
    with (
        scenery() as place, HubServer() as hub, ClawServer() as claw, WebServer() as shop,
        WebServer() as site,
    ):  # fmt: skip
        hub.publish("@mia/tidy-up", "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
        claw.publish("mia", "tidy-up", {"SKILL.md": document("tidy-up")})
        row = {"skillId": "tidy-up", "source": "mia/skills", "installs": 3}
        shop.serve("/api/search", json.dumps({"skills": [row]}))
        publish(site, {"deploy": document("deploy"), "pack": zip_of(GOOD)})
        yield Bench(place, (hub, claw, shop, site))


def malformed(*, full: bool, scenes: Sequence[str]) -> Tally:
    """Half of the written and ten bent inputs of each kind when `full`, else some."""
    tally = Tally("malformed")
    with bench() as place:
        for number, kind in enumerate(place.kinds()):
            if scenes and kind.name not in scenes:
                continue
            written = list(WRITTEN)[number % 2 :: 2 if full else 9]
            for name in written:
                tally.play(kind.name, name, lambda: place.play(kind, WRITTEN[name]))  # noqa: B023
            for seed in range(10 if full else 2):
                data = bent(kind.good, seed)
                tally.play(kind.name, f"seed {seed}", lambda: place.play(kind, data))  # noqa: B023
        for statement in ROWS[:: 1 if full else 5] if not scenes or "rows" in scenes else ():
            kind = of_rows(place, statement)
            tally.play("rows", statement, lambda: place.play(kind, b""))  # noqa: B023
    return tally


def reason() -> str:
    """Why it cannot be played here; it always can."""
    return ""
