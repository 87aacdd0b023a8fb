"""Certificates at their edges: the shape of diagrams, and steps with several ways to choose."""

from __future__ import annotations

from itertools import product

import pytest

from symdmc.errors import EvidenceRefused
from symdmc.evidence.certificate import Diagram, Piece, diagram_fault
from symdmc.evidence.certify import certify
from symdmc.model.builder import Builder
from symdmc.model.expressions import TRUE, Ref
from symdmc.model.question import ask
from tests.certificates import certificate, judged_by


def test_a_node_leads_to_a_constant_or_to_a_node_before_it() -> None:
    for number, (low, high) in product(range(3), product(range(-1, 6), range(-1, 6))):
        nodes = [(0, 0, 1)] * 3
        nodes[number] = (0, low, high)
        fits = all(0 <= child < number + 2 for child in (low, high))
        assert (diagram_fault(Diagram(atoms=(TRUE,), nodes=tuple(nodes), root=4)) is None) == fits


@pytest.mark.parametrize(("atom", "root", "fits"), [(0, 0, True), (1, 2, True), (2, 1, False), (-1, 1, False)])
def test_a_node_tests_an_atom_that_there_is(atom: int, root: int, fits: bool) -> None:
    diagram = Diagram(atoms=(TRUE, Ref("x")), nodes=((atom, 0, 1),), root=root)
    assert (diagram_fault(diagram) is None) == fits


@pytest.mark.parametrize(("root", "fits"), [(-1, False), (0, True), (2, True), (3, False)])
def test_the_root_is_a_constant_or_a_node(root: int, fits: bool) -> None:
    assert (diagram_fault(Diagram(atoms=(TRUE,), nodes=((0, 0, 1),), root=root)) is None) == fits


@pytest.mark.parametrize("judge", ["z3", "visits"])
@pytest.mark.parametrize("ways", [1, 2, 3, 4])
def test_a_step_with_several_ways_to_choose_is_no_deadlock(ways: int, judge: str) -> None:
    m = Builder("choices")
    m.integer("x", 0, 1)
    m.broadcast("tick")
    m.process("P", initial="s").edge("s", "s", sync="tick!")
    for name in "LMN":
        listener = m.process(name, initial="s")
        for k in range(ways):
            listener.location(f"t{k}", invariant="x == 0")
            listener.edge("s", f"t{k}", sync="tick?")
    system = m.build()
    zero = Diagram(atoms=(ask(system, error="x == 0").expression,), nodes=((0, 0, 1),), root=2)
    everything = Diagram(atoms=(), nodes=(), root=1)
    with judged_by(judge):
        assert certify(system, certificate(system, ask(system, deadlock=True), [Piece(diagrams=(zero,))]))
        with pytest.raises(EvidenceRefused, match="no step exists"):
            certify(system, certificate(system, ask(system, deadlock=True), [Piece(diagrams=(everything,))]))
