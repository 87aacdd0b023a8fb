"""Obligations discharged by visiting every state of a set: the terms of the steps are evaluated in many states at once.

This takes a few microseconds for each state; the referee takes hundreds. The time that z3 takes depends on
the diagrams instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
import z3
from numpy.typing import NDArray

from symdmc.evidence.smt.arrays import Array, Program, TermCompiler, UnknownTerm
from symdmc.evidence.smt.diagrams import DiagramTerms
from symdmc.evidence.smt.steps import Attempt
from symdmc.evidence.smt.terms import Evaluator, SmtLayout
from symdmc.evidence.visiting.listing import listed_states
from symdmc.evidence.visiting.membership import PORTION, Membership
from symdmc.evidence.visiting.state_rows import Int64s, StatePacking, StateRows, StateSet
from symdmc.model.question import ErrorCondition
from symdmc.model.state import EdgeRef, State
from symdmc.model.system import System

Bools = NDArray[np.bool_]

STATES_PER_NODE = 1_000
"""A piece is listed if it has at most this many states for each node: the time that z3 takes grows with the nodes."""
MOST_WORDS = 1 << 25
"""The most words that the states of a listed piece may have; listing them takes about two gigabytes."""
MOST_TRIALS = 10_000
"""With more combinations of transitions and choices than this, it is better to ask z3."""


class StateUnion:
    """The states of several pieces and some explicit ones; the pieces with few states for their size are listed."""

    def __init__(self, pieces: Sequence[Sequence[DiagramTerms]], states: Sequence[State], layout: SmtLayout) -> None:
        self.compiler = TermCompiler(layout)
        packing = StatePacking(layout)
        self.pieces = [_listed_piece(piece, packing, self.compiler) for piece in pieces]
        """For each piece its states; None where they are not listed."""
        self.explicit = StateSet(packing.pack(states))
        self._sets = [*(piece for piece in self.pieces if piece is not None), self.explicit]
        others = (diagrams for diagrams, piece in zip(pieces, self.pieces, strict=True) if piece is None)
        self._others = [Membership(diagrams, self.compiler) for diagrams in others]

    def contains(self, rows: StateRows) -> NDArray[np.bool_]:
        """Which of the states are in the union."""
        inside = np.zeros(len(rows), dtype=bool)
        for holds in (*(each.contains for each in self._sets), *(each.holds for each in self._others)):
            if not inside.all():
                left = np.flatnonzero(~inside)
                inside[left] = holds(rows.taken(left))
        return inside


def _listed_piece(diagrams: Sequence[DiagramTerms], packing: StatePacking, compiler: TermCompiler) -> StateSet | None:
    nodes = sum(len(each.diagram.nodes) for each in diagrams)
    most = min(STATES_PER_NODE * nodes, MOST_WORDS // packing.words)
    rows = listed_states(diagrams, packing, compiler, most)
    return None if rows is None else StateSet(rows)


@dataclass(frozen=True, slots=True)
class Refutation:
    """A state that refutes an obligation."""

    state: State
    leaves: bool
    """A step from it leaves the set; else it is an error state."""


class Visitor:
    """Visits states of one system."""

    def __init__(
        self, layout: SmtLayout, attempts: Sequence[Attempt], error: ErrorCondition, compiler: TermCompiler
    ) -> None:
        self._error = error
        evaluator = Evaluator(layout, layout.current)
        self._holds = compiler.program([evaluator.holds(error.expression)])
        self._where = compiler.program([evaluator.holds(error.deadlock_where)])
        trials = (
            _AttemptProgram(attempt, chosen, compiler)
            for attempt in attempts
            for chosen in _choices(attempt, layout.system)
        )
        self._trials = list(islice(trials, MOST_TRIALS + 1))
        if len(self._trials) > MOST_TRIALS:
            raise UnknownTerm("too many choices")

    def visit(
        self, rows: StateRows, contains: Callable[[StateRows], Bools], progress: Callable[[int], None]
    ) -> Refutation | None:
        """The first state that is an error state or has a step to where `contains` says no; None if there is none."""
        done = 0
        for portion in rows.portions(PORTION):
            found = self._portion(portion, contains)
            if found is not None:
                return found
            done += len(portion)
            progress(done)
        return None

    def _portion(self, rows: StateRows, contains: Callable[[StateRows], Bools]) -> Refutation | None:
        found = _first(self._holds.run(rows.column)[0], rows)
        stuck = np.ones(len(rows), dtype=bool)
        places = _Places(rows)
        for trial in self._trials:
            if found is not None:
                return Refutation(found, leaves=False)
            here = places.at(trial.sources)
            part = rows.taken(here)
            if self._error.fault:
                found = _first(trial.fault.run(part.column, trial.chosen)[0], part)
            enabled = trial.enabled(part)
            if len(enabled) == 0:
                continue
            stuck[here[enabled]] = False
            before = part.taken(enabled)
            leaving = _first(~contains(trial.after(before)), before)
            if leaving is not None:
                return Refutation(leaving, leaves=True)
        if found is None and self._error.deadlock:
            found = _first(stuck & self._where.run(rows.column)[0], rows)
        return None if found is None else Refutation(found, leaves=False)


def _first(truth: Bools, rows: StateRows) -> State | None:
    """The first state for which it is true."""
    which = np.flatnonzero(np.broadcast_to(truth, len(rows)))
    return rows.state(int(which[0])) if len(which) else None


class _Places:
    """Looks up in which states processes are at given locations."""

    def __init__(self, rows: StateRows) -> None:
        self._rows = rows
        self._known: dict[tuple[int, int], Bools] = {}

    def at(self, sources: dict[int, int]) -> Int64s:
        """The states in which some processes are at the locations of these numbers."""
        here = np.ones(len(self._rows), dtype=bool)
        for place in sources.items():
            if place not in self._known:
                self._known[place] = self._rows.column(place[0]) == place[1]
            here = here & self._known[place]
        return np.flatnonzero(here)


class _AttemptProgram:
    """A transition tried in many states, with the choices made where there are any."""

    def __init__(self, attempt: Attempt, chosen: dict[str, bool], compiler: TermCompiler) -> None:
        self.sources = attempt.sources
        self.chosen = chosen
        conditions = attempt.enabled.children() if z3.is_and(attempt.enabled) else [attempt.enabled]
        self._conditions = sorted((compiler.program([condition]) for condition in conditions), key=len)
        self.fault = compiler.program([attempt.fault])
        self._writes = sorted(attempt.writes)
        self._after = compiler.program([attempt.after[slot] for slot in self._writes])

    def enabled(self, rows: StateRows) -> Int64s:
        """The states in which the step exists."""
        left = np.arange(len(rows))
        for condition in self._conditions:
            truth = self._run(condition, rows)[0]
            if truth.ndim == 0:
                left = left if truth else left[:0]
            elif not truth.all():
                left, rows = left[truth], rows.taken(truth)
            if len(left) == 0:
                break
        return left

    def after(self, rows: StateRows) -> StateRows:
        """The states after the step."""
        return rows.changed(dict(zip(self._writes, self._run(self._after, rows), strict=True)))

    def _run(self, program: Program, rows: StateRows) -> list[Array]:
        return program.run(rows.column, self.chosen)


def _choices(attempt: Attempt, system: System) -> Iterator[dict[str, bool]]:
    """Every way to choose one edge of each process that has several to choose from.

    Only edges from the same location are alternatives, so one number chooses for all locations.
    """
    rivals: dict[int, dict[str, list[EdgeRef]]] = {}
    for process, edge in attempt.picks:
        source = system.processes[process].edges[edge].source
        rivals.setdefault(process, {}).setdefault(source, []).append((process, edge))
    most = [range(max(len(edges) for edges in places.values())) for places in rivals.values()]
    for numbers in product(*most):
        taken = {
            edges[number % len(edges)]
            for number, places in zip(numbers, rivals.values(), strict=True)
            for edges in places.values()
        }
        yield {pick.decl().name(): ref in taken for ref, pick in attempt.picks.items()}
