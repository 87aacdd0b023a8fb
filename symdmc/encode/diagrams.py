"""The one owner of a decision diagram manager: CUDD by default, `dd.autoref` (pure Python) as a drop-in.

A diagram must not outlive its manager, so everything that holds one also holds the Diagrams it belongs to. A full
manager is an outcome: it raises DiagramLimit and stays usable.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from symdmc.spelling.plurals import counted

Node: TypeAlias = Any
"""A diagram of dd, which has no types."""


IMAGES_PER_CHECK = 16
"""Images between two counts of the nodes in use."""
CALL_WORK = 200
"""The work of any operation, however small its result: it takes about as long as this many nodes of a result."""
LARGE_NODES = 1 << 14
"""A node of a diagram of this size takes twice as long as one of a small diagram: the processor's caches are small."""
QUANTIFIED_WEIGHT = 4
"""The work for each node of a quantified result, which hides intermediate ones."""

NO_DIAGRAMS = "bound it, or use neither the symbolic engine nor heuristics with databases"
"""What to do about a model that diagrams cannot hold."""


class DiagramLimit(Exception):
    """The diagrams have outgrown their memory, or take more work than allowed."""


@dataclass(slots=True)
class WorkLeft:
    """The work on diagrams left to all who share it, in nodes of results; the same in every run."""

    nodes: int

    def spend(self, nodes: int) -> None:
        """Take from what is left; where less than nothing is left, the next operation is refused."""
        self.nodes -= nodes

    def require(self) -> None:
        """Raise DiagramLimit if nothing is left."""
        if self.nodes < 0:
            raise DiagramLimit("more work on diagrams than allowed")


class Diagrams:
    """Boolean functions over named bits in a fixed order."""

    def __init__(self, bits: Sequence[str], *, backend: str = "cudd", memory_bytes: int | None = None) -> None:
        self.backend, module = _module(backend)
        self.bdd: Any = module.BDD()
        if self.backend == "cudd":
            self.bdd.configure(reordering=False)
            if memory_bytes is not None:
                self.bdd.configure(max_memory=memory_bytes)
        self.declare(bits)
        self.true: Node = self.bdd.true
        self.false: Node = self.bdd.false
        self._unchecked = 0
        self.work: WorkLeft | None = None
        """The work left to operations before DiagramLimit is raised; None: any work."""
        self._and_exists: Any = module.and_exists if self.backend == "cudd" else None

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Inside, operations take nothing from the work that is left: the caller has a limit of its own."""
        work, self.work = self.work, None
        try:
            yield
        finally:
            self.work = work

    def declare(self, bits: Iterable[str]) -> None:
        """Add bits below all others."""
        self.bdd.declare(*bits)

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
        """The assignments in the first but not in the second."""
        return self._guarded(lambda: left & ~right)

    def differ(self, left: Node, right: Node) -> Node:
        """The assignments in exactly one of the two."""
        return self._guarded(lambda: self.bdd.apply("xor", left, right))

    def choose(self, where: Node, then: Node, otherwise: Node) -> Node:
        """The second inside the first, the third outside of it."""
        return self._guarded(lambda: self.bdd.ite(where, then, otherwise))

    def any_of(self, nodes: Iterable[Node]) -> Node:
        """The disjunction of many, joined in pairs so that intermediate diagrams stay small."""
        layer = list(nodes)
        while len(layer) > 1:
            joined = [self.either(layer[k], layer[k + 1]) for k in range(0, len(layer) - 1, 2)]
            layer = joined if len(layer) % 2 == 0 else [*joined, layer[-1]]
        return layer[0] if layer else self.false

    def both_exists(self, left: Node, right: Node, bits: Iterable[str]) -> Node:
        """The conjunction with the bits quantified away; cached by CUDD between calls."""
        if self._and_exists is None:
            return self._guarded(lambda: self.bdd.exist(bits, left & right), QUANTIFIED_WEIGHT)
        return self._guarded(lambda: self._and_exists(left, right, bits), QUANTIFIED_WEIGHT)

    def equal(self, pairs: Iterable[tuple[str, str]]) -> Node:
        """The bits of each pair, given from the top of the order down, are equal."""
        result = self.true
        for left, right in reversed(list(pairs)):
            same = self.bdd.apply("equiv", self.bdd.var(left), self.bdd.var(right))
            result = self.both(result, same)
        return result

    def exists(self, node: Node, bits: Iterable[str]) -> Node:
        """The function with the bits quantified away."""
        return self._guarded(lambda: self.bdd.exist(bits, node), QUANTIFIED_WEIGHT)

    def rename(self, node: Node, names: Mapping[str, str]) -> Node:
        """The same function of other bits."""
        return self._guarded(lambda: self.bdd.let(dict(names), node))

    # ---- order

    def sift(self, groups: Iterable[Sequence[str]]) -> None:
        """From now on improve the order whenever the diagrams have grown much; each group of bits stays together."""
        if self.backend != "cudd":
            warnings.warn("dd.autoref cannot keep groups together; the order stays as it is", stacklevel=2)
            return
        for group in groups:
            if len(group) > 1:
                self.bdd.group({group[0]: len(group)})
        self.bdd.configure(reordering=True)

    # ---- measures

    def nodes(self) -> int:
        """The nodes in use now."""
        return len(self.bdd)

    def peak_nodes(self) -> int:
        """The most nodes ever in use; for autoref, those in use now."""
        if self.backend != "cudd":
            return self.nodes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the unit of another figure
            return int(self.bdd.statistics()["peak_live_nodes"])

    def topmost(self, node: Node, count: int) -> list[str]:
        """The first bits in the order that the function depends on."""
        return sorted(self.bdd.support(node), key=self.bdd.level_of_var)[:count]

    def check(self, node_limit: int | None, *, now: bool = False) -> None:
        """Raise DiagramLimit when more nodes are in use than allowed; counts them now, or only now and then."""
        if node_limit is None:
            return
        self._unchecked += 1
        if now or self._unchecked >= IMAGES_PER_CHECK:
            self._unchecked = 0
            if self.nodes() > node_limit:
                raise DiagramLimit(f"more than {counted(node_limit, 'node')}")

    def size(self, node: Node) -> int:
        """The nodes of one diagram."""
        return int(node.dag_size)

    def count(self, node: Node, bits: Sequence[str]) -> int:
        """How many assignments of the bits satisfy the function, exactly; the bits must cover its support."""
        levels = sorted(self.bdd.level_of_var(bit) for bit in bits)
        below = {level: len(levels) - position for position, level in enumerate(levels)}
        return _count(self.bdd, node, below, len(levels))

    def _guarded(self, operation: Any, weight: int = 1) -> Node:
        if self.work is None:
            return self._in_memory(operation)
        self.work.require()
        found = self._in_memory(operation)
        nodes = self.size(found)
        self.work.spend(CALL_WORK + weight * (nodes + nodes * nodes // LARGE_NODES))
        return found

    def _in_memory(self, operation: Any) -> Node:
        try:
            return operation()
        except (ValueError, MemoryError) as error:
            if isinstance(error, MemoryError) or "NULL" in str(error):
                raise DiagramLimit("the decision diagrams have outgrown their memory") from error
            raise


def _count(bdd: Any, node: Node, below: Mapping[int, int], free: int) -> int:
    """The number of satisfying assignments of `free` bits; visits each node once, without recursion."""
    counts: dict[int, tuple[int, int]] = {}
    """For each node, not complemented: how many bits there are from its level down, and how many assignments of them
    satisfy it."""
    root = ~node if node.negated else node
    pending = [root]
    while pending:
        top = pending[-1]
        key = int(top)
        if key in counts:
            pending.pop()
            continue
        if top.var is None:
            counts[key] = (0, 1)  # the regular terminal is true
            continue
        level, low, high = bdd.succ(top)
        total, waits = 0, False
        for part in (low, high):
            negated = part.negated
            regular = ~part if negated else part
            known = counts.get(int(regular))
            if known is None:
                pending.append(regular)
                waits = True
            elif not waits:
                width, count = known
                total += ((1 << width) - count if negated else count) << (below[level] - 1 - width)
        if not waits:
            counts[key] = (below[level], total)
    width, count = counts[int(root)]
    return ((1 << width) - count if node.negated else count) << (free - width)


def children(node: Node) -> tuple[Node, Node]:
    """The diagrams where the topmost bit is 0 and where it is 1; dd does not pass on a complement by itself."""
    return (~node.low, ~node.high) if node.negated else (node.low, node.high)


def _module(backend: str) -> tuple[str, Any]:
    if backend == "cudd":
        try:
            import dd.cudd

            return "cudd", dd.cudd
        except ImportError:
            warnings.warn("dd has no CUDD here; using dd.autoref, which is many times slower", stacklevel=3)
    import dd.autoref

    return "autoref", dd.autoref
