"""System and error condition to Task, and what can be known about a Task before any search."""

from symdmc.task.flatten import compile_task
from symdmc.task.task import Task

__all__ = ["Task", "compile_task"]
