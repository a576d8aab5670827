"""What is demanded of skills that come in: no file can loosen what another demands."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.model.demands import ORDER, Arrival, Demands, span
from skillpm.model.provenance import Origin

LEAST = "min_origin"
HOSTS = ("github.com", "hub.example", "git.example")
ORIGINS = st.sampled_from(Origin)
ARRIVALS = st.builds(
    Arrival, ORIGINS, st.sampled_from(("", *HOSTS)), st.none() | st.booleans(),
    st.none() | st.integers(0, 10**6),
)  # fmt: skip
DEMANDS = st.builds(
    Demands, st.just("f"), ORIGINS, st.booleans(), st.integers(0, 10**6),
    st.none() | st.frozensets(st.sampled_from(HOSTS)),
)  # fmt: skip


def refused(demands: Demands, arrival: Arrival) -> set[str]:
    return {key for key, _ in demands.unmet(arrival)}


@given(DEMANDS, ARRIVALS)
def test_without_demands_everything_may_come(demands: Demands, arrival: Arrival) -> None:
    assert refused(Demands(), arrival) == set()
    assert refused(demands, arrival) <= {
        "min_origin", "require_reviewed", "min_age", "allowed_hosts"
    }  # fmt: skip


@given(DEMANDS, ARRIVALS, ORIGINS)
def test_a_higher_least_origin_never_lets_more_in(
    demands: Demands, arrival: Arrival, origin: Origin
) -> None:
    stricter = max(demands.min_origin, origin, key=ORDER.index)
    tightened = Demands("g", stricter, demands.require_reviewed, demands.min_age, demands.hosts)
    assert refused(demands, arrival) <= refused(tightened, arrival)


@pytest.mark.parametrize(
    ("demands", "arrival", "keys"),
    [
        (Demands(min_origin=Origin.OFFICIAL), Arrival(Origin.COMMUNITY, "h.example"), {LEAST}),
        (Demands(min_origin=Origin.OFFICIAL), Arrival(Origin.LOCAL, ""), {LEAST}),
        (Demands(min_origin=Origin.OFFICIAL), Arrival(Origin.BUILTIN, ""), set()),
        (Demands(min_origin=Origin.COMMUNITY), Arrival(Origin.OFFICIAL, "hub.example"), set()),
        (Demands(hosts=frozenset()), Arrival(Origin.OFFICIAL, "github.com"), {"allowed_hosts"}),
        (Demands(hosts=frozenset()), Arrival(Origin.LOCAL, ""), set()),
        (Demands(hosts=frozenset({"github.com"})), Arrival(Origin.COMMUNITY, "github.com"), set()),
        (
            Demands(hosts=frozenset({"github.com"})),
            Arrival(Origin.COMMUNITY, "evil.github.com"),
            {"allowed_hosts"},
        ),
        (Demands(require_reviewed=True), Arrival(Origin.OFFICIAL, "", False), {"require_reviewed"}),
        (Demands(require_reviewed=True), Arrival(Origin.OFFICIAL, "", True), set()),
        (Demands(require_reviewed=True), Arrival(Origin.OFFICIAL, "", None), set()),
        (Demands(require_reviewed=True), Arrival(Origin.BUILTIN, "", False), set()),
        (Demands(min_age=60), Arrival(Origin.COMMUNITY, "", None, 59), {"min_age"}),
        (Demands(min_age=60), Arrival(Origin.COMMUNITY, "", None, 60), set()),
        (Demands(min_age=60), Arrival(Origin.BUILTIN, "", None, 0), set()),
    ],
)  # fmt: skip
def test_each_demand_is_met_or_named(demands: Demands, arrival: Arrival, keys: set[str]) -> None:
    assert refused(demands, arrival) == keys


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "0m"), (59, "0m"), (60, "1m"), (7_199, "1h"), (86_400 * 7, "7d")]
)
def test_lengths_of_time(seconds: int, told: str) -> None:
    assert span(seconds) == told
