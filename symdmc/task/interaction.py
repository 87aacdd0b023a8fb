"""Which variable influences which: the interaction graph of a task and the cones of influence in it."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from symdmc.model.expressions import Cell
from symdmc.task.task import Task, Transition, conditions_of


@dataclass(frozen=True, slots=True)
class Footprint:
    """The variables one transition reads and writes."""

    reads: frozenset[int]
    writes: frozenset[int]

    @property
    def touched(self) -> frozenset[int]:
        """The variables that it reads or writes."""
        return self.reads | self.writes


def footprint(task: Task, transition: Transition) -> Footprint:
    """The variables that a transition reads and may change, with the derived variables that depend on them."""
    layout = task.layout
    moving = {layout.process[branch.process] for branch in transition.branches}
    operands = (each for update in transition.updates for each in update.operands)
    expressions = (task.full_guard(transition), *conditions_of(transition.branches), *operands)
    reads = frozenset(moving).union(*(layout.support(expression) for expression in expressions))
    writes = frozenset(moving).union(*(layout.targets(update.target) for update in transition.updates))
    if not task.definitions:
        return Footprint(reads, writes)
    return Footprint(reads | dependent(task, reads | writes), writes | dependent(task, writes))


def dependent(task: Task, numbers: AbstractSet[int]) -> frozenset[int]:
    """The derived variables that depend on some of the variables."""
    supports = ((number, task.layout.basis(each)) for number, each in task.definitions.items())
    return frozenset(number for number, support in supports if not support.isdisjoint(numbers))


def value_sources(task: Task, transition: Transition) -> dict[int, frozenset[int]]:
    """For each variable that a transition may change, those before the step on which its value after it depends."""
    layout = task.layout
    found: dict[int, frozenset[int]] = {}

    def now(number: int) -> frozenset[int]:
        return found.get(number, frozenset({number}))

    for update in transition.updates:
        when = frozenset() if update.condition is None else layout.support(update.condition)
        place = layout.support(update.target.index) if isinstance(update.target, Cell) else frozenset[int]()
        value = layout.support(update.value)
        later = place if update.before else place | value
        sources = when.union(value if update.before else (), *map(now, later))
        targets = layout.targets(update.target)
        sure = len(targets) == 1 and update.condition is None
        found |= {target: sources if sure else sources | now(target) for target in targets}
    for branch in transition.branches:
        process = layout.process[branch.process]
        asked = branch.condition
        found[process] = frozenset() if asked is None else now(process) | layout.support(asked)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionGraph:
    """How many transitions make one variable depend on another."""

    names: tuple[str, ...]
    weights: dict[tuple[int, int], int]
    """For each pair (read, written), the number of transitions that read the one and write the other."""

    def neighbours(self, variable: int) -> frozenset[int]:
        """The variables that share a transition with this one, as read or as written ones."""
        pairs = (pair for pair in self.weights if variable in pair)
        return frozenset(number for pair in pairs for number in pair) - {variable}


def interaction_graph(task: Task) -> InteractionGraph:
    """The interaction graph over all variables of the task."""
    weights: dict[tuple[int, int], int] = {}
    for transition in task.transitions:
        own = footprint(task, transition)
        for read in own.touched:
            for written in own.writes:
                if read != written:
                    weights[read, written] = weights.get((read, written), 0) + 1
    return InteractionGraph(
        names=tuple(variable.name for variable in task.variables),
        weights=dict(sorted(weights.items())),
    )


def error_variables(task: Task) -> frozenset[int]:
    """The variables that the error condition reads; all variables when it asks for deadlocks or faults."""
    if task.error.deadlock or task.error.fault:
        return frozenset(range(len(task.variables)))
    return task.layout.support(task.error.expression)


def cone_of_influence(task: Task, start: Iterable[int], depth: int | None = None) -> dict[int, int]:
    """For each variable that can influence the start in at most `depth` steps through transitions, the fewest steps."""
    sources: dict[int, set[int]] = {}
    for read, written in interaction_graph(task).weights:
        sources.setdefault(written, set()).add(read)
    distance = dict.fromkeys(sorted(start), 0)
    frontier = sorted(distance)
    while frontier and (depth is None or distance[frontier[0]] < depth):
        found = sorted({source for variable in frontier for source in sources.get(variable, ())} - distance.keys())
        distance |= dict.fromkeys(found, distance[frontier[0]] + 1)
        frontier = found
    return distance
