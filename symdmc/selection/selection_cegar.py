"""Refinement by counterexamples: keep what forbids the shortest abstract error traces, until none is left or one real.

It starts with the variables of the error condition. In each round all shortest abstract traces are followed at once by
concrete states, step for step. Where they can go no further, the conditions that fail there name the variables that
are missing. A pattern without an error trace is a proof: its database has the initial states among its dead ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from symdmc.encode.diagrams import DiagramLimit
from symdmc.encode.encoding import MOST_VALUES
from symdmc.model.state import State
from symdmc.outcome import SearchResult, Verdict
from symdmc.patterndb.work import WorkBudget, forward_layers
from symdmc.selection.cegar_abstraction import Habit, ShortestTraces, shortest_traces
from symdmc.selection.cegar_choice import Addition, additions
from symdmc.selection.cegar_following import Following, follow
from symdmc.selection.cegar_obstacles import Obstacle, initial_obstacles, obstacles
from symdmc.selection.selection import Selection, reasons_for
from symdmc.task.task import Task

LOOKED_AT = 50
"""Of more states that can go no further, so many are asked what stops them."""
MOST_REFUSALS = 2
"""After so many additions that took too much, refinement ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What refinement may take; everything is counted."""

    rounds: int
    added: int
    states: int
    inserted_states: int
    values: int
    attempt: int
    work: WorkBudget
    database: WorkBudget


def selection_cegar(
    task: Task,
    *,
    rounds: int = 100,
    added: int = 8,
    states: int = 2_000,
    inserted_states: int = 2_000,
    values: int = 256,
    work: int = 200_000_000,
    attempt_work: int = 32_000_000,
    database_work: int = 40_000_000,
    effort: int = 1_200_000_000,
    memory_bytes: int | None = None,
    report: Callable[[str], None] = lambda words: None,
) -> Selection:
    """One pattern that proves the error unreachable, or that has a real error trace among its shortest ones.

    A real trace is the answer, and a shortest one. When the budget ends refinement, the pattern so far is returned,
    and a trace found by inserting steps, if any, is the answer, which need not be a shortest one.

    rounds: how often the pattern may grow
    added: most variables that one round adds
    states: concrete states that follow the abstract traces in one round
    inserted_states: the same at the end, with steps inserted that change no kept variable; 0: do not try
    values: variables with more values than this are not added
    work: most nodes of the state sets before and after images, in all rounds
    attempt_work: the same for one pattern in one way; a quarter of it after each pattern that took more
    database_work: the same for making sure that the database can be built, where refinement ends early
    effort: most work of all operations on diagrams, for either, as `encode.diagrams.WorkLeft` counts
    """
    budget = Budget(
        rounds=rounds,
        added=added,
        states=states,
        inserted_states=inserted_states,
        values=min(values, MOST_VALUES),
        attempt=attempt_work,
        work=WorkBudget(nodes=work, effort=effort, memory_bytes=memory_bytes),
        database=WorkBudget(nodes=database_work, effort=effort, memory_bytes=memory_bytes),
    )
    return _Refinement(task, budget, report).run()


@dataclass(slots=True)
class _Refinement:
    task: Task
    budget: Budget
    report: Callable[[str], None]
    kept: dict[int, str] = field(default_factory=dict)
    """The pattern so far, with the reasons."""
    grown_by: list[tuple[int, ...]] = field(default_factory=list)
    """The variables that the pattern started with, and what each round has added."""
    refused: dict[int, str] = field(default_factory=dict)
    """What must not be added, and why."""
    refusals: int = 0
    """How often an addition took too much."""
    habit: Habit = field(default_factory=Habit)
    failures: int = 0
    """How many patterns took too much."""
    steps: list[str] = field(default_factory=list)
    traces: ShortestTraces | None = None
    """Those of the pattern so far."""
    behind: list[tuple[int, list[State]]] = field(default_factory=list)
    """Concrete states on them by their distance to the end, the nearest last: those not asked what stops them."""
    explored: int = 0
    answer: SearchResult | None = None
    settled: bool = False

    def run(self) -> Selection:
        """Refine until the question is settled or the budget is spent."""
        found = self._started()
        while found and self.refusals < MOST_REFUSALS and len(self.grown_by) <= self.budget.rounds:
            found = self._grown(found)
        if not self.settled:
            self._end_early()
        pattern = tuple(sorted(self.kept))
        return Selection(
            name="cegar",
            patterns=(pattern,) if pattern else (),
            reasons=reasons_for(self.task, pattern, self.kept, self._why_dropped()),
            steps=tuple(self.steps),
            answer=self.answer,
        )

    # ---- rounds

    def _started(self) -> list[Obstacle]:
        """What the variables of the error condition do not see; without the largest of them, if they take too much."""
        domains = self.task.analysis.domains
        for number, domain in enumerate(domains):
            if domain.count > self.budget.values:
                self.refused[number] = f"has {domain.count:,} values, too many to be added"
        asked_for = sorted(self.task.layout.support(self.task.error.expression))
        start = [number for number in asked_for if 1 < domains[number].count <= MOST_VALUES]
        start.sort(key=lambda number: (domains[number].count, number))
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
        chosen = additions(found, self.task.analysis.domains, self.budget.added, self.refused)
        while not chosen and self.behind:
            found = [*found, *self._stopped()]
            chosen = additions(found, self.task.analysis.domains, self.budget.added, self.refused)
        if not chosen:
            self.steps.append("nothing else may be added")
            return []
        for some in (chosen, chosen[:1]) if len(chosen) > 1 else (chosen,):
            try:
                return self._keeping(some)
            except DiagramLimit as limit:
                self.failures += 1
                names = self._names([number for each in some for number in each.variables])
                self.steps.append(f"+ {names}: given up, {limit}")
                refusal = f"the abstraction took too much with it: {limit}"
        self.refused |= dict.fromkeys(chosen[0].variables, refusal)
        self.refusals += 1
        return list(found)

    def _keeping(self, chosen: Sequence[Addition]) -> list[Obstacle]:
        """Keep more variables, and what is not seen even so; nothing where the question is settled."""
        more = {number: each.why for each in chosen for number in each.variables}
        pattern = sorted({**self.kept, **more})
        most = self.budget.attempt >> 2 * self.failures
        traces = shortest_traces(self.task, pattern, self.budget.work, self.report, self.habit, most)
        self.kept |= more
        self.grown_by.append(tuple(sorted(more)))
        self.traces = traces
        words = f"+ {self._names(more)}" if len(self.grown_by) > 1 else self._names(more)
        if traces is None:
            self.steps.append(f"{words}: no abstract error trace, which proves that no error state is reachable")
            self.settled = True
            return []
        followed = follow(self.task, traces, self.budget.states)
        self.explored += followed.explored
        if followed.error is not None:
            self.steps.append(f"{words}: abstract error traces of length {traces.length}, one of them is real")
            self.answer, self.settled = self._real(followed, traces, shortest=True), True
            return []
        if not followed.expanded:
            self.steps.append(f"{words}: abstract error traces of length {traces.length}, without a real initial state")
            return initial_obstacles(self.task, traces)
        reached = min(followed.expanded)
        far = f"real up to {reached} steps before the end"
        self.steps.append(f"{words}: abstract error traces of length {traces.length}, {far}")
        self.behind = sorted(followed.expanded.items(), reverse=True)
        return self._stopped()

    def _stopped(self) -> list[Obstacle]:
        """What stops the states nearest to the end of the traces that were not asked as yet."""
        assert self.traces is not None
        distance, states = self.behind.pop()
        return obstacles(self.task, self.traces, states[:LOOKED_AT], distance)

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
            stored=len(followed.came_by),
            search="cegar",
            h_initial=traces.length,
        )

    def _end_early(self) -> None:
        """Try for a trace with steps inserted; give back the last rounds, ever more of them, until a database fits."""
        if self.traces is not None and self.budget.inserted_states:
            self.report("inserting steps")
            followed = follow(self.task, self.traces, self.budget.inserted_states, inserts=True)
            self.explored += followed.explored
            if followed.error is not None:
                self.answer = self._real(followed, self.traces, shortest=False)
                self.steps.append("with steps inserted that change no kept variable, an abstract error trace is real")
        back = 1
        while self.kept and not self._is_affordable():
            last = [number for each in self.grown_by[-back:] for number in each]
            del self.grown_by[-back:]
            back *= 2
            self.steps.append(f"- {self._names(last)}: the database would take too much")
            for number in last:
                del self.kept[number]
                self.refused[number] = "the database would take too much with it"

    def _is_affordable(self) -> bool:
        """Whether all forward reachable abstract states, which a database needs, fit into the budget."""
        self.report(f"{len(self.kept)} variables, can the database be built?")
        try:
            forward_layers(self.task, sorted(self.kept), self.budget.database)
        except DiagramLimit:
            return False
        return True

    def _why_dropped(self) -> dict[int, str]:
        domains = self.task.analysis.domains
        found = {
            number: "nothing that it forbids was on a shortest abstract error trace"
            if domains[number].count > 1
            else "it never changes"
            for number in range(len(domains))
        }
        return found | self.refused

    def _names(self, numbers: Iterable[int]) -> str:
        return ", ".join(self.task.variables[number].name for number in sorted(numbers)) or "no variable"
