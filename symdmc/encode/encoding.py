"""The variables of a task as bits: binary codes over the values they can take, current and next bits side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symdmc.encode.diagrams import NO_DIAGRAMS, Diagrams, Node
from symdmc.encode.order.blocks import blocks
from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.task.task import Task, Values

MOST_VALUES = 1 << 16
"""Variables with more values than this are refused."""
WIDE_VALUES = 1 << 10
"""The bits of variables with more values than this are interleaved where they meet in an expression."""


@dataclass(frozen=True, slots=True)
class CodedVariable:
    """One variable: the value of each code, and its bits, the most significant first."""

    values: tuple[int, ...]
    codes: Mapping[int, int]
    """The code of each value."""
    current: tuple[str, ...]
    next: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bits:
    """The bits of some variables."""

    current: frozenset[str]
    next: frozenset[str]


class Encoding:
    """The diagrams of a task, and the bits of its variables in them.

    `order` has the variables of a state: all of the task, or the kept ones of an abstraction. The bits of any other
    variable are declared below all others when it is first used, to be quantified away; those of a wide one between the
    bits of the wide ones that it meets.
    """

    def __init__(
        self, task: Task, order: Sequence[int], *, backend: str = "cudd", memory_bytes: int | None = None
    ) -> None:
        self.task = task
        self.order = tuple(order)
        self.kept = frozenset(order)
        self._place = {number: place for place, number in enumerate(self.order)}
        self.variables = CodedVariables(task)
        domains = task.analysis.domains
        wide = [number for number in range(len(domains)) if WIDE_VALUES < domains[number].count <= MOST_VALUES]
        others = [number for number in wide if number not in self.kept]
        together = blocks(task, (*self.order, *others), wide)
        self.scattered = frozenset(number for block in together if len(block) > 1 for number in block)
        """The variables whose bits have bits of other variables between them."""
        self._blocks = [
            interleaved([self.variables[number] for number in block])
            for block in together
            if not self.kept.isdisjoint(block)
        ]
        self.variables.together = {number: block for block in together for number in block}
        bits = [bit for block in self._blocks for bit in block]
        self.diagrams = Diagrams(bits, backend=backend, memory_bytes=memory_bytes)
        self.variables.declare = self.diagrams.declare
        self._cubes: dict[tuple[int, int, bool], Node] = {}
        self._bits: dict[tuple[int, ...], Bits] = {}
        self._unchanged: dict[tuple[int, ...], Node] = {}
        self._valued: dict[int, Node] = {}

    @cached_property
    def _all_current(self) -> frozenset[str]:
        return frozenset(self.current_bits)

    @cached_property
    def current_bits(self) -> tuple[str, ...]:
        """All bits of a state."""
        return tuple(bit for number in self.order for bit in self.variables[number].current)

    def sift(self) -> None:
        """From now on improve the order of the variables whenever the diagrams have grown much."""
        self.diagrams.sift(self._blocks)

    def order_now(self) -> tuple[int, ...]:
        """The variables in the present order of the diagrams; those without bits last."""
        level = self.diagrams.bdd.level_of_var
        coded = [number for number in self.order if self.variables[number].current]
        ordered = sorted(coded, key=lambda number: int(level(self.variables[number].current[0])))
        return (*ordered, *(number for number in self.order if not self.variables[number].current))

    def in_order(self, numbers: Iterable[int]) -> list[int]:
        """Some variables, from the top of the diagrams down."""
        return sorted(numbers, key=lambda number: (self._place.get(number, len(self.order)), number))

    def numbers_in(self, node: Node) -> set[int]:
        """The variables whose bits a function depends on."""
        return {self.variables.owner[bit] for bit in self.diagrams.bdd.support(node)}

    def bits_of(self, numbers: tuple[int, ...]) -> Bits:
        """The bits of some variables."""
        if numbers not in self._bits:
            variables = [self.variables[number] for number in numbers]
            current = frozenset(bit for variable in variables for bit in variable.current)
            self._bits[numbers] = Bits(current, frozenset(bit for variable in variables for bit in variable.next))
        return self._bits[numbers]

    def unchanged(self, numbers: tuple[int, ...]) -> Node:
        """The steps that leave the variables unchanged."""
        if numbers not in self._unchanged:
            pairs = [
                pair
                for number in self.in_order(numbers)
                for pair in zip(self.variables[number].current, self.variables[number].next, strict=True)
            ]
            self._unchanged[numbers] = self.diagrams.equal(pairs)
        return self._unchanged[numbers]

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
        """The states in which a variable has a value; none if it never has it."""
        code = self.variables[number].codes.get(value)
        return self.diagrams.false if code is None else self.code_cube(number, code, after=after)

    def any_code(self, number: int, codes: Iterable[int]) -> Node:
        """The states in which a variable has one of these codes."""
        return self.diagrams.any_of(self.code_cube(number, code) for code in codes)

    def codes_in(self, states: Node, number: int) -> list[int]:
        """The codes that a variable has in some of the states."""
        d = self.diagrams
        own = self.variables[number].current
        seen = d.exists(states, self._all_current - self.bits_of((number,)).current)
        return sorted(_code(chosen, own) for chosen in d.bdd.pick_iter(seen, care_vars=set(own)))

    @cached_property
    def valid(self) -> Node:
        """The states whose codes all stand for a value."""
        diagrams = self.diagrams
        result = diagrams.true
        for number in reversed(self.order):
            result = diagrams.both(result, self.has_value(number))
        return result

    def has_value(self, number: int) -> Node:
        """The states in which the code of a variable stands for a value."""
        variable = self.variables[number]
        if len(variable.values) == 1 << len(variable.current):
            return self.diagrams.true
        if number not in self._valued:
            self._valued[number] = self.any_code(number, range(len(variable.values)))
        return self._valued[number]

    def state(self, values: Sequence[int]) -> Node:
        """The set of one state."""
        return self.partial_state({number: values[number] for number in self.order})

    def partial_state(self, values: Mapping[int, int]) -> Node:
        """The states in which some variables have these values."""
        result = self.diagrams.true
        for number in reversed(self.order):
            if number in values:
                result = self.diagrams.both(result, self.value_cube(number, values[number]))
        return result

    def count(self, states: Node) -> int:
        """The number of states in a set, which must have no invalid codes."""
        return self.diagrams.count(states, self.current_bits)

    def pick(self, states: Node) -> Values:
        """One state of a set that is not empty, always the same one; variables outside of the order have any value."""
        chosen = self.diagrams.bdd.pick(states, care_vars=set(self.current_bits))
        values = [variable.initial[0] for variable in self.task.variables]
        for number in self.order:
            variable = self.variables[number]
            values[number] = variable.values[_code(chosen, variable.current)]
        return tuple(values)


def interleaved(variables: Sequence[CodedVariable]) -> list[str]:
    """The bits of some variables, the most significant first, those of equal weight side by side."""
    weighted = [
        (place - len(variable.current), pair)
        for variable in variables
        for place, pair in enumerate(zip(variable.current, variable.next, strict=True))
    ]
    weighted.sort(key=lambda entry: entry[0])
    return [bit for _, pair in weighted for bit in pair]


def _code(chosen: Mapping[str, bool], bits: Sequence[str]) -> int:
    """The number with these bits, the most significant first."""
    code = 0
    for bit in bits:
        code = 2 * code + bool(chosen[bit])
    return code


class CodedVariables:
    """The coded variables of a task by number, each made when it is first used."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.declare: Callable[[Iterable[str]], None] = lambda bits: None
        """Called with the bits of all variables made from now on."""
        self.together: Mapping[int, Sequence[int]] = {}
        """The variables, with interleaved bits, that are made together with some variables."""
        self.owner: dict[str, int] = {}
        """The variable that each bit belongs to."""
        self._made: dict[int, CodedVariable] = {}

    def __getitem__(self, number: int) -> CodedVariable:
        if number not in self._made:
            made = {each: self._coded(each) for each in self.together.get(number, (number,))}
            self._made |= made
            for each, variable in made.items():
                self.owner |= dict.fromkeys((*variable.current, *variable.next), each)
            self.declare(interleaved(list(made.values())))
        return self._made[number]

    def _coded(self, number: int) -> CodedVariable:
        variable, domain = self.task.variables[number], self.task.analysis.domains[number]
        if domain.count > MOST_VALUES:
            what = f"variable {variable.name!r} can have {domain.count:,} values, too many for decision diagrams"
            raise UnsupportedFeature(Complaint(Code.TOO_LARGE_FOR_DIAGRAMS, what, NO_DIAGRAMS, variable.owner))
        values = tuple(int(value) for value in domain.array)
        current = tuple(f"v{number}b{k}" for k in range((len(values) - 1).bit_length()))
        codes = {value: code for code, value in enumerate(values)}
        return CodedVariable(values, codes, current, tuple(f"{bit}'" for bit in current))
