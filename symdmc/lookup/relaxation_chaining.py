"""Chaining in the monotonicity abstraction, compiled; `lookup.relaxation` says what it does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symdmc.lookup import relaxation as at
from symdmc.lookup.tables import DEAD_END
from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, making_arrays

Bools = NDArray[np.bool_]


class Reached(NamedTuple):
    """What chaining forward has reached."""

    queue: Int32s
    """The facts, in the order in which they were reached."""
    size: int
    """The number of facts in the queue."""
    layer: int
    rank: Int32s
    """For each fact the round in which it was reached, or NOT_REACHED."""
    ran: Int32s
    """For each operator the round in which it ran, or NOT_REACHED."""


@making_arrays
def _forward(image: Int32s, root: int, queue: Int32s, count: int) -> Reached:
    """Chain from the first `count` facts in the queue, to which the others are added."""
    rank = np.full(image[root + at.FACTS], at.NOT_REACHED, np.int32)
    ran = np.full(image[root + at.OPERATORS], at.NOT_REACHED, np.int32)
    for place in range(count):
        rank[queue[place]] = 0
    need, start = root + image[root + at.NEED], root + image[root + at.AFTER_START]
    after, costs = root + image[root + at.AFTER], root + image[root + at.COST]
    user_start, users = root + image[root + at.USER_START], root + image[root + at.USERS]
    goal, operators = image[root + at.GOAL], image[root + at.OPERATORS]
    missing = image[need : need + operators].copy()
    soon, later = np.empty(operators, np.int32), np.empty(operators, np.int32)
    soon_count, later_count = 0, 0
    head, current, layer = 0, 0, 0
    while rank[goal] == at.NOT_REACHED:
        while head < count:
            fact = queue[head]
            head += 1
            for k in range(image[user_start + fact], image[user_start + fact + 1]):
                operator = image[users + k]
                missing[operator] -= 1
                if missing[operator] == 0:
                    if image[costs + operator] == 0:
                        soon[soon_count] = operator
                        soon_count += 1
                    else:
                        later[later_count] = operator
                        later_count += 1
        if soon_count == 0:
            if later_count == 0:
                break
            soon, later = later, soon
            soon_count, later_count = later_count, 0
            layer += 1
        current += 1
        for place in range(soon_count):
            operator = soon[place]
            ran[operator] = current
            for k in range(image[start + operator], image[start + operator + 1]):
                fact = image[after + k]
                if rank[fact] == at.NOT_REACHED:
                    rank[fact] = current
                    queue[count] = fact
                    count += 1
        soon_count = 0
    return Reached(queue, count, layer, rank, ran)


@compiled
def _end_of_needs(image: Int32s, root: int, operator: int) -> int:
    """Where the facts end that are looked for when an operator is taken."""
    start = root + image[root + at.START]
    if image[root + at.MEASURE] == at.DIRECT_PATH:
        return int(image[start + operator] + image[root + image[root + at.DIRECT] + operator])
    return int(image[start + operator + 1])


@compiled
def _supporter(image: Int32s, root: int, fact: int, reached: Reached, needed: Bools, taken: Int32s) -> int:
    """The operator that is taken for a fact."""
    start, before = root + image[root + at.START], root + image[root + at.BEFORE]
    adder_start, adders = root + image[root + at.ADDER_START], root + image[root + at.ADDERS]
    transitions = root + image[root + at.TRANSITION]
    rank, ran = reached.rank, reached.ran
    best, fewest = -1, 0
    for k in range(image[adder_start + fact], image[adder_start + fact + 1]):
        operator = image[adders + k]
        if ran[operator] != rank[fact]:
            continue
        transition = image[transitions + operator]
        if transition >= 0 and taken[transition] == rank[fact]:
            return int(operator)
        new = 0
        for place in range(image[start + operator], _end_of_needs(image, root, operator)):
            other = image[before + place]
            if not needed[other] and rank[other] > 0:
                new += 1
        if best < 0 or new < fewest:
            best, fewest = operator, new
    return best


@making_arrays
def _path_cost(image: Int32s, root: int, reached: Reached) -> int:
    """The cost of the path back from the error condition; of all facts needed the last one reached comes first."""
    start, before = root + image[root + at.START], root + image[root + at.BEFORE]
    costs, transitions = root + image[root + at.COST], root + image[root + at.TRANSITION]
    needed = np.zeros(image[root + at.FACTS], np.bool_)
    needed[image[root + at.GOAL]] = True
    taken = np.zeros(image[root + at.TRANSITIONS], np.int32)  # no transition runs in round 0
    rank = reached.rank
    total = 0
    for place in range(reached.size - 1, -1, -1):
        fact = reached.queue[place]
        if not needed[fact] or rank[fact] == 0:
            continue
        operator = _supporter(image, root, fact, reached, needed, taken)
        transition = image[transitions + operator]
        if transition >= 0 and taken[transition] != rank[fact]:
            taken[transition] = rank[fact]
            total += image[costs + operator]
        for k in range(image[start + operator], _end_of_needs(image, root, operator)):
            needed[image[before + k]] = True
    return total


@making_arrays
def code_from(image: Int32s, root: int, queue: Int32s, count: int) -> int:
    """The code of the state whose facts are the first `count` ones in the queue, which has room for all facts."""
    reached = _forward(image, root, queue, count)
    if reached.rank[image[root + at.GOAL]] == at.NOT_REACHED:
        return DEAD_END
    if image[root + at.MEASURE] == at.LAYER:
        return reached.layer
    return _path_cost(image, root, reached)


@making_arrays
def relaxation_code(image: Int32s, root: int, states: Int64s, base: int) -> int:
    """The code of the packed state at `base`."""
    queue = np.empty(image[root + at.FACTS], np.int32)
    sure = root + image[root + at.SURE]
    count = image[sure]
    for place in range(count):
        queue[place] = image[sure + 1 + place]
    field = root + image[root + at.FIELDS]
    variables = image[field]
    field += 1
    for _ in range(variables):
        mask = image[field + at.FIELD_MASK]
        word = states[base + image[field + at.FIELD_WORD]]
        fact = image[field + at.FIELD_FACTS + ((word >> image[field + at.FIELD_SHIFT]) & mask)]
        if fact != 0:
            queue[count] = fact
            count += 1
        field += at.FIELD_FACTS + mask + 1
    return code_from(image, root, queue, count)


@making_arrays
def reached_from(image: Int32s, root: int, queue: Int32s, count: int) -> int:
    """Chain from the first `count` facts in the queue; how many are in it then, or -1 where the error is reached."""
    reached = _forward(image, root, queue, count)
    return -1 if reached.rank[image[root + at.GOAL]] != at.NOT_REACHED else reached.size
