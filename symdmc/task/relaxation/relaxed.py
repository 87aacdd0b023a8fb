"""A task under the monotonicity abstraction: variables accumulate values, so that a fact once reached stays.

A transition becomes operators: when certain facts are reached, others are, at the transition's cost. Its guard holds as
soon as some combination of accumulated values satisfies it. Parts of a transition that share no variable are
independent; a part is tabulated jointly over its variables, so that a value is stored only out of values that satisfy
the guard. Source: [KHL08] section 4 after Kupferschmid et al. 2006, who judge each conjunct and each assignment by
itself, over the declared ranges; that weaker abstraction is `joint=False`.

Everything not said exactly is weakened: what does not fit into a table, invariants (ignored), the order of
updates where tables are split. Facts of values that value analysis excludes do not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symdmc.model.expressions import Cell, Expr, conjuncts
from symdmc.task.relaxation.conditions import Conditions
from symdmc.task.relaxation.fact_rows import FactTable, Move, TransitionPart
from symdmc.task.relaxation.facts import ALWAYS, MOST_VALUES, Facts
from symdmc.task.relaxation.operators import Operators
from symdmc.task.task import Task, Transition, Update, VariableKind
from symdmc.task.values.domains import Domain
from symdmc.task.values.rows import TooManyRows

Int32s = NDArray[np.int32]
Item = Expr | Update | Move


@dataclass(frozen=True, eq=False)
class RelaxedTask:
    """Facts and operators as flat arrays; the operators of a transition keep its number and cost."""

    facts: Facts
    count: int
    """All facts, those of conditions too."""
    goal: int
    """The fact that the error condition holds."""
    before: Int32s
    start: Int32s
    """Where the facts before each operator begin in `before`; one more entry for the end."""
    direct: Int32s
    """How many of these, the first ones, decide whether the operator runs; the rest are operands of what it stores."""
    after: Int32s
    after_start: Int32s
    cost: Int32s
    transition: Int32s

    def __len__(self) -> int:
        """The number of operators."""
        return len(self.cost)

    def needs(self, operator: int, *, indirect: bool = True) -> list[int]:
        """The facts before an operator, with or without the operands of what it stores."""
        first = int(self.start[operator])
        last = int(self.start[operator + 1]) if indirect else first + int(self.direct[operator])
        found: list[int] = self.before[first:last].tolist()
        return found

    @cached_property
    def users(self) -> tuple[Int32s, Int32s]:
        """The operators that need each fact, and where those of a fact begin; one more entry for the end."""
        return _by_fact(self.before, self.start, self.count)

    @cached_property
    def adders(self) -> tuple[Int32s, Int32s]:
        """The operators that reach each fact, in the same way."""
        return _by_fact(self.after, self.after_start, self.count)


def _by_fact(facts: Int32s, start: Int32s, count: int) -> tuple[Int32s, Int32s]:
    operator = np.repeat(np.arange(len(start) - 1), np.diff(start))
    order = np.argsort(facts, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(facts, minlength=count))])
    return operator[order].astype(np.int32), begins.astype(np.int32)


def relaxed_task(task: Task, *, joint: bool = True) -> RelaxedTask:
    """The monotonicity abstraction of a task. Deterministic; budgets count rows."""
    facts = Facts(task.analysis.domains if joint else tuple(_declared(task)))
    operators = Operators(len(facts))
    conditions = Conditions(task, facts, operators, joint=joint)
    steps = _Steps(task, conditions)
    for number in sorted(task.analysis.possible):
        steps.add(number, task.transitions[number])
    anything = task.error.deadlock or task.error.fault
    goal = ALWAYS if anything else conditions.holds(task.error.expression)
    if goal is None:
        goal = operators.never()
    before, start = _flat(operators.before)
    after, after_start = _flat(operators.after)
    numbers = (np.array(each, dtype=np.int32) for each in (operators.direct, operators.costs, operators.transitions))
    direct, cost, transition = numbers
    return RelaxedTask(facts, operators.facts, goal, before, start, direct, after, after_start, cost, transition)


def _declared(task: Task) -> list[Domain]:
    """The declared ranges; of variables with very many values the analysed ones."""
    found = []
    for variable, domain in zip(task.variables, task.analysis.domains, strict=True):
        is_place = variable.kind is VariableKind.LOCATION
        whole = Domain(0, len(variable.value_names) - 1) if is_place else Domain(variable.type.low, variable.type.high)
        found.append(whole if whole.count <= MOST_VALUES else domain)
    return found


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Int32s, Int32s]:
    start = np.concatenate([[0], np.cumsum([len(each) for each in lists], dtype=np.int64)])
    entries = np.fromiter((entry for each in lists for entry in each), dtype=np.int32, count=int(start[-1]))
    return entries, start.astype(np.int32)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a transition, of which one must be possible."""

    rows: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """The facts before and after."""
    operands: frozenset[int]
    """The facts before that decide only what is stored."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a component comes to: facts that must hold, and pieces."""

    conditions: tuple[int, ...] = ()
    pieces: tuple[_Piece, ...] = ()


class _Steps:
    """Makes the operators of transitions."""

    def __init__(self, task: Task, conditions: Conditions) -> None:
        self.task, self.layout = task, task.layout
        self.conditions, self.facts = conditions, conditions.facts
        self.operators, self.joint = conditions.operators, conditions.joint
        self._known: dict[TransitionPart, _Parts | None] = {}

    def add(self, number: int, transition: Transition) -> None:
        """The operators of one transition."""
        needed: list[int] = []
        pieces: list[_Piece] = []
        if transition.yields_to_commitment:
            free = self.conditions.holds(self.task.commitment, False)
            if free is None:
                return
            needed.append(free)
        for component in self._components(self._items(transition)):
            parts = self._parts(component)
            if parts is None:
                return
            needed += parts.conditions
            pieces += parts.pieces
        self._emit(number, transition.cost, needed, pieces)

    def _items(self, transition: Transition) -> list[Item]:
        """The parts of a transition in the order of evaluation."""
        moves = (Move(b.process, b.source, b.target, b.condition) for b in transition.branches)
        return [*conjuncts(transition.guard), *transition.updates, *moves]

    def _components(self, items: Sequence[Item]) -> list[TransitionPart]:
        return [_component(group) for group in self.conditions.linked(items, self._touched)]

    def _touched(self, item: Item) -> frozenset[int]:
        support = self.layout.support
        if isinstance(item, Move):
            own = frozenset((self.layout.process[item.process],))
            return own if item.condition is None else own | support(item.condition)
        if isinstance(item, Update):
            index = support(item.target.index) if isinstance(item.target, Cell) else frozenset()
            condition = frozenset() if item.condition is None else support(item.condition)
            return support(item.value) | index | condition | frozenset(self.layout.targets(item.target))
        return support(item)

    # ---- components

    def _parts(self, component: TransitionPart) -> _Parts | None:
        """What a component comes to; None if it can never happen."""
        if component not in self._known:
            self._known[component] = self._made(component)
        return self._known[component]

    def _made(self, component: TransitionPart) -> _Parts | None:
        if not component.updates and not component.moves:
            fact = self.conditions.holds_all(component.guards)
            return None if fact is None else _Parts(conditions=(fact,))
        if not component.guards and not component.updates and len(component.moves) == 1:
            return self._moved(component.moves[0])
        simple = not component.guards and not component.moves and len(component.updates) == 1
        if self.joint or simple:
            try:
                return self._tabulated(component, self.conditions.table(component))
            except TooManyRows:
                pass
        return self._peeled(component) if component.guards else self._separate(component)

    def _tabulated(self, component: TransitionPart, table: FactTable) -> _Parts | None:
        if len(table) == 0:
            return None
        deciding = component.deciding(self.layout)
        entries = np.unique(table.before)
        operands = frozenset(fact for fact in entries.tolist() if int(self.facts.owner[fact]) not in deciding)
        rows = zip(map(tuple, table.before.tolist()), map(tuple, table.after.tolist()), strict=True)
        return _Parts(pieces=(_Piece(tuple(rows), operands),))

    def _peeled(self, component: TransitionPart) -> _Parts | None:
        """Without one of its guards, which becomes a condition by itself: the one that looks at most variables."""
        guards = component.guards
        widest = max(range(len(guards)), key=lambda place: (len(self.layout.support(guards[place])), -place))
        rest: list[Item] = [guard for place, guard in enumerate(guards) if place != widest]
        fact = self.conditions.holds(guards[widest])
        others = [self._parts(each) for each in self._components([*rest, *component.updates, *component.moves])]
        if fact is None:
            return None
        return _joined([_Parts(conditions=(fact,)), *others])

    def _separate(self, component: TransitionPart) -> _Parts | None:
        """Every update and move by itself; what an earlier one may have changed can be anything."""
        if len(component.updates) == 1 and not component.moves:
            return self._anything(component.updates[0])
        found: list[_Parts | None] = []
        changed: set[int] = set()
        for update in component.updates:
            found.append(self._alone(update, changed))
            changed.update(self.layout.targets(update.target))
        found += [self._parts(TransitionPart(moves=(move,))) for move in component.moves]
        return _joined(found)

    def _alone(self, update: Update, changed: set[int]) -> _Parts | None:
        component = TransitionPart(updates=(update,))
        if changed.isdisjoint(self._touched(update)):
            return self._parts(component)
        try:
            return self._tabulated(component, self.conditions.table(component).without(self.facts, changed))
        except TooManyRows:
            return self._anything(update)

    def _anything(self, update: Update) -> _Parts:
        """An update whose table is too large: every place may get every value within the bounds."""
        low, high = self.conditions.bounds(update.value)
        stored: list[int] = []
        for number in self.layout.targets(update.target):
            kind = self.task.variables[number].type
            fits = (kind.low <= low and high <= kind.high) or not kind.wraps
            known = self.facts.of_variable(number)
            values = self.facts.values_of(number, known)
            stored += [fact for fact, value in zip(known, values, strict=True) if not fits or low <= value <= high]
        return self._where(update.condition, stored)

    def _moved(self, move: Move) -> _Parts | None:
        """A move by itself."""
        target = self._place(move.process, move.target)
        if move.condition is not None:
            return self._where(move.condition, [] if target is None else [target])
        source = self._place(move.process, move.source)
        if source is None or target is None:
            return None
        return _Parts(pieces=(_Piece((((source,), (target,)),), frozenset()),))

    def _place(self, process: str, location: str) -> int | None:
        """The fact that a process is at a location; None if it never is."""
        number, place = self.layout.place(process, location)
        if place not in self.facts.domains[number]:
            return None
        return int(self.facts.of_values(number, np.array([place]))[0])

    def _where(self, condition: Expr | None, stored: Sequence[int]) -> _Parts:
        """The piece that may store something where a condition can hold, and else does nothing."""
        fact = ALWAYS if condition is None else self.conditions.holds(condition)
        rows = [((ALWAYS,), ())] if fact is None else [((ALWAYS,), ()), ((fact,), tuple(stored))]
        return _Parts(pieces=(_Piece(tuple(rows), frozenset()),))

    # ---- operators

    def _emit(self, number: int, cost: int, needed: Sequence[int], pieces: Sequence[_Piece]) -> None:
        """One operator for all that happens in one way only, and one for each row of everything else."""
        sure = _sure(piece for piece in pieces if len(piece.rows) == 1)
        several = [piece for piece in pieces if len(piece.rows) > 1]
        base = frozenset(needed) | sure.before
        possible = [self.operators.any_of([before for before, _ in p.rows], p.operands) for p in several]
        gate = self._gate(base | {fact for fact in possible if fact is not None}, sure.operands, bool(several))
        if not sure.after <= base | sure.operands | {ALWAYS}:
            operands = sure.operands if not several else ()
            self.operators.add(gate, sure.after, operands=operands, cost=cost, transition=number)
        for place, piece in enumerate(several):
            others = {fact for k, fact in enumerate(possible) if k != place and fact is not None}
            gate = self._gate(base | others, sure.operands, True)
            for before, after in _merged(piece.rows):
                if not after <= {ALWAYS, *before}:
                    row = frozenset(before)
                    operands = row & piece.operands
                    self.operators.add(
                        gate | (row - operands), after - row, operands=operands, cost=cost, transition=number
                    )

    def _gate(self, base: frozenset[int], operands: frozenset[int], shared: bool) -> frozenset[int]:
        """What some operators need besides; as one fact where several operators share it."""
        if not shared:
            return base
        fact = self.operators.any_of([base | operands], operands)
        assert fact is not None
        return frozenset((fact,))


@dataclass(frozen=True, slots=True)
class _Sure:
    """What the pieces with one row only need and do."""

    before: frozenset[int]
    operands: frozenset[int]
    after: frozenset[int]


def _sure(pieces: Iterable[_Piece]) -> _Sure:
    before: set[int] = set()
    operands: set[int] = set()
    after: set[int] = set()
    for piece in pieces:
        ((needed, stored),) = piece.rows
        before.update(fact for fact in needed if fact not in piece.operands)
        operands.update(fact for fact in needed if fact in piece.operands)
        after.update(stored)
    return _Sure(frozenset(before), frozenset(operands - before), frozenset(after))


def _component(items: Sequence[Item]) -> TransitionPart:
    return TransitionPart(
        guards=tuple(item for item in items if not isinstance(item, Move | Update)),
        updates=tuple(item for item in items if isinstance(item, Update)),
        moves=tuple(item for item in items if isinstance(item, Move)),
    )


def _joined(parts: Sequence[_Parts | None]) -> _Parts | None:
    found = [each for each in parts if each is not None]
    if len(found) < len(parts):
        return None
    return _Parts(
        conditions=tuple(fact for each in found for fact in each.conditions),
        pieces=tuple(piece for each in found for piece in each.pieces),
    )


def _merged(rows: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> list[tuple[tuple[int, ...], set[int]]]:
    """Rows with the same facts before as one."""
    found: dict[tuple[int, ...], set[int]] = {}
    for before, after in rows:
        found.setdefault(before, set()).update(after)
    return sorted(found.items())
