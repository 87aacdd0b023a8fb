"""Search and exploration over state sets as decision diagrams, in a child process that can be ended at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symdmc.encode.diagrams import DiagramLimit, Node
from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import VariableOrder, variable_order
from symdmc.encode.relation.relation import Relation
from symdmc.encode.sets.chaining import reachable_by_chaining
from symdmc.encode.sets.error_states import ErrorStates
from symdmc.encode.sets.images import Images
from symdmc.encode.sets.layers import LayeredSearch
from symdmc.encode.tables.export import TableLimit, decision_table
from symdmc.encode.value_pairs.pairs import reachable_pairs
from symdmc.errors import UnsupportedFeature
from symdmc.lookup.tables import DEAD_END, OUTSIDE, DecisionTable
from symdmc.outcome import Exploration, FaultReport, Layer, SearchResult, Stop, Verdict
from symdmc.running.run import LimitReached, Run
from symdmc.running.supervision import supervise
from symdmc.search.certificates.certificate import certificate_of, within_limits
from symdmc.search.results import trace_through
from symdmc.search.symbolic.options import DIRECTIONS, SymbolicOptions
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task, Values

MERGE_LIMIT = 10_000
"""Most nodes of a merged part."""
CARE_NODES = 20_000
"""Most nodes of what restricts a backward search."""
NODE_BYTES = 200
"""What a node may cost with its share of the tables, when a limit on nodes is made one on memory."""

REACHED = {stop: stop.words for stop in Stop} | {Stop.MEMORY: "memory or node limit reached"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a running search tells: a layer it has found, or what it does now."""

    layer: Layer | None = None
    settled: bool = True
    """No error trace ends with this layer."""
    bound: int | None = None
    """No error trace is shorter than this; None where the layers say it."""
    phase: str = ""
    peak_nodes: int | None = None


@dataclass(slots=True)
class Told:
    """All that a search has told."""

    task: Task
    run: Run
    layers: list[Layer] = field(default_factory=list)
    settled: bool = True
    bounds: list[int] = field(default_factory=list)
    prepared: float | None = None
    """When the first bound was told, in seconds."""
    peak_nodes: int | None = None
    phase: str = ""

    def __call__(self, report: Report) -> None:
        """Take note, and show it."""
        if report.layer is not None:
            self.layers.append(report.layer)
            self.settled = report.settled
        if report.bound is not None:
            self.prepared = self.run.seconds if self.prepared is None else self.prepared
            self.bounds.append(report.bound)
        self.peak_nodes = report.peak_nodes if report.peak_nodes is not None else self.peak_nodes
        self.phase = report.phase
        self.run.say(self._words(), depth=max((layer.depth for layer in self.layers), default=0))

    def _words(self) -> str:
        if not self.layers:
            return self.phase
        last = self.layers[-1]
        side = "backward " if last.backward else ""
        return f"{self.phase}: {side}{last.depth}, {counted(last.nodes, 'node')}"

    def lower_bound(self) -> int:
        """No error trace is shorter: no layer gave one, but for the last if it is not settled; or as was told."""
        if self.bounds:
            return self.bounds[-1]
        sides = ([layer.depth for layer in self.layers if layer.backward is side] for side in (False, True))
        depths = [max(side) for side in sides if side]
        return sum(depths) + self.settled if depths else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What the child returns."""

    peak_nodes: int
    order: tuple[int, ...]
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    deadlocks: int | None = None
    path: tuple[Values, ...] | None = None
    """Of a search: the states of an error trace; None when there is none."""
    exhausted: str = ""
    """Of a search without an error trace: which side has seen everything, or why there is none."""
    proof: tuple[DecisionTable, ...] | None = None
    """Of such a search, if asked for: an inductive set, the dead ends of some tables."""


class Engine:
    """The diagrams of a task, in the child process."""

    def __init__(
        self, task: Task, order: VariableOrder, options: SymbolicOptions, run: Run, send: Callable[[Report], None]
    ) -> None:
        self.task, self.options, self.send = task, options, send
        memory = run.memory_bytes
        if options.node_limit is not None:
            memory = min(memory, (64 << 20) + NODE_BYTES * options.node_limit)
        self.encoding = Encoding(task, order.variables, backend=options.backend, memory_bytes=memory)
        self.diagrams = self.encoding.diagrams
        if options.sift:
            self.encoding.sift()

    def relation(self, *, learns: bool, frames: bool) -> Relation:
        """The relation: parts that write the same variables merged, with frames also others; or as the options say."""
        self.send(Report(phase="building the relation"))
        asked = self.options.merge_limit
        limit = MERGE_LIMIT if asked is None else asked
        return Relation(self.encoding, learns=learns, merge_limit=limit, frames=frames or asked is not None)

    def tell(self, layer: Layer, phase: str, *, settled: bool = True) -> None:
        """Report a layer; it is settled when it gives no error trace."""
        self.send(Report(layer=layer, phase=phase, settled=settled, peak_nodes=self.diagrams.peak_nodes()))

    def finished(self, **facts: object) -> Finished:
        """The result with what it took."""
        return Finished(
            peak_nodes=self.diagrams.peak_nodes(),
            order=self.encoding.order_now(),
            **facts,  # type: ignore[arg-type]  # each caller names fields of Finished
        )


# ---- exploration


def explore(
    task: Task,
    options: SymbolicOptions = SymbolicOptions(),
    *,
    run: Run | None = None,
) -> Exploration:
    """Count the reachable states exactly, however many there are, without visiting them one by one.

    By default images are chained, so depth and transitions stay unknown; layer by layer they are found as well.
    Faults are not looked for. Deterministic for a given order and seed.
    """
    run = run or Run()
    told = Told(task, run)
    stop, chosen, found = in_child_process(task, options, told, _layered if options.layered else _chained)
    return Exploration(
        states=found.states if found else None,
        transitions=found.transitions if found else None,
        depth=found.depth if found else None,
        deadlocks=found.deadlocks if found else None,
        faults=no_faults(task) if found else None,
        stop=stop,
        reason="all reachable states counted" if found else stop_reason(stop, told),
        seconds=round(run.seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
        engine="symbolic",
        peak_nodes=found.peak_nodes if found else told.peak_nodes,
        order=names_of_order(task, found.order if found else chosen),
        layers=tuple(told.layers),
    )


def _chained(engine: Engine) -> Finished:
    relation = engine.relation(learns=True, frames=False)
    images = Images(relation, engine.options.node_limit)
    states = reachable_by_chaining(images, lambda layer: engine.tell(layer, "round"), count=engine.options.count_layers)
    return engine.finished(**_counts(relation, states))


def _layered(engine: Engine) -> Finished:
    """Layer by layer, every step counted as one whatever it costs."""
    relation = engine.relation(learns=True, frames=True)
    d, images = engine.diagrams, Images(relation, engine.options.node_limit)
    side = LayeredSearch(images, relation.initial(), unit_costs=True, prepare=relation.learn)
    while not side.exhausted:
        engine.tell(side.last(count=engine.options.count_layers), "layer")
        side.advance()
    transitions = 0
    for parts in relation.of_transitions().values():
        enabled = d.any_of(relation.enabled(part) for part in parts)
        transitions += engine.encoding.count(d.both(side.reached, enabled))
    return engine.finished(depth=max(side.distance - 1, 0), transitions=transitions, **_counts(relation, side.reached))


def _counts(relation: Relation, states: Node) -> dict[str, int]:
    count = relation.encoding.count
    return {"states": count(states), "deadlocks": count(relation.stuck(states))}


# ---- search


def search(
    task: Task,
    options: SymbolicOptions = SymbolicOptions(),
    *,
    run: Run | None = None,
) -> SearchResult:
    """Look for a shortest error trace, breadth first, over state sets. Deterministic for a given order and seed."""
    if options.direction not in DIRECTIONS:
        raise ValueError(f"unknown direction {options.direction!r}: choose from {', '.join(DIRECTIONS)}")
    run = run or Run()
    told = Told(task, run)
    stop, chosen, found = in_child_process(task, options, told, _searched)
    result = search_result(told, stop, chosen, found)
    return replace(result, reason=_reason(result.verdict, stop, told, found), direction=options.direction)


def search_result(
    told: Told, stop: Stop | None, chosen: tuple[int, ...] | None, found: Finished | None
) -> SearchResult:
    """What a search has found, and what it took; which search it was is still to be said."""
    task, run = told.task, told.run
    proof = None if found is None else found.proof
    path = None if found is None or found.path is None else [task.state(values) for values in found.path]
    trace = None if path is None else trace_through(task, path)
    verdict = Verdict.UNKNOWN if found is None else Verdict.SAFE if trace is None else Verdict.ERROR
    bound = {Verdict.SAFE: None, Verdict.ERROR: trace.length if trace else None, Verdict.UNKNOWN: told.lower_bound()}
    return SearchResult(
        verdict=verdict,
        reason="",
        property=task.error.name,
        stop=stop,
        trace=trace,
        shortest=trace is not None,
        lower_bound=bound[verdict],
        faults=no_faults(task),
        seconds=round(run.seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
        engine="symbolic",
        peak_nodes=found.peak_nodes if found else told.peak_nodes,
        order=names_of_order(task, found.order if found else chosen),
        layers=tuple(told.layers),
        certificate=None if proof is None else within_limits(lambda: certificate_of(task, dead_ends=proof)),
    )


def _searched(engine: Engine) -> Finished:
    """Breadth first from one side or both; the side whose last step was cheaper goes on."""
    options, d = engine.options, engine.diagrams
    relation = engine.relation(learns=options.direction == "forward", frames=True)
    images = Images(relation, options.node_limit)
    errors = ErrorStates(relation)
    sides = []
    if options.direction != "backward":
        sides.append(LayeredSearch(images, relation.initial(), prepare=relation.learn))
    if options.direction != "forward":
        care = _care(engine, relation)
        sides.append(LayeredSearch(images, errors.within(care), backward=True, care=care))
    grown = list(sides)
    while True:
        met = _meeting(relation, errors, sides)
        for side in grown:  # only now: a layer that is told is one that gave no error trace, or the last
            engine.tell(side.last(count=options.count_layers), "layer", settled=met == d.false)
        if met != d.false:
            return engine.finished(path=_path(sides, met))
        for side in sides:
            if side.exhausted:
                name = "backward" if side.backward else "forward"
                return engine.finished(exhausted=name, proof=(_proof(side),) if options.certify else None)
        cheaper = min(sides, key=lambda side: side.effort)
        cheaper.advance()
        grown = [cheaper]


def _proof(side: LayeredSearch) -> DecisionTable:
    """The states that a side which has seen everything proves safe: those it reached, or backward those it did not."""
    d = side.images.diagrams
    states = side.reached if side.care is None else d.without(side.care, side.reached)
    return decision_table(side.images.relation.encoding, [(DEAD_END, states)], OUTSIDE)


def _meeting(relation: Relation, errors: ErrorStates, sides: list[LayeredSearch]) -> Node:
    """The states in which a shortest error trace is complete; empty if there is none as yet."""
    d = relation.diagrams
    if len(sides) == 2:
        return d.both(sides[0].reached, sides[1].reached)
    layer = sides[0].layer
    return d.both(layer, relation.initial()) if sides[0].backward else errors.within(layer)


def _path(sides: list[LayeredSearch], met: Node) -> tuple[Values, ...]:
    """The states of a shortest error trace through one of those in which the sides meet."""
    if len(sides) == 1:
        return tuple(sides[0].path(met))
    first = sides[0].path(met)
    rest = sides[1].path(sides[0].images.relation.encoding.state(first[-1]))
    return (*first, *rest[1:])


def _care(engine: Engine, relation: Relation) -> Node:
    """What alone can be reachable, as far as that is cheaply known."""
    engine.send(Report(phase="value pairs"))
    d = relation.diagrams
    small = [part for parts in relation.of_transitions().values() for part in parts]
    pairs = reachable_pairs(relation.encoding, small, relation.initial(), invariant=relation.invariant)
    return pairs.care(d, CARE_NODES, whole=engine.options.certify)


# ---- both


def in_child_process(
    task: Task, options: SymbolicOptions, told: Told, work: Callable[[Engine], Finished]
) -> tuple[Stop | None, tuple[int, ...] | None, Finished | None]:
    """Do the work in a child process: the limit it met or what it found, and the order it started with."""
    run = told.run
    try:
        task.analyse(run.checkpoint)
    except LimitReached as reached:
        return reached.stop, None, None
    order = variable_order(task, options.order, options.seed)

    def in_child(send: Callable[[Report], None]) -> Finished | Stop:
        try:
            return work(Engine(task, order, options, run, send))
        except TableLimit as limit:
            raise UnsupportedFeature(limit.complaint) from None
        except DiagramLimit:
            return Stop.MEMORY

    ended = supervise(in_child, run, told)
    if isinstance(ended.result, Finished):
        return None, order.variables, ended.result
    return ended.result or ended.stop, order.variables, None


def no_faults(task: Task) -> FaultReport | None:
    """What is known about faults without looking for them."""
    return FaultReport(states=0, first=None, reason=None) if task.analysis.faultless else None


def _reason(verdict: Verdict, stop: Stop | None, told: Told, found: Finished | None) -> str:
    if verdict is Verdict.ERROR:
        return "an error state is reachable"
    if found is None:
        return stop_reason(stop, told)
    if found.exhausted == "forward":
        return "all reachable states found, none is an error state"
    return "all states from which an error state can be reached found, none is an initial state"


def stop_reason(stop: Stop | None, told: Told) -> str:
    """Why a search ended without an answer, and how far it had come."""
    where = (
        f" after {told.phase} {told.layers[-1].depth}" if told.layers else f" while {told.phase}" if told.phase else ""
    )
    return f"{REACHED[stop] if stop else 'stopped'}{where}"


def names_of_order(task: Task, order: tuple[int, ...] | None) -> tuple[str, ...] | None:
    """The names of the variables in an order, if there is one."""
    return None if order is None else tuple(task.variables[number].name for number in order)
