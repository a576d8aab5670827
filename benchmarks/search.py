"""Half a million entries: building the search index and searching it, against a substring scan.

Each half runs in a process of its own, so that its peak memory is its own. Then 30 queries with
known best answers over a catalogue of 20,000 skills: which of the two puts the answer first.

    python benchmarks/search.py [ENTRIES]
"""

from __future__ import annotations

import itertools
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from search_queries import QUERIES, WORDS, catalogue

from skillpm.edges.database import Database
from skillpm.store.searching import MIGRATIONS, Indexed, Query, SearchIndex

ENTRIES = 500_000
VOCABULARY = 40_000
SIZES = {"bundled": 50, "tap:acme": 950, "tap:lab": 9_000, "hub:hub.example": 0}  # 0: the rest
TRUST = {"bundled": "builtin", "tap:acme": "official"}
LETTERS = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "v", "k", "ch")
ENDS = ("a", "e", "i", "o", "u", "ar", "en", "in", "on", "er", "al", "it", "ex")


def vocabulary(rng: random.Random) -> list[str]:
    """Common words first; then invented ones, as brands and jargon are."""
    made = dict.fromkeys(WORDS)
    while len(made) < VOCABULARY:
        parts = rng.randint(2, 4)
        made["".join(rng.choice(LETTERS) + rng.choice(ENDS) for _ in range(parts))] = None
    return list(made)


def generated(registry: str, count: int) -> Iterator[Indexed]:
    """Names of 1 to 4 words and descriptions of 8 to 30, by Zipf's law."""
    rng = random.Random(registry)
    words = vocabulary(random.Random(1))
    weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(len(words))))
    trust = TRUST.get(registry, "community")
    for number in range(count):
        drawn = rng.choices(words, cum_weights=weights, k=rng.randint(11, 36))
        split = rng.choices((1, 2, 3, 4), (5, 45, 35, 15))[0]
        name, owner = "-".join(drawn[:split]), drawn[split]
        reference = name if trust == "builtin" else f"@{owner}/{name}"
        yield Indexed(
            name=name,
            reference=reference,
            description=" ".join(drawn[6:]).capitalize() + ".",
            version=f"1.{number % 10}.0",
            trust=trust,
            registry=registry,
            source=f"https://github.com/{owner}/skills/tree/main/{name}",
            owner=owner,
            tags=tuple(drawn[4:6]),
        )


def registries(total: int) -> Iterator[tuple[str, Iterator[Indexed]]]:
    left = total
    for registry, size in SIZES.items():
        count = min(size or left, left)
        left -= count
        yield registry, generated(registry, count)


def queries() -> dict[str, list[str]]:
    """What is typed, by kind: from the commonest words to the rarest."""
    rng = random.Random(5)
    words = vocabulary(random.Random(1))
    names = [entry.name for entry in itertools.islice(generated("hub:hub.example", 3_000), 3_000)]
    common, middle, rare = words[:100], words[100:2_000], words[2_000:]
    return {
        "an exact name": rng.sample(names, 40),
        "a common word": rng.sample(common, 40),
        "a word": rng.sample(middle, 40),
        "a rare word": rng.sample(rare, 40),
        "two common words": [" ".join(rng.sample(common, 2)) for _ in range(40)],
        "two words": [" ".join(rng.sample(words[:1000], 2)) for _ in range(40)],
        "three words": [" ".join(rng.sample(words[:200], 3)) for _ in range(40)],
        "start of a word": [rng.choice(words[:2000])[: rng.randint(2, 5)] for _ in range(40)],
        "one letter": list("abcdefghilmnoprstv"),
        "a word and a start": [f"{rng.choice(common)} {rng.choice(middle)[:3]}" for _ in range(40)],
        "a typo": [swapped(rng, rng.choice(rare)) for _ in range(40)],
        "common words, nowhere together": [" ".join(rng.sample(common, 7)) for _ in range(20)],
    }


def swapped(rng: random.Random, word: str) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + rng.choice("qxz") + word[at:]


def substring_scan(entries: Sequence[Indexed], text: str, limit: int) -> list[Indexed]:
    """The plain scan: the text somewhere in the name or the description, in catalogue order."""
    wanted = text.lower()
    found = (
        entry
        for entry in entries
        if wanted in entry.name.lower() or wanted in entry.description.lower()
    )
    return list(itertools.islice(found, limit))


def peak() -> str:
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"


def build(path: Path, total: int) -> None:
    """Wall time and, for machines that do other things as well, processor time."""
    clocks = (time.perf_counter, time.process_time)
    before = [clock() for clock in clocks]
    made = sum(1 for _, entries in registries(total) for _ in entries)
    between = [clock() for clock in clocks]
    index = SearchIndex(Database(path, MIGRATIONS))
    for registry, entries in registries(total):
        index.replace(registry, "1", entries)
    after = [clock() for clock in clocks]
    wall, own = (c - b - (b - a) for a, b, c in zip(before, between, after, strict=True))
    size = path.stat().st_size / 1e6
    print(f"build     {made:,} entries in {wall:.1f} s: {made / wall:,.0f} a second", end="")
    print(f" ({made / own:,.0f} a second of processor time), {size:.0f} MB on disk, {peak()}")


def figures(name: str, taken: list[float]) -> None:
    taken = sorted(taken)
    p95 = taken[int(len(taken) * 0.95)]
    print(f"  {name:32} median {statistics.median(taken):8.2f} ms   p95 {p95:8.2f} ms")


def timed(ask: Callable[[str], object], rounds: int) -> None:
    everything = []
    for kind, texts in queries().items():
        taken = []
        for text in texts[: 40 if rounds else 5]:
            start = time.perf_counter()
            ask(text)
            taken.append((time.perf_counter() - start) * 1000)
        figures(kind, taken)
        everything += taken
    figures("all", everything)


def search(path: Path) -> None:
    start = time.perf_counter()
    index = SearchIndex(Database(path, MIGRATIONS))
    index.search(Query("release"))
    print(f"search    opened and first query in {(time.perf_counter() - start) * 1000:.1f} ms")
    timed(lambda text: index.search(Query(text)), rounds=1)
    print(f"  {peak()}")


def scan(total: int) -> None:
    start = time.perf_counter()
    entries = [entry for _, some in registries(total) for entry in some]
    print(f"substring scan, everything in memory after {time.perf_counter() - start:.1f} s")
    timed(lambda text: substring_scan(entries, text, 20), rounds=0)
    print(f"  {peak()}")


def place(names: list[str], best: str) -> float:
    """Where the best answer stands, from 1; infinity for not on the page."""
    return names.index(best) + 1 if best in names else math.inf


def compare(path: Path) -> None:
    """Mean reciprocal rank of both over 30 queries, and who wins which."""
    entries = catalogue()
    index = SearchIndex(Database(path, MIGRATIONS))
    index.replace("hub:hub.example", "1", entries)
    print(
        f"ranking   {len(QUERIES)} queries over {len(entries):,} skills: place of the best answer"
    )
    print(f"  {'query':24} {'best answer':24} index  scan")
    places = []
    for text, best in QUERIES:
        ours = place([entry.name for entry in index.search(Query(text)).entries], best)
        theirs = place([entry.name for entry in substring_scan(entries, text, 20)], best)
        places.append((ours, theirs))
        winner = "" if ours == theirs else "index" if 1 / ours > 1 / theirs else "scan"
        print(f"  {text:24} {best:24} {ours:>5} {theirs:>5}  {winner}")
    means = [statistics.mean(1 / at for at in side) for side in zip(*places, strict=True)]
    print(f"  mean reciprocal rank: index {means[0]:.2f}, scan {means[1]:.2f}")
    ahead = [sum(one < other for one, other in places), sum(other < one for one, other in places)]
    print(f"  ahead: index {ahead[0]}, scan {ahead[1]}")


def main() -> None:
    if len(sys.argv) > 2:
        _, total, part, folder = sys.argv
        path = Path(folder) / "index.db"
        {
            "build": lambda: build(path, int(total)),
            "search": lambda: search(path),
            "scan": lambda: scan(int(total)),
            "compare": lambda: compare(path.with_name("catalogue.db")),
        }[part]()
        return
    total = sys.argv[1] if len(sys.argv) > 1 else str(ENTRIES)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("build", "search", "scan", "compare"):
            subprocess.run([sys.executable, __file__, total, part, folder], check=True)


if __name__ == "__main__":
    main()
