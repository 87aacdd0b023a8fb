"""Value analysis: for each variable a sound set of the values it can ever take.

It is the fixpoint of the accumulate-only relaxation: a variable keeps every value it ever had, and a transition runs
for every combination of accumulated values that satisfies its guard. The resulting box contains every reachable state
and is closed under steps. A transition is evaluated over all combinations of values of its support; where these are too
many, conjunct by conjunct and update by update; where these are too many as well, by intervals, or in the end by the
declared range. All budgets count rows and visits, so the result is the same on every machine.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import ChainMap, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field

import numpy as np

from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref, conjuncts, walk
from symdmc.running.collecting import nothing_collected
from symdmc.task.flatten import cannot_fault
from symdmc.task.task import Layout, Task, Transition, Update, VariableKind, conditions_of, overwritten
from symdmc.task.values.domains import Domain, stored
from symdmc.task.values.intervals import Interval, IntervalProgram
from symdmc.task.values.row_run import RowRun
from symdmc.task.values.rows import Reads, SupportRows, TooManyRows, cut

MOST_ROWS = 1 << 16
"""Larger products of domains are not enumerated."""
ROW_BUDGET = 1 << 22
"""The rows enumerated in all; after that, products of more than FEW_ROWS are not enumerated."""
FEW_ROWS = 1 << 9
GROWTHS = 40
"""A domain that has grown this often is widened to the next constant of the model each time it grows again."""
FEW_GROWTHS = 8
"""Replaces GROWTHS once the row budget is spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueAnalysis:
    """What value analysis finds out about a task."""

    domains: tuple[Domain, ...]
    """For each variable the values it can take; the box of them is closed under steps."""
    possible: frozenset[int]
    """The transitions that run somewhere in the box; no other transition ever runs."""
    faultless: bool
    """No step from a state of the box faults."""


def analyse_values(task: Task, checkpoint: Callable[[], None] = lambda: None) -> ValueAnalysis:
    """The values every variable of the task can ever take; `checkpoint` is called now and then and may raise."""
    with nothing_collected():
        return _Fixpoint(task).solve(checkpoint)


class _Fixpoint:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.layout = task.layout
        self.domains = _Box(task)
        self.grown = [0] * len(task.variables)
        self.rows_left = ROW_BUDGET
        self.possible: set[int] = set()
        self.faultless = cannot_fault(task.invariant)
        self.thresholds = _thresholds(task)
        self.known = _Known(task.layout)
        self.runs: dict[tuple[int, ...], _Run] = {}
        """What came of transitions of a shape, by the identities of the domains that they read."""
        self.plans = [_TransitionPlan(task, transition, self.known) for transition in task.transitions]

    def solve(self, checkpoint: Callable[[], None]) -> ValueAnalysis:
        """Visit transitions until no domain grows."""
        readers: list[list[int]] = [[] for _ in self.task.variables]
        leaving: dict[tuple[int, int], list[int]] = {}
        for number, plan in enumerate(self.plans):
            for variable in sorted(plan.reads):
                readers[variable].append(number)
            for source in plan.sources:
                leaving.setdefault(source, []).append(number)
        pending = deque(range(len(self.plans)))
        waiting = [True] * len(self.plans)
        while pending:
            checkpoint()
            number = pending.popleft()
            waiting[number] = False
            for variable, reached in self._settle(number):
                # A transition that leaves a location needs no second visit because its process has reached another.
                for reader in (*readers[variable], *leaving.get((variable, reached), ())):
                    if not waiting[reader]:
                        waiting[reader] = True
                        pending.append(reader)
        return ValueAnalysis(domains=self.domains.all(), possible=frozenset(self.possible), faultless=self.faultless)

    def _settle(self, number: int) -> list[tuple[int, int]]:
        """Run one transition until the variables it reads itself do not grow any more; returns what grew."""
        grown = self._visit(number)
        latest = grown
        while any(variable in self.plans[number].reads for variable, _ in latest):
            latest = self._visit(number)
            grown += latest
        return grown

    def _visit(self, number: int) -> list[tuple[int, int]]:
        """Run one transition in the box; returns each variable whose domain grew, with the largest value added."""
        plan = self.plans[number]
        if not all(self.domains.has(variable, place) for variable, place in plan.sources):
            return []
        if plan.constants is not None:
            additions: Iterable[tuple[int, Domain]] | None = plan.constants_if(self.domains)
        else:
            try:
                additions = self._joint(plan)
            except TooManyRows:
                additions = self._separate(plan)
        if additions is None:
            return []
        self.possible.add(number)
        return [(variable, domain.high) for variable, domain in additions if self._grow(variable, domain)]

    def _grow(self, variable: int, domain: Domain) -> bool:
        """Add values to a domain, and further ones when it has grown too often; False when it has them already."""
        if self.task.variables[variable].kind is VariableKind.LOCATION:
            return self.domains.reach(variable, domain.low)
        old = self.domains[variable]
        if old.contains(domain):
            return False
        new = old.union(domain)
        self.grown[variable] += 1
        kind = self.task.variables[variable].type
        growths = GROWTHS if self.rows_left > 0 else FEW_GROWTHS
        if self.grown[variable] > growths:
            low, high = new.low, new.high
            if high > old.high:
                place = bisect_left(self.thresholds, high)
                high = self.thresholds[place] if place < len(self.thresholds) else kind.high
            if low < old.low:
                place = bisect_right(self.thresholds, low)
                low = self.thresholds[place - 1] if place else kind.low
            new = Domain(max(low, kind.low), min(high, kind.high))
        self.domains[variable] = new
        return True

    # ---- all combinations

    def _rows(self, support: Iterable[int], domains: Mapping[int, Domain]) -> SupportRows:
        limit = MOST_ROWS if self.rows_left > 0 else FEW_ROWS
        rows = SupportRows(self.layout, domains, support, limit)
        self.rows_left -= rows.count
        return rows

    def _joint(self, plan: _TransitionPlan) -> list[tuple[int, Domain]] | None:
        """The values stored in any combination of the support; None when in each of them the guard is false.

        Large models have many edges that do the same between other locations: what came of one is kept for the others.
        """
        if plan.shape is None:
            return self._run(plan).additions
        domains = self._narrowed(plan)
        read = [domains[number] for number in plan.read_in_order]
        key = (plan.shape, self.rows_left > 0, *map(id, read))
        if key in self.runs:
            came = self.runs[key]
            self.rows_left -= came.rows
        else:
            left = self.rows_left
            came = self._run(plan)
            came.read, came.rows = read, left - self.rows_left
            self.runs[key] = came
        if not came.moves or came.additions is None:
            return came.additions
        return came.additions + [self._moved(branch.process, branch.target) for branch in plan.transition.branches]

    def _run(self, plan: _TransitionPlan) -> _Run:
        """What comes of a transition in any combination of the support."""
        rows = self._rows(plan.support, self._narrowed(plan))
        some_fault = False
        for part in plan.guard:
            column = rows.value(part)
            some_fault |= bool(column.faults.any())
            rows.keep(column.holds)
        self.faultless &= not some_fault
        if rows.count == 0:
            return _Run([] if some_fault else None)
        additions: list[tuple[int, Domain]] = []
        run = RowRun(self.task, rows, plan.conditions)
        for written in run.run(plan.transition.updates):
            # This includes values stored before a later fault: an engine stores them too before it meets the fault.
            additions += [(number, Domain.of(np.unique(values))) for number, values in written.by_variable()]
        self.faultless &= run.faultless
        self.rows_left -= rows.count
        if plan.shape is not None:
            return _Run(additions, moves=rows.count > 0)
        for branch in plan.transition.branches:
            if rows.count and (branch.condition is None or run.taken(branch.condition).any()):
                additions.append(self._moved(branch.process, branch.target))
        return _Run(additions)

    def _moved(self, process: str, target: str) -> tuple[int, Domain]:
        number, place = self.layout.place(process, target)
        return number, Domain(place, place)

    def _narrowed(self, plan: _TransitionPlan) -> ChainMap[int, Domain]:
        """The domains with the participants at the sources of their edges."""
        return ChainMap({variable: Domain(place, place) for variable, place in plan.sources}, self.domains)

    # ---- part by part

    def _separate(self, plan: _TransitionPlan) -> list[tuple[int, Domain]] | None:
        """As `_joint`, but each conjunct of the guard narrows domains alone and each update is evaluated alone."""
        before = self._narrowed(plan)
        safe = all(self.known.cannot_fault(part) for part in plan.guard)
        self.faultless &= safe
        for part in (*plan.guard, *plan.guard):
            if not self._narrow(part, before):
                return None if safe else []
        current = before.new_child()
        additions: list[tuple[int, Domain]] = []
        for update in plan.transition.updates:
            domain = self._stored(update, before if update.before else current)
            if domain is None:
                if update.condition is None:
                    return additions
                continue
            targets = list(self._targets(update, current))
            certain = len(targets) == 1 and update.condition is None
            for number in targets:
                current[number] = domain if certain else current[number].union(domain)
                additions.append((number, domain))
        return additions + [self._moved(branch.process, branch.target) for branch in plan.transition.branches]

    def _narrow(self, part: Expr, domains: MutableMapping[int, Domain]) -> bool:
        """Remove values of variables that a conjunct excludes; False when it excludes everything."""
        support = self.known.reads(part).plain
        try:
            rows = self._rows(support, domains)
            rows.keep(rows.value(part).holds)
        except TooManyRows:
            return self.known.program(part).bounds(self._bounds_in(domains)) != (0, 0)
        if rows.count == 0:
            return False
        for number in support:
            domains[number] = Domain.of(np.unique(rows.column(number)))
        return True

    def _stored(self, update: Update, domains: Mapping[int, Domain]) -> Domain | None:
        """The values an update may store; None when storing always faults."""
        kind = self.task.variables[self.layout.targets(update.target)[0]].type
        try:
            rows = self._rows(self.known.reads(update.value).plain, domains)
            column = rows.value(update.value)
            contents = cut(column.values[~column.faults], kind)
            self.faultless &= not column.faults.any() and not contents.faults.any()
            kept = np.unique(contents.values[~contents.faults])
            return Domain.of(kept) if len(kept) else None
        except TooManyRows:
            low, high = self.known.program(update.value).bounds(self._bounds_in(domains))
            self.faultless &= self.known.cannot_fault(update.value) and (
                kind.wraps or kind.low <= low <= high <= kind.high
            )
            return stored(low, high, kind)

    def _targets(self, update: Update, domains: Mapping[int, Domain]) -> Iterator[int]:
        """The variables an update may write."""
        targets = self.layout.targets(update.target)
        if self.layout.surely_exists(update.target) or not isinstance(update.target, Cell):
            yield from targets
            return
        try:
            rows = self._rows(self.known.reads(update.target.index).plain, domains)
            column = rows.value(update.target.index)
            places = np.unique(column.values[~column.faults])
        except TooManyRows:
            self.faultless = False
            yield from targets
            return
        inside = places[(places >= 0) & (places < len(targets))]
        self.faultless &= not column.faults.any() and len(inside) == len(places)
        yield from (targets[int(place)] for place in inside)

    def _bounds_in(self, domains: Mapping[int, Domain]) -> Callable[[Ref | Cell | At], Interval]:
        arrays: dict[range, Interval] = {}

        def bounds_of(leaf: Ref | Cell | At) -> Interval:
            if isinstance(leaf, At):
                number, place = self.layout.place(leaf.process, leaf.location)
                domain = domains[number]
                return (0, 0) if place not in domain else (1, 1) if domain.count == 1 else (0, 1)
            targets = self.layout.targets(leaf)
            if targets not in arrays:
                chosen = [domains[number] for number in targets]
                arrays[targets] = min(domain.low for domain in chosen), max(domain.high for domain in chosen)
            return arrays[targets]

        return bounds_of


class _Box(dict[int, Domain]):
    """The domain of each variable so far; those of locations are also sets, since a process may have very many."""

    def __init__(self, task: Task) -> None:
        super().__init__(
            (number, Domain.of(np.array(variable.initial, dtype=np.int64)))
            for number, variable in enumerate(task.variables)
        )
        self._places = {
            number: set(variable.initial)
            for number, variable in enumerate(task.variables)
            if variable.kind is VariableKind.LOCATION
        }
        self._outdated: set[int] = set()

    def __getitem__(self, number: int) -> Domain:
        if number in self._outdated:
            self._outdated.remove(number)
            listed = np.array(sorted(self._places[number]), dtype=np.int64)
            low, high = int(listed[0]), int(listed[-1])
            # listed however many they are: the transitions that leave other locations are never visited
            self[number] = Domain(low, high, None if high - low + 1 == len(listed) else listed)
        return super().__getitem__(number)

    def has(self, number: int, value: int) -> bool:
        """Whether a variable can have a value."""
        return value in self._places[number] if number in self._places else value in self[number]

    def reach(self, process: int, place: int) -> bool:
        """Add a location to those that a process can be at; False when it has it already."""
        if place in self._places[process]:
            return False
        self._places[process].add(place)
        self._outdated.add(process)
        return True

    def all(self) -> tuple[Domain, ...]:
        """The domains in the order of the variables."""
        return tuple(self[number] for number in range(len(self)))


@dataclass(slots=True)
class _Run:
    """What comes of a transition where the variables it reads have certain domains."""

    additions: list[tuple[int, Domain]] | None
    """The values stored; None where the guard is false. Of a transition without a shape, those of its moves as well."""
    moves: bool = False
    """Whether a transition with a shape arrives at its targets."""
    read: list[Domain] = field(default_factory=list)
    """The domains, which must live as long as their identities count."""
    rows: int = 0
    """What it took of the budget."""


class _Known:
    """What is found out about each expression once: expressions are long, shared by transitions and visited often."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._reads: dict[int, tuple[Expr, Reads]] = {}
        self._programs: dict[int, tuple[Expr, IntervalProgram]] = {}
        self._safe: dict[int, tuple[Expr, bool]] = {}
        self._shapes: dict[tuple[tuple[Expr, ...], tuple[Update, ...]], int] = {}

    def reads(self, expression: Expr) -> Reads:
        """What an expression reads."""
        if id(expression) not in self._reads:  # the expression is kept beside it, so that no other gets its identity
            self._reads[id(expression)] = expression, Reads.of(self._layout, expression)
        return self._reads[id(expression)][1]

    def program(self, expression: Expr) -> IntervalProgram:
        """What gives the bounds of an expression."""
        if id(expression) not in self._programs:
            self._programs[id(expression)] = expression, IntervalProgram(expression)
        return self._programs[id(expression)][1]

    def shape(self, guard: tuple[Expr, ...], updates: tuple[Update, ...]) -> int:
        """A number for transitions that have an equal guard and equal updates."""
        return self._shapes.setdefault((guard, updates), len(self._shapes))

    def cannot_fault(self, expression: Expr) -> bool:
        """Whether no part of an expression can fault."""
        if id(expression) not in self._safe:
            self._safe[id(expression)] = expression, cannot_fault(expression)
        return self._safe[id(expression)][1]


class _TransitionPlan:
    """What a visit of one transition needs, prepared once."""

    def __init__(self, task: Task, transition: Transition, known: _Known) -> None:
        self.transition = transition
        layout = task.layout
        self.sources = [layout.place(branch.process, branch.source) for branch in transition.fixed]
        self.guard = conjuncts(transition.guard)
        self.conditions = conditions_of((*transition.branches, *transition.updates))
        operands = (each for update in transition.updates for each in update.operands)
        expressions, kept = [*self.guard, *self.conditions, *operands], overwritten(layout, transition.updates)
        read = [known.reads(each) for each in expressions]
        self.support = frozenset().union(*(each.plain for each in read), kept)
        self.reads = frozenset().union(*(each.all(layout) for each in read), kept)
        self.constants = self._constants(task)
        self.read_in_order = sorted(self.reads)
        is_plain = self.constants is None and not self.conditions
        self.shape = known.shape(self.guard, transition.updates) if is_plain else None

    def _constants(self, task: Task) -> list[tuple[int, Domain]] | None:
        """The constants stored, if all tests compare variables with constants and all updates store one; else None."""
        layout = task.layout
        self.tests: list[tuple[int, int]] = []
        if self.conditions:
            return None
        for part in self.guard:
            match part:
                case Binary("==", Ref(name), Literal(value)):
                    self.tests.append((layout.first[name], value))
                case At(process, location):
                    self.tests.append(layout.place(process, location))
                case _:
                    return None
        written: dict[int, Domain] = {}
        for update in self.transition.updates:
            match update:
                case Update(target=Ref(name), value=Literal(value)):
                    kind = task.variables[layout.first[name]].type
                    if not kind.low <= value <= kind.high:
                        return None
                    written[layout.first[name]] = Domain(value, value)
                case _:
                    return None
        for branch in self.transition.branches:
            number, place = layout.place(branch.process, branch.target)
            written[number] = Domain(place, place)
        return sorted(written.items())

    def constants_if(self, domains: _Box) -> list[tuple[int, Domain]] | None:
        """The constants stored, or None when a test cannot succeed."""
        return self.constants if all(domains.has(variable, value) for variable, value in self.tests) else None


def _thresholds(task: Task) -> list[int]:
    """The constants of the model and their neighbours: where a growing domain is likely to stop."""
    found: set[int] = set()
    for transition in task.transitions:
        expressions = [transition.guard, *(update.value for update in transition.updates)]
        for expression in expressions:
            for part in walk(expression):
                if isinstance(part, Literal):
                    found.update((part.value - 1, part.value, part.value + 1))
    return sorted(found)
