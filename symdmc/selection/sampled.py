"""pdb:sampled: hill climbing by what raises the estimates of sampled states most, as iPDB does [HBHBK07]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from symdmc.encode.diagrams import DiagramLimit
from symdmc.encode.encoding import MOST_VALUES
from symdmc.lookup.tables import DEAD_END
from symdmc.patterndb.build import BuildOptions
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.work import WorkBudget, database_within
from symdmc.selection.measures.sampling import sampled_states
from symdmc.selection.selection import Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.spelling.plurals import counted
from symdmc.task.interaction import InteractionGraph, interaction_graph
from symdmc.task.task import Task, Values

LEAST_WALK = 10
"""A walk has at most twice as many steps as the first estimate says, or this many if that is more."""
ONE_IN = 50
"""An addition must raise the estimate of at least one in this many states."""
LAYERS = BuildOptions(complete=True, layer_work=100_000)
"""Databases that are tried go on behind the initial states, since dead ends show only in complete ones."""


@dataclass(frozen=True, slots=True, order=True)
class Score:
    """How good a database is on the sample: a dead end counts more than any distance."""

    dead_ends: int
    total: int
    """Of the distances of all other states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(SelectionOptions):
    """A pattern that grows from the error condition while the mean estimate of sampled states grows.

    In each round every neighbour in the interaction graph is tried. The pattern stops to grow when no neighbour raises
    the estimates, when an initial state no longer reaches the error, or when the budget is spent.

    samples: how many states
    seed: of the random walks on which they are met
    databases: most databases that are built
    values: variables with more values than this are not added
    work: most nodes of the state sets before and after images
    effort: most work of all operations on diagrams, as `encode.diagrams.WorkLeft` counts
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:sampled,samples=20,databases=5",)

    samples: Annotated[int, Between(1, MANY)] = 200
    seed: Annotated[int, Between(0, MANY)] = 0
    databases: Annotated[int, Between(1, MANY)] = 100
    values: Annotated[int, Unspelled()] = 256
    work: Annotated[int, Unspelled()] = 40_000_000
    effort: Annotated[int, Unspelled()] = 300_000_000

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The pattern that stopped growing."""
        budget = WorkBudget(nodes=self.work, effort=self.effort)
        climb = _Climb(task, self.databases, min(self.values, MOST_VALUES), budget, report)
        climb.run(self.samples, self.seed)
        return climb.selection()


@dataclass(slots=True)
class _Climb:
    task: Task
    databases_left: int
    values: int
    budget: WorkBudget
    report: Report
    kept: dict[int, str] = field(default_factory=dict)
    """The pattern so far, with the reasons."""
    refused: dict[int, str] = field(default_factory=dict)
    """What must not be added, and why."""
    steps: list[str] = field(default_factory=list)
    states: list[Values] = field(default_factory=list)
    graph: InteractionGraph | None = None

    def run(self, samples: int, seed: int) -> None:
        """Let the pattern grow."""
        database = self._start()
        if database is None or database.proves_safety:
            return
        most_steps = max(LEAST_WALK, 2 * (database.h_initial or 0))
        self.states = sampled_states(self.task, samples, most_steps, seed)
        codes: list[int] | None = self._codes(database)
        while codes is not None:
            if self.databases_left == 0:
                self.steps.append("the budget of databases is spent")
                return
            codes = self._grown(codes)

    def _start(self) -> PatternDatabase | None:
        """The database of the variables of the error condition; of fewer, if it exceeds the budget."""
        domains = self.task.analysis.domains
        for number, domain in enumerate(domains):
            if domain.count > self.values:
                self.refused[number] = f"has {domain.count:,} values, too many to be added"
        asked_for = sorted(self.task.layout.support(self.task.error.expression))
        start = [number for number in asked_for if 1 < domains[number].count <= MOST_VALUES]
        start.sort(key=lambda number: (domains[number].count, number))
        while (database := self._database(start)) is None and start:
            self.refused[start.pop()] = "the database took too much with it"
        self.kept = dict.fromkeys(start, "the error condition reads it")
        return database

    def _grown(self, before: list[int]) -> list[int] | None:
        """Add the best neighbour; the codes with it, None where the pattern grows no more."""
        best: tuple[Score, int, list[int]] | None = None
        for number in self._candidates():
            if self.databases_left == 0:
                break
            database = self._database((*self.kept, number))
            if database is None:
                self.refused[number] = "the database took too much with it"
                continue
            codes = self._codes(database)
            raised = sum(now > then for now, then in zip(codes, before, strict=True))
            if database.proves_safety:
                self._add(number, "with it no initial state reaches the error")
                return None
            if raised * ONE_IN >= len(codes) and (best is None or _score(codes) > best[0]):
                best = _score(codes), number, codes
        if best is None:
            return None
        score, number, codes = best
        self._add(number, f"raises the estimates most: {_words(_score(before), before)} -> {_words(score, codes)}")
        return codes

    def _add(self, number: int, why: str) -> None:
        self.kept[number] = why
        self.steps.append(f"+ {self.task.variables[number].name}: {why}")

    def _candidates(self) -> list[int]:
        """The neighbours of the pattern that may be added; of no pattern, all variables."""
        domains = self.task.analysis.domains
        if self.graph is None:
            self.graph = interaction_graph(self.task)
        near = frozenset().union(*map(self.graph.neighbours, self.kept)) if self.kept else range(len(domains))
        return sorted(n for n in frozenset(near) - self.kept.keys() - self.refused.keys() if domains[n].count > 1)

    def _database(self, pattern: Sequence[int]) -> PatternDatabase | None:
        """A database within the budget."""
        self.databases_left -= 1
        self.report(f"{counted(len(pattern), 'variable')}, {counted(self.databases_left, 'database')} left")
        try:
            return database_within(self.task, sorted(pattern), self.budget, LAYERS)
        except DiagramLimit:
            return None

    def _codes(self, database: PatternDatabase) -> list[int]:
        """What the database says about the sample: distances, or DEAD_END, which is larger than all of them."""
        return [database.code(values) for values in self.states]

    def selection(self) -> Selection:
        """The pattern with the reasons."""
        pattern = tuple(sorted(self.kept))
        domains = self.task.analysis.domains
        dropped = {
            number: "it never changes" if domain.count == 1 else "never raised the estimates most"
            for number, domain in enumerate(domains)
        }
        return Selection(
            name="sampled",
            patterns=(pattern,) if pattern else (),
            reasons=reasons_for(self.task, pattern, self.kept, dropped | self.refused),
            steps=tuple(self.steps),
        )


def _score(codes: Sequence[int]) -> Score:
    distances = [code for code in codes if code != DEAD_END]
    return Score(len(codes) - len(distances), sum(distances))


def _words(score: Score, codes: Sequence[int]) -> str:
    """A score as the mean distance and the number of dead ends."""
    mean = score.total / max(1, len(codes) - score.dead_ends)
    return f"{mean:.2f} on average, {score.dead_ends} of {len(codes)} dead ends"
