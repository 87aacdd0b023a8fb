"""Sets of values: what is in them, what they contain, and what is joined."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from symdmc.model.system import Range
from symdmc.task.values import domains as module
from symdmc.task.values.domains import Domain, runs, stored

SETS = [set(chosen) for size in range(1, 6) for chosen in combinations((-2, -1, 0, 3, 4), size)]


def _domain(values: set[int]) -> Domain:
    return Domain.of(np.array(sorted(values), dtype=np.int64))


@pytest.mark.parametrize("values", SETS, ids=str)
def test_a_domain_has_the_values_it_was_made_of(values: set[int]) -> None:
    domain = _domain(values)
    assert {value for value in range(-9, 10) if value in domain} == values
    assert set(domain.array.tolist()) == values
    assert (domain.low, domain.high, domain.count) == (min(values), max(values), len(values))


def test_a_domain_contains_its_subsets_and_is_joined_to_the_union() -> None:
    for one in SETS:
        for other in SETS:
            assert _domain(one).contains(_domain(other)) == (other <= one), (one, other)
            assert set(_domain(one).union(_domain(other)).array.tolist()) == one | other


def test_too_many_values_are_kept_as_the_interval_around_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    assert _domain({0, 2, 4}).listed is not None
    assert _domain({0, 2, 4, 6}) == Domain(0, 6)
    assert _domain({0, 2}).union(_domain({5})).array.tolist() == [0, 2, 5]
    assert _domain({0, 2}).union(_domain({5, 7})) == Domain(0, 7)


@pytest.mark.parametrize(
    ("values", "places", "expected"),
    [
        ([], None, []),
        ([3], None, [(3, 3)]),
        ([0, 1, 2, 4, 6, 7], None, [(0, 2), (4, 4), (6, 7)]),
        ([0, 5, 9], [0, 1, 2], [(0, 9)]),
        ([0, 5, 9], [0, 2, 3], [(0, 0), (5, 9)]),
    ],
)
def test_runs_are_the_intervals_of_neighbours(
    values: list[int], places: list[int] | None, expected: list[tuple[int, int]]
) -> None:
    at = None if places is None else np.array(places, dtype=np.int64)
    assert runs(np.array(values, dtype=np.int64), at) == expected


@pytest.mark.parametrize("low", range(-3, 7))
@pytest.mark.parametrize("length", range(4))
def test_what_is_stored_is_cut_to_the_type_or_wraps(low: int, length: int) -> None:
    high = low + length
    kept = {value for value in range(low, high + 1) if 0 <= value <= 3}
    found = stored(low, high, Range(0, 3))
    assert (set() if found is None else set(found.array.tolist())) == kept
    wrapped = stored(low, high, Range(0, 3, wraps=True))
    assert wrapped is not None
    assert {value % 4 for value in range(low, high + 1)} <= set(wrapped.array.tolist()) <= set(range(4))
    if low >= 0 and high <= 3:
        assert wrapped == Domain(low, high)
