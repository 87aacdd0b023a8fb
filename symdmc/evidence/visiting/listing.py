"""Listing the states of a piece, where they are few: a diagram is followed slot by slot, for all states at once.

This works if each atom reads one slot and all paths through the diagram test the slots in the same order, as in
diagrams of state sets. One such diagram lists the states. Diagrams of one slot restrict the values of the slot
beforehand; all others filter the states afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from symdmc.evidence.smt.arrays import TermCompiler
from symdmc.evidence.smt.diagrams import DiagramTerms
from symdmc.evidence.visiting.membership import DiagramProgram, Membership
from symdmc.evidence.visiting.state_rows import Int64s, StatePacking, StateRows

MOST_VALUES = 1 << 16
"""A piece in which a slot has a wider range than this is not listed."""
MOST_CHILDREN = 1 << 26
"""The most children that all nodes of a slot may have together, one for each value."""
STAY = -1
"""The child of a node at a value of a slot that the node does not test."""


def listed_states(
    diagrams: Sequence[DiagramTerms], packing: StatePacking, compiler: TermCompiler, most: int
) -> StateRows | None:
    """The states that satisfy all diagrams, none twice; None where they are more than `most` or cannot be listed."""
    values = _values(diagrams, packing, compiler)
    if values is None:
        return None
    if not all(_is_true(each, compiler) for each in diagrams if not each.mask):
        return packing.pack(())
    wide = [each for each in diagrams if each.mask.bit_count() > 1]
    ordered = [(found, k) for k, each in enumerate(wide) if (found := _ordered(each, values, compiler)) is not None]
    if wide and not ordered:
        return None
    least, chosen = min(ordered, key=lambda each: each[0].count, default=(_OrderedDiagram(values, {}, 1), -1))
    if least.count > most:
        return None
    rows = least.rows(packing)
    others = [each for k, each in enumerate(wide) if k != chosen]
    return rows.taken(Membership(others, compiler).holds(rows)) if others else rows


def _is_true(terms: DiagramTerms, compiler: TermCompiler) -> bool:
    """Whether a diagram that depends on no slot is true."""
    none: dict[int, Int64s] = {}
    return bool(DiagramProgram(terms, compiler).holds(none.__getitem__, 1)[0])


def _values(
    diagrams: Sequence[DiagramTerms], packing: StatePacking, compiler: TermCompiler
) -> dict[int, Int64s] | None:
    """For each slot the bits that it can have, given its range and the diagrams that read only this slot."""
    values: dict[int, Int64s] = {}
    for slot, field in packing.fields.items():
        range = packing.layout.slots[slot].range
        if range.high - range.low >= MOST_VALUES:
            return None
        values[slot] = np.arange(range.low, range.high + 1, dtype=np.int64) & field.mask
    for each in diagrams:
        if each.mask.bit_count() == 1:
            slot = each.mask.bit_length() - 1
            values[slot] = values[slot][DiagramProgram(each, compiler).holds(values.__getitem__, len(values[slot]))]
    return values


def _ordered(terms: DiagramTerms, values: Mapping[int, Int64s], compiler: TermCompiler) -> _OrderedDiagram | None:
    """The diagram in the form in which it is followed slot by slot; None where it does not have the shape for that."""
    nodes = {reference: terms.diagram.nodes[reference - 2] for reference in terms.used}
    if any(len(terms.reads[atom]) != 1 for atom, _, _ in nodes.values()):
        return None
    slots = {reference: terms.reads[atom][0] for reference, (atom, _, _) in nodes.items()}
    above: dict[int, set[int]] = {slot: set() for slot in slots.values()}
    for reference, (_, *children) in nodes.items():
        for child in children:
            if child > 1 and slots[child] != slots[reference]:
                above[slots[child]].add(slots[reference])
    try:
        order = list(TopologicalSorter(above).static_order())
    except CycleError:
        return None
    own: dict[int, list[int]] = {slot: [] for slot in order}
    for reference, slot in slots.items():
        own[slot].append(reference)
    if any(len(values[slot]) * len(found) > MOST_CHILDREN for slot, found in own.items()):
        return None
    levels = {slot: _level(terms, found, values, compiler) for slot, found in own.items()}
    return _OrderedDiagram(values, levels, terms.diagram.root)


@dataclass(frozen=True, slots=True)
class _Level:
    """The nodes of a diagram that test one slot."""

    references: Int64s
    children: Int64s
    """For each node and each value of the slot, the node reached below all tests of the slot."""


def _level(
    terms: DiagramTerms, references: Sequence[int], values: Mapping[int, Int64s], compiler: TermCompiler
) -> _Level:
    nodes = terms.diagram.nodes
    tests = [nodes[reference - 2] for reference in references]
    slot = terms.reads[tests[0][0]][0]
    atoms = sorted({atom for atom, _, _ in tests})
    found = compiler.program([terms.tests[atom] for atom in atoms]).run(values.__getitem__)
    truth = dict(zip(atoms, found, strict=True))
    children = np.empty((len(tests), len(values[slot])), dtype=np.int64)
    row = {reference: number for number, reference in enumerate(references)}
    for number, (atom, low, high) in enumerate(tests):  # children come before their parents
        one, other = (children[row[child]] if child in row else child for child in (high, low))
        children[number] = np.where(truth[atom], one, other)
    return _Level(np.array(references, dtype=np.int64), children)


class _OrderedDiagram:
    """A diagram that tests slot by slot, with the values that each slot can have."""

    def __init__(self, values: Mapping[int, Int64s], levels: Mapping[int, _Level], root: int) -> None:
        self._values = values
        self._levels = levels
        self._root = root
        self._slots = [*levels, *(slot for slot in values if slot not in levels)]
        self._place = np.full(max([1, *(int(each.references[-1]) for each in levels.values())]) + 1, len(self._slots))
        """For each reference the position of the slot it tests; for leaves, a position after all."""
        for number, level in enumerate(levels.values()):
            self._place[level.references] = number
        self.count = self._counted()
        """The number of its states; infinite where a float cannot hold it."""

    def _counted(self) -> float:
        """Count the states below each node, from the last slot up, and redirect to false each child that has none."""
        counts = np.zeros(len(self._place))
        counts[1] = 1.0
        sizes = [float(len(self._values[slot])) for slot in self._slots]
        if 0.0 in sizes:
            return 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for number in reversed(range(len(self._levels))):
                level = self._levels[self._slots[number]]
                below = self._below(counts, sizes, number + 1)
                level.children[below[level.children] == 0] = 0
                counts[level.references] = below[level.children].sum(axis=1)
            return float(self._below(counts, sizes, 0)[self._root])

    def _below(self, counts: NDArray[np.float64], sizes: Sequence[float], number: int) -> NDArray[np.float64]:
        """For each reference, how many states of the slots from this number on it leads to; skipped slots are free."""
        free = np.ones(len(sizes) + 1)
        free[number + 1 :] = np.cumprod(sizes[number:])
        return np.where(counts > 0, counts * free[self._place], 0.0)

    def rows(self, packing: StatePacking) -> StateRows:
        """All states."""
        count = int(self.count > 0)
        at = np.full(count, self._root, dtype=np.int64)
        rows = StateRows(packing, [np.zeros(count, dtype=np.int64) for _ in range(packing.words)])
        for slot in self._slots:
            first, times, value, child = self._entries(slot)
            here = np.repeat(np.arange(len(at)), times[at])
            ends = np.cumsum(times[at])
            entry = np.arange(len(here)) + (first[at] - ends + times[at])[here]
            rows = rows.taken(here).changed({slot: self._values[slot][value[entry]]})
            at = np.where(child[entry] == STAY, at[here], child[entry])
        return rows

    def _entries(self, slot: int) -> tuple[Int64s, Int64s, Int64s, Int64s]:
        """For each reference where its entries begin and how many there are; for each entry a value and a child."""
        size = len(self._values[slot])
        first, times = np.zeros(len(self._place), dtype=np.int64), np.full(len(self._place), size)
        value, child = np.arange(size), np.full(size, STAY)  # for all references that do not test the slot
        if slot in self._levels:
            level = self._levels[slot]
            node, column = np.nonzero(level.children)
            own = np.bincount(node, minlength=len(level.references))
            first[level.references], times[level.references] = size + np.cumsum(own) - own, own
            value = np.concatenate([value, column])
            child = np.concatenate([child, level.children[node, column]])
        return first, times, value, child
