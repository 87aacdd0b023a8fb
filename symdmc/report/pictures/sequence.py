"""Traces as sequence diagrams in Mermaid: processes as participants, synchronisations as messages between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symdmc.model.semantics import Semantics
from symdmc.model.state import State, Step
from symdmc.model.steps import passed_values, step_channel, step_label
from symdmc.model.system import Channel, ChannelKind, Direction, System
from symdmc.model.trace import Trace
from symdmc.report.traces import Changing, changes_text, fault_lines, state_text
from symdmc.spelling.printable import printable


def to_mermaid(trace: Trace, system: System) -> str:
    """The trace as text for Mermaid; who never moves is left out, and of the first state what never changes."""
    return "\n".join((*_Drawing(trace, system).lines(), ""))


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A trace on its way to the page."""

    trace: Trace
    system: System

    def lines(self) -> Iterator[str]:
        """The participants from left to right, then what happens from top to bottom."""
        movers, buffers = self.movers(), self.buffers()
        yield "sequenceDiagram"
        yield f"  %% {printable(self.system.name)}: {printable(self.trace.property)}"
        for number in movers:
            yield f"  participant p{number} as {_text(self.system.processes[number].name)}"
        for number in buffers:
            yield f"  participant c{number} as {_text(self.system.channels[number].name)} (buffer)"
        everybody = [*(f"p{number}" for number in movers), *(f"c{number}" for number in buffers)]
        shown = state_text(self.trace.initial, self.system, Changing.of(self.system).along(self.trace))
        yield _note(everybody, f"first state: {shown}" if shown else "first state")
        semantics = Semantics(self.system)
        for number, (before, step) in enumerate(zip(self.trace.states, self.trace.steps, strict=False), start=1):
            yield from self.step(number, before, step, semantics)
        yield from (_note(everybody, line) for line in self.end())

    def movers(self) -> list[int]:
        """The processes that move, in the order of the model; the first one where none does."""
        return sorted({process for step in self.trace.steps for process, _ in step.edges}) or [0]

    def buffers(self) -> list[int]:
        """The buffered channels that are used, in the order of the model."""
        used = {channel.name for step in self.trace.steps if (channel := step_channel(step, self.system)) is not None}
        return [
            number
            for number, channel in enumerate(self.system.channels)
            if channel.kind is ChannelKind.BUFFERED and channel.name in used
        ]

    def step(self, number: int, before: State, step: Step, semantics: Semantics) -> Iterator[str]:
        """The messages of a step, then a note with what it changes."""
        channel, passed = step_channel(step, self.system), passed_values(step, semantics, before)
        label = step_label(step, self.system, passed)
        teams = [f"p{process}" for process in sorted(process for process, _ in step.edges)]
        changed = changes_text(before, step, self.system)
        if channel is None:
            move = label.partition(": ")[2]
            yield _note(teams, f"{number}. {move} ({changed})" if changed else f"{number}. {move}")
            return
        if channel.kind is ChannelKind.LOCKSTEP:
            yield _note(teams, f"{number}. {label}")
        else:
            what = f"{number}. {label.partition(': ')[0]}"
            yield from (
                f"  {source}{arrow}{target}: {_text(what)}" for source, arrow, target in self.arrows(step, channel)
            )
        if changed:
            yield _note(teams, changed)

    def arrows(self, step: Step, channel: Channel) -> Iterator[tuple[str, str, str]]:
        """Who sends to whom, with the arrow: open where the message stays in a buffer."""
        first, *others = (f"p{process}" for process, _ in step.edges)
        if channel.kind is ChannelKind.BUFFERED:
            buffer = f"c{self.system.channels.index(channel)}"
            process, edge = step.edges[0]
            sync = self.system.processes[process].edges[edge].sync
            is_sent = sync is not None and sync.direction is Direction.SEND
            yield (first, "-)", buffer) if is_sent else (buffer, "->>", first)
        elif not others:  # a broadcast that nobody receives
            yield first, "-x", first
        yield from ((first, "->>", other) for other in others)

    def end(self) -> Iterator[str]:
        """What the last state is."""
        error = self.trace.error
        if error is not None:
            yield f"error state: {error.name}"
        if error is not None and error.fault:
            yield from fault_lines(self.trace.final, self.system)


def _note(participants: list[str], text: str) -> str:
    """A note under the lines of the participants that stand first and last; a note covers two at most."""
    over = participants[0] if len(participants) == 1 else f"{participants[0]},{participants[-1]}"
    return f"  Note over {over}: {_text(text)}"


def _text(text: str) -> str:
    """A text in which no character means anything to Mermaid, or to the page that shows it."""
    marks = {"#": "#35;", ";": "#59;", "<": "#lt;", "&": "#amp;"}
    return "".join(marks.get(each, each) for each in printable(text))
