"""The identity of a task: of its system and its error condition."""

from __future__ import annotations

import hashlib

from symdmc.model.fingerprint import fingerprint
from symdmc.task.task import Task


def task_fingerprint(task: Task) -> str:
    """32 hexadecimal digits that stay the same as long as system and error condition do."""
    error = task.error
    text = f"{fingerprint(task.system)}|{error.expression}|{error.deadlock}|{error.fault}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]
