"""The error states of a task as a state set."""

from __future__ import annotations

from symdmc.encode.diagrams import Node
from symdmc.encode.relation.relation import Relation


class ErrorStates:
    """Finds the error states, among states whose values the relation knows."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.error = relation.encoding.task.error
        self._expressed = relation.where(self.error.expression)
        self._deadlock_where = relation.where(self.error.deadlock_where)
        self._faulty: tuple[int, Node] = (-1, None)

    def within(self, states: Node) -> Node:
        """The error states among some states; an abstract state is one if one of its concrete states is."""
        d = self.relation.diagrams
        found = d.both(states, self._expressed)
        if self.error.deadlock:
            found = d.either(found, self.relation.stuck(d.both(states, self._deadlock_where)))
        if self.error.fault:
            found = d.either(found, d.both(states, self._faults()))
        return found

    def _faults(self) -> Node:
        if self._faulty[0] != self.relation.version:
            self._faulty = (self.relation.version, self.relation.faulty())
        return self._faulty[1]
