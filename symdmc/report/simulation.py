"""Simulations in the terminal: show the current state, ask what to do, do it."""

from __future__ import annotations

import random
from typing import IO

from rich.console import Console
from rich.text import Text

from symdmc.model.simulation import Simulation
from symdmc.model.state import State, Step
from symdmc.model.steps import passed_values, step_label
from symdmc.report.console import print_line
from symdmc.report.quantities import counted
from symdmc.report.traces import changes_text, print_state, print_trace, state_text

HELP = "a number takes that step, b goes back, r takes a random step, t shows the way here, q quits"


def print_walk(console: Console, walk: Simulation, steps: int | None) -> None:
    """A finished walk and where it ended."""
    trace = walk.trace()
    if trace is None:
        console.print("there is no initial state")
        return
    print_trace(console, trace, walk.system, steps)
    print_state(console, "last state: ", trace.final, walk.system)
    enabled, _ = walk.moves()
    ending = "" if enabled else "; no step leads on: a deadlock"
    print_line(console, f"{counted(len(trace.steps), 'step')}{ending}")
    _print_errors(console, walk)


def converse(walk: Simulation, console: Console, answers: IO[str], seed: int) -> None:
    """Ask until the answer is q or there are no more answers."""
    chance = random.Random(seed)
    console.print(HELP, style="dim")
    if not walk.starts:
        console.print("there is no initial state")
        return
    _print_place(console, walk)
    while (answer := _ask(console, answers)) not in ("q", "quit", "exit", None):
        if _obey(answer or "", walk, console, chance):
            _print_place(console, walk)


def _ask(console: Console, answers: IO[str]) -> str | None:
    """The next answer, None when there are no more."""
    console.print("> ", end="", style="bold")
    console.file.flush()
    line = answers.readline()
    if not line or not answers.isatty():
        console.print(line.strip())  # the answer was not typed, so that the terminal does not show it
    return line.strip().lower() if line else None


def _obey(answer: str, walk: Simulation, console: Console, chance: random.Random) -> bool:
    """Carry out an answer; False when the walk is unchanged."""
    match answer:
        case "":
            return True
        case "?" | "h" | "help":
            console.print(HELP, style="dim")
            return False
        case "b" | "back":
            return walk.back() or _refuse(console, "this is the start")
        case "r" | "random":
            return walk.take_any(chance) or _refuse(console, "no step leads on: a deadlock")
        case "t" | "trace":
            trace = walk.trace()
            if trace is not None:
                print_trace(console, trace, walk.system, None)
            return False
        case _:
            return _take(answer, walk) or _refuse(console, f"{answer!r} is no step and no command; {HELP}")


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


def _print_place(console: Console, walk: Simulation) -> None:
    """The state and the numbered steps from it, or the initial states to choose from."""
    state = walk.state
    if state is None:
        console.print("choose the initial state:", style="bold")
        for number, start in enumerate(walk.starts, start=1):
            _print_choice(console, number, state_text(start, walk.system))
        return
    far = f"after {counted(len(walk.steps), 'step')}: "
    print_state(console, far, state, walk.system)
    _print_errors(console, walk)
    steps, faults = walk.moves()
    for number, step in enumerate(steps, start=1):
        label = step_label(step, walk.system, passed_values(step, walk.semantics, state))
        changed = changes_text(state, step, walk.system)
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
