"""What is cheaply known to be reachable: the values of single variables and of pairs of variables.

The pairs are a fixpoint like the mutexes h2 of planning: they hold in all initial states, and a step that starts where
all pairs hold ends where they hold. So the states in which all pairs hold contain every reachable state and are closed
under steps. Diagrams are only read once, as unions of products (`value_pairs_products`); what a part does to single
values is told by `value_pairs_steps`, and `value_pairs_fixpoint` takes these steps until no more pairs are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from symdmc.encode.diagrams import Diagrams, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.relation.part import Part
from symdmc.encode.value_pairs.fixpoint import Fixpoint, pair_fixpoint
from symdmc.encode.value_pairs.products import Exhausted, PairPrecision, PairWork, Splitter
from symdmc.encode.value_pairs.steps import ones

BUDGET = 800_000
"""The work allowed by default; a few seconds at most."""
PRECISIONS = (PairPrecision(256, 512), PairPrecision(32, 64), PairPrecision(32, 16, close=True))
"""Tried in turn until one is finished; each may use half of the budget that is left, the last one all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePairs:
    """State sets that hold in every reachable state and, taken together, are closed under steps."""

    valid: Node
    """The states whose codes all stand for a value; closed under steps by itself."""
    constraints: tuple[Node, ...]
    """For each variable and each pair that tells more than that: the states in which it has values that can occur."""
    joined_constraints: tuple[Node, ...]
    """The same constraints, those with the same topmost variable joined, the lowest first."""
    steps: int
    """The work it took."""
    finished: bool
    """Whether the budget was enough; if not, there are no constraints."""

    def care(self, diagrams: Diagrams, most_nodes: int, *, whole: bool = False) -> Node:
        """The valid states that satisfy as many constraints, in their order, as fit into a diagram of so many nodes.

        A superset of all reachable states; closed under steps only when every constraint fitted. All constraints or
        none if `whole`: closed under steps in any case.
        """
        kept, all_fit = _joined_while_small(diagrams, self.valid, self.joined_constraints, most_nodes, skip=False)
        if whole:
            return kept if all_fit else self.valid
        if not all_fit:  # close pairs are small and tell the most: better than the stars that happen to fit
            kept, _ = _joined_while_small(diagrams, self.valid, self.constraints, most_nodes, skip=True)
        return kept


def _joined_while_small(
    diagrams: Diagrams, kept: Node, nodes: Iterable[Node], most_nodes: int, *, skip: bool
) -> tuple[Node, bool]:
    """The conjunction as far as it is small, and whether that is all; what does not fit is skipped, or ends it."""
    all_fit = True
    for node in nodes:
        tighter = diagrams.both(kept, node)
        if diagrams.size(tighter) <= most_nodes:
            kept = tighter
            continue
        all_fit = False
        if not skip:
            break
    return kept, all_fit


def reachable_pairs(
    encoding: Encoding,
    parts: Sequence[Part],
    initial: Node,
    *,
    invariant: Node | None = None,
    budget: int = BUDGET,
) -> ValuePairs:
    """The values and pairs of values that variables can have, as far as pairs alone can tell.

    The parts must be all steps of the task from all valid states; every step ends where the invariant holds.
    Deterministic: the budget counts work.
    """
    work = PairWork(budget)
    splitter = Splitter(encoding, work, PRECISIONS[0])
    for precision in PRECISIONS:
        splitter.precision = precision
        work.share(1 if precision is PRECISIONS[-1] else 2)
        try:
            fixpoint = pair_fixpoint(splitter, parts, initial, invariant)
        except Exhausted:
            continue
        told = list(_constraints(encoding, fixpoint))
        return ValuePairs(
            valid=encoding.valid,
            constraints=tuple(node for _, node in told),
            joined_constraints=_joined_constraints(encoding.diagrams, told),
            steps=work.done,
            finished=True,
        )
    return ValuePairs(valid=encoding.valid, constraints=(), joined_constraints=(), steps=work.done, finished=False)


def _constraints(encoding: Encoding, fixpoint: Fixpoint) -> Iterator[tuple[int, Node]]:
    """The constraints, each with the place of its topmost variable in the order.

    First single variables, then pairs, those close to each other in the order first: the smallest diagrams.
    """
    d = encoding.diagrams
    place = {number: position for position, number in enumerate(encoding.order)}
    for number in reversed(encoding.order):
        mask = _reached(fixpoint, number)
        if mask != fixpoint.every[number]:
            yield place[number], encoding.any_code(number, ones(mask))
    narrow = sorted(fixpoint.facts.narrow, key=place.__getitem__)
    for one, other in sorted(combinations(narrow, 2), key=lambda p: (place[p[1]] - place[p[0]], -place[p[0]])):
        groups = _groups(fixpoint, one, other)
        if groups is not None:
            yield (
                place[one],
                d.any_of(
                    d.both(encoding.any_code(one, ones(left)), encoding.any_code(other, ones(right)))
                    for right, left in groups.items()
                ),
            )


def _joined_constraints(diagrams: Diagrams, constraints: Iterable[tuple[int, Node]]) -> tuple[Node, ...]:
    """For each value of the topmost variable a product: so a star is hardly larger than its constraints together."""
    groups: dict[int, list[Node]] = {}
    for place, node in constraints:
        groups.setdefault(place, []).append(node)
    return tuple(~diagrams.any_of(~node for node in groups[place]) for place in sorted(groups, reverse=True))


def _reached(fixpoint: Fixpoint, number: int) -> int:
    """The codes of a variable that can occur."""
    facts = fixpoint.facts
    if number not in facts.block:
        return fixpoint.wide[number]
    return (fixpoint.reached & facts.block[number]) >> facts.first[number]


def _groups(fixpoint: Fixpoint, one: int, other: int) -> dict[int, int] | None:
    """The codes of the second variable, and those of the first that occur with just them; None if all do with all."""
    facts = fixpoint.facts
    every = _reached(fixpoint, other)
    groups: dict[int, int] = {}
    for code in ones(_reached(fixpoint, one)):
        beside = fixpoint.rows[facts.first[one] + code] >> facts.first[other] & every
        groups[beside] = groups.get(beside, 0) | 1 << code
    return groups if any(beside != every for beside in groups) else None
