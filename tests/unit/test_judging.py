"""A judge within limits: it ends at them, and nothing that it was doing changes what the next one says."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

import symdmc
from symdmc.checking.judging import certified_within
from symdmc.errors import EvidenceRefused, InternalError
from symdmc.evidence.certificate import Certificate, Diagram, Piece
from symdmc.evidence.certify import certify
from symdmc.evidence.smt.terms import SmtLayout
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ask
from symdmc.model.scope import Scope
from symdmc.model.system import System
from symdmc.outcome import Stop
from symdmc.reader.families import load_family
from symdmc.running.run import LimitReached, Limits, Run

HARD = "x * y * z + x * x * y == 12345 * z * z + 7"
"""For a solver of bit vectors; nobody knows an answer within seconds."""


def growing() -> System:
    m = symdmc.Builder("growing")
    for name in "xyz":
        m.short(name)
    process = m.process("P", initial="s")
    for name in "xyz":
        process.edge("s", "s", do=f"{name} = {name} + 1")
    m.property("never", "P.s and x != x")
    return m.build()


def proof(system: System) -> Certificate:
    certificate = symdmc.check(system, engine="symbolic", certify=True).certificate
    assert certificate is not None
    return certificate


def hard_proof(system: System) -> Certificate:
    atom = parse_expression(HARD, Scope.of(system))
    piece = Piece(diagrams=(Diagram(atoms=(atom,), nodes=((0, 0, 1),), root=2),))
    plain = proof(system)
    return replace(plain, pieces=(piece, *plain.pieces))


def test_a_judge_says_what_it_says_without_limits() -> None:
    system = load_family("arbiter_tree", {"height": "2", "faulty": "false"})
    made = symdmc.check(system, heuristic="pdb:cegar", certify=True)
    assert made.certificate is not None
    told = certified_within(system, made.certificate, Run(), doing="judging")
    assert told == certify(system, made.certificate)


def test_a_certificate_that_does_not_hold_is_refused_from_within_limits() -> None:
    system = growing()
    empty = replace(proof(system), pieces=(), states=())
    with pytest.raises(EvidenceRefused, match="every initial state is in the set"):
        certified_within(system, empty, Run(), doing="judging")


def test_a_judge_within_limits_holds_a_certificate_to_the_question_that_is_asked() -> None:
    system = growing()
    with pytest.raises(EvidenceRefused, match=r"other error states: .*; asked is: no step exists"):
        certified_within(system, proof(system), Run(), error=ask(system, deadlock=True), doing="judging")


def test_a_judge_that_ended_at_a_limit_leaves_the_next_one_alone() -> None:
    system = growing()
    with pytest.raises(LimitReached) as reached:
        certified_within(system, hard_proof(system), Run(Limits(seconds=1.0)), doing="judging")
    assert reached.value.stop is Stop.TIME
    assert certify(system, proof(system)).vacuous


def test_values_that_no_variable_can_have_are_no_answer_of_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    system = load_family("line_segment", {"instance": "C1"})
    layout = SmtLayout(system)
    number = next(n for n, slot in enumerate(layout.slots) if slot.range.high + 1 < 1 << slot.width)
    solver = z3.Solver()
    solver.add(layout.current[number] == layout.slots[number].range.high + 1)
    assert solver.check() == z3.sat
    assert not layout.is_state(solver.model())
    monkeypatch.setattr(SmtLayout, "ranges", lambda layout: [])
    made = symdmc.check(system, error="Main->phase == 2 and Main->phase == 1", engine="symbolic", certify=True)
    assert made.certificate is not None
    beyond = Diagram(atoms=(parse_expression("Main->phase <= 2", Scope.of(system)),), nodes=((0, 1, 0),), root=2)
    lying = replace(made.certificate, pieces=(*made.certificate.pieces, Piece(diagrams=(beyond,))))
    with pytest.raises(InternalError, match="no variable can have"):
        certify(system, lying)
