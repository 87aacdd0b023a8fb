"""Operators of the monotonicity abstraction: facts that must have been reached, facts that are reached then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdmc.task.relaxation.facts import ALWAYS

NO_TRANSITION = -1
"""Of an operator that only tells that a condition holds."""

Alternatives = frozenset[tuple[int, ...]]


class Operators:
    """Collects operators, and makes facts of its own for conditions. A condition that never holds is None."""

    def __init__(self, facts: int) -> None:
        self.facts = facts
        self.before: list[Sequence[int]] = []
        self.direct: list[int] = []
        """Of each operator, how many of the facts before it decide whether it runs; the others, only what it stores."""
        self.after: list[Sequence[int]] = []
        self.costs: list[int] = []
        self.transitions: list[int] = []
        self._known: dict[Alternatives, int] = {}

    def add(
        self,
        before: Iterable[int],
        after: Iterable[int],
        *,
        operands: Iterable[int] = (),
        cost: int = 0,
        transition: int = NO_TRANSITION,
    ) -> None:
        """One operator; an operand decides nothing but what is stored."""
        deciding = sorted(set(before) - {ALWAYS}) or [ALWAYS]
        others = sorted(set(operands) - {ALWAYS, *deciding})
        self.before.append([*deciding, *others])
        self.direct.append(len(deciding))
        self.after.append(sorted(set(after) - {ALWAYS}))
        self.costs.append(cost)
        self.transitions.append(transition)

    def never(self) -> int:
        """A fact that is never reached."""
        self.facts += 1
        return self.facts - 1

    def all_of(self, facts: Iterable[int | None]) -> int | None:
        """The fact that all of some facts hold."""
        listed = list(facts)
        if None in listed:
            return None
        return self.any_of([[fact for fact in listed if fact is not None]])

    def any_of(self, alternatives: Iterable[Iterable[int]], operands: frozenset[int] = frozenset()) -> int | None:
        """The fact that all facts of one of the alternatives hold."""
        rows = {tuple(sorted(set(each) - {ALWAYS})) for each in alternatives}
        if not rows:
            return None
        if () in rows:
            return ALWAYS
        if len(rows) == 1 and len(only := next(iter(rows))) == 1:
            return only[0]
        key = frozenset(rows)
        if key not in self._known:
            self._known[key] = fact = self.never()
            for row in sorted(rows):
                deciding = [each for each in row if each not in operands]
                self.add(deciding, [fact], operands=[each for each in row if each in operands])
        return self._known[key]
