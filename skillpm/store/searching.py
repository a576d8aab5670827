"""Searching half a million names without a network: a full-text index that is derived.

Each registry has tables of its own, with its entries in the order of equal matches (trusted
first, then by name). So a registry is replaced by making its tables anew, a search reads its
matches in their final order and stops when it has enough, and filters by registry cost nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Any, Final

from skillpm.edges.database import Database, Row
from skillpm.model.provenance import Origin
from skillpm.store import wording

MIGRATIONS: Final = (
    """CREATE TABLE registry
       (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL)""",
)
COUNTED: Final = 1000  # matches are counted so far, then "at least"
MAX_WORDS: Final = 16
MAX_KNOWN: Final = 20_000  # name words of one registry, the commonest, that a typo is corrected to
CHUNK: Final = 2000

_TABLES: Final = (
    """CREATE TABLE entry_N (id INTEGER PRIMARY KEY, place INTEGER, name TEXT, reference TEXT,
       description TEXT, version TEXT, trust TEXT, source TEXT, owner TEXT, tags TEXT)""",
    # this tokenizer splits at what ASCII has besides letters and digits: marks stay in a term
    """CREATE VIRTUAL TABLE term_N USING fts5(terms, content='', detail=none, columnsize=0,
       tokenize=ascii)""",
    "INSERT INTO term_N (term_N, rank) VALUES ('hashsize', 4194304), ('automerge', 0)",
    "CREATE TABLE known_N (id INTEGER PRIMARY KEY, word TEXT, count INTEGER)",
    "CREATE TABLE key_N (key INTEGER, word INTEGER, PRIMARY KEY (key, word)) WITHOUT ROWID",
)
_DROPPED: Final = ("entry_N", "term_N", "known_N", "key_N")
_INDEX: Final = "CREATE INDEX name_N ON entry_N (replace(name, '-', ''))"

_STAGED: Final = """CREATE TEMP TABLE staged (place INTEGER, name TEXT, reference TEXT,
    description TEXT, version TEXT, trust TEXT, source TEXT, owner TEXT, tags TEXT)"""
_SORTED: Final = """CREATE TEMP TABLE sorted AS
    SELECT rowid AS at FROM staged ORDER BY place, name, reference, rowid"""
_IN_ORDER: Final = """SELECT sorted.rowid, staged.* FROM sorted CROSS JOIN staged
    ON staged.rowid = sorted.at ORDER BY sorted.rowid"""

_LISTED: Final = "SELECT id FROM entry_N ORDER BY id LIMIT ?"
_MATCHED: Final = "SELECT rowid FROM term_N WHERE term_N MATCH ? ORDER BY rowid LIMIT ?"
_SPELLED: Final = """SELECT id FROM term_N JOIN entry_N ON id = term_N.rowid
    WHERE term_N MATCH ? AND reference = ? ORDER BY term_N.rowid LIMIT ?"""
_EXACT: Final = """SELECT id FROM entry_N AS entry
    WHERE replace(name, '-', '') = ? AND ? IN (name, '') AND (? = '' OR EXISTS
        (SELECT 1 FROM term_N WHERE term_N MATCH ? AND rowid = entry.id))
    ORDER BY id LIMIT ?"""

_TRUSTED: Final = (Origin.BUILTIN.value, Origin.OFFICIAL.value)
_BETWEEN: Final = "\x1f"  # two tags of an entry

_Found = tuple[int, int]  # registry, entry


@dataclass(frozen=True, slots=True)
class Indexed:
    """One entry of a registry, as it is searched and shown.

    Attributes:
        reference: the spelling that installs it, and no other.
        trust: `builtin`, `official`, `community` or `local`.
        registry: `bundled`, `tap:acme` or `hub:host`.
    """

    name: str
    reference: str
    description: str = ""
    version: str = ""
    trust: str = Origin.COMMUNITY.value
    registry: str = ""
    source: str = ""
    owner: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    Attributes:
        words: any text; every word of it must match, up to 16. "" lists everything.
        trust: one of these; any when empty.
        registry: one of these, `tap` and `hub` standing for all of their kind; any when empty.
        tag: all of these.
        page: from 1.
    """

    words: str = ""
    trust: tuple[str, ...] = ()
    registry: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    limit: int = 20
    page: int = 1


@dataclass(frozen=True, slots=True)
class Page:
    """A page of matches, best first.

    Attributes:
        total: how many match; at least so many when it is not `exact`.
        corrected: the words that were searched instead of mistyped ones; "" when none were.
    """

    total: int
    entries: tuple[Indexed, ...]
    exact: bool = True
    corrected: str = ""


@dataclass(frozen=True, slots=True)
class _Tier:
    """A statement for equally good matches.

    Attributes:
        values: of the statement, but for the limit.
        counts: whether it finds what no other tier does, so that it is needed for the total.
    """

    sql: str
    values: tuple[str, ...] = ()
    counts: bool = False


class SearchIndex:
    """The index of `index.db`.

    Everything in it can be made again, so a damaged file (StateError) is deleted by the caller.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        database.rows("PRAGMA cache_size=-16000")
        database.rows("PRAGMA journal_size_limit=4000000")

    def stamp(self, registry: str) -> str:
        """What the entries of a registry were built from; "" when it is not in the index."""
        rows = self._database.rows("SELECT stamp FROM registry WHERE name = ?", (registry,))
        return str(rows[0]["stamp"]) if rows else ""

    def replace(self, registry: str, stamp: str, entries: Iterable[Indexed]) -> None:
        """Put these entries in the place of all that the registry had: all of them or none.

        Whatever the iterable raises leaves the index as it was.
        """
        with self._database.transaction() as connection:
            connection.execute(_STAGED)
            connection.executemany(
                "INSERT INTO staged VALUES (?,?,?,?,?,?,?,?,?)", map(_staged, entries)
            )
            _drop(connection, registry)
            number = connection.execute(
                "INSERT INTO registry (name, stamp) VALUES (?, ?)", (registry, stamp)
            ).lastrowid
            for statement in _TABLES:
                connection.execute(_of(number, statement))
            _fill(connection, number)

    def forget(self, keep: Collection[str]) -> None:
        """Remove every registry but these."""
        with self._database.transaction() as connection:
            for row in connection.execute("SELECT name FROM registry").fetchall():
                if row["name"] not in keep:
                    _drop(connection, row["name"])

    def search(self, query: Query) -> Page:
        """One page of the entries that match every word of a query, best first.

        Exact names, then names (whole words, then words that start so), then names with some of
        the words, then tags and owners, then descriptions; builtin and official before others
        that match as well, then by name. When nothing matches, words that occur nowhere are
        corrected to the nearest word of a name.

        Raises:
            StateError: the index is damaged.
        """
        words = wording.words_of(query.words)
        if not words and query.words.strip():
            return Page(0, ())
        with self._snapshot():
            registries = self._registries(query.registry)
            page = self._page(registries, words, query)
            better = [] if page.total else self._corrected(registries, words)
            if not better:
                return page
            page = self._page(registries, better, query)
            return replace(page, corrected=" ".join(better))

    def _page(self, registries: dict[int, str], words: list[str], query: Query) -> Page:
        limit = max(query.limit, 0)
        start = limit * (max(query.page, 1) - 1)
        most = max(COUNTED, start + limit)
        found = self._found(list(registries), _tiers(words, query), (start + limit, most + 1))
        shown = (self._entry(place, registries) for place in found[start : start + limit])
        return Page(min(len(found), most), tuple(shown), exact=len(found) <= most)

    def _found(
        self, numbers: list[int], tiers: Iterable[_Tier], need: tuple[int, int]
    ) -> list[_Found]:
        """Places of the matches: as many in order, and as many in any order, as are needed."""
        ordered, most = need
        found: dict[_Found, None] = {}
        for tier in tiers:
            if len(found) < ordered or tier.counts:
                rows = [self._matches(number, tier, most) for number in numbers]
                fresh = [[place for place in row if place not in found] for row in rows]
                found.update(dict.fromkeys(self._merged(fresh, ordered - len(found))))
            if len(found) >= most:
                break
        return list(found)[:most]

    def _matches(self, number: int, tier: _Tier, limit: int) -> list[_Found]:
        rows = self._database.rows(_of(number, tier.sql), (*tier.values, limit))
        return [(number, row[0]) for row in rows]

    def _merged(self, rows: list[list[_Found]], ordered: int) -> Iterator[_Found]:
        """The matches of several registries, the first of them in their common order."""
        filled = [row for row in rows if row]
        if len(filled) > 1 and ordered > 0:
            heads = (self._keyed(row[:ordered]) for row in filled)
            yield from (place for _, place in islice(merge(*heads), ordered))
        for row in filled:
            yield from row

    def _keyed(self, places: list[_Found]) -> list[tuple[tuple[Any, ...], _Found]]:
        sql = "SELECT place, name, reference FROM entry_N WHERE id = ?"
        return [
            (tuple(self._database.rows(_of(number, sql), (entry,))[0]), (number, entry))
            for number, entry in places
        ]

    def _entry(self, place: _Found, registries: dict[int, str]) -> Indexed:
        number, entry = place
        row = self._database.rows(_of(number, "SELECT * FROM entry_N WHERE id = ?"), (entry,))[0]
        return _indexed(row, registries[number])

    def _registries(self, asked: tuple[str, ...]) -> dict[int, str]:
        rows = self._database.rows("SELECT id, name FROM registry ORDER BY name")
        return {
            row["id"]: row["name"]
            for row in rows
            if not asked or row["name"] in asked or row["name"].partition(":")[0] in asked
        }

    def _corrected(self, registries: Iterable[int], words: list[str]) -> list[str]:
        """The words, each that occurs nowhere replaced by the nearest; none when that can't be."""
        words = _distinct(words)
        better = [
            word if self._occurs(registries, word) else self._nearest(registries, word)
            for word in words
        ]
        return better if all(better) and better != words else []

    def _occurs(self, registries: Iterable[int], word: str) -> bool:
        tier = _Tier(_MATCHED, (wording.widest_match([word]),))
        return any(self._matches(number, tier, 1) for number in registries)

    def _nearest(self, registries: Iterable[int], word: str) -> str:
        sql = """SELECT word, count FROM known_N WHERE id IN (
            SELECT word FROM key_N WHERE key IN (SELECT value FROM json_each(?)))"""
        keys = json.dumps(sorted(wording.keys(word)))
        known = Counter[str]()
        for number in registries:
            known.update({row[0]: row[1] for row in self._database.rows(_of(number, sql), (keys,))})
        return wording.nearest(word, known.items())

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """One state of the index, whoever replaces a registry meanwhile."""
        self._database.rows("BEGIN")
        try:
            yield
        finally:
            self._database.rows("ROLLBACK")


def _of(number: int | None, sql: str) -> str:
    """A statement about the tables of one registry."""
    return sql.replace("_N", f"_{number}")


def _drop(connection: Any, registry: str) -> None:
    row = connection.execute("SELECT id FROM registry WHERE name = ?", (registry,)).fetchone()
    if row:
        for table in _DROPPED:
            connection.execute(_of(row["id"], f"DROP TABLE {table}"))
        connection.execute("DELETE FROM registry WHERE id = ?", (row["id"],))


def _fill(connection: Any, number: int | None) -> None:
    """Move what is staged into the tables of a registry, in its order."""
    connection.execute(_SORTED)
    ordered = connection.execute(_IN_ORDER)
    into_entries = _of(number, "INSERT INTO entry_N VALUES (?,?,?,?,?,?,?,?,?,?)")
    into_terms = _of(number, "INSERT INTO term_N (rowid, terms) VALUES (?, ?)")
    counts = Counter[str]()
    while rows := ordered.fetchmany(CHUNK):
        connection.executemany(into_entries, map(tuple, rows))
        connection.executemany(into_terms, ((row[0], _terms(row)) for row in rows))
        counts.update(word for row in rows for word in wording.words_of(row["name"]))
        if len(counts) > 4 * MAX_KNOWN:
            counts = Counter(dict(counts.most_common(MAX_KNOWN)))
    for statement in ("DROP TABLE sorted", "DROP TABLE staged", _INDEX):
        connection.execute(_of(number, statement))
    connection.execute(_of(number, "INSERT INTO term_N (term_N) VALUES ('optimize')"))
    _fill_known(connection, number, counts)


def _fill_known(connection: Any, number: int | None, counts: Counter[str]) -> None:
    known = [(at, *pair) for at, pair in enumerate(counts.most_common(MAX_KNOWN), 1)]
    connection.executemany(_of(number, "INSERT INTO known_N VALUES (?, ?, ?)"), known)
    keys = ((key, at) for at, word, _ in known for key in wording.keys(word))
    connection.executemany(_of(number, "INSERT INTO key_N VALUES (?, ?)"), keys)


def _staged(entry: Indexed) -> tuple[Any, ...]:
    texts = (entry.name, entry.reference, entry.description, entry.version, entry.trust)
    row = (*texts, entry.source, entry.owner, _BETWEEN.join(entry.tags))
    return (int(entry.trust not in _TRUSTED), *map(_storable, row))


def _terms(row: Row) -> str:
    tags = _tags(row)
    labels = " ".join((row["reference"], row["owner"], *tags))
    terms = wording.terms(row["name"], labels, row["description"])
    return " ".join((*terms, wording.TRUST + row["trust"], *map(wording.as_tag, tags)))


def _tags(row: Row) -> tuple[str, ...]:
    return tuple(row["tags"].split(_BETWEEN)) if row["tags"] else ()


def _storable(text: str) -> str:
    """A text without the lone surrogates that JSON can spell and SQLite can't store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _indexed(row: Row, registry: str) -> Indexed:
    return Indexed(
        name=row["name"],
        reference=row["reference"],
        description=row["description"],
        version=row["version"],
        trust=row["trust"],
        registry=registry,
        source=row["source"],
        owner=row["owner"],
        tags=_tags(row),
    )


def _distinct(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))[:MAX_WORDS]


def _tiers(words: list[str], query: Query) -> Iterator[_Tier]:
    """What matches a query, best first; each may match what one before it did as well."""
    filters = _filters(query)
    if not words:
        yield _Tier(_MATCHED, (filters,)) if filters else _Tier(_LISTED)
        return
    squashed, reference = "".join(words), query.words.strip()
    yield _Tier(_EXACT, (squashed, "-".join(words), filters, filters))
    words = _distinct(words)
    if "/" in reference:
        yield _Tier(_SPELLED, (_filtered(wording.whole_match(words), filters), reference))
    yield _Tier(_EXACT, (squashed, "", filters, filters), counts=True)
    for match in wording.matches(words):
        yield _Tier(_MATCHED, (_filtered(match, filters),))
    yield _Tier(_MATCHED, (_filtered(wording.whole_match(words), filters),), counts=True)
    yield _Tier(_MATCHED, (_filtered(wording.partial_match(words), filters),))
    yield _Tier(_MATCHED, (_filtered(wording.widest_match(words), filters),), counts=True)


def _filtered(match: str, filters: str) -> str:
    return f"{match} AND {filters}" if filters else match


def _filters(query: Query) -> str:
    """What every match must be as well; only words and marks stand in the quotes."""
    trust = " OR ".join(
        f'"{wording.TRUST}{word}"' for text in query.trust for word in wording.words_of(text)
    )
    tags = (f'"{wording.as_tag(text)}"' for text in query.tag)
    return " AND ".join(f"({part})" for part in (trust, *tags) if part)
