"""Transitions as diagrams: each in cases that change few variables, and store constants where that takes few cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator, Truth, ValueMap
from symdmc.model.expressions import Cell, Expr
from symdmc.task.task import Task, Transition, Update

MOST_CASES = 32
"""A transition is split into cases that change different variables when there are no more than this."""
MOST_CONSTANTS = 32
"""A case is split into cases that store constants when there are no more than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some steps: from the states of `guard`, changing only the variables in `writes`.

    Either every step stores the same values, then `stored` has them, or `relation` links current and next bits.
    """

    guard: Node
    writes: tuple[int, ...]
    cost: int
    stored: Node | None = None
    relation: Node | None = None


@dataclass(slots=True)
class _Case:
    """Some of the states in which a transition runs, and what it has changed there so far."""

    guard: Node
    now: dict[int, ValueMap]


class PartBuilder:
    """Transitions to parts, for the states whose variables have known values only.

    `known` has, for some variables, the codes that matter; of the others all do.
    """

    def __init__(self, encoding: Encoding, known: Mapping[int, Sequence[int]] | None = None) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.task: Task = encoding.task
        self.known = known or {}
        self.translator = Translator(encoding, self.known)

    def parts(self, transition: Transition) -> Iterator[Part]:
        """The parts of one transition; none when it never runs."""
        d = self.diagrams
        self.translator.consulted.clear()
        guard = self.translator.truth(self.task.full_guard(transition), {}).holds
        conditions: dict[int, Truth] = {}
        for condition in _conditions(transition):
            truth = self.translator.truth(condition, {})
            conditions[id(condition)] = truth
            guard = d.without(guard, truth.fault)
        cases = [_Case(guard, {})] if guard != d.false else []
        passed = {
            number: self.translator.value(update.value, {})
            for number, update in enumerate(transition.updates)
            if update.before
        }
        for number, update in enumerate(transition.updates):
            taken = d.true if update.condition is None else conditions[id(update.condition)].holds
            following: list[_Case] = []
            for case in self._divided(cases, taken):
                within = d.both(case.guard, taken)
                if within == d.false:
                    following.append(case)
                    continue
                valued = passed[number] if number in passed else self.translator.value(update.value, case.now)
                case.guard = d.without(case.guard, d.both(taken, valued.fault))
                split = len(cases) <= MOST_CASES
                following += self._stored(update, valued.values, taken, case, split=split)
            cases = following
        for branch in transition.branches:
            taken = d.true if branch.condition is None else conditions[id(branch.condition)].holds
            place = self.task.layout.location[branch.process, branch.target]
            cases = list(self._divided(cases, taken))
            for case in cases:
                if d.both(case.guard, taken) != d.false:
                    self._assign(self.task.layout.process[branch.process], {place: d.true}, taken, case)
        box = self._box()
        for case in cases:
            case.guard = d.both(case.guard, box)
            if case.guard != d.false:
                yield from self._constants(case, transition.cost)

    def _box(self) -> Node:
        """The states in which all variables that mattered so far have known values."""
        result = self.diagrams.true
        for number in sorted(self.translator.consulted & self.known.keys()):
            result = self.diagrams.both(result, self.encoding.any_code(number, self.known[number]))
        return result

    def _divided(self, cases: Iterable[_Case], taken: Node) -> list[_Case]:
        """The cases, each divided into the states of a condition and the others, unless that makes too many."""
        d = self.diagrams
        cases = list(cases)
        if taken == d.true or len(cases) > MOST_CASES // 2:
            return cases
        found = []
        for case in cases:
            for where in (taken, ~taken):
                guard = d.both(case.guard, where)
                if guard != d.false:
                    found.append(_Case(guard, dict(case.now)))
        return found

    def _stored(
        self, update: Update, values: ValueMap, taken: Node, case: _Case, *, split: bool
    ) -> Iterable[_Case]:
        """The case after an update; one for each cell that it may store into, if it is to be split."""
        d, layout = self.diagrams, self.task.layout
        targets = layout.targets(update.target)
        kept, faults = self._cut(values, targets[0])
        case.guard = d.without(case.guard, d.both(taken, d.any_of(faults)))
        if not isinstance(update.target, Cell) or layout.surely_exists(update.target):
            self._assign(targets[0], kept, taken, case)
            return [case]
        index = self.translator.value(update.target.index, case.now)
        inside = {place: chosen for place, chosen in index.values.items() if 0 <= place < len(targets)}
        case.guard = d.without(case.guard, d.without(taken, d.any_of(inside.values())))
        if not split or d.without(case.guard, taken) != d.false:
            for place, chosen in inside.items():
                self._assign(targets[place], kept, d.both(taken, chosen), case)
            return [case]
        found = []
        for place, chosen in inside.items():
            guard = d.both(case.guard, chosen)
            if guard != d.false:
                found.append(_Case(guard, dict(case.now)))
                self._assign(targets[place], kept, d.true, found[-1])
        return found

    def _cut(self, values: ValueMap, variable: int) -> tuple[ValueMap, list[Node]]:
        """The values as the variable stores them, and where its range is left."""
        kind = self.task.variables[variable].type
        groups: dict[int, list[Node]] = {}
        faults: list[Node] = []
        for value, node in values.items():
            if kind.wraps or kind.low <= value <= kind.high:
                groups.setdefault(kind.store(value), []).append(node)
            else:
                faults.append(node)
        return {value: self.diagrams.any_of(nodes) for value, nodes in groups.items()}, faults

    def _assign(self, variable: int, values: ValueMap, taken: Node, case: _Case) -> None:
        """The variable has these values from now on, where the assignment is taken."""
        d = self.diagrams
        if d.without(case.guard, taken) == d.false:
            case.now[variable] = values
            return
        before = self.translator.variable(variable, case.now)
        merged: dict[int, list[Node]] = {value: [d.without(node, taken)] for value, node in before.items()}
        for value, node in values.items():
            merged.setdefault(value, []).append(d.both(node, taken))
        case.now[variable] = {value: d.any_of(nodes) for value, nodes in merged.items()}

    def _constants(self, case: _Case, cost: int) -> Iterator[Part]:
        """Parts that store constants where they are few, else one part with a relation."""
        d, guard = self.diagrams, case.guard
        writes = tuple(sorted(number for number in case.now if self.encoding.variables[number].current))
        outcomes = {number: self._within(guard, case.now[number]) for number in writes}
        if prod(len(values) for values in outcomes.values()) <= MOST_CONSTANTS:
            for chosen in product(*(outcomes[number].items() for number in writes)):
                where, stored = guard, d.true
                for number, (value, node) in zip(writes, chosen, strict=True):
                    where = d.both(where, node)
                    stored = d.both(stored, self.encoding.value_cube(number, value, after=False))
                if where != d.false:
                    yield Part(guard=where, writes=writes, cost=cost, stored=stored)
            return
        relation = guard
        for number in reversed([number for number in self.encoding.order if number in outcomes]):
            linked = d.any_of(
                d.both(node, self.encoding.value_cube(number, value, after=True))
                for value, node in outcomes[number].items()
            )
            relation = d.both(relation, linked)
        yield Part(guard=guard, writes=writes, cost=cost, relation=relation)

    def _within(self, guard: Node, values: ValueMap) -> ValueMap:
        """The values that occur where the guard holds."""
        d = self.diagrams
        return {value: both for value, node in values.items() if (both := d.both(guard, node)) != d.false}


def _conditions(transition: Transition) -> Sequence[Expr]:
    found = {id(branch.condition): branch.condition for branch in transition.branches}
    found |= {id(update.condition): update.condition for update in transition.updates}
    return [condition for condition in found.values() if condition is not None]
