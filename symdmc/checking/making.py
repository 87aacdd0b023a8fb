"""What making a heuristic takes: the task, limits, and what was chosen and built on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from symdmc.checking.guidance import Guidance
from symdmc.checking.selections import Selecting
from symdmc.outcome import SelectionReport, Stop

if TYPE_CHECKING:
    from symdmc.abstraction.predicates.pattern import PredicatePattern
    from symdmc.abstraction.predicates.predicate import Predicate
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.patterndb.predicates import PredicateOptions
    from symdmc.running.run import Run
    from symdmc.selection.selection import Pattern, Selection
    from symdmc.task import Task
    from symdmc.task.definitions import Definition


@dataclass(slots=True)
class Making:
    """Makes parts of heuristics for one task, within the limits of a run."""

    task: Task
    guidance: Guidance
    run: Run
    selections: dict[str, Selection] = field(default_factory=dict)
    """What was selected, by its spelling: once is enough."""
    remarks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What the databases lack, by the spelling of the selection."""
    patterns: list[tuple[str, ...]] = field(default_factory=list)
    """The variables kept by each database that is used."""
    extended: Task = field(init=False)
    """The task with the derived variables that databases keep."""

    def __post_init__(self) -> None:
        self.extended = self.task

    def selected(self, text: str, recipe: Selecting) -> Selection:
        """The patterns that a selection chooses; raises LimitReached when the run says so."""
        if text not in self.selections:
            self.selections[text] = self._in_child(f"selecting a pattern ({text})", recipe)
        return self.selections[text]

    def _in_child(self, phase: str, recipe: Selecting) -> Selection:
        """Select in a child process, since work on diagrams cannot be interrupted."""
        from symdmc.encode.diagrams import DiagramLimit
        from symdmc.running.run import LimitReached
        from symdmc.running.supervision import supervise

        self.run.say(phase)
        self.task.analyse(self.run.checkpoint)

        def work(send: Callable[[str], None]) -> Selection | Stop:
            try:
                return recipe.select(self.task, send)
            except DiagramLimit:
                return Stop.MEMORY

        ended = supervise(work, self.run, lambda words: self.run.say(f"{phase}: {words}"))
        if ended.result is None or isinstance(ended.result, Stop):
            raise LimitReached(ended.result or ended.stop or Stop.INTERRUPT)
        return ended.result

    def derived(self, definitions: Sequence[Definition]) -> Pattern:
        """The numbers of derived variables, in the extended task, which gets those it does not have."""
        from symdmc.task.derived import extended, numbers_of

        self.task.analyse(self.run.checkpoint)
        self.extended = extended(self.extended, definitions)
        return numbers_of(self.extended, definitions)

    def numbers_in_extended(self, kept: PredicatePattern) -> Pattern:
        """The variables that a pattern of predicates keeps, by number in the extended task."""
        plain = {number for number in kept.pattern if number not in kept.task.definitions}
        derived = [kept.task.definitions[number] for number in kept.pattern if number not in plain]
        return tuple(sorted({*plain, *self.derived(derived)}))

    def databases(
        self, patterns: Sequence[Pattern], options: BuildOptions, *, partition: bool = False
    ) -> list[PatternDatabase | None]:
        """A database for each pattern, None where it took too much; raises LimitReached when the run says so."""
        from symdmc.patterndb.supervised import built_databases

        if not patterns:
            return []
        return built_databases(self.extended, patterns, options, self.run, partition=partition)

    def remark(self, text: str, patterns: Sequence[Pattern], built: Sequence[PatternDatabase | None]) -> None:
        """Remember what the databases of a selection lack."""
        told = (_lacking(len(pattern), database) for pattern, database in zip(patterns, built, strict=True))
        self.remarks[text] = tuple(words for words in told if words is not None)

    def predicate_databases(
        self, parts: Sequence[Sequence[Predicate]], options: PredicateOptions, *, partition: bool = False
    ) -> list[PatternDatabase]:
        """A database for each set of predicates; raises LimitReached when the run says so."""
        from symdmc.patterndb.supervised import built_predicate_databases

        return built_predicate_databases(self.task, parts, options, self.run, partition=partition)

    def reports(self) -> tuple[SelectionReport, ...]:
        """What was selected, and why."""
        return tuple(
            SelectionReport(
                name=text,
                patterns=self._names(chosen),
                reasons=chosen.reasons,
                steps=chosen.steps,
                followed=chosen.followed,
                remarks=self.remarks.get(text, ()),
            )
            for text, chosen in self.selections.items()
        )

    def _names(self, chosen: Selection) -> tuple[tuple[str, ...], ...]:
        """What each database keeps, in words."""
        names = [*(each.name for each in self.task.variables), *(each.text for each in chosen.definitions)]
        patterns = (tuple(names[number] for number in pattern) for pattern in chosen.patterns)
        return (*patterns, *(tuple(map(str, part)) for part in chosen.predicates))


def _lacking(size: int, database: PatternDatabase | None) -> str | None:
    """What a database of so many variables lacks; None where it has what the initial states need."""
    of = f"the database of the pattern of size {size}"
    if database is None:
        return f"{of} is left out, it takes too much work"
    if database.complete or database.h_initial != len(database.layers):
        return None
    return f"{of} ends at distance {len(database.layers) - 1}, more takes too much work"
