"""Which distinctions to add, so that they repair as many flaws as possible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from symdmc.selection.refinement.flaws import Flaw
from symdmc.selection.refinement.precision import Distinction, Repair
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True)
class Addition:
    """Distinctions to add to the abstraction, and the reason."""

    distinctions: tuple[Distinction, ...]
    why: str


def additions(flaws: Sequence[Flaw], task: Task, most: int, refused: Collection[Distinction] = ()) -> list[Addition]:
    """Additions that repair all flaws, or as many as at most `most` distinctions repair; the best first.

    Greedy: each addition repairs the most flaws per new distinction; ties go to the fewest bits, then to the order of
    the task. No repair with a refused distinction is taken. The first addition may have more than `most` distinctions:
    without it there is no progress.
    """
    chosen: Repair = frozenset()
    found: list[Addition] = []
    rest = [flaw for flaw in flaws if any(repair.isdisjoint(refused) for repair in flaw.repairs)]
    while rest:
        repairs = {repair - chosen for flaw in rest for repair in flaw.repairs if repair.isdisjoint(refused)}
        best = min(
            repairs,
            key=lambda each: (-_repaired(rest, chosen | each) / len(each), _bits(each, task), sorted(each)),
        )
        if found and len(chosen) + len(best) > most:
            break
        chosen |= best
        first = next(flaw for flaw in rest if _is_repaired(flaw, chosen))
        left = [flaw for flaw in rest if not _is_repaired(flaw, chosen)]
        why = f"the system forbids {first.what}, {_steps(first.distance)} before the error"
        others = len({flaw.what for flaw in rest}) - len({flaw.what for flaw in left}) - 1
        found.append(Addition(tuple(sorted(best)), f"{why}, and {others} more" if others > 0 else why))
        rest = left
    return found


def _is_repaired(flaw: Flaw, kept: Repair) -> bool:
    return any(repair <= kept for repair in flaw.repairs)


def _repaired(flaws: Sequence[Flaw], kept: Repair) -> int:
    """How many flaws some distinctions repair."""
    return sum(_is_repaired(flaw, kept) for flaw in flaws)


def _bits(repair: Repair, task: Task) -> int:
    """How many bits the distinctions take."""
    return sum(each.bits(task) for each in repair)


def _steps(count: int) -> str:
    return counted(count, "step")
