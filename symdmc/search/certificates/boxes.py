"""The dead ends of the monotonicity abstraction as boxes: for each variable some values.

The values that accumulate from a dead end, taken as a box, are closed under steps and have no error state. A box is
made larger as long as that stays so; few of them then hold all dead ends that a search has met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from symdmc.evidence.certificate import Diagram
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.lookup.relaxation import LAYER, Relaxation, chain, image_of
from symdmc.lookup.tables import DEAD_END, DecisionTable
from symdmc.running.run import Run
from symdmc.search.certificates.atoms import VariableTerms
from symdmc.search.walk import ListingWalk
from symdmc.task.relaxation.relaxed import RelaxedTask
from symdmc.task.task import Task, Values
from symdmc.task.values.domains import runs

Box: TypeAlias = Mapping[int, tuple[int, ...]]
"""For some variables the values they have in it, sorted; the others may have any value."""

MOST_EXPANDED = 100_000
"""Of a search with more states than this, the steps are not made again to find the dead ends behind them."""
MOST_BOXES = 100
MOST_TRIES = 4_000
"""Facts that are tried to make one box larger."""


def box_diagrams(task: Task, box: Box) -> Iterator[Diagram]:
    """For each variable of a box: that it has one of its values."""
    names = VariableTerms(task)
    for number, values in sorted(box.items()):
        atom = names.within(number, runs(np.array(values, dtype=np.int64)))
        yield Diagram(atoms=(atom,), nodes=((0, 0, 1),), root=2)


def boxes_of_initial_states(
    task: Task, relaxations: Sequence[Relaxation], tables: Sequence[DecisionTable]
) -> list[Box]:
    """Boxes around the initial states, all of them dead ends, but not around those that a table gives as dead ends."""
    boxes: list[Box] = []
    for values in task.initial_values():
        if not _is_known(values, tables, boxes):
            boxes.append(next(box for each in relaxations if (box := _box_of(each, values)) is not None))
    return boxes


def boxes_behind(
    task: Task,
    heuristic: TaskHeuristic,
    relaxations: Sequence[Relaxation],
    tables: Sequence[DecisionTable],
    walk: ListingWalk,
    run: Run,
) -> list[Box] | None:
    """Boxes around the dead ends that a search has met and no table has; None where states or boxes are too many."""
    if not relaxations:
        return []
    packed = walk.packed()
    if packed is None or len(packed.words) > MOST_EXPANDED:
        return None
    from symdmc.search.directed.packed_space import PackedSpace  # imports numba

    space = PackedSpace(task, heuristic)
    met = {row.tobytes() for row in packed.words}
    pending = sorted({*space.initial()} - met)
    for place in sorted(met):
        run.checkpoint()
        new = sorted({successor for _, successor in space.expand(place).steps} - met)
        pending += new
        met.update(new)
    growing = [_Growing(each.relaxed) for each in relaxations]
    boxes: list[Box] = []
    for place in pending:
        values = packed.packing.unpack(np.frombuffer(place, dtype=np.int64))
        if _is_known(values, tables, boxes):
            continue
        run.checkpoint()
        if len(boxes) == MOST_BOXES:
            return None
        boxes.append(next(box for each in growing if (box := each.box_around(values)) is not None))
    return boxes


def _is_known(values: Values, tables: Sequence[DecisionTable], boxes: Iterable[Box]) -> bool:
    inside = (all(values[number] in held for number, held in box.items()) for box in boxes)
    return any(inside) or any(table.code_of(values) == DEAD_END for table in tables)


def _box_of(relaxation: Relaxation, values: Values) -> Box | None:
    """What accumulates from a state; None if that satisfies the error condition."""
    relaxed = relaxation.relaxed
    chained = chain(relaxed, relaxed.facts.of_state(values))
    return None if chained.is_reached(relaxed.goal) else _box(relaxed, chained.order)


def _box(relaxed: RelaxedTask, reached: Iterable[int]) -> Box:
    """The variables that have not all their values among some facts."""
    facts = relaxed.facts
    held: dict[int, list[int]] = {number: [] for number in facts.numbers}
    for fact in sorted(reached):
        if 0 < fact < len(facts):
            held[int(facts.owner[fact])].append(fact)
    return {
        number: tuple(facts.values_of(number, own))
        for number, own in held.items()
        if len(own) < facts.domains[number].count
    }


class _Growing:
    """Finds large boxes without error states, at compiled speed."""

    def __init__(self, relaxed: RelaxedTask) -> None:
        self.relaxed = relaxed
        self._image = image_of(relaxed, LAYER, [0], np.zeros(1, dtype=np.int32))
        self._queue = np.empty(relaxed.count, dtype=np.int32)

    def box_around(self, values: Values) -> Box | None:
        """A box with a state; None if the state is no dead end."""
        relaxed = self.relaxed
        reached = self._closed(relaxed.facts.of_state(values))
        if reached is None:
            return None
        tries = 0
        for fact in range(1, len(relaxed.facts)):
            if fact not in reached and tries < MOST_TRIES:
                tries += 1
                reached = self._closed([*sorted(reached), fact]) or reached
        return _box(relaxed, reached)

    def _closed(self, facts: Sequence[int]) -> set[int] | None:
        """All that accumulates from some facts; None if that satisfies the error condition."""
        from symdmc.lookup.relaxation_chaining import reached_from  # imports numba

        self._queue[: len(facts)] = facts
        count = int(reached_from(self._image, 0, self._queue, len(facts)))
        return None if count < 0 else set(self._queue[:count].tolist())
