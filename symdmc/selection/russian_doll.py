"""pdb:russian-doll: the variables that an abstract error path touches, and those that guard what moves on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from symdmc.lookup.relaxation import chain
from symdmc.model.expressions import TRUE, Expr, Target
from symdmc.model.system import ChannelKind, Direction, Edge, Process
from symdmc.selection.dpr import DownwardRefinement
from symdmc.selection.measures.inner import begun_facts, initial_facts
from symdmc.selection.selection import Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.plurals import counted
from symdmc.task.interaction import error_variables
from symdmc.task.relaxation.relaxed import relaxed_task
from symdmc.task.task import Task

NAME = "russian-doll"
NO_PATH = "there is no abstract error path: the initial state is a dead end even when variables accumulate values"


@dataclass(frozen=True, slots=True, kw_only=True)
class RussianDoll(SelectionOptions):
    """The variables that an abstract error path touches, and those in guards of the processes that move on it.

    Of these the closure takes away again what a process that is not kept writes, and what is computed from variables
    that are not kept. Source: [KHL08] section 4 and Def. 2; in the formula for A0 there the guards are those of the
    processes that are kept, as the text says. Without indirect dependencies the path does not look for the values
    that are assigned (one reading of footnote 7); where values are copied from one process to the next, it ends early.
    With exact projection any pattern is sound: the closure is applied for the sake of the same pattern.
    Where values accumulate without ever satisfying the error condition there is no path; the pattern is then one that
    suffices to see that.

    indirect: false looks for what guards need only, not for the values that are assigned
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:russian-doll", "pdb:russian-doll,indirect=false")

    indirect: bool = True

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The closed pattern of the abstract error path."""
        report("abstract error path")
        relaxed = relaxed_task(task)
        chained = chain(relaxed, begun_facts(relaxed, initial_facts(task, relaxed)))
        if not chained.is_reached(relaxed.goal):
            small = DownwardRefinement(inner="hL", clocks="judge").select(task, report)
            told = (
                "there is no abstract error path: the initial state is a dead end even when variables accumulate values"
            )
            return replace(small, name=NAME, steps=(told, *small.steps))
        path = [step.transition for step in chained.path(indirect=self.indirect)]
        report(f"abstract error path of {counted(len(path), 'transition')}")
        doll = _Doll(task)
        doll.keep_path(path)
        steps = [f"abstract error path: {', '.join(_label(task, number) for number in path) or 'empty'}"]
        steps += doll.close()
        steps += doll.add_error_condition()
        return doll.selection(steps)


def _label(task: Task, number: int) -> str:
    transition = task.transitions[number]
    moves = " ".join(f"{branch.process}.{branch.source}->{branch.target}" for branch in transition.branches)
    return f"{transition.label} {moves}" if transition.label else moves


@dataclass(frozen=True, slots=True)
class _Store:
    """A store of an edge: the variables it may write, and those that decide what."""

    targets: frozenset[int]
    sources: frozenset[int]


class _Doll:
    """The kept variables, with the reasons."""

    def __init__(self, task: Task) -> None:
        self.task, self.layout = task, task.layout
        self.kept: dict[int, str] = {}
        self.dropped = dict.fromkeys(range(len(task.variables)), "not modified on the abstract error path")
        self._constant = {number for number, domain in enumerate(task.analysis.domains) if domain.count == 1}

    def _keep(self, numbers: Iterable[int], why: str) -> None:
        for number in sorted(numbers):
            if number not in self._constant:
                self.kept.setdefault(number, why)

    # ---- A0, or rather what is not in it

    def keep_path(self, path: Iterable[int]) -> None:
        """Processes that move, variables that are written, and variables in guards of these processes."""
        moving: set[int] = set()
        for number in path:
            transition = self.task.transitions[number]
            moving.update(self.layout.process[branch.process] for branch in transition.branches)
            for update in transition.updates:
                self._keep(self.layout.targets(update.target), "modified on the abstract error path")
        self._keep(moving, "moves on the abstract error path")
        for process in sorted(moving):
            for guard in _guards(self.task.system.processes[process]):
                named = self.layout.support(guard) - frozenset(self.layout.process.values())
                self._keep(named, f"in a guard of {self.task.variables[process].name}, which moves on the path")

    # ---- Definition 2

    def close(self) -> list[str]:
        """Drop what the closure drops; what was dropped, in order."""
        steps: list[str] = []
        changed = True
        while changed:
            changed = False
            for number, why in list(self._open()):
                if self.kept.pop(number, None) is not None:
                    changed = True
                    self.dropped[number] = why
                    steps.append(f"{self.task.variables[number].name} dropped by the closure: {why}")
        return steps

    def _open(self) -> Iterator[tuple[int, str]]:
        """The kept variables that may not be kept."""
        gone = frozenset(range(len(self.task.variables))) - self.kept.keys() - self._constant
        for place, process in enumerate(self.task.system.processes):
            name = self.task.variables[place].name
            for edge in process.edges:
                for store in self._stores(edge):
                    if place in gone:
                        yield from ((number, f"written by {name}, which is not kept") for number in store.targets)
                    elif missing := sorted((store.sources & gone) - store.targets):
                        other = self.task.variables[missing[0]].name
                        yield from ((number, f"computed from {other}, which is not kept") for number in store.targets)

    def _stores(self, edge: Edge) -> Iterator[_Store]:
        """What an edge stores: its assignments, values it receives, and what it does to a buffer."""
        for assignment in edge.assignments:
            yield self._store(assignment.target, (assignment.value,))
        if edge.sync is None:
            return
        channel = self.task.system.channel_named[edge.sync.channel]
        if channel.kind is ChannelKind.BUFFERED:
            buffer = (number for part in channel.buffer() for number in self._cells(part.name))
            yield _Store(frozenset(buffer), frozenset().union(*map(self.layout.support, edge.sync.values)))
        for place, target in enumerate(edge.sync.targets):
            if channel.kind is ChannelKind.BUFFERED:
                item = self._cells(channel.item_name(place))
                yield _Store(frozenset(self.layout.targets(target)), frozenset(item))
            else:
                yield self._store(target, [values[place] for values in self._sent(edge.sync.channel)])

    def _store(self, target: Target, values: Iterable[Expr]) -> _Store:
        sources = frozenset().union(*map(self.layout.support, values))
        return _Store(frozenset(self.layout.targets(target)), sources)

    def _cells(self, name: str) -> range:
        first = self.layout.first[name]
        return range(first, first + self.layout.cells[name])

    def _sent(self, channel: str) -> Iterator[tuple[Expr, ...]]:
        for process in self.task.system.processes:
            for edge in process.edges:
                if edge.sync is not None and edge.sync.channel == channel and edge.sync.direction is Direction.SEND:
                    yield edge.sync.values

    # ---- the pattern

    def add_error_condition(self) -> list[str]:
        """Where nothing of the error condition is left, every abstract state would be an error state: keep it all."""
        error = error_variables(self.task)
        if error & self.kept.keys():
            return []
        self._keep(error, "in the error condition, of which nothing was left")
        if not self.kept:
            self.kept[min(error, default=0)] = "nothing else is left"
        return ["nothing of the error condition was left: its variables are kept"]

    def selection(self, steps: Iterable[str]) -> Selection:
        """The pattern that was found."""
        kept = tuple(sorted(self.kept))
        never = dict.fromkeys(self._constant, "it never changes")
        return Selection(
            name=NAME,
            patterns=(kept,),
            reasons=reasons_for(self.task, kept, self.kept, self.dropped | never),
            steps=tuple(steps),
        )


def _guards(process: Process) -> Iterator[Expr]:
    """The guards of the edges of a process, and the invariants of its locations."""
    yield from (edge.guard for edge in process.edges if edge.guard != TRUE)
    yield from (place.invariant for place in process.locations if place.invariant != TRUE)
