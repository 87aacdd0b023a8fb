"""What a check found, as build servers want to know it: the outcome, and remarks with their places in files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.fingerprint import fingerprint
from symdmc.model.semantics import Semantics
from symdmc.model.state import EdgeRef, Fault
from symdmc.model.steps import Change, Value, changes, named_values, passed_values, step_label
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import SearchResult, Verdict
from symdmc.report.quantities import counted
from symdmc.report.results import headline, known_faults, reasons
from symdmc.report.traces import changes_text

SAFE, ERROR, UNKNOWN, REFUSED = "safe", "error", "unknown", "refused"
"""How a check can end."""
RULES: Mapping[str, tuple[str, str]] = {
    "error-reachable": ("error", "An error state is reachable."),
    "fault": ("warning", "A step faults: it divides by zero, or a value or an index is out of range."),
    "undecided": ("warning", "A limit was reached before there was an answer."),
    "bad-input": ("error", "The check broke off; complaints about what was given have rules of their own."),
}
"""What a remark can be about, each with its level and a sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and a place in it if that is known."""

    file: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Mover:
    """A process that takes part in a step, and where its edge is written."""

    process: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a trace."""

    label: str
    movers: tuple[Mover, ...]
    changed: tuple[Change, ...]
    told: str
    """What it changes, in words, as far as the label does not say it."""


@dataclass(frozen=True, slots=True)
class Way:
    """A trace: the first values of all that changes on it, and its steps."""

    start: Mapping[str, Value]
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that a person should look at."""

    rule: str
    """One of RULES."""
    text: str
    code: Code | None = None
    """Of a complaint."""
    place: Place | None
    way: Way | None = None

    @property
    def line(self) -> str:
        """The text, with the code of a complaint behind it."""
        return self.text if self.code is None else f"{self.text} [{self.code}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How one check ended."""

    model: str
    property: str
    outcome: str
    text: str
    """The answer in a line."""
    reasons: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0
    exit_code: int
    fingerprint: str = ""


def check_finding(model: str, system: System, result: SearchResult, exit_code: int) -> Finding:
    """What `check` found in a model."""
    outcome = {Verdict.SAFE: SAFE, Verdict.ERROR: ERROR, Verdict.UNKNOWN: UNKNOWN}[result.verdict]
    return Finding(
        model=model,
        property=result.property,
        outcome=outcome,
        text=headline(result),
        reasons=(*reasons(result), *(known_faults(model, None, result.verdict) if result.faults is None else ())),
        remarks=tuple(_remarks(model, system, result)),
        seconds=result.seconds,
        exit_code=exit_code,
        fingerprint=fingerprint(system),
    )


def failure_finding(
    model: str | None, complaints: Sequence[Complaint], told: Sequence[str], exit_code: int, *, is_limit: bool
) -> Finding:
    """A check that could not begin, or that a limit ended before there was anything to return.

    There are complaints, or lines that tell what else happened.
    """
    rule, outcome = ("undecided", UNKNOWN) if is_limit else ("bad-input", REFUSED)
    named = "the command line" if model is None else model
    return Finding(
        model=named,
        property="check",
        outcome=outcome,
        text=next(map(str, (*complaints, *told))),
        remarks=(
            *(
                Remark(rule=rule, text=str(each), code=each.code, place=_place(each.where) or _model_place(named))
                for each in complaints
            ),
            *(Remark(rule=rule, text=line, place=_model_place(named)) for line in told),
        ),
        exit_code=exit_code,
    )


def _remarks(model: str, system: System, result: SearchResult) -> Iterator[Remark]:
    trace, faults = result.trace, result.faults
    if result.verdict is Verdict.UNKNOWN:
        yield Remark(rule="undecided", text=_answer(result), place=_model_place(model))
    if trace is not None:
        place = _end(trace, system) or _model_place(model)
        yield Remark(rule="error-reachable", text=_answer(result), place=place, way=way_of(trace, system))
    is_asked = trace is not None and trace.error is not None and trace.error.fault
    if not is_asked and faults is not None and faults.first is not None:
        text, *_ = known_faults(model, faults, result.verdict)
        place = _place_of_fault(faults.first, system) or _model_place(model)
        yield Remark(rule="fault", text=text, place=place, way=way_of(faults.first, system))


def _answer(result: SearchResult) -> str:
    return "; ".join((headline(result), *reasons(result)))


def way_of(trace: Trace, system: System) -> Way:
    """A trace with the places of its edges."""
    semantics = Semantics(system)
    pairs = list(zip(trace.states, trace.steps, strict=False))
    moves = tuple(
        Move(
            step_label(step, system, passed_values(step, semantics, before)),
            tuple(_movers(step.edges, system)),
            tuple(changes(before, step.successor, system)),
            changes_text(before, step, system),
        )
        for before, step in pairs
    )
    changed = {name for move in moves for name, _, _ in move.changed}
    return Way({name: value for name, value in named_values(trace.initial, system) if name in changed}, moves)


def way_lines(way: Way, most: int | None) -> Iterator[str]:
    """A line for each step of a trace; a long one is cut in the middle."""
    total = len(way.moves)
    shown = total if most is None else min(most, total)
    for number, move in enumerate(way.moves, start=1):
        if number == shown - shown // 2 + 1 and shown < total:
            yield f"... {counted(total - shown, 'step')}"
        if number <= shown - shown // 2 or number > total - shown // 2:
            yield f"{number}. {move.label}{f' ({move.told})' if move.told else ''}"


def _movers(edges: Sequence[EdgeRef], system: System) -> Iterator[Mover]:
    for process, edge in edges:
        yield Mover(system.processes[process].name, _place(system.processes[process].edges[edge].span))


def _end(trace: Trace, system: System) -> Place | None:
    """Where the last step is written, or what faults after it; without any step, the property or the first process."""
    if trace.error is not None and trace.error.fault:
        place = _place_of_fault(trace, system)
        if place is not None:
            return place
    spans = [system.processes[process].edges[edge].span for step in trace.steps[-1:] for process, edge in step.edges]
    asked = system.property_named.get(trace.property)
    declared = [asked.span if asked is not None else None, *(process.span for process in system.processes)]
    return next((place for span in (*spans, *declared) if (place := _place(span)) is not None), None)


def _place_of_fault(trace: Trace, system: System) -> Place | None:
    """Where the first edge is written that faults after a trace."""
    for move in Semantics(system).moves(trace.final):
        if isinstance(move, Fault):
            return next(_movers(move.edges, system)).place
    return None


def _place(where: SourceSpan | str | None) -> Place | None:
    """The place in a file that a complaint or a part of a model names."""
    match where:
        case SourceSpan(file, line, column) if os.path.isfile(file):
            return Place(_relative(file), line, column)
        case str() if os.path.isfile(where.partition(": ")[0]):
            return Place(_relative(where.partition(": ")[0]))
    return None


def _model_place(model: str) -> Place | None:
    """The file of a model, whose parameters stand behind a colon."""
    return _place(model if os.path.isfile(model) else model.partition(":")[0])


def _relative(file: str) -> str:
    """The path from the working folder, if the file lies in it."""
    path = os.path.relpath(file)
    return file if path.startswith(os.pardir) else path
