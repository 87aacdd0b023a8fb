"""Estimates of abstract tasks without a database: they show a selection what dropping variables costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from symdmc.lookup.relaxation import LAYER, PATH, chain, image_of
from symdmc.lookup.tables import DEAD_END
from symdmc.task.local_graphs import error_locations, local_graphs
from symdmc.task.relaxation.relaxed import RelaxedTask, relaxed_task
from symdmc.task.task import Task

InnerName: TypeAlias = Literal["hU", "hL", "fsm"]
InnerEstimate: TypeAlias = Callable[[frozenset[int]], int | None]
"""The estimate of the initial state of the task in which some variables are dropped; None: a dead end."""

SMALL = 2_000
"""With fewer preconditions of operators than this it does not pay to load compiled code."""


def inner_estimate(task: Task, name: InnerName) -> InnerEstimate:
    """The inner estimate with a name. Several initial states count as one in which variables have several values."""
    if name == "fsm":
        return _local_distances(task)
    relaxed = relaxed_task(task)
    measure = LAYER if name == "hL" else PATH
    build = _plain if len(relaxed.before) < SMALL else _compiled
    return build(relaxed, measure, initial_facts(task, relaxed))


def initial_facts(task: Task, relaxed: RelaxedTask) -> dict[int, list[int]]:
    """The facts that hold initially, by variable."""
    facts = relaxed.facts
    return {
        number: facts.of_values(number, np.array(task.variables[number].initial, dtype=np.int64)).tolist()
        for number in facts.numbers
    }


def begun_facts(
    relaxed: RelaxedTask, initial: Mapping[int, list[int]], dropped: frozenset[int] = frozenset()
) -> list[int]:
    """The facts that hold initially if dropped variables may have any value."""
    facts = relaxed.facts
    found = (facts.of_variable(number) if number in dropped else own for number, own in initial.items())
    return [0, *(fact for own in found for fact in own)]


def _plain(relaxed: RelaxedTask, measure: int, initial: Mapping[int, list[int]]) -> InnerEstimate:
    def estimate(dropped: frozenset[int]) -> int | None:
        chained = chain(relaxed, begun_facts(relaxed, initial, dropped))
        if not chained.is_reached(relaxed.goal):
            return None
        return chained.layer if measure == LAYER else sum(step.cost for step in chained.path())

    return estimate


def _compiled(relaxed: RelaxedTask, measure: int, initial: Mapping[int, list[int]]) -> InnerEstimate:
    from symdmc.lookup.relaxation_chaining import code_from  # imports numba

    image = image_of(relaxed, measure, [0], np.zeros(1, dtype=np.int32))
    queue = np.empty(relaxed.count, dtype=np.int32)

    def estimate(dropped: frozenset[int]) -> int | None:
        begun = begun_facts(relaxed, initial, dropped)
        queue[: len(begun)] = begun
        code = int(code_from(image, 0, queue, len(begun)))
        return None if code == DEAD_END else code

    return estimate


def _local_distances(task: Task) -> InnerEstimate:
    """The sum of the local distances of all processes that are not dropped."""
    targets = error_locations(task)
    nearest: dict[int, int | None] = {}
    for graph in local_graphs(task):
        found = graph.distances(targets[graph.variable])
        known = [each for place in task.variables[graph.variable].initial if (each := found[place]) is not None]
        nearest[graph.variable] = min(known, default=None)
    return partial(_sum_of, nearest)


def _sum_of(nearest: Mapping[int, int | None], dropped: frozenset[int]) -> int | None:
    kept = [distance for number, distance in nearest.items() if number not in dropped]
    return None if None in kept else sum(each for each in kept if each is not None)
