"""Traces and states as a person reads them: who moves, and only what changes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import changes, passed_values, step_channel, step_label
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.report.console import plain_table, print_block


def state_text(state: State, system: System) -> str:
    """A state in one line: every location, then every variable that is not 0."""
    places = (f"{process.name}.{place}" for process, place in zip(system.processes, state.locations, strict=True))
    values = [
        f"{variable.name} = {_cells(cells, variable.size)}"
        for variable, cells in zip(system.storage, state.values, strict=True)
        if any(cells) and not variable.constant
    ]
    shown = [" ".join(places), *([", ".join(values)] if values else [])]
    changing = sum(not variable.constant for variable in system.storage)
    if len(values) < changing:
        shown.append("all else 0" if values else "all variables 0")
    return "; ".join(shown)


def print_state(console: Console, title: str, state: State, system: System) -> None:
    """A state behind its title, wrapped."""
    print_block(console, Text.assemble((title, "bold"), state_text(state, system)))


def _cells(cells: tuple[int, ...], size: int | None) -> str:
    return str(cells[0]) if size is None else f"[{', '.join(map(str, cells))}]"


def print_trace(console: Console, trace: Trace, system: System, steps: int | None) -> None:
    """The first state, then a table with one row a step; `steps` rows at the most, None for all."""
    print_state(console, "first state: ", trace.initial, system)
    if trace.steps and steps != 0:
        print_block(console, trace_table(trace, system, steps))
    if trace.error is not None and trace.error.fault:
        for line in fault_lines(trace.final, system):
            console.print(Text(line, style="yellow"), soft_wrap=True)


def fault_lines(state: State, system: System) -> list[str]:
    """One line for each attempt at a step from the state that faults: who, and why."""
    faults = [move for move in Semantics(system).moves(state) if isinstance(move, Fault)]
    return [f"then a fault: {step_label(Step(fault.edges, 0, state), system)}: {fault.reason}" for fault in faults]


def trace_table(trace: Trace, system: System, steps: int | None) -> Table:
    """The steps of a trace; a long one is cut in the middle."""
    table = plain_table()
    table.add_column("step", justify="right", style="dim")
    table.add_column("who moves", overflow="fold")
    table.add_column("what changes", overflow="fold")
    for row in _rows(trace, system, steps):
        table.add_row(*row)
    return table


def _rows(trace: Trace, system: System, steps: int | None) -> Iterator[tuple[Text, Text, Text]]:
    total = len(trace.steps)
    shown = total if steps is None else min(steps, total)
    head, tail = shown - shown // 2, shown // 2
    states, semantics = trace.states, Semantics(system)
    for number, step in enumerate(trace.steps):
        if number == head and head + tail < total:
            yield Text("..."), Text(f"... {total - head - tail:,} steps (--steps all)", style="dim"), Text("")
        if head <= number < total - tail:
            continue
        label = step_label(step, system, passed_values(step, semantics, states[number]))
        yield Text(str(number + 1)), Text(label), Text(changes_text(states[number], step, system))


def changes_text(before: State, step: Step, system: System) -> str:
    """What a step changes: `x: 1 -> 2`; where the label of the step says who went where, that is left out."""
    said = {system.processes[step.edges[0][0]].name} if step_channel(step, system) is None else set()
    return ", ".join(
        f"{name}: {was} -> {now}" for name, was, now in changes(before, step.successor, system) if name not in said
    )
