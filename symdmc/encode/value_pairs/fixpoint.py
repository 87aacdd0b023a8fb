"""Which facts can hold together: each fact has a row with a bit for every fact of another variable seen with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symdmc.encode.diagrams import Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.relation.part import Part
from symdmc.encode.value_pairs.products import CodeProduct, Splitter
from symdmc.encode.value_pairs.steps import FactStep, PairFacts, PermittedFacts, ones, placed, steps_of

MOST_PAIRS = 4096
"""Two variables with more pairs of values than this are not paired."""


class Fixpoint:
    """The facts seen so far, and the pairs of facts seen together."""

    def __init__(
        self,
        facts: PairFacts,
        steps: Sequence[FactStep],
        partners: Mapping[int, int],
        invariant: PermittedFacts | None,
        splitter: Splitter,
    ) -> None:
        self.facts = facts
        self.steps = list(steps)
        self.partners = partners
        self.invariant = invariant
        self.every = splitter.every
        self.work = splitter.work
        self.reached = 0
        self.wide = {number: 0 for number in self.every if number not in facts.block}
        # Every fact of a variable that is no partner counts as seen, so that rows can be intersected.
        self.rows = [facts.all & ~partners[number] & ~facts.block[number] for number in facts.owner]
        self._waiting = set(self.steps)
        self._readers: list[list[FactStep]] = [[] for _ in facts.owner]
        self._bystanders: list[dict[int, list[FactStep]]] = [{} for _ in facts.owner]
        self._dependents: dict[int, list[FactStep]] = {number: [] for number in self.every}
        self._known_unlinked: dict[tuple[int, int], list[int]] = {}
        for step in self.steps:
            self._subscribe(step)

    def _subscribe(self, step: FactStep) -> None:
        """Register the step with all facts that, when seen, make it worth taking again."""
        outside = self.facts.all & ~step.read & ~step.written
        self.work.spend(4 + (step.read & step.start).bit_count())
        for fact in ones(step.read & step.start):
            self._readers[fact].append(step)
            self._bystanders[fact].setdefault(outside, []).append(step)
        for number in self._unlinked(step.read, step.written):
            self._dependents[number].append(step)
        for number, _ in step.wide_reads:
            self._dependents[number].append(step)

    def _unlinked(self, read: int, written: int) -> list[int]:
        """The partners of written variables that no read variable has as partners: all their values matter."""
        if (read, written) not in self._known_unlinked:
            linked, wanted = read | written, 0
            for number in self.facts.owners(read):
                linked |= self.partners[number]
            for number in self.facts.owners(written):
                wanted |= self.partners[number]
            self._known_unlinked[read, written] = self.facts.owners(wanted & ~linked)
        return self._known_unlinked[read, written]

    def start(self, states: Iterable[CodeProduct]) -> None:
        """Enter the initial states, a union of products."""
        for each in states:
            codes = {number: each.before.get(number, every) for number, every in self.every.items()}
            self._store(0, placed(codes, self.facts))
            for number in self.wide:
                self.wide[number] |= codes[number]

    def run(self) -> None:
        """Take steps until no more pairs are found, in alternating order, so that counters run through in one pass."""
        while self._waiting:
            for step in self.steps:
                if step in self._waiting:
                    self._waiting.discard(step)
                    self._take(step)
            self.steps.reverse()
            self.work.spend(1 + len(self.steps) // 8)

    def _take(self, step: FactStep) -> None:
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

    def _beside(self, step: FactStep) -> int | None:
        """The facts that may hold where the step starts; None if it cannot start."""
        beside, before = self.reached & step.start, -1
        while beside != before:
            before = beside
            for block in step.reads:
                chosen = beside & block
                if not chosen:
                    return None
                self.work.spend(chosen.bit_count())
                seen = block
                for fact in ones(chosen):
                    seen |= self.rows[fact]
                beside &= seen
        return beside

    def _store(self, kept: int, stores: int) -> None:
        """Each stored fact is seen with all that are kept or stored, as far as the invariant permits."""
        if self.invariant is not None:
            stores &= self.invariant.single
        together = kept | stores
        for fact in ones(stores):
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
                for other in ones(new):
                    self.rows[other] |= bit
                    self._tell_bystanders(other, bit)
                    self._tell_readers(fact, other)

    def _tell_bystanders(self, fact: int, new: int) -> None:
        """Wake the steps that read the fact and neither read nor write the variable of some new fact seen with it."""
        for outside, steps in self._bystanders[fact].items():
            if outside & new:
                self._waiting.update(steps)

    def _tell_readers(self, fact: int, other: int) -> None:
        """Wake the steps that read both facts."""
        both = 1 << fact | 1 << other
        for step in min(self._readers[fact], self._readers[other], key=len):
            if step.read & step.start & both == both:
                self._waiting.add(step)


def pair_fixpoint(splitter: Splitter, parts: Sequence[Part], initial: Node, invariant: Node | None) -> Fixpoint:
    """All facts and pairs of facts that steps lead to from the initial states, with the precision of the splitter."""
    precision = splitter.precision
    facts = PairFacts(splitter.encoding, precision.most_values)
    steps = [step for part in parts for step in steps_of(part, facts, splitter)]
    permitted = None if invariant is None else PermittedFacts(invariant, facts, splitter)
    partners = _close(splitter.encoding, facts, steps) if precision.close else dict.fromkeys(facts.narrow, facts.all)
    fixpoint = Fixpoint(facts, steps, _modest(partners, facts), permitted, splitter)
    fixpoint.start(splitter.products(initial))
    fixpoint.run()
    return fixpoint


def _close(encoding: Encoding, facts: PairFacts, steps: Sequence[FactStep]) -> Mapping[int, int]:
    """The partners of each variable: those of its process, and those that share a step in which one is written."""
    found = dict.fromkeys(facts.narrow, 0)
    own: dict[str, int] = {}
    for number in facts.narrow:
        owner = encoding.task.variables[number].owner
        if owner is not None:
            own[owner] = own.get(owner, 0) | facts.block[number]
    for number in facts.narrow:
        found[number] |= own.get(encoding.task.variables[number].owner or "", 0)
    for step in steps:
        touched = step.written | step.read
        for number in facts.owners(touched):
            found[number] |= touched if facts.block[number] & step.written else step.written
    return found


def _modest(partners: Mapping[int, int], facts: PairFacts) -> Mapping[int, int]:
    """The partners of each variable without itself, and without those with which it has too many pairs of values."""
    sizes = {number: block.bit_count() for number, block in facts.block.items()}
    fitting = {
        size: facts.joined(number for number in facts.narrow if sizes[number] * size <= MOST_PAIRS)
        for size in sorted(set(sizes.values()))
    }
    return {number: partners[number] & fitting[sizes[number]] & ~facts.block[number] for number in facts.narrow}
