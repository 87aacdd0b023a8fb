"""Traces and states as a person reads them: who moves, and only what changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.checking.look import NOTHING, Look
from symdmc.model.named_state import Part, named_changes
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.steps import passed_values, step_channel, step_label
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.watching import Column, Excerpt, Seen
from symdmc.report.console import plain_table, print_block, print_line
from symdmc.report.quantities import counted
from symdmc.spelling.speech import ALL_STEPS

FAULT = "fault"
MOST_NAMED = 60
"""If a system has more processes and variables than this, the first state of a trace shows only what changes."""


def state_text(state: State, system: System, changing: Changing | None = None) -> str:
    """A state in one line: every location, then every variable and buffer that is not 0; or only what changes."""
    places, variables = changing or Changing.of(system)
    located = [f"{part.name}.{part.value(state)}" for part in places]
    values = [f"{part.name} = {part.text(part.value(state))}" for part in variables if not part.is_zero(state)]
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

    def within(self, part: Excerpt) -> Changing:
        """Those of them that belong to an excerpt."""
        places = [each for each in self.places if part.has(each.name)]
        return Changing(places, [each for each in self.variables if part.has(each.name)])


def print_state(console: Console, title: str, state: State, system: System, part: Excerpt | None = None) -> None:
    """A state after its title, wrapped; or only an excerpt."""
    shown = None if part is None else Changing.of(system).within(part)
    print_block(console, Text.assemble((title, "bold"), state_text(state, system, shown)))


def _left_out(everything: Changing, shown: Changing) -> str:
    """How much of a state is not shown."""
    nouns = zip(("process", "variable"), everything, shown, strict=True)
    counts = [(noun, len(one) - len(other)) for noun, one, other in nouns]
    parts = [counted(count, noun) for noun, count in counts if count]
    return f"; {' and '.join(parts)} left out, which the trace does not change ({ALL_STEPS})" if parts else ""


def print_trace(console: Console, trace: Trace, system: System, steps: int | None, look: Look = NOTHING) -> None:
    """The first state, then a table with one row for each step; at most `steps` rows, with None all of them."""
    everything = Changing.of(system)
    if look.part is not None or steps is None or sum(map(len, everything)) <= MOST_NAMED:
        print_state(console, "first state: ", trace.initial, system, look.part)
    else:
        shown = everything.along(trace)
        text = state_text(trace.initial, system, shown)
        print_block(console, Text.assemble(("first state: ", "bold"), text, _left_out(everything, shown)))
    if steps != 0 and (trace.steps or _columns(look)):
        print_block(console, trace_table(trace, system, steps, look))
    others = len(trace.steps) - len(_steps_of(trace, system, look.part))
    for line in _faults_seen(look.watched) if steps != 0 else ():
        print_line(console, line, "yellow")
    if others:
        print_line(console, f"{counted(others, 'step')} of others left out (--only)", "dim")
    if trace.error is not None and trace.error.fault:
        for line in fault_lines(trace.final, system):
            print_line(console, line, "yellow")


def fault_lines(state: State, system: System) -> list[str]:
    """One line for each attempt at a step from the state that faults: who, and why."""
    faults = [move for move in Semantics(system).moves(state) if isinstance(move, Fault)]
    return [f"then a fault: {step_label(Step(fault.edges, 0, state), system)}: {fault.reason}" for fault in faults]


def trace_table(trace: Trace, system: System, steps: int | None, look: Look = NOTHING) -> Table:
    """The steps of a trace, with a column for each thing that is looked at; a long one is cut in the middle."""
    table = plain_table()
    table.add_column("step", justify="right", style="dim")
    table.add_column("who moves", overflow="fold")
    table.add_column("what changes", overflow="fold")
    for column in _columns(look):
        is_number = any(isinstance(value, int) for value in column.values)
        table.add_column(Text(column.name), justify="right" if is_number else "left", overflow="fold")
    for row in _rows(trace, system, steps, look):
        table.add_row(*row)
    return table


def _columns(look: Look) -> tuple[Column, ...]:
    """What is looked at, the estimates last."""
    return (*look.watched, *look.estimates)


def _steps_of(trace: Trace, system: System, part: Excerpt | None) -> list[int]:
    """The numbers, from 0, of the steps in which a part of the system moves or changes."""
    if part is None:
        return list(range(len(trace.steps)))
    return [
        number
        for number, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False))
        if any(part.has(system.processes[process].name) for process, _ in step.edges)
        or any(part.has(name) for name, _, _ in named_changes(before, step.successor, system))
    ]


def _rows(trace: Trace, system: System, steps: int | None, look: Look) -> Iterator[tuple[Text, ...]]:
    numbers, columns = _steps_of(trace, system, look.part), _columns(look)
    total = len(numbers)
    shown = total if steps is None else min(steps, total)
    head, tail = shown - shown // 2, shown // 2
    states, semantics = trace.states, Semantics(system)
    if columns:
        yield Text("0"), Text("first state", style="dim"), Text(""), *_seen(columns, 0)
    for place, number in enumerate(numbers):
        if place == head and head + tail < total:
            left_out = Text(f"... {counted(total - head - tail, 'step')} ({ALL_STEPS})", style="dim")
            yield Text("..."), left_out, Text(""), *(Text("") for _ in columns)
        if head <= place < total - tail:
            continue
        step = trace.steps[number]
        label = step_label(step, system, passed_values(step, semantics, states[number]))
        changed = changes_text(states[number], step, system, look.part)
        yield Text(str(number + 1)), Text(label), Text(changed), *_seen(columns, number + 1)


def _seen(columns: Sequence[Column], number: int) -> Iterator[Text]:
    """What there is to see after a number of steps."""
    return (
        Text(FAULT, style="yellow") if _is_fault(column.values[number]) else Text(seen_text(column.values[number]))
        for column in columns
    )


def _is_fault(value: Seen) -> bool:
    return isinstance(value, str) and value.startswith(f"{FAULT}:")


def _faults_seen(columns: Iterable[Column]) -> Iterator[str]:
    """Why there are values missing, for each column the first reason."""
    for column in columns:
        faults = [number for number, value in enumerate(column.values) if _is_fault(value)]
        if faults:
            reason = seen_text(column.values[faults[0]]).removeprefix(f"{FAULT}: ")
            where = f"{counted(len(faults), 'state')}, the first after {counted(faults[0], 'step')}"
            yield f"{column.name} faults in {where}: {reason}"


def seen_text(value: Seen) -> str:
    """A value as text: `3`, `idle`, `[1, 2]`, `[(1, 0), (2, 5)]`."""
    if not isinstance(value, tuple):
        return str(value)
    return f"[{', '.join(f'({seen_text(each)[1:-1]})' if isinstance(each, tuple) else str(each) for each in value)}]"


def changes_text(before: State, step: Step, system: System, only: Excerpt | None = None) -> str:
    """What a step changes, such as `x: 1 -> 2` and, for a buffer, `c: [] -> [1]`.

    A change of location that the label of the step shows is left out; with an excerpt, also what is not in it.
    """
    said = {system.processes[step.edges[0][0]].name} if step_channel(step, system) is None else set()
    return ", ".join(
        f"{name}: {part.text(was)} -> {part.text(now)}"
        for part in system.parts.values()
        for name, was, now in part.changes(before, step.successor)
        if name not in said and (only is None or only.has(name))
    )
