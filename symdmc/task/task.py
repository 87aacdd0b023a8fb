"""A system compiled for one question: finite-domain variables, a flat list of transitions, the error condition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from symdmc.model.expressions import TRUE, At, Cell, Expr, Literal, Ref, Target, conjunction, negation, walk
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import EdgeRef, State, Step
from symdmc.model.system import Range, System
from symdmc.spelling.abridged import brief
from symdmc.task.definitions import Definition, Holds

if TYPE_CHECKING:
    from symdmc.task.values.analysis import ValueAnalysis

Values: TypeAlias = tuple[int, ...]
"""A state of a task: one integer for each variable; a location is its number in the process."""


class VariableKind(Enum):
    """What a variable of a task stands for."""

    LOCATION = "location"
    INTEGER = "integer"
    CELL = "array cell"
    BUFFER = "buffer"
    DERIVED = "derived variable"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVariable:
    """One finite-domain variable: the location of a process, an integer, or a cell of an array or buffer."""

    name: str
    kind: VariableKind
    type: Range
    initial: tuple[int, ...]
    owner: str | None = None
    """The process or channel it belongs to."""
    value_names: tuple[str, ...] = ()
    """For a location variable: the names of the locations, by number."""
    digital_clock: bool = False
    """Whether the integer or cell counts time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The variables of a task that the names of its system stand for."""

    process: Mapping[str, int]
    """The variable that holds the location of a process."""
    location: Mapping[tuple[str, str], int]
    """The number of a location in its process."""
    first: Mapping[str, int]
    """The variable of a scalar, or of cell 0 of an array."""
    cells: Mapping[str, int]
    """How many variables the name stands for: 1 for a scalar."""

    def support(self, expression: Expr) -> frozenset[int]:
        """The variables that the value of an expression may depend on."""
        found: set[int] = set()
        for part in walk(expression):
            match part:
                case Ref(name):
                    found.add(self.first[name])
                case Cell(array, Literal(index)) if 0 <= index < self.cells[array]:
                    found.add(self.first[array] + index)
                case Cell(array, _):
                    found.update(range(self.first[array], self.first[array] + self.cells[array]))
                case At(process, _):
                    found.add(self.process[process])
        return frozenset(found)

    def place(self, process: str, location: str) -> tuple[int, int]:
        """The variable of a process, and the value it has at a location."""
        return self.process[process], self.location[process, location]

    def basis(self, definition: Definition) -> frozenset[int]:
        """The variables that a derived one depends on."""
        return self.support(definition.condition) if isinstance(definition, Holds) else frozenset({definition.variable})

    def surely_exists(self, target: Target) -> bool:
        """Whether the place exists in every state: a scalar, or a constant index inside the array."""
        match target:
            case Ref():
                return True
            case Cell(array, Literal(index)):
                return 0 <= index < self.cells[array]
            case _:
                return False

    def targets(self, target: Target) -> range:
        """The variables that a store may write."""
        match target:
            case Ref(name):
                return range(self.first[name], self.first[name] + 1)
            case Cell(array, Literal(index)) if 0 <= index < self.cells[array]:
                return range(self.first[array] + index, self.first[array] + index + 1)
            case Cell(array, _):
                return range(self.first[array], self.first[array] + self.cells[array])


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One edge's part in a transition: always taken when `condition` is None, else where it holds before the step."""

    edge: EdgeRef
    process: str
    source: str
    target: str
    condition: Expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Store a value; updates run in sequence, where `condition` (read before the step) holds."""

    target: Target
    value: Expr
    before: bool = False
    """The value is read in the state before the step (a passed value); its place is always found in the current one."""
    condition: Expr | None = None

    @property
    def operands(self) -> tuple[Expr, ...]:
        """What is computed where it is done: the value, and the index of a cell."""
        return (self.value, self.target.index) if isinstance(self.target, Cell) else (self.value,)


def conditions_of(parts: Iterable[Branch | Update]) -> list[Expr]:
    """The conditions of branches and updates; one that several of them share appears once."""
    found = {id(each.condition): each.condition for each in parts}
    return [condition for condition in found.values() if condition is not None]


def overwritten(layout: Layout, updates: Iterable[Update]) -> list[int]:
    """The scalars that updates store in under a condition: where it does not hold, they keep what they had."""
    conditional = (each.target for each in updates if each.condition is not None)
    return [layout.first[target.name] for target in conditional if isinstance(target, Ref)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One way in which the system can move.

    It is possible where every unconditional branch is at its source, commitment permits it, and the guard holds. It
    then runs the updates and moves the taken branches to their targets; the result must satisfy the invariant.
    """

    label: str
    cost: int
    branches: tuple[Branch, ...]
    guard: Expr
    updates: tuple[Update, ...]
    yields_to_commitment: bool = False
    """Not possible while some process is at a committed location."""

    @property
    def fixed(self) -> tuple[Branch, ...]:
        """The branches that are always taken."""
        return tuple(branch for branch in self.branches if branch.condition is None)


@dataclass(frozen=True, kw_only=True, repr=False)
class Task:
    """A system and an error condition, flattened; all that an engine needs, and no more."""

    system: System
    error: ErrorCondition
    variables: tuple[TaskVariable, ...]
    transitions: tuple[Transition, ...]
    layout: Layout
    commitment: Expr
    """Some process is at a committed location."""
    invariant: Expr
    """Holds in every state: the invariants of all locations."""
    definitions: Mapping[int, Definition] = field(default_factory=dict)
    """The derived variables, which come last: functions of the others. No expression or state contains them."""

    def __repr__(self) -> str:
        about = {"variables": len(self.variables), "transitions": len(self.transitions)}
        return brief("Task", self.system.name, error=self.error.name, **about)

    @cached_property
    def analysis(self) -> ValueAnalysis:
        """The value analysis: for each variable the values it can ever take (computed once, on first use)."""
        return self.analyse(lambda: None)

    def analyse(self, checkpoint: Callable[[], None]) -> ValueAnalysis:
        """The value analysis; while it is computed, `checkpoint` is called now and then and may raise to end it."""
        from symdmc.task.values.analysis import analyse_values

        if "analysis" not in self.__dict__:  # where cached_property keeps it
            self.__dict__["analysis"] = analyse_values(self, checkpoint)
        analysis: ValueAnalysis = self.__dict__["analysis"]
        return analysis

    @cached_property
    def semantics(self) -> Semantics:
        """The reference semantics of the system."""
        return Semantics(self.system)

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal for equal systems and error conditions."""
        from symdmc.task.fingerprint import task_fingerprint

        return task_fingerprint(self)

    def full_guard(self, transition: Transition) -> Expr:
        """Everything a transition needs before the step, as one expression."""
        places = (At(branch.process, branch.source) for branch in transition.fixed)
        free = negation(self.commitment) if transition.yields_to_commitment else TRUE
        return conjunction(*places, free, transition.guard)

    def steps_of(self, transition: Transition, state: State) -> list[Step]:
        """The steps of a transition from a state, by the reference semantics."""
        moves = self.semantics.moves(state, self.is_team(transition, state))
        return [move for move in moves if isinstance(move, Step)]

    def is_team(self, transition: Transition, state: State) -> Callable[[Collection[EdgeRef]], bool]:
        """A test whether edges are those that a transition takes in a state; false everywhere if it is not possible."""
        holds = self.semantics.holds
        possible = holds(self.full_guard(transition), state)
        taken = {each.edge for each in transition.branches if each.condition is None or holds(each.condition, state)}
        return lambda edges: possible and taken == set(edges)

    def initial_values(self) -> Iterator[Values]:
        """Every initial state."""
        return (self.values(state) for state in self.semantics.initial_states())

    def state(self, values: Sequence[int]) -> State:
        """The state of the system that the values stand for."""
        processes = self.system.processes
        locations = tuple(process.locations[values[i]].name for i, process in enumerate(processes))
        rest = iter(values[len(processes) :])
        cells = tuple(tuple(int(next(rest)) for _ in range(variable.cells)) for variable in self.system.storage)
        return State(locations, cells)

    def values(self, state: State) -> Values:
        """The values that stand for a state of the system."""
        places = (
            self.layout.location[process.name, location]
            for process, location in zip(self.system.processes, state.locations, strict=True)
        )
        return (*places, *(value for cells in state.values for value in cells))
