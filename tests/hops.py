"""Runs a command line and writes down which room of the package calls which, in the order in which it happens.

    python -m tests.hops FILE COMMAND...

A line is `caller -> callee function:line`. A hop between two rooms is written once, but for hops from `cli` and from
`checking`, which are all written. Calls that read a spelling or check a rule are all written, inside of rooms too.
Child processes write to the same file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import symdmc

PACKAGE = f"{Path(symdmc.__file__).parent}{os.sep}"
ALWAYS = ("cli", "checking")
COUNTED = ("Table.read", "check_request", "require_fitting")
RULES = f"checking{os.sep}rules.py"


def room_of(frame: FrameType) -> str | None:
    """The room of the package that a frame runs in."""
    file = frame.f_code.co_filename
    if not file.startswith(PACKAGE):
        return None
    return file.removeprefix(PACKAGE).split(os.sep)[0].removesuffix(".py")


def caller_of(frame: FrameType) -> FrameType | None:
    """The nearest frame of the package that called."""
    caller = frame.f_back
    while caller is not None and room_of(caller) is None:
        caller = caller.f_back
    return caller


def main(file: str, command: Sequence[str]) -> int:
    """Run the command; its exit code."""
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    seen: set[tuple[str, str]] = set()

    def hook(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE) or frame.f_code.co_name == "<module>":
            return
        callee, caller = room_of(frame), caller_of(frame)
        if callee is None or caller is None or caller.f_code.co_name == "<module>":
            return
        hop, code = (room_of(caller) or "", callee), frame.f_code
        is_counted = code.co_qualname in COUNTED or (code.co_filename.endswith(RULES) and code.co_name == "<lambda>")
        if is_counted or (hop[0] != callee and (hop not in seen or hop[0] in ALWAYS)):
            seen.add(hop)
            os.write(out, f"{hop[0]} -> {callee} {code.co_qualname}:{code.co_firstlineno}\n".encode())

    from symdmc.cli.main import run

    sys.setprofile(hook)
    try:
        return run(command)
    finally:
        sys.setprofile(None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
