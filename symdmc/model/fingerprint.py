"""Fingerprints: texts that differ for systems with different behaviour."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from symdmc.errors import Code, Complaint, EvidenceRefused
from symdmc.model.files.json_format import system_to_json
from symdmc.model.files.json_reading import JsonDocument, JsonFields, JsonNode, check_schema
from symdmc.model.system import System

_NO_PART = ("name", "notes", "properties")
"""These change no state and no step; evidence stays valid when a file is renamed or a property added."""


def fingerprint(system: System) -> str:
    """32 hexadecimal digits, equal for equal systems, the same on every machine and in every run."""
    content = {key: value for key, value in system_to_json(system, spans=False).items() if key not in _NO_PART}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def evidence_fields(
    data: object, system: System, keys: Iterable[str], *, file: str, schema: str, kind: str
) -> JsonFields:
    """The members of a document with evidence about the system.

    Raises ModelError for a document of another kind or shape, EvidenceRefused for evidence about another system.
    """
    node = JsonNode(data, JsonDocument(file))
    check_schema(node, schema)
    fields = node.fields(keys)
    node.document.check()
    given, _ = fields.text("fingerprint"), fields.text("model")
    node.document.check()
    require_fingerprint(given, system, f"{file}: the {kind}")
    return fields


def require_fingerprint(given: str, system: System, evidence: str) -> None:
    """Raise EvidenceRefused unless the fingerprint given with some evidence is that of the system."""
    own = fingerprint(system)
    if given != own:
        fingerprints = (
            f"its fingerprint is {given if len(given) <= 40 else given[:37] + '...'}, that of {system.name!r} is {own}"
        )
        raise EvidenceRefused(Complaint(Code.OTHER_MODEL, f"{evidence} belongs to another model: {fingerprints}"))
