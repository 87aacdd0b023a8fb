"""Traces as JSON and back; docs/formats/traces.md describes the schema.

For its readers, a file also has what follows from the steps: labels, passed values, sources and targets, the length.
Reading a trace derives all of this again and refuses a file that differs from it.
"""

from __future__ import annotations

import json
from pathlib import Path

from symdmc.errors import Code, Complaint, EvidenceRefused
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.files.condition_format import condition_from_json, condition_to_json
from symdmc.model.files.itf_format import is_itf, is_itf_name, itf_text, state_to_json, trace_from_itf
from symdmc.model.files.json_reading import JsonFields, JsonNode, excerpt, load_json
from symdmc.model.files.text_file import write_text_file
from symdmc.model.fingerprint import evidence_fields
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import EdgeRef, State, Step
from symdmc.model.steps import cell_names, changes, passed_values, step_channel, step_label, team_fault
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.spelling.suggestions import did_you_mean

SCHEMA = "symdmc-trace/1"

_TRACE = ("schema", "model", "fingerprint", "property", "error", "length", "transitions", "initial", "steps")
_STEP = ("label", "channel", "passed", "cost", "edges", "changes")
_EDGE = ("process", "edge", "source", "target")


def trace_to_json(trace: Trace, system: System) -> dict[str, object]:
    """The trace as JSON values: the full first state, then for each step its label, its edges and what it changes."""
    semantics = Semantics(system)
    return {
        "schema": SCHEMA,
        "model": system.name,
        "fingerprint": trace.fingerprint,
        "property": trace.property,
        "error": None if trace.error is None else condition_to_json(trace.error),
        "length": trace.length,
        "transitions": len(trace.steps),
        "initial": state_to_json(trace.initial, system),
        "steps": [
            _step_to_json(step, before, semantics) for before, step in zip(trace.states, trace.steps, strict=False)
        ],
    }


def _step_to_json(step: Step, before: State, semantics: Semantics) -> dict[str, object]:
    system = semantics.system
    channel = step_channel(step, system)
    try:
        passed = passed_values(step, semantics, before)
    except ArithmeticFault:  # there is no such step; `replay` will say so
        passed = ()
    return {
        "label": step_label(step, system, passed),
        "channel": None if channel is None else channel.name,
        "passed": list(passed),
        "cost": step.cost,
        "edges": [_edge_to_json(ref, system) for ref in step.edges],
        "changes": {name: new for name, _, new in changes(before, step.successor, system)},
    }


def _edge_to_json(ref: EdgeRef, system: System) -> dict[str, object]:
    process = system.processes[ref[0]]
    edge = process.edges[ref[1]]
    return {"process": process.name, "edge": ref[1], "source": edge.source, "target": edge.target}


def write_trace(path: str | Path, trace: Trace, system: System) -> None:
    """Write the trace to a file, whole or not at all; as ITF, if the name of the file says so."""
    path = Path(path)
    as_itf = is_itf_name(path)
    write_text_file(
        path, itf_text(trace, system) if as_itf else json.dumps(trace_to_json(trace, system), indent=2) + "\n"
    )


def read_trace(path: str | Path, system: System, error: ErrorCondition | None = None) -> Trace:
    """The trace in a file; raises ModelError for a bad file, EvidenceRefused for a trace of another system.

    Where a file in ITF leaves a choice, the trace ends in such an error state, if any does.
    """
    data = load_json(Path(path))
    if is_itf(data):
        return trace_from_itf(data, system, error, file=str(path))
    return trace_from_json(data, system, file=str(path))


def trace_from_json(data: object, system: System, file: str = "<json>") -> Trace:
    """The trace that `trace_to_json` wrote; it is consistent, but only `replay` shows that it is a path."""
    fields = evidence_fields(data, system, _TRACE, file=file, schema=SCHEMA, kind="trace")
    trace = _TraceReader(system).trace(fields)
    fields.node.document.check()
    for number, step in enumerate(trace.steps):
        fault = team_fault(step.edges, system)
        if fault is not None:
            raise EvidenceRefused(
                Complaint(Code.TRACE_DOES_NOT_REPLAY, fault, where=f"{file}: $.steps[{number}].edges")
            )
    _require_agreement(data, trace_to_json(trace, system), file)
    return trace


class _TraceReader:
    """Builds the parts of a trace of one system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.processes = {process.name: i for i, process in enumerate(system.processes)}
        self.cells = {
            name: (i, k) for i, variable in enumerate(system.storage) for k, name in enumerate(cell_names(variable))
        }

    def trace(self, fields: JsonFields) -> Trace:
        name, error = fields.text("property"), fields.members["error"]
        first = self.initial(fields.members["initial"])
        steps: list[Step] = []
        for node in fields.items("steps"):
            steps.append(self.step(node, steps[-1].successor if steps else first))
        return Trace(
            fingerprint=fields.text("fingerprint"),
            property=name,
            initial=first,
            steps=tuple(steps),
            error=None if error.value is None else condition_from_json(error, name, Scope.of(self.system)),
        )

    def initial(self, node: JsonNode) -> State:
        fields = node.fields((*self.processes, *self.system.variable_named))
        return State(
            tuple(fields.text(name) for name in self.processes),
            tuple(
                (fields.integer(variable.name),)
                if variable.size is None
                else self.array(fields.get(variable.name), variable.size)
                for variable in self.system.storage
            ),
        )

    def array(self, node: JsonNode | None, size: int) -> tuple[int, ...]:
        cells = tuple(item.integer() for item in node.items()) if node is not None else ()
        if node is not None and len(cells) != size:
            node.complain(
                Code.TRACE_MALFORMED,
                f"{len(cells)} cells are given, the array has {size}",
                "give one value for each cell",
            )
        return (*cells, *(0,) * size)[:size]

    def step(self, node: JsonNode, before: State) -> Step:
        fields = node.fields(_STEP)
        edges = tuple(self.edge(item) for item in fields.items("edges"))
        if "edges" in fields.members and not edges:
            fields.members["edges"].complain(Code.TRACE_MALFORMED, "a step needs an edge", "name the edges taken")
        changed = fields.get("changes")
        return Step(edges, fields.integer("cost"), before if changed is None else self.successor(changed, before))

    def edge(self, node: JsonNode) -> EdgeRef:
        fields = node.fields(_EDGE)
        name, number = fields.text("process"), fields.integer("edge")
        process = self.system.process_named.get(name)
        if process is None:
            node.complain(
                Code.UNKNOWN_NAME, f"there is no process {name!r}", did_you_mean(name, self.processes, "name a process")
            )
            return 0, 0
        if not 0 <= number < len(process.edges):
            node.complain(
                Code.UNKNOWN_EDGE,
                f"process {name!r} has no edge {number}",
                f"it has {len(process.edges)}, counted from 0",
            )
        return self.processes[name], number

    def successor(self, node: JsonNode, before: State) -> State:
        locations, values = list(before.locations), [list(cells) for cells in before.values]
        for name, member in node.members().items():
            if name in self.processes:
                locations[self.processes[name]] = member.text()
            elif name in self.cells:
                variable, position = self.cells[name]
                values[variable][position] = member.integer()
            else:
                known = (*self.processes, *self.cells)
                member.complain(
                    Code.UNKNOWN_NAME,
                    f"there is no process, variable or cell {name!r}",
                    did_you_mean(name, known, "remove it"),
                )
        return State(tuple(locations), tuple(tuple(cells) for cells in values))


def _require_agreement(found: object, derived: dict[str, object], file: str) -> None:
    """Raise EvidenceRefused where a file differs from what follows from its steps; the name of the model may differ."""
    renamed = derived | {"model": found["model"]} if isinstance(found, dict) else derived
    place = _difference(found, renamed, "$")
    if place is not None:
        path, said, follows = place
        what = f"{path} is {excerpt(said)}, but {excerpt(follows)} follows from the steps"
        raise EvidenceRefused(Complaint(Code.TRACE_CONTRADICTS_ITSELF, what, where=file))


def _difference(found: object, derived: object, path: str) -> tuple[str, object, object] | None:
    """The first place where two JSON values differ, with both values."""
    parts: list[tuple[object, object, str]] = []
    if isinstance(found, dict) and isinstance(derived, dict) and found.keys() == derived.keys():
        parts = [(found[key], derived[key], f"{path}.{key}") for key in derived]
    elif isinstance(found, list) and isinstance(derived, list) and len(found) == len(derived):
        parts = [(one, other, f"{path}[{i}]") for i, (one, other) in enumerate(zip(found, derived, strict=True))]
    elif type(found) is not type(derived) or isinstance(found, dict | list) or found != derived:
        return path, found, derived
    return next((found for part in parts if (found := _difference(*part)) is not None), None)
