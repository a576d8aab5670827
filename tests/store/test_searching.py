"""The search index: everything is found, the best first, whatever is typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillpm.edges.database import Database
from skillpm.errors import StateError
from skillpm.store.searching import COUNTED, MIGRATIONS, Indexed, Query, SearchIndex

HUB = "hub:hub.example"
SKILLS = (
    Indexed("pdf", "@ann/pdf", "Read documents", "1.2", owner="ann", tags=("documents",)),
    Indexed("pdf-tables", "@ann/pdf-tables", "Extract tables to CSV", owner="ann"),
    Indexed("a-pdf", "@bob/a-pdf", "Another reader", owner="bob"),
    Indexed("pdfium", "@bob/pdfium", "Render pages", owner="bob"),
    Indexed("reader", "@bob/reader", "Opens a PDF", owner="bob", tags=("Machine Learning", "ocr")),
    Indexed("viewer", "@bob/viewer", "Shows pages", owner="bob", tags=("pdf",)),
    Indexed("zine", "@zoe/zine", "Prints PDFs", owner="zoe"),
    Indexed("code-review", "@zoe/code-review", "Look for bugs", owner="zoe"),
    Indexed("kubernetes-debug", "@zoe/kubernetes-debug", "Why a pod does not start", owner="zoe"),
    Indexed("café", "@zoe/café", "Prépare le 日本語 menu", owner="zoe"),
)


def make(path: Path) -> SearchIndex:
    return SearchIndex(Database(path / "index.db", MIGRATIONS))


def names(index: SearchIndex, words: str, limit: int = 20, page: int = 1) -> list[str]:
    return [entry.name for entry in index.search(Query(words, limit=limit, page=page)).entries]


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    made = make(tmp_path)
    made.replace(HUB, "rev-1", SKILLS)
    return made


def test_an_entry_comes_back_as_it_was_put_in(index: SearchIndex) -> None:
    entry = Indexed("x", "@o/x", 'A "text"\0', "1", "local", HUB, "https://x.test", "o", ("a", "b"))
    index.replace(HUB, "rev-2", [entry])
    page = index.search(Query("x"))
    assert (page.entries, page.total, page.exact, page.corrected) == ((entry,), 1, True, "")


def test_exact_names_come_before_names_before_tags_before_descriptions(index: SearchIndex) -> None:
    assert names(index, "pdf") == [
        *("pdf", "a-pdf", "pdf-tables"),  # whole words of names
        *("pdfium", "viewer"),  # a start of a name, a tag
        *("reader", "zine"),  # a word of a description, a start of one
    ]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("PDF", "pdf"),
        ("pdf tables", "pdf-tables"),
        ("tables pdf", "pdf-tables"),
        ("pdf-tables", "pdf-tables"),
        ("pdftables", "pdf-tables"),
        ("@bob/a-pdf", "a-pdf"),
        ("review", "code-review"),
        ("rev", "code-review"),
        ("tables csv", "pdf-tables"),
        ("tab extr", "pdf-tables"),
        ("ocr", "reader"),
        ("zoe pod", "kubernetes-debug"),
        ("k", "kubernetes-debug"),
        ("cafe", "café"),
        ("CAFÉ", "café"),
        ("prepare", "café"),
        ("本", "café"),
    ],
)
def test_the_best_answer_is_first(index: SearchIndex, words: str, first: str) -> None:
    assert names(index, words)[0] == first


def test_one_or_two_letters_are_the_start_of_a_name_or_a_whole_word(index: SearchIndex) -> None:
    assert names(index, "pd") == ["a-pdf", "pdf", "pdf-tables", "pdfium"]
    assert names(index, "a") == ["a-pdf", "kubernetes-debug", "reader"]


def test_every_word_must_match(index: SearchIndex) -> None:
    assert names(index, "pdf zoe") == ["zine"]
    assert names(index, "pdf kubernetes") == []


def test_no_words_list_everything_by_name(index: SearchIndex) -> None:
    assert names(index, " ") == sorted(entry.name for entry in SKILLS)


@pytest.mark.parametrize("words", ["?!", "🙂", "* ^ -", '""'])
def test_a_text_without_a_word_matches_nothing(index: SearchIndex, words: str) -> None:
    assert names(index, words) == []


def test_trusted_entries_come_first_among_equals(tmp_path: Path) -> None:
    index = make(tmp_path)
    trust = {"a-x": "community", "b-x": "official", "c-x": "local", "d-x": "builtin"}
    index.replace("tap:t", "", [Indexed(name, name, trust=kind) for name, kind in trust.items()])
    assert names(index, "x") == ["b-x", "d-x", "a-x", "c-x"]


def test_registries_are_one_list(index: SearchIndex) -> None:
    index.replace("bundled", "", [Indexed("z-pdf", "z-pdf", trust="builtin")])
    index.replace("tap:acme", "", [Indexed("b-pdf", "acme/b-pdf")])
    ranked = names(index, "pdf")
    assert ranked[:5] == ["pdf", "z-pdf", "a-pdf", "b-pdf", "pdf-tables"]
    assert [names(index, "pdf", 2, page) for page in (1, 2, 3)] == [
        ranked[at : at + 2] for at in (0, 2, 4)
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (Query("x", trust=("official",)), ["tap-x"]),
        (Query("x", trust=("official", "builtin")), ["own-x", "tap-x"]),
        (Query("x", trust=("nonsense",)), []),
        (Query("x", registry=("tap:acme",)), ["tap-x"]),
        (Query("x", registry=("tap",)), ["tap-x", "other-x"]),
        (Query("x", registry=("bundled", "tap:lab")), ["own-x", "other-x"]),
        (Query("x", registry=("tap:",)), []),
        (Query("x", tag=("machine-learning",)), ["other-x"]),
        (Query("x", tag=("Machine Learning", "ocr")), ["other-x"]),
        (Query("x", tag=("machine",)), []),
        (Query("x", tag=("",)), []),
        (Query(tag=("ocr",)), ["own-x", "other-x"]),
        (Query("own-x", trust=("community",)), []),
        (Query("own-x", trust=("builtin",), tag=("ocr",)), ["own-x"]),
        (Query("x", trust=('" OR "x',)), []),
    ],
)
def test_filters(tmp_path: Path, asked: Query, found: list[str]) -> None:
    index = make(tmp_path)
    index.replace("bundled", "", [Indexed("own-x", "own-x", trust="builtin", tags=("ocr",))])
    index.replace("tap:acme", "", [Indexed("tap-x", "acme/tap-x", trust="official")])
    tags = ("Machine Learning", "ocr")
    index.replace("tap:lab", "", [Indexed("other-x", "lab/other-x", tags=tags)])
    page = index.search(asked)
    assert [entry.name for entry in page.entries] == found
    assert page.total == len(found)


@pytest.mark.parametrize(
    ("typed", "corrected", "first"),
    [
        ("kubernets", "kubernetes", "kubernetes-debug"),
        ("kubrenetse", "kubernetes", "kubernetes-debug"),
        ("xubernetes debug", "kubernetes debug", "kubernetes-debug"),
        ("reveiw", "review", "code-review"),
        ("dbeug", "debug", "kubernetes-debug"),
        ("cdoe", "code", "code-review"),
        ("deubgx", "debug", "kubernetes-debug"),
        ("pfd", "pdf", "pdf"),
    ],
)
def test_a_mistyped_word_is_corrected_and_that_is_said(
    index: SearchIndex, typed: str, corrected: str, first: str
) -> None:
    page = index.search(Query(typed))
    assert (page.corrected, page.entries[0].name) == (corrected, first)


@pytest.mark.parametrize("typed", ["coxx", "pq", "qqqqqqq", "pdf qqqqqqq", "debug" * 2000])
def test_what_resembles_nothing_is_not_corrected(index: SearchIndex, typed: str) -> None:
    page = index.search(Query(typed))
    assert (page.total, page.entries, page.corrected) == (0, (), "")


def test_a_word_that_occurs_is_not_corrected_when_filters_leave_nothing(index: SearchIndex) -> None:
    page = index.search(Query("pdf", trust=("builtin",)))
    assert (page.total, page.corrected) == (0, "")


def test_pages_follow_each_other_and_the_total_is_exact(tmp_path: Path) -> None:
    index = make(tmp_path)
    every = [f"{letter}-thing" for letter in "abcdefghijklm"]
    index.replace("tap:t", "", [Indexed(name, name) for name in reversed(every)])
    pages = [names(index, "thing", 5, page) for page in (1, 2, 3, 4)]
    assert pages == [every[:5], every[5:10], every[10:], []]
    assert index.search(Query("thing", limit=0)).total == len(every)


def test_a_total_over_the_cap_is_said_to_be_at_least(tmp_path: Path) -> None:
    index = make(tmp_path)
    index.replace("tap:t", "", [Indexed(f"thing-{at:04}", "r") for at in range(COUNTED + 50)])
    first = index.search(Query("thing"))
    assert (first.total, first.exact) == (COUNTED, False)
    last = index.search(Query("thing", page=53))
    assert [entry.name for entry in last.entries] == [f"thing-{at}" for at in range(1040, 1050)]
    assert (last.total, last.exact) == (COUNTED + 50, True)


def test_replacing_takes_the_place_of_what_a_registry_had(index: SearchIndex) -> None:
    index.replace("tap:t", "one", [Indexed("other", "t/other")])
    index.replace(HUB, "rev-2", [Indexed("new", "@n/new")])
    assert names(index, "") == ["new", "other"]
    assert (index.stamp(HUB), index.stamp("tap:t"), index.stamp("x")) == ("rev-2", "one", "")


def test_a_registry_may_be_empty(index: SearchIndex) -> None:
    index.replace(HUB, "rev-2", [])
    assert (names(index, "pdf"), index.stamp(HUB)) == ([], "rev-2")


def test_what_fails_in_the_middle_leaves_the_index_as_it_was(index: SearchIndex) -> None:
    def broken() -> Iterator[Indexed]:
        yield Indexed("new", "@n/new")
        raise ConnectionError

    for _ in range(2):
        with pytest.raises(ConnectionError):
            index.replace(HUB, "rev-2", broken())
    assert (index.stamp(HUB), len(names(index, ""))) == ("rev-1", len(SKILLS))
    index.replace(HUB, "rev-3", [Indexed("new", "@n/new")])
    assert names(index, "") == ["new"]


def test_only_registries_to_keep_are_kept(index: SearchIndex) -> None:
    index.replace("tap:t", "one", [Indexed("other", "t/other")])
    index.forget({"tap:t", "tap:unknown"})
    assert (names(index, ""), index.stamp(HUB)) == (["other"], "")


def test_another_process_sees_what_was_written_and_writing_does_not_stop_reading(
    index: SearchIndex, tmp_path: Path
) -> None:
    other = make(tmp_path)

    def entries() -> Iterator[Indexed]:
        assert names(other, "debug") == ["kubernetes-debug"]
        yield Indexed("new", "@n/new")

    index.replace(HUB, "rev-2", entries())
    assert names(other, "") == ["new"]


def test_a_damaged_index_is_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    database = Database(path, MIGRATIONS)
    SearchIndex(database).replace(HUB, "rev-1", SKILLS)
    database.close()
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 60_000)
    with pytest.raises(StateError):
        make(tmp_path).search(Query("pdf"))


def test_texts_that_cannot_be_stored_are_made_storable(index: SearchIndex) -> None:
    index.replace(HUB, "rev-2", [Indexed("x", "@o/x", "half \ud800 of a pair", tags=("\udfff",))])
    assert index.search(Query("pair")).entries[0].description == "half ? of a pair"


ODD = [
    "NEAR(a b)",
    "a AND",
    '"',
    "'; DROP TABLE registry",
    "name:pdf",
    "^pdf*",
    "-pdf",
    "\0",
    "§pdf",
]


@pytest.mark.parametrize("words", [*ODD, "pdf " * 2500, "x" * 100_000, "w1 " + "a b c d e f" * 99])
def test_odd_texts_are_only_texts(index: SearchIndex, words: str) -> None:
    index.search(Query(words, trust=(words,), registry=(words,), tag=(words,)))
    index.search(Query(words))
    assert len(names(index, "")) == len(SKILLS)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.text(max_size=40), tag=st.text(max_size=10))
def test_any_text_is_a_safe_query(index: SearchIndex, words: str, tag: str) -> None:
    assert index.search(Query(words)) == index.search(Query(words))
    index.search(Query(words, trust=(tag,), tag=(tag,)))


NAMES = st.from_regex(r"[a-c]{1,3}(-[a-c]{1,3}){0,2}", fullmatch=True)
ENTRIES = st.lists(
    st.builds(
        Indexed,
        NAMES,
        st.just("r"),
        st.text("abc é日\ud800§", max_size=20),
        trust=st.sampled_from(["official", "community"]),
        owner=NAMES,
        tags=st.lists(NAMES, max_size=2).map(tuple),
    ),
    max_size=12,
    unique_by=lambda entry: entry.name,
)


@settings(max_examples=40, deadline=None)
@given(entries=ENTRIES, words=NAMES)
def test_each_entry_is_first_for_its_name_and_order_does_not_depend_on_history(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Indexed], words: str
) -> None:
    index = make(tmp_path_factory.mktemp("one"))
    index.replace(HUB, "1", entries)
    for entry in entries:
        assert names(index, entry.name)[0] == entry.name
    before = index.search(Query(words))
    index.replace(HUB, "2", reversed(entries))
    assert index.search(Query(words)) == before


@settings(max_examples=40, deadline=None)
@given(entries=ENTRIES, words=NAMES, split=st.integers(0, 12))
def test_pages_of_several_registries_are_the_list_of_one(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Indexed], words: str, split: int
) -> None:
    one, two = (make(tmp_path_factory.mktemp(name)) for name in ("one", "two"))
    one.replace(HUB, "1", entries)
    two.replace("tap:z", "1", entries[split:])
    two.replace("tap:a", "1", entries[:split])
    expected = names(one, words)
    paged = [name for page in range(1, 7) for name in names(two, words, 2, page)]
    assert (paged, two.search(Query(words)).total) == (expected, len(expected))
