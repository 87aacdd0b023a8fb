"""Certificates are accepted exactly when the set they describe proves safety, and refusals name a true witness."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import NoReturn

import pytest
import z3
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from symdmc.errors import EvidenceRefused, InternalError
from symdmc.evidence.certificate import Certificate, Diagram, Piece, write_certificate
from symdmc.evidence.certify import ERROR_FREE, INDUCTIVE, INITIAL, certify
from symdmc.evidence.smt.arrays import UnknownTerm
from symdmc.evidence.smt.diagrams import DiagramTerms
from symdmc.evidence.smt.terms import SmtLayout
from symdmc.model.builder import Builder
from symdmc.model.expressions import TRUE, At, Expr, Literal
from symdmc.model.files.json_format import system_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition, ask
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import Edge, System
from tests.certificates import all_states, boxes_of, certificate, diagram_of, is_proof, judged_by, satisfies
from tests.cli.running import environment
from tests.oracle import explore
from tests.strategies import expressions, systems, systems_with_error
from tests.unit.test_folder_order import ORDER

SEEDS = st.integers(0, 2**16)
SMALL = 120
"""Diagrams of larger sets take long to draw."""


WAYS = ("z3", "visits")


def accepts(system: System, proof: Certificate) -> bool:
    """Whether the certificate is accepted, which must not depend on how it is judged."""
    answers = set()
    for way in WAYS:
        with judged_by(way):
            try:
                certify(system, proof)
            except EvidenceRefused:
                answers.add(False)
            else:
                answers.add(True)
    (answer,) = answers
    return answer


def forms(system: System, error: ErrorCondition, states: list[State], seed: int) -> list[Certificate]:
    """The same set in several ways: as states, as a diagram, as a conjunction of diagrams, and as a union of all."""
    choose = random.Random(seed)
    drawn = diagram_of(states, system)
    listed = certificate(system, error, states=states)
    alone = certificate(system, error, [Piece(diagrams=(drawn,))])
    if not states:
        return [listed, alone]
    boxed = certificate(system, error, [Piece(diagrams=(drawn, *boxes_of(states, system)))])
    parts: list[list[State]] = [[], [], []]
    for state in states:
        choose.choice(parts).append(state)
    pieces = [Piece(diagrams=(diagram_of(part, system),)) for part in parts[:2]]
    return [listed, alone, boxed, certificate(system, error, pieces, parts[2])]


@settings(max_examples=40, deadline=None)
@given(systems_with_error(), SEEDS)
def test_the_reachable_states_prove_what_is_safe(asked: tuple[System, ErrorCondition], seed: int) -> None:
    system, error = asked
    states = list(explore(system).steps)
    assume(len(states) <= SMALL)
    expected = is_proof(system, error, set(states))
    assert expected == (not explore(system).error_states(error))
    assert [accepts(system, proof) for proof in forms(system, error, states, seed)] == [expected] * (4 if states else 2)


@settings(max_examples=40, deadline=None)
@given(systems_with_error(), SEEDS)
def test_a_set_that_lacks_a_reachable_state_or_has_others_is_judged_right(
    asked: tuple[System, ErrorCondition], seed: int
) -> None:
    system, error = asked
    choose = random.Random(seed)
    states = list(explore(system).steps)
    assume(0 < len(states) <= SMALL)
    for _ in range(choose.randint(0, 1)):
        states.remove(choose.choice(states))
    others = [
        replace(state, locations=tuple(choose.choice(process.locations).name for process in system.processes))
        for state in choose.sample(states, min(len(states), choose.randint(0, 2)))
    ]
    states = list(dict.fromkeys([*states, *others]))
    expected = is_proof(system, error, set(states))
    for proof in forms(system, error, states, seed):
        assert accepts(system, proof) == expected


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])  # few are small enough
@given(systems(), st.data(), SEEDS)
def test_diagrams_over_any_atoms_are_judged_as_the_set_of_their_states(
    system: System, data: st.DataObject, seed: int
) -> None:
    ranges = [range(variable.type.low, variable.type.high + 1) for variable in system.storage]
    sizes = [len(values) ** variable.cells for values, variable in zip(ranges, system.storage, strict=True)]
    assume(prod(sizes) * prod(len(process.locations) for process in system.processes) <= 400)
    choose = random.Random(seed)
    atoms: list[Expr] = [data.draw(expressions(system, depth=2)) for _ in range(choose.randint(1, 3))]
    atoms += [At(process.name, choose.choice(process.locations).name) for process in system.processes]
    nodes = [
        (choose.randrange(len(atoms)), choose.randrange(k + 2), choose.randrange(k + 2))
        for k in range(choose.randint(1, 8))
    ]
    drawn = Diagram(atoms=tuple(atoms), nodes=tuple(nodes), root=len(nodes) + 1)
    error = ErrorCondition(name="e", expression=data.draw(expressions(system, depth=1)), deadlock=choose.random() < 0.2)
    space = all_states(system)
    inside = {state for state in space if satisfies(Semantics(system), drawn, state)}
    proof = certificate(system, error, [Piece(diagrams=(drawn,))])
    assert accepts(system, proof) == is_proof(system, error, inside)


@settings(max_examples=40, deadline=None)
@given(systems_with_error(), SEEDS)
def test_a_changed_model_needs_another_proof(asked: tuple[System, ErrorCondition], seed: int) -> None:
    """One guard weakened or one edge added; the fingerprint is patched, so that only the obligations can refuse."""
    system, error = asked
    states = list(explore(system).steps)
    assume(0 < len(states) <= SMALL)
    changed = mutant(system, random.Random(seed))
    expected = is_proof(changed, error, set(states))
    for proof in forms(system, error, states, seed):
        assert accepts(changed, replace(proof, fingerprint=fingerprint(changed))) == expected


def mutant(system: System, choose: random.Random) -> System:
    number = choose.randrange(len(system.processes))
    process = system.processes[number]
    places = [place.name for place in process.locations]
    edges = list(process.edges)
    if edges and choose.random() < 0.5:
        k = choose.randrange(len(edges))
        edges[k] = replace(edges[k], guard=TRUE)
    else:
        edges.append(Edge(source=choose.choice(places), target=choose.choice(places)))
    processes = list(system.processes)
    processes[number] = replace(process, edges=tuple(edges))
    return replace(system, processes=tuple(processes))


# One system, every refusal


def semaphore() -> System:
    """Two processes and a semaphore; both critical at once is the error, which no reachable state is."""
    m = Builder("semaphore")
    m.integer("free", 0, 1, initial=1)
    for name in ("P", "Q"):
        process = m.process(name, initial="idle")
        process.edge("idle", "critical", guard="free == 1", do="free = 0")
        process.edge("critical", "idle", do="free = 1")
    m.property("both", "P.critical and Q.critical")
    return m.build()


def proof_of(system: System) -> Certificate:
    states = list(explore(system).steps)
    return certificate(system, ask(system), [Piece(diagrams=(diagram_of(states, system),))])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("as_diagram", [False, True])
def test_refusals_say_what_fails_and_show_a_witness(as_diagram: bool, way: str) -> None:
    system = semaphore()
    error = ask(system)
    states = list(explore(system).steps)
    (initial,) = Semantics(system).initial_states()

    def refusal(chosen: list[State]) -> str:
        piece = Piece(diagrams=(diagram_of(chosen, system),))
        proof = certificate(system, error, [piece]) if as_diagram else certificate(system, error, states=chosen)
        with judged_by(way), pytest.raises(EvidenceRefused) as caught:
            certify(system, proof)
        return str(caught.value)

    without_initial = [state for state in states if state != initial]
    assert f"{INITIAL}: this one is not: P = idle, Q = idle, free = 1" in refusal(without_initial)
    with_error = [*states, State(("critical", "critical"), ((0,),))]
    told = refusal(with_error)
    assert f"{ERROR_FREE}: this one is (P.critical and Q.critical): P = critical, Q = critical, free = 0" in told
    without_critical = [state for state in states if state.locations != ("critical", "idle")]
    told = refusal(without_critical)
    assert f"{INDUCTIVE}: this one does not: P: idle -> critical (P: idle -> critical, free: 1 -> 0)" in told
    assert told.endswith("from P = idle, Q = idle, free = 1")


def test_what_was_proved_is_told_with_its_cost() -> None:
    system = semaphore()
    seen: list[tuple[int, int, str]] = []
    with judged_by("z3"):
        done = certify(system, proof_of(system), progress=lambda *told: seen.append(told))
    assert (done.property, done.error, done.transitions, done.states) == ("both", ask(system), 4, 0)
    assert done.queries > 0
    assert seen == [(k, 4, "steps from piece 1 of 1") for k in range(1, 5)]
    seen.clear()
    done = certify(system, proof_of(system), progress=lambda *told: seen.append(told))
    assert (done.transitions, done.queries, done.states) == (4, 0, 3)
    assert seen == [(3, 3, "states of piece 1 of 1")]
    listed = certificate(system, ask(system), states=list(explore(system).steps))
    assert certify(system, listed).states == 3


def test_another_model_and_another_question_are_refused() -> None:
    system = semaphore()
    proof = proof_of(system)
    with pytest.raises(EvidenceRefused, match="belongs to another model"):
        certify(system, replace(proof, fingerprint="0" * 32))
    assert certify(system, proof, error=ask(system, error="P.critical and Q.critical"))
    with pytest.raises(EvidenceRefused, match=r"is about other error states: P.critical and Q.critical; asked is: P"):
        certify(system, proof, error=ask(system, error="P.idle"))
    with pytest.raises(EvidenceRefused, match=r"asked is: P.critical and Q.critical or no step exists"):
        certify(system, proof, error=ask(system, property="both", deadlock=True))


def test_very_many_initial_states_are_not_listed() -> None:
    m = Builder("many")
    for i in range(30):
        m.integer(f"x{i}", 0, 3, initial=[[0, 1]])
    m.process("P", initial="s").edge("s", "s", guard="x0 < 1", do="x0 = x0 + 1")
    m.property("large", "x0 + x29 > 2")
    system = m.build()
    atoms = tuple(ask(system, error=f"x{i} <= 1").expression for i in range(30))
    small = [Diagram(atoms=(atom,), nodes=((0, 0, 1),), root=2) for atom in atoms]
    assert certify(system, certificate(system, ask(system), [Piece(diagrams=tuple(small))])).transitions == 1
    none = Diagram(atoms=(ask(system, error="x7 == 0").expression,), nodes=((0, 0, 1),), root=2)
    with pytest.raises(EvidenceRefused, match=r"every initial state is in the set: this one is not: .*x7 = 1"):
        certify(system, certificate(system, ask(system), [Piece(diagrams=(*small, none))]))


def test_a_deadlock_hidden_behind_choices_is_found() -> None:
    """Each listener has several edges to choose from, and all choices lead to a location whose invariant fails."""
    m = Builder("choices")
    m.integer("x", 0, 1)
    m.broadcast("tick")
    m.process("P", initial="s").edge("s", "s", sync="tick!")
    for i in range(3):
        listener = m.process(f"L{i}", initial="s")
        for target in ("t", "u"):
            listener.location(target, invariant="x == 0")
            listener.edge("s", target, sync="tick?")
    system = m.build()
    everything = [Piece(diagrams=(Diagram(atoms=(), nodes=(), root=1),))]
    with pytest.raises(EvidenceRefused, match="no step exists"):
        certify(system, certificate(system, ask(system, deadlock=True), everything))
    zero = Diagram(atoms=(ask(system, error="x == 0").expression,), nodes=((0, 0, 1),), root=2)
    assert certify(system, certificate(system, ask(system, deadlock=True), [Piece(diagrams=(zero,))]))


def test_an_empty_set_proves_nothing_and_a_false_piece_adds_nothing() -> None:
    system = semaphore()
    with pytest.raises(EvidenceRefused, match=INITIAL):
        certify(system, certificate(system, ask(system)))
    proof = proof_of(system)
    nothing = Piece(diagrams=(Diagram(atoms=(Literal(1),), nodes=((0, 1, 0),), root=2),))
    assert certify(system, replace(proof, pieces=(*proof.pieces, nothing)))


def test_the_checker_needs_nothing_of_the_engines(tmp_path: Path) -> None:
    system = semaphore()
    (tmp_path / "model.json").write_text(json.dumps(system_to_json(system)), encoding="utf-8")
    write_certificate(tmp_path / "proof.json", proof_of(system), system)
    below = ORDER[ORDER.index("evidence") + 1 :]
    script = f"""
import sys

class Closed:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(tuple(f"symdmc.{{part}}" for part in {below!r})):
            raise ImportError(f"{{name}} is closed")

sys.meta_path.insert(0, Closed())
from symdmc.evidence.certificate import read_certificate
from symdmc.evidence.certify import certify
from symdmc.model.files.json_format import read_json_file
system = read_json_file("model.json")
print(certify(system, read_certificate("proof.json", system)).property)
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "both\n", "")


@settings(max_examples=25, deadline=None)
@given(systems_with_error(), SEEDS)
def test_the_walk_over_pairs_only_saves_time(asked: tuple[System, ErrorCondition], seed: int) -> None:
    """Where every walk is given up, z3 alone decides, and decides the same."""
    system, error = asked
    states = list(explore(system).steps)
    assume(0 < len(states) <= SMALL)
    states.pop(random.Random(seed).randrange(len(states)))
    expected = is_proof(system, error, set(states))
    with judged_by("z3"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("symdmc.evidence.smt.diagrams.PAIRS_PER_NODE", -(10**6))
        assert [accepts(system, proof) for proof in forms(system, error, states, seed)[1:]] == [expected] * (
            3 if states else 1
        )


class Undecided:
    """A solver that cannot tell."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def add(self, *conditions: object) -> None: ...

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def check(self) -> object:
        return z3.unknown

    def reason_unknown(self) -> str:
        return self.reason


def test_what_z3_cannot_decide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    system = semaphore()
    monkeypatch.setattr("symdmc.evidence.certify._solver", lambda conditions: Undecided("incomplete"))
    refusal = f"z3 could not decide whether {ERROR_FREE}: incomplete"
    with judged_by("z3"), pytest.raises(EvidenceRefused, match=refusal):
        certify(system, proof_of(system))


def test_terms_that_only_z3_knows_are_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(term: object) -> NoReturn:
        raise UnknownTerm

    system = semaphore()
    monkeypatch.setattr("symdmc.evidence.smt.arrays.operation", unknown)
    assert certify(system, proof_of(system)).queries > 0
    with judged_by("visits"):
        listed = certificate(system, ask(system), states=list(explore(system).steps))
        assert certify(system, listed).states == 3


@pytest.mark.parametrize("way", WAYS)
def test_a_witness_that_the_referee_does_not_confirm_is_a_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    system = semaphore()
    everything = certificate(system, ask(system), [Piece(diagrams=(Diagram(atoms=(), nodes=(), root=1),))])
    with pytest.raises(EvidenceRefused, match=ERROR_FREE):
        certify(system, everything)
    monkeypatch.setattr("symdmc.evidence.judge.referee.Referee.is_error", lambda *args: False)
    what = "the referee does not confirm it: P = critical, Q = critical"
    with judged_by(way), pytest.raises(InternalError, match=what):
        certify(system, everything)


@pytest.mark.parametrize("way", WAYS)
def test_nodes_that_no_path_meets_cost_nothing(way: str) -> None:
    system, chance = semaphore(), random.Random(1)
    proof = diagram_of(list(explore(system).steps), system)
    nodes = list(proof.nodes)
    for known in range(len(nodes) + 2, len(nodes) + 20_002):
        nodes.append((chance.randrange(len(proof.atoms)), chance.randrange(known), chance.randrange(known)))
    padded = replace(proof, nodes=tuple(nodes), atoms=(*proof.atoms, Literal(7)))
    assert DiagramTerms(padded, SmtLayout(system)).diagram == proof
    with judged_by(way):
        plain, other = (
            certify(system, certificate(system, ask(system), [Piece(diagrams=(each,))])) for each in (proof, padded)
        )
    assert plain == other
