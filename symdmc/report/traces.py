"""Traces and states as a person reads them: who moves, and only what changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.model.named_state import Part, named_changes
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import passed_values, step_channel, step_label
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.report.console import plain_table, print_block, print_line
from symdmc.report.quantities import counted

MOST_NAMED = 60
"""If a system has more processes and variables than this, the first state of a trace shows only what changes."""


def state_text(state: State, system: System, changing: Changing | None = None) -> str:
    """A state in one line: every location, then every variable and buffer that is not 0; or only what changes."""
    places, variables = changing or Changing.of(system)
    located = [f"{part.name}.{part.value(state)}" for part in places]
    values = [f"{part.name} = {part.value(state)}" for part in variables if not part.is_zero(state)]
    shown = [text for text in (" ".join(located), ", ".join(values)) if text]
    if len(values) < len(variables):
        shown.append("all else 0" if values else "all variables 0")
    return "; ".join(shown)


class Changing(NamedTuple):
    """Processes, and variables with buffers."""

    places: Sequence[Part]
    variables: Sequence[Part]

    @classmethod
    def of(cls, system: System) -> Changing:
        """All processes and variables of a system that can change."""
        parts = system.parts.values()
        places = [part for part in parts if part.process is not None]
        return cls(places, [part for part in parts if part.process is None and not part.constant])

    def along(self, trace: Trace) -> Changing:
        """Those of them that a trace changes."""
        first, states = trace.initial, trace.states

        def changed(parts: Sequence[Part]) -> list[Part]:
            return [part for part in parts if any(part.differs(first, state) for state in states)]

        return Changing(changed(self.places), changed(self.variables))


def print_state(console: Console, title: str, state: State, system: System) -> None:
    """A state after its title, wrapped."""
    print_block(console, Text.assemble((title, "bold"), state_text(state, system)))


def _left_out(everything: Changing, shown: Changing) -> str:
    """How much of a state is not shown."""
    nouns = zip(("process", "variable"), everything, shown, strict=True)
    counts = [(noun, len(one) - len(other)) for noun, one, other in nouns]
    parts = [counted(count, noun) for noun, count in counts if count]
    return f"; {' and '.join(parts)} left out, which the trace does not change (--steps all)" if parts else ""


def print_trace(console: Console, trace: Trace, system: System, steps: int | None) -> None:
    """The first state, then a table with one row for each step; at most `steps` rows, with None all of them."""
    everything = Changing.of(system)
    if steps is None or sum(map(len, everything)) <= MOST_NAMED:
        print_state(console, "first state: ", trace.initial, system)
    else:
        shown = everything.along(trace)
        text = state_text(trace.initial, system, shown)
        print_block(console, Text.assemble(("first state: ", "bold"), text, _left_out(everything, shown)))
    if trace.steps and steps != 0:
        print_block(console, trace_table(trace, system, steps))
    if trace.error is not None and trace.error.fault:
        for line in fault_lines(trace.final, system):
            print_line(console, line, "yellow")


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
    """What a step changes, such as `x: 1 -> 2` and, for a buffer, `c: [] -> [1]`.

    A change of location that the label of the step shows is left out.
    """
    said = {system.processes[step.edges[0][0]].name} if step_channel(step, system) is None else set()
    changed = named_changes(before, step.successor, system)
    return ", ".join(f"{name}: {was} -> {now}" for name, was, now in changed if name not in said)
