"""Predicates found by refinement [HSRKP07, section 5]: those that forbid the shortest spurious traces, part by part.

A part begins with the predicates of the error condition. In each iteration some shortest abstract error traces are
refuted, and predicates that forbid them are added. A trace that runs in the whole system as it is, without steps in
between, is as long as the abstraction says it must be at least, hence a shortest one: it is the answer. One that only
the part cannot refute ends the refinement of the part. An abstraction without an error trace is a proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.abstraction.predicates.sources import MOST_ROWS, FoundPredicate, predicates_of_error
from symdmc.encode.diagrams import DiagramLimit
from symdmc.errors import UnsupportedFeature
from symdmc.model.trace import Trace
from symdmc.patterndb.predicates import AUTO, CARTESIAN, PredicateAbstraction, PredicateBuilder, PredicateOptions
from symdmc.selection.predicates.refutation import Explanation, Refuter
from symdmc.selection.predicates.replay import real_trace
from symdmc.selection.predicates.split import NetworkPart, covering, network_parts
from symdmc.selection.predicates.traces import AbstractTrace, shortest_abstract_traces
from symdmc.selection.selection import Report, silent
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task

MOST_TRACES = 32
"""Shortest abstract traces looked at in one iteration."""
MOST_ADDED = 12
"""Predicates that one iteration adds, unless one trace takes more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementOptions:
    """How predicates are refined."""

    iterations: int = 4
    """How often a part may get predicates."""
    every_trace: bool = True
    """Forbid all the traces looked at, not only the first."""
    until_it_stays: bool = True
    """End when the traces fail to become longer, with the predicates before that [HSRKP07, section 5]."""
    kind: str = AUTO
    perimeter: int = 0
    """Refute traces up to the abstract states that are so near to the error, if that is enough: all that go on from
    there are forbidden with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One abstraction on the way."""

    part: str
    number: int
    predicates: int
    added: tuple[Predicate, ...]
    """What it has that the one before had not."""
    length: int | None
    """Of its shortest error traces; None where it has none."""
    kind: str
    size: int
    """Cubes, or abstract states that are forward reachable."""
    removed: tuple[int, int] = (0, 0)
    """How many of the traces looked at before the added predicates forbid, and how many these were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """What refinement has found."""

    predicates: tuple[tuple[Predicate, ...], ...]
    """Of each part that has any."""
    iterations: tuple[Iteration, ...]
    """All of them, part by part: lengths and sizes, for whoever draws them."""
    endings: tuple[str, ...]
    """Why each part was not refined further."""
    why: dict[Predicate, str]
    answer: Trace | None = None
    """A shortest error trace, where one was met."""


def told(each: Iteration) -> str:
    """An iteration in a line."""
    size = f"{each.size:,} {'cubes' if each.kind == CARTESIAN else 'abstract states'}"
    length = "no error trace" if each.length is None else f"spurious length {each.length}"
    words = f"{each.part}: {counted(each.predicates, 'predicate')}, {each.kind}, {size}, {length}"
    if not each.added:
        return words
    removed, looked_at = each.removed
    return f"{words}; + {', '.join(map(str, each.added))} against {removed} of {looked_at} traces"


def refined(
    task: Task,
    *,
    most: int | None,
    options: RefinementOptions = RefinementOptions(),
    report: Report = silent,
) -> Refined:
    """All that refinement finds, iteration by iteration. Deterministic: budgets count."""
    asked = predicates_of_error(task)
    parts = covering(network_parts(task, most), (each.predicate for each in asked))
    builder = PredicateBuilder(task, PredicateOptions(kind=options.kind))
    refinements: list[_Refinement] = []
    for part in parts:
        refinements.append(_Refinement(task, part, asked, builder, options, report))
        refinements[-1].run()
        if refinements[-1].settled:
            break
    return Refined(
        predicates=tuple(tuple(each.kept) for each in refinements if each.kept),
        iterations=tuple(iteration for each in refinements for iteration in each.iterations),
        endings=tuple(f"{each.part.name}: {each.ending}" for each in refinements),
        why={predicate: why for each in refinements for predicate, why in each.kept.items()},
        answer=next((each.answer for each in refinements if each.answer is not None), None),
    )


@dataclass(slots=True)
class _Refinement:
    """Of one part."""

    task: Task
    part: NetworkPart
    asked: Sequence[FoundPredicate]
    builder: PredicateBuilder
    options: RefinementOptions
    report: Report
    kept: dict[Predicate, str] = field(default_factory=dict)
    """The predicates so far, with the reasons."""
    iterations: list[Iteration] = field(default_factory=list)
    ending: str = "all iterations done"
    answer: Trace | None = None
    proved: bool = False

    @property
    def settled(self) -> bool:
        """Whether the question is answered."""
        return self.proved or self.answer is not None

    @property
    def _most_traces(self) -> int:
        return MOST_TRACES if self.options.every_trace else 1

    def run(self) -> None:
        """Refine until something ends it."""
        own = set(self.part.own(each.predicate for each in self.asked))
        added = {each.predicate: f"{each.sources[0]}" for each in self.asked if each.predicate in own}
        refuter = Refuter(self.task, self.builder.entailment, self.part.variables)
        removed = (0, 0)
        for number in range(self.options.iterations + 1):
            abstraction = self._abstraction({**self.kept, **added})
            if abstraction is None:
                return
            traces = self._entered(number, abstraction, added, removed)
            if traces is None or number == self.options.iterations:
                return
            explained = self._explained(refuter, traces)
            if self.answer is not None or not explained:
                return
            added, removed = self._chosen(explained, len(traces), number)

    def _abstraction(self, predicates: Iterable[Predicate]) -> PredicateAbstraction | None:
        """The abstraction by some predicates; None where it takes too much."""
        listed = list(predicates)
        self.report(f"{self.part.name}: {counted(len(listed), 'predicate')}")
        try:
            found = self.builder.abstraction(listed)
        except (DiagramLimit, UnsupportedFeature) as problem:
            self.ending = f"the abstraction takes too much: {problem}"
            return None
        if found.kind == CARTESIAN:  # more predicates will not make an exact one affordable
            self.builder.options = replace(self.builder.options, kind=CARTESIAN)
        return found

    def _entered(
        self, number: int, abstraction: PredicateAbstraction, added: dict[Predicate, str], removed: tuple[int, int]
    ) -> list[AbstractTrace] | None:
        """Keep what was added, and the traces that are left; None where refinement ends here."""
        traces = shortest_abstract_traces(self.task, abstraction, self._most_traces, self.options.perimeter)
        complete = abstraction.cubes is None or abstraction.cubes.complete
        length = self._length(traces[0]) if traces else None
        before = self.iterations[-1].length if self.iterations else None
        self.iterations.append(
            Iteration(
                part=self.part.name,
                number=number,
                predicates=len(self.kept) + len(added),
                added=tuple(added) if number else (),
                length=length,
                kind=abstraction.kind,
                size=abstraction.size,
                removed=removed,
            )
        )
        if not traces and not complete:
            self.ending = "the abstraction takes too much: too many cubes"
            return None
        if self.options.until_it_stays and before is not None and length is not None and length <= before:
            self.ending = f"the spurious length stays {length}: back to {counted(len(self.kept), 'predicate')}"
            return None
        self.kept |= added
        if not traces:
            self.ending, self.proved = "no abstract error trace, which proves that no error state is reachable", True
            return None
        return traces

    def _length(self, trace: AbstractTrace) -> int:
        return sum(self.task.transitions[number].cost for number in trace.steps)

    def _explained(self, refuter: Refuter, traces: Sequence[AbstractTrace]) -> list[Explanation]:
        """For each trace that the part refutes the new predicates that forbid it; a real one is the answer."""
        found: list[Explanation] = []
        feasible = 0
        for trace in traces:
            self.answer = real_trace(self.task, trace.steps)
            if self.answer is not None:
                self.ending = f"an abstract error trace of length {self.answer.length} is real"
                return []
            new = self._refuted(refuter, trace)
            feasible += new is None
            if new:
                found.append(new)
        if not found:
            self.ending = "nothing in the part forbids an abstract error trace" if feasible else "no predicate is new"
        return found

    def _refuted(self, refuter: Refuter, trace: AbstractTrace) -> Explanation | None:
        """The new predicates that forbid a trace, those that forbid its approach before others; None: none does."""
        if trace.approach is not None:
            new = self._new(refuter.explanation(trace.approach.steps, self.kept, trace.approach.arrival))
            if new:
                return new
        return self._new(refuter.explanation(trace.steps, self.kept))

    def _new(self, explanation: Explanation | None) -> Explanation | None:
        if explanation is None:
            return None
        return tuple(each for each in explanation if each not in self.kept and self._is_usable(each))

    def _is_usable(self, predicate: Predicate) -> bool:
        total = self.builder.entailment.canonical.is_total
        return predicate.linear is not None or total(predicate.expression, MOST_ROWS)

    def _chosen(
        self, explained: Sequence[Explanation], looked_at: int, number: int
    ) -> tuple[dict[Predicate, str], tuple[int, int]]:
        """The predicates that forbid the most traces each, until all are forbidden or there are many of them."""
        added: dict[Predicate, str] = {}
        rest = list(explained)
        while rest:
            best = max(rest, key=lambda each: _worth(rest, each, added))  # the first of several
            new = [each for each in best if each not in added]
            if added and len(added) + len(new) > MOST_ADDED:
                break
            count = _forbidden(rest, {*added, *new})
            why = f"iteration {number + 1}: forbids {count} of {looked_at} shortest abstract traces"
            added |= dict.fromkeys(new, why)
            rest = [each for each in rest if not added.keys() >= set(each)]
        return added, (_forbidden(explained, added.keys()), looked_at)


def _worth(explained: Iterable[Explanation], chosen: Explanation, added: Collection[Predicate]) -> float:
    """How many traces each of the new predicates of an explanation forbids."""
    return _forbidden(explained, {*added, *chosen}) / len(set(chosen).difference(added))


def _forbidden(explained: Iterable[Explanation], kept: Collection[Predicate]) -> int:
    """How many traces some predicates forbid."""
    return sum(all(predicate in kept for predicate in each) for each in explained)
