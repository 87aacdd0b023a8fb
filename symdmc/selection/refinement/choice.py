"""What to tell apart besides, so that an abstraction sees as many obstacles as possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symdmc.selection.refinement.flaws import Obstacle
from symdmc.selection.refinement.precision import Distinction, Way
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True)
class Addition:
    """Distinctions that are made from now on, and what for."""

    distinctions: tuple[Distinction, ...]
    why: str


def additions(
    obstacles: Sequence[Obstacle], task: Task, most: int, refused: Collection[Distinction] = ()
) -> list[Addition]:
    """What makes the abstraction see all obstacles, as far as no more than `most` distinctions do; the best first.

    One addition after the other, each that sees the most obstacles not seen as yet for each distinction that it adds;
    among equals the one with the fewest bits, then the first in the order of the task. No way with a refused one is
    taken. The first addition may have more than `most` distinctions: without it there is no progress.
    """
    chosen: Way = frozenset()
    found: list[Addition] = []
    rest = [obstacle for obstacle in obstacles if any(way.isdisjoint(refused) for way in obstacle.ways)]
    while rest:
        ways = {way - chosen for obstacle in rest for way in obstacle.ways if way.isdisjoint(refused)}
        best = min(ways, key=lambda way: (-_seen(rest, chosen | way) / len(way), _bits(way, task), sorted(way)))
        if found and len(chosen) + len(best) > most:
            break
        chosen |= best
        first = next(obstacle for obstacle in rest if _sees(obstacle, chosen))
        left = [obstacle for obstacle in rest if not _sees(obstacle, chosen)]
        why = f"the system forbids {first.what}, {_steps(first.distance)} before the error"
        others = len({obstacle.what for obstacle in rest}) - len({obstacle.what for obstacle in left}) - 1
        found.append(Addition(tuple(sorted(best)), f"{why}, and {others} more" if others > 0 else why))
        rest = left
    return found


def _sees(obstacle: Obstacle, kept: Way) -> bool:
    return any(way <= kept for way in obstacle.ways)


def _seen(obstacles: Sequence[Obstacle], kept: Way) -> int:
    """How many obstacles are seen."""
    return sum(_sees(obstacle, kept) for obstacle in obstacles)


def _bits(way: Way, task: Task) -> int:
    """How many bits the distinctions take."""
    return sum(each.bits(task) for each in way)


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"
