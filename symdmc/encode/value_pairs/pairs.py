"""A cheap superset of the reachable states, by the values of single variables and of pairs of variables.

The pairs are a fixpoint like the mutexes h2 of planning: they hold in all initial states, and a step that starts where
all pairs hold ends where they hold. So the states in which all pairs hold contain every reachable state and are closed
under steps. Diagrams are read only once, as unions of products (`products`); `steps` turns parts into steps between
single values, and `fixpoint` takes these until no more pairs are found.
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
    """For each variable and each pair that excludes more states: the states in which its values can occur."""
    joined_constraints: tuple[Node, ...]
    """The same constraints, joined by their topmost variable, the lowest first."""
    steps: int
    """The work it took."""
    finished: bool
    """Whether the budget was enough; if not, there are no constraints."""

    def care(self, diagrams: Diagrams, most_nodes: int, *, whole: bool = False) -> Node:
        """The valid states that satisfy as many constraints, in their order, as fit into a diagram of `most_nodes`.

        A superset of all reachable states; closed under steps only if every constraint fits. With `whole` it satisfies
        all constraints or none: closed under steps in any case.
        """
        kept, all_fit = _joined_while_small(diagrams, self.valid, self.joined_constraints, most_nodes, skip=False)
        if whole:
            return kept if all_fit else self.valid
        if not all_fit:  # close pairs are small and exclude the most: better than the joined ones that fit
            kept, _ = _joined_while_small(diagrams, self.valid, self.constraints, most_nodes, skip=True)
        return kept


def _joined_while_small(
    diagrams: Diagrams, kept: Node, nodes: Iterable[Node], most_nodes: int, *, skip: bool
) -> tuple[Node, bool]:
    """The conjunction of the nodes that fit, and whether all do; one that does not fit is skipped, or is the end."""
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
    """The values and pairs of values that variables can have, as far as pairs can show.

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
        constraints = list(_constraints(encoding, fixpoint))
        return ValuePairs(
            valid=encoding.valid,
            constraints=tuple(node for _, node in constraints),
            joined_constraints=_joined_constraints(encoding.diagrams, constraints),
            steps=work.done,
            finished=True,
        )
    return ValuePairs(valid=encoding.valid, constraints=(), joined_constraints=(), steps=work.done, finished=False)


def _constraints(encoding: Encoding, fixpoint: Fixpoint) -> Iterator[tuple[int, Node]]:
    """The constraints, each with the place of its topmost variable in the order.

    Single variables first, then pairs, those close in the order first: the smallest diagrams first.
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
    """The constraints joined by topmost variable: a product for each of its values, hardly larger than the parts."""
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
    """Sets of codes of the second variable, each with the codes of the first that occur with it; None: all with all."""
    facts = fixpoint.facts
    every = _reached(fixpoint, other)
    groups: dict[int, int] = {}
    for code in ones(_reached(fixpoint, one)):
        beside = fixpoint.rows[facts.first[one] + code] >> facts.first[other] & every
        groups[beside] = groups.get(beside, 0) | 1 << code
    return groups if any(beside != every for beside in groups) else None
