"""Look-up by the monotonicity abstraction: chains forward from the facts of a state, and back along what was needed.

Facts are reached in *rounds*. Operators whose facts have all been reached run together: those of cost 0 in the next
round, those of cost 1 when no operator of cost 0 is left, which begins a new *layer*. Each fact remembers the operator
that reached it first; of several in one round, the one with the smallest number. What is here in Python is the
definition; the kernel in `kernel.relaxation_chaining` does the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from symdmc.kernel.lookup import DEAD_END, RELAXATION, WIDEST, Int32s
from symdmc.kernel.packing import Packing
from symdmc.task.relaxed import RelaxedTask
from symdmc.task.relaxed_operators import NO_TRANSITION

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
HEAD = 17

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
    rank: list[int]
    """For each fact the round in which it was reached, or NOT_REACHED."""
    supporter: list[int]
    """For each fact reached in a later round than 0 the operator that reached it."""
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

        Found by chaining back: of each fact needed its supporter is taken, whose facts are then needed. A transition
        counts once in a round, whatever it reaches there. Without `indirect` dependencies the operands of what is
        stored are not looked for; the path then shows what decides, but need not be executable.
        """
        relaxed, rank = self.relaxed, self.rank
        needed = {relaxed.goal}
        taken: set[tuple[int, int]] = set()
        steps: list[AbstractStep] = []
        by_rank: list[list[int]] = [[] for _ in self.layers]
        by_rank[rank[relaxed.goal]].append(relaxed.goal)
        for current in range(len(self.layers) - 1, 0, -1):
            for fact in sorted(by_rank[current]):
                operator = self.supporter[fact]
                transition = int(relaxed.transition[operator])
                if transition != NO_TRANSITION and (transition, current) not in taken:
                    taken.add((transition, current))
                    steps.append(AbstractStep(transition, self.layers[current], int(relaxed.cost[operator])))
                for other in relaxed.needs(operator, indirect=indirect):
                    if other not in needed:
                        needed.add(other)
                        by_rank[rank[other]].append(other)
        return tuple(reversed(steps))


def chain(relaxed: RelaxedTask, start: Iterable[int], *, beyond_goal: bool = False) -> Chained:
    """Forward chaining from some facts; ends in the round of the error condition, unless it is to go beyond."""
    begun = sorted(set(start))
    rank = [NOT_REACHED] * relaxed.count
    supporter = [NO_TRANSITION] * relaxed.count
    layers = [0]
    for fact in begun:
        rank[fact] = 0
    needed = np.diff(relaxed.start).tolist()
    users, user_start = relaxed.users
    soon: list[int] = []
    later: list[int] = []
    fresh = begun
    while beyond_goal or rank[relaxed.goal] == NOT_REACHED:
        for fact in fresh:
            for operator in users[user_start[fact] : user_start[fact + 1]].tolist():
                needed[operator] -= 1
                if needed[operator] == 0:
                    (later if relaxed.cost[operator] else soon).append(operator)
        if not soon and not later:
            break
        layers.append(layers[-1] if soon else layers[-1] + 1)
        current, soon, later = (soon, [], later) if soon else (later, [], [])
        fresh = []
        for operator in sorted(current):
            for fact in relaxed.after[relaxed.after_start[operator] : relaxed.after_start[operator + 1]].tolist():
                if rank[fact] == NOT_REACHED:
                    rank[fact], supporter[fact] = len(layers) - 1, operator
                    fresh.append(fact)
    return Chained(relaxed, rank, supporter, layers)


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
        if field.mask.bit_length() > WIDEST:
            raise ValueError(f"variable {number} has too many values for a look-up table: {field.mask + 1:,}")
        contents = self.relaxed.facts.of_values(number, np.arange(field.mask + 1) + field.low)
        return np.concatenate([[field.word, field.shift, field.mask], contents]).astype(np.int32)


def image_of(relaxed: RelaxedTask, measure: int, sure: Sequence[int], fields: Int32s) -> Int32s:
    """A relaxation as one array of integers; `fields` has the variables that are read from packed states."""
    arrays = list(_arrays(relaxed, sure, fields))
    transitions = int(relaxed.transition.max(initial=0)) + 1
    begins = HEAD + np.concatenate([[0], np.cumsum([len(each) for each in arrays])[:-1]])
    head = [relaxed.count, len(relaxed), relaxed.goal, measure, transitions, *begins]
    return np.concatenate([head, *arrays]).astype(np.int32)


def _arrays(relaxed: RelaxedTask, sure: Sequence[int], fields: Int32s) -> Iterator[Int32s]:
    users, user_start = relaxed.users
    yield np.array([len(sure), *sure], dtype=np.int32)
    yield fields
    yield np.diff(relaxed.start)
    yield from (relaxed.start, relaxed.direct, relaxed.before, relaxed.after_start, relaxed.after)
    yield from (relaxed.cost, relaxed.transition, user_start, users)
