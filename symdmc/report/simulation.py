"""Simulations in the terminal: show the current state, ask what to do, do it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from rich.console import Console
from rich.text import Text

from symdmc.checking.look import NOTHING, Look, LookRequest
from symdmc.errors import ModelError
from symdmc.model.simulation import Simulation
from symdmc.model.state import State, Step
from symdmc.model.steps import passed_values, step_label
from symdmc.model.watching import Column, Excerpt, Watch, part_of, watches
from symdmc.model.why_not import edges_that_wait, explained, why_not
from symdmc.report.console import print_line
from symdmc.report.looking import print_explained, print_look
from symdmc.report.quantities import counted
from symdmc.report.traces import changes_text, print_state, print_trace, seen_text, state_text

HELP = "a number takes that step, b goes back, r is random, t shows the way, w EDGE says why not, q quits"


def print_walk(console: Console, walk: Simulation, steps: int | None, look: Look = NOTHING) -> None:
    """A finished walk and where it ended."""
    trace = walk.trace()
    if trace is None:
        console.print("there is no initial state")
        return
    print_trace(console, trace, walk.system, steps, look)
    print_state(console, "last state: ", trace.final, walk.system)
    enabled, _ = walk.moves()
    ending = "" if enabled else "; no step leads on: a deadlock"
    print_line(console, f"{counted(len(trace.steps), 'step')}{ending}")
    _print_errors(console, walk)
    print_look(console, look)


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation about a walk."""

    walk: Simulation
    console: Console
    chance: random.Random
    watches: Sequence[Watch]
    part: Excerpt | None


def converse(walk: Simulation, console: Console, answers: IO[str], seed: int, asked: LookRequest) -> None:
    """Ask until the answer is q or there are no more answers."""
    part = part_of(walk.system, asked.only) if asked.only else None
    talk = _Talk(walk, console, random.Random(seed), watches(walk.system, asked.watched), part)
    console.print(HELP, style="dim")
    if not walk.starts:
        console.print("there is no initial state")
        return
    _print_place(talk)
    while (answer := _ask(console, answers)) is not None and answer.lower() not in ("q", "quit", "exit"):
        if _obey(answer, talk):
            _print_place(talk)


def _ask(console: Console, answers: IO[str]) -> str | None:
    """The next answer, None when there are no more."""
    console.print("> ", end="", style="bold")
    console.file.flush()
    line = answers.readline()
    if not line or not answers.isatty():
        console.print(line.strip())  # the answer was not typed, so that the terminal does not show it
    return line.strip() if line else None


def _obey(answer: str, talk: _Talk) -> bool:
    """Carry out an answer; False when the walk is unchanged."""
    walk, console = talk.walk, talk.console
    word, _, rest = answer.partition(" ")
    if word.lower() in ("w", "why"):
        return _explain(rest.strip(), walk, console)
    match answer.lower():
        case "":
            return True
        case "?" | "h" | "help":
            console.print(HELP, style="dim")
            return False
        case "b" | "back":
            return walk.back() or _refuse(console, "this is the start")
        case "r" | "random":
            return walk.take_any(talk.chance) or _refuse(console, "no step leads on: a deadlock")
        case "t" | "trace":
            trace = walk.trace()
            if trace is not None:
                seen = tuple(Column(name=each.text, values=each.along(trace.states)) for each in talk.watches)
                print_trace(console, trace, walk.system, None, Look(part=talk.part, watched=seen))
            return False
        case _:
            return _take(answer, walk) or _refuse(console, f"{answer!r} is no step and no command; {HELP}")


def _explain(edge: str, walk: Simulation, console: Console) -> bool:
    """Say why an edge cannot be taken, or without one why each cannot that leaves the locations."""
    state = walk.state
    if state is None:
        return _refuse(console, "choose an initial state first")
    try:
        if edge:
            found = why_not(walk.system, state, edge)
        else:
            waiting = edges_that_wait(walk.semantics, state)
            found = tuple(explained(walk.semantics, state, ref) for ref in waiting)
    except ModelError as error:
        return _refuse(console, str(error))
    for each in found:
        print_explained(console, each)
    if not found:
        print_line(console, "every edge that leaves a location can be taken")
    return False


def _take(answer: str, walk: Simulation) -> bool:
    """Take the step of that number."""
    choices: tuple[State, ...] | list[Step] = walk.starts if walk.state is None else walk.moves()[0]
    if not answer.isdecimal() or len(answer) > 9 or not 1 <= int(answer) <= len(choices):
        return False
    chosen = choices[int(answer) - 1]
    if isinstance(chosen, State):
        walk.start(chosen)
    else:
        walk.take(chosen)
    return True


def _refuse(console: Console, why: str) -> bool:
    print_line(console, why, "yellow")
    return False


def _print_place(talk: _Talk) -> None:
    """The state and the numbered steps from it, or the initial states to choose from."""
    walk, console = talk.walk, talk.console
    state = walk.state
    if state is None:
        console.print("choose the initial state:", style="bold")
        for number, start in enumerate(walk.starts, start=1):
            _print_choice(console, number, state_text(start, walk.system))
        return
    far = f"after {counted(len(walk.steps), 'step')}: "
    print_state(console, far, state, walk.system, talk.part)
    for watch in talk.watches:
        print_line(console, f"      {watch.text} = {seen_text(watch.value(state))}")
    _print_errors(console, walk)
    steps, faults = walk.moves()
    for number, step in enumerate(steps, start=1):
        label = step_label(step, walk.system, passed_values(step, walk.semantics, state))
        changed = changes_text(state, step, walk.system, talk.part)
        _print_choice(console, number, f"{label}   {changed}".rstrip())
    for fault in faults:
        name = step_label(Step(fault.edges, 1, state), walk.system)
        print_line(console, f"  fault: {name}: {fault.reason}", "yellow")
    if not steps:
        console.print(Text("no step leads on: a deadlock", style="yellow"))


def _print_choice(console: Console, number: int, text: str) -> None:
    print_line(console, Text.assemble((f"{number:>4}  ", "bold cyan"), text))


def _print_errors(console: Console, walk: Simulation) -> None:
    for name in walk.errors():
        console.print(Text(f"error state of property {name}", style="bold red"))
