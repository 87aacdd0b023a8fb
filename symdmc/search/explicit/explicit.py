"""Explicit search and exploration at compiled speed; tiny systems are answered by the reference semantics at once."""

from __future__ import annotations

from dataclasses import replace

from symdmc.outcome import Exploration, SearchResult, Verdict
from symdmc.running.run import Run
from symdmc.search.certificates.certificate import certificate_of_walk, within_limits
from symdmc.search.explicit.reference import reference_walk
from symdmc.search.results import fault_report, result_of, stop_reason, trace_through
from symdmc.search.walk import ListingWalk, Walk
from symdmc.task.task import Task

ORDERS = ("bfs", "dfs", "rdfs")

NO_BUDGET = 1 << 62
REFERENCE_BUDGET = 3_000
"""States and steps that the reference semantics may visit before the compiled engine starts; fewer where ..."""
REFERENCE_EDGES = 60_000
"""... this divided by the edges of the system is fewer, because each visit looks at all edges."""
REFERENCE_CELLS = 10_000_000
"""The most cells that all successors of one state may have; where they may have more, the compiled engine starts."""


def search(
    task: Task,
    *,
    order: str = "bfs",
    seed: int = 0,
    run: Run | None = None,
    bound: int | None = None,
    compiled: bool | None = None,
    certify: bool = False,
) -> SearchResult:
    """Look for an error state; breadth first gives a shortest trace. Deterministic for a given order and seed.

    With a bound (breadth first only) traces of at most this length are looked for, and the answer is never "safe".
    `compiled` forces or forbids the compiled engine; left open, the reference semantics tries first, within a budget.
    With `certify` the verdict "safe" comes with a certificate, all reachable states, if the limits allow it.
    """
    if order not in ORDERS:
        raise ValueError(f"unknown order {order!r}: choose from {', '.join(ORDERS)}")
    if bound is not None and order != "bfs":
        raise ValueError("a bound needs the order bfs")
    run = run or Run()
    walk = _walk(task, order, seed, run, bound, compiled, explore=False)
    result = result_of(task, walk, run, proves=bound is None)
    trace, is_safe = result.trace, result.verdict is Verdict.SAFE
    lower_bound = None if is_safe else _lower_bound(walk, order, bound)
    shortest = trace is not None and (order == "bfs" or trace.length == 0)
    return replace(
        result,
        reason=_reason(walk, result.verdict, bound),
        shortest=shortest,
        lower_bound=trace.length if trace is not None and shortest else lower_bound,
        search=order,
        seed=seed if order == "rdfs" else None,
        certificate=within_limits(lambda: certificate_of_walk(task, walk, run)) if certify and is_safe else None,
    )


def exhaustive_walk(task: Task, run: Run) -> ListingWalk | None:
    """Every reachable state, visited breadth first; None when a limit is met."""
    walk = _walk(task, "bfs", 0, run, None, None, explore=True)
    return walk if walk.finished else None


def explore(
    task: Task,
    *,
    run: Run | None = None,
    compiled: bool | None = None,
) -> Exploration:
    """Visit every reachable state breadth first, whatever the error condition."""
    run = run or Run()
    walk = _walk(task, "bfs", 0, run, None, compiled, explore=True)
    done = walk.finished
    deadlock = walk.path_to_deadlock()
    return Exploration(
        states=walk.stored if done else None,
        transitions=walk.generated if done else None,
        depth=walk.depth if done else None,
        deadlocks=walk.deadlocks if done else None,
        faults=fault_report(task, walk),
        stop=walk.stop,
        reason="all reachable states visited" if done else stop_reason(walk),
        stored=walk.stored,
        generated=walk.generated,
        first_deadlock=None if deadlock is None else trace_through(task, deadlock, claims_error=False),
        seconds=round(run.seconds, 3),
        preprocessing_seconds=round(walk.preprocessing_seconds, 3),
        peak_memory_mb=run.peak_memory_mb(),
    )


def _walk(
    task: Task,
    order: str,
    seed: int,
    run: Run,
    bound: int | None,
    compiled: bool | None,
    *,
    explore: bool,
) -> ListingWalk:
    """The walk of the reference semantics if it ends within its budget, else that of the compiled engine."""
    if not compiled:
        budget = reference_budget(task, compiled)
        walk = reference_walk(task, order=order, seed=seed, run=run, budget=budget, bound=bound, explore=explore)
        if walk.finished or walk.stop is not None or compiled is False:
            return walk
    from symdmc.search.explicit.compiled import compiled_walk  # imports numba, which tiny searches need not wait for

    return compiled_walk(task, order=order, seed=seed, run=run, bound=bound, explore=explore)


def reference_budget(task: Task, compiled: bool | None) -> int:
    """The states and steps that the reference semantics may visit; any number where nothing is compiled."""
    if compiled is not None:
        return NO_BUDGET
    edges = sum(len(process.edges) for process in task.system.processes)
    if edges * sum(variable.cells for variable in task.system.storage) > REFERENCE_CELLS:
        return 0
    return min(REFERENCE_BUDGET, REFERENCE_EDGES // (edges + 1))


def _lower_bound(walk: Walk, order: str, bound: int | None) -> int:
    """No error trace is shorter than this; depth first nothing is known of others."""
    if order != "bfs":
        return 0
    return walk.tested if not walk.finished or bound is None else bound + 1


def _reason(walk: Walk, verdict: Verdict, bound: int | None) -> str:
    if verdict is Verdict.ERROR:
        return "an error state is reachable"
    if verdict is Verdict.SAFE:
        if walk.stored == 1:
            return "the only reachable state visited, it is no error state"
        return f"all {walk.stored:,} reachable states visited, none is an error state"
    if walk.stop is None:
        return f"no error trace of length {bound} or less exists"
    return stop_reason(walk)
