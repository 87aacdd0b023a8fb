"""Whether the estimates of a database are consistent: checked in the abstraction of its variables, one set at a time.

A database that was built is consistent by construction. One that was read says what its file says, so a claim that
rests on its estimates, such as that a trace is a shortest one, holds only if this finds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.encode.diagrams import Node
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.tables.table_import import state_sets
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.patterndb.build import MERGE_LIMIT, BuildOptions
from symdmc.patterndb.database import PatternDatabase
from symdmc.task.derived import extended
from symdmc.task.task import Task


def inconsistency(
    task: Task, database: PatternDatabase, options: BuildOptions = BuildOptions(), *, shared_costs: bool = False
) -> str | None:
    """What the database says that cannot be true of the task, in words; None if its estimates are consistent.

    Then they are admissible, dead ends are dead ends, and no state outside can be reached. With `shared_costs`
    transitions cost what the database says, which is no more than they do. Raises DiagramLimit when memory or the work
    of the options does not suffice.
    """
    richer = extended(task, (each for _, each in sorted(database.definitions.items())))
    numbers = _own_numbers(richer, database)
    encoding = options.encoding(richer, frozenset(numbers.values()))
    encoding.diagrams.work = options.work
    costs = database.costs if shared_costs else None
    relation = ProjectedRelation(encoding, merge_limit=MERGE_LIMIT, frames=True, costs=costs)
    sets = state_sets(encoding, _renumbered(database.table, numbers))
    return _Inspection(relation, sets).objection()


def _own_numbers(task: Task, database: PatternDatabase) -> dict[int, int]:
    """The variables of the database by the numbers that they have in the extended task."""
    own = {definition: number for number, definition in task.definitions.items()}
    derived = database.definitions
    return {number: own[derived[number]] if number in derived else number for number in database.values}


def _renumbered(table: DecisionTable, numbers: Mapping[int, int]) -> DecisionTable:
    """The table with other numbers for its variables."""
    return replace(
        table,
        variable=np.array([numbers[number] for number in table.variable.tolist()], dtype=np.int32),
        classes={numbers[number]: each for number, each in table.classes.items()},
        low={numbers[number]: each for number, each in table.low.items()},
        definitions={numbers[number]: each for number, each in table.definitions.items()},
        probes={},
    )


@dataclass(slots=True)
class _Inspection:
    """The states with each code, looked at against the steps between them."""

    relation: ProjectedRelation
    sets: dict[int, Node]

    def objection(self) -> str | None:
        """What is wrong first."""
        d, valid = self.relation.diagrams, self.relation.encoding.valid
        images = Images(self.relation)
        outside = d.both(self.sets.pop(OUTSIDE, d.false), valid)
        inside = d.without(valid, outside)
        initial = self.relation.initial()
        if d.both(initial, outside) != d.false:
            return "an initial state lies outside of it"
        if d.both(images.before(outside), inside) != d.false:
            return "a step leads out of it"
        far = d.without(ErrorStates(self.relation).within(inside), self.sets.get(0, d.false))
        if far != d.false:
            return "an error state is no error state there"
        return self._too_far(images, inside)

    def _too_far(self, images: Images, inside: Node) -> str | None:
        """Where a step leads nearer to the error states, by more than it costs."""
        d, estimates = self.relation.diagrams, sorted(code for code in self.sets if code != DEAD_END)
        beyond = inside
        before = d.false
        """The states one step of cost 1 before those with smaller estimates, all of which may be one farther."""
        previous = -1
        for code in estimates:
            if code > previous + 1 and d.both(before, beyond) != d.false:
                return _wrong(previous, 1)
            here = self.sets[code]
            beyond = d.without(beyond, here)
            if d.both(before, beyond) != d.false:
                return _wrong(previous, 1)
            if self.relation.has_free_steps and d.both(images.before(here, 0), beyond) != d.false:
                return _wrong(code, 0)
            before, previous = images.before(here, 1), code
        return _wrong(previous, 1) if d.both(before, beyond) != d.false else None


def _wrong(estimate: int, cost: int) -> str:
    return f"a step of cost {cost} leads to estimate {estimate} from a state with an estimate beyond {estimate + cost}"
