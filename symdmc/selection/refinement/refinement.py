"""Refinement by counterexamples: what forbids shortest abstract error traces is told apart, until none is left or real.

In each round all shortest abstract traces are followed at once by concrete states, step for step. Where they can go no
further, the conditions that fail there name what has to be told apart: variables, or classes of their values. An
abstraction without an error trace is a proof: its database has the initial states among its dead ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symdmc.encode.diagrams import DiagramLimit
from symdmc.model.state import State
from symdmc.outcome import SearchResult, Verdict
from symdmc.patterndb.work import WorkBudget, forward_layers
from symdmc.selection.refinement.abstraction import Habit, ShortestTraces, shortest_traces
from symdmc.selection.refinement.choice import Addition, additions
from symdmc.selection.refinement.flaws import Look, Obstacle, detours, initial_obstacles, obstacles
from symdmc.selection.refinement.following import Following, follow
from symdmc.selection.refinement.precision import Distinction, Precision
from symdmc.selection.selection import Selection, reasons_for
from symdmc.task.task import Task

LOOKED_AT = 50
"""Of more states that can go no further, so many are asked what stops them."""
MOST_REFUSALS = 2
"""After so many additions that took too much, refinement ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What refinement may take; everything is counted."""

    rounds: int = 100
    """How often the abstraction may be refined."""
    added: int = 8
    """Most distinctions that one round adds."""
    states: int = 2_000
    """Concrete states that follow the abstract traces in one round."""
    inserted_states: int = 2_000
    """The same at the end, with steps inserted that the abstraction does not see; 0: do not try."""
    values: int = 256
    """Variables with more values than this are not added whole."""
    work: int = 200_000_000
    """Most nodes of the state sets before and after images, in all rounds."""
    attempt_work: int = 32_000_000
    """The same for one abstraction in one way; a quarter of it after each that took more."""
    database_work: int = 40_000_000
    """The same for making sure that the database can be built, where refinement ends early."""
    effort: int = 300_000_000
    """Most work of all operations on diagrams, for either, as `encode.diagrams.WorkLeft` counts."""
    memory_bytes: int | None = None

    def allowing(self, nodes: int) -> WorkBudget:
        """So many nodes, and all the effort."""
        return WorkBudget(nodes=nodes, effort=self.effort, memory_bytes=self.memory_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How refinement begins and goes on."""

    name: str
    """Of the selection, as it is spelled."""
    start: tuple[Distinction, ...]
    """What is told apart from the start on; where it takes too much, the last of them is left out, then the next."""
    splits: bool
    """Whether it goes on by classes of values, rather than by whole variables."""


def refined(task: Task, beginning: Beginning, budget: Budget, report: Callable[[str], None]) -> Selection:
    """One pattern that proves the error unreachable, or that has a real error trace among its shortest ones.

    A real trace is the answer, and a shortest one. When the budget ends refinement, the pattern so far is returned,
    and a trace found by inserting steps, if any, is the answer, which need not be a shortest one.
    """
    work, database = budget.allowing(budget.work), budget.allowing(budget.database_work)
    return _Refinement(task, beginning, budget, report, work, database).run()


@dataclass(slots=True)
class _Refinement:
    task: Task
    beginning: Beginning
    budget: Budget
    report: Callable[[str], None]
    work: WorkBudget
    database: WorkBudget
    kept: dict[Distinction, str] = field(default_factory=dict)
    """What is told apart so far, with the reasons."""
    grown_by: list[tuple[Distinction, ...]] = field(default_factory=list)
    """What it started with, and what each round has added."""
    refused: dict[Distinction, str] = field(default_factory=dict)
    """What must not be added, and why."""
    refusals: int = 0
    """How often an addition took too much."""
    habit: Habit = field(default_factory=Habit)
    failures: int = 0
    """How many abstractions took too much."""
    steps: list[str] = field(default_factory=list)
    look: Look | None = None
    """The abstraction so far."""
    behind: list[tuple[int, list[State]]] = field(default_factory=list)
    """Concrete states on its traces by their distance to the end, nearest last: those not asked what stops them."""
    explored: int = 0
    generated: int = 0
    answer: SearchResult | None = None
    settled: bool = False

    def run(self) -> Selection:
        """Refine until the question is settled or the budget is spent."""
        found = self._started()
        while found and self.refusals < MOST_REFUSALS and len(self.grown_by) <= self.budget.rounds:
            found = self._grown(found)
        if not self.settled:
            self._end_early()
        precision = self._precision()
        kept = {precision.base(number) for number in precision.pattern}
        return Selection(
            name=self.beginning.name,
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

    def _started(self) -> list[Obstacle]:
        """What is not seen at the start; without the last of what it starts with, if that takes too much."""
        for number, domain in enumerate(self.task.analysis.domains):
            if domain.count > self.budget.values:
                self.refused[Distinction(number)] = f"has {domain.count:,} values, too many to be added"
        start = list(self.beginning.start)
        while True:
            try:
                return self._keeping([Addition(tuple(start), "the error condition reads it")])
            except DiagramLimit as limit:
                self.failures += 1
                self.steps.append(f"{self._names(start)}: given up, {limit}")
                if not start:
                    return []
                self.refused[start.pop()] = f"the abstraction took too much with it: {limit}"

    def _grown(self, found: Sequence[Obstacle]) -> list[Obstacle]:
        """What is not seen with the best additions, or with the very best alone where all of them take too much."""
        chosen = additions(found, self.task, self.budget.added, self.refused)
        while not chosen and self.behind:
            found = [*found, *self._stopped()]
            chosen = additions(found, self.task, self.budget.added, self.refused)
        if not chosen:
            self.steps.append("nothing else may be added")
            return []
        for some in (chosen, chosen[:1]) if len(chosen) > 1 else (chosen,):
            try:
                return self._keeping(some)
            except DiagramLimit as limit:
                self.failures += 1
                names = self._names([each for addition in some for each in addition.distinctions])
                self.steps.append(f"+ {names}: given up, {limit}")
                refusal = f"the abstraction took too much with it: {limit}"
        self.refused |= dict.fromkeys(chosen[0].distinctions, refusal)
        self.refusals += 1
        return list(found)

    def _keeping(self, chosen: Sequence[Addition]) -> list[Obstacle]:
        """Tell more apart, and what is not seen even so; nothing where the question is settled."""
        more = {each: addition.why for addition in chosen for each in addition.distinctions}
        precision = self._precision(more)
        most = self.budget.attempt_work >> 2 * self.failures
        traces = shortest_traces(precision.task, precision.pattern, self.work, self.report, self.habit, most)
        self._enter(more)
        words = f"+ {self._names(more)}" if len(self.grown_by) > 1 else self._names(more)
        if traces is None:
            self.look = None
            self.steps.append(f"{words}: no abstract error trace, which proves that no error state is reachable")
            self.settled = True
            return []
        self.look = Look(precision, traces, self.beginning.splits)
        return self._followed(self.look, words)

    def _enter(self, more: Mapping[Distinction, str]) -> None:
        self.kept |= more
        self.grown_by.append(tuple(sorted(more)))
        if self.beginning.splits:
            self.steps += [f"{each.text(self.task)} is told apart: {why}" for each, why in sorted(more.items())]

    def _followed(self, look: Look, words: str) -> list[Obstacle]:
        """Follow the traces of the abstraction, and what is not seen; nothing where one of them is real."""
        followed = self._follow(look, self.budget.states)
        length = f"{words}: abstract error traces of length {look.traces.length}"
        if followed.error is not None:
            self.steps.append(f"{length}, one of them is real")
            self.answer, self.settled = self._real(followed, look.traces, shortest=True), True
            return []
        if not followed.expanded:
            self.steps.append(f"{length}, without a real initial state")
            return initial_obstacles(look)
        self.steps.append(f"{length}, real up to {min(followed.expanded)} steps before the end")
        self.behind = sorted(followed.expanded.items(), reverse=True)
        return self._stopped() or self._led_around(followed)

    def _follow(self, look: Look, states: int, *, inserts: bool = False) -> Following:
        """Step along the traces of the abstraction."""
        followed = follow(self.task, look.traces, states, inserts=inserts)
        self.explored += followed.explored
        self.generated += followed.generated
        return followed

    def _stopped(self) -> list[Obstacle]:
        """What stops the states nearest to the end of the traces that were not asked as yet."""
        return self._first(obstacles, self.behind)

    def _led_around(self, followed: Following) -> list[Obstacle]:
        """Where the traces go on if nothing stops the states."""
        return self._first(detours, sorted(followed.expanded.items(), reverse=True))

    def _first(
        self, asked: Callable[[Look, list[State], int], list[Obstacle]], states: list[tuple[int, list[State]]]
    ) -> list[Obstacle]:
        """What is found with the states nearest to the end with which anything is; takes those away that were asked."""
        assert self.look is not None
        found: list[Obstacle] = []
        while states and not found:
            distance, own = states.pop()
            found = asked(self.look, own[:LOOKED_AT], distance)
        return found

    # ---- what comes of it

    def _real(self, followed: Following, traces: ShortestTraces, *, shortest: bool) -> SearchResult:
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
            search=self.beginning.name,
            h_initial=traces.length,
        )

    def _end_early(self) -> None:
        """Try for a trace with steps inserted; give back the last rounds, ever more of them, until a database fits."""
        if self.look is not None and self.budget.inserted_states:
            self.report("inserting steps")
            followed = self._follow(self.look, self.budget.inserted_states, inserts=True)
            if followed.error is not None:
                self.answer = self._real(followed, self.look.traces, shortest=False)
                self.steps.append(f"with steps inserted that change {self._nothing}, an abstract error trace is real")
        back = 1
        while self.kept and not self._is_affordable():
            last = [each for added in self.grown_by[-back:] for each in added]
            del self.grown_by[-back:]
            back *= 2
            self.steps.append(f"- {self._names(last)}: the database would take too much")
            for each in last:
                del self.kept[each]
                self.refused[each] = "the database would take too much with it"

    @property
    def _nothing(self) -> str:
        return "nothing that is told apart" if self.beginning.splits else "no kept variable"

    def _is_affordable(self) -> bool:
        """Whether all forward reachable abstract states, which a database needs, fit into the budget."""
        precision = self._precision()
        self.report(f"{len(precision.pattern)} variables, can the database be built?")
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
