"""Projection to a pattern: the other variables of a task are quantified away, transition by transition.

The abstract transition is the existential quantification of the full concrete one (guard, commitment, conditions of
broadcasts, faults and invariants included), so dropping the variables is all that weakens it. A dropped variable is
encoded only if a transition with kept variables reads it.

Derived variables are kept like any others. Wherever concrete states become abstract, the definitions of the kept
derived variables that share variables with them are conjoined before anything is quantified, so the abstraction is the
existential one [GS97]: there is an abstract step exactly where there is a concrete step that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.relation.lockstep import LockstepProduct
from symdmc.encode.relation.part import ConjunctivePart, Factor, Part, conjunctive_part
from symdmc.encode.relation.relation import Relation
from symdmc.model.expressions import Expr, conjunction, conjuncts
from symdmc.task.interaction import footprint
from symdmc.task.live_updates import live_updates
from symdmc.task.task import Task, Transition

MOST_LINKED = 50_000
"""A definition that would make a diagram larger than this, and twice as large as before, is left out: the abstraction
becomes coarser."""


class ProjectedRelation(Relation):
    """The steps of a task on the variables of an encoding; transitions that change none of them are left out.

    Transitions cost what the task says, or what `costs` has for each of them.
    """

    def __init__(
        self,
        encoding: Encoding,
        *,
        learns: bool = False,
        merge_limit: int = 0,
        frames: bool = False,
        costs: Sequence[int] | None = None,
    ) -> None:
        self._costs = costs
        super().__init__(encoding, learns=learns, merge_limit=merge_limit, frames=frames)

    def transition(self, number: int) -> Transition:
        """A transition of the task, with the cost it has here."""
        transition = super().transition(number)
        return transition if self._costs is None else replace(transition, cost=self._costs[number])

    def _invariant(self) -> Node | None:
        concerned = [*self._invariants(self.kept | self._bases), *self._constant_invariants()]
        result = self.diagrams.true
        for part in concerned:
            result = self.diagrams.both(result, self.project(self._where_all_hold([part])))
        return result if concerned else None

    @property
    def kept(self) -> frozenset[int]:
        """The pattern."""
        return self.encoding.kept

    @cached_property
    def _basis(self) -> dict[int, frozenset[int]]:
        """The kept derived variables, each with those of the variables it depends on that have several values."""
        task = self.encoding.task
        own = {number: each for number, each in task.definitions.items() if number in self.kept}
        return {number: task.layout.basis(each) & self._several for number, each in own.items()}

    @cached_property
    def _several(self) -> frozenset[int]:
        """The variables that have several values."""
        return frozenset(n for n, domain in enumerate(self.encoding.task.analysis.domains) if domain.count > 1)

    @cached_property
    def _bases(self) -> frozenset[int]:
        """All variables that kept derived ones depend on."""
        return frozenset().union(*self._basis.values())

    def _invariants(self, numbers: AbstractSet[int]) -> list[Expr]:
        """The conjuncts of the task's invariant that read some of the variables."""
        task = self.encoding.task
        return [part for part in conjuncts(task.invariant) if not numbers.isdisjoint(task.layout.support(part))]

    def _constant_invariants(self) -> list[Expr]:
        """The conjuncts that read only constants: if one does not hold, there are no states at all."""
        task = self.encoding.task
        return [part for part in conjuncts(task.invariant) if self._several.isdisjoint(task.layout.support(part))]

    def _where_all_hold(self, concerned: Iterable[Expr]) -> Node:
        """The concrete states in which some invariants hold."""
        return Translator(self.encoding).truth(conjunction(*concerned), {}).holds

    def project(self, states: Node) -> Node:
        """The abstract states of some concrete states, a set over any bits: dropped variables may have any value.

        A derived variable has any value if the set does not restrict its basis.
        """
        return self._defined(states, self._linked(self.encoding.numbers_in(states)))

    def _defined(self, states: Node, links: Sequence[int]) -> Node:
        """The abstract states of some concrete states, with the values of some derived variables.

        Each dropped variable is quantified as soon as no later definition needs it.
        """
        for place, link in enumerate(links):
            tighter = self.diagrams.both(states, self.definition(link))
            if self.diagrams.size(tighter) > max(MOST_LINKED, 2 * self.diagrams.size(states)):
                continue
            needed = frozenset().union(*(self._basis[later] for later in links[place + 1 :]))
            states = self._quantified(tighter, needed)
        return self._quantified(states, frozenset())

    def _quantified(self, states: Node, needed: frozenset[int]) -> Node:
        """The states without the dropped variables, except those still needed."""
        encoding = self.encoding
        dropped = sorted(encoding.numbers_in(states) - encoding.kept - needed)
        valid = self.diagrams.true
        for number in reversed(dropped):
            valid = self.diagrams.both(valid, encoding.has_value(number))
        return self.diagrams.both_exists(states, valid, encoding.bits_of(tuple(dropped)).current)

    def _linked(self, numbers: AbstractSet[int]) -> list[int]:
        """The kept derived variables that depend on some variables, then those that share others with them, ..."""
        found: list[int] = []
        waiting, reached = sorted(self._basis), set(numbers)
        while True:
            near = [each for each in waiting if self._is_near(each, reached)]
            if not near:
                return found
            found += near
            waiting = [each for each in waiting if each not in near]
            reached = reached.union(*(self._basis[each] for each in near))

    def _is_near(self, derived: int, reached: AbstractSet[int]) -> bool:
        """Whether a derived variable or what it depends on was reached; one that is constant always is."""
        basis = self._basis[derived]
        return not basis or derived in reached or not basis.isdisjoint(reached)

    def _where_invariants_hold(self, states: Node, numbers: AbstractSet[int]) -> Node:
        return self.diagrams.both(states, self._where_all_hold(self._invariants(numbers)))

    def initial(self) -> Node:
        """The abstract initial states; derived variables have the values they have in the concrete ones."""
        initial = super().initial()
        if not self._basis:
            return initial
        concerned = self._invariants(self.kept | self._bases)
        plain = (self.kept - self._basis.keys()) | self._bases
        numbers = plain.union(*map(self.encoding.task.layout.support, concerned))
        states = self._initially(self.encoding.in_order(numbers))
        states = self.diagrams.both(states, self._where_all_hold(concerned))
        return self.diagrams.both(initial, self._defined(states, self._linked(self._basis.keys())))

    def _products_of(self, task: Task) -> Iterator[LockstepProduct]:
        return iter(())  # the edges of the members may share what is dropped

    def _stores(self, transition: Transition) -> frozenset[int]:
        support = self.encoding.task.layout.support
        return self.kept.union(*(support(part) for part in self._concerned(transition)))

    def _concerned(self, transition: Transition) -> list[Expr]:
        """The invariants that a step of the transition depends on."""
        return self._invariants(footprint(self.encoding.task, transition).touched)

    def _built(self, transition: Transition) -> tuple[list[Part], frozenset[int]]:
        if footprint(self.encoding.task, transition).writes.isdisjoint(self.kept):
            return [], frozenset()
        parts, reads = self._concrete(transition)
        return list(dict.fromkeys(map(self._projected, parts))), reads & self.kept

    def _concrete(self, transition: Transition) -> tuple[list[Part], frozenset[int]]:
        """The parts of a transition before projection; their steps begin and end where the invariants hold.

        Updates that affect neither kept variables nor invariants are left out: they may be costly.
        """
        wanted = self._stores(transition) | self._bases
        live = replace(transition, updates=live_updates(self.encoding.task, transition, wanted))
        parts, reads = super()._built(live)
        concerned = self._concerned(live)
        if concerned:
            holds = self._where_all_hold(concerned)
            around = (self.diagrams.both(holds, part.preimage(self.encoding, holds)) for part in parts)
            parts = [part.within(self.encoding, each) for part, each in zip(parts, around, strict=True)]
        return parts, reads

    def _projected(self, part: Part) -> Part:
        """The part without the dropped variables."""
        d, encoding = self.diagrams, self.encoding
        writes = tuple(number for number in part.writes if number in self.kept)
        gone = encoding.bits_of(tuple(number for number in part.writes if number not in self.kept))
        guard = self.project(part.guard)
        if isinstance(part, ConjunctivePart):
            return conjunctive_part(encoding, guard, part.cost, self._projected_factors(part.factors, gone.next))
        if part.stored is not None:
            stored = d.exists(part.stored, gone.current)
            return Part(guard=guard, writes=writes, cost=part.cost, stored=stored)
        relation = self.project(d.exists(part.relation, gone.next))
        return Part(guard=guard, writes=writes, cost=part.cost, relation=relation)

    def _projected_factors(self, factors: Sequence[Factor], gone: frozenset[str]) -> list[Factor]:
        """Factors without dropped variables; those that may share dropped variables become one."""
        d, found = self.diagrams, []
        shared, writes = d.true, []
        for factor in factors:
            relation, own = d.exists(factor.relation, gone), [n for n in factor.writes if n in self.kept]
            if self.encoding.numbers_in(relation) <= self.kept:
                found.append(Factor(relation=relation, writes=tuple(own)))
            else:
                shared = d.both(shared, relation)
                writes += own
        return [*found, Factor(relation=self.project(shared), writes=tuple(writes))]

    def stuck(self, states: Node) -> Node:
        """The abstract states that may have no step: each transition is disabled in one of their concrete states."""
        d, task = self.diagrams, self.encoding.task
        for number in sorted(task.analysis.possible):
            transition = self.transition(number)
            own = footprint(task, transition)
            if own.reads and own.reads.isdisjoint(self.kept):
                continue
            enabled = d.any_of(part.guard for part in self._concrete(transition)[0])
            states = d.both(states, self.project(self._where_invariants_hold(~enabled, own.touched)))
        return states
