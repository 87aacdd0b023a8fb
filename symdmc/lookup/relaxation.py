"""Look-up by the monotonicity abstraction: chains forward from the facts of a state, and back along what was needed.

Facts are reached in *rounds*. Operators whose facts have all been reached run together: those of cost 0 in the next
round, those of cost 1 when no operator of cost 0 is left, which begins a new *layer*. Chaining back, a fact is
supported by one of the operators that reach it in its round: one whose transition is taken in this round anyway, else
one with the fewest facts that are not needed so far, else the first. What is here in Python is the definition; the
kernel in `lookup.relaxation_chaining` does the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.lookup.tables import DEAD_END, RELAXATION, field_block, values_in
from symdmc.packed.arrays import Int32s
from symdmc.packed.packing import Packing
from symdmc.task.relaxation.operators import NO_TRANSITION
from symdmc.task.relaxation.relaxed import RelaxedTask

# How a relaxation lies in an array of integers: numbers, then where each array of it begins.
FACTS = 0
OPERATORS = 1
GOAL = 2
MEASURE = 3
TRANSITIONS = 4  # one more than the largest number of one
SURE = 5  # facts that hold in every state; their number comes first
FIELDS = 6  # variables; their number comes first; each has a field, and a fact or 0 for each content of that
NEED = 7  # how many facts each operator needs
START = 8
DIRECT = 9
BEFORE = 10
AFTER_START = 11
AFTER = 12
COST = 13
TRANSITION = 14
USER_START = 15
USERS = 16
ADDER_START = 17
ADDERS = 18
HEAD = 19

# A variable among the fields.
FIELD_WORD = 0
FIELD_SHIFT = 1
FIELD_MASK = 2
FIELD_FACTS = 3

# What the code of a state is.
LAYER = 0  # the layer in which the error condition is reached
PATH = 1  # the cost of an abstract error path
DIRECT_PATH = 2  # the same without looking for the operands of what is stored

NOT_REACHED = -1


@dataclass(frozen=True, slots=True)
class AbstractStep:
    """A transition of an abstract error path, and the layer of what it reaches."""

    transition: int
    layer: int
    cost: int


@dataclass(frozen=True, slots=True)
class Chained:
    """What forward chaining reached, round by round, until the error condition or until nothing was new."""

    relaxed: RelaxedTask
    order: list[int]
    """The facts in the order in which they were reached."""
    rank: list[int]
    """For each fact the round in which it was reached, or NOT_REACHED."""
    ran: list[int]
    """For each operator the round in which it ran, or NOT_REACHED."""
    layers: list[int]
    """The layer of each round."""

    def is_reached(self, fact: int) -> bool:
        """Whether a fact was reached."""
        return self.rank[fact] != NOT_REACHED

    @property
    def layer(self) -> int:
        """The layer in which the error condition was reached."""
        return self.layers[self.rank[self.relaxed.goal]]

    def path(self, *, indirect: bool = True) -> tuple[AbstractStep, ...]:
        """Transitions that reach the error condition when variables accumulate values, in that order.

        Found by chaining back: for each fact needed an operator is taken, whose facts are then needed. A transition
        counts once in a round, whatever it reaches there. Without `indirect` dependencies the operands of what is
        stored are not looked for; the path then shows what decides, but need not be executable.
        """
        needed = {self.relaxed.goal}
        taken: set[tuple[int, int]] = set()
        steps: list[AbstractStep] = []
        for fact in reversed(self.order):
            current = self.rank[fact]
            if fact not in needed or current == 0:
                continue
            operator = self._supporter(fact, needed, taken, indirect)
            transition = int(self.relaxed.transition[operator])
            if transition != NO_TRANSITION and (transition, current) not in taken:
                taken.add((transition, current))
                steps.append(AbstractStep(transition, self.layers[current], int(self.relaxed.cost[operator])))
            needed.update(self.relaxed.needs(operator, indirect=indirect))
        return tuple(reversed(steps))

    def _supporter(self, fact: int, needed: set[int], taken: set[tuple[int, int]], indirect: bool) -> int:
        current = self.rank[fact]
        adders, start = self.relaxed.adders
        best, fewest = NO_TRANSITION, -1
        for operator in adders[start[fact] : start[fact + 1]].tolist():
            if self.ran[operator] != current:
                continue
            if (int(self.relaxed.transition[operator]), current) in taken:
                return int(operator)
            needs = self.relaxed.needs(operator, indirect=indirect)
            new = sum(1 for each in needs if each not in needed and self.rank[each] > 0)
            if best == NO_TRANSITION or new < fewest:
                best, fewest = operator, new
        return best


def chain(relaxed: RelaxedTask, start: Iterable[int], *, beyond_goal: bool = False) -> Chained:
    """Forward chaining from some facts; ends in the round of the error condition, unless it is to go beyond."""
    order = list(start)
    rank, ran = [NOT_REACHED] * relaxed.count, [NOT_REACHED] * len(relaxed)
    layers = [0]
    for fact in order:
        rank[fact] = 0
    missing = np.diff(relaxed.start).tolist()
    users, user_start = relaxed.users
    soon: list[int] = []
    later: list[int] = []
    done = 0
    while beyond_goal or rank[relaxed.goal] == NOT_REACHED:
        for fact in order[done:]:
            for operator in users[user_start[fact] : user_start[fact + 1]].tolist():
                missing[operator] -= 1
                if missing[operator] == 0:
                    (later if relaxed.cost[operator] else soon).append(operator)
        done = len(order)
        if not soon and not later:
            break
        layers.append(layers[-1] if soon else layers[-1] + 1)
        running, soon, later = (soon, [], later) if soon else (later, [], [])
        for operator in running:
            ran[operator] = len(layers) - 1
            for fact in relaxed.after[relaxed.after_start[operator] : relaxed.after_start[operator + 1]].tolist():
                if rank[fact] == NOT_REACHED:
                    rank[fact] = len(layers) - 1
                    order.append(fact)
    return Chained(relaxed, order, rank, ran, layers)


@dataclass(frozen=True, eq=False)
class Relaxation:
    """Estimates by the monotonicity abstraction of a task in which some variables may have any value."""

    relaxed: RelaxedTask
    measure: int = LAYER
    free: frozenset[int] = frozenset()

    @property
    def kind(self) -> int:
        """How the kernels find the code."""
        return RELAXATION

    def code_of(self, values: Sequence[int]) -> int:
        """The code of a state given by its values."""
        chained = self.chained(values)
        if chained is None:
            return DEAD_END
        if self.measure == LAYER:
            return chained.layer
        return sum(step.cost for step in chained.path(indirect=self.measure == PATH))

    def chained(self, values: Sequence[int]) -> Chained | None:
        """What is reached from a state up to the error condition; None for a dead end."""
        found = chain(self.relaxed, self.relaxed.facts.of_state(values, self.free))
        return found if found.is_reached(self.relaxed.goal) else None

    def laid_out(self, packing: Packing, place: int) -> tuple[Int32s, int]:
        """The numbers, then the arrays."""
        facts = self.relaxed.facts
        known = [number for number in facts.numbers if number not in self.free]
        fields = np.concatenate([[len(known)], *(self._field(number, packing) for number in known)])
        freed = (fact for number in sorted(self.free) for fact in facts.of_variable(number))
        return image_of(self.relaxed, self.measure, [0, *freed], fields), place

    def _field(self, number: int, packing: Packing) -> Int32s:
        field = packing.fields[number]
        return field_block(field, self.relaxed.facts.of_values(number, values_in(field, number)))


def image_of(relaxed: RelaxedTask, measure: int, sure: Sequence[int], fields: Int32s) -> Int32s:
    """A relaxation as one array of integers; `fields` has the variables that are read from packed states."""
    arrays = list(_arrays(relaxed, sure, fields))
    transitions = int(relaxed.transition.max(initial=0)) + 1
    begins = HEAD + np.concatenate([[0], np.cumsum([len(each) for each in arrays])[:-1]])
    head = [relaxed.count, len(relaxed), relaxed.goal, measure, transitions, *begins]
    return np.concatenate([head, *arrays]).astype(np.int32)


def _arrays(relaxed: RelaxedTask, sure: Sequence[int], fields: Int32s) -> Iterator[Int32s]:
    users, user_start = relaxed.users
    adders, adder_start = relaxed.adders
    yield np.array([len(sure), *sure], dtype=np.int32)
    yield fields
    yield np.diff(relaxed.start)
    yield from (relaxed.start, relaxed.direct, relaxed.before, relaxed.after_start, relaxed.after)
    yield from (relaxed.cost, relaxed.transition, user_start, users, adder_start, adders)
