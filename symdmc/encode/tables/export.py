"""State sets to look-up tables: one diagram with the code of each state below all state bits, walked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdmc.encode.diagrams import DiagramLimit, Diagrams, Node, children
from symdmc.encode.encoding import Encoding
from symdmc.errors import Code, Complaint
from symdmc.lookup.tables import DecisionTable

MOST_ENTRIES = 1 << 27
"""The most entries of a table before values are merged into classes: for each node one for each value."""
MANY_BITS = 8
"""Most values of a variable with more bits than this lead to the same few diagrams, which are cut only once."""
CODE_BIT = "code"
"""The bits of a code have this name and a number, the most significant first."""


class TableLimit(DiagramLimit):
    """A look-up table would be too large; why, and what to do where it is needed."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.complaint = Complaint(Code.TOO_LARGE_FOR_TABLES, what, remedy)


def decision_table(encoding: Encoding, sets: Iterable[tuple[int, Node]], otherwise: int) -> DecisionTable:
    """The table that gives each state the code of its set, and a state in none of the sets the code `otherwise`.

    The sets must be disjoint and have no states with invalid codes. Raises TableLimit where it would be too large.
    """
    named = [(code, states) for code, states in sets if states != encoding.diagrams.false]
    codes = sorted({code for code, _ in named} | {otherwise})
    numbers = {code: number for number, code in enumerate(codes)}
    bits = CodeBits(encoding.diagrams, len(codes))
    root = bits.join([(numbers[code], states) for code, states in named], numbers[otherwise])
    return _Exporter(encoding, bits, codes).export(root)


class CodeBits:
    """The bits of a number, below all others in some diagrams."""

    def __init__(self, diagrams: Diagrams, numbers: int) -> None:
        self.diagrams = diagrams
        self.bits = tuple(f"{CODE_BIT}{k}" for k in range(max(1, (numbers - 1).bit_length())))
        missing = [bit for bit in self.bits if bit not in diagrams.bdd.vars]
        diagrams.declare(missing)
        self.bits = tuple(sorted(self.bits, key=diagrams.bdd.level_of_var))

    def join(self, sets: list[tuple[int, Node]], otherwise: int) -> Node:
        """One diagram: each state with the number of its set, states in no set with the number `otherwise`."""
        d = self.diagrams
        rest = ~d.any_of(states for _, states in sets)
        return d.any_of(d.both(states, self.cube(number)) for number, states in [*sets, (otherwise, rest)])

    def cube(self, number: int) -> Node:
        """The bits of the number."""
        width = len(self.bits)
        return self.diagrams.cube({bit: bool(number >> (width - 1 - k) & 1) for k, bit in enumerate(self.bits)})

    def number(self, node: Node) -> int:
        """The number in a diagram of nothing but its bits."""
        bdd, found = self.diagrams.bdd, 0
        for bit in self.bits:
            found *= 2
            if node.var == bit:
                low, high = children(node)
                chosen = high != bdd.false
                found += chosen
                node = high if chosen else low
        return found


@dataclass(frozen=True, slots=True)
class _Cofactors:
    """The cofactors of a diagram for the codes of a variable."""

    diagrams: list[Node]
    """Each only once if the variable has many codes."""
    of_code: NDArray[np.intp]
    """For each code the place of its cofactor."""


class _Exporter:
    """Walks a combined diagram, one variable of the task at a time."""

    def __init__(self, encoding: Encoding, bits: CodeBits, codes: list[int]) -> None:
        self.encoding = encoding
        self.bdd = encoding.diagrams.bdd
        self.bits = bits
        self.codes = codes
        self._variable: list[int] = []
        """The variable of each node found so far."""
        self._rows: list[NDArray[np.int32]] = []
        """For each node the entry for each code of its variable."""
        self._known: dict[int, int] = {}
        self.children: dict[int, _Cofactors] = {}
        self._entries = 0
        self._own = frozenset(encoding.current_bits)

    def export(self, root: Node) -> DecisionTable:
        """The table of the diagram."""
        for node in self._in_dependency_order(root):
            self._known[int(node)] = len(self._variable)
            self._variable.append(self.encoding.variables.owner[node.var])
            below = self.children.pop(int(node))
            entries = np.array([self._entry(child) for child in below.diagrams], dtype=np.int32)
            self._rows.append(entries[below.of_code])
        return self._table(self._entry(root))

    def _in_dependency_order(self, root: Node) -> list[Node]:
        """The nodes that begin a variable, each after those it leads to."""
        found: list[Node] = []
        pending = [(root, False)]
        while pending:
            node, done = pending.pop()
            if done:
                found.append(node)
            elif node.var in self._own and int(node) not in self.children:
                below = self.children[int(node)] = self._by_code(node)
                pending.append((node, True))
                pending.extend((child, False) for child in {int(child): child for child in below.diagrams}.values())
        return found

    def _entry(self, node: Node) -> int:
        key = int(node)
        if key not in self._known:
            self._known[key] = -1 - self.codes[self.bits.number(node)]
        return self._known[key]

    def _by_code(self, node: Node) -> _Cofactors:
        """The cofactors of a diagram for the codes of its topmost variable."""
        number = self.encoding.variables.owner[node.var]
        variable = self.encoding.variables[number]
        if not self.encoding.task.analysis.domains[number].fits_array:
            name = self.encoding.task.variables[number].name
            what = f"the values of {name!r} lie too far apart for a look-up table"
            raise TableLimit(what, "bound it, or leave it out of databases")
        self._entries += len(variable.values)
        if self._entries > MOST_ENTRIES:
            what = f"the look-up table would have more than {MOST_ENTRIES:,} entries"
            raise TableLimit(what, "keep fewer variables, or such with fewer values")
        cut = self._restricted if number in self.encoding.scattered else self._below
        if len(variable.current) > MANY_BITS:
            return _each_once(node, variable.current, cut, len(variable.values))
        found = [node]
        for bit in variable.current:
            found = [child for each in found for child in cut(each, bit)]
        return _Cofactors(found[: len(variable.values)], np.arange(len(variable.values)))

    def _below(self, node: Node, bit: str) -> tuple[Node, Node]:
        """The cofactors for the topmost bit, or for one above it."""
        return children(node) if node.var == bit else (node, node)

    def _restricted(self, node: Node, bit: str) -> tuple[Node, Node]:
        """The cofactors for any bit."""
        return self.bdd.let({bit: False}, node), self.bdd.let({bit: True}, node)

    def _table(self, root: int) -> DecisionTable:
        """The table, in which values that no node distinguishes are one class."""
        variable = np.array(self._variable, dtype=np.int32)
        classes: dict[int, NDArray[np.integer]] = {}
        children: list[NDArray[np.int32] | None] = [None] * len(variable)
        low: dict[int, int] = {}
        for number in sorted(set(self._variable)):
            own = np.flatnonzero(variable == number)
            columns = np.array([self._rows[place] for place in own], dtype=np.int32)
            kept, first, inverse = np.unique(columns, axis=1, return_index=True, return_inverse=True)
            rank = np.argsort(np.argsort(first))  # classes in the order of their first values
            of_code = rank[inverse.reshape(-1)]
            for row, place in enumerate(own):
                children[place] = kept[row][np.argsort(first)]
            values = np.array(self.encoding.variables[number].values)
            low[number] = int(values[0])
            listed = np.zeros(int(values[-1]) - low[number] + 1, dtype=np.int32)
            listed[values - low[number]] = of_code
            classes[number] = listed
        sizes = np.array([len(each) for each in children if each is not None], dtype=np.int64)
        return DecisionTable(
            root=root,
            variable=variable,
            start=np.cumsum(sizes) - sizes,
            children=np.concatenate([each for each in children if each is not None] or [np.empty(0, dtype=np.int32)]),
            classes=classes,
            low=low,
            definitions=dict(sorted((n, each) for n, each in self.encoding.task.definitions.items() if n in classes)),
        )


def _each_once(
    node: Node, bits: Sequence[str], cut: Callable[[Node, str], tuple[Node, Node]], codes: int
) -> _Cofactors:
    """The cofactors of a diagram for the first codes of some bits; equal diagrams are cut only once."""
    found, of_code = [node], np.zeros(1, dtype=np.intp)
    for bit in bits:
        below = [child for each in found for child in cut(each, bit)]
        places = {int(child): place for place, child in enumerate(below)}
        numbers = {place: number for number, place in enumerate(sorted(places.values()))}
        kept = np.array([numbers[places[int(child)]] for child in below], dtype=np.intp)
        found = [below[place] for place in numbers]
        of_code = kept.reshape(-1, 2)[of_code].reshape(-1)
    used, of_code = np.unique(of_code[:codes], return_inverse=True)
    return _Cofactors([found[place] for place in used], of_code.reshape(-1))
