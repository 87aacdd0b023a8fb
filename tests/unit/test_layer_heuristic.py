"""Databases that are asked through their layers: the largest estimate counts, and a dead end of one is a dead end."""

from __future__ import annotations

from symdmc.checking.checks import task_for
from symdmc.heuristics.estimates.layers import LayerHeuristic
from symdmc.patterndb.build import BuildOptions, build_layers
from tests import oracle


def test_the_largest_estimate_counts_and_a_dead_end_of_one_is_a_dead_end() -> None:
    task = task_for("arbiter_tree:height=2,faulty=false")
    patterns = ([0], [1, 3], list(range(len(task.variables))))
    built = tuple(build_layers(task, pattern, BuildOptions(complete=True)) for pattern in patterns)
    (initial,) = task.initial_values()
    assert LayerHeuristic(built).estimate(initial) is None
    assert LayerHeuristic(built[::-1]).estimate(initial) is None
    coarse = LayerHeuristic(built[:2])
    for state in oracle.explore(task.system).steps:
        values = task.values(state)
        one, other = (each.distance(values) for each in built[:2])
        assert one is not None
        assert other is not None
        assert coarse.estimate(values) == max(one, other)
