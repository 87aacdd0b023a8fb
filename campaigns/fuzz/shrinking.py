"""Failures made small: parts of the draft and options of the attack are left out while the same failure remains."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from campaigns.fuzz.attacks import Attack, carried_out
from campaigns.fuzz.brute_force import Machine, TooLarge, explored
from campaigns.fuzz.drafts import (
    ONE,
    Draft,
    Edge,
    Expression,
    Place,
    Process,
    Question,
    changed,
    number,
    parts_of,
    with_expressions,
)
from campaigns.fuzz.judging import Wrong

Change = Callable[[], Draft]


def failure_of(draft: Draft, attack: Attack) -> Wrong | None:
    """How symdmc fails in this attack on this draft; None where it does not."""
    try:
        carried_out(draft, explored(draft), attack)
    except Wrong as wrong:
        return wrong
    return None


def shrunk(draft: Draft, attack: Attack, what: str, seconds: float) -> tuple[Draft, Attack]:
    """A smaller draft and attack with the same failure; greedy, and ended after some time."""
    end = time.monotonic() + seconds

    def fails(draft: Draft, attack: Attack) -> bool:
        try:
            Machine(draft)
            found = failure_of(draft, attack)
        except (TooLarge, KeyError, IndexError, ValueError):
            return False
        return found is not None and found.what == what

    attack = _shrunk_attack(draft, attack, fails, end)
    again = True
    while again and time.monotonic() < end:
        again = False
        for smaller in _smaller(draft):
            if time.monotonic() > end:
                break
            if smaller != draft and fails(smaller, attack):
                draft, again = smaller, True
                break
    return draft, attack


def _shrunk_attack(draft: Draft, attack: Attack, fails: Callable[[Draft, Attack], bool], end: float) -> Attack:
    for part in ("budgets", "options"):
        for name in list(getattr(attack, part)):
            kept = {key: value for key, value in getattr(attack, part).items() if key != name}
            less: Any = replace(attack, **{part: kept})  # type: ignore[arg-type]
            if time.monotonic() < end and fails(draft, less):
                attack = less
    return attack


def _smaller(draft: Draft) -> Iterator[Draft]:
    """Drafts with one thing less, large things first."""
    for process in draft.processes:
        if len(draft.processes) > 1:
            yield _without_process(draft, process)
    for channel in draft.channels:
        yield _with_edges(
            _without_names(
                replace(draft, channels=tuple(each for each in draft.channels if each != channel)), channel.name
            ),
            lambda edge, name=channel.name: None if edge.sync is not None and edge.sync.channel == name else edge,  # type: ignore[misc]
        )
    for variable in draft.variables:
        yield _without_names(
            replace(draft, variables=tuple(each for each in draft.variables if each != variable)), variable.name
        )
    for i, process in enumerate(draft.processes):
        for k in range(len(process.edges)):
            yield _replaced(draft, i, replace(process, edges=(*process.edges[:k], *process.edges[k + 1 :])))
    for i, process in enumerate(draft.processes):
        yield from (_replaced(draft, i, each) for each in _smaller_process(process))
    for i, variable in enumerate(draft.variables):
        plain = ((min(max(0, variable.kind[0]), variable.kind[1]),),) * len(variable.initial)
        shorter = [replace(variable, initial=plain)]
        if variable.size is not None and variable.size > 1:
            for size in (variable.size // 2, variable.size - 1):
                shorter.append(replace(variable, size=size, initial=variable.initial[:size]))
        for each in shorter:
            yield replace(draft, variables=(*draft.variables[:i], each, *draft.variables[i + 1 :]))
    asked = draft.question
    if asked.error is not None:
        yield from (replace(draft, question=replace(asked, error=each)) for each in _simpler(asked.error))
    yield from (replace(draft, question=replace(asked, deadlock_where=each)) for each in _simpler(asked.deadlock_where))
    for less in (replace(asked, deadlock=False), replace(asked, fault=False), replace(asked, assertions=False)):
        if less != Question():
            yield replace(draft, question=less)


def _smaller_process(process: Process) -> Iterator[Process]:
    if len(process.initial) > 1:
        yield replace(process, initial=process.initial[:1])
    for k, place in enumerate(process.places):
        for each in _smaller_place(place):
            yield replace(process, places=(*process.places[:k], each, *process.places[k + 1 :]))
    for k, edge in enumerate(process.edges):
        for simpler in _smaller_edge(edge):
            yield replace(process, edges=(*process.edges[:k], simpler, *process.edges[k + 1 :]))


def _smaller_place(place: Place) -> Iterator[Place]:
    if place.committed:
        yield replace(place, committed=False)
    if place.invariant != ONE:
        yield from (replace(place, invariant=each) for each in (ONE, *_simpler(place.invariant)))
    if place.asserted is not None:
        yield from (replace(place, asserted=each) for each in (None, *_simpler(place.asserted)))


def _smaller_edge(edge: Edge) -> Iterator[Edge]:
    if edge.guard != ONE:
        yield from (replace(edge, guard=each) for each in (ONE, *_simpler(edge.guard)))
    if edge.cost != 1:
        yield replace(edge, cost=1)
    for k, (target, value) in enumerate(edge.updates):
        rest = edge.updates[:k], edge.updates[k + 1 :]
        yield replace(edge, updates=(*rest[0], *rest[1]))
        yield from (replace(edge, updates=(*rest[0], (target, each), *rest[1])) for each in _simpler(value))
    if edge.sync is not None:
        for k, value in enumerate(edge.sync.values):
            for each in _simpler(value):
                values = (*edge.sync.values[:k], each, *edge.sync.values[k + 1 :])
                yield replace(edge, sync=replace(edge.sync, values=values))


def _simpler(expression: Expression) -> Iterator[Expression]:
    """Simpler expressions in the place of one: its parts, small numbers, itself with a simpler part."""
    if expression[0] == "n":
        if expression[1] not in (0, 1):
            yield from (number(0), number(1))
        return
    yield from parts_of(expression)
    yield from (number(0), number(1))
    for k, part in enumerate(expression):
        if isinstance(part, tuple):
            for each in _simpler(part):
                yield (*expression[:k], each, *expression[k + 1 :])


def _replaced(draft: Draft, index: int, process: Process) -> Draft:
    return replace(draft, processes=(*draft.processes[:index], process, *draft.processes[index + 1 :]))


def _with_edges(draft: Draft, change: Callable[[Edge], Edge | None]) -> Draft:
    processes = (
        replace(each, edges=tuple(edge for one in each.edges if (edge := change(one)) is not None))
        for each in draft.processes
    )
    return replace(draft, processes=tuple(processes))


def _without_process(draft: Draft, process: Process) -> Draft:
    kept = replace(
        draft,
        processes=tuple(each for each in draft.processes if each != process),
        variables=tuple(each for each in draft.variables if not each.name.startswith(f"{process.name}->")),
    )

    def gone(part: Expression) -> Expression:
        return number(0) if part[0] == "@" and part[1] == process.name else part

    return _without_names(with_expressions(kept, lambda each: changed(each, gone)), process.name)


def _without_names(draft: Draft, name: str) -> Draft:
    """The draft without uses of a variable, of a process's, or of a channel's."""

    def is_gone(place: Expression) -> bool:
        return place[0] in ("v", "c") and (place[1] == name or place[1].startswith(f"{name}->"))

    def gone(part: Expression) -> Expression:
        return number(0) if is_gone(part) else part

    def edge(each: Edge) -> Edge | None:
        if each.sync is not None and any(map(is_gone, each.sync.targets)):
            return None
        return replace(each, updates=tuple(pair for pair in each.updates if not is_gone(pair[0])))

    return with_expressions(_with_edges(draft, edge), lambda each: changed(each, gone))
