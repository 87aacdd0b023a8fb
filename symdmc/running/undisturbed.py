"""Work that nothing may be raised in: a half of it would do harm."""

from __future__ import annotations

from types import FrameType

COMPILERS = ("numba.core.", "llvmlite.binding.")
"""Modules at work while something is compiled."""


def is_import(frame: FrameType) -> bool:
    """Whether the statement `import` looks for a module and executes it here.

    A package of which a half is imported stays broken as long as the program runs.
    """
    return frame.f_code.co_filename == "<frozen importlib._bootstrap>" and frame.f_code.co_name == "_find_and_load"


def is_compiler(frame: FrameType) -> bool:
    """Whether numba is compiling here: what is raised in a callback of its compiler can end the process."""
    module = frame.f_globals.get("__name__")
    return isinstance(module, str) and module.startswith(COMPILERS)


def compiles(frame: FrameType | None) -> bool:
    """Whether the thread that is at this frame waits for the compiler of numba."""
    while frame is not None:
        if is_compiler(frame):
            return True
        frame = frame.f_back
    return False
