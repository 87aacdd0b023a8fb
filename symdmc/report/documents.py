"""Results of `check` and `explore` as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from symdmc.checking.look import NOTHING, Look
from symdmc.model.files.trace_format import trace_to_json
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import Exploration, FaultReport, Layer, SearchResult, Verdict
from symdmc.report.looking import avoidance_document, columns_document, explained_document
from symdmc.report.schemas import document


def check_document(
    model: str | None,
    system: System | None,
    result: SearchResult,
    exit_code: int,
    certificate: Path | None = None,
    look: Look = NOTHING,
) -> dict[str, object]:
    """What `check --json` prints; the certificate is the file that was written. Without a trace no system is needed."""
    counts = {} if result.engine == "explicit" else dict.fromkeys(("explored", "generated", "stored"))
    return document(
        "check",
        model,
        system,
        result,
        verdict=result.verdict.value,
        reason="; ".join((result.reason, *result.remarks)),
        search=result.search if result.searched else None,
        preprocessing_seconds=round(result.preprocessing_seconds, 6),
        selections=[asdict(report) for report in result.selections],
        exit_code=exit_code,
        trace=_trace(result.trace, system),
        certificate=None if certificate is None else str(certificate),
        **_look(result.trace, look),
        **counts,
        **_costs(result, system),
    )


def _look(trace: Trace | None, look: Look) -> dict[str, object]:
    """What is seen along a trace; null without one."""
    return {
        "watched": None if trace is None else columns_document(look.watched),
        "estimates": None if trace is None else columns_document(look.estimates),
        "avoidance": avoidance_document(look.avoidance),
    }


def explore_document(model: str | None, system: System | None, found: Exploration) -> dict[str, object]:
    """What `explore --json` prints."""
    return document(
        "explore",
        model,
        system,
        found,
        first_deadlock=_trace(found.first_deadlock, system),
        stored=found.stored if found.engine == "explicit" else None,
        **_costs(found, system),
    )


def replay_document(
    model: str, system: System, trace: Trace, error: ErrorCondition | None, look: Look
) -> dict[str, object]:
    """What `replay --json` prints for a trace that holds."""
    end = "claims nothing about its last state" if error is None else f"ends in an error state of {error.name}"
    return document(
        "replay",
        model,
        system,
        property=None if error is None else error.name,
        verdict=None if error is None else Verdict.ERROR.value,
        reason=f"the trace holds and {end}",
        exit_code=look.exit_code(0),
        length=trace.length,
        trace=_trace(trace, system),
        explained_at=look.explained_at if look.explained else None,
        explained=explained_document(look.explained),
        **_look(trace, look),
    )


def _costs(found: SearchResult | Exploration, system: System | None) -> dict[str, object]:
    """What a search and an exploration have in common, as far as JSON needs another form of it."""
    return {
        "seconds": round(found.seconds, 6),
        "peak_memory_mb": round(found.peak_memory_mb, 1),
        "order": None if found.order is None else list(found.order),
        "layers": None if found.layers is None else [_layer(layer) for layer in found.layers],
        "faults": None if found.faults is None else found.faults.states,
        "first_fault": _first_fault(found.faults, system),
    }


def _layer(layer: Layer) -> dict[str, object]:
    return {
        "depth": layer.depth,
        "states": layer.states,
        "nodes": layer.nodes,
        "seconds": round(layer.seconds, 6),
        "direction": "backward" if layer.backward else "forward",
    }


def _trace(trace: Trace | None, system: System | None) -> Mapping[str, object] | None:
    return None if trace is None or system is None else trace_to_json(trace, system)


def _first_fault(faults: FaultReport | None, system: System | None) -> dict[str, object] | None:
    if faults is None or faults.first is None:
        return None
    return {"reason": faults.reason, "trace": _trace(faults.first, system)}
