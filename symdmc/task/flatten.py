"""System and error condition to Task: every possible synchronisation becomes one transition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.model.expressions import (
    TRUE,
    At,
    Binary,
    Cell,
    Expr,
    Literal,
    Ref,
    conjunction,
    disjunction,
    negation,
    walk,
)
from symdmc.model.question import ErrorCondition
from symdmc.model.state import EdgeRef
from symdmc.model.system import (
    Channel,
    ChannelKind,
    Commitment,
    Direction,
    Edge,
    Range,
    Synchronisation,
    System,
    UpdateOrder,
)
from symdmc.running.collecting import nothing_collected
from symdmc.task.task import Branch, Layout, Task, TaskVariable, Transition, Update, VariableKind

MOST_LISTED_TEAMS = 64
"""A lockstep label with more combinations of edges than this becomes one transition with conditional branches."""


def compile_task(system: System, error: ErrorCondition) -> Task:
    """The task of finding these error states in the system."""
    if system.clocks:
        raise UnsupportedFeature(
            Complaint(Code.CLOCKS_UNSUPPORTED, f"model {system.name!r} uses clocks, which are not supported yet")
        )
    with nothing_collected():
        return _compiled(system, error)


def _compiled(system: System, error: ErrorCondition) -> Task:
    variables = tuple(_variables(system))
    flattener = _Flattener(system)
    return Task(
        system=system,
        error=error,
        variables=variables,
        transitions=tuple(flattener.transitions()),
        layout=_layout(system),
        commitment=flattener.commitment,
        invariant=_invariant(system),
    )


def _variables(system: System) -> Iterator[TaskVariable]:
    """Locations first, then variables and buffers cell by cell."""
    for process in system.processes:
        names = tuple(place.name for place in process.locations)
        number = {name: place for place, name in enumerate(names)}
        yield TaskVariable(
            name=process.name,
            kind=VariableKind.LOCATION,
            type=Range(0, len(names) - 1),
            initial=tuple(sorted({number[name] for name in process.initial})),
            owner=process.name,
            value_names=names,
        )
    buffers = {variable.name for channel in system.channels for variable in channel.buffer()}
    for variable in system.storage:
        owner = variable.name.partition("->")[0] if "->" in variable.name else None
        for position, choices in enumerate(variable.initial):
            kind = VariableKind.INTEGER if variable.size is None else VariableKind.CELL
            yield TaskVariable(
                name=variable.name if variable.size is None else f"{variable.name}[{position}]",
                kind=VariableKind.BUFFER if variable.name in buffers else kind,
                type=variable.type,
                initial=tuple(sorted(set(choices))),
                owner=owner,
                digital_clock=variable.digital_clock,
            )


def _layout(system: System) -> Layout:
    first: dict[str, int] = {}
    position = len(system.processes)
    for variable in system.storage:
        first[variable.name] = position
        position += variable.cells
    return Layout(
        process={process.name: i for i, process in enumerate(system.processes)},
        location={
            (process.name, place.name): number
            for process in system.processes
            for number, place in enumerate(process.locations)
        },
        first=first,
        cells={variable.name: variable.cells for variable in system.storage},
    )


def _invariant(system: System) -> Expr:
    return conjunction(
        *(
            Binary("imply", At(process.name, place.name), place.invariant)
            for process in system.processes
            for place in process.locations
            if place.invariant != TRUE
        )
    )


def cannot_fault(expression: Expr, layout: Layout | None = None) -> bool:
    """Whether no part of the expression can fault, whatever the state; given the layout, a cell that exists cannot."""
    for part in walk(expression):
        match part:
            case Binary("/" | "%", _, Literal(divisor)) if divisor != 0:
                continue
            case Cell() if layout is not None and layout.surely_exists(part):
                continue
            case Binary("/" | "%", _, _) | Cell():
                return False
    return True


class _Flattener:
    """Turns the synchronisations of a system into transitions, in the order of the reference semantics."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._committed = {
            (process.name, place.name) for process in system.processes for place in process.locations if place.committed
        }
        self.commitment = disjunction(*(At(*place) for place in sorted(self._committed)))
        self._speakers: dict[str, list[tuple[EdgeRef, Synchronisation]]] = {}
        """For each channel the edges that synchronise on it."""
        for ref, edge in self._edges():
            if edge.sync is not None:
                self._speakers.setdefault(edge.sync.channel, []).append((ref, edge.sync))

    def transitions(self) -> Iterator[Transition]:
        """Every transition of the system."""
        for ref, edge in self._edges():
            if edge.sync is None:
                yield self._team((ref,), "", edge.guard, ())
                continue
            channel = self.system.channel_named[edge.sync.channel]
            match channel.kind, edge.sync.direction:
                case ChannelKind.RENDEZVOUS, Direction.SEND:
                    for receiver in self._receivers(channel, ref):
                        guard = conjunction(edge.guard, self._edge(receiver).guard)
                        yield self._team((ref, receiver), channel.name, guard, self._passed(ref, receiver))
                case ChannelKind.BROADCAST, Direction.SEND:
                    yield from self._broadcast(channel, ref)
                case ChannelKind.BUFFERED, _:
                    yield self._buffered(channel, ref, edge, edge.sync)
        for channel in self.system.channels:
            if channel.kind is ChannelKind.LOCKSTEP:
                yield from self._lockstep(channel)

    # ---- who takes part

    def _edges(self) -> Iterator[tuple[EdgeRef, Edge]]:
        for number, process in enumerate(self.system.processes):
            for n, edge in enumerate(process.edges):
                yield (number, n), edge

    def _edge(self, ref: EdgeRef) -> Edge:
        return self.system.processes[ref[0]].edges[ref[1]]

    def _receivers(self, channel: Channel, sender: EdgeRef) -> list[EdgeRef]:
        """The edges of other processes that can receive on the channel."""
        return [
            ref
            for ref, sync in self._speakers.get(channel.name, ())
            if ref[0] != sender[0] and sync.direction is Direction.RECEIVE
        ]

    def _branch(self, ref: EdgeRef, condition: Expr | None = None) -> Branch:
        edge = self._edge(ref)
        process = self.system.processes[ref[0]].name
        return Branch(edge=ref, process=process, source=edge.source, target=edge.target, condition=condition)

    # ---- transitions with a fixed team

    def _team(self, team: Sequence[EdgeRef], label: str, guard: Expr, first: Sequence[Update]) -> Transition:
        """A transition in which all edges of the team always move; `first` runs before their assignments."""
        branches = tuple(self._branch(ref) for ref in team)
        updates = [*first]
        for ref in self._update_order(team):
            updates.extend(self._assignments(ref))
        return Transition(
            label=label,
            cost=max(self._edge(ref).cost for ref in team),
            branches=branches,
            guard=guard,
            updates=tuple(updates),
            yields_to_commitment=bool(self._committed) and not self._is_permitted(branches),
        )

    def _is_permitted(self, branches: Sequence[Branch]) -> bool:
        """Whether the branches may move while some process is committed."""
        committed = [(branch.process, branch.source) in self._committed for branch in branches]
        return all(committed) if self.system.rules.commitment is Commitment.ALL else any(committed)

    def _update_order(self, team: Sequence[EdgeRef]) -> Sequence[EdgeRef]:
        sync = self._edge(team[0]).sync
        together = sync is not None and sync.direction is Direction.JOIN
        if together or self.system.rules.updates is UpdateOrder.SENDER_FIRST:
            return team
        return (*team[1:], team[0])

    def _assignments(self, ref: EdgeRef, condition: Expr | None = None) -> Iterator[Update]:
        for assignment in self._edge(ref).assignments:
            yield Update(target=assignment.target, value=assignment.value, condition=condition)

    def _passed(self, sender: EdgeRef, receiver: EdgeRef, condition: Expr | None = None) -> tuple[Update, ...]:
        """The stores of the values that the sender passes to the receiver."""
        sent, received = self._edge(sender).sync, self._edge(receiver).sync
        assert sent is not None
        assert received is not None
        return tuple(
            Update(target=target, value=value, before=True, condition=condition)
            for target, value in zip(received.targets, sent.values, strict=True)
        )

    def _buffered(self, channel: Channel, ref: EdgeRef, edge: Edge, sync: Synchronisation) -> Transition:
        length = Ref(channel.length_name)
        if sync.direction is Direction.SEND:
            room: Expr = Binary("<", length, Literal(channel.capacity))
            changes = [
                Update(target=Cell(channel.item_name(k), length), value=value, before=True)
                for k, value in enumerate(sync.values)
            ]
            changes.append(Update(target=length, value=Binary("+", length, Literal(1))))
        else:
            room = Binary(">", length, Literal(0))
            changes = list(self._taken(channel))
            changes.append(Update(target=length, value=Binary("-", length, Literal(1))))
            changes.extend(
                Update(target=target, value=Cell(channel.item_name(k), Literal(0)), before=True)
                for k, target in enumerate(sync.targets)
            )
        return self._team((ref,), channel.name, conjunction(room, edge.guard), changes)

    def _taken(self, channel: Channel) -> Iterator[Update]:
        """Every item moves one place to the front; the freed cell becomes 0."""
        for k in range(len(channel.types)):
            item = channel.item_name(k)
            for place in range(channel.capacity - 1):
                yield Update(target=Cell(item, Literal(place)), value=Cell(item, Literal(place + 1)))
            yield Update(target=Cell(item, Literal(channel.capacity - 1)), value=Literal(0))

    # ---- transitions whose team depends on the state

    def _broadcast(self, channel: Channel, sender: EdgeRef) -> Iterator[Transition]:
        """One transition for each way to choose between several enabled receiving edges of the same process."""
        receiving = self._by_process(self._receivers(channel, sender))
        for ranks in product(*(range(self._most_at_once(edges)) for edges in receiving)):
            chosen = [self._chosen(edges, rank) for edges, rank in zip(receiving, ranks, strict=True)]
            several = [
                _more_than(self._enabled(edges), rank) for edges, rank in zip(receiving, ranks, strict=True) if rank
            ]
            branches = [self._branch(ref, condition) for group in chosen for ref, condition in group]
            passed = [
                update
                for group in chosen
                for ref, condition in group
                for update in self._passed(sender, ref, condition)
            ]
            yield from self._collective(
                channel.name, [self._branch(sender), *branches], several, passed, self._values(sender)
            )

    def _lockstep(self, channel: Channel) -> Iterator[Transition]:
        """One transition for each team where there are few; else one for each way to choose between enabled edges."""
        joining = [ref for ref, _ in self._speakers.get(channel.name, ())]
        members = self._by_process(joining)
        if not members:
            return
        listed = prod(len(edges) for edges in members) <= MOST_LISTED_TEAMS
        if listed and all(cannot_fault(self._edge(ref).guard) for ref in joining):
            for team in product(*members):
                guard = conjunction(*(self._edge(ref).guard for ref in team))
                yield self._team(team, channel.name, guard, ())
            return
        for ranks in product(*(range(self._most_at_once(edges)) for edges in members)):
            chosen = [self._chosen(edges, rank) for edges, rank in zip(members, ranks, strict=True)]
            ready = [_more_than(self._enabled(edges), rank) for edges, rank in zip(members, ranks, strict=True)]
            branches = [self._branch(ref, condition) for group in chosen for ref, condition in group]
            yield from self._collective(channel.name, branches, ready, (), ())

    def _values(self, sender: EdgeRef) -> tuple[Expr, ...]:
        sync = self._edge(sender).sync
        return () if sync is None else sync.values

    def _by_process(self, refs: Sequence[EdgeRef]) -> list[list[EdgeRef]]:
        found: dict[int, list[EdgeRef]] = {}
        for ref in refs:
            found.setdefault(ref[0], []).append(ref)
        return [found[number] for number in sorted(found)]

    def _most_at_once(self, edges: Sequence[EdgeRef]) -> int:
        """How many of the edges of one process can be enabled in the same state at the most."""
        sources = [self._edge(ref).source for ref in edges]
        return max(sources.count(source) for source in sources)

    def _enabled(self, edges: Sequence[EdgeRef]) -> list[Expr]:
        """For each edge: its process is at the source and its guard holds."""
        return [
            conjunction(At(self.system.processes[ref[0]].name, self._edge(ref).source), self._edge(ref).guard)
            for ref in edges
        ]

    def _chosen(self, edges: Sequence[EdgeRef], rank: int) -> list[tuple[EdgeRef, Expr]]:
        """For each edge the condition that it is the enabled edge with this rank (0 for the first) of its process."""
        enabled = self._enabled(edges)
        result: list[tuple[EdgeRef, Expr]] = []
        for position, ref in enumerate(edges):
            rivals = [enabled[k] for k in range(position) if self._edge(edges[k]).source == self._edge(ref).source]
            if rivals:
                result.append((ref, conjunction(enabled[position], Binary("==", _count(rivals), Literal(rank)))))
            elif rank == 0:
                result.append((ref, enabled[position]))
        return result

    def _collective(
        self,
        label: str,
        branches: Sequence[Branch],
        ready: Sequence[Expr],
        passed: Sequence[Update],
        values: Sequence[Expr],
    ) -> Iterator[Transition]:
        """The transition whose branches are taken where their conditions hold; one for each cost it can have."""
        fixed = [branch for branch in branches if branch.condition is None]
        optional = [branch.condition for branch in branches if branch.condition is not None]
        guards = [*(self._edge(branch.edge).guard for branch in fixed), *ready]
        if not all(cannot_fault(condition) for condition in optional):
            # Evaluates every condition, so that a fault in any of them forbids the step before anything else does.
            guards.append(Binary(">=", _count(optional), Literal(0)))
        if self._committed:
            guards.append(disjunction(negation(self.commitment), self._collective_permission(branches)))
        # A value is evaluated even when nobody receives it.
        guards.extend(Binary("==", value, value) for value in values if not cannot_fault(value))
        updates = [*passed]
        order = branches
        if fixed and self.system.rules.updates is UpdateOrder.RECEIVER_FIRST:
            order = [*branches[1:], branches[0]]
        for branch in order:
            updates.extend(self._assignments(branch.edge, branch.condition))
        cases: list[tuple[int, Expr]] = [(max(self._edge(branch.edge).cost for branch in branches), TRUE)]
        if self._cost_depends_on_state(branches):
            dear = disjunction(*(b.condition for b in branches if b.condition and self._edge(b.edge).cost == 1))
            cases = [(1, dear), (0, negation(dear))]
        for cost, applies in cases:
            yield Transition(
                label=label,
                cost=cost,
                branches=tuple(branches),
                guard=conjunction(*guards, applies),
                updates=tuple(updates),
            )

    def _cost_depends_on_state(self, branches: Sequence[Branch]) -> bool:
        """Whether a transition with these branches costs 1 only where certain branches are taken."""
        costs = {self._edge(branch.edge).cost for branch in branches}
        return len(costs) > 1 and not any(b.condition is None and self._edge(b.edge).cost == 1 for b in branches)

    def _collective_permission(self, branches: Sequence[Branch]) -> Expr:
        """Whether the branches that are taken may move while some process is committed."""
        strict = self.system.rules.commitment is Commitment.ALL
        parts: list[Expr] = []
        for branch in branches:
            taken = TRUE if branch.condition is None else branch.condition
            is_committed = (branch.process, branch.source) in self._committed
            if strict and not is_committed:
                parts.append(negation(taken))
            elif not strict and is_committed:
                parts.append(taken)
        return conjunction(*parts) if strict else disjunction(*parts)


def _count(conditions: Sequence[Expr]) -> Expr:
    """How many of the conditions hold."""
    total: Expr = Literal(0)
    for condition in conditions:
        truth = Binary("!=", condition, Literal(0))
        total = truth if total == Literal(0) else Binary("+", total, truth)
    return total


def _more_than(conditions: Sequence[Expr], number: int) -> Expr:
    return Binary(">", _count(conditions), Literal(number))
