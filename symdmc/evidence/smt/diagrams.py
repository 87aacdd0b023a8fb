"""Decision diagrams of a certificate as z3 terms, and the states from which a step leaves a diagram.

`departure` gives these states: they satisfy the diagram before the step and not after it. It walks the diagram at two
nodes at once, one for the state before the step and one for the state after it. An atom that reads nothing the step
writes has the same value at both; an atom that reads only slots whose values the step fixes is decided; all others
stay in the term. Where the walk finds no such states, the step cannot leave the diagram, and no solver is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

import z3

from symdmc.evidence.certificate import Diagram
from symdmc.evidence.judge.values import Board
from symdmc.evidence.smt.terms import (
    FALSE,
    TRUE,
    Evaluator,
    SmtLayout,
    Term,
    Valuation,
    conjunction,
    negation,
    simplified,
)
from symdmc.model.expressions import At, Binary, Expr, Literal, Ref

PAIRS_PER_NODE = 30
"""A walk is given up when it has met more than this many pairs for each node."""

Known: TypeAlias = Mapping[int, int]
"""Slots with the values they are known to hold."""
_Pair: TypeAlias = tuple[int, int]
"""A node for the state before a step, and one for the state after it."""


@dataclass(frozen=True, slots=True)
class StepEffect:
    """What a step does to the unknown state, and the values known before and after it."""

    after: Valuation
    writes: frozenset[int]
    known_before: Known
    known_after: Known


def mask_of(slots: Iterable[int]) -> int:
    """A set of slots as the bits of an integer."""
    return sum(1 << slot for slot in slots)


class DiagramTerms:
    """A diagram with its terms over the unknown state of a layout."""

    def __init__(self, diagram: Diagram, layout: SmtLayout) -> None:
        self.diagram = diagram = _needed(diagram)
        self.layout = layout
        self.reads = [tuple(sorted(layout.reads(atom))) for atom in diagram.atoms]
        self.masks = [mask_of(reads) for reads in self.reads]
        self.support = [0, 0]
        """For each reference, the slots on which the truth below it may depend."""
        for atom, low, high in diagram.nodes:
            self.support.append(self.masks[atom] | self.support[low] | self.support[high])
        self.ranks = _ranks(diagram)
        self.singles = [self._single(atom) for atom in diagram.atoms]
        """For each atom that is true for a single value of a slot, the slot and the value."""
        self._decisions: dict[tuple[int, tuple[int, ...]], bool] = {}

    @property
    def mask(self) -> int:
        """The slots on which the diagram depends."""
        return self.support[self.diagram.root]

    def holds(self, board: Board) -> bool:
        """Whether a state satisfies the diagram."""
        node = self.diagram.root
        while node > 1:
            atom, low, high = self.diagram.nodes[node - 2]
            node = high if board.holds(self.diagram.atoms[atom]) else low
        return node == 1

    def term(self) -> Term:
        """Whether the unknown state satisfies the diagram."""
        return self._current[self.diagram.root]

    def term_after(self, after: Valuation, writes: frozenset[int]) -> Term:
        """Whether another valuation, which differs from the unknown state in `writes` only, satisfies the diagram."""
        changed = mask_of(writes)
        evaluator = Evaluator(self.layout, after)
        terms = {0: FALSE, 1: TRUE}
        atoms: dict[int, Term] = {}
        for node, (atom, low, high) in enumerate(self.diagram.nodes, start=2):
            if not self.support[node] & changed:
                terms[node] = self._current[node]
                continue
            if atom not in atoms:
                atoms[atom] = simplified(evaluator.holds(self.diagram.atoms[atom]))
            terms[node] = _test(atoms[atom], terms[low], terms[high])
        return terms[self.diagram.root]

    @property
    def used(self) -> range:
        """The references of all nodes, children before their parents."""
        return range(2, len(self.diagram.nodes) + 2)

    @cached_property
    def _current(self) -> list[Term]:
        terms = [FALSE, TRUE]
        for atom, low, high in self.diagram.nodes:
            terms.append(_test(self.tests[atom], terms[low], terms[high]))
        return terms

    @cached_property
    def tests(self) -> list[Term]:
        """The atoms in the unknown state."""
        evaluator = Evaluator(self.layout, self.layout.current)
        return [simplified(evaluator.holds(atom)) for atom in self.diagram.atoms]

    def departure(self, effect: StepEffect) -> Term:
        """The unknown states that satisfy the diagram and from which the step leads to a state that does not."""
        walk = _PairWalk(self, effect)
        term = walk.departure()
        if term is None:
            return conjunction(self.term(), negation(self.term_after(effect.after, effect.writes)))
        return term

    def decided(self, known: Known) -> list[bool | None]:
        """For each atom its truth, or None where the known values do not decide it."""
        mask = mask_of(known)
        return [
            self._decision(atom, known) if own & mask == own else None  # all slots it reads are known
            for atom, own in enumerate(self.masks)
        ]

    def _single(self, atom: Expr) -> tuple[int, int] | None:
        match atom:
            case At(process, location):
                slot = self.layout.process_slot[process]
                return slot, self.layout.places[slot][location]
            case Binary("==", Ref(name), Literal(value)):
                slot = self.layout.variable_slots[name][0]
                return (slot, value) if self.layout.slots[slot].holds(value) else None
            case _:
                return None

    def below(self, node: int, slot: int, value: int) -> int:
        """The first node from this one down that reads anything but the slot, which holds the value."""
        while node > 1:
            atom, low, high = self.diagram.nodes[node - 2]
            if self.reads[atom] != (slot,):
                return node
            node = high if self._decision(atom, {slot: value}) else low
        return node

    def _decision(self, atom: int, known: Known) -> bool:
        key = atom, tuple(known[slot] for slot in self.reads[atom])
        if key not in self._decisions:
            state = self.layout.state_with({slot: known[slot] for slot in self.reads[atom]})
            self._decisions[key] = Board(self.layout.system, state).holds(self.diagram.atoms[atom])
        return self._decisions[key]


class _PairWalk:
    """One walk over pairs of nodes."""

    def __init__(self, terms: DiagramTerms, effect: StepEffect) -> None:
        self.terms = terms
        self.nodes = terms.diagram.nodes
        self.changed = mask_of(effect.writes)
        self.before = terms.decided(effect.known_before)
        self.after = terms.decided(effect.known_after)
        self.evaluator = Evaluator(terms.layout, effect.after)
        self.atoms_after: dict[int, Term] = {}
        self.limit = PAIRS_PER_NODE * len(self.nodes) + 1000

    def departure(self) -> Term | None:
        """The states for which the pair of roots leads to true before and false after; None if the walk is given up."""
        root = self.terms.diagram.root
        start = self.settled(root, root)
        terms: dict[_Pair | None, Term] = {None: FALSE, (1, 0): TRUE}
        splits: dict[_Pair, tuple[int, bool, _Pair | None, _Pair | None]] = {}
        pending = [start]
        while pending:
            pair = pending[-1]
            if pair is None or pair in terms:
                pending.pop()
            elif pair not in splits:
                split = splits[pair] = self.split(*pair)
                pending.extend(split[2:])
                if len(splits) > self.limit:
                    return None
            else:
                terms[pair] = self.joined(splits[pair], terms)
        return terms[start]

    def settled(self, before: int, after: int) -> _Pair | None:
        """The pair below all decided atoms; None where it cannot lead to true before and false after."""
        before, after = _below(before, self.nodes, self.before), _below(after, self.nodes, self.after)
        if before == 0 or after == 1 or (before == after and not self.terms.support[before] & self.changed):
            return None
        return before, after

    def split(self, before: int, after: int) -> tuple[int, bool, _Pair | None, _Pair | None]:
        """The next atom, whether it is asked of the state after the step, and the pairs where it is false and true."""
        first, low, high = self.nodes[before - 2] if before > 1 else (None, 0, 0)
        second, low_after, high_after = self.nodes[after - 2] if after > 1 else (None, 0, 0)
        if first is not None and first == second and not self.terms.masks[first] & self.changed:
            return first, False, self.settled(low, low_after), self.true_branch(first, high, high_after)
        ranks = self.terms.ranks
        if first is not None and (second is None or ranks[first] <= ranks[second]):
            return first, False, self.settled(low, after), self.true_branch(first, high, after)
        assert second is not None  # both are leaves only in pairs that are settled
        return second, True, self.settled(before, low_after), self.true_branch(second, before, high_after)

    def true_branch(self, atom: int, before: int, after: int) -> _Pair | None:
        """The pair where the atom is true; one that is true for a single value decides all others about its slot."""
        meant = self.terms.singles[atom]
        if meant is not None and not self.terms.masks[atom] & self.changed:
            before, after = self.terms.below(before, *meant), self.terms.below(after, *meant)
        return self.settled(before, after)

    def joined(self, split: tuple[int, bool, _Pair | None, _Pair | None], terms: Mapping[_Pair | None, Term]) -> Term:
        atom, is_after, low, high = split
        if terms[low] is FALSE and terms[high] is FALSE:
            return FALSE
        return _test(self.atom(atom, is_after), terms[low], terms[high])

    def atom(self, atom: int, is_after: bool) -> Term:
        if not is_after or not self.terms.masks[atom] & self.changed:
            return self.terms.tests[atom]
        if atom not in self.atoms_after:
            self.atoms_after[atom] = simplified(self.evaluator.holds(self.terms.diagram.atoms[atom]))
        return self.atoms_after[atom]


def _needed(diagram: Diagram) -> Diagram:
    """The diagram without the nodes and atoms that no path from the root meets."""
    reached = {diagram.root}
    for node in range(diagram.root, 1, -1):
        if node in reached:
            reached.update(diagram.nodes[node - 2][1:])
    used = sorted(reached - {0, 1})
    atoms = sorted({diagram.nodes[node - 2][0] for node in used})
    if len(used) == len(diagram.nodes) and len(atoms) == len(diagram.atoms):
        return diagram
    places = {0: 0, 1: 1} | {node: place for place, node in enumerate(used, start=2)}
    numbers = {atom: number for number, atom in enumerate(atoms)}
    tests = (diagram.nodes[node - 2] for node in used)
    return Diagram(
        atoms=tuple(diagram.atoms[atom] for atom in atoms),
        nodes=tuple((numbers[atom], places[low], places[high]) for atom, low, high in tests),
        root=places[diagram.root],
    )


def _below(node: int, nodes: Sequence[tuple[int, int, int]], decided: Sequence[bool | None]) -> int:
    while node > 1:
        atom, low, high = nodes[node - 2]
        value = decided[atom]
        if value is None:
            return node
        node = high if value else low
    return node


def _test(atom: Term, low: Term, high: Term) -> Term:
    if low is high:
        return low
    if atom is TRUE or atom is FALSE:
        return high if atom is TRUE else low
    context = atom.ctx
    return z3.BoolRef(z3.Z3_mk_ite(context.ref(), atom.ast, high.ast, low.ast), context)


def _ranks(diagram: Diagram) -> list[int]:
    """For each atom a rank that grows from root to leaves, if the diagram tests its atoms in some order."""
    above: dict[int, set[int]] = {atom: set() for atom in range(len(diagram.atoms))}
    for atom, *children in diagram.nodes:
        for child in children:
            if child > 1:
                above[diagram.nodes[child - 2][0]].add(atom)
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError:  # any ranks will do: they only keep the walk short
        order = list(range(len(diagram.atoms)))
    ranks = [0] * len(order)
    for rank, atom in enumerate(order):
        ranks[atom] = rank
    return ranks
