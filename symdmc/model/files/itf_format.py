"""Traces in the Informal Trace Format of Apalache and Quint, and back; docs/formats/itf.md says what is read.

A file of another program has states only. The steps between them are found by the reference semantics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from symdmc.errors import Code
from symdmc.model.error_states import is_error_state
from symdmc.model.files.condition_format import condition_from_json, condition_to_json
from symdmc.model.files.json_reading import MOST_DIGITS, JsonDocument, JsonNode
from symdmc.model.fingerprint import fingerprint, require_fingerprint
from symdmc.model.observations import Observation, path_through
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope
from symdmc.model.semantics import Semantics
from symdmc.model.state import State
from symdmc.model.steps import cell_names, passed_values, step_label
from symdmc.model.system import System, Variable
from symdmc.model.trace import Trace
from symdmc.spelling.printable import number_text
from symdmc.spelling.suggestions import did_you_mean

SUFFIX = ".itf.json"
DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
META, OWN = "#meta", "symdmc"
BIGINT, TUPLE, MAP = "#bigint", "#tup", "#map"
BOOKKEEPING = "mbt::"
"""How names begin under which Quint tells what it did; they are no variables."""
_INTEGER = re.compile("-?[0-9]+")


def is_itf_name(path: Path) -> bool:
    """Whether a file of this name is written in the format."""
    return path.name.endswith(SUFFIX)


def is_itf(data: object) -> bool:
    """Whether a JSON value looks like a trace in the format."""
    return isinstance(data, dict) and "schema" not in data and "states" in data


def itf_text(trace: Trace, system: System) -> str:
    """The trace as text, a line for each state."""
    error = None if trace.error is None else condition_to_json(trace.error)
    meta = {
        "format": "ITF",
        "format-description": DESCRIPTION,
        "description": f"written by symdmc: {trace.property}",
        "source": system.name,
        OWN: {"fingerprint": trace.fingerprint, "property": trace.property, "error": error},
    }
    names = [*(process.name for process in system.processes), *(variable.name for variable in system.storage)]
    labels = _labels(trace, system)
    states = [
        {META: {"index": number, **labels.get(number, {})}, **state_to_json(state, system)}
        for number, state in enumerate(trace.states)
    ]
    lines = ",\n".join(f"    {json.dumps(state)}" for state in states)
    return f'{{\n  "{META}": {json.dumps(meta)},\n  "vars": {json.dumps(names)},\n  "states": [\n{lines}\n  ]\n}}\n'


def _labels(trace: Trace, system: System) -> dict[int, dict[str, str]]:
    """For the number of each state but the first, the step that leads to it."""
    semantics = Semantics(system)
    pairs = enumerate(zip(trace.states, trace.steps, strict=False), start=1)
    return {
        number: {"step": step_label(step, system, passed_values(step, semantics, before))}
        for number, (before, step) in pairs
    }


def state_to_json(state: State, system: System) -> dict[str, object]:
    """The whole state as JSON values: the location of every process, the value of every variable, arrays as lists."""
    locations = {process.name: place for process, place in zip(system.processes, state.locations, strict=True)}
    stored = zip(system.storage, state.values, strict=True)
    return locations | {variable.name: cells[0] if variable.size is None else list(cells) for variable, cells in stored}


def trace_from_itf(data: object, system: System, error: ErrorCondition | None = None, file: str = "<json>") -> Trace:
    """The trace whose states are those of the file, as far as the file gives them.

    Of several such paths it is a cheapest one that ends in an error state, by the condition or else by the claim in a
    file that symdmc wrote. Raises ModelError for a bad file, EvidenceRefused where no path has these states.
    """
    reader = _ItfReader(system, JsonDocument(file))
    observations = reader.observations(JsonNode(data, reader.document))
    reader.document.check()
    if reader.fingerprint is not None:
        require_fingerprint(reader.fingerprint, system, f"{file}: the trace")
    asked = error or reader.error

    def is_wanted(semantics: Semantics, state: State) -> bool:
        return asked is None or is_error_state(semantics, state, asked)

    initial, steps = path_through(system, observations, is_wanted)
    return Trace(
        fingerprint=fingerprint(system),
        property=reader.property,
        initial=initial,
        steps=steps,
        error=reader.error,
    )


class _ItfReader:
    """Reads what a file says of each state of a trace of one system."""

    def __init__(self, system: System, document: JsonDocument) -> None:
        self.system, self.document = system, document
        self.processes = {process.name: number for number, process in enumerate(system.processes)}
        self.places = [{place.name for place in process.locations} for process in system.processes]
        self.variables = {variable.name: number for number, variable in enumerate(system.storage)}
        self.cells = {
            name: (number, position)
            for number, variable in enumerate(system.storage)
            if variable.size is not None
            for position, name in enumerate(cell_names(variable))
        }
        self.property = "trace"
        self.error: ErrorCondition | None = None
        self.fingerprint: str | None = None

    def observations(self, node: JsonNode) -> list[Observation]:
        """What is known of each state."""
        fields = node.fields(("vars", "states"), (META, "params", "loop"))
        loop = fields.get("loop")
        if loop is not None and loop.value is not None:
            loop.complain(
                Code.TRACE_HAS_LOOP,
                "the trace goes on in a loop, which is not read",
                "remove 'loop' to replay the way to its end",
            )
        self._read_meta(fields.get(META))
        names, params = self._declared(fields.items("vars")), self._declared(fields.items("params"))
        states = fields.items("states")
        if "states" in fields.members and fields.elements("states") == []:
            fields.members["states"].complain(Code.TRACE_MALFORMED, "a trace needs a state", "give the first one")
        return [self._observation(each, names, {} if n else params) for n, each in enumerate(states)]

    def _read_meta(self, node: JsonNode | None) -> None:
        """What a file of our own claims."""
        own = None if node is None else node.members().get(OWN)
        if own is None:
            return
        fields = own.fields(("fingerprint", "property", "error"))
        self.fingerprint, self.property = fields.text("fingerprint"), fields.text("property")
        error = fields.get("error")
        if error is not None and error.value is not None:
            self.error = condition_from_json(error, self.property, Scope.of(self.system))

    def _declared(self, nodes: Iterable[JsonNode]) -> dict[str, bool]:
        """The names a file declares, each with whether the model has it; complains once of those that it has not."""
        found = {}
        for node in nodes:
            name = node.text()
            found[name] = name in self.processes or name in self.variables or name in self.cells
            if not found[name] and not name.startswith(BOOKKEEPING) and isinstance(node.value, str):
                known = (*self.processes, *self.variables, *self.cells)
                node.complain(
                    Code.UNKNOWN_NAME,
                    f"there is no process or variable {name!r}",
                    did_you_mean(name, known, "leave it out"),
                )
        return found

    def _observation(self, node: JsonNode, names: Mapping[str, bool], params: Mapping[str, bool]) -> Observation:
        members, locations, values = node.members(), dict[int, str](), dict[tuple[int, int], int]()
        for name in names:
            if name not in members and isinstance(node.value, dict):
                node.complain(
                    Code.TRACE_MALFORMED, f"variable {name!r} has no value", "every state gives a value to all 'vars'"
                )
        for name, member in members.items():
            if name == META or name.startswith(BOOKKEEPING):
                continue
            if name not in names and name not in params:
                member.complain(
                    Code.TRACE_MALFORMED, f"{name!r} is not among the 'vars'", "add it there or leave it out"
                )
            elif name in self.processes:
                number = self.processes[name]
                locations[number] = self._location(member, number)
            elif name in self.cells:
                values[self.cells[name]] = self._value(member, self.system.storage[self.cells[name][0]])
            elif name in self.variables:
                number = self.variables[name]
                found = self._cells(member, self.system.storage[number])
                values.update({(number, position): value for position, value in found.items()})
        return Observation(node.where, locations, values)

    def _location(self, node: JsonNode, number: int) -> str:
        """The location of a process: a string, or the constructor of a sum type that contains nothing."""
        value, process = node.value, self.system.processes[number]
        if isinstance(value, dict) and value.keys() == {"tag", "value"} and value["value"] in ({}, {TUPLE: []}):
            node = node.members()["tag"]
        name = node.text()
        if name not in self.places[number] and isinstance(node.value, str):
            remedy = did_you_mean(name, self.places[number], "name one of its locations")
            node.complain(Code.UNKNOWN_NAME, f"process {process.name!r} has no location {name!r}", remedy)
        return name

    def _cells(self, node: JsonNode, variable: Variable) -> dict[int, int]:
        """The values of a variable by position: a list, a tuple, or a map from positions for an array."""
        if variable.size is None:
            return {0: self._value(node, variable)}
        inside = _inside(node)
        if MAP in inside:
            return self._mapped(inside[MAP], variable, variable.size)
        cells = inside.get(TUPLE, node)
        values = [self._value(each, variable) for each in cells.items()]
        if len(values) != variable.size and isinstance(cells.value, list):
            cells.complain(
                Code.TRACE_MALFORMED,
                f"{len(values)} cells are given, the array has {variable.size}",
                "give one value for each",
            )
        return dict(enumerate(values[: variable.size]))

    def _mapped(self, node: JsonNode, variable: Variable, size: int) -> dict[int, int]:
        """The values in a map, each after its position."""
        found: dict[int, int] = {}
        for pair in node.items():
            parts = pair.items()
            if len(parts) != 2:
                pair.complain(Code.TRACE_MALFORMED, "a pair of a map has two parts", "write [KEY, VALUE]")
                continue
            position, value = self._integer(parts[0]), self._value(parts[1], variable)
            if position is not None and not 0 <= position < size:
                parts[0].complain(
                    Code.TRACE_MALFORMED,
                    f"{position} is no cell of the array",
                    f"cells are counted from 0 to {size - 1}",
                )
            elif position in found:
                parts[0].complain(Code.DUPLICATE_KEY, f"the map has {position} twice", "remove one of the two pairs")
            elif position is not None:
                found[position] = value
        return found

    def _value(self, node: JsonNode, variable: Variable) -> int:
        """A value that the variable can have; any other is noted."""
        value = self._integer(node)
        if value is not None and not variable.type.low <= value <= variable.type.high:
            what = f"{number_text(value)} is no value of {variable.name}"
            node.complain(Code.VALUE_OUT_OF_RANGE, what, f"its values are {variable.type.interval}")
        return value or 0

    def _integer(self, node: JsonNode) -> int | None:
        """An integer, also in digits as a big one, or a truth value, which stands for 0 or 1; None if it is none."""
        inside = _inside(node)
        if isinstance(node.value, bool):
            return int(node.value)
        if BIGINT not in inside:
            found = node.integer()  # which notes the fault where there is none
            return found if isinstance(node.value, int) else None
        digits = inside[BIGINT].text()
        if not _INTEGER.fullmatch(digits) or len(digits) > MOST_DIGITS:
            inside[BIGINT].complain(Code.WRONG_TYPE, "is no integer", f"write at most {MOST_DIGITS:,} digits")
            return None
        return int(digits)


def _inside(node: JsonNode) -> dict[str, JsonNode]:
    """What stands in one of the objects that mean another kind of value; nothing in any other value."""
    value = node.value
    is_special = isinstance(value, dict) and len(value) == 1 and next(iter(value)) in (BIGINT, TUPLE, MAP)
    return node.members() if is_special else {}
