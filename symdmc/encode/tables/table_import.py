"""Look-up tables to state sets: the inverse of `export`, into the diagrams of any encoding of the same task."""

from __future__ import annotations

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.tables.export import CodeBits
from symdmc.lookup.tables import DecisionTable


def state_sets(encoding: Encoding, table: DecisionTable) -> dict[int, Node]:
    """The disjoint sets of states with each code of a table, in the order of the codes.

    The encoding must have every variable that the table tests, or the basis of a derived one. The table becomes one
    diagram with the bits of the code below all state bits, and is walked once, each node after those it leads to.
    """
    d = encoding.diagrams
    codes = table.all_codes()
    numbers = {code: number for number, code in enumerate(codes)}
    bits = CodeBits(d, len(codes))
    cubes = {code: bits.cube(number) for code, number in numbers.items()}
    joined = d.both(_TableReader(encoding, table, cubes).diagram(), encoding.valid)
    return {code: d.both_exists(joined, cubes[code], bits.bits) for code in codes}


class _TableReader:
    """Makes a diagram of each node of a table."""

    def __init__(self, encoding: Encoding, table: DecisionTable, cubes: dict[int, Node]) -> None:
        self.encoding = encoding
        self.table = table
        self._cubes = cubes
        self._made: list[Node] = []
        self._where = {number: self._classes(number) for number in sorted(table.classes)}

    def diagram(self) -> Node:
        """The diagram of the root."""
        for node in range(len(self.table)):  # children come before their parents
            self._made.append(self._node(node))
        return self._entry(self.table.root)

    def _classes(self, number: int) -> list[Node]:
        """For each class of a variable the states in which its value is in that class."""
        if number in self.table.definitions and number not in self.encoding.kept:
            return self._derived_classes(number)
        found: dict[int, list[int]] = {}
        for code, value in enumerate(self.encoding.variables[number].values):
            chosen = int(self.table.classes[number][value - self.table.low[number]])
            found.setdefault(chosen, []).append(code)
        return [self.encoding.any_code(number, found.get(chosen, ())) for chosen in range(max(found) + 1)]

    def _derived_classes(self, number: int) -> list[Node]:
        """The same for a derived variable that has no bits of its own."""
        d, classes = self.encoding.diagrams, self.table.classes[number]
        values = Translator(self.encoding).defined(self.table.definitions[number], {})
        return [
            d.any_of(node for value, node in values.items() if classes[value] == chosen)
            for chosen in range(int(classes.max()) + 1)
        ]

    def _node(self, node: int) -> Node:
        d, start = self.encoding.diagrams, int(self.table.start[node])
        where = self._where[int(self.table.variable[node])]
        return d.any_of(
            d.both(values, self._entry(int(self.table.children[start + chosen]))) for chosen, values in enumerate(where)
        )

    def _entry(self, entry: int) -> Node:
        return self._made[entry] if entry >= 0 else self._cubes[-1 - entry]
