"""Tasks and checks that the tests of predicates, entailment and cartesian abstraction share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from symdmc.abstraction.predicates.predicate import Claim, Truth
from symdmc.checking.checks import task_for
from symdmc.model.builder import Builder
from symdmc.model.expressions import Expr
from symdmc.model.state import State
from symdmc.task.task import Task


def free_task(**ranges: tuple[int, int]) -> Task:
    """A task whose variables can have every value of their ranges, whatever the others have; q has three locations."""
    m = Builder("free")
    process = m.process("Q", initial=["a", "b", "c"])
    for place in ("a", "b", "c"):
        process.location(place)
    for name, (low, high) in ranges.items():
        wide = high - low >= 1000
        m.integer(name, low, high, initial=low if wide else [range(low, high + 1)])
        if wide:
            process.edge("a", "a", do=f"{name} = {name} + 1")
    return task_for(m.build(), error="Q.a")


def states_of(task: Task) -> Iterator[State]:
    """Every combination of analysed values."""
    for values in product(*(map(int, domain.array) for domain in task.analysis.domains)):
        yield task.state(values)


def truth_in(task: Task, truth: Truth, state: State) -> bool:
    """Whether what is left of a condition holds in a state."""
    if not isinstance(truth, Claim):
        return truth
    return task.semantics.holds(truth.predicate.expression, state) == truth.holds


def holds(task: Task, expression: Expr, state: State) -> bool:
    """Whether a condition holds in a state, by the reference semantics."""
    return task.semantics.holds(expression, state)
