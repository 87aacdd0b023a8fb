"""What symdmc says about a draft, held to brute force: states, traces, certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from math import prod

from campaigns.fuzz.brute_force import Machine, Space, State
from campaigns.fuzz.drafts import Expression
from symdmc.evidence.certificate import Certificate
from symdmc.model import expressions as written
from symdmc.model import state as theirs
from symdmc.model.system import System
from symdmc.model.trace import Trace

MOST_DECLARED = 3_000
"""At most this many states within the declared ranges: all are looked at, to judge a certificate to the last."""


class Wrong(Exception):
    """Symdmc is wrong, or failed: what, in words that stay the same while the draft is shrunk, and details."""

    def __init__(self, what: str, details: str = "") -> None:
        super().__init__(f"{what}: {details}" if details else what)
        self.what, self.details = what, details


def require(holds: bool, what: str, details: str = "") -> None:
    """Raise Wrong unless it holds."""
    if not holds:
        raise Wrong(what, details)


class View:
    """The states of a system that symdmc read, as brute force has them, and the other way round."""

    def __init__(self, machine: Machine, system: System) -> None:
        self.machine, self.system = machine, system
        self.names = [[place.name for place in process.places] for process in machine.draft.processes]
        self.spans = [(machine.start[each.name], each.cells) for each in system.storage]
        self.count = len(machine.draft.processes) + sum(count for _, count in self.spans)

    def state(self, state: theirs.State) -> State:
        """The state, as brute force has it."""
        cells = [*(self.machine.places[i][name] for i, name in enumerate(state.locations))]
        cells += [0] * (self.count - len(cells))
        for (start, count), values in zip(self.spans, state.values, strict=True):
            require(len(values) == count, "a state of another shape")
            cells[start : start + count] = values
        return tuple(cells)

    def shown(self, state: State) -> theirs.State:
        """The state, as symdmc has it."""
        locations = tuple(names[state[i]] for i, names in enumerate(self.names))
        return theirs.State(locations, tuple(tuple(state[start : start + count]) for start, count in self.spans))


def objection(view: View, trace: Trace, *, is_error: bool) -> str | None:
    """Why a trace is none, by brute force; None if it is right. With `is_error` its last state is an error state."""
    machine = view.machine
    state = view.state(trace.initial)
    if state not in set(machine.initial()):
        return "it does not start in an initial state"
    for number, step in enumerate(trace.steps):
        after = view.state(step.successor)
        moves = [(move.team, move.cost, move.after) for move in machine.moves(state)]
        if (step.edges, step.cost, after) not in moves:
            return f"there is no step {number + 1}"
        state = after
    return "its last state is no error state" if is_error and not machine.is_error(state) else None


def expression_of(expression: written.Expr) -> Expression:
    """An expression of symdmc's as one of the campaign's."""
    match expression:
        case written.Literal(value):
            return ("n", value)
        case written.Ref(name):
            return ("v", name)
        case written.Cell(array, index):
            return ("c", array, expression_of(index))
        case written.At(process, location):
            return ("@", process, location)
        case written.Unary(operator, operand):
            return ("u", operator, expression_of(operand))
        case written.Binary(operator, left, right):
            return ("b", operator, expression_of(left), expression_of(right))
        case written.Conditional(condition, then, otherwise):
            return ("?", expression_of(condition), expression_of(then), expression_of(otherwise))


def membership(view: View, certificate: Certificate) -> Callable[[State], bool]:
    """Whether a state is in the set of a certificate, by the campaign's own evaluation of its diagrams."""
    machine = view.machine
    listed = {view.state(state) for state in certificate.states}
    pieces = [
        [
            ([machine.value(expression_of(atom)) for atom in each.atoms], each.nodes, each.root)
            for each in piece.diagrams
        ]
        for piece in certificate.pieces
    ]

    def contains(state: State) -> bool:
        if state in listed:
            return True
        for diagrams in pieces:
            for atoms, nodes, root in diagrams:
                node = root
                while node > 1:
                    atom, low, high = nodes[node - 2]
                    node = high if machine.holds(atoms[atom], state) else low
                if node == 0:
                    break
            else:
                return True
        return False

    return contains


def gap(view: View, space: Space, certificate: Certificate) -> str | None:
    """Why a certificate proves nothing, by brute force; None where nothing was found that speaks against it.

    Only where there are few states within the declared ranges are all of them looked at, the unreachable ones too.
    """
    contains = membership(view, certificate)
    if not all(map(contains, space.initial)):
        return "an initial state is missing"
    everything = _declared(view) if _declared_count(view) <= MOST_DECLARED else space.moves
    for state in everything:
        if not contains(state):
            continue
        moves = space.moves[state] if state in space.moves else view.machine.moves(state)
        if view.machine.is_error(state, moves):
            return "an error state is in it"
        if any(move.after is not None and not contains(move.after) for move in moves):
            return "a step leads out of it"
    return None


def is_judged_to_the_last(view: View) -> bool:
    """Whether `gap` looks at all states there are."""
    return _declared_count(view) <= MOST_DECLARED


def _cells(view: View) -> list[tuple[int, range | tuple[int, ...]]]:
    """For each integer of a state its place, and what it may be."""
    found: list[tuple[int, range | tuple[int, ...]]] = [(i, range(len(names))) for i, names in enumerate(view.names)]
    for (start, count), variable in zip(view.spans, view.system.storage, strict=True):
        for k in range(count):
            declared = range(variable.type.low, variable.type.high + 1)
            found.append((start + k, variable.initial[k] if variable.constant else declared))
    return found


def _declared_count(view: View) -> int:
    return prod(len(values) for _, values in _cells(view))


def _declared(view: View) -> Iterable[State]:
    cells = sorted(_cells(view), key=lambda cell: cell[0])
    return product(*(values for _, values in cells))
