"""Results as JSON back into values; docs/cli.md describes the documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from symdmc.api.shown import json_values
from symdmc.errors import Code, Complaint, ModelError
from symdmc.evidence.replay import replay
from symdmc.model.files.json_reading import JsonDocument, JsonNode, check_schema, load_json
from symdmc.model.files.trace_format import trace_from_json
from symdmc.model.fingerprint import require_fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import (
    EXIT_CODES,
    Exploration,
    FaultReport,
    Layer,
    Reason,
    SearchResult,
    SelectionReport,
    Stop,
    Verdict,
)
from symdmc.report.documents import check_document, explore_document
from symdmc.report.results import exit_code_of
from symdmc.report.schemas import KEYS

_Read = TypeVar("_Read")

STOPS = {code: stop for stop, code in EXIT_CODES.items() if isinstance(stop, Stop)}
DEAD_END: Literal["dead end"] = "dead end"


def read_check(path: Path, system: System) -> SearchResult:
    """The result of a check in a file; ModelError where it is none, EvidenceRefused where its trace does not hold."""
    file = _ResultFile(path, "check", system)
    found = file.check()
    file.require_agreement(check_document(None, system, found, exit_code_of(found)), ("model", "certificate"))
    return found


def read_explore(path: Path, system: System) -> Exploration:
    """The result of an exploration in a file; the errors are those of `read_check`."""
    file = _ResultFile(path, "explore", system)
    found = file.explore()
    file.require_agreement(explore_document(None, system, found), ("model",))
    return found


class _ResultFile:
    """A file with the result of a command."""

    def __init__(self, path: Path, command: str, system: System) -> None:
        self.path = path
        self.system = system
        self.data = load_json(path)
        self.document = JsonDocument(str(path))
        root = JsonNode(self.data, self.document)
        check_schema(root, f"symdmc-{command}/1")
        self.at = root.fields(KEYS[command]).members
        self.document.check()
        require_fingerprint(self.at["fingerprint"].text(), system, f"{path}: the result")

    def check(self) -> SearchResult:
        """The result of a check."""
        at = self.at
        found = SearchResult(
            verdict=at["verdict"].choice(Verdict),
            reason=at["reason"].text(),
            property=at["property"].text(),
            stop=self.stop(),
            shortest=at["shortest"].flag(),
            lower_bound=_optional(at["lower_bound"], _count),
            explored=_optional(at["explored"], _count) or 0,
            generated=_optional(at["generated"], _count) or 0,
            stored=_optional(at["stored"], _count) or 0,
            seconds=_number(at["seconds"]),
            preprocessing_seconds=_number(at["preprocessing_seconds"]),
            peak_memory_mb=_number(at["peak_memory_mb"]),
            settled_by=_optional(at["settled_by"], JsonNode.text),
            engine=at["engine"].text(),
            search=_optional(at["search"], JsonNode.text) or "",
            heuristic=_optional(at["heuristic"], JsonNode.text),
            seed=_optional(at["seed"], _count),
            direction=_optional(at["direction"], JsonNode.text),
            peak_nodes=_optional(at["peak_nodes"], _count),
            order=_optional(at["order"], _texts),
            layers=_optional(at["layers"], _layers),
            h_initial=_optional(at["h_initial"], _estimate),
            patterns=_optional(at["patterns"], lambda node: tuple(map(_texts, node.items()))),
            selections=tuple(map(_selection, at["selections"].items())),
            reopened=_optional(at["reopened"], _count),
            dead_ends=_optional(at["dead_ends"], _count),
            faults=self.faults(),
            trace=self.trace(at["trace"], claimed=True),
        )
        if (found.verdict is Verdict.ERROR) != (found.trace is not None):
            at["verdict"].complain(
                Code.RESULT_DAMAGED, "the verdict and the trace do not fit", 'an "error" has a trace, nothing else has'
            )
        self.document.check()
        return found

    def explore(self) -> Exploration:
        """The result of an exploration."""
        at = self.at
        found = Exploration(
            states=_optional(at["states"], _count),
            transitions=_optional(at["transitions"], _count),
            depth=_optional(at["depth"], _count),
            deadlocks=_optional(at["deadlocks"], _count),
            faults=self.faults(),
            stop=self.stop(),
            reason=at["reason"].text(),
            stored=_optional(at["stored"], _count) or 0,
            first_deadlock=self.trace(at["first_deadlock"], ErrorCondition(name="deadlock", deadlock=True)),
            seconds=_number(at["seconds"]),
            peak_memory_mb=_number(at["peak_memory_mb"]),
            engine=at["engine"].text(),
            peak_nodes=_optional(at["peak_nodes"], _count),
            order=_optional(at["order"], _texts),
            layers=_optional(at["layers"], _layers),
        )
        self.document.check()
        return found

    def stop(self) -> Stop | None:
        """Why the run ended early, as its exit code says."""
        return STOPS.get(_count(self.at["exit_code"]))

    def trace(self, node: JsonNode, error: ErrorCondition | None = None, *, claimed: bool = False) -> Trace | None:
        """A trace, replayed; it must end in an error state where one is given, or where it has to claim one."""
        if node.value is None:
            return None
        trace = trace_from_json(node.value, self.system, f"{self.path}: {node.path}")
        if claimed and trace.error is None:
            node.complain(Code.TRACE_CLAIMS_NOTHING, "does not say what its last state is", "give its error condition")
        replay(self.system, trace, trace.error if claimed else error)
        return trace

    def faults(self) -> FaultReport | None:
        """What was met of faults."""
        states, first = _optional(self.at["faults"], _count), self.at["first_fault"]
        if first.value is None:
            return None if states is None else FaultReport(states=states, first=None, reason=None)
        at = first.fields(("reason", "trace")).members
        self.document.check()
        trace = self.trace(at["trace"], ErrorCondition(name="fault", fault=True))
        return FaultReport(states=states or 0, first=trace, reason=at["reason"].text())

    def require_agreement(self, derived: dict[str, object], free: tuple[str, ...]) -> None:
        """Raise ModelError where the file says something else than what follows from its other parts."""
        for key, value in json_values(derived).items():
            if key not in free and self.at[key].value != value:
                what = f"$.{key} does not follow from the rest of the file"
                raise ModelError(Complaint(Code.RESULT_DAMAGED, what, "write the result again", str(self.path)))


def _optional(node: JsonNode, read: Callable[[JsonNode], _Read]) -> _Read | None:
    return None if node.value is None else read(node)


def _count(node: JsonNode) -> int:
    number = node.integer()
    if number < 0:
        node.complain(Code.RESULT_DAMAGED, f"{number} is negative", "change it")
    return number


def _number(node: JsonNode) -> float:
    if isinstance(node.value, int | float) and not isinstance(node.value, bool) and 0 <= node.value < float("inf"):
        return float(node.value)
    node.complain(Code.RESULT_DAMAGED, "a number that is not negative is expected", "change it")
    return 0.0


def _texts(node: JsonNode) -> tuple[str, ...]:
    return tuple(item.text() for item in node.items())


def _estimate(node: JsonNode) -> int | Literal["dead end"]:
    return DEAD_END if node.value == DEAD_END else _count(node)


def _layers(node: JsonNode) -> tuple[Layer, ...]:
    return tuple(filter(None, map(_layer, node.items())))


def _layer(node: JsonNode) -> Layer | None:
    keys = ("depth", "states", "nodes", "seconds", "direction")
    at = node.fields(keys).members
    if not at.keys() >= set(keys):
        return None
    return Layer(
        depth=_count(at["depth"]),
        states=_optional(at["states"], _count),
        nodes=_count(at["nodes"]),
        seconds=_number(at["seconds"]),
        backward=at["direction"].value == "backward",
    )


def _selection(node: JsonNode) -> SelectionReport:
    fields = node.fields(("name", "patterns", "reasons", "steps", "followed", "remarks"))
    return SelectionReport(
        name=fields.text("name"),
        patterns=tuple(map(_texts, fields.items("patterns"))),
        reasons=tuple(map(_reason, fields.items("reasons"))),
        steps=tuple(item.text() for item in fields.items("steps")),
        followed=fields.integer("followed"),
        remarks=tuple(item.text() for item in fields.items("remarks")),
    )


def _reason(node: JsonNode) -> Reason:
    fields = node.fields(("variable", "kept", "why"))
    return Reason(variable=fields.text("variable"), kept=fields.flag("kept"), why=fields.text("why"))
