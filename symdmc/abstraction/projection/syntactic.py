"""Projection by syntactic dropping, as in [KHL08, section 3]: all that mentions dropped variables is struck out.

A reference for exact projection: it has every step that exact projection has, and often more. We
depart from the paper in three points. A kept variable that is set to a dropped value gets any value, so every pattern
is closed (its Definition 2). A reception whose guard was weakened is optional. And error states are projected
existentially: striking parts out of the invariant (its Definition 1) would lose error states.
"""

from __future__ import annotations

from symdmc.abstraction.projection.projection import ProjectedRelation
from symdmc.abstraction.projection.weakening import Weakening, WeakTransition
from symdmc.encode.diagrams import Node
from symdmc.encode.expressions import Translator
from symdmc.encode.relation.part import ConjunctivePart, Factor, Part, conjunctive_part
from symdmc.encode.relation.relation import Relation
from symdmc.model.expressions import TRUE
from symdmc.task.interaction import footprint
from symdmc.task.task import Transition


class SyntacticRelation(ProjectedRelation):
    """The steps of a task after syntactic dropping of all variables that an encoding does not keep.

    Distances in it are admissible and consistent, and never more than those of exact projection. Error states,
    deadlocks and faults are projected exactly.
    """

    def _invariant(self) -> Node | None:
        weak = Weakening(self.encoding.task, self.kept).condition(self.encoding.task.invariant)
        return None if weak == TRUE else Translator(self.encoding).truth(weak, {}).holds

    def _built(self, transition: Transition) -> tuple[list[Part], frozenset[int]]:
        found: dict[Part, None] = {}  # a set that keeps its order
        reads: frozenset[int] = frozenset()
        for case in Weakening(self.encoding.task, self.kept).cases(transition):
            if self.kept.isdisjoint(footprint(self.encoding.task, case.transition).writes.union(case.anything)):
                continue
            parts, read = Relation._built(self, case.transition)
            found.update(dict.fromkeys(self._loosened(self._projected(part), case) for part in parts))
            reads |= read
        return list(found), reads & self.kept

    def _loosened(self, part: Part, case: WeakTransition) -> Part:
        """The part, with any values for the variables that get any value."""
        d, encoding = self.diagrams, self.encoding
        loose = tuple(number for number in case.anything if encoding.variables[number].current)
        if not loose:
            return part
        bits = encoding.bits_of(loose)
        writes = tuple(sorted({*part.writes, *loose}))
        if isinstance(part, ConjunctivePart):
            return conjunctive_part(encoding, part.guard, part.cost, self._loosened_factors(part, loose))
        if part.stored is not None:
            stored = d.both(d.exists(part.stored, bits.current), self._any_values(loose, after=False))
            return Part(guard=part.guard, writes=writes, cost=part.cost, stored=stored)
        relation = d.both(d.exists(part.relation, bits.next), self._any_values(loose, after=True))
        return Part(guard=part.guard, writes=writes, cost=part.cost, relation=relation)

    def _loosened_factors(self, part: ConjunctivePart, loose: tuple[int, ...]) -> list[Factor]:
        d, bits = self.diagrams, self.encoding.bits_of(loose)
        kept = [
            Factor(
                relation=d.exists(factor.relation, bits.next),
                writes=tuple(number for number in factor.writes if number not in loose),
            )
            for factor in part.factors
        ]
        return [*kept, Factor(relation=self._any_values(loose, after=True), writes=loose)]

    def _any_values(self, numbers: tuple[int, ...], *, after: bool) -> Node:
        """The states in which each of the variables has some value."""
        d, encoding = self.diagrams, self.encoding
        result = d.true
        for number in reversed(encoding.in_order(numbers)):
            codes = range(len(encoding.variables[number].values))
            result = d.both(result, d.any_of(encoding.code_cube(number, code, after=after) for code in codes))
        return result
