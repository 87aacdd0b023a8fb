"""Lockstep labels as products: one factor for each process that takes part, instead of a part for each team.

With k edges in each of n processes a label has k to the power of n teams, but only n factors with k edges each. A step
satisfies all factors, so an image conjoins them one by one and quantifies each bit as soon as no later factor has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import TypeAlias

from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.relation.merging import Merger
from symdmc.encode.relation.part import ConjunctivePart, Factor, Part, ordered_factors
from symdmc.model.expressions import FALSE, TRUE, At, Binary, Expr, conjunction, disjunction, negation
from symdmc.model.state import EdgeRef
from symdmc.model.system import Channel, ChannelKind, Commitment, Edge
from symdmc.task.flatten import cannot_fault
from symdmc.task.task import Branch, Task, Transition, Update

LEAST_TEAMS = 8
"""A label with fewer teams than this stays with the parts of its transitions."""

PartsBuilder: TypeAlias = Callable[[Transition], tuple[list[Part], frozenset[int]]]
"""The parts of a transition, and the variables whose known values they depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockstepPart(ConjunctivePart):
    """The steps of a lockstep label: those that satisfy the factor of every process."""

    label: str


# ---- which labels are products


@dataclass(frozen=True, slots=True, kw_only=True)
class LockstepProduct:
    """A label whose members take their edges independently; all its steps cost the same."""

    label: str
    cost: int
    members: tuple[tuple[Transition, ...], ...]
    """For each process that takes part, each of its edges as a transition of its own."""
    permission: Expr
    """The condition that commitment places on the state before the step."""


def products(task: Task) -> Iterator[LockstepProduct]:
    """The lockstep labels with many teams whose members are independent; all others are left to their transitions."""
    for channel in task.system.channels:
        if channel.kind is not ChannelKind.LOCKSTEP:
            continue
        members = _members(task, channel)
        cost = _cost(members)
        many = len(members) > 1 and prod(len(member) for member in members) >= LEAST_TEAMS
        if many and cost is not None and not _interfere(task, members):
            permission = _permission(task, [member[0].branches[0].process for member in members])
            yield LockstepProduct(label=channel.name, cost=cost, members=members, permission=permission)


def _members(task: Task, channel: Channel) -> tuple[tuple[Transition, ...], ...]:
    """The possible edges with the label, by process."""
    own = (task.transitions[number] for number in task.analysis.possible)
    possible = {branch.edge for transition in own if transition.label == channel.name for branch in transition.branches}
    return tuple(
        tuple(_alone(task, ref) for ref in sorted(possible) if ref[0] == process)
        for process in sorted({process for process, _ in possible})
    )


def _alone(task: Task, ref: EdgeRef) -> Transition:
    """An edge as a transition of its own.

    A fault in the guard of a rival, an edge with the same label from the same location, also forbids the step.
    """
    process = task.system.processes[ref[0]]
    edge = process.edges[ref[1]]
    same = (each for each in process.edges if _label(each) == _label(edge) and each.source == edge.source)
    rivals = [each.guard for each in same if each is not edge and not cannot_fault(each.guard)]
    return Transition(
        label=_label(edge),
        cost=edge.cost,
        branches=(Branch(edge=ref, process=process.name, source=edge.source, target=edge.target),),
        guard=conjunction(edge.guard, *(Binary("==", guard, guard) for guard in rivals)),
        updates=tuple(Update(target=each.target, value=each.value) for each in edge.assignments),
    )


def _label(edge: Edge) -> str:
    return "" if edge.sync is None else edge.sync.channel


def _cost(members: Sequence[Sequence[Transition]]) -> int | None:
    """The cost of every team, which is the highest cost of its edges; None where teams differ."""
    highest = max((edge.cost for member in members for edge in member), default=0)
    surely = max((min(edge.cost for edge in member) for member in members), default=0)
    return highest if highest == surely else None


def _interfere(task: Task, members: Sequence[Sequence[Transition]]) -> bool:
    """Whether the updates of some member read or write what another one writes.

    Guards and locations never interfere: they are read before the step.
    """
    updates = [[update for edge in member for update in edge.updates] for member in members]
    writes = [{number for each in own for number in task.layout.targets(each.target)} for own in updates]
    operands = [[expression for each in own for expression in each.operands] for own in updates]
    reads = [frozenset().union(*map(task.layout.support, own)) for own in operands]
    return any(writes[left] & (writes[right] | reads[right]) for left, right in permutations(range(len(members)), 2))


def _permission(task: Task, processes: Sequence[str]) -> Expr:
    """No process is committed, or all or any of those that take part are, by the rules of the system."""
    if task.commitment == FALSE:
        return TRUE
    committed = [
        disjunction(*(At(process.name, place.name) for place in process.locations if place.committed))
        for process in task.system.processes
        if process.name in processes
    ]
    join = conjunction if task.system.rules.commitment is Commitment.ALL else disjunction
    return disjunction(negation(task.commitment), join(*committed))


# ---- products to diagrams


def lockstep_part(
    product: LockstepProduct, encoding: Encoding, merger: Merger, build: PartsBuilder
) -> tuple[LockstepPart, frozenset[int]]:
    """The steps of a product, and the variables whose known values they depend on."""
    factors: list[Factor] = []
    reads: set[int] = set()
    for member in product.members:
        built = [build(edge) for edge in member]
        factors.append(_factor(encoding, merger, [part for parts, _ in built for part in parts]))
        reads = reads.union(*(read for _, read in built))
    if product.permission != TRUE:
        factors.append(Factor(relation=Translator(encoding).truth(product.permission, {}).holds, writes=()))
    writes = tuple(sorted(number for factor in factors for number in factor.writes))
    part = LockstepPart(
        guard=None,
        writes=writes,
        cost=product.cost,
        label=product.label,
        factors=ordered_factors(encoding, factors),
    )
    return part, frozenset(reads)


def _factor(encoding: Encoding, merger: Merger, parts: Sequence[Part]) -> Factor:
    """The edges of one process as one relation; variables that only some of them write are unchanged by the others."""
    writes = tuple(sorted({number for part in parts for number in part.writes}))
    relation = encoding.diagrams.any_of(merger.relation(part, writes) for part in parts)
    return Factor(relation=relation, writes=writes)
