"""Safe variables: those that can take any of their values at any time, without any other variable."""

from __future__ import annotations

from collections.abc import Iterator

from symdmc.model.expressions import conjuncts
from symdmc.task.interaction import footprint
from symdmc.task.relaxation.fact_rows import Move, TransitionPart, fact_table
from symdmc.task.relaxation.facts import ALWAYS, Facts
from symdmc.task.task import Task, Transition
from symdmc.task.values.rows import TooManyRows

MOST_ROWS = 1 << 12


def safe_variables(task: Task) -> frozenset[int]:
    """The variables whose every abstract error trace without them can be completed to one with them.

    A variable is independent if every transition that can change it reads and changes nothing else, and no invariant
    reads it; it is safe if, moreover, its values are strongly connected through those transitions.
    Source: [KW11] Def. 9 and 10, read on transitions instead of on the edges of one process.
    """
    domains = task.analysis.domains
    movers: dict[int, list[Transition]] = {}
    unsafe = set(task.layout.support(task.invariant))
    for number in sorted(task.analysis.possible):
        transition = task.transitions[number]
        own = footprint(task, transition)
        together = {variable for variable in own.touched if domains[variable].count > 1}
        for variable in together & own.writes:
            if len(together) > 1 and _changes(task, transition, variable):
                unsafe.add(variable)
            elif len(together) == 1:
                movers.setdefault(variable, []).append(transition)
    return frozenset(
        variable
        for variable, transitions in movers.items()
        if variable not in unsafe and _is_strongly_connected(task, variable, transitions)
    )


def _changes(task: Task, transition: Transition, variable: int) -> bool:
    """Whether a transition may change the variable: it does not if a process stays at its location."""
    layout = task.layout
    stored = any(variable in layout.targets(update.target) for update in transition.updates)
    moved = (branch for branch in transition.branches if layout.process[branch.process] == variable)
    return stored or any(branch.source != branch.target for branch in moved)


def _is_strongly_connected(task: Task, variable: int, transitions: list[Transition]) -> bool:
    """Whether these transitions lead from each value of a variable to each other one."""
    facts = Facts(task.analysis.domains)
    everything = set(facts.of_variable(variable))
    try:
        steps = [pair for each in transitions for pair in _pairs(task, facts, each, everything)]
    except TooManyRows:
        return False
    start = min(everything, default=ALWAYS)
    forward, backward = _reached(start, steps), _reached(start, [(after, before) for before, after in steps])
    return bool(everything) and everything <= forward and everything <= backward


def _pairs(task: Task, facts: Facts, transition: Transition, everything: set[int]) -> Iterator[tuple[int, int]]:
    """The facts before and after a transition that touches one variable only."""
    moves = tuple(Move(b.process, b.source, b.target, b.condition) for b in transition.branches)
    guards = conjuncts(task.full_guard(transition))
    table = fact_table(task, facts, TransitionPart(guards, transition.updates, moves), MOST_ROWS)
    if table.after.shape[1] > 1:
        raise TooManyRows  # a cell stored twice: which of the two values stays is not known here
    for row in range(len(table)):
        before = table.before[row].tolist() or sorted(everything)
        yield from ((one, other) for one in before for other in table.after[row].tolist())


def _reached(start: int, steps: list[tuple[int, int]]) -> set[int]:
    followers: dict[int, list[int]] = {}
    for before, after in steps:
        followers.setdefault(before, []).append(after)
    found, pending = {start}, [start]
    while pending:
        for fact in followers.get(pending.pop(), ()):
            if fact not in found:
                found.add(fact)
                pending.append(fact)
    return found
