"""Directed search: explicit states, in an order that a heuristic gives, which may rest on symbolic pattern databases.

astar, wastar:W and greedy run in one compiled loop; idastar, ehc and bitstate in plain Python over compiled steps. Tiny
systems are answered by the reference semantics at once. All of them are deterministic.
"""

from __future__ import annotations

from dataclasses import replace

from symdmc.evidence.certificate import Certificate
from symdmc.heuristics.estimates.own import LATE, remarks_on, watched_parts
from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.model.trace import Trace
from symdmc.outcome import SearchResult, Verdict
from symdmc.running.run import LimitReached, Run
from symdmc.running.signals import stop_of
from symdmc.search.certificates.boxes import boxes_behind, boxes_of_initial_states
from symdmc.search.certificates.certificate import certificate_of, certificate_of_walk, within_limits
from symdmc.search.certificates.dead_ends import dead_end_tables, relaxations_of
from symdmc.search.directed.astar import AStar
from symdmc.search.directed.greedy import Greedy
from symdmc.search.directed.options import DirectedSearch
from symdmc.search.directed.space import Explorer, ReferenceSpace
from symdmc.search.explicit.explicit import NO_BUDGET, exhaustive_walk, reference_budget
from symdmc.search.results import result_of, stop_reason
from symdmc.search.walk import ListingWalk, Place, Walk
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task


def search(
    task: Task,
    heuristic: TaskHeuristic,
    *,
    strategy: DirectedSearch = AStar(),
    run: Run | None = None,
    compiled: bool | None = None,
    certify: bool = False,
    patience: int | None = None,
) -> SearchResult:
    """Look for an error state in the order of a strategy.

    If the heuristic is admissible, astar and idastar give a shortest trace, and wastar:W one that is at most W times as
    long; greedy and ehc give any; ehc goes on as greedy where it is stuck. bitstate never says "safe".
    `compiled` forces or forbids the compiled engine; left open, the reference semantics tries first, within a budget.
    With `certify` the verdict "safe" comes with a certificate, if the limits allow it. With `patience` a compiled
    best-first search ends after that many expansions, with the verdict unknown, though no limit was reached.
    """
    run = run or Run()
    walk = _walk(task, heuristic, strategy, run, compiled, patience)
    if not walk.stuck:
        result = _result(task, heuristic, strategy, walk, run)
        return _certified(task, heuristic, walk, result, run) if certify else result
    greedy = _walk(task, heuristic, Greedy(), run, compiled)
    result = _result(task, heuristic, strategy, greedy, run)
    if certify:
        result = _certified(task, heuristic, greedy, result, run)
    return replace(
        result,
        reason=f"{result.reason} (enforced hill-climbing was stuck, greedy search went on)",
        explored=result.explored + walk.expanded,
        generated=result.generated + walk.generated,
    )


def _walk(
    task: Task,
    heuristic: TaskHeuristic,
    strategy: DirectedSearch,
    run: Run,
    compiled: bool | None,
    patience: int | None = None,
) -> Walk:
    """The walk of the reference semantics if it ends within its budget, else that of the compiled engine."""
    if not compiled:
        space, budget = ReferenceSpace(task, heuristic), reference_budget(task, compiled)
        explorer = Explorer(space, task.error, run, budget, watched_parts(heuristic))
        walk = _plain_walk(explorer, strategy)
        if walk.finished or walk.stuck or walk.stop is not None or compiled is False:
            return walk
    if strategy.rule is not None and heuristic.groups is not None:
        from symdmc.search.directed.best_first_compiled import compiled_best_first  # imports numba

        return compiled_best_first(task, heuristic, rule=strategy.rule, run=run, patience=patience)
    return _packed_walk(task, heuristic, strategy, run)


def _packed_walk(task: Task, heuristic: TaskHeuristic, strategy: DirectedSearch, run: Run) -> Walk:
    """A search in plain Python over compiled steps."""
    from symdmc.search.directed.packed_space import PackedSpace  # imports numba

    began = run.seconds
    try:
        task.analyse(run.checkpoint)
        space = PackedSpace(task, heuristic)
    except LimitReached as reached:
        return Walk(stop=reached.stop)
    spent = run.seconds - began
    walk = _plain_walk(Explorer(space, task.error, run, NO_BUDGET, watched_parts(heuristic)), strategy)
    walk.preprocessing_seconds = spent
    return walk


def _plain_walk(explorer: Explorer[Place], strategy: DirectedSearch) -> Walk:
    try:
        strategy.walk(explorer)
    except KeyboardInterrupt as interrupt:
        explorer.walk.stop = stop_of(interrupt)
    return explorer.walk


def _result(task: Task, heuristic: TaskHeuristic, strategy: DirectedSearch, walk: Walk, run: Run) -> SearchResult:
    result = result_of(task, walk, run, proves=strategy.PROVES)
    verdict, trace = result.verdict, result.trace
    if trace is not None:
        for each in watched_parts(heuristic):
            each.look_along(trace)
    shortest = trace is not None and heuristic.admissible and strategy.IS_OPTIMAL
    bound = None if verdict is Verdict.SAFE else _lower_bound(walk, heuristic, trace)
    bounded = bool(bound) or (trace is not None and strategy.factor is not None and heuristic.admissible)
    is_late = walk.h_initial is not None and walk.h_initial >= LATE
    return replace(
        result,
        reason=_reason(walk, verdict, strategy, heuristic),
        remarks=remarks_on(heuristic, shortest=shortest, bounded=bounded),
        shortest=shortest,
        lower_bound=bound,
        search=strategy.spelling,
        heuristic=heuristic.name,
        h_initial="dead end" if is_late or _starts_in_dead_ends(walk) else walk.h_initial,
        reopened=walk.reopened,
        dead_ends=walk.dead_ends,
    )


def _certified(
    task: Task,
    heuristic: TaskHeuristic,
    walk: Walk,
    result: SearchResult,
    run: Run,
) -> SearchResult:
    """The result with its certificate, where it says "safe": the dead ends that were cut off and the states met.

    Where one of these cannot be written down, it has all reachable states.
    """
    if result.verdict is not Verdict.SAFE:
        return result
    return replace(result, certificate=within_limits(lambda: _proof(task, heuristic, walk, run)))


def _proof(task: Task, heuristic: TaskHeuristic, walk: Walk, run: Run) -> Certificate | None:
    tables, relaxations = dead_end_tables(heuristic), relaxations_of(heuristic)
    if tables is not None and _starts_in_dead_ends(walk):
        return certificate_of(task, dead_ends=tables, boxes=boxes_of_initial_states(task, relaxations, tables))
    if tables is not None and isinstance(walk, ListingWalk):
        boxes = boxes_behind(task, heuristic, relaxations, tables, walk, run)
        if boxes is not None:
            return certificate_of_walk(task, walk, run, dead_ends=tables, boxes=boxes)
    reached = exhaustive_walk(task, run)
    return None if reached is None else certificate_of_walk(task, reached, run)


def _starts_in_dead_ends(walk: Walk) -> bool:
    return walk.finished and walk.h_initial is None and walk.dead_ends > 0


def _lower_bound(walk: Walk, heuristic: TaskHeuristic, trace: Trace | None) -> int:
    """No error trace is shorter than this: the smallest g + h of an open state, if no estimate is too large."""
    if not heuristic.admissible:
        return 0
    bound = max((each for each in (walk.h_initial, walk.open_bound) if each is not None and each < LATE), default=0)
    return bound if trace is None else min(bound, trace.length)


def _reason(walk: Walk, verdict: Verdict, strategy: DirectedSearch, heuristic: TaskHeuristic) -> str:
    if verdict is Verdict.ERROR:
        bounded = strategy.factor is not None and heuristic.admissible
        times = f"; no trace is shorter than this one divided by {strategy.factor}" if bounded else ""
        return f"an error state is reachable{times}"
    if verdict is Verdict.SAFE and _starts_in_dead_ends(walk):
        many = walk.dead_ends > 1
        return f"all {walk.dead_ends:,} initial states are dead ends" if many else "the initial state is a dead end"
    if verdict is Verdict.SAFE:
        if walk.stored == 1:
            which = "state visited that is no dead end" if walk.dead_ends else "reachable state visited"
            return f"the only {which}, it is no error state"
        which = "states visited that are no dead ends" if walk.dead_ends else "reachable states visited"
        return f"all {walk.stored:,} {which}, none is an error state"
    if walk.stop is None and strategy.rule is not None:
        return f"patience ended after {counted(walk.stored, 'state')} at depth {walk.depth}"
    if walk.stop is None:
        return f"none of {counted(walk.stored, 'state')} is an error state, but bit-state hashing may have missed some"
    return stop_reason(walk)
