"""Certificates at their edges: the shape of diagrams, and steps with several ways to choose."""

from __future__ import annotations

import json
from itertools import permutations, product

import pytest

from symdmc.errors import EvidenceRefused, ModelError
from symdmc.evidence.certificate import Diagram, Piece, certificate_from_json, certificate_text, diagram_fault
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


NO_NODES = [5, None, "abc", "", [], [0, 1], [0, 0, 1, 1], [0, 0, "1"], [0, 0, 1.0], {"0": 0}, [[], 0, 1]]


@pytest.mark.parametrize("node", NO_NODES, ids=str)
def test_what_is_no_node_is_refused_in_one_line(node: object) -> None:
    m = Builder("m")
    m.process("P", initial="s")
    system = m.build()
    drawn = Diagram(atoms=(TRUE,), nodes=((0, 0, 1),), root=2)
    document = json.loads(
        certificate_text(certificate(system, ask(system, deadlock=True), [Piece(diagrams=(drawn,))]), system)
    )
    document["pieces"][0][0]["nodes"] = [node]
    with pytest.raises(ModelError, match="node 0 is not a list of three integers"):
        certificate_from_json(document, system, file="c.json")


@pytest.mark.parametrize("judge", ["z3", "visits"])
def test_every_diagram_of_a_piece_is_held_to_every_step(judge: str) -> None:
    m = Builder("m")
    for name in "xyz":
        m.integer(name, 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 3", do="x = x + 1")
    p.edge("s", "s", guard="y < 1", do="y = y + 1")
    system = m.build()
    never = ask(system, error="x + y + z > 7")
    parts = {text: ask(system, error=text).expression for text in ("x <= 2", "x <= 3", "y <= 1", "y <= 0", "z <= 0")}

    def holds(*texts: str) -> bool:
        diagrams = tuple(Diagram(atoms=(parts[text],), nodes=((0, 0, 1),), root=2) for text in texts)
        try:
            certify(system, certificate(system, never, [Piece(diagrams=diagrams)]))
        except EvidenceRefused:
            return False
        return True

    with judged_by(judge):
        for texts in permutations(("x <= 3", "y <= 1", "z <= 0")):
            assert holds(*texts)
        for left in ("x <= 2", "y <= 0"):
            others = ["z <= 0", "y <= 1" if left == "x <= 2" else "x <= 3"]
            for texts in permutations((left, *others)):
                assert not holds(*texts), texts


@pytest.mark.parametrize("judge", ["z3", "visits"])
def test_the_step_that_is_shown_is_one_that_leaves_the_set(judge: str) -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "s", do="y = 3 - y")
    p.edge("s", "s", guard="x < 3", do="x = x + 1")
    system = m.build()
    small = Diagram(atoms=(ask(system, error="x <= 1").expression,), nodes=((0, 0, 1),), root=2)
    never = ask(system, error="x > 1 and y == 1")
    with judged_by(judge), pytest.raises(EvidenceRefused, match=r"this one does not: .*\(x: 1 -> 2\) from .*x = 1"):
        certify(system, certificate(system, never, [Piece(diagrams=(small,))]))


@pytest.mark.parametrize("judge", ["z3", "visits"])
@pytest.mark.parametrize("kind", ["broadcast", "lockstep"])
@pytest.mark.parametrize("bad", range(3))
def test_every_way_to_choose_is_followed(judge: str, kind: str, bad: int) -> None:
    m = Builder("m")
    sign = {"broadcast": ("tick!", "tick?"), "lockstep": ("tick", "tick")}[kind]
    getattr(m, kind)("tick")
    m.process("P", initial="s").edge("s", "s", sync=sign[0])
    listener = m.process("L", initial="u")
    listener.edge("s", "s", sync=sign[1])
    listener.edge("s", "u", sync=sign[1])
    for k in range(3):
        listener.edge("u", "bad" if k == bad else "s", sync=sign[1])
    system = m.build()
    error = ask(system, error="L.bad")
    good = Diagram(atoms=(error.expression,), nodes=((0, 1, 0),), root=2)
    with judged_by(judge), pytest.raises(EvidenceRefused, match="bad"):
        certify(system, certificate(system, error, [Piece(diagrams=(good,))]))
