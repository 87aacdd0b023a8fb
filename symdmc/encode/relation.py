"""The steps of a task as diagrams: parts that touch only what they write, and the images of state sets under them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator, Truth, ValueMap
from symdmc.model.expressions import TRUE, Cell, Expr
from symdmc.task.task import Task, Transition, Update

MOST_CASES = 16
"""A transition is split into cases that store constants when there are no more than this."""


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


class Relation:
    """The steps of an encoded task."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        builder = _Builder(encoding)
        task = encoding.task
        self.parts: tuple[Part, ...] = tuple(
            part for number in sorted(task.analysis.possible) for part in builder.parts(task.transitions[number])
        )
        holds = builder.translator.truth(task.invariant, {}).holds if task.invariant != TRUE else None
        self.invariant: Node | None = holds

    def image(self, states: Node, part: Part) -> Node:
        """The states one step of the part after some states."""
        d = self.diagrams
        variables = [self.encoding.variables[number] for number in part.writes]
        current = [bit for variable in variables for bit in variable.current]
        if part.stored is not None:
            after = d.both(d.both_exists(states, part.guard, current), part.stored)
        else:
            pairs = {n: c for v in variables for c, n in zip(v.current, v.next, strict=True)}
            after = d.rename(d.both_exists(states, part.relation, current), pairs)
        return after if self.invariant is None else d.both(after, self.invariant)

    def preimage(self, states: Node, part: Part) -> Node:
        """The states one step of the part before some states."""
        d = self.diagrams
        after = states if self.invariant is None else d.both(states, self.invariant)
        variables = [self.encoding.variables[number] for number in part.writes]
        current = [bit for variable in variables for bit in variable.current]
        if part.stored is not None:
            return d.both(d.both_exists(after, part.stored, current), part.guard)
        pairs = {c: n for v in variables for c, n in zip(v.current, v.next, strict=True)}
        following = [bit for variable in variables for bit in variable.next]
        return d.both_exists(d.rename(after, pairs), part.relation, following)

    def initial(self) -> Node:
        """The initial states."""
        d, encoding = self.diagrams, self.encoding
        states = d.true
        for number in reversed(encoding.order):
            choices = (encoding.value_cube(number, value) for value in encoding.task.variables[number].initial)
            states = d.both(states, d.any_of(choices))
        return states if self.invariant is None else d.both(states, self.invariant)


class _Builder:
    """Transitions to parts."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.task: Task = encoding.task
        self.translator = Translator(encoding)

    def parts(self, transition: Transition) -> Iterator[Part]:
        """The parts of one transition; none when it never runs."""
        d = self.diagrams
        guard = self.translator.truth(self.task.full_guard(transition), {}).holds
        conditions: dict[int, Truth] = {}
        for condition in _conditions(transition):
            truth = self.translator.truth(condition, {})
            conditions[id(condition)] = truth
            guard = d.without(guard, truth.fault)
        now: dict[int, ValueMap] = {}
        passed = {
            number: self.translator.value(update.value, {})
            for number, update in enumerate(transition.updates)
            if update.before
        }
        for number, update in enumerate(transition.updates):
            taken = d.true if update.condition is None else conditions[id(update.condition)].holds
            valued = passed[number] if number in passed else self.translator.value(update.value, now)
            guard = d.without(guard, d.both(taken, valued.fault))
            guard = d.without(guard, self._store(update, valued.values, taken, now))
        for branch in transition.branches:
            taken = d.true if branch.condition is None else conditions[id(branch.condition)].holds
            place = self.task.layout.location[branch.process, branch.target]
            self._assign(self.task.layout.process[branch.process], {place: d.true}, taken, now)
        if guard != d.false:
            yield from self._split(guard, now, transition.cost)

    def _store(self, update: Update, values: ValueMap, taken: Node, now: dict[int, ValueMap]) -> Node:
        """Run an update; returns where it faults."""
        d, layout = self.diagrams, self.task.layout
        targets = layout.targets(update.target)
        kept, faults = self._cut(values, targets[0])
        if not isinstance(update.target, Cell):
            self._assign(targets[0], kept, taken, now)
            return d.both(taken, d.any_of(faults))
        index = self.translator.value(update.target.index, now)
        faults.append(index.fault)
        for place, chosen in index.values.items():
            if 0 <= place < len(targets) or layout.surely_exists(update.target):
                number = targets[place] if len(targets) > 1 else targets[0]
                self._assign(number, kept, d.both(taken, chosen), now)
            else:
                faults.append(chosen)
        return d.both(taken, d.any_of(faults))

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

    def _assign(self, variable: int, values: ValueMap, taken: Node, now: dict[int, ValueMap]) -> None:
        """The variable has these values from now on, where the assignment is taken."""
        d = self.diagrams
        if taken == d.true:
            now[variable] = values
            return
        before = self.translator.variable(variable, now)
        merged: dict[int, list[Node]] = {value: [d.without(node, taken)] for value, node in before.items()}
        for value, node in values.items():
            merged.setdefault(value, []).append(d.both(node, taken))
        now[variable] = {value: d.any_of(nodes) for value, nodes in merged.items()}

    def _split(self, guard: Node, now: Mapping[int, ValueMap], cost: int) -> Iterator[Part]:
        """Cases that store constants where they are few, else one part with a relation."""
        d = self.diagrams
        writes = tuple(sorted(number for number in now if self.encoding.variables[number].current))
        outcomes = {number: self._within(guard, now[number]) for number in writes}
        if prod(len(values) for values in outcomes.values()) <= MOST_CASES:
            for case in product(*(outcomes[number].items() for number in writes)):
                where, stored = guard, d.true
                for number, (value, node) in zip(writes, case, strict=True):
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
