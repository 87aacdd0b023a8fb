"""Traces and certificates with the system they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path

from symdmc.api.shown import STEPS, Printed, html_table, json_values, text_of, write_json
from symdmc.evidence import certificate as evidence
from symdmc.model import trace as model
from symdmc.model.files.trace_format import trace_to_json
from symdmc.model.named_state import NamedChange, NamedState, named_changes
from symdmc.model.semantics import Semantics
from symdmc.model.state import Step
from symdmc.model.steps import passed_values, step_channel, step_label
from symdmc.model.system import Edge, System
from symdmc.spelling.abridged import MOST_LETTERS, brief, cut


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TakenEdge:
    """An edge that takes part in a step."""

    process: str
    number: int
    """Among the edges of the process, counted from 0."""
    edge: Edge
    """As it stands in the model, with its guard and what it does."""

    @property
    def source(self) -> str:
        """The location it leaves."""
        return self.edge.source

    @property
    def target(self) -> str:
        """The location it leads to."""
        return self.edge.target

    def __repr__(self) -> str:
        return brief("TakenEdge", f"{self.process}: {self.source} -> {self.target}", number=self.number)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TraceStep:
    """A step of a trace, with who moves and what changes."""

    number: int
    """Counted from 1."""
    label: str
    """In one line: `P: idle -> busy`, or `c(3): P! Q?` for a synchronisation on c that passes 3."""
    channel: str | None
    """The channel or lockstep label; None for a step of one process alone."""
    passed: tuple[int, ...]
    """The values passed."""
    cost: int
    edges: tuple[TakenEdge, ...]
    """The sender's first."""
    before: NamedState
    after: NamedState

    @property
    def processes(self) -> tuple[str, ...]:
        """Those who move, the sender first."""
        return tuple(edge.process for edge in self.edges)

    @property
    def changes(self) -> list[NamedChange]:
        """Each name with what it stood for before and after: cells of arrays one by one, all else as a whole."""
        return named_changes(self.before, self.after, self.after.system)

    @property
    def changed(self) -> str:
        """The changes in words, without the change of location that the label shows."""
        said = self.processes if self.channel is None else ()
        return ", ".join(f"{name}: {was} -> {now}" for name, was, now in self.changes if name not in said)

    def __str__(self) -> str:
        return cut(f"{self.number}. {self.label}{'; ' if self.changed else ''}{self.changed}", MOST_LETTERS - 1)

    def __repr__(self) -> str:
        return brief("TraceStep", self.label, number=self.number, cost=self.cost)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Trace(Printed, model.Trace):
    """A path through a system whose states and steps have names; it is true, also where it has no step.

    `len(trace)` is the number of steps, `trace.length` the sum of their costs. Iterating gives each step with its
    label, who moves and what changes, and so does `trace[0]`.
    """

    initial: NamedState
    system: System = field(compare=False)

    @classmethod
    def of(cls, trace: model.Trace, system: System) -> Trace:
        """The trace with the names of its system."""
        parts = {each.name: getattr(trace, each.name) for each in fields(model.Trace)}
        return cls(**parts | {"initial": NamedState.of(trace.initial, system)}, system=system)

    @property
    def final(self) -> NamedState:
        """The state the trace ends in."""
        return self._named(self.steps[-1]) if self.steps else self.initial

    @property
    def states(self) -> tuple[NamedState, ...]:
        """All states on the way, the first and the last included."""
        return (self.initial, *map(self._named, self.steps))

    def _named(self, step: Step) -> NamedState:
        return NamedState.of(step.successor, self.system)

    def __len__(self) -> int:
        return len(self.steps)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[TraceStep]:
        semantics = Semantics(self.system)
        return (self._seen(place, semantics) for place in range(len(self.steps)))

    def __getitem__(self, place: int) -> TraceStep:
        if not -len(self.steps) <= place < len(self.steps):
            raise IndexError(f"the trace has {len(self.steps)} steps, counted from 0; there is no step {place}")
        return self._seen(place % len(self.steps), Semantics(self.system))

    def _seen(self, place: int, semantics: Semantics) -> TraceStep:
        step, before = self.steps[place], self._named(self.steps[place - 1]) if place else self.initial
        channel, passed = step_channel(step, self.system), passed_values(step, semantics, before)
        processes = [(self.system.processes[process], edge) for process, edge in step.edges]
        return TraceStep(
            number=place + 1,
            label=step_label(step, self.system, passed),
            channel=None if channel is None else channel.name,
            passed=passed,
            cost=step.cost,
            edges=tuple(TakenEdge(process=each.name, number=edge, edge=each.edges[edge]) for each, edge in processes),
            before=before,
            after=self._named(step),
        )

    def text(self, *, steps: int | None = STEPS) -> str:
        """What the command line prints: the first state, then at most `steps` steps; None leaves no step out."""
        from symdmc.report.traces import print_trace

        return text_of(lambda console: print_trace(console, self, self.system, steps))

    def to_json(self) -> dict[str, object]:
        """The trace as JSON values; the schema is `symdmc.schema("trace")`."""
        return json_values(trace_to_json(self, self.system))

    def write(self, path: str | PathLike[str]) -> None:
        """Write the trace to a file, for `symdmc.read_trace` and `symdmc replay`."""
        write_json(path, self.to_json())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, model.Trace):
            return NotImplemented
        return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(model.Trace))

    def __hash__(self) -> int:
        return hash((self.fingerprint, self.property, self.initial, self.steps, self.error))

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [(step.number, step.label, step.changed) for step in self]
        if len(rows) > STEPS:
            rows[STEPS // 2 : -STEPS // 2] = [("...", f"... {len(rows) - STEPS:,} steps", "")]
        return html_table(("step", "who moves", "what changes"), rows)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate(evidence.Certificate):
    """A set of states that proves a system safe, with that system."""

    subject: System = field(compare=False)
    """The system it is about."""

    @classmethod
    def of(cls, certificate: evidence.Certificate, system: System) -> Certificate:
        """The certificate with its system."""
        parts = {each.name: getattr(certificate, each.name) for each in fields(evidence.Certificate)}
        return cls(**parts, subject=system)

    def write(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file, for `symdmc.read_certificate` and `symdmc certify`."""
        evidence.write_certificate(Path(path), self, self.subject)
