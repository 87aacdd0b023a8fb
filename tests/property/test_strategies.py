"""What the random systems are worth: valid, small, and every feature occurs in steps that can be reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings

from symdmc.model.expressions import BINARY_PRECEDENCE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Unary, walk
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import (
    BYTE,
    SHORT,
    Assignment,
    ChannelKind,
    Commitment,
    Direction,
    Edge,
    Range,
    Rules,
    System,
    UpdateOrder,
)
from symdmc.model.validation import validate
from tests.oracle import StateSpace, explore
from tests.strategies import random_system, systems
from tests.timed_strategies import timed_system

EXPECTED = {
    "internal",
    "rendezvous of 0 values",
    "rendezvous of 1 values",
    "rendezvous of 2 values",
    "broadcast of 0 values",
    "broadcast of 1 values",
    "broadcast of 2 values",
    "broadcast without receiver",
    "broadcast to several",
    "broadcast with a choice of receiving edges",
    *(f"buffer {way} of {count} values" for way in ("send", "receive") for count in (0, 1, 2)),
    "full buffer",
    "lockstep of 1",
    "lockstep of 2",
    "lockstep of 3",
    "committed, all",
    "committed, any",
    "commitment rules differ",
    "a guard forbids",
    "an invariant forbids",
    "no initial state",
    "several initial locations",
    "several initial values",
    "deadlock",
    "unreachable location",
    "dead-end location",
    "update orders differ",
    "wrap around",
    "byte stored",
    "16 bits stored",
    "cost 0",
    "cost 1",
    "most steps are free",
    "free steps lead in a circle",
    "cell with computed index",
    "cell of a constant array",
    "variable of a process",
    "two variables of one short name",
    "a buffer read",
    "fault: division",
    "fault: index",
    "fault: range",
    "fault in a broadcast's guard",
    "process at location",
    "conditional",
    *(f"unary {operator}" for operator in ("-", "~", "not")),
    *(f"binary {operator}" for operator in BINARY_PRECEDENCE),
}


@pytest.fixture(scope="module")
def spaces() -> list[StateSpace]:
    return [explore(random_system(seed, costs=True)) for seed in range(300)]


def test_every_feature_occurs_in_reachable_steps(spaces: list[StateSpace]) -> None:
    met: Counter[str] = Counter()
    for space in spaces:
        met.update(set(_features(space.semantics.system, space)))
    assert {feature: met[feature] for feature in EXPECTED if met[feature] < 3} == {}


def test_random_systems_are_small_but_not_trivial(spaces: list[StateSpace]) -> None:
    sizes = [len(space.steps) for space in spaces]
    assert max(sizes) < 10_000
    assert sum(size > 10 for size in sizes) > len(sizes) / 3


@settings(max_examples=200, deadline=None)
@given(systems())
def test_random_systems_are_valid_and_cost_1_unless_costs_are_wanted(system: System) -> None:
    assert validate(system).complaints == ()
    assert all(edge.cost == 1 for process in system.processes for edge in process.edges)


@settings(max_examples=50, deadline=None)
@given(systems(faults=False))
def test_systems_without_faults_never_fault(system: System) -> None:
    assert explore(system).faulting == frozenset()


@settings(max_examples=30, deadline=None)
@given(systems(kinds=(ChannelKind.BUFFERED, ChannelKind.LOCKSTEP)))
def test_only_the_wanted_kinds_of_channels_occur(system: System) -> None:
    assert {channel.kind for channel in system.channels} <= {ChannelKind.BUFFERED, ChannelKind.LOCKSTEP}


TIMED = (
    "most steps are free",
    "free steps lead in a circle",
    "an invariant forbids",
    "many states",
    "safe",
    "nearby",
    "far",
)


def test_timed_systems_are_valid_and_various() -> None:
    met: Counter[str] = Counter()
    for seed in range(60):
        system, error = timed_system(seed)
        assert validate(system).complaints == ()
        space = explore(system)
        met.update(set(_about_costs(space)))
        met["an invariant forbids"] += any(
            _steps_without_invariants(system, state) > len(steps) for state, steps in space.steps.items()
        )
        met["many states"] += len(space.steps) > 30
        length = space.shortest(error)
        met["safe" if length is None else "nearby" if length <= 1 else "far"] += 1
    assert {each: met[each] for each in TIMED if met[each] < 3} == {}


def _features(system: System, space: StateSpace) -> Iterator[str]:
    yield from _declared(system, space)
    yield from _about_costs(space)
    for state, steps in islice(space.steps.items(), 100):
        yield from _about_state(space.semantics, state, steps)
        for step in steps:
            yield from _about_step(space.semantics, state, step, steps)


def _declared(system: System, space: StateSpace) -> Iterator[str]:
    if not space.initial:
        yield "no initial state"
    if len({state.locations for state in space.initial}) > 1:
        yield "several initial locations"
    if len({state.values for state in space.initial}) > 1:
        yield "several initial values"
    visited = [{state.locations[i] for state in space.steps} for i in range(len(system.processes))]
    for process, reached in zip(system.processes, visited, strict=True):
        if {place.name for place in process.locations} - reached:
            yield "unreachable location"
        if reached - {edge.source for edge in process.edges}:
            yield "dead-end location"
    names = [variable.name.rpartition("->")[2] for variable in system.variables]
    if len(set(names)) < len(names):
        yield "two variables of one short name"


def _about_costs(space: StateSpace) -> Iterator[str]:
    costs = [step.cost for steps in space.steps.values() for step in steps]
    if costs.count(0) > 0.8 * len(costs) and 1 in costs:
        yield "most steps are free"
    if _leads_in_a_circle({state: [s.successor for s in steps if s.cost == 0] for state, steps in space.steps.items()}):
        yield "free steps lead in a circle"


def _leads_in_a_circle(successors: dict[State, list[State]]) -> bool:
    """Whether some states remain when those without a way on are struck out again and again, self-loops aside."""
    ways = {state: {each for each in after if each != state} for state, after in successors.items()}
    while ways:
        stuck = {state for state, after in ways.items() if not after & ways.keys()}
        if not stuck:
            return True
        ways = {state: after for state, after in ways.items() if state not in stuck}
    return False


def _about_state(semantics: Semantics, state: State, steps: list[Step]) -> Iterator[str]:
    system = semantics.system
    if not steps:
        yield "deadlock"
    places = [
        next(place for place in process.locations if place.name == at)
        for process, at in zip(system.processes, state.locations, strict=True)
    ]
    if any(place.committed for place in places):
        yield f"committed, {system.rules.commitment.value}"
        other = Commitment.ALL if system.rules.commitment is Commitment.ANY else Commitment.ANY
        changed = Semantics(replace(system, rules=Rules(other, system.rules.updates)))
        if changed.steps(state) != steps:
            yield "commitment rules differ"
    for channel in system.channels:
        buffer = channel.length_name
        if channel.kind is ChannelKind.BUFFERED and semantics.evaluate(Ref(buffer), state) == channel.capacity:
            yield "full buffer"
    for process, at in zip(system.processes, state.locations, strict=True):
        for edge in process.edges:
            if edge.source == at and edge.sync is None and not semantics.holds(edge.guard, state):
                yield "a guard forbids"
    for move in semantics.moves(state):
        if isinstance(move, Fault):
            yield from _about_fault(semantics, move)
    if _steps_without_invariants(system, state) > len(steps):
        yield "an invariant forbids"


def _steps_without_invariants(system: System, state: State) -> int:
    processes = tuple(
        replace(process, locations=tuple(replace(place, invariant=Literal(1)) for place in process.locations))
        for process in system.processes
    )
    return len(Semantics(replace(system, processes=processes)).steps(state))


def _about_fault(semantics: Semantics, fault: Fault) -> Iterator[str]:
    if "division" in fault.reason:
        yield "fault: division"
    elif "index" in fault.reason:
        yield "fault: index"
    else:
        yield "fault: range"
    sync = semantics.edge(fault.edges[0]).sync
    if sync is not None and semantics.system.channel_named[sync.channel].kind is ChannelKind.BROADCAST:
        yield "fault in a broadcast's guard"


def _about_step(semantics: Semantics, state: State, step: Step, steps: list[Step]) -> Iterator[str]:
    system = semantics.system
    yield f"cost {step.cost}"
    yield from _about_synchronisation(semantics, step, steps)
    flipped = {
        UpdateOrder.SENDER_FIRST: UpdateOrder.RECEIVER_FIRST,
        UpdateOrder.RECEIVER_FIRST: UpdateOrder.SENDER_FIRST,
    }[system.rules.updates]
    if len(step.edges) > 1:
        changed = Semantics(replace(system, rules=Rules(system.rules.commitment, flipped)))
        if step not in changed.steps(state):
            yield "update orders differ"
    for ref in step.edges:
        yield from _about_edge(semantics, semantics.edge(ref), state)


def _about_synchronisation(semantics: Semantics, step: Step, steps: list[Step]) -> Iterator[str]:
    sync = semantics.edge(step.edges[0]).sync
    if sync is None:
        yield "internal"
        return
    channel, receivers = semantics.system.channel_named[sync.channel], len(step.edges) - 1
    match channel.kind:
        case ChannelKind.RENDEZVOUS:
            yield f"rendezvous of {len(channel.types)} values"
        case ChannelKind.BUFFERED:
            way = "send" if sync.direction is Direction.SEND else "receive"
            yield f"buffer {way} of {len(channel.types)} values"
        case ChannelKind.LOCKSTEP:
            yield f"lockstep of {len(step.edges)}"
        case ChannelKind.BROADCAST:
            yield f"broadcast of {len(channel.types)} values" if receivers else "broadcast without receiver"
            if receivers > 1:
                yield "broadcast to several"
            if any(other.edges[0] == step.edges[0] and other.edges != step.edges for other in steps):
                yield "broadcast with a choice of receiving edges"


def _about_edge(semantics: Semantics, edge: Edge, state: State) -> Iterator[str]:
    values = [assignment.value for assignment in edge.assignments]
    targets = [assignment.target for assignment in edge.assignments]
    passed = edge.sync.values if edge.sync is not None else ()
    received = edge.sync.targets if edge.sync is not None else ()
    for expression in (edge.guard, *values, *targets, *passed, *received):
        yield from _about_expression(semantics.system, expression)
    if edge.assignments and edge.sync is None:
        yield from _about_storing(semantics, edge.assignments[0], state)


def _about_storing(semantics: Semantics, assignment: Assignment, state: State) -> Iterator[str]:
    target = assignment.target
    kind = semantics.system.variable_named[target.name if isinstance(target, Ref) else target.array].type
    value = semantics.evaluate(assignment.value, state)
    if not kind.low <= value <= kind.high:
        yield "wrap around"
        yield from _wide(kind)


def _wide(kind: Range) -> Iterator[str]:
    if kind == BYTE:
        yield "byte stored"
    if kind == SHORT:
        yield "16 bits stored"


def _about_expression(system: System, expression: Expr) -> Iterator[str]:
    for part in walk(expression):
        match part:
            case Unary(operator, _):
                yield f"unary {operator}"
            case Binary(operator, _, _):
                yield f"binary {operator}"
            case Conditional():
                yield "conditional"
            case At():
                yield "process at location"
            case Cell(array, index):
                if not isinstance(index, Literal):
                    yield "cell with computed index"
                if system.variable_named[array].constant:
                    yield "cell of a constant array"
                yield from _about_name(array)
            case Ref(name):
                yield from _about_name(name)


def _about_name(name: str) -> Iterator[str]:
    owner, arrow, _ = name.partition("->")
    if arrow:
        yield "a buffer read" if owner.startswith("c") else "variable of a process"
