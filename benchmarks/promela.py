"""Promela text for systems that have locations and rendezvous only, with the same states and steps.

The locations of all processes are in one array, and each step is one option of one loop, taken as a whole: what Spin
stores are exactly the reachable states. Written with channels and one process for each of ours, Spin's breadth-first
search would also store a state between the two halves of every rendezvous, and its states would be ten times as long.

    python -m benchmarks.promela arbiter_tree:height=3,faulty=false > tree.pml
    python -m benchmarks.promela hanoi:disks=14,variant=plain > hanoi.pml
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import symdmc
from symdmc.model.expressions import TRUE, At, Expr, conjuncts
from symdmc.model.system import ChannelKind, Direction, Edge, System


def promela(system: System) -> str:
    """The system as one Promela process; raises ValueError where it has more than locations and rendezvous."""
    kinds = {channel.kind for channel in system.channels}
    if system.variables or not kinds <= {ChannelKind.RENDEZVOUS}:
        raise ValueError(f"{system.name} has variables, or channels that are no rendezvous")
    places = {
        (process.name, location.name): (f"at[{number}]", value)
        for number, process in enumerate(system.processes)
        for value, location in enumerate(process.locations)
    }
    starts = [
        f"    {array} = {value};"
        for process in system.processes
        for array, value in [places[process.name, process.initial[0]]]
        if value
    ]
    options = [_option(team, places) for team in _teams(system)]
    head = [f"byte at[{len(system.processes)}];", "", "active proctype System() {", *starts, "    do"]
    return "\n".join([*head, *options, "    od", "}", ""])


def _teams(system: System) -> Iterator[tuple[tuple[str, Edge], ...]]:
    """The edges that can make one step, each with the name of its process."""
    edges = [(process.name, edge) for process in system.processes for edge in process.edges]
    yield from (((name, edge),) for name, edge in edges if edge.sync is None)
    receivers: dict[str, list[tuple[str, Edge]]] = {channel.name: [] for channel in system.channels}
    for name, edge in edges:
        if edge.sync is not None and edge.sync.direction is Direction.RECEIVE:
            receivers[edge.sync.channel].append((name, edge))
    for name, edge in edges:
        if edge.sync is not None and edge.sync.direction is Direction.SEND:
            yield from product([(name, edge)], (other for other in receivers[edge.sync.channel] if other[0] != name))


def _option(team: tuple[tuple[str, Edge], ...], places: dict[tuple[str, str], tuple[str, int]]) -> str:
    """One step as an option of the loop."""
    tests, moves = [], []
    for name, edge in team:
        (array, source), (_, target) = places[name, edge.source], places[name, edge.target]
        tests.append(f"{array} == {source}")
        tests += [_test(part, places) for part in conjuncts(edge.guard) if part != TRUE]
        moves.append(f"{array} = {target}")
    return f"    :: d_step {{ {' && '.join(tests)} -> {'; '.join(moves)} }}"


def _test(guard: Expr, places: dict[tuple[str, str], tuple[str, int]]) -> str:
    match guard:
        case At(process, location):
            array, value = places[process, location]
            return f"{array} == {value}"
        case _:
            raise ValueError(f"the guard {guard} tests more than locations")


if __name__ == "__main__":
    print(promela(symdmc.load(sys.argv[1])), end="")
