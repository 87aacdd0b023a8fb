"""What tells systems apart that move differently."""

from __future__ import annotations

import hashlib
import json

from symdmc.model.files.json_format import system_to_json
from symdmc.model.system import System

_NO_PART = ("name", "notes", "properties")
"""What changes no state and no step, so that evidence outlives a renamed file and a question asked later."""


def fingerprint(system: System) -> str:
    """32 hexadecimal digits, equal for equal systems, the same on every machine and in every run."""
    content = {key: value for key, value in system_to_json(system, spans=False).items() if key not in _NO_PART}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
