"""The values that a transition leaves in variables, in terms of the state before the step: weakest preconditions.

Updates run in sequence, so later ones read what earlier ones stored. Where the value depends on a condition, on the
place that an index names, or on whether a store wraps around, it has several alternatives, each with its conditions. An
unknown value is *anything*. Faults are ignored: a step that faults does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TypeAlias

from symdmc.abstraction.entailment.claims import ClaimTable, Knowledge
from symdmc.abstraction.entailment.view import ConjunctionView
from symdmc.abstraction.predicates.canonical import MOST_VALUES
from symdmc.abstraction.predicates.predicate import substituted
from symdmc.model.expressions import Binary, Cell, Expr, Literal, conjunction, negation, walk
from symdmc.model.system import Range
from symdmc.task.task import Branch, Transition, Update
from symdmc.task.values.intervals import EVERYTHING, bounds

MOST_ALTERNATIVES = 8
"""A value with more alternatives is anything."""
MOST_PARTS = 200
"""A value with more parts is anything."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A value that a variable has after the step, if all the conditions hold before it."""

    when: tuple[Expr, ...]
    value: Expr | None
    """None: anything."""
    kept: bool = False
    """Whether the variable keeps its value."""

    def under(self, *conditions: Expr) -> Alternative:
        """The same under further conditions."""
        return replace(self, when=(*conditions, *self.when))


Alternatives: TypeAlias = tuple[Alternative, ...]
ANYTHING: Alternatives = (Alternative((), None),)
SAME: Alternatives = (Alternative((), None, kept=True),)


class Effects:
    """The alternatives of every variable that a transition writes."""

    def __init__(self, table: ClaimTable, transition: Transition) -> None:
        self.table, self.layout = table, table.task.layout
        self._box = ConjunctionView(table, Knowledge())
        self.written: dict[int, Alternatives] = {}
        for update in transition.updates:
            self._store(update)
        moved: dict[int, list[Branch]] = {}
        for branch in transition.branches:
            moved.setdefault(self.layout.process[branch.process], []).append(branch)
        self.written |= {variable: self._moved(branches) for variable, branches in moved.items()}

    def before(self, expression: Expr) -> Iterator[tuple[tuple[Expr, ...], Expr | None]]:
        """The expression after the step, in terms of the state before it: all alternatives, with conditions and value.

        None: the value is unknown.
        """
        touched = [number for number in sorted(self.layout.support(expression)) if number in self.written]
        if prod(len(self.written[number]) for number in touched) > MOST_ALTERNATIVES:
            yield (), None
            return
        for choice in product(*(self.written[number] for number in touched)):
            when = tuple(condition for each in choice for condition in each.when)
            yield when, self._chosen(expression, touched, choice)

    def _chosen(self, expression: Expr, touched: Sequence[int], choice: Sequence[Alternative]) -> Expr | None:
        values: dict[int, Expr] = {}
        for number, each in zip(touched, choice, strict=True):
            if each.value is not None:
                values[number] = each.value
            elif not each.kept:
                return None
        found = substituted(self.layout, expression, values)
        return found if sum(1 for _ in walk(found)) <= MOST_PARTS else None

    # ---- updates

    def _store(self, update: Update) -> None:
        """Run one update."""
        kind = self.table.task.variables[self.layout.targets(update.target)[0]].type
        read = [((), update.value)] if update.before else self.before(update.value)
        stored = [each for when, value in read for each in self._stored(when, value, kind)]
        places = list(self._places(update))
        old = {number: self.written.get(number, SAME) for number, _ in places}
        for number, here in places:
            conditions = [each for each in (update.condition, here) if each is not None]
            new = [each.under(*conditions) for each in stored]
            if conditions:
                otherwise = negation(conjunction(*conditions))
                new += [each.under(otherwise) for each in old[number]]
            self.written[number] = tuple(new) if len(new) <= MOST_ALTERNATIVES else ANYTHING

    def _places(self, update: Update) -> Iterator[tuple[int, Expr | None]]:
        """The variables that an update may write, each with the condition under which it does."""
        targets = self.layout.targets(update.target)
        if not isinstance(update.target, Cell) or self.layout.surely_exists(update.target):
            yield targets[0], None
            return
        found = list(self.before(update.target.index))
        if len(found) > 1 or found[0][1] is None:
            self.written |= dict.fromkeys(targets, ANYTHING)
            return
        index = found[0][1]
        low, high = bounds(index, self._box.leaf_bounds)
        for place, number in enumerate(targets):
            if low <= place <= high:
                yield number, Binary("==", index, Literal(place))

    def _stored(self, when: tuple[Expr, ...], value: Expr | None, kind: Range) -> Iterator[Alternative]:
        """The value of a variable of a type after a store; wrapping around makes separate alternatives."""
        if value is None:
            yield Alternative(when, None)
            return
        low, high = bounds(value, self._box.leaf_bounds)
        if kind.low <= low and high <= kind.high:
            yield Alternative(when, value)
        elif not kind.wraps:
            inside = (Binary(">=", value, Literal(kind.low)), Binary("<=", value, Literal(kind.high)))
            yield Alternative((*when, *inside), value)
        elif self._is_small(value) and low - kind.low >= EVERYTHING[0] and high - kind.low <= EVERYTHING[1]:
            yield Alternative(when, kind.wrapped(value))
        else:
            yield from self._wraps(when, value, kind)

    def _wraps(self, when: tuple[Expr, ...], value: Expr, kind: Range) -> Iterator[Alternative]:
        low, high = bounds(value, self._box.leaf_bounds)
        span = kind.high - kind.low + 1
        if low < kind.low - span or high > kind.high + span:
            yield Alternative(when, None)
            return
        below, above = Binary("<", value, Literal(kind.low)), Binary(">", value, Literal(kind.high))
        inside = (Binary(">=", value, Literal(kind.low)), Binary("<=", value, Literal(kind.high)))
        yield Alternative((*when, *inside), value)
        if low < kind.low:
            yield Alternative((*when, below), Binary("+", value, Literal(span)))
        if high > kind.high:
            yield Alternative((*when, above), Binary("-", value, Literal(span)))

    def _is_small(self, value: Expr) -> bool:
        """Whether conditions on the value are judged value by value."""
        free = self.table.canonical.free(value)
        return len(free) <= 1 and all(self.table.domains[number].count <= MOST_VALUES for number in free)

    # ---- moves

    def _moved(self, branches: Sequence[Branch]) -> Alternatives:
        """Where a process is after the step."""
        found: list[Alternative] = []
        for branch in branches:
            target = Literal(self.layout.location[branch.process, branch.target])
            if branch.condition is None:
                return (Alternative((), target),)
            found.append(Alternative((branch.condition,), target))
        stays = tuple(negation(branch.condition) for branch in branches if branch.condition is not None)
        found.append(Alternative(stays, None, kept=True))
        return tuple(found) if len(found) <= MOST_ALTERNATIVES else ANYTHING
