"""Results as JSON objects: the same keys always, null for what is not known (docs/schemas)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from symdmc.model.files.trace_format import trace_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import Exploration, FaultReport, Layer, SearchResult, SelectionReport

CHECK_SCHEMA = "symdmc-check/1"
EXPLORE_SCHEMA = "symdmc-explore/1"

CHECK_KEYS = (
    *("schema", "model", "fingerprint", "property", "verdict", "reason", "settled_by"),
    *("length", "shortest", "lower_bound"),
    *("explored", "generated", "stored", "seconds", "peak_memory_mb", "engine", "search", "heuristic", "seed"),
    *("preprocessing_seconds", "h_initial", "patterns", "selections", "reopened", "dead_ends"),
    *("direction", "peak_nodes", "order", "layers", "faults", "first_fault", "exit_code", "trace", "certificate"),
)
EXPLORE_KEYS = (
    *("schema", "model", "fingerprint", "verdict", "reason", "states", "transitions", "depth", "deadlocks"),
    *("first_deadlock", "stored", "seconds", "peak_memory_mb", "engine", "peak_nodes", "order", "layers"),
    *("faults", "first_fault", "exit_code"),
)


def check_document(
    model: str, system: System, result: SearchResult, exit_code: int, certificate: Path | None = None
) -> dict[str, object]:
    """What `check --json` prints; the certificate is the file that was written."""
    one_by_one = result.engine == "explicit"
    return {
        "schema": CHECK_SCHEMA,
        "model": model,
        "fingerprint": fingerprint(system),
        "property": result.property,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "settled_by": result.settled_by,
        "length": result.length,
        "shortest": result.shortest,
        "lower_bound": result.lower_bound,
        "explored": result.explored if one_by_one else None,
        "generated": result.generated if one_by_one else None,
        "stored": result.stored if one_by_one else None,
        "seconds": round(result.seconds, 6),
        "peak_memory_mb": round(result.peak_memory_mb, 1),
        "engine": result.engine,
        "search": result.search if result.searched else None,
        "heuristic": result.heuristic,
        "seed": result.seed,
        "preprocessing_seconds": round(result.preprocessing_seconds, 6),
        "h_initial": result.h_initial,
        "patterns": None if result.patterns is None else [list(pattern) for pattern in result.patterns],
        "selections": [selection_object(report) for report in result.selections],
        "reopened": result.reopened,
        "dead_ends": result.dead_ends,
        "direction": result.direction,
        "peak_nodes": result.peak_nodes,
        "order": None if result.order is None else list(result.order),
        "layers": _layers(result.layers),
        "faults": None if result.faults is None else result.faults.states,
        "first_fault": _first_fault(result.faults, system),
        "exit_code": exit_code,
        "trace": _trace(result.trace, system),
        "certificate": None if certificate is None else str(certificate),
    }


def explore_document(model: str, system: System, found: Exploration) -> dict[str, object]:
    """What `explore --json` prints."""
    return {
        "schema": EXPLORE_SCHEMA,
        "model": model,
        "fingerprint": fingerprint(system),
        "verdict": None,
        "reason": found.reason,
        "states": found.states,
        "transitions": found.transitions,
        "depth": found.depth,
        "deadlocks": found.deadlocks,
        "first_deadlock": _trace(found.first_deadlock, system),
        "stored": found.stored if found.engine == "explicit" else None,
        "seconds": round(found.seconds, 6),
        "peak_memory_mb": round(found.peak_memory_mb, 1),
        "engine": found.engine,
        "peak_nodes": found.peak_nodes,
        "order": None if found.order is None else list(found.order),
        "layers": _layers(found.layers),
        "faults": None if found.faults is None else found.faults.states,
        "first_fault": _first_fault(found.faults, system),
        "exit_code": found.exit_code,
    }


def failed_check(*, model: str | None, reason: str, code: int) -> dict[str, object]:
    """What `check --json` prints when it cannot even start."""
    return _failure(CHECK_SCHEMA, CHECK_KEYS, model, reason, code)


def failed_exploration(*, model: str | None, reason: str, code: int) -> dict[str, object]:
    """What `explore --json` prints when it cannot even start."""
    return _failure(EXPLORE_SCHEMA, EXPLORE_KEYS, model, reason, code)


def _failure(schema: str, keys: tuple[str, ...], model: str | None, reason: str, code: int) -> dict[str, object]:
    known = {"schema": schema, "model": model, "reason": reason, "exit_code": code}
    return {key: known.get(key) for key in keys}


def selection_object(report: SelectionReport) -> dict[str, object]:
    """What a pattern selection chose, and why."""
    return {
        "name": report.name,
        "patterns": [list(pattern) for pattern in report.patterns],
        "reasons": [{"variable": each.variable, "kept": each.kept, "why": each.why} for each in report.reasons],
        "steps": list(report.steps),
        "followed": report.followed,
        "remarks": list(report.remarks),
    }


def _layers(layers: tuple[Layer, ...] | None) -> list[dict[str, object]] | None:
    return None if layers is None else [_layer(layer) for layer in layers]


def _layer(layer: Layer) -> dict[str, object]:
    return {
        "depth": layer.depth,
        "states": layer.states,
        "nodes": layer.nodes,
        "seconds": round(layer.seconds, 6),
        "direction": "backward" if layer.backward else "forward",
    }


def _trace(trace: Trace | None, system: System) -> Mapping[str, object] | None:
    return None if trace is None else trace_to_json(trace, system)


def _first_fault(faults: FaultReport | None, system: System) -> dict[str, object] | None:
    if faults is None or faults.first is None:
        return None
    return {"reason": faults.reason, "trace": _trace(faults.first, system)}
