"""What is cheaply known to be reachable: the values of single variables and of pairs of variables.

The pairs are a fixpoint like the mutexes h2 of planning: they hold in all initial states, and a step that starts where
all pairs hold ends where they hold. So the states in which all pairs hold contain every reachable state and are closed
under steps. Diagrams are only read once, as unions of products of value sets; the fixpoint is on integers as bit sets:
each value of a variable (a *fact*) has a row with a bit for every fact of another variable that was seen beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from symdmc.encode.diagrams import Diagrams, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.lockstep import LockstepPart
from symdmc.encode.parts import Part

BUDGET = 800_000
"""The work allowed by default; a few seconds at most."""
MOST_PAIRS = 4096
"""Two variables with more pairs of values than this are not paired."""
MOST_NODES = 20_000
"""Of a part with a larger relation only the guard is looked at, if it is known: it may store anything."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How much is asked for."""

    most_values: int
    """Variables with more values than this are in no pairs: only their single values are known."""
    most_products: int
    """A diagram that is the union of more products than this is weakened until it is not."""
    close: bool = False
    """Only variables of one process, or that share a step in which one is written, are paired."""


PRECISIONS = (Precision(256, 512), Precision(32, 64), Precision(32, 16, close=True))
"""Tried in turn until one is finished; each may use half of the budget that is left, the last one all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePairs:
    """State sets that hold in every reachable state and, taken together, are closed under steps."""

    valid: Node
    """The states whose codes all stand for a value; closed under steps by itself."""
    constraints: tuple[Node, ...]
    """For each variable and each pair that tells more than that: the states in which it has values that can occur."""
    stars: tuple[Node, ...]
    """The same constraints, those with the same topmost variable joined, the lowest first."""
    steps: int
    """The work it took."""
    finished: bool
    """Whether the budget was enough; if not, there are no constraints."""

    def restrict(self, diagrams: Diagrams, states: Node) -> Node:
        """The states that satisfy all constraints."""
        for star in (self.valid, *self.stars):
            states = diagrams.both(states, star)
        return states

    def care(self, diagrams: Diagrams, most_nodes: int) -> Node:
        """The valid states that satisfy as many constraints, in their order, as fit into a diagram of so many nodes.

        A superset of all reachable states; closed under steps only when every constraint fitted.
        """
        kept, all_fit = _joined_while_small(diagrams, self.valid, self.stars, most_nodes, skip=False)
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
    work = _Work(budget)
    splitter = _Splitter(encoding, work)
    for precision in PRECISIONS:
        work.share(1 if precision is PRECISIONS[-1] else 2)
        try:
            fixpoint = _fixpoint(splitter, parts, initial, invariant, precision)
        except _Exhausted:
            continue
        told = list(_constraints(encoding, fixpoint))
        return ValuePairs(
            valid=encoding.valid,
            constraints=tuple(node for _, node in told),
            stars=_stars(encoding.diagrams, told),
            steps=work.done,
            finished=True,
        )
    return ValuePairs(valid=encoding.valid, constraints=(), stars=(), steps=work.done, finished=False)


class _Exhausted(Exception):
    """The budget is used up."""


class _Work:
    """Counts work up to a budget."""

    def __init__(self, budget: int) -> None:
        self.budget = self.limit = budget
        self.done = 0

    def share(self, parts: int) -> None:
        """From now on, no more than one of so many equal parts of what is left may be used."""
        self.limit = self.done + max(0, self.budget - self.done) // parts

    def spend(self, amount: int = 1) -> None:
        """Count some work."""
        self.done += amount
        if self.done > self.limit:
            raise _Exhausted


# ---- diagrams as unions of products


@dataclass(frozen=True, slots=True)
class _Product:
    """Codes by variable, as masks: before the step where the variable is restricted, and after it where written."""

    before: Mapping[int, int]
    after: Mapping[int, int]


_ANYTHING = _Product({}, {})


@dataclass(frozen=True, slots=True)
class _Branch:
    """From a node through all bits of one variable to a node below."""

    variable: int
    before: int
    after: int
    child: Node


class _TooMany(Exception):
    """A diagram has too many products."""


class _Splitter:
    """Diagrams over current and next bits as unions of products, weakened where there would be too many."""

    def __init__(self, encoding: Encoding, work: _Work) -> None:
        self.encoding = encoding
        self.diagrams = encoding.diagrams
        self.work = work
        self.every = [(1 << len(variable.values)) - 1 for variable in encoding.variables]
        self._bits: dict[str, tuple[int, bool, int]] = {}
        for number, variable in enumerate(encoding.variables):
            for bits, after in ((variable.current, False), (variable.next, True)):
                for place, bit in enumerate(reversed(bits)):
                    self._bits[bit] = number, after, _codes_with(place, len(bits)) & self.every[number]
        self.precision = PRECISIONS[0]
        self._branches: dict[int, tuple[Node, list[_Branch]]] = {}

    def support(self, node: Node) -> list[int]:
        """The variables whose current or next bits matter."""
        return sorted({self._bits[bit][0] for bit in self.diagrams.bdd.support(node)})

    def products(self, node: Node) -> list[_Product]:
        """Products whose union holds the function, and is the function itself unless there would be too many."""
        known: list[_Branch] = []
        while True:
            self.work.spend(self.diagrams.size(node) // 8)
            widest = max(self.support(node), key=self.every.__getitem__, default=None)
            if widest is None or self.every[widest].bit_length() <= self.precision.most_values:
                try:
                    return [_narrowed(each, known) for each in self._products(node)]
                except _TooMany:
                    pass
            assert widest is not None  # a constant has no more than one product
            known.append(self._alone(node, widest))
            node = self.diagrams.exists(node, self._bits_of(widest))

    def _bits_of(self, number: int) -> tuple[str, ...]:
        variable = self.encoding.variables[number]
        return (*variable.current, *variable.next)

    def onto(self, node: Node, numbers: Iterable[int]) -> list[_Product]:
        """The function with all but some variables quantified away, as products."""
        others = sorted(set(self.support(node)).difference(numbers))
        self.work.spend(1 + len(others) + self.diagrams.size(node) // 8)
        return self.products(self.diagrams.exists(node, [bit for other in others for bit in self._bits_of(other)]))

    def _alone(self, node: Node, number: int) -> _Branch:
        """All codes of one variable that occur in the function, before the step and after it."""
        variable = self.encoding.variables[number]
        bits = self.diagrams.bdd.support(node)
        before = self.diagrams.exists(node, sorted(bits.difference(variable.current)))
        after = self.diagrams.exists(node, sorted(bits.difference(variable.next)))
        return _Branch(number, self._codes(before, number, {}), self._codes(after, number, {}), self.diagrams.true)

    def _codes(self, node: Node, number: int, known: dict[int, int]) -> int:
        """The codes in a set that is told by the current or by the next bits of one variable alone."""
        every = self.every[number]
        if node.var is None:
            return every if node == self.diagrams.true else 0
        key = int(node)
        if key not in known:
            self.work.spend()
            ones = self._bits[node.var][2]
            low, high = _children(node)
            below = self._codes(low, number, known) & ~ones, self._codes(high, number, known) & ones
            known[key] = below[0] | below[1]
        return known[key]

    def _products(self, node: Node) -> list[_Product]:
        d = self.diagrams
        found: list[_Product] = []
        pending = [(node, _Product({}, {}))] if node != d.false else []
        while pending:
            top, chosen = pending.pop()
            if top == d.true:
                found.append(chosen)
            else:
                pending += ((branch.child, _narrowed(chosen, [branch])) for branch in self._below(top))
            self.work.spend(2)
            if len(found) + len(pending) > self.precision.most_products:
                raise _TooMany
        return [each for each in found if all(each.before.values()) and all(each.after.values())]

    def _below(self, node: Node) -> list[_Branch]:
        """The ways through the topmost variable, those to the same node below joined."""
        key = int(node)
        if key not in self._branches:
            variable = self._bits[node.var][0]
            leaves: dict[int, tuple[Node, list[tuple[int, int]]]] = {}
            for child, before, after in self._through(node, variable):
                leaves.setdefault(int(child), (child, []))[1].append((before, after))
            branches = [
                _Branch(variable, before, after, child)
                for child, pairs in leaves.values()
                for before, after in _joined(pairs)
            ]
            self._branches[key] = node, branches  # the node is kept so that no other gets its number
        return self._branches[key][1]

    def _through(self, node: Node, variable: int) -> Iterator[tuple[Node, int, int]]:
        every, d = self.every[variable], self.diagrams
        pending = [(node, every, every)]
        count = 0
        while pending:
            top, before, after = pending.pop()
            if top == d.false or not before or not after:
                continue
            if top.var is None or self._bits[top.var][0] != variable:
                count += 1
                if count > PRECISIONS[0].most_products:
                    raise _TooMany
                yield top, before, after
                continue
            self.work.spend()
            _, is_next, ones = self._bits[top.var]
            low, high = _children(top)
            for below, codes in ((high, ones), (low, every & ~ones)):
                pending.append((below, before, after & codes) if is_next else (below, before & codes, after))


def _children(node: Node) -> tuple[Node, Node]:
    """The low and the high child; dd leaves it to us to pass on a complement."""
    return (~node.low, ~node.high) if node.negated else (node.low, node.high)


def _codes_with(place: int, width: int) -> int:
    """A mask of all codes of so many bits in which the bit at this place, counted from the lowest, is set."""
    half = 1 << place
    one = ((1 << half) - 1) << half
    return one * (((1 << (1 << width)) - 1) // ((1 << 2 * half) - 1))


def _joined(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same union of rectangles by fewer ones."""
    by_after: dict[int, int] = {}
    for before, after in pairs:
        by_after[after] = by_after.get(after, 0) | before
    by_before: dict[int, int] = {}
    for after, before in by_after.items():
        by_before[before] = by_before.get(before, 0) | after
    return list(by_before.items())


def _narrowed(each: _Product, branches: Iterable[_Branch]) -> _Product:
    before, after = dict(each.before), dict(each.after)
    for branch in branches:
        before[branch.variable] = before.get(branch.variable, branch.before) & branch.before
        after[branch.variable] = after.get(branch.variable, branch.after) & branch.after
    return _Product(before, after)


# ---- facts and steps between them


class _Facts:
    """The values of the variables that take part in pairs, numbered through: bits of one long word."""

    def __init__(self, encoding: Encoding, most_values: int) -> None:
        sizes = [len(variable.values) for variable in encoding.variables]
        self.narrow = [number for number, size in enumerate(sizes) if 1 < size <= most_values]
        self.first: dict[int, int] = {}
        self.owner: list[int] = []
        for number in self.narrow:
            self.first[number] = len(self.owner)
            self.owner += [number] * sizes[number]
        self.block = {number: ((1 << sizes[number]) - 1) << first for number, first in self.first.items()}
        self.all = (1 << len(self.owner)) - 1

    def owners(self, mask: int) -> list[int]:
        """The variables of some facts."""
        return [number for number, block in self.block.items() if block & mask]

    def joined(self, numbers: Iterable[int]) -> int:
        """All facts of some variables."""
        return sum(self.block[number] for number in set(numbers) if number in self.block)


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """Steps that start from a product of values and store a product of values."""

    start: int
    """The facts that may hold before: of variables that are not read, all."""
    reads: tuple[int, ...]
    """The blocks of the variables read."""
    read: int
    """All of them."""
    written: int
    """The blocks of the variables written."""
    stores: int
    """Facts that may hold afterwards."""
    wide_reads: tuple[tuple[int, int], ...] = ()
    """Variables with too many values for pairs, and masks of their codes."""
    wide_stores: tuple[tuple[int, int], ...] = ()


def _steps(part: Part, facts: _Facts, splitter: _Splitter) -> Iterator[_Step]:
    """The steps of a part, one for each product of it."""
    for each in _pieces(part, splitter):
        restricted = {number: mask for number, mask in each.before.items() if mask != splitter.every[number]}
        stores = {number: each.after.get(number, splitter.every[number]) for number in part.writes}
        splitter.work.spend(8)
        yield _step(restricted, stores, facts)


def _pieces(part: Part, splitter: _Splitter) -> list[_Product]:
    """Products that hold all steps of a part."""
    if isinstance(part, LockstepPart):
        return _all_of([_related(factor.relation, None, splitter) for factor in part.factors], splitter)
    if part.stored is None:
        return _related(part.relation, part.guard, splitter)
    outcomes = splitter.products(part.stored)  # on current bits, though it holds after the step
    return [_Product(each.before, then.before) for each in splitter.products(part.guard) for then in outcomes]


def _related(relation: Node, guard: Node | None, splitter: _Splitter) -> list[_Product]:
    """The products of a relation; of a large one only those of its guard, if it has one."""
    if splitter.diagrams.size(relation) <= MOST_NODES:
        return splitter.products(relation)
    return [_ANYTHING] if guard is None else [_Product(each.before, {}) for each in splitter.products(guard)]


def _all_of(factors: Iterable[list[_Product]], splitter: _Splitter) -> list[_Product]:
    """The products of a conjunction; a factor that would make too many of them counts as the box around it."""
    found = [_ANYTHING]
    for factor in factors:
        fits = len(found) * len(factor) <= splitter.precision.most_products
        chosen = factor if fits else [_box(factor)]
        splitter.work.spend(2 * len(found) * len(chosen))
        both = [
            _Product(_met(one.before, other.before), _met(one.after, other.after)) for one in found for other in chosen
        ]
        found = [each for each in both if all(each.before.values()) and all(each.after.values())]
    return found


def _met(one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
    return {**one, **{number: one.get(number, mask) & mask for number, mask in other.items()}}


def _box(products: Sequence[_Product]) -> _Product:
    """The smallest product that holds some products, of which there is at least one."""
    return _Product(_hull([each.before for each in products]), _hull([each.after for each in products]))


def _hull(masks: Sequence[Mapping[int, int]]) -> dict[int, int]:
    result = dict(masks[0])
    for each in masks[1:]:
        result = {number: mask | each[number] for number, mask in result.items() if number in each}
    return result


def _step(before: Mapping[int, int], stores: Mapping[int, int], facts: _Facts) -> _Step:
    reads = [number for number in sorted(before) if number in facts.block]
    start = facts.all & ~facts.joined(reads)
    for number in reads:
        start |= before[number] << facts.first[number]
    return _Step(
        start,
        tuple(facts.block[number] for number in reads),
        facts.joined(reads),
        facts.joined(stores),
        _placed(stores, facts),
        tuple((number, before[number]) for number in sorted(before) if number not in facts.block),
        tuple((number, stores[number]) for number in sorted(stores) if number not in facts.block),
    )


def _placed(codes: Mapping[int, int], facts: _Facts) -> int:
    return sum(mask << facts.first[number] for number, mask in codes.items() if number in facts.block)


def _ones(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class _Invariant:
    """Which facts the invariant permits, and which others beside each, as far as pairs can tell."""

    def __init__(self, node: Node, facts: _Facts, splitter: _Splitter) -> None:
        self.facts = facts
        self.single = facts.all
        self.rows = [facts.all & ~facts.block[number] for number in facts.owner]
        numbers = [number for number in splitter.support(node) if number in facts.block]
        for number in numbers:
            held = 0
            for each in splitter.onto(node, (number,)):
                held |= each.before.get(number, splitter.every[number]) << facts.first[number]
            self.single &= held | ~facts.block[number]
        for pair in combinations(numbers, 2):
            self._link(splitter.onto(node, pair), pair, splitter)

    def _link(self, products: Iterable[_Product], pair: tuple[int, int], splitter: _Splitter) -> None:
        one, other = pair
        beside: dict[int, int] = {}
        for each in products:
            left = each.before.get(one, splitter.every[one]) << self.facts.first[one]
            right = each.before.get(other, splitter.every[other]) << self.facts.first[other]
            for here, there in ((left, right), (right, left)):
                for fact in _ones(here):
                    beside[fact] = beside.get(fact, 0) | there
        for number, partner in ((one, other), (other, one)):
            for fact in _ones(self.facts.block[number]):
                self.rows[fact] &= ~self.facts.block[partner] | beside.get(fact, 0)


# ---- the fixpoint


class _Fixpoint:
    """The facts seen so far, and for each which others were seen beside it."""

    def __init__(
        self,
        facts: _Facts,
        steps: Sequence[_Step],
        partners: Mapping[int, int],
        invariant: _Invariant | None,
        splitter: _Splitter,
    ) -> None:
        self.facts = facts
        self.steps = list(steps)
        self.partners = partners
        self.invariant = invariant
        self.every = splitter.every
        self.work = splitter.work
        self.reached = 0
        self.wide = {number: 0 for number in range(len(self.every)) if number not in facts.block}
        # Of variables that are no partners every fact counts as seen, so that rows can be intersected.
        self.rows = [facts.all & ~partners[number] & ~facts.block[number] for number in facts.owner]
        self._waiting = set(self.steps)
        self._readers: list[list[_Step]] = [[] for _ in facts.owner]
        self._bystanders: list[dict[int, list[_Step]]] = [{} for _ in facts.owner]
        self._dependents: list[list[_Step]] = [[] for _ in self.every]
        self._known_unlinked: dict[tuple[int, int], list[int]] = {}
        for step in self.steps:
            self._subscribe(step)

    def _subscribe(self, step: _Step) -> None:
        """Note what makes it worth while to take the step again."""
        outside = self.facts.all & ~step.read & ~step.written
        self.work.spend(4 + (step.read & step.start).bit_count())
        for fact in _ones(step.read & step.start):
            self._readers[fact].append(step)
            self._bystanders[fact].setdefault(outside, []).append(step)
        for number in self._unlinked(step.read, step.written):
            self._dependents[number].append(step)
        for number, _ in step.wide_reads:
            self._dependents[number].append(step)

    def _unlinked(self, read: int, written: int) -> list[int]:
        """The partners of what is written that no row of what is read tells about: all values they have matter."""
        if (read, written) not in self._known_unlinked:
            told, wanted = read | written, 0
            for number in self.facts.owners(read):
                told |= self.partners[number]
            for number in self.facts.owners(written):
                wanted |= self.partners[number]
            self._known_unlinked[read, written] = self.facts.owners(wanted & ~told)
        return self._known_unlinked[read, written]

    def start(self, states: Iterable[_Product]) -> None:
        """The initial states, as a union of products."""
        for each in states:
            codes = {number: each.before.get(number, every) for number, every in enumerate(self.every)}
            self._store(0, _placed(codes, self.facts))
            for number in self.wide:
                self.wide[number] |= codes[number]

    def run(self) -> None:
        """Take steps until no more pairs are found: to and fro, so that counters run through in one go."""
        while self._waiting:
            for step in self.steps:
                if step in self._waiting:
                    self._waiting.discard(step)
                    self._take(step)
            self.steps.reverse()
            self.work.spend(1 + len(self.steps) // 8)

    def _take(self, step: _Step) -> None:
        if not all(self.wide[number] & codes for number, codes in step.wide_reads):
            return
        beside = self._beside(step)
        if beside is None:
            return
        self._store(beside & ~step.written, step.stores)
        for number, codes in step.wide_stores:
            if codes & ~self.wide[number]:
                self.wide[number] |= codes
                self._waiting.update(self._dependents[number])

    def _beside(self, step: _Step) -> int | None:
        """The facts that may hold where the step starts; None when it cannot start."""
        beside, before = self.reached & step.start, -1
        while beside != before:
            before = beside
            for block in step.reads:
                chosen = beside & block
                if not chosen:
                    return None
                self.work.spend(chosen.bit_count())
                seen = block
                for fact in _ones(chosen):
                    seen |= self.rows[fact]
                beside &= seen
        return beside

    def _store(self, kept: int, stores: int) -> None:
        """Everything stored is seen beside all that is kept or stored with it, as far as the invariant permits."""
        if self.invariant is not None:
            stores &= self.invariant.single
        together = kept | stores
        for fact in _ones(stores):
            number, bit = self.facts.owner[fact], 1 << fact
            if not self.reached & bit:
                self.reached |= bit
                self._waiting.update(self._dependents[number])
                self._waiting.update(self._readers[fact])
            beside = together & self.partners[number]
            if self.invariant is not None:
                beside &= self.invariant.rows[fact]
            new = beside & ~self.rows[fact]
            self.work.spend(1 + new.bit_count())
            if new:
                self.rows[fact] |= new
                self._tell_bystanders(fact, new)
                for other in _ones(new):
                    self.rows[other] |= bit
                    self._tell_bystanders(other, bit)
                    self._tell_readers(fact, other)

    def _tell_bystanders(self, fact: int, new: int) -> None:
        """Wake the steps that read the fact and leave alone some variable of which new facts were seen beside it."""
        for outside, steps in self._bystanders[fact].items():
            if outside & new:
                self._waiting.update(steps)

    def _tell_readers(self, fact: int, other: int) -> None:
        """Wake the steps that read both facts."""
        both = 1 << fact | 1 << other
        for step in min(self._readers[fact], self._readers[other], key=len):
            if step.read & step.start & both == both:
                self._waiting.add(step)


def _fixpoint(
    splitter: _Splitter, parts: Sequence[Part], initial: Node, invariant: Node | None, precision: Precision
) -> _Fixpoint:
    splitter.precision = precision
    facts = _Facts(splitter.encoding, precision.most_values)
    steps = [step for part in parts for step in _steps(part, facts, splitter)]
    permitted = None if invariant is None else _Invariant(invariant, facts, splitter)
    partners = _close(splitter.encoding, facts, steps) if precision.close else dict.fromkeys(facts.narrow, facts.all)
    fixpoint = _Fixpoint(facts, steps, _modest(partners, facts), permitted, splitter)
    fixpoint.start(splitter.products(initial))
    fixpoint.run()
    return fixpoint


def _close(encoding: Encoding, facts: _Facts, steps: Sequence[_Step]) -> Mapping[int, int]:
    """For each variable those of the same process, and those it shares a step with in which one of them is written."""
    found = dict.fromkeys(facts.narrow, 0)
    own: dict[str, int] = {}
    for number in facts.narrow:
        owner = encoding.task.variables[number].owner
        if owner is not None:
            own[owner] = own.get(owner, 0) | facts.block[number]
    for number in facts.narrow:
        found[number] |= own.get(encoding.task.variables[number].owner or "", 0)
    for step in steps:
        _link(found, facts, step)
    return found


def _modest(partners: Mapping[int, int], facts: _Facts) -> Mapping[int, int]:
    """The partners of each variable without itself, and without those with which it has too many pairs of values."""
    sizes = {number: block.bit_count() for number, block in facts.block.items()}
    fitting = {
        size: facts.joined(number for number in facts.narrow if sizes[number] * size <= MOST_PAIRS)
        for size in sorted(set(sizes.values()))
    }
    return {number: partners[number] & fitting[sizes[number]] & ~facts.block[number] for number in facts.narrow}


def _link(found: dict[int, int], facts: _Facts, step: _Step) -> None:
    touched = step.written
    for block in step.reads:
        touched |= block
    for number in facts.owners(touched):
        found[number] |= touched if facts.block[number] & step.written else step.written


# ---- constraints


def _constraints(encoding: Encoding, fixpoint: _Fixpoint) -> Iterator[tuple[int, Node]]:
    """The constraints, each with the place of its topmost variable in the order.

    First single variables, then pairs, those close to each other in the order first: the smallest diagrams.
    """
    d = encoding.diagrams
    place = {number: position for position, number in enumerate(encoding.order)}
    for number in reversed(encoding.order):
        mask = _reached(fixpoint, number)
        if mask != fixpoint.every[number]:
            yield place[number], encoding.any_code(number, _ones(mask))
    narrow = sorted(fixpoint.facts.narrow, key=place.__getitem__)
    for one, other in sorted(combinations(narrow, 2), key=lambda p: (place[p[1]] - place[p[0]], -place[p[0]])):
        groups = _groups(fixpoint, one, other)
        if groups is not None:
            yield (
                place[one],
                d.any_of(
                    d.both(encoding.any_code(one, _ones(left)), encoding.any_code(other, _ones(right)))
                    for right, left in groups.items()
                ),
            )


def _stars(diagrams: Diagrams, constraints: Iterable[tuple[int, Node]]) -> tuple[Node, ...]:
    """For each value of the topmost variable a product: so a star is hardly larger than its constraints together."""
    groups: dict[int, list[Node]] = {}
    for place, node in constraints:
        groups.setdefault(place, []).append(node)
    return tuple(~diagrams.any_of(~node for node in groups[place]) for place in sorted(groups, reverse=True))


def _reached(fixpoint: _Fixpoint, number: int) -> int:
    """The codes of a variable that can occur."""
    facts = fixpoint.facts
    if number not in facts.block:
        return fixpoint.wide[number]
    return (fixpoint.reached & facts.block[number]) >> facts.first[number]


def _groups(fixpoint: _Fixpoint, one: int, other: int) -> dict[int, int] | None:
    """The codes of the second variable, and those of the first that occur with just them; None if all do with all."""
    facts = fixpoint.facts
    every = _reached(fixpoint, other)
    groups: dict[int, int] = {}
    for code in _ones(_reached(fixpoint, one)):
        beside = fixpoint.rows[facts.first[one] + code] >> facts.first[other] & every
        groups[beside] = groups.get(beside, 0) | 1 << code
    return groups if any(beside != every for beside in groups) else None
