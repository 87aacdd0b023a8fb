"""The true distances of all reachable states: explicit exploration, then a pass backward from the error states."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdmc.errors import Code, Complaint, ModelError

if TYPE_CHECKING:
    from symdmc.heuristics.heuristic import TaskHeuristic
    from symdmc.task.task import Task

Arcs = Sequence[Sequence[tuple[int, int]]]
"""For each state the steps from it, or to it: cost and state."""

CHECKPOINT_INTERVAL = 256
"""The number of states expanded between two checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """The reachable states, numbered in the order in which breadth-first search meets them, and their distances."""

    from_initial: tuple[int, ...]
    """The cost of a cheapest path from an initial state."""
    to_error: tuple[int | None, ...]
    """The cost of a cheapest path to an error state; None for a dead end."""
    starts: int
    """How many initial states there are; they come first."""
    initial: int | None
    """The smallest distance of an initial state: the length of a shortest error trace."""


class TooManyStates(ModelError):
    """The task has more reachable states than allowed."""


def explored_distances(
    task: Task, heuristic: TaskHeuristic, *, most_states: int, checkpoint: Callable[[], None] = lambda: None
) -> tuple[Distances, tuple[int | None, ...]]:
    """The distances of all reachable states, and the estimate of the heuristic for each, None for a dead end.

    Deterministic; raises TooManyStates where there are more than `most_states`. `checkpoint` is called now and then and
    may raise to end the exploration.
    """
    from symdmc.search.directed.packed_space import PackedSpace  # imports numba

    task.analyse(checkpoint)
    space = PackedSpace(task, heuristic)
    numbers: dict[bytes, int] = {}
    for place in space.initial():
        numbers.setdefault(place, len(numbers))
    starts = len(numbers)
    places, steps, errors = list(numbers), [], []
    for number, place in enumerate(places):  # the loop appends to `places`
        if number % CHECKPOINT_INTERVAL == 0:
            checkpoint()
        expansion = space.expand(place)
        deadlocked = task.error.deadlock and not expansion.steps and space.is_error_when_stuck(place)
        if space.is_error(place) or deadlocked or (task.error.fault and expansion.faults):
            errors.append(number)
        for _, successor in expansion.steps:
            if successor not in numbers:
                numbers[successor] = len(places)
                places.append(successor)
        if len(places) > most_states:
            what = f"there are more than {most_states:,} reachable states"
            raise TooManyStates(Complaint(Code.TOO_MANY_STATES, what))
        steps.append([(cost, numbers[successor]) for cost, successor in expansion.steps])
    estimates = tuple(space.estimate(place) for place in places)
    return distances_of(steps, starts, errors), estimates


def distances_of(steps: Arcs, starts: int, errors: Iterable[int]) -> Distances:
    """The distances in a graph whose states are all reachable from the first `starts` states; costs are 0 or 1."""
    reverse: list[list[tuple[int, int]]] = [[] for _ in steps]
    for source, outgoing in enumerate(steps):
        for cost, target in outgoing:
            reverse[target].append((cost, source))
    forward, backward = _cheapest(steps, range(starts)), _cheapest(reverse, errors)
    return Distances(
        from_initial=tuple(distance for distance in forward if distance is not None),
        to_error=tuple(backward),
        starts=starts,
        initial=min((distance for distance in backward[:starts] if distance is not None), default=None),
    )


def _cheapest(arcs: Arcs, starts: Iterable[int]) -> list[int | None]:
    """The cost of a cheapest path to each state, by breadth-first search that takes steps of cost 0 first."""
    found: list[int | None] = [None] * len(arcs)
    queue = deque((0, start) for start in starts)
    while queue:
        distance, state = queue.popleft()
        if found[state] is not None:
            continue
        found[state] = distance
        for cost, other in arcs[state]:
            if found[other] is None:
                if cost == 0:
                    queue.appendleft((distance, other))
                else:
                    queue.append((distance + 1, other))
    return found
