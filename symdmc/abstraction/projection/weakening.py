"""Syntactic dropping of variables: conditions and transitions weakened until they mention only kept variables.

The literals on dropped variables are struck out of the negation normal form of a condition, so it can only hold more
often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from symdmc.model.expressions import FALSE, TRUE, Binary, Cell, Conditional, Expr, Unary, conjunction, negation
from symdmc.task.flatten import cannot_fault
from symdmc.task.task import Branch, Task, Transition, Update, conditions_of

MOST_CHOICES = 6
"""With more unknown conditions than this, variables that depend on them get any value, without a case for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakTransition:
    """A transition that reads and changes only kept variables; some of them get any value they can have."""

    transition: Transition
    anything: tuple[int, ...]
    """The variables that get any value, whatever the transition stores in them."""


class Weakening:
    """Strikes the variables that are not kept out of conditions and transitions of a task."""

    def __init__(self, task: Task, kept: frozenset[int]) -> None:
        self.task = task
        self.kept = kept

    def knows(self, expression: Expr) -> bool:
        """Whether an expression reads kept variables only."""
        return self.task.layout.support(expression) <= self.kept

    # ---- conditions

    def condition(self, expression: Expr, *, holds: bool = True) -> Expr:
        """A condition on kept variables that holds, without a fault, wherever the expression is true (or is false)."""
        match expression:
            case _ if self.knows(expression):
                return expression if holds else negation(expression)
            case Unary("not", operand):
                return self.condition(operand, holds=not holds)
            case Binary("and", left, right):
                return self._both(left, True, right, True) if holds else self._either(left, False, right, False)
            case Binary("or", left, right):
                return self._either(left, True, right, True) if holds else self._both(left, False, right, False)
            case Binary("imply", left, right):
                return self._either(left, False, right, True) if holds else self._both(left, True, right, False)
            case Conditional(condition, then, otherwise):
                chosen = self._joined(self.condition(condition), self.condition(then, holds=holds))
                other = self._joined(self.condition(condition, holds=False), self.condition(otherwise, holds=holds))
                return _any(chosen, other, exact=self.knows(condition))
            case _:
                return TRUE

    def _both(self, left: Expr, left_holds: bool, right: Expr, right_holds: bool) -> Expr:
        return self._joined(self.condition(left, holds=left_holds), self.condition(right, holds=right_holds))

    def _either(self, left: Expr, left_holds: bool, right: Expr, right_holds: bool) -> Expr:
        weaker = self.condition(left, holds=left_holds), self.condition(right, holds=right_holds)
        return _any(*weaker, exact=self.knows(left))

    @staticmethod
    def _joined(left: Expr, right: Expr) -> Expr:
        return FALSE if FALSE in (left, right) else conjunction(left, right)

    # ---- transitions

    def cases(self, transition: Transition) -> Iterator[WeakTransition]:
        """Transitions that together do all that the transition can do to the kept variables, and maybe more.

        A branch whose condition is not known is optional: it is taken in one case and left out in another one.
        """
        base = self._without_dropped(transition)
        unknown = list(
            dict.fromkeys(each for each in conditions_of((*base.branches, *base.updates)) if not self.knows(each))
        )
        if len(unknown) > MOST_CHOICES:
            yield self._reduced(base, frozenset(unknown))
            return
        for chosen in product((True, False), repeat=len(unknown)):
            yield self._reduced(self._decided(base, unknown, chosen), frozenset())

    def _without_dropped(self, transition: Transition) -> Transition:
        """The transition with weaker guards and commitment, without branches and updates of dropped variables."""
        layout = self.task.layout
        free = negation(self.task.commitment) if transition.yields_to_commitment else TRUE
        return replace(
            transition,
            branches=tuple(each for each in transition.branches if layout.process[each.process] in self.kept),
            guard=self.condition(conjunction(free, transition.guard)),
            updates=tuple(each for each in transition.updates if not self.kept.isdisjoint(layout.targets(each.target))),
            yields_to_commitment=False,
        )

    def _decided(self, transition: Transition, unknown: Sequence[Expr], chosen: Sequence[bool]) -> Transition:
        """The transition where some conditions hold and others do not, as far as kept variables can show."""
        decided = dict(zip(unknown, chosen, strict=True))
        weakened = (self.condition(each, holds=holds) for each, holds in decided.items())
        branches = [each for each in transition.branches if each.condition is None or decided.get(each.condition, True)]
        updates = [each for each in transition.updates if each.condition is None or decided.get(each.condition, True)]
        return replace(
            transition,
            guard=conjunction(transition.guard, *weakened),
            branches=tuple(replace(each, condition=_settled(each, decided)) for each in branches),
            updates=tuple(replace(each, condition=_settled(each, decided)) for each in updates),
        )

    def _reduced(self, transition: Transition, unknown: frozenset[Expr]) -> WeakTransition:
        """The transition without unknown conditions and values: kept variables that depend on them get any value."""
        anything: set[int] = set()
        branches, updates = [], []
        for update in transition.updates:
            if update.condition in unknown or not self._reads_known(update, anything):
                anything.update(self.kept.intersection(self.task.layout.targets(update.target)))
            else:
                updates.append(update)
        for branch in transition.branches:
            if branch.condition in unknown:
                anything.add(self.task.layout.process[branch.process])
            else:
                branches.append(branch)
        reduced = replace(transition, branches=tuple(branches), updates=tuple(updates))
        return WeakTransition(transition=reduced, anything=tuple(sorted(anything)))

    def _reads_known(self, update: Update, anything: set[int]) -> bool:
        """Whether value and target of an update are known, where earlier updates have given `anything` any value."""
        support = self.task.layout.support
        index = support(update.target.index) if isinstance(update.target, Cell) else frozenset()
        current = index if update.before else index | support(update.value)
        return (current | support(update.value)) <= self.kept and current.isdisjoint(anything)


def _any(left: Expr, right: Expr, *, exact: bool) -> Expr:
    """The disjunction, or TRUE if one side always holds.

    TRUE also where a left side that is not exact may fault: the original may be false there, and the right side decide.
    """
    always = TRUE in (left, right) or not (exact or cannot_fault(left))
    return TRUE if always else Binary("or", left, right)


def _settled(part: Branch | Update, decided: dict[Expr, bool]) -> Expr | None:
    """The condition of a branch or update; TRUE if it was decided."""
    return TRUE if part.condition in decided else part.condition
