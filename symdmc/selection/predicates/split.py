"""Network splitting [HSRKP07, section 3.3]: parts of few processes that interact much, each with its variables.

By the syntax, a process affects another if it writes what the other reads, directly or through a chain of variables
each of which is assigned from the one before, or if they synchronise. A part is abstracted by predicates over its own
processes and variables only. Conditions on others in guards and synchronisations are thereby lost, as in the paper;
unlike the paper, we keep steps of other processes that write a variable of the part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.model.expressions import Cell, Expr, Target
from symdmc.model.system import Edge, Process
from symdmc.task.interaction import error_variables
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPart:
    """Some processes, and the variables that predicates about them may read."""

    processes: tuple[str, ...]
    """Their names, in the order of the system."""
    variables: frozenset[int]
    """The locations of the processes, and the variables that their edges use."""

    @property
    def name(self) -> str:
        """The names of its processes."""
        return ", ".join(self.processes)

    def own(self, predicates: Iterable[Predicate]) -> list[Predicate]:
        """The predicates that read only variables of the part."""
        return [each for each in predicates if self.variables.issuperset(each.support)]


def network_parts(task: Task, most: int | None) -> tuple[NetworkPart, ...]:
    """Parts of at most `most` processes each, or one of all; only those with variables of the error condition.

    Greedy: a part begins with a process, those that the error condition reads first, and grows by the process with the
    most interactions to it. A process that does nothing but let clocks grow is in no part.
    """
    network = _Network(task)
    names = [process.name for process in task.system.processes if not network.is_clockwork(process)]
    groups = [tuple(names)] if most is None else network.grouped(names, most)
    parts = [NetworkPart(processes=each, variables=network.variables(each)) for each in groups]
    if most is None:
        everything = frozenset(range(len(task.variables)))
        return tuple(replace(part, variables=everything) for part in parts)
    asked = error_variables(task)
    return tuple(part for part in parts if part.variables & asked) or tuple(parts[:1])


def covering(parts: Sequence[NetworkPart], predicates: Iterable[Predicate]) -> tuple[NetworkPart, ...]:
    """The parts, enlarged so that each predicate belongs to one of them."""
    found = list(parts)
    for predicate in predicates:
        support = frozenset(predicate.support)
        if found and not any(support <= part.variables for part in found):
            best = max(range(len(found)), key=lambda place: (len(found[place].variables & support), -place))
            found[best] = replace(found[best], variables=found[best].variables | support)
    return tuple(found)


class _Network:
    """What the processes of a system read and write."""

    def __init__(self, task: Task) -> None:
        self.task, self.layout = task, task.layout
        self._reads = {each.name: list(self._conditions(each)) for each in task.system.processes}
        self._writes = {each.name: self._written(each) for each in task.system.processes}
        self._chains = self._closed()

    def is_clockwork(self, process: Process) -> bool:
        """Whether a process has one location and writes nothing but digital clocks."""
        written = self._writes[process.name] - {self.layout.process[process.name]}
        clocks = all(self.task.variables[number].digital_clock for number in written)
        return len(process.locations) == 1 and bool(written) and clocks

    def variables(self, names: Iterable[str]) -> frozenset[int]:
        """The locations of some processes, and all that their edges use except the locations of others."""
        processes = [self.task.system.process_named[name] for name in names]
        used = (self._used(edge) for process in processes for edge in process.edges)
        read = (support for process in processes for support in self._reads[process.name])
        places = {self.layout.process[process.name] for process in processes}
        return frozenset().union(*used, *read) - frozenset(self.layout.process.values()) | places

    def grouped(self, names: Sequence[str], most: int) -> list[tuple[str, ...]]:
        """Groups of at most `most` processes, those of the error condition first."""
        asked = error_variables(self.task)
        weights = {frozenset(pair): self._interactions(*pair) for pair in combinations(names, 2)}
        waiting = sorted(names, key=lambda name: self.layout.process[name] not in asked)
        groups: list[tuple[str, ...]] = []
        while waiting:
            group = [waiting.pop(0)]
            while len(group) < most and waiting:
                near = {name: sum(weights[frozenset((name, each))] for each in group) for name in waiting}
                best = max(waiting, key=near.__getitem__)  # the first of several
                if near[best] == 0:
                    break
                waiting.remove(best)
                group.append(best)
            groups.append(tuple(name for name in names if name in group))
        return groups

    def _interactions(self, one: str, other: str) -> int:
        """How many conditions of each the other affects, plus the number of transitions in which both move."""
        pairs = ((one, other), (other, one))
        affected = sum(self._affects(a, condition) for a, b in pairs for condition in self._reads[b])
        together = sum({one, other} <= {branch.process for branch in each.branches} for each in self.task.transitions)
        return affected + together

    def _affects(self, writer: str, condition: frozenset[int]) -> bool:
        return any(not self._chains.get(number, {number}).isdisjoint(condition) for number in self._writes[writer])

    def _conditions(self, process: Process) -> Iterator[frozenset[int]]:
        """The variables that each guard and each invariant of a process reads."""
        conditions = [*(edge.guard for edge in process.edges), *(place.invariant for place in process.locations)]
        for condition in conditions:
            support = self.layout.support(condition)
            if support:
                yield support

    def _written(self, process: Process) -> frozenset[int]:
        targets = (target for edge in process.edges for target in _targets(edge))
        stored = (number for target in targets for number in self.layout.targets(target))
        buffers = (number for edge in process.edges for number in self._buffer(edge))
        return frozenset({self.layout.process[process.name], *stored, *buffers})

    def _used(self, edge: Edge) -> frozenset[int]:
        """All that an edge reads and writes, except the location of its process."""
        stored = (number for target in _targets(edge) for number in self.layout.targets(target))
        return frozenset({*stored, *self._buffer(edge)}).union(*map(self.layout.support, _values(edge)))

    def _buffer(self, edge: Edge) -> Iterator[int]:
        """The variables of a buffered channel that the edge uses."""
        if edge.sync is not None:
            for variable in self.task.system.channel_named[edge.sync.channel].buffer():
                first = self.layout.first[variable.name]
                yield from range(first, first + variable.cells)

    def _closed(self) -> dict[int, set[int]]:
        """For each variable all variables that its value may reach by assignments."""
        into: dict[int, set[int]] = {}
        for transition in self.task.transitions:
            for update in transition.updates:
                for source in self.layout.support(update.value):
                    into.setdefault(source, {source}).update(self.layout.targets(update.target))
        growing = True
        while growing:
            sizes = sum(map(len, into.values()))
            for reached in into.values():
                reached.update(*(into[number] for number in tuple(reached) if number in into))
            growing = sum(map(len, into.values())) > sizes
        return into


def _targets(edge: Edge) -> Iterator[Target]:
    """The places that an edge stores into."""
    yield from (assignment.target for assignment in edge.assignments)
    if edge.sync is not None:
        yield from edge.sync.targets


def _values(edge: Edge) -> Iterator[Expr]:
    """The expressions that an edge evaluates."""
    yield edge.guard
    for assignment in edge.assignments:
        yield assignment.value
    if edge.sync is not None:
        yield from edge.sync.values
    yield from (target.index for target in _targets(edge) if isinstance(target, Cell))
