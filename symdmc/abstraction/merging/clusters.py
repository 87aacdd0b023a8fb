"""What a transition needs and does, in clusters that have no variable in common.

A transition is the product of its clusters: it is possible where each cluster permits it, and what a cluster stores
depends on its own variables only. Most clusters are single variables, whatever the number of participants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from symdmc.model.expressions import TRUE, At, Binary, Expr, Unary, conjuncts, negation
from symdmc.task.task import Branch, Layout, Task, Transition, Update, conditions_of, overwritten
from symdmc.task.values.rows import plain_support


@dataclass(slots=True)
class Cluster:
    """The part of a transition that speaks of some variables; of a condition, where nothing is stored."""

    tests: list[Expr] = field(default_factory=list)
    """All of them hold before the step."""
    updates: list[Update] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    outcomes: list[Expr] = field(default_factory=list)
    """All of them hold after the step."""

    @property
    def conditions(self) -> list[Expr]:
        """The conditions of updates and branches."""
        return conditions_of((*self.branches, *self.updates))

    def support(self, layout: Layout) -> frozenset[int]:
        """The variables that must be known to run it, but for cells that it names by a computed index."""
        operands = (each for update in self.updates for each in update.operands)
        expressions = [*self.tests, *self.conditions, *self.outcomes, *operands]
        optional = overwritten(layout, self.updates)
        optional += [layout.process[branch.process] for branch in self.branches if branch.condition is not None]
        return frozenset().union(*(plain_support(layout, each) for each in expressions), optional)


def requirements(condition: Expr) -> Iterator[Expr]:
    """Conditions that all hold exactly where the given one is true, without a fault."""
    return (part for part in _parts(condition, True, "and") if part != TRUE)


def alternatives(condition: Expr) -> Iterator[Expr]:
    """Conditions of which one holds wherever the given one is true, without a fault."""
    return _parts(condition, True, "or")


def _parts(condition: Expr, truth: bool, operator: str) -> Iterator[Expr]:
    """The parts that an operator joins into a condition, or into its negation."""
    match condition:
        case Unary("not", operand):
            yield from _parts(operand, not truth, operator)
        case Binary("and" | "or", left, right) if (condition.operator == operator) == truth:
            yield from _parts(left, truth, operator)
            yield from _parts(right, truth, operator)
        case Binary("imply", left, right) if (operator == "or") == truth:
            yield from _parts(left, not truth, operator)
            yield from _parts(right, truth, operator)
        case _:
            yield condition if truth else negation(condition)


def clusters_of_condition(layout: Layout, condition: Expr) -> list[Cluster]:
    """A condition as clusters that hold together exactly where it does."""
    return _grouped([(layout.support(each), Cluster(tests=[each])) for each in requirements(condition)])


def clusters_of(task: Task, transition: Transition) -> list[Cluster]:
    """The transition as clusters, with as much of the invariants as it can violate."""
    layout = task.layout
    parts = [(layout.support(each), Cluster(tests=[each])) for each in requirements(task.full_guard(transition))]
    for update in transition.updates:
        read = map(layout.support, (*update.operands, *conditions_of([update])))
        parts.append((frozenset(layout.targets(update.target)).union(*read), Cluster(updates=[update])))
    for branch in transition.branches:
        read = map(layout.support, conditions_of([branch]))
        parts.append((frozenset({layout.process[branch.process]}).union(*read), Cluster(branches=[branch])))
    written = frozenset().union(*(touched for touched, part in parts if part.updates or part.branches))
    parts += [(layout.support(each), Cluster(outcomes=[each])) for each in _invariants(task, transition, written)]
    return _grouped(parts)


def _invariants(task: Task, transition: Transition, written: frozenset[int]) -> Iterator[Expr]:
    """What the invariants ask for behind the step, where they held before it."""
    reached = {branch.process: branch.target for branch in transition.fixed}
    for each in conjuncts(task.invariant):
        match each:
            case Binary("imply", At(process, location), condition) if process in reached:
                if reached[process] == location:
                    yield from requirements(condition)
            case _ if not task.layout.support(each).isdisjoint(written):
                yield each


def _grouped(parts: Iterable[tuple[frozenset[int], Cluster]]) -> list[Cluster]:
    """Parts that share variables, directly or through others, as one cluster, in the order of the parts."""
    parent: dict[int, int] = {}

    def root(variable: int) -> int:
        while parent.setdefault(variable, variable) != variable:
            parent[variable] = parent[parent[variable]]
            variable = parent[variable]
        return variable

    parts = list(parts)
    for variables, _ in parts:
        first, *others = sorted(variables) or [-1]  # what speaks of no variable has a cluster of its own
        for other in others:
            parent[root(other)] = root(first)
    found: dict[int, Cluster] = {}
    for variables, part in parts:
        cluster = found.setdefault(root(min(variables, default=-1)), Cluster())
        cluster.tests += part.tests
        cluster.updates += part.updates
        cluster.branches += part.branches
        cluster.outcomes += part.outcomes
    return list(found.values())
