"""Random processes that move in pairs; the error state is somewhere a random walk has been.

      P0 ----a0---- P1           an edge between processes is an action they share,
       |  \\          |            and share with nobody else; the graph is connected
      a1    a3      a2
       |       \\     |           P0   s0 --a0--> s1 --> s2 --a1--> s0 ...
      P2 ----a4---- P3           each process is a random graph of its own

These are the randomly generated systems of [DFP09, section 7], where the benchmarks R5 to R10 are 15 seeds each for 5
to 10 processes, all else at its default. An action is a rendezvous of two processes and nothing more; an edge without
one is a step of a single process. What the paper does not say is decided here as follows:

- the first `processes - 1` actions make a random tree, so that the graph is connected; the others join random pairs;
- a process has min_states to max_states locations, a ring of edges through all of them, and one more edge between any
  two locations for every three locations. Half of these edges are without action, the others draw one of the actions
  of the process; actions that are left over get an edge each;
- the error is that every process is where a random walk of 50 steps for each process ended, so it is reachable by
  construction. Systems in which the walk gets stuck, or ends with less than half of the processes away from their
  first location, are drawn again.

Equal parameters give equal systems on every version of Python: only `Random.random` is used, whose sequence for a seed
is promised not to change (Mersenne Twister).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Annotated, TypeAlias

from symdmc.errors import Code, Complaint, ModelError
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between

WALK = 50
"""Steps of the random walk for each process."""
DRAWS = 1000
"""At most this many systems are drawn."""

Pair: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Arc:
    """An edge of a process: from a location to a location, with an action or without."""

    source: int
    target: int
    action: int | None


@dataclass(frozen=True, slots=True)
class _Draw:
    """One random system: who shares each action, the size of each process, and its edges."""

    pairs: tuple[Pair, ...]
    sizes: tuple[int, ...]
    arcs: tuple[tuple[_Arc, ...], ...]


def build(
    *,
    processes: Annotated[int, Between(2, 20)] = 5,
    seed: Annotated[int, Between(0, 10**9)] = 0,
    actions: Annotated[int, Between(1, 400)] | None = None,
    min_states: Annotated[int, Between(2, 50)] = 3,
    max_states: Annotated[int, Between(2, 50)] = 10,
) -> System:
    """A random system with the property `meeting`: all processes are at their error locations.

    processes: how many processes
    seed: chooses the system
    actions: shared actions, at least processes - 1 (default: 2 * processes)
    min_states: locations of the smallest possible process
    max_states: locations of the largest possible process
    """
    actions = 2 * processes if actions is None else actions
    _reject_contradictions(processes, actions, min_states, max_states)
    for attempt in range(DRAWS):
        chance = Random(DRAWS * seed + attempt)
        draw = _draw(chance, processes, actions, min_states, max_states)
        meeting = _walk(chance, draw)
        if meeting is not None and 2 * sum(place != 0 for place in meeting) >= processes:
            return _system(draw, meeting)
    what = f"no walk of {WALK * processes} steps was found in {DRAWS} systems"
    raise ModelError(Complaint(Code.WRONG_PARAMETER, what, "choose another seed, or more actions", "random_system"))


def _reject_contradictions(processes: int, actions: int, min_states: int, max_states: int) -> None:
    complaints = []
    if actions < processes - 1:
        what = f"parameter actions={actions} cannot connect {processes} processes"
        complaints.append(Complaint(Code.WRONG_PARAMETER, what, f"give at least {processes - 1}", "random_system"))
    if min_states > max_states:
        what = f"parameter min_states={min_states} is larger than max_states={max_states}"
        complaints.append(
            Complaint(Code.WRONG_PARAMETER, what, f"give an integer from 2 to {max_states}", "random_system")
        )
    if complaints:
        raise ModelError(complaints)


def _below(chance: Random, bound: int) -> int:
    """A number from 0 to bound - 1."""
    return int(chance.random() * bound)


def _draw(chance: Random, processes: int, actions: int, low: int, high: int) -> _Draw:
    sizes = tuple(low + _below(chance, high - low + 1) for _ in range(processes))
    tree = [(_below(chance, process), process) for process in range(1, processes)]
    pairs = (*tree, *(_draw_pair(chance, processes) for _ in range(actions - len(tree))))
    arcs = tuple(
        _draw_arcs(chance, size, [action for action, pair in enumerate(pairs) if process in pair])
        for process, size in enumerate(sizes)
    )
    return _Draw(pairs, sizes, arcs)


def _draw_pair(chance: Random, processes: int) -> Pair:
    first, second = _below(chance, processes), _below(chance, processes - 1)
    second += second >= first
    return min(first, second), max(first, second)


def _draw_arcs(chance: Random, size: int, actions: list[int]) -> tuple[_Arc, ...]:
    """The edges of a process with `size` locations; location 0 is the first."""
    ends = [(place, (place + 1) % size) for place in range(size)]
    ends += [(_below(chance, size), _below(chance, size)) for _ in range(size // 3)]
    arcs = [_Arc(source, target, _draw_action(chance, actions)) for source, target in ends]
    unused = [action for action in actions if all(arc.action != action for arc in arcs)]
    arcs += [_Arc(_below(chance, size), _below(chance, size), action) for action in unused]
    return tuple(dict.fromkeys(arcs))


def _draw_action(chance: Random, actions: list[int]) -> int | None:
    return None if chance.random() < 0.5 else actions[_below(chance, len(actions))]


def _walk(chance: Random, draw: _Draw) -> list[int] | None:
    """Where a random walk ends, or None where it gets stuck."""
    places = [0] * len(draw.sizes)
    for _ in range(WALK * len(draw.sizes)):
        moves = _moves(draw, places)
        if not moves:
            return None
        for process, target in moves[_below(chance, len(moves))]:
            places[process] = target
    return places


def _moves(draw: _Draw, places: list[int]) -> list[tuple[Pair, ...]]:
    """The ways to move on, each as the processes that move and their next locations."""
    ready = [[arc for arc in arcs if arc.source == place] for arcs, place in zip(draw.arcs, places, strict=True)]
    alone = [((process, arc.target),) for process, arcs in enumerate(ready) for arc in arcs if arc.action is None]
    together = [
        ((first, one.target), (second, other.target))
        for action, (first, second) in enumerate(draw.pairs)
        for one, other in product(ready[first], ready[second])
        if one.action == other.action == action
    ]
    return [*alone, *together]


def _system(draw: _Draw, meeting: list[int]) -> System:
    m = Builder("random_system")
    for action in range(len(draw.pairs)):
        m.channel(f"a{action}")
    for number, arcs in enumerate(draw.arcs):
        process = m.process(f"P{number}", initial="s0")
        for arc in arcs:
            sync = None if arc.action is None else f"a{arc.action}{'!' if draw.pairs[arc.action][0] == number else '?'}"
            process.edge(f"s{arc.source}", f"s{arc.target}", sync=sync)
    m.property("meeting", " and ".join(f"P{number}.s{place}" for number, place in enumerate(meeting)))
    return m.build()
