"""Why edges are not taken: every kind of obstacle, in words."""

from __future__ import annotations

import pytest

from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.system import Commitment, Rules, System
from symdmc.model.why_not import why_not


def first(system: System) -> State:
    return next(Semantics(system).initial_states())


def told(system: System, edge: str, state: State | None = None) -> list[str]:
    """The lines about the only edge of that name, but the first."""
    (found,) = why_not(system, state or first(system), edge)
    return [line.strip() for line in str(found).splitlines()[1:]]


def test_every_false_part_of_a_guard_is_told_with_its_values() -> None:
    m = Builder("guards")
    m.integer("x", 0, 9, initial=3)
    m.integer("i", 0, 9, initial=7)
    m.integer("a", 0, 9, size=2, initial=[4, 5])
    m.process("P", initial="s").edge("s", "t", guard="x > 5 and i < 9 and a[1] == x and P.t and a[i] == 1")
    assert told(m.build(), "P: s -> t") == [
        "the guard is false: x > 5 (x = 3)",
        "the guard is false: a[1] == x (a[1] = 5, x = 3)",
        "the guard is false: P.t (P is at s)",
    ]


def test_a_guard_that_faults_is_an_obstacle() -> None:
    m = Builder("faulty")
    m.integer("x", 0, 9)
    m.process("P", initial="s").edge("s", "t", guard="6 / x == 2 and x > 3")
    assert told(m.build(), "P") == ["the guard faults in 6 / x == 2: division by zero"]


def test_full_and_empty_buffers_keep_edges_back() -> None:
    m = Builder("buffers")
    m.buffered("c", capacity=1)
    m.process("P", initial="s").edge("s", "s", sync="c!")
    m.process("Q", initial="s").edge("s", "s", sync="c?")
    system = m.build()
    start = first(system)
    assert told(system, "c: Q?") == ["the buffer of c is empty"]
    (step,) = Semantics(system).steps(start)
    assert told(system, "c: P!", step.successor) == ["the buffer of c is full: it has room for 1"]


@pytest.mark.parametrize(
    ("commitment", "sync", "expected"),
    [
        (Commitment.ALL, None, "Q.c is committed and moves first; P is not committed"),
        (Commitment.ANY, None, "Q.c is committed and moves first; P is not committed"),
        (Commitment.ALL, "x!", "Q.c is committed and moves first; P is not committed"),
        (Commitment.ANY, "x!", "Q.c is committed and moves first; P and R are not committed"),
    ],
)
def test_a_committed_process_moves_first(commitment: Commitment, sync: str | None, expected: str) -> None:
    m = Builder("committed", rules=Rules(commitment=commitment))
    m.channel("x")
    m.process("P", initial="s").edge("s", "t", sync=sync)
    q = m.process("Q", initial="c")
    q.location("c", committed=True)
    q.edge("c", "d")
    m.process("R", initial="s").edge("s", "t", sync="x?")
    assert expected in told(m.build(), "P: s -> t")


def test_missing_partners_are_told_with_what_keeps_them() -> None:
    m = Builder("partners")
    m.integer("y", 0, 9)
    m.channel("x")
    m.channel("alone")
    p, q = m.process("P", initial="s"), m.process("Q", initial="far")
    p.edge("s", "t", sync="x!")
    p.edge("s", "s", sync="alone!")
    q.edge("near", "t", sync="x?")
    q.edge("nearer", "t", sync="x?")
    q.edge("far", "near")
    m.process("R", initial="s").edge("s", "t", sync="x?", guard="y > 0")
    system = m.build()
    assert told(system, "P: s -> t") == [
        "no other process can receive on x",
        "Q is at far, not at near or nearer",
        "R: s -> t (x?): the guard is false: y > 0 (y = 0)",
    ]
    assert told(system, "P: s -> s") == ["no other process has an edge to receive on alone"]


def test_faults_and_invariants_of_a_step_are_told() -> None:
    m = Builder("after")
    m.integer("x", 0, 3, initial=3)
    p = m.process("P", initial="s")
    p.location("tight", invariant="x > 3")
    p.edge("s", "t", do="x = x + 1")
    p.edge("s", "tight")
    system = m.build()
    assert told(system, "P: s -> t") == ["the step P: s -> t faults: 4 is outside 0..3"]
    assert told(system, "P: s -> tight") == ["afterwards the invariant of P.tight would not hold: x > 3 (x = 3)"]


def test_who_does_not_move_by_a_lockstep_label_is_told() -> None:
    m = Builder("lockstep")
    m.lockstep("go")
    m.process("P", initial="s").edge("s", "t", sync="go")
    q = m.process("Q", initial="s")
    q.edge("s", "t")
    q.edge("t", "s", sync="go")
    assert told(m.build(), "P") == ["Q must move by go too and cannot", "Q is at s, not at t"]


def test_an_edge_that_can_be_taken_is_told_with_its_steps() -> None:
    m = Builder("free")
    m.process("P", initial="s").edge("s", "t")
    (found,) = why_not(m.build(), first(m.build()), "P")
    assert str(found) == "P: s -> t can be taken: P: s -> t"
    assert found.obstacles == ()


@pytest.mark.parametrize(
    ("edge", "complaint"),
    [
        ("Q", "there is no process or channel 'Q'"),
        ("P: s -> u", "there is no edge 'P: s -> u'; did you mean 'P: s -> t'?"),
        ("P: s", "'P: s' names no edge; write P, 'P: a -> b'"),
        ("c: Q!", "there is no process or channel 'Q'"),
        ("c: P?", "no edge is named by 'c: P?'"),
        ("P: t", "names no edge"),
        ("", "there is no process or channel ''"),
        (":", "there is no process or channel ''"),
    ],
)
def test_a_text_that_names_no_edge_is_refused(edge: str, complaint: str) -> None:
    m = Builder("free")
    m.channel("c")
    m.process("P", initial="s").edge("s", "t", sync="c!")
    m.process("R", initial="s").edge("s", "t", sync="c?")
    system = m.build()
    with pytest.raises(ModelError) as refused:
        why_not(system, first(system), edge)
    assert complaint in str(refused.value)


def test_a_process_where_no_edge_leaves_has_none_to_ask_for() -> None:
    m = Builder("end")
    m.process("P", initial="t").edge("s", "t")
    with pytest.raises(ModelError, match="no edge of P leaves its location t"):
        why_not(m.build(), first(m.build()), "P")
