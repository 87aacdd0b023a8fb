"""How close estimates are to the true distances: the measures of the literature, over all reachable states.

- [KW11, definition 6]: a heuristic is *sufficiently accurate* if it gives the distance of every state s with
  h(s) + c(s) <= d(s0), where c is the cost of a cheapest path from an initial state. A* can expand only these states,
  so it then explores what it would explore with the true distances.
- [DFP09, figures 6 and 7]: the mean relative error over all states at the same distance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from symdmc.errors import InternalError
from symdmc.experiment.distances import Distances


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The estimates of a heuristic against the distances of all reachable states of a task."""

    states: int
    distance_initial: int | None
    """The length of a shortest error trace; None without one."""
    estimate_initial: int | None
    """The smallest estimate of an initial state; None where the heuristic calls all of them dead ends."""
    dead_ends: int
    """States from which no error state can be reached."""
    recognised: int
    """How many of the dead ends the heuristic calls dead ends."""
    overestimates: int
    """States whose estimate is larger than their distance; an admissible heuristic has none."""
    relevant: int
    """States s with h(s) + c(s) <= d(s0); without an error trace, all states."""
    exact: int
    """How many of the relevant states have their distance as estimate."""
    mean_relative_error: float | None
    """In percent of the distance, over all states at a distance of at least 1; None without such states."""
    by_distance: tuple[tuple[int, int, float], ...]
    """For each distance of at least 1: the number of states, and their mean relative error in percent."""

    @property
    def is_sufficient(self) -> bool:
        """Whether the heuristic is sufficiently accurate."""
        return self.exact == self.relevant


def measure(found: Distances, estimates: Sequence[int | None]) -> Accuracy:
    """The estimates of all states, in the order of the distances, against the distances; None is a dead end.

    Raises InternalError for a state that is called a dead end though it has a distance.
    """
    wrong = next((k for k, h in enumerate(estimates) if h is None and found.to_error[k] is not None), None)
    if wrong is not None:
        raise InternalError(f"a state at distance {found.to_error[wrong]} of the error is called a dead end")
    pairs = list(zip(estimates, found.to_error, strict=True))
    relevant = [k for k, h in enumerate(estimates) if _is_relevant(h, found.from_initial[k], found.initial)]
    rows = _by_distance(pairs)
    counted = sum(states for _, states, _ in rows)
    return Accuracy(
        states=len(pairs),
        distance_initial=found.initial,
        estimate_initial=min((h for h in estimates[: found.starts] if h is not None), default=None),
        dead_ends=sum(d is None for _, d in pairs),
        recognised=sum(h is None for h, _ in pairs),
        overestimates=sum(h is not None and d is not None and h > d for h, d in pairs),
        relevant=len(relevant),
        exact=sum(estimates[k] == found.to_error[k] for k in relevant),
        mean_relative_error=sum(states * error for _, states, error in rows) / counted if counted else None,
        by_distance=rows,
    )


def _is_relevant(estimate: int | None, cost: int, initial: int | None) -> bool:
    if initial is None:
        return True
    return estimate is not None and estimate + cost <= initial


def _by_distance(pairs: Sequence[tuple[int | None, int | None]]) -> tuple[tuple[int, int, float], ...]:
    errors: defaultdict[int, list[float]] = defaultdict(list)
    for estimate, distance in pairs:
        if estimate is not None and distance:
            errors[distance].append(100 * abs(distance - estimate) / distance)
    return tuple((distance, len(found), sum(found) / len(found)) for distance, found in sorted(errors.items()))
