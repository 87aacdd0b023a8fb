"""The one owner of a decision diagram manager: CUDD by default, `dd.autoref` (pure Python) as a drop-in.

A diagram must not outlive its manager, so everything that holds one also holds the Diagrams it belongs to. A full
manager is an outcome: it raises DiagramLimit and stays usable.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Node: TypeAlias = Any
"""A diagram of dd, which has no types."""


class DiagramLimit(Exception):
    """The diagrams have outgrown their memory."""


class Diagrams:
    """Boolean functions over named bits in a fixed order."""

    def __init__(self, bits: Sequence[str], *, backend: str = "cudd", memory_bytes: int | None = None) -> None:
        self.backend, module = _module(backend)
        self.bdd: Any = module.BDD()
        if self.backend == "cudd":
            self.bdd.configure(reordering=False)
            if memory_bytes is not None:
                self.bdd.configure(max_memory=memory_bytes)
        self.bdd.declare(*bits)
        self.true: Node = self.bdd.true
        self.false: Node = self.bdd.false
        self._and_exists: Any = module.and_exists if self.backend == "cudd" else None

    # ---- functions

    def cube(self, bits: Mapping[str, bool]) -> Node:
        """The one assignment of these bits."""
        return self.bdd.cube(dict(bits))

    def both(self, left: Node, right: Node) -> Node:
        """The conjunction."""
        return self._guarded(lambda: left & right)

    def either(self, left: Node, right: Node) -> Node:
        """The disjunction."""
        return self._guarded(lambda: left | right)

    def without(self, left: Node, right: Node) -> Node:
        """What is in the first but not in the second."""
        return self._guarded(lambda: left & ~right)

    def any_of(self, nodes: Iterable[Node]) -> Node:
        """The disjunction of many, joined in pairs so that intermediate diagrams stay small."""
        layer = list(nodes)
        while len(layer) > 1:
            joined = [self.either(layer[k], layer[k + 1]) for k in range(0, len(layer) - 1, 2)]
            layer = joined if len(layer) % 2 == 0 else [*joined, layer[-1]]
        return layer[0] if layer else self.false

    def both_exists(self, left: Node, right: Node, bits: Iterable[str]) -> Node:
        """The conjunction with the bits quantified away; cached by CUDD between calls."""
        if self._and_exists is not None:
            return self._guarded(lambda: self._and_exists(left, right, bits))
        return self.bdd.exist(bits, left & right)

    def exists(self, node: Node, bits: Iterable[str]) -> Node:
        """The function with the bits quantified away."""
        return self._guarded(lambda: self.bdd.exist(bits, node))

    def rename(self, node: Node, names: Mapping[str, str]) -> Node:
        """The same function of other bits."""
        return self._guarded(lambda: self.bdd.let(dict(names), node))

    # ---- measures

    def nodes(self) -> int:
        """The nodes in use now, dead ones included."""
        return len(self.bdd)

    def peak_nodes(self) -> int:
        """The most nodes there ever were; for autoref, those of now."""
        return self._peak() if self.backend == "cudd" else self.nodes()

    def _peak(self) -> int:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the unit of another figure
            return int(self.bdd.statistics()["peak_nodes"])

    def size(self, node: Node) -> int:
        """The nodes of one diagram."""
        return int(node.dag_size)

    def count(self, node: Node, bits: Sequence[str]) -> int:
        """How many assignments of the bits satisfy the function, exactly; the bits must cover its support."""
        levels = sorted(self.bdd.level_of_var(bit) for bit in bits)
        below = {level: len(levels) - position for position, level in enumerate(levels)}
        return _count(self.bdd, node, below, len(levels))

    @staticmethod
    def _guarded(operation: Any) -> Node:
        try:
            return operation()
        except (ValueError, MemoryError) as error:
            if isinstance(error, MemoryError) or "NULL" in str(error):
                raise DiagramLimit("the decision diagrams have outgrown their memory") from error
            raise


def _count(bdd: Any, node: Node, below: Mapping[int, int], free: int) -> int:
    """Satisfying assignments of `free` bits; counts each node once, without recursion, by exact integers."""
    known: dict[int, int] = {}

    def bits_of(each: Node) -> int:
        return below.get(each.level, 0) if each.var is not None else 0

    pending = [node if not node.negated else ~node]
    while pending:
        top = pending[-1]
        key = int(top)
        if key in known:
            pending.pop()
            continue
        if top.var is None:
            known[key] = 1  # the regular terminal is true
            pending.pop()
            continue
        parts = [top.low, top.high]
        regular = [part if not part.negated else ~part for part in parts]
        waiting = [part for part in regular if int(part) not in known]
        if waiting:
            pending.extend(waiting)
            continue
        total = 0
        for part, base in zip(parts, regular, strict=True):
            width = bits_of(base)
            count = known[int(base)]
            if part.negated:
                count = (1 << width) - count
            total += count << (bits_of(top) - 1 - width)
        known[key] = total
        pending.pop()
    base = node if not node.negated else ~node
    width = bits_of(base)
    count = known[int(base)]
    if node.negated:
        count = (1 << width) - count
    return count << (free - width)


def _module(backend: str) -> tuple[str, Any]:
    if backend == "cudd":
        try:
            import dd.cudd

            return "cudd", dd.cudd
        except ImportError:
            warnings.warn("dd has no CUDD here; using dd.autoref, which is many times slower", stacklevel=3)
    import dd.autoref

    return "autoref", dd.autoref
