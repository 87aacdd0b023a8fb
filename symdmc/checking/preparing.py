"""From the heuristics of a request to one heuristic for a task: selections choose, databases are built and combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from symdmc.checking.request import CheckRequest
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making
from symdmc.outcome import SelectionReport
from symdmc.running.run import Run
from symdmc.selection.selection import Selection, SelectionOptions
from symdmc.task.task import Task

Selections: TypeAlias = "tuple[Selection | None, ...]"
"""For each heuristic of a request what its selection has chosen; None where it has no selection."""

Chosen: TypeAlias = "dict[SelectionOptions, Selection]"
"""What selections have chosen."""


@dataclass(slots=True)
class Workshop:
    """What was chosen and made for one task, for whoever asks for the same once more."""

    task: Task
    chosen: Chosen = field(default_factory=dict)
    made: dict[str, tuple[DatabaseRequest, Made]] = field(default_factory=dict)
    """Heuristics by their spelling, the last one made, with what was asked for of databases."""

    def keep(self, request: CheckRequest, done: Prepared) -> None:
        """Keep the heuristics of a request."""
        for each, made in zip(request.heuristics, done.parts, strict=False):
            self.made[each.text] = request.databases, made

    def made_for(self, request: CheckRequest) -> Made | None:
        """What was made for a request with one heuristic; None where it was not, or rests on files."""
        (one,) = request.heuristics
        asked, made = self.made.get(one.text, (None, None))
        return made if asked == DatabaseRequest() == request.databases else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The heuristic of a request for a task."""

    made: Made
    parts: tuple[Made, ...] = ()
    """The heuristics it is made of, where each is one by itself."""
    remarks: tuple[tuple[str, ...], ...]
    """For each heuristic of the request what its databases lack."""


def selected(request: CheckRequest, task: Task, run: Run, chosen: Chosen | None = None) -> Selections:
    """What all selections choose, if it is not known; raises LimitReached where a limit is met on the way."""
    chosen = {} if chosen is None else chosen
    found: list[Selection | None] = []
    for each in request.heuristics:
        selection = each.options.selection(request.databases)
        if selection is not None and selection not in chosen:
            chosen[selection] = _selected_in_child(each.text, selection, task, run)
        found.append(None if selection is None else chosen[selection])
    return tuple(found)


def _selected_in_child(text: str, selection: SelectionOptions, task: Task, run: Run) -> Selection:
    from symdmc.patterndb.supervised import in_child

    phase = f"selecting a pattern ({text})"
    run.say(phase)

    def select(send: Callable[[str], None]) -> Selection:
        return selection.select(task, send)

    return in_child(task, select, run, lambda words: run.say(f"{phase}: {words}"))


def prepared(
    request: CheckRequest, task: Task, run: Run, selections: Selections, databases: DatabaseRequest | None = None
) -> Prepared:
    """All heuristics of the request, made and combined; raises LimitReached where a limit is met on the way.

    `databases` takes the place of what the request says about them.
    """
    asked = request.databases if databases is None else databases
    parts = [
        (_maker(request, each.options), Making(task=task, run=run, databases=asked, selection=selection))
        for each, selection in zip(request.heuristics, selections, strict=True)
    ]
    if request.combine == "sum" or request.lookup == "layers":
        made = _sum(parts) if request.combine == "sum" else _layers(parts)
        return Prepared(made=made, remarks=((),) * len(parts))
    each_made = [maker.make(making) for maker, making in parts]
    return Prepared(made=_maximum(each_made), parts=tuple(each_made), remarks=tuple(made.remarks for made in each_made))


def _maker(request: CheckRequest, options: HeuristicOptions) -> HeuristicOptions:
    """What makes a heuristic of the request: by databases of patterns, where only these will do."""
    return (options.patterns if request.needs_patterns else None) or options


def _maximum(made: Sequence[Made]) -> Made:
    from symdmc.heuristics.estimates.maximum import Maximum

    if len(made) == 1:
        return made[0]
    patterns = tuple(pattern for each in made for pattern in each.patterns)
    return Made(heuristic=Maximum(tuple(each.heuristic for each in made)), patterns=patterns)


def _sum(parts: Sequence[tuple[HeuristicOptions, Making]]) -> Made:
    """The sum of all databases, which share the costs; they are built as the first heuristic says."""
    from symdmc.heuristics.estimates.databases import database_heuristic
    from symdmc.heuristics.estimates.patterns import patterns_in
    from symdmc.patterndb.supervised import built_databases

    making = parts[0][1]
    sources = [(source, own) for maker, own in parts if (source := maker.patterns) is not None]
    task, patterns = patterns_in(making.task, [kept for source, own in sources for kept in source.kept(own)])
    read = [database for source, own in sources for database in source.read_files(own)]
    options = replace(sources[0][0].build_options(making.databases), work=None)
    built = built_databases(task, patterns, options, making.run, partition=True) if patterns else []
    databases = [*read, *(each for each in built if each is not None)]
    return Made(
        heuristic=database_heuristic(making.task, databases, "sum"),
        patterns=tuple(database.pattern for database in databases),
    )


def _layers(parts: Sequence[tuple[HeuristicOptions, Making]]) -> Made:
    """Membership in the layers themselves, in this process."""
    from symdmc.heuristics.estimates.layers import LayerHeuristic
    from symdmc.heuristics.estimates.patterns import patterns_in
    from symdmc.patterndb.build import build_layers
    from symdmc.patterndb.database import names_of

    sources = [(source, own) for maker, own in parts if (source := maker.patterns) is not None]
    wanted = [(kept, source, own) for source, own in sources for kept in source.kept(own)]
    task, patterns = patterns_in(parts[0][1].task, [kept for kept, _, _ in wanted])
    built = [
        build_layers(task, pattern, source.build_options(own.databases))
        for pattern, (_, source, own) in zip(patterns, wanted, strict=True)
    ]
    names = tuple(names_of(task, sorted(each.encoding.kept)) for each in built)
    return Made(heuristic=LayerHeuristic(tuple(built)), patterns=names)


def reports(
    request: CheckRequest, task: Task, selections: Selections, remarks: Sequence[tuple[str, ...]] = ()
) -> tuple[SelectionReport, ...]:
    """What was selected, and why, each selection once."""
    told: dict[str, SelectionReport] = {}
    for place, (each, chosen) in enumerate(zip(request.heuristics, selections, strict=False)):
        if chosen is not None:
            told[each.text] = SelectionReport(
                name=each.text,
                patterns=_names(task, chosen),
                reasons=chosen.reasons,
                steps=chosen.steps,
                followed=chosen.followed,
                remarks=remarks[place] if remarks else (),
            )
    return tuple(told.values())


def _names(task: Task, chosen: Selection) -> tuple[tuple[str, ...], ...]:
    """What each database keeps, in words."""
    names = [*(each.name for each in task.variables), *(each.text for each in chosen.definitions)]
    patterns = (tuple(names[number] for number in pattern) for pattern in chosen.patterns)
    return (*patterns, *(tuple(map(str, part)) for part in chosen.predicates))
