"""How the examples of `symdmc explain` are run."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

from symdmc.cli.main import run
from symdmc.errors import RefusedInput
from symdmc.report.complaints.page import Example


def complaint_of(example: Example, folder: Path) -> tuple[str, str]:
    """What an example says in the end, and its code; the folder is empty, and the one that is worked in."""
    for name, text in example.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return _of_program(example.program) if example.program else _of_commands(example.commands)


def _of_commands(commands: tuple[str, ...]) -> tuple[str, str]:
    told = ""
    for command in commands:
        name, *args = shlex.split(command)
        assert name == "symdmc"
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            run(args)
        told = errors.getvalue()
    lines = [line for line in told.splitlines() if line.endswith("]")]
    return lines[0], lines[0].rpartition(" [")[2].removesuffix("]")


def _of_program(program: str) -> tuple[str, str]:
    code = compile(program, "program.py", "exec")
    try:
        exec(code, {"__name__": "program"})
    except RefusedInput as error:
        kind = type(error)
        return f"{kind.__module__}.{kind.__qualname__}: {error}", error.complaints[0].code.value
    raise AssertionError("the program complains about nothing")
