"""Refinement by counterexamples, until there is no abstract error trace, or one of the shortest is real.

In each round concrete states follow all shortest abstract traces at once, step for step. Where they can go no further,
the conditions that fail there name the distinctions to add: variables, or classes of their values. An abstraction
without an error trace is a proof: its database has the initial states among its dead ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symdmc.encode.diagrams import DiagramLimit
from symdmc.model.state import State
from symdmc.outcome import SearchResult, Verdict
from symdmc.patterndb.work import WorkBudget, forward_layers
from symdmc.selection.refinement.choice import Addition, additions
from symdmc.selection.refinement.flaws import Flaw, RefinementStep, detours, flaws_at, initial_flaws
from symdmc.selection.refinement.following import FollowedTraces, follow
from symdmc.selection.refinement.precision import Distinction, Precision
from symdmc.selection.refinement.shortest_traces import DirectionMemory, ShortestTraces, shortest_traces
from symdmc.selection.selection import Selection, reasons_for
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task

MOST_EXAMINED = 50
"""At most this many of the states that can go no further are examined for flaws at a time."""
MOST_REFUSALS = 2
"""Refinement ends when this many additions have exceeded the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What refinement may use; everything is counted."""

    rounds: int = 100
    """How often the abstraction may be refined."""
    added: int = 8
    """The most distinctions that one round adds."""
    states: int = 2_000
    """The most concrete states expanded along the abstract traces in one round."""
    inserted_states: int = 2_000
    """The same at the end, with inserted steps that the abstraction does not see; 0: do not try."""
    values: int = 256
    """Variables with more values than this are not added whole."""
    work: int = 200_000_000
    """The most nodes of the state sets before and after images, in all rounds."""
    attempt_work: int = 32_000_000
    """The same for one search of one abstraction; a quarter of it after each that needed more."""
    database_work: int = 40_000_000
    """The same for checking that the database can be built, where refinement ends early."""
    effort: int = 300_000_000
    """The most work of all operations on diagrams, for either, as `encode.diagrams.WorkLeft` counts it."""
    memory_bytes: int | None = None

    def allowing(self, nodes: int) -> WorkBudget:
        """A budget of this many nodes, and of all the effort."""
        return WorkBudget(nodes=nodes, effort=self.effort, memory_bytes=self.memory_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementStart:
    """Where refinement starts, and what it adds."""

    name: str
    """The selection, as it is spelled."""
    distinctions: tuple[Distinction, ...]
    """The first distinctions; where they exceed the budget, the last is left out, then the one before it."""
    splits: bool
    """Whether it adds classes of values, rather than whole variables."""


def refined(task: Task, start: RefinementStart, budget: Budget, report: Callable[[str], None]) -> Selection:
    """One pattern that proves the error unreachable, or that has a real error trace among its shortest ones.

    A real trace is the answer, and a shortest one. When the budget ends refinement, the pattern so far is returned,
    and a trace found by inserting steps, if any, is the answer, which need not be a shortest one.
    """
    work, database = budget.allowing(budget.work), budget.allowing(budget.database_work)
    return _Refinement(task, start, budget, report, work, database).run()


@dataclass(slots=True)
class _Refinement:
    task: Task
    start: RefinementStart
    budget: Budget
    report: Callable[[str], None]
    work: WorkBudget
    database: WorkBudget
    kept: dict[Distinction, str] = field(default_factory=dict)
    """The distinctions so far, with the reasons."""
    grown_by: list[tuple[Distinction, ...]] = field(default_factory=list)
    """The first distinctions, and those that each round has added."""
    refused: dict[Distinction, str] = field(default_factory=dict)
    """Distinctions that must not be added, with the reasons."""
    refusals: int = 0
    """How many additions have exceeded the budget."""
    directions: DirectionMemory = field(default_factory=DirectionMemory)
    failures: int = 0
    """How many abstractions have exceeded the budget."""
    steps: list[str] = field(default_factory=list)
    current: RefinementStep | None = None
    """The abstraction so far, if it has an error trace."""
    unexamined: list[tuple[int, list[State]]] = field(default_factory=list)
    """The concrete states on its traces not examined for flaws, by their distance to the end, the nearest last."""
    explored: int = 0
    generated: int = 0
    answer: SearchResult | None = None
    settled: bool = False

    def run(self) -> Selection:
        """Refine until the question is settled or the budget is spent."""
        found = self._started()
        while found and self.refusals < MOST_REFUSALS and len(self.grown_by) <= self.budget.rounds:
            found = self._extended(found)
        if not self.settled:
            self._end_early()
        precision = self._precision()
        kept = {precision.base(number) for number in precision.pattern}
        return Selection(
            name=self.start.name,
            patterns=(precision.pattern,) if precision.pattern else (),
            reasons=reasons_for(self.task, sorted(kept), self._why_kept(precision), self._why_dropped()),
            steps=tuple(self.steps),
            followed=self.explored,
            answer=self.answer,
            definitions=precision.definitions,
        )

    def _precision(self, more: Iterable[Distinction] = ()) -> Precision:
        return Precision(self.task, frozenset((*self.kept, *more)))

    # ---- rounds

    def _started(self) -> list[Flaw]:
        """The flaws of the first abstraction that fits into the budget."""
        for number, domain in enumerate(self.task.analysis.domains):
            if domain.count > self.budget.values:
                self.refused[Distinction(number)] = f"has {domain.count:,} values, too many to be added"
        start = list(self.start.distinctions)
        while True:
            try:
                return self._refine([Addition(tuple(start), "the error condition reads it")])
            except DiagramLimit as limit:
                self.failures += 1
                self.steps.append(f"{self._names(start)}: given up, {limit}")
                if not start:
                    return []
                self.refused[start.pop()] = f"the abstraction exceeded the budget with it: {limit}"

    def _extended(self, found: Sequence[Flaw]) -> list[Flaw]:
        """The flaws that are left with the best additions, or with the very best alone where all exceed the budget."""
        chosen = additions(found, self.task, self.budget.added, self.refused)
        while not chosen and self.unexamined:
            found = [*found, *self._stopping()]
            chosen = additions(found, self.task, self.budget.added, self.refused)
        if not chosen:
            self.steps.append("nothing else may be added")
            return []
        for some in (chosen, chosen[:1]) if len(chosen) > 1 else (chosen,):
            try:
                return self._refine(some)
            except DiagramLimit as limit:
                self.failures += 1
                names = self._names([each for addition in some for each in addition.distinctions])
                self.steps.append(f"+ {names}: given up, {limit}")
                refusal = f"the abstraction exceeded the budget with it: {limit}"
        self.refused |= dict.fromkeys(chosen[0].distinctions, refusal)
        self.refusals += 1
        return list(found)

    def _refine(self, chosen: Sequence[Addition]) -> list[Flaw]:
        """Add distinctions; returns the flaws that are left, none where the question is settled."""
        more = {each: addition.why for addition in chosen for each in addition.distinctions}
        precision = self._precision(more)
        most = self.budget.attempt_work >> 2 * self.failures
        traces = shortest_traces(precision.task, precision.pattern, self.work, self.report, self.directions, most)
        self._enter(more)
        words = f"+ {self._names(more)}" if len(self.grown_by) > 1 else self._names(more)
        if traces is None:
            self.current = None
            self.steps.append(f"{words}: no abstract error trace, which proves that no error state is reachable")
            self.settled = True
            return []
        self.current = RefinementStep(precision, traces, self.start.splits)
        return self._followed(self.current, words)

    def _enter(self, more: Mapping[Distinction, str]) -> None:
        self.kept |= more
        self.grown_by.append(tuple(sorted(more)))
        if self.start.splits:
            self.steps += [f"{each.text(self.task)} is distinguished: {why}" for each, why in sorted(more.items())]

    def _followed(self, current: RefinementStep, words: str) -> list[Flaw]:
        """The flaws that following the traces of the abstraction finds; none where one of the traces is real."""
        followed = self._follow(current, self.budget.states)
        length = f"{words}: abstract error traces of length {current.traces.length}"
        if followed.error is not None:
            self.steps.append(f"{length}, one of them is real")
            self.answer, self.settled = self._real(followed, current.traces, shortest=True), True
            return []
        if not followed.expanded:
            self.steps.append(f"{length}, without a real initial state")
            return initial_flaws(current)
        self.steps.append(f"{length}, real up to {counted(min(followed.expanded), 'step')} before the end")
        states = sorted(followed.expanded.items(), reverse=True)
        self.unexamined = list(states)
        return self._stopping() or self._first(detours, states)

    def _follow(self, current: RefinementStep, states: int, *, inserts: bool = False) -> FollowedTraces:
        followed = follow(self.task, current.traces, states, inserts=inserts)
        self.explored += followed.explored
        self.generated += followed.generated
        return followed

    def _stopping(self) -> list[Flaw]:
        """The flaws that stop the unexamined states nearest to the end of the traces."""
        return self._first(flaws_at, self.unexamined)

    def _first(
        self, find: Callable[[RefinementStep, list[State], int], list[Flaw]], states: list[tuple[int, list[State]]]
    ) -> list[Flaw]:
        """The flaws of the states nearest to the end that have any; removes all states that it examines."""
        assert self.current is not None
        found: list[Flaw] = []
        while states and not found:
            distance, own = states.pop()
            found = find(self.current, own[:MOST_EXAMINED], distance)
        return found

    # ---- results

    def _real(self, followed: FollowedTraces, traces: ShortestTraces, *, shortest: bool) -> SearchResult:
        return SearchResult(
            verdict=Verdict.ERROR,
            reason="an error state is reachable",
            property=self.task.error.name,
            trace=followed.trace(self.task),
            shortest=shortest,
            lower_bound=traces.length,
            explored=self.explored,
            generated=self.generated,
            stored=len(followed.came_by),
            search=self.start.name,
            h_initial=traces.length,
        )

    def _end_early(self) -> None:
        """Look for a trace with inserted steps; undo the last rounds, ever more of them, until a database fits."""
        if self.current is not None and self.budget.inserted_states:
            self.report("inserting steps")
            followed = self._follow(self.current, self.budget.inserted_states, inserts=True)
            if followed.error is not None:
                unchanged = "nothing that is distinguished" if self.start.splits else "no kept variable"
                self.answer = self._real(followed, self.current.traces, shortest=False)
                self.steps.append(f"with steps inserted that change {unchanged}, an abstract error trace is real")
        back = 1
        while self.kept and not self._is_affordable():
            last = [each for added in self.grown_by[-back:] for each in added]
            del self.grown_by[-back:]
            back *= 2
            self.steps.append(f"- {self._names(last)}: the database would exceed the budget")
            for each in last:
                del self.kept[each]
                self.refused[each] = "the database would exceed the budget with it"

    def _is_affordable(self) -> bool:
        """Whether all forward reachable abstract states, which a database needs, fit into the budget."""
        precision = self._precision()
        self.report(f"{counted(len(precision.pattern), 'variable')}, can the database be built?")
        try:
            forward_layers(precision.task, precision.pattern, self.database)
        except DiagramLimit:
            return False
        return True

    def _why_kept(self, precision: Precision) -> dict[int, str]:
        found = {each.variable: why for each, why in reversed(self.kept.items())}  # the first reason counts
        merged = {each.variable: each.text for each in precision.definitions}
        return {number: f"{merged[number]}: {why}" if number in merged else why for number, why in found.items()}

    def _why_dropped(self) -> dict[int, str]:
        domains = self.task.analysis.domains
        found = {
            number: "nothing that it forbids was on a shortest abstract error trace"
            if domains[number].count > 1
            else "it never changes"
            for number in range(len(domains))
        }
        return found | {each.variable: why for each, why in self.refused.items()}

    def _names(self, distinctions: Iterable[Distinction]) -> str:
        return ", ".join(each.text(self.task) for each in sorted(distinctions)) or "no variable"
