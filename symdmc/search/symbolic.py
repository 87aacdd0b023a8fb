"""Search over state sets as decision diagrams, in a child process that can be ended at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order import VariableOrder, variable_order
from symdmc.encode.relation import Relation
from symdmc.outcome import Exploration, Limits, Progress, ProgressCallback, Stop
from symdmc.search.resources import LimitReached, Watch, peak_memory_mb
from symdmc.search.supervision import supervise
from symdmc.task.task import Task

COUNT_EVERY = 64
"""Counting nodes makes the diagrams collect garbage first, so it is done only after so many images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Where chained reachability stands: after how many rounds over all parts, and how many nodes there are."""

    rounds: int
    images: int
    nodes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """All reachable states, counted."""

    states: int
    deadlocks: int
    nodes: int
    peak_nodes: int
    peak_memory_mb: float


class NodeLimit(Exception):
    """More nodes than allowed."""


def explore(
    task: Task,
    *,
    order: str = "local",
    seed: int = 0,
    node_limit: int | None = None,
    backend: str = "cudd",
    limits: Limits = Limits(),
    progress: ProgressCallback | None = None,
) -> Exploration:
    """Count the reachable states exactly, however many there are, without visiting them one by one.

    Images of single parts are chained: each starts from all states found so far. So the depth and the number of
    transitions stay unknown, and faults are not looked for. Deterministic for a given order and seed.
    """
    watch = Watch(limits)
    try:
        task.analyse(watch.checkpoint)
    except LimitReached as reached:
        return _unknown(reached.stop, None, watch, None)
    chosen = variable_order(task, order, seed)

    def tell(sweep: Sweep) -> None:
        if progress is not None:
            progress(
                Progress(
                    explored=sweep.images,
                    generated=0,
                    stored=0,
                    depth=sweep.rounds,
                    seconds=watch.seconds,
                    phase=f"{sweep.rounds} rounds, {sweep.images:,} images, {sweep.nodes:,} nodes",
                )
            )

    ended = supervise(lambda send: _reach(task, chosen, node_limit, backend, watch, send), watch, tell)
    found = ended.result
    if not isinstance(found, Reached):
        return _unknown(found or ended.stop, ended.report, watch, _names(task, chosen))
    return Exploration(
        states=found.states,
        transitions=None,
        depth=None,
        deadlocks=found.deadlocks,
        faults=None,
        reason="all reachable states counted",
        seconds=round(watch.seconds, 3),
        peak_memory_mb=found.peak_memory_mb,
        engine="symbolic",
        peak_nodes=found.peak_nodes,
        order=_names(task, chosen),
    )


def _unknown(stop: Stop | None, report: Sweep | None, watch: Watch, order: tuple[str, ...] | None) -> Exploration:
    """What is known when a limit strikes first."""
    return Exploration(
        states=None,
        transitions=None,
        depth=None,
        deadlocks=None,
        faults=None,
        stop=stop,
        reason=_reason(stop, report),
        seconds=round(watch.seconds, 3),
        peak_memory_mb=peak_memory_mb(),
        engine="symbolic",
        order=order,
    )


def _reach(
    task: Task,
    order: VariableOrder,
    node_limit: int | None,
    backend: str,
    watch: Watch,
    send: Callable[[Sweep], None],
) -> Reached | Stop:
    """The work of the child."""
    encoding = Encoding(task, order.variables, backend=backend, memory_bytes=watch.memory_bytes)
    try:
        relation = Relation(encoding)
        states = _chained(relation, node_limit, watch, send)
        d = relation.diagrams
        stuck = states
        for part in relation.parts:
            stuck = d.without(stuck, relation.preimage(encoding.valid, part))
        return Reached(
            states=encoding.count(states),
            deadlocks=encoding.count(stuck),
            nodes=d.size(states),
            peak_nodes=d.peak_nodes(),
            peak_memory_mb=peak_memory_mb(),
        )
    except (DiagramLimit, NodeLimit):
        return Stop.MEMORY


def _chained(relation: Relation, node_limit: int | None, watch: Watch, send: Callable[[Sweep], None]) -> Node:
    """The reachable states: part after part, each from all states found so far, until a round adds nothing."""
    d = relation.diagrams
    states = relation.initial()
    rounds = images = 0
    while True:
        before = states
        for part in relation.parts:
            states = d.either(states, relation.image(states, part))
            images += 1
            if node_limit is not None and images % COUNT_EVERY == 0 and d.nodes() > node_limit:
                raise NodeLimit
        rounds += 1
        send(Sweep(rounds=rounds, images=images, nodes=d.nodes(), seconds=watch.seconds))
        if states == before:
            return states


def _reason(stop: Stop | None, report: Sweep | None) -> str:
    reached = {Stop.TIME: "time limit", Stop.MEMORY: "memory or node limit", Stop.INTERRUPT: "interrupt"}
    after = "" if report is None else f" after {report.rounds} rounds and {report.images:,} images"
    return f"{reached[stop] if stop else 'end'} reached{after}"


def _names(task: Task, order: VariableOrder) -> tuple[str, ...]:
    return tuple(task.variables[number].name for number in order.variables)
