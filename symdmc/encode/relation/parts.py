"""Transitions as diagrams: each in cases that change few variables, and store constants where that takes few cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import ExpressionValues, Translator, TruthStates, ValueDiagrams
from symdmc.encode.relation.part import Factor, Part, conjunctive_part
from symdmc.encode.tables.words import ValueMap, Word
from symdmc.model.expressions import Cell
from symdmc.task.task import Task, Transition, Update, conditions_of

MOST_CASES = 32
"""A transition is split into cases that change different variables when there are no more than this."""
MOST_CONSTANTS = 32
"""A case is split into cases that store constants when there are no more than this."""
MOST_RELATION = 2_000
"""A relation with more nodes than this is kept as factors."""


@dataclass(slots=True)
class _Case:
    """Some of the states in which a transition runs, and the values it has changed there so far."""

    guard: Node
    now: dict[int, ExpressionValues]


@dataclass(slots=True)
class _Run:
    """A transition run in all states at once: its cases, and the states in which it faults."""

    cases: list[_Case]
    faults: list[Node] = field(default_factory=list)


class PartBuilder:
    """Builds the parts of transitions, for the states in which all variables have known values.

    `known` has the known codes of some variables; of all others every code is known. `stores` has the variables whose
    new values matter; elsewhere a store can only fault.
    """

    def __init__(self, encoding: Encoding, known: Mapping[int, Sequence[int]], stores: frozenset[int]) -> None:
        self.encoding = encoding
        self.stores = stores
        self.diagrams = encoding.diagrams
        self.task: Task = encoding.task
        self.known = known
        self.translator = Translator(encoding, self.known)

    def parts(self, transition: Transition) -> Iterator[Part]:
        """The parts of a transition; none if it never runs."""
        return self._parts(self._run(transition), transition.cost)

    def faults(self, transition: Transition) -> Node:
        """The states, with known values, in which an attempt at the transition faults.

        There the guard faults; or it holds, and a later evaluation or store faults; or the invariants fault after the
        step.
        """
        d = self.diagrams
        run = self._run(transition)
        faults = d.both(d.any_of(run.faults), self._box())
        if self._invariant_faults != d.false:
            parts = self._parts(run, transition.cost)
            faults = d.any_of((faults, *(part.preimage(self.encoding, self._invariant_faults) for part in parts)))
        return d.both(faults, self.encoding.valid)

    @cached_property
    def _invariant_faults(self) -> Node:
        return Translator(self.encoding).truth(self.task.invariant, {}).fault

    # ---- running

    def _run(self, transition: Transition) -> _Run:
        d = self.diagrams
        self.translator.forget()
        guard = self.translator.truth(self.task.full_guard(transition), {})
        run = _Run([_Case(guard.holds, {})] if guard.holds != d.false else [], [guard.fault])
        conditions: dict[int, TruthStates] = {}
        for condition in conditions_of((*transition.branches, *transition.updates)):
            truth = conditions[id(condition)] = self.translator.truth(condition, {})
            for case in run.cases:
                self._drop(run, case, truth.fault)
        passed = {
            number: self.translator.value(update.value, {})
            for number, update in enumerate(transition.updates)
            if update.before
        }
        for number, update in enumerate(transition.updates):
            taken = d.true if update.condition is None else conditions[id(update.condition)].holds
            self._update(run, update, passed.get(number), taken)
        for branch in transition.branches:
            taken = d.true if branch.condition is None else conditions[id(branch.condition)].holds
            place = self.task.layout.location[branch.process, branch.target]
            run.cases = self._divided(run.cases, taken)
            for case in run.cases:
                if d.both(case.guard, taken) != d.false:
                    self._assign(self.task.layout.process[branch.process], {place: d.true}, taken, case)
        for case in run.cases:
            case.now |= self._derived(case)
        return run

    def _derived(self, case: _Case) -> dict[int, ExpressionValues]:
        """The values after the step of the derived variables that depend on variables changed in a case."""
        layout, definitions = self.task.layout, self.task.definitions
        touched = [
            (number, definitions[number])
            for number in sorted(self.stores & definitions.keys())
            if not layout.basis(definitions[number]).isdisjoint(case.now)
        ]
        return {number: self.translator.defined(definition, case.now) for number, definition in touched}

    def _drop(self, run: _Run, case: _Case, faults: Node) -> None:
        """Remove the states in which an evaluation faults from a case."""
        d = self.diagrams
        lost = d.both(case.guard, faults)
        if lost != d.false:
            run.faults.append(lost)
            case.guard = d.without(case.guard, lost)

    def _update(self, run: _Run, update: Update, passed: ValueDiagrams | None, taken: Node) -> None:
        """Run one update in all cases."""
        d = self.diagrams
        split = len(run.cases) <= MOST_CASES
        following: list[_Case] = []
        for case in self._divided(run.cases, taken):
            if d.both(case.guard, taken) == d.false:
                following.append(case)
                continue
            valued = passed or self.translator.value(update.value, case.now)
            self._drop(run, case, d.both(taken, valued.fault))
            following += self._stored(run, update, valued.values, taken, case, split=split)
        run.cases = following

    def _parts(self, run: _Run, cost: int) -> Iterator[Part]:
        """The parts of all cases of a finished run."""
        box = self._box()
        for case in run.cases:
            case.guard = self.diagrams.both(case.guard, box)
            if case.guard != self.diagrams.false:
                yield from self._constants(case, cost)

    def _box(self) -> Node:
        """The states in which the variables read by codes have known ones, and those read as bits have valid ones."""
        result = self.diagrams.true
        restricted = self.translator.consulted & self.known.keys()
        for number in sorted(restricted):
            result = self.diagrams.both(result, self.encoding.any_code(number, self.known[number]))
        for number in sorted(self.translator.whole - restricted):
            result = self.diagrams.both(result, self.translator.has_code(number))
        return result

    def _divided(self, cases: Iterable[_Case], taken: Node) -> list[_Case]:
        """The cases, each divided by a condition, unless that makes too many."""
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
        self, run: _Run, update: Update, values: ExpressionValues, taken: Node, case: _Case, *, split: bool
    ) -> Iterable[_Case]:
        """The case after an update; with `split`, a case for each cell that it may store into."""
        d, layout = self.diagrams, self.task.layout
        targets = layout.targets(update.target)
        kept, faults = self._cut(values, targets[0])
        self._drop(run, case, d.both(taken, faults))
        if not isinstance(update.target, Cell) or layout.surely_exists(update.target):
            self._assign(targets[0], kept, taken, case)
            return [case]
        index = self.translator.value(update.target.index, case.now)
        inside, outside = self.translator.places(index, len(targets))
        self._drop(run, case, d.both(taken, outside))
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

    def _cut(self, values: ExpressionValues, variable: int) -> tuple[ExpressionValues, Node]:
        """The values as the variable stores them, and the states in which they leave its range."""
        kind = self.task.variables[variable].type
        if isinstance(values, Word):
            return self.translator.words.stored(values, kind)
        groups: dict[int, list[Node]] = {}
        faults: list[Node] = []
        for value, node in values.items():
            if kind.wraps or kind.low <= value <= kind.high:
                groups.setdefault(kind.store(value), []).append(node)
            else:
                faults.append(node)
        kept = {value: self.diagrams.any_of(nodes) for value, nodes in groups.items()}
        return kept, self.diagrams.any_of(faults)

    def _assign(self, variable: int, values: ExpressionValues, taken: Node, case: _Case) -> None:
        """Assign values to a variable where the assignment is taken."""
        d = self.diagrams
        if isinstance(values, Word):
            few = self.translator.words.values(values, d.both(case.guard, taken), MOST_CONSTANTS)
            values = values if few is None else few
        if d.without(case.guard, taken) == d.false:
            case.now[variable] = values
            return
        before = self.translator.variable(variable, case.now)
        case.now[variable] = self.translator.selected(((~taken, before), (taken, values)))

    # ---- parts

    def _constants(self, case: _Case, cost: int) -> Iterator[Part]:
        """Parts that store constants, if they are few; else one part with a relation."""
        d, guard = self.diagrams, case.guard
        stores = self.stores.intersection(case.now)
        writes = tuple(sorted(number for number in stores if self.encoding.variables[number].current))
        outcomes = {number: self._within(guard, case.now[number]) for number in writes}
        listed = {number: values for number, values in outcomes.items() if isinstance(values, dict)}
        if len(listed) == len(writes) and prod(len(values) for values in listed.values()) <= MOST_CONSTANTS:
            for chosen in product(*(listed[number].items() for number in writes)):
                where, stored = guard, d.true
                for number, (value, node) in zip(writes, chosen, strict=True):
                    where = d.both(where, node)
                    stored = d.both(stored, self.encoding.value_cube(number, value, after=False))
                if where != d.false and stored != d.false:
                    yield Part(guard=where, writes=writes, cost=cost, stored=stored)
            return
        factors = self._factors(guard, outcomes)
        if len(factors) == 1:
            yield Part(guard=guard, writes=writes, cost=cost, relation=factors[0].relation)
        else:
            yield conjunctive_part(self.encoding, guard, cost, factors)

    def _factors(self, guard: Node, outcomes: Mapping[int, ExpressionValues]) -> list[Factor]:
        """The steps from the guard to these values as one relation, or as factors where it would be too large."""
        d, found = self.diagrams, [Factor(relation=guard, writes=())]
        for number in reversed(self.encoding.in_order(outcomes)):
            link, last = self._linked(number, outcomes[number]), found[-1]
            both = d.both(last.relation, link)
            if d.size(both) <= MOST_RELATION:
                found[-1] = Factor(relation=both, writes=(*last.writes, number))
            else:
                found.append(Factor(relation=link, writes=(number,)))
        return found

    def _linked(self, number: int, values: ExpressionValues) -> Node:
        """The relation that gives a variable its values after the step."""
        d = self.diagrams
        if isinstance(values, Word):
            after = self.translator.coded(number, after=True)
            same = self.translator.words.equal(values, after)
            return d.both(same, self.translator.has_code(number, after=True))
        return d.any_of(
            d.both(node, self.encoding.value_cube(number, value, after=True)) for value, node in values.items()
        )

    def _within(self, guard: Node, values: ExpressionValues) -> ExpressionValues:
        """The values that occur where the guard holds, if they are few; else all values."""
        d = self.diagrams
        if isinstance(values, Word):
            few = self.translator.words.values(values, guard, MOST_CONSTANTS)
            return values if few is None else few
        found: ValueMap = {}
        for value, node in values.items():
            both = d.both(guard, node)
            if both != d.false:
                found[value] = both
                if len(found) > MOST_CONSTANTS:
                    return values
        return found
