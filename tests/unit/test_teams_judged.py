"""The judge knows which edges make a step together: all of them, in their order, and no others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest

from symdmc.evidence.judge.referee import Referee
from symdmc.model.builder import Builder
from symdmc.model.semantics import Semantics
from symdmc.model.state import Step
from symdmc.model.system import System


def _broadcast() -> System:
    m = Builder("m")
    m.integer("x", 0, 99)
    m.broadcast("c")
    m.process("S", initial="s").edge("s", "s", sync="c!", do="x = x + 1")
    for number, name in enumerate("PQ"):
        p = m.process(name, initial="s")
        p.edge("s", "s", sync="c?", do=f"x = 2 * x + {number}")
        p.edge("s", "t", sync="c?", guard="x < 9")
        p.edge("s", "u", sync="c?", guard="x > 9")
    return m.build()


def _lockstep() -> System:
    m = Builder("m")
    m.integer("x", 0, 99)
    m.lockstep("c")
    for number, name in enumerate("SPQ"):
        p = m.process(name, initial="s")
        p.edge("s", "s", sync="c", do=f"x = 2 * x + {number}")
        p.edge("s", "t", sync="c", guard="x < 9")
        p.edge("s", "u", sync="c", guard="x > 9")
    return m.build()


def _rendezvous() -> System:
    m = Builder("m")
    m.integer("x", 0, 9)
    m.channel("c", values=1)
    m.channel("d", values=1)
    m.buffered("b", values=1, capacity=1)
    for name in "SPQ":
        p = m.process(name, initial="s")
        p.edge("s", "t", sync="c! x + 1")
        p.edge("s", "u", sync="c? x")
        p.edge("s", "t", sync="d! 3")
        p.edge("s", "s", sync="b! 2")
        p.edge("s", "u", sync="b? x")
        p.edge("s", "v")
    return m.build()


@pytest.mark.parametrize("make", [_broadcast, _lockstep, _rendezvous])
def test_edges_are_a_step_exactly_if_they_are_one_of_the_semantics(make: Callable[[], System]) -> None:
    system = make()
    semantics, referee = Semantics(system), Referee(system)
    (state,) = semantics.initial_states()
    steps = {move.edges: move for move in semantics.moves(state) if isinstance(move, Step)}
    assert len(steps) > 3
    every = [(n, k) for n, process in enumerate(system.processes) for k in range(len(process.edges))]
    for size in (1, 2, 3):
        for team in permutations(every, size):
            found = referee.outcome(team, state)
            assert found == steps[team] if team in steps else not isinstance(found, Step), team
    assert referee.outcome(((0, len(every)),), state) is None
    assert referee.outcome(((9, 0),), state) is None
    assert referee.outcome(((-1, 0),), state) is None
    assert referee.outcome((), state) is None
