"""The identity of a task: of its system and its error condition."""

from __future__ import annotations

import hashlib

from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task.task import Task


def task_fingerprint(task: Task) -> str:
    """32 hexadecimal digits that stay the same as long as system and error condition do."""
    return fingerprint_of_question(task.system, task.error)


def fingerprint_of_question(system: System, error: ErrorCondition) -> str:
    """The same for a task that is not compiled."""
    text = f"{fingerprint(system)}|{error.expression}|{error.deadlock}|{error.fault}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]
