"""Fingerprints of tasks, made from the system and the error condition."""

from __future__ import annotations

import hashlib

from symdmc.model.expressions import TRUE
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task.task import Task


def task_fingerprint(task: Task) -> str:
    """32 hexadecimal digits, equal for equal systems and error conditions."""
    return fingerprint_of_question(task.system, task.error)


def fingerprint_of_question(system: System, error: ErrorCondition) -> str:
    """The fingerprint of the task of asking for these error states, without compiling it."""
    where = "" if error.deadlock_where == TRUE else f"|{error.deadlock_where}"
    text = f"{fingerprint(system)}|{error.expression}|{error.deadlock}|{error.fault}{where}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]
