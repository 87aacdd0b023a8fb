"""The variables of a task as bits: binary codes over the values they can take, current and next bits side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symdmc.encode.diagrams import Diagrams, Node
from symdmc.errors import Complaint, UnsupportedFeature
from symdmc.task.task import Task, Values

MOST_VALUES = 1 << 16
"""Variables with more values than this are refused."""


@dataclass(frozen=True, slots=True)
class CodedVariable:
    """One variable: the value of each code, and its bits, the most significant first."""

    values: tuple[int, ...]
    current: tuple[str, ...]
    next: tuple[str, ...]


class Encoding:
    """The diagrams of a task and how its variables lie in them."""

    def __init__(
        self, task: Task, order: Sequence[int], *, backend: str = "cudd", memory_bytes: int | None = None
    ) -> None:
        self.task = task
        self.order = tuple(order)
        for variable, domain in zip(task.variables, task.analysis.domains, strict=True):
            if domain.count > MOST_VALUES:
                what = f"variable {variable.name!r} can have {domain.count:,} values, too many for decision diagrams"
                raise UnsupportedFeature(Complaint(what, "bound it, or use --engine explicit", variable.owner))
        self.variables = [_coded(number, domain.array) for number, domain in enumerate(task.analysis.domains)]
        bits = [
            bit
            for number in self.order
            for pair in zip(self.variables[number].current, self.variables[number].next, strict=True)
            for bit in pair
        ]
        self.diagrams = Diagrams(bits, backend=backend, memory_bytes=memory_bytes)
        self._cubes: dict[tuple[int, int, bool], Node] = {}

    @cached_property
    def current_bits(self) -> tuple[str, ...]:
        """All bits of a state."""
        return tuple(bit for variable in self.variables for bit in variable.current)

    def code_cube(self, number: int, code: int, *, after: bool = False) -> Node:
        """The states in which a variable has the value with this code."""
        key = (number, code, after)
        if key not in self._cubes:
            variable = self.variables[number]
            bits = variable.next if after else variable.current
            width = len(bits)
            assignment = {bit: bool(code >> (width - 1 - k) & 1) for k, bit in enumerate(bits)}
            self._cubes[key] = self.diagrams.cube(assignment) if assignment else self.diagrams.true
        return self._cubes[key]

    def value_cube(self, number: int, value: int, *, after: bool = False) -> Node:
        """The states in which a variable has a value; none when it never has it."""
        values = self.variables[number].values
        if value not in values:
            return self.diagrams.false
        return self.code_cube(number, values.index(value), after=after)

    def any_code(self, number: int, codes: Iterable[int]) -> Node:
        """The states in which a variable has one of these codes."""
        return self.diagrams.any_of(self.code_cube(number, code) for code in codes)

    def codes_in(self, states: Node, number: int) -> list[int]:
        """The codes that a variable has in some of the states."""
        variable = self.variables[number]
        others = [bit for each in self.variables if each is not variable for bit in each.current]
        seen = self.diagrams.exists(states, others)
        return [c for c in range(len(variable.values)) if self.diagrams.both(seen, self.code_cube(number, c)) != self.diagrams.false]

    @cached_property
    def valid(self) -> Node:
        """The states whose codes all stand for a value."""
        diagrams = self.diagrams
        result = diagrams.true
        for number in reversed(self.order):
            variable = self.variables[number]
            if len(variable.values) < 1 << len(variable.current):
                codes = (self.code_cube(number, code) for code in range(len(variable.values)))
                result = diagrams.both(result, diagrams.any_of(codes))
        return result

    def state(self, values: Sequence[int]) -> Node:
        """The set of one state."""
        result = self.diagrams.true
        for number in reversed(self.order):
            result = self.diagrams.both(result, self.value_cube(number, values[number]))
        return result

    def count(self, states: Node) -> int:
        """How many states a set has; the set must have no invalid codes."""
        return self.diagrams.count(states, self.current_bits)

    def pick(self, states: Node) -> Values:
        """One state of a set that is not empty; always the same one."""
        chosen = self.diagrams.bdd.pick(states, care_vars=set(self.current_bits))
        codes = (
            sum(bool(chosen[bit]) << (len(v.current) - 1 - k) for k, bit in enumerate(v.current))
            for v in self.variables
        )
        return tuple(v.values[code] for v, code in zip(self.variables, codes, strict=True))


def _coded(number: int, values: NDArray[np.int64]) -> CodedVariable:
    width = (len(values) - 1).bit_length()
    current = tuple(f"v{number}b{k}" for k in range(width))
    return CodedVariable(tuple(int(value) for value in values), current, tuple(f"{bit}'" for bit in current))
