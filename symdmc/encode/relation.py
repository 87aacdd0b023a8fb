"""The steps of a task as diagrams: parts that touch only what they write, and the images of state sets under them."""

from __future__ import annotations

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.parts import Part, PartBuilder
from symdmc.model.expressions import TRUE
from symdmc.task.task import VariableKind

WIDE = 12
"""Of variables with more values than this the relation knows only those that have been met."""


class Relation:
    """The steps of an encoded task."""

    def __init__(self, encoding: Encoding, *, learns: bool = False) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        task = encoding.task
        holds = Translator(encoding).truth(task.invariant, {}).holds if task.invariant != TRUE else None
        self.invariant: Node | None = holds
        self.known: dict[int, list[int]] = {}
        if learns:
            for number, variable in enumerate(encoding.variables):
                if len(variable.values) > WIDE and task.variables[number].kind is not VariableKind.LOCATION:
                    self.known[number] = sorted(variable.values.index(v) for v in task.variables[number].initial)
        self._parts: dict[int, list[Part]] = {}
        self._reads: dict[int, frozenset[int]] = {}
        self._build(sorted(task.analysis.possible))

    def _build(self, numbers):
        builder = PartBuilder(self.encoding, self.known)
        for number in numbers:
            self._parts[number] = list(builder.parts(self.encoding.task.transitions[number]))
            self._reads[number] = frozenset(builder.translator.consulted)
        self.parts: tuple[Part, ...] = tuple(part for number in sorted(self._parts) for part in self._parts[number])

    def learn(self, states: Node) -> bool:
        """Take note of the values that wide variables have in these states; whether any was new."""
        grown = set()
        for number, known in self.known.items():
            if len(known) == len(self.encoding.variables[number].values): continue
            new = set(self.encoding.codes_in(states, number)) - set(known)
            if new:
                grown.add(number)
                self.known[number] = sorted({*known, *new})
        if grown:
            self._build(sorted(number for number, reads in self._reads.items() if reads & grown))
        return bool(grown)

    def image(self, states: Node, part: Part) -> Node:
        """The states one step of the part after some states."""
        d = self.diagrams
        variables = [self.encoding.variables[number] for number in part.writes]
        current = [bit for variable in variables for bit in variable.current]
        if part.stored is not None:
            after = d.both(d.both_exists(states, part.guard, current), part.stored)
        else:
            pairs = {n: c for v in variables for c, n in zip(v.current, v.next, strict=True)}
            after = d.rename(d.both_exists(states, part.relation, current), pairs)
        return after if self.invariant is None else d.both(after, self.invariant)

    def preimage(self, states: Node, part: Part) -> Node:
        """The states one step of the part before some states."""
        d = self.diagrams
        after = states if self.invariant is None else d.both(states, self.invariant)
        variables = [self.encoding.variables[number] for number in part.writes]
        current = [bit for variable in variables for bit in variable.current]
        if part.stored is not None:
            return d.both(d.both_exists(after, part.stored, current), part.guard)
        pairs = {c: n for v in variables for c, n in zip(v.current, v.next, strict=True)}
        following = [bit for variable in variables for bit in variable.next]
        return d.both_exists(d.rename(after, pairs), part.relation, following)

    def initial(self) -> Node:
        """The initial states."""
        d, encoding = self.diagrams, self.encoding
        states = d.true
        for number in reversed(encoding.order):
            choices = (encoding.value_cube(number, value) for value in encoding.task.variables[number].initial)
            states = d.both(states, d.any_of(choices))
        return states if self.invariant is None else d.both(states, self.invariant)
