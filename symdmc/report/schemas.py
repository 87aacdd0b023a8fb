"""The JSON objects that commands print: the same keys always, null for what is not known (docs/schemas)."""

from __future__ import annotations

from symdmc.errors import Complaint
from symdmc.model.fingerprint import fingerprint
from symdmc.model.system import System

_ANSWER = ("schema", "model", "fingerprint", "property", "verdict", "reason", "complaints")
_DATABASE = ("pattern", "complete", "restriction", "h_initial", "table_nodes", "peak_nodes", "layers", "seconds")
KEYS = {
    "check": (
        *(*_ANSWER, "settled_by", "length", "shortest", "lower_bound"),
        *("explored", "generated", "stored", "seconds", "peak_memory_mb", "engine", "search", "heuristic", "seed"),
        *("preprocessing_seconds", "h_initial", "patterns", "selections", "reopened", "dead_ends"),
        *("direction", "peak_nodes", "order", "layers", "faults", "first_fault", "exit_code", "trace", "certificate"),
        *("watched", "estimates", "avoidance"),
    ),
    "explore": (
        *(
            "schema",
            "model",
            "fingerprint",
            "verdict",
            "reason",
            "complaints",
            "states",
            "transitions",
            "depth",
            "deadlocks",
        ),
        *("first_deadlock", "stored", "seconds", "peak_memory_mb", "engine", "peak_nodes", "order", "layers"),
        *("faults", "first_fault", "exit_code"),
    ),
    "show": (
        *(
            "schema",
            "model",
            "fingerprint",
            "verdict",
            "reason",
            "complaints",
            "name",
            "processes",
            "variables",
            "state_bits",
        ),
        *("order", "predicates", "transitions", "channels", "properties", "faultless", "notes", "warnings"),
        "exit_code",
    ),
    "replay": (
        *(*_ANSWER, "length", "exit_code", "trace", "watched", "estimates", "avoidance"),
        *("explained_at", "explained"),
    ),
    "certify": (
        *("schema", "model", "fingerprint", "property", "error", "vacuous", "verdict", "reason", "complaints"),
        *("transitions", "queries", "states", "seconds", "exit_code"),
    ),
    "patterndb-build": (*_ANSWER, "exit_code", "file", *_DATABASE),
    "patterndb-show": (*_ANSWER, "exit_code", *_DATABASE, "beyond", "dead_ends", "inside", "outside"),
    "patterndb-lookup": (*_ANSWER, "exit_code", "pattern", "state", "answer", "estimate"),
    "patterndb-compare": (*_ANSWER, "exit_code", "states", "seed", "equal", "databases"),
    "compare": (
        *("schema", "model", "verdict", "reason", "complaints", "exit_code", "configurations", "rows"),
        *("time_limit", "memory_limit", "runs", "accuracy", "contradictions"),
    ),
    "explain": ("schema", "verdict", "reason", "complaints", "exit_code", "codes"),
}
"""The keys of each command's object, in order; the words of a command are joined by `-`."""


def complaint_document(complaint: Complaint) -> dict[str, object]:
    """A complaint or a warning, with the code of its kind."""
    where = None if complaint.where is None else str(complaint.where)
    return {"code": complaint.code.value, "where": where, "what": complaint.what, "remedy": complaint.remedy}


def document(
    command: str, model: str | None, system: System | None, *found: object, **known: object
) -> dict[str, object]:
    """The JSON object of a command about a model; the system is None where there is none.

    A key that is not among the known ones has the attribute of that name of the first found value that has one.
    """
    assert known.keys() <= set(KEYS[command])
    identity = None if system is None else fingerprint(system)
    known |= {"schema": f"symdmc-{command}/1", "model": model, "fingerprint": identity}

    def value(key: str) -> object:
        return known[key] if key in known else next((getattr(each, key) for each in found if hasattr(each, key)), None)

    return {key: value(key) for key in KEYS[command]}
