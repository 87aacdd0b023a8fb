"""Checking certificates from the model alone: is the set inductive, and free of error states?

Three obligations: every initial state is in the set; no state of the set is an error state; every step from the set
stays in it. A few explicit states are checked one by one, by the referee. Pieces are checked over all states within the
declared ranges: by z3 or, where a piece has few states for the size of its diagrams, by visiting them; many explicit
states are visited too. The referee confirms every state that is reported to refute an obligation. Nothing of this is
code of the engines or of the reference semantics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import NoReturn, TypeAlias

import z3

from symdmc.errors import Code, Complaint, EvidenceRefused, InternalError, ModelError
from symdmc.evidence.certificate import Certificate, certificate_fault
from symdmc.evidence.claims import condition_in_words, honestly_named
from symdmc.evidence.judge.referee import Referee
from symdmc.evidence.judge.values import Board
from symdmc.evidence.smt.arrays import UnknownTerm
from symdmc.evidence.smt.diagrams import DiagramTerms, StepEffect, mask_of
from symdmc.evidence.smt.steps import Attempt, StepEncoder, transitions
from symdmc.evidence.smt.terms import (
    FALSE,
    TRUE,
    Evaluator,
    SmtLayout,
    Term,
    Valuation,
    conjunction,
    disjunction,
    negation,
)
from symdmc.evidence.visiting.state_rows import StateSet
from symdmc.evidence.visiting.visiting import StateUnion, Visitor
from symdmc.model import expressions
from symdmc.model.fingerprint import require_fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.state import State, Step
from symdmc.model.steps import changes, named_values, step_label
from symdmc.model.system import System

ProgressCallback: TypeAlias = Callable[[int, int, str], None]
"""Called with the amount done, the total amount, and what is being done."""

MOST_INITIAL_LISTED = 100_000
"""At most this many initial states are checked one by one."""
MOST_EXPLICIT_BY_REFEREE = 1_000
"""At most this many explicit states are checked by the referee, one by one."""
VACUITY_WORK = 500_000
"""The most work of z3, in its own unit, to see whether any state satisfies the condition at all."""

INITIAL = "every initial state is in the set"
ERROR_FREE = "no state of the set is an error state"
INDUCTIVE = "every step from the set stays in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """What was proved, and what it took."""

    property: str
    """The name of the question: the one asked, or the certificate's own if it means the condition in the model."""
    error: ErrorCondition
    vacuous: bool | None
    """No state within the declared ranges satisfies the condition, whatever the system does; None: not known."""
    transitions: int
    """All transitions of the system: each was visited from each piece."""
    queries: int
    """Queries to z3 about the obligations."""
    states: int
    """States visited one by one: the explicit ones, and those of the pieces that were listed."""


def certify(
    system: System,
    certificate: Certificate,
    *,
    error: ErrorCondition | None = None,
    progress: ProgressCallback | None = None,
) -> Certified:
    """What the certificate proves about the system; raises EvidenceRefused with a witness where it proves nothing.

    Given an error condition, a certificate for any other one is refused.
    """
    require_fingerprint(certificate.fingerprint, system, "the certificate")
    if error is None:
        error = honestly_named(replace(certificate.error, name=certificate.property), system)
    elif condition_in_words(error) != condition_in_words(certificate.error):
        proved, asked = condition_in_words(certificate.error), condition_in_words(error)
        raise EvidenceRefused(
            Complaint(Code.OTHER_QUESTION, f"the certificate is about other error states: {proved}; asked is: {asked}")
        )
    fault = certificate_fault(certificate, system)
    if fault is not None:
        raise ModelError(fault)
    return _Judge(system, certificate, error, progress).judge()


class _Judge:
    """Discharges the obligations of one certificate."""

    def __init__(
        self, system: System, certificate: Certificate, error: ErrorCondition, progress: ProgressCallback | None
    ) -> None:
        self.system = system
        self.error = error
        self.referee = Referee(system)
        self.layout = SmtLayout(system)
        self.transitions = list(transitions(system))
        self.states = dict.fromkeys(certificate.states)
        """The explicit states; a dictionary keeps their order."""
        self.pieces = [
            _PieceTerms([DiagramTerms(diagram, self.layout) for diagram in piece.diagrams], self.layout)
            for piece in certificate.pieces
        ]
        self.progress = progress
        self.queries = 0
        self.visited = 0

    def judge(self) -> Certified:
        self.check_initial_states()
        for number, piece in enumerate(self.pieces):
            text = f"piece {number + 1} of {len(self.pieces)}"
            states = self.visits.union.pieces[number] if self.visits is not None else None
            if states is not None:
                self.check_visited(states, f"states of {text}")
            else:
                self.check_errors(piece)
                self.check_steps(piece, f"steps from {text}")
        if self.visits is not None and len(self.states) > MOST_EXPLICIT_BY_REFEREE:
            self.check_visited(self.visits.union.explicit, "explicit states")
        else:
            self.check_explicit_states()
        return Certified(
            property=self.error.name,
            error=self.error,
            vacuous=self.is_vacuous(),
            transitions=len(self.transitions),
            queries=self.queries,
            states=self.visited,
        )

    @cached_property
    def attempts(self) -> list[Attempt]:
        steps = StepEncoder(self.layout)
        return [steps.attempt(transition) for transition in self.transitions]

    def is_vacuous(self) -> bool | None:
        """Whether the condition excludes every state by itself, so that the certificate says nothing of the system."""
        if self.error.deadlock or self.error.fault:
            return False
        solver = _solver(
            [*self.layout.ranges(), Evaluator(self.layout, self.layout.current).holds(self.error.expression)]
        )
        solver.set("rlimit", VACUITY_WORK)
        answer = solver.check()
        return None if answer == z3.unknown else bool(answer == z3.unsat)

    def report(self, done: int, total: int, text: str) -> None:
        if self.progress is not None:
            self.progress(done, total, text)

    # Initial states

    def check_initial_states(self) -> None:
        """Check them one by one or, where they are too many, all of them in one query."""
        choices = [len(process.initial) for process in self.system.processes]
        choices += [len(values) for variable in self.system.storage for values in variable.initial]
        if prod(choices) <= MOST_INITIAL_LISTED:
            outside = next((state for state in self.referee.initial_states() if not self.contains(state)), None)
        else:
            outside = self.initial_state_outside()
        if outside is not None:
            _refuse(Code.CERTIFICATE_MISSES_START, INITIAL, f"this one is not: {_in_words(outside, self.system)}")

    def initial_state_outside(self) -> State | None:
        solver = _solver([*self.layout.ranges(), *self.starts()])
        found = self.outside(solver, self.layout.current, frozenset(), INITIAL)
        if found is None:
            return None
        if not self.referee.starts_in(found[1]) or self.contains(found[1]):
            _disagree(INITIAL, found[1], self.system)
        return found[1]

    def starts(self) -> Iterator[Term]:
        """The conditions under which the unknown state is an initial one."""
        layout, current = self.layout, self.layout.current
        evaluator = Evaluator(layout, current)
        for number, process in enumerate(self.system.processes):
            yield disjunction(*(layout.at(number, place, current) for place in process.initial))
            for place in process.locations:
                if place.invariant != expressions.TRUE:
                    yield disjunction(
                        negation(layout.at(number, place.name, current)), evaluator.holds(place.invariant)
                    )
        for variable in self.system.storage:
            for slot, values in zip(layout.variable_slots[variable.name], variable.initial, strict=True):
                yield disjunction(*(current[slot] == layout.slots[slot].value(value) for value in values))

    # Error states

    def check_errors(self, piece: _PieceTerms) -> None:
        suspects = [Evaluator(self.layout, self.layout.current).holds(self.error.expression)]
        if self.error.fault:
            suspects += [attempt.fault for attempt in self.attempts]
        for suspect in suspects:
            if not z3.is_false(z3.simplify(suspect)):
                model = self.ask(piece.solver, [suspect], ERROR_FREE)
                if model is not None:
                    self.refuse_error(self.layout.decoded(model))
        if self.error.deadlock:
            self.check_deadlock(piece)

    def check_deadlock(self, piece: _PieceTerms) -> None:
        """Check that every state of the piece has a step, or that a deadlock in it is no error.

        A transition with a choice is disabled only if it is disabled under every choice. Choices are excluded one by
        one: if a state that z3 found has a step under some choice, the next query excludes that choice.
        """
        disabled = [Evaluator(self.layout, self.layout.current).holds(self.error.deadlock_where)]
        disabled += [negation(attempt.enabled) for attempt in self.attempts if not attempt.picks]
        while (model := self.ask(piece.solver, disabled, ERROR_FREE)) is not None:
            state = self.layout.decoded(model)
            met = [
                _with_choice(attempt, step)
                for step in self.referee.steps(state)
                for attempt in self.attempts
                if attempt.picks and step.edges[0] in (*attempt.transition.edges, *attempt.transition.joining)
            ]
            if not met:
                self.refuse_error(state)
            disabled += [negation(enabled) for enabled in met]

    def refuse_error(self, state: State) -> NoReturn:
        if not self.contains(state) or not self.referee.is_error(state, self.error):
            _disagree(ERROR_FREE, state, self.system)
        _refuse(
            Code.CERTIFICATE_HAS_ERROR,
            ERROR_FREE,
            f"this one is ({condition_in_words(self.error)}): {_in_words(state, self.system)}",
        )

    # Steps

    def check_steps(self, piece: _PieceTerms, text: str) -> None:
        """Check that every step from the piece stays in it or, failing that, in the union."""
        for done, attempt in enumerate(self.attempts, start=1):
            self.report(done, len(self.attempts), text)
            if z3.is_false(attempt.enabled) or self.stays(piece, attempt):
                continue
            self.check_union(piece, attempt)

    def stays(self, piece: _PieceTerms, attempt: Attempt) -> bool:
        """Whether the step leads from the piece into the same piece, checked diagram by diagram."""
        effect, written = _effect(attempt, self.layout), mask_of(attempt.writes)
        for diagram in piece.diagrams:
            if not diagram.mask & written:
                continue
            departure = diagram.departure(effect)
            if not z3.is_false(departure):
                model = self.ask(piece.solver, [attempt.enabled, departure], INDUCTIVE)
                if model is not None:
                    return False
        return True

    def check_union(self, piece: _PieceTerms, attempt: Attempt) -> None:
        """Check that the step leads from the piece into some piece or to an explicit state."""
        with _assumed(piece.solver, [attempt.enabled]):
            found = self.outside(piece.solver, attempt.after, attempt.writes, INDUCTIVE)
        if found is None:
            return
        self.refuse_leaving(self.layout.decoded(found[0]))

    def refuse_leaving(self, state: State) -> NoReturn:
        """Raise EvidenceRefused with a step from the state that leaves the set."""
        steps = [step for step in self.referee.steps(state) if not self.contains(step.successor)]
        if not self.contains(state) or not steps:
            _disagree(INDUCTIVE, state, self.system)
        self.refuse_step(state, steps[0])

    def refuse_step(self, state: State, step: Step) -> NoReturn:
        changed = ", ".join(f"{name}: {old} -> {new}" for name, old, new in changes(state, step.successor, self.system))
        label = step_label(step, self.system)
        _refuse(
            Code.CERTIFICATE_NOT_INDUCTIVE,
            INDUCTIVE,
            f"this one does not: {label} ({changed}) from {_in_words(state, self.system)}",
        )

    # Explicit states

    def check_explicit_states(self) -> None:
        self.visited += len(self.states)
        for done, state in enumerate(self.states, start=1):
            self.report(done, len(self.states), "explicit states")
            moves = list(self.referee.outcomes(state))
            if self.referee.is_error(state, self.error, moves):
                self.refuse_error(state)
            for move in moves:
                if isinstance(move, Step) and not self.contains(move.successor):
                    self.refuse_step(state, move)

    def contains(self, state: State) -> bool:
        """Whether the state is in the set, by the referee."""
        if state in self.states:
            return True
        board = Board(self.system, state)
        return any(piece.holds(board) for piece in self.pieces)

    # Visits

    @cached_property
    def visits(self) -> _Visits | None:
        """How states are visited; None where no state is, or where only z3 can evaluate some term."""
        try:
            union = StateUnion([piece.diagrams for piece in self.pieces], list(self.states), self.layout)
            if len(self.states) <= MOST_EXPLICIT_BY_REFEREE and not any(union.pieces):
                return None
            return _Visits(union, Visitor(self.layout, self.attempts, self.error, union.compiler))
        except UnknownTerm:
            return None

    def check_visited(self, states: StateSet, text: str) -> None:
        assert self.visits is not None
        found = self.visits.visitor.visit(
            states.rows, self.visits.union.contains, lambda done: self.report(done, len(states), text)
        )
        self.visited += len(states)
        if found is not None and found.leaves:
            self.refuse_leaving(found.state)
        elif found is not None:
            self.refuse_error(found.state)

    # Queries

    def outside(
        self, solver: z3.Solver, values: Valuation, writes: frozenset[int], obligation: str
    ) -> tuple[z3.ModelRef, State] | None:
        """A model in which `values` is a state outside the set, with that state; None if there is none.

        If z3 finds an explicit state, the next query excludes it.
        """
        beyond = [piece.lacks(values, writes) for piece in self.pieces]
        while (model := self.ask(solver, beyond, obligation)) is not None:
            numbers = self.layout.numbers(model, values)
            state = self.layout.state(numbers)
            if state not in self.states:
                return model, state
            differs = (
                value != slot.value(i) for slot, value, i in zip(self.layout.slots, values, numbers, strict=True)
            )
            beyond.append(z3.Or(*differs))
        return None

    def ask(self, solver: z3.Solver, conditions: Sequence[Term], obligation: str) -> z3.ModelRef | None:
        """A model of the conditions; None if there is none."""
        self.queries += 1
        with _assumed(solver, conditions):
            answer = solver.check()
            if answer == z3.sat:
                model = solver.model()
                if not self.layout.is_state(model):
                    raise InternalError(f"z3 answers whether {obligation} with values that no variable can have")
                return model
        if answer == z3.unknown:
            raise EvidenceRefused(
                Complaint(
                    Code.CERTIFICATE_UNDECIDED, f"z3 could not decide whether {obligation}: {solver.reason_unknown()}"
                )
            )
        return None


@dataclass(frozen=True, slots=True)
class _Visits:
    """What is visited, and the visitor."""

    union: StateUnion
    visitor: Visitor


class _PieceTerms:
    """A piece: its diagrams as terms, and a solver which assumes that the unknown state is in it."""

    def __init__(self, diagrams: Sequence[DiagramTerms], layout: SmtLayout) -> None:
        self.diagrams = diagrams
        self.layout = layout

    @cached_property
    def solver(self) -> z3.Solver:
        return _solver([*self.layout.ranges(), *(diagram.term() for diagram in self.diagrams)])

    def holds(self, board: Board) -> bool:
        """Whether a state is in the piece."""
        return all(diagram.holds(board) for diagram in self.diagrams)

    def lacks(self, values: Valuation, writes: frozenset[int]) -> Term:
        """Whether a valuation is outside the piece, given that it differs from the unknown state in `writes` only."""
        return negation(conjunction(*(diagram.term_after(values, writes) for diagram in self.diagrams)))


def _solver(conditions: Sequence[Term]) -> z3.Solver:
    """A solver for bit vectors of fixed width that keeps what it learned from one query to the next."""
    solver = z3.SolverFor("QF_FD")
    solver.set("ctrl_c", False)  # it would answer what was asked when the key was hit, perhaps wrongly
    solver.add(*conditions)
    return solver


@contextmanager
def _assumed(solver: z3.Solver, conditions: Sequence[Term]) -> Iterator[None]:
    """While this is open, the solver assumes the conditions too."""
    solver.push()
    try:
        solver.add(*conditions)
        yield
    finally:
        solver.pop()


def _effect(attempt: Attempt, layout: SmtLayout) -> StepEffect:
    """The effect of a step, with the locations it starts from and the constants it stores as known values."""
    kept = {slot: value for slot, value in attempt.sources.items() if slot not in attempt.writes}
    stored = {
        slot: layout.slots[slot].integer(attempt.after[slot])
        for slot in sorted(attempt.writes)
        if z3.is_bv_value(attempt.after[slot])
    }
    return StepEffect(attempt.after, attempt.writes, attempt.sources, kept | stored)


def _with_choice(attempt: Attempt, step: Step) -> Term:
    """The condition under which the attempt is enabled with the choices that one step made."""
    made = [(pick, TRUE if ref in step.edges else FALSE) for ref, pick in attempt.picks.items()]
    return z3.substitute(attempt.enabled, *made)


def _in_words(state: State, system: System) -> str:
    return ", ".join(f"{name} = {value}" for name, value in named_values(state, system))


def _refuse(code: Code, obligation: str, witness: str) -> NoReturn:
    raise EvidenceRefused(Complaint(code, f"it does not hold that {obligation}: {witness}"))


def _disagree(obligation: str, state: State, system: System) -> NoReturn:
    where = _in_words(state, system)
    raise InternalError(f"z3 refutes that {obligation}, but the referee does not confirm it: {where}")
