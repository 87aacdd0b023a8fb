"""Symbolic A*: state sets in buckets of equal g and h, the smallest f first, in a child process.

Estimates come from pattern databases, as state sets. Called BDDA* in [ER98].
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from symdmc.encode.diagrams import Node
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.tables.export import TableLimit, decision_table
from symdmc.errors import InternalError
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.outcome import Layer, SearchResult, Stop
from symdmc.patterndb.build import BuildOptions, BuildReport
from symdmc.patterndb.database import PatternDatabase, names_of
from symdmc.patterndb.perimeter import requested_database
from symdmc.running.run import Run
from symdmc.search.symbolic.estimate_sets import EstimateSets
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.search.symbolic.symbolic import (
    REACHED,
    Engine,
    Finished,
    Report,
    Told,
    in_child_process,
    search_result,
    stop_reason,
)
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task, Values


def search(
    task: Task,
    patterns: Sequence[Sequence[int]],
    options: SymbolicOptions = SymbolicOptions(),
    *,
    extended: Task | None = None,
    databases: Sequence[PatternDatabase] = (),
    build: BuildOptions = BuildOptions(),
    run: Run | None = None,
) -> SearchResult:
    """Look for a shortest error trace, from the initial states on, guided by databases.

    These are built, one for each pattern, or given. Patterns may have derived variables, of the task `extended`. Of the
    estimates the largest one counts. The trace is a shortest one: the databases are admissible and consistent, so a
    state is first expanded at its distance. The layers of the result are the buckets expanded, at most one for each
    pair of distance and estimate. The direction in the options does not matter. Deterministic for an order and seed.
    """
    run = run or Run()
    source = extended or task
    told = Told(task, run)
    allowed = build if build.memory_bytes is not None else replace(build, memory_bytes=run.memory_bytes)

    def work(engine: Engine) -> Finished:
        known = [*databases, *_built(engine, source, patterns, allowed)]
        engine.send(Report(phase="estimates as state sets"))
        return _Buckets(engine, EstimateSets(engine.encoding, known)).search()

    stop, chosen, found = in_child_process(task, options, told, work)
    return replace(
        search_result(told, stop, chosen, found),
        reason=_reason(stop, told, found),
        preprocessing_seconds=round(run.seconds if told.prepared is None else told.prepared, 3),
        search="astar",
        heuristic="pdb",
        direction="forward",
        h_initial=told.bounds[0] if told.bounds else "dead end" if found else None,
        patterns=(*(each.pattern for each in databases), *(names_of(source, pattern) for pattern in patterns)),
    )


def _reason(stop: Stop | None, told: Told, found: Finished | None) -> str:
    if found is not None:
        return "an error state is reachable" if found.path is not None else found.exhausted
    if stop is not None and told.bounds:
        return f"{REACHED[stop]} while looking for traces of length {told.bounds[-1]}"
    return stop_reason(stop, told)


def _built(
    engine: Engine, task: Task, patterns: Sequence[Sequence[int]], build: BuildOptions
) -> Iterator[PatternDatabase]:
    """The databases, each made in diagrams of its own; one without a table is left out if it may be."""
    for number, pattern in enumerate(patterns, 1):
        try:
            yield requested_database(task, pattern, build, _reporter(engine, f"pattern database {number}"))
        except TableLimit:
            if build.required:
                raise


def _reporter(engine: Engine, what: str) -> BuildReport:
    def report(phase: str, layer: Layer | None) -> None:
        where = "" if layer is None else f" {layer.depth}, {counted(layer.nodes, 'node')}"
        engine.send(Report(phase=f"{what}: {phase}{where}"))

    return report


class _Buckets:
    """A search: what is open by g and h, what is closed, and how to get there.

    The estimate of a state never changes, so states with one estimate only meet closed states with the same one.
    """

    def __init__(self, engine: Engine, estimates: EstimateSets) -> None:
        self.engine, self.estimates = engine, estimates
        self.diagrams = engine.diagrams
        self.relation = engine.relation(learns=True, frames=True)
        self.images = Images(self.relation, engine.options.node_limit)
        self.errors = ErrorStates(self.relation)
        self.open: dict[tuple[int, int], Node] = {}
        self.closed: dict[int, Node] = {}
        """The states expanded, by h."""
        self.rings: dict[int, list[Node]] = {}
        """The same by g, in the order they were expanded in."""

    def search(self) -> Finished:
        """The states of a shortest error trace, or why there is none."""
        self._put(0, 0, self.relation.initial())
        bound = -1
        while self.open:
            g, h = min(self.open, key=lambda bucket: (sum(bucket), bucket))
            states = self._new(h, self.open.pop((g, h)))
            if states == self.diagrams.false:
                continue
            if g + h > bound:
                bound = g + h
                self.engine.send(Report(bound=bound, phase=_phase(bound)))
            met = self._expand(g, h, states)
            if met != self.diagrams.false:
                return self.engine.finished(path=tuple(self._way(g, met))[::-1])
        proof = self._proof() if self.engine.options.certify else None
        return self.engine.finished(exhausted=self._exhausted(), proof=proof)

    def _put(self, g: int, least: int, states: Node) -> None:
        """Open some states at one distance."""
        for h, some in self.estimates.divided(states, least):
            new = self._new(h, some)
            if new != self.diagrams.false:
                self.open[g, h] = self.diagrams.either(self.open.get((g, h), self.diagrams.false), new)

    def _new(self, h: int, states: Node) -> Node:
        return self.diagrams.without(states, self.closed.get(h, self.diagrams.false))

    def _expand(self, g: int, h: int, states: Node) -> Node:
        """Close a bucket under steps of cost 0, then take the others; the error states in it, which end the search."""
        d, began = self.diagrams, time.monotonic()
        bucket = ring = states
        while ring != d.false:
            self.relation.learn(ring)
            self.rings.setdefault(g, []).append(ring)
            self.closed[h] = d.either(self.closed.get(h, d.false), ring)
            met = self.errors.within(ring)
            if met != d.false:
                self._tell(g, h, bucket, began)
                return met
            ring = d.false
            if self.relation.has_free_steps:
                self._put(g, h, self.images.after(self.rings[g][-1], 0))
                ring = self.open.pop((g, h), d.false)
            bucket = d.either(bucket, ring)
        self._put(g + 1, max(0, h - 1), self.images.after(bucket, 1))
        self._tell(g, h, bucket, began)
        return d.false

    def _tell(self, g: int, h: int, bucket: Node, began: float) -> None:
        count = self.engine.encoding.count(bucket) if self.engine.options.count_layers else None
        seconds = round(time.monotonic() - began, 3)
        self.engine.tell(Layer(depth=g, states=count, nodes=self.diagrams.size(bucket), seconds=seconds), _phase(g + h))

    def _exhausted(self) -> str:
        d, initial = self.diagrams, self.relation.initial()
        if not self.closed and initial != d.false:
            many = self.engine.encoding.count(initial)
            return f"all {many:,} initial states are dead ends" if many > 1 else "the initial state is a dead end"
        which = "" if self.estimates.dead == d.false else " that are no dead ends"
        return f"all reachable states{which} found, none is an error state"

    def _proof(self) -> tuple[DecisionTable, ...]:
        """The dead ends and the states expanded: no step leads out of them, and none is an error state.

        Dead ends stay as the databases have them: all variables together may need a far larger table.
        """
        d = self.diagrams
        states = d.any_of(self.closed[h] for h in sorted(self.closed))
        expanded = [decision_table(self.engine.encoding, [(DEAD_END, states)], OUTSIDE)] if states != d.false else []
        return (*self.estimates.dead_end_tables, *expanded)

    # ---- the way back

    def _way(self, g: int, states: Node) -> Iterator[Values]:
        """The states of a shortest trace to one of the states, which are in the last ring at g, from there back."""
        d, encoding, initial = self.diagrams, self.engine.encoding, self.relation.initial()
        last = len(self.rings[g]) - 1
        while True:
            state = encoding.pick(states)
            yield state
            single = encoding.state(state)
            if g == 0 and d.both(single, initial) != d.false:
                return
            g, last, states = self._before(g, last, single)

    def _before(self, g: int, last: int, single: Node) -> tuple[int, int, Node]:
        """A ring with predecessors of a state, which is in a ring at g: its g, its place there, and the predecessors.

        The state was found from a ring at g - 1, or from an earlier one at g, so following them ends.
        """
        if g > 0:
            before = self.images.before(single, 1)
            found = self._first(before, self.rings.get(g - 1, []))
            if found is not None:
                return g - 1, *found
        found = self._first(self.images.before(single, 0), self.rings[g][:last])
        if found is None:
            raise InternalError("a state of the search has no predecessor")
        return g, *found

    def _first(self, states: Node, rings: Sequence[Node]) -> tuple[int, Node] | None:
        d = self.diagrams
        hits = ((place, d.both(states, ring)) for place, ring in enumerate(rings))
        return next((hit for hit in hits if hit[1] != d.false), None)


def _phase(bound: int) -> str:
    return f"length {bound}, at distance"
