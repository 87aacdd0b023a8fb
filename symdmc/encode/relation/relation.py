"""The steps of a task as diagrams: parts that touch only what they write, and the images of state sets under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.relation.chosen_cells import boxes
from symdmc.encode.relation.lockstep import LockstepPart, LockstepProduct, lockstep_part, products
from symdmc.encode.relation.merging import Merger, joined_in_pairs
from symdmc.encode.relation.part import Part
from symdmc.encode.relation.parts import PartBuilder
from symdmc.model.expressions import TRUE, Expr
from symdmc.task.interaction import footprint
from symdmc.task.task import Task, Transition, VariableKind

MANY_VALUES = 12
"""Of variables with more values than this, a relation that learns knows only the values it has met."""
QUIET_ROUNDS_BEFORE_MERGE = 3
"""Parts that write different variables are joined after this many rounds in a row with nothing to learn."""
PATIENCE = 6
"""When the known values of a variable have grown this often, they grow beyond the values met."""
MOST_ENABLED = 10_000
"""The most nodes of a union of state sets from which steps exist."""


class Relation:
    """The steps of an encoded task.

    A relation that learns has only the steps from values it knows, at first those of the initial states. It is exact
    for states whose values it has learned: a forward search makes it learn each state set before taking its image. This
    pays because value analysis often leaves hundreds of values where a handful occur.
    """

    def __init__(self, encoding: Encoding, *, learns: bool = False, merge_limit: int = 0, frames: bool = False) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        task = encoding.task
        self._definitions: dict[int, Node] = {}
        self.invariant = self._invariant()
        self.known: dict[int, list[int]] = self._initial_values() if learns else {}
        self.version = 0
        """Changes when the relation has learned something."""
        self._grown = dict.fromkeys(self.known, 0)
        self._merger = Merger(encoding, merge_limit)
        self._frames = frames
        self._quiet_rounds = 0 if learns else QUIET_ROUNDS_BEFORE_MERGE
        """How many rounds in a row there was nothing to learn."""
        self._small: dict[int, list[Part]] = {}
        self._reads: dict[int, frozenset[int]] = {}
        self._products: dict[str, LockstepProduct] = {each.label: each for each in self._products_of(task)}
        self._lockstep_parts: dict[str, LockstepPart] = {}
        self._lockstep_reads: dict[str, frozenset[int]] = {}
        self._enabled: tuple[int, list[Node]] = (-1, [])
        """A version of the relation, and its enabled states as sets of moderate size."""
        self.parts: tuple[Part, ...] = ()
        self._build(sorted(task.analysis.possible - self._in_products), self._products)

    def _invariant(self) -> Node | None:
        """The states in which the invariants hold and derived variables have their values; None where all do."""
        task = self.encoding.task
        if task.invariant == TRUE and not task.definitions:
            return None
        holds = Translator(self.encoding).truth(task.invariant, {}).holds
        for number in sorted(task.definitions):
            holds = self.diagrams.both(holds, self.definition(number))
        return holds

    def definition(self, number: int) -> Node:
        """The states in which a derived variable has the value of its definition."""
        if number not in self._definitions:
            values = Translator(self.encoding).defined(self.encoding.task.definitions[number], {})
            self._definitions[number] = self.diagrams.any_of(
                self.diagrams.both(self.encoding.value_cube(number, value), node) for value, node in values.items()
            )
        return self._definitions[number]

    def transition(self, number: int) -> Transition:
        """A transition of the task."""
        return self.encoding.task.transitions[number]

    @property
    def has_free_steps(self) -> bool:
        """Whether some steps cost nothing."""
        return any(part.cost == 0 for part in self.parts)

    def _products_of(self, task: Task) -> Iterator[LockstepProduct]:
        """The lockstep labels that become one part each; none if derived variables may depend on several members."""
        return iter(()) if task.definitions else products(task)

    def _stores(self, transition: Transition) -> frozenset[int]:
        """The variables whose new values matter."""
        return self.encoding.kept

    def project(self, states: Node) -> Node:
        """The states as the relation has them: unchanged, unless it drops variables."""
        return states

    def _initial_values(self) -> dict[int, list[int]]:
        variables, coded = self.encoding.task.variables, self.encoding.variables
        wide = [number for number in sorted(self.encoding.kept) if len(coded[number].values) > MANY_VALUES]
        return {
            number: sorted(coded[number].codes[value] for value in variables[number].initial)
            for number in wide
            if variables[number].kind is not VariableKind.LOCATION
        }

    @cached_property
    def _in_products(self) -> frozenset[int]:
        """The transitions whose steps are in the part of a lockstep label."""
        transitions = enumerate(self.encoding.task.transitions)
        return frozenset(number for number, transition in transitions if transition.label in self._products)

    def _build(self, transitions: Iterable[int], labels: Iterable[str]) -> None:
        for label in labels:
            built = lockstep_part(self._products[label], self.encoding, self._merger, self._built)
            self._lockstep_parts[label], self._lockstep_reads[label] = built
        for number in transitions:
            self._small[number], self._reads[number] = self._built(self.transition(number))
        small = (self._small[number] for number in sorted(self._small.keys() - self._in_products))
        frames = self._frames and self._quiet_rounds >= QUIET_ROUNDS_BEFORE_MERGE
        merged = self._merger.merged((part for parts in small for part in parts), frames=frames)
        self.parts = (*merged, *self._lockstep_parts.values())
        self._box = self._known_box()
        self.version += 1

    def _built(self, transition: Transition) -> tuple[list[Part], frozenset[int]]:
        """The parts of a transition, and the variables whose known values they depend on."""
        found: dict[Part, None] = {}  # a set that keeps its order
        reads: set[int] = set()
        for builder in self._builders(transition):
            found.update(dict.fromkeys(builder.parts(transition)))
            reads |= builder.translator.consulted
        return list(found), frozenset(reads)

    def _builders(self, transition: Transition) -> Iterator[PartBuilder]:
        """A builder for each choice among the cells of arrays, if these are few."""
        for box in boxes(self.encoding, transition, self._codes):
            yield PartBuilder(self.encoding, {**self.known, **box}, self._stores(transition))

    def _codes(self, number: int) -> Sequence[int]:
        return self.known.get(number, range(len(self.encoding.variables[number].values)))

    def merge(self, limit: int, *, frames: bool) -> None:
        """From now on join parts up to this limit."""
        self._merger = Merger(self.encoding, limit)
        self._frames, self._quiet_rounds = frames, QUIET_ROUNDS_BEFORE_MERGE
        self._build((), self._products)

    # ---- learning

    def learn(self, states: Node) -> None:
        """Extend the relation by the steps from all of these states."""
        outside = self.diagrams.without(states, self._box)
        if outside == self.diagrams.false:
            self._quiet_rounds += 1
            if self._quiet_rounds == QUIET_ROUNDS_BEFORE_MERGE and self._frames:
                self._build((), ())
            return
        self._quiet_rounds = 0
        grown = {number for number in sorted(self.known) if self._grows(number, outside)}
        labels = [label for label, reads in self._lockstep_reads.items() if reads & grown]
        self._build(sorted(number for number, reads in self._reads.items() if reads & grown), labels)

    def _known_box(self) -> Node:
        """The states in which every variable has a value that is known."""
        box = self.diagrams.true
        for number in reversed([number for number in self.encoding.order if number in self.known]):
            box = self.diagrams.both(box, self.encoding.any_code(number, self.known[number]))
        return box

    def _grows(self, number: int, states: Node) -> bool:
        known = set(self.known[number])
        unknown = self.diagrams.without(states, self.encoding.any_code(number, sorted(known)))
        if unknown == self.diagrams.false:
            return False
        new = self.encoding.codes_in(unknown, number)
        self._grown[number] += 1
        ahead = len(known) if self._grown[number] > PATIENCE else 0
        low = new[0] - ahead if new[0] < min(known) else min(known)
        high = new[-1] + ahead if new[-1] > max(known) else max(known)
        size = len(self.encoding.variables[number].values)
        between = range(max(low, 0), min(high + 1, size)) if ahead else ()
        self.known[number] = sorted({*known, *new, *between})
        return True

    # ---- steps

    def of_transitions(self) -> dict[int, tuple[Part, ...]]:
        """The parts of each transition, not merged."""
        return {number: tuple(self._of(number)) for number in sorted(self.encoding.task.analysis.possible)}

    def _of(self, number: int) -> list[Part]:
        """The parts of a transition; those of a lockstep label are built when they are first used."""
        if number not in self._small:
            self._small[number], self._reads[number] = self._built(self.transition(number))
        return self._small[number]

    def within(self, part: Part) -> tuple[Part, ...]:
        """The small parts that a merged one may consist of: those of equal cost that write no other variables."""
        if isinstance(part, LockstepPart):
            own = sorted(self.encoding.task.analysis.possible & self._in_products)
            labels = {number: self.encoding.task.transitions[number].label for number in own}
            return tuple(each for number in own if labels[number] == part.label for each in self._of(number))
        writes = set(part.writes)
        small = (each for number in sorted(self._small) for each in self._small[number])
        return tuple(each for each in small if each.cost == part.cost and writes.issuperset(each.writes))

    def image(self, states: Node, part: Part) -> Node:
        """The states one step of the part after some states."""
        after = part.image(self.encoding, states)
        return after if self.invariant is None else self.diagrams.both(after, self.invariant)

    def preimage(self, states: Node, part: Part) -> Node:
        """The states one step of the part before some states."""
        return part.preimage(
            self.encoding, states if self.invariant is None else self.diagrams.both(states, self.invariant)
        )

    def enabled(self, part: Part) -> Node:
        """The states with a step of a part that is not merged."""
        known = self.invariant is None and part.guard is not None
        return part.guard if known else self.preimage(self.encoding.valid, part)

    def stuck(self, states: Node) -> Node:
        """The states without any step, among some states."""
        for enabled in self._all_enabled():
            states = self.diagrams.without(states, enabled)
        return states

    def _all_enabled(self) -> list[Node]:
        """State sets of moderate size that together have exactly the states with a step."""
        version, found = self._enabled
        if version != self.version:
            small = (self._small[number] for number in sorted(self._small.keys() - self._in_products))
            every = (*chain.from_iterable(small), *self._lockstep_parts.values())
            found = joined_in_pairs([self.enabled(part) for part in every], self._union_if_small)
            self._enabled = (self.version, found)
        return found

    def _union_if_small(self, left: Node, right: Node) -> Node | None:
        union = self.diagrams.either(left, right)
        return union if self.diagrams.size(union) <= MOST_ENABLED else None

    def initial(self) -> Node:
        """The initial states."""
        states = self._initially(self.encoding.order)
        return states if self.invariant is None else self.diagrams.both(states, self.invariant)

    def _initially(self, numbers: Sequence[int]) -> Node:
        """The states in which some variables, given from the top of the diagrams down, have initial values."""
        d, encoding = self.diagrams, self.encoding
        states = d.true
        for number in reversed(numbers):
            choices = (encoding.value_cube(number, value) for value in encoding.task.variables[number].initial)
            states = d.both(states, d.any_of(choices))
        return states

    def where(self, condition: Expr) -> Node:
        """The states in which a condition holds; an abstract state if it holds in one of its concrete states."""
        holds = Translator(self.encoding).truth(condition, {}).holds
        return self.project(self._where_invariants_hold(holds, self.encoding.task.layout.support(condition)))

    def _where_invariants_hold(self, states: Node, numbers: AbstractSet[int]) -> Node:
        """The states of a set in which the invariants on some variables hold, before any variable is dropped.

        Here all of them: nothing is dropped, and results are restricted to the invariants anyway.
        """
        return states

    def faulty(self) -> Node:
        """The states in which an attempt at a step faults."""
        found = self.diagrams.any_of(
            self.project(
                self._where_invariants_hold(
                    builder.faults(transition), footprint(self.encoding.task, transition).touched
                )
            )
            for transition in self.encoding.task.transitions
            for builder in self._builders(transition)
        )
        return found if self.invariant is None else self.diagrams.both(found, self.invariant)
