"""Failures as a person or a program should see them: an exit code and one line for each complaint."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import click

from symdmc.cli.usage import code_of
from symdmc.errors import Code, Complaint, InternalError, ModelError, RefusedInput, ResourceLimit, SymdmcError
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.signals import lost_signal, stop_of
from symdmc.spelling.colours import takes_colours
from symdmc.spelling.printable import one_line, printable

MOST_LINES = 100
"""The most faults of one input that are listed."""
REPORT = "this is a bug in symdmc: please report it with the model, the command and its output under SYMDMC_DEBUG=1"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a command could not answer."""

    exit_code: int
    told: tuple[str, ...] = ()
    """Lines that are no complaints, and stand behind them."""
    is_limit: bool = False
    complaints: tuple[Complaint, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each complaint, and the others."""
        return (*(one_line(str(complaint)) for complaint in self.complaints), *self.told)

    @property
    def reason(self) -> str:
        """All lines as one text."""
        return "\n".join(self.lines)


def failure_of(error: BaseException) -> Failure:
    """The exit code and the complaints of any exception."""
    match error:
        case RefusedInput(complaints=complaints):
            return Failure(error.exit_code, _uncounted(complaints), complaints=complaints[:MOST_LINES])
        case InternalError():
            return Failure(error.exit_code, (f"internal error: {one_line(str(error))}", REPORT))
        case ResourceLimit():
            return Failure(error.exit_code, (one_line(str(error)),), is_limit=True)
        case SymdmcError():
            return Failure(error.exit_code, (one_line(str(error)),))
        case click.UsageError():
            return Failure(error.exit_code, complaints=(_usage(error),))
        case click.ClickException():
            return Failure(error.exit_code, (one_line(error.format_message()),))
        case KeyboardInterrupt():
            stop = stop_of(error)
            return Failure(EXIT_CODES[stop], (stop.words,))
        case click.Abort(__cause__=KeyboardInterrupt() as interrupt):
            return failure_of(interrupt)
        case EOFError() | click.Abort():
            return Failure(EXIT_CODES[Stop.INTERRUPT], (Stop.INTERRUPT.words,))
        case OSError():
            where = str(error.filename or "the output")
            complaint = Complaint(Code.SYSTEM_ERROR, error.strerror or str(error), where=where)
            return Failure(ModelError.exit_code, complaints=(complaint,))
        case MemoryError():
            return Failure(EXIT_CODES[Stop.MEMORY], ("out of memory; set --memory-limit to stop in time",))
        case _ if (lost := lost_signal()) is not None:
            return Failure(EXIT_CODES[lost], (lost.words,))
        case _:
            what = one_line(f"{type(error).__name__}: {error}")
            return Failure(InternalError.exit_code, (f"internal error: {what}", REPORT))


def _uncounted(complaints: Sequence[Complaint]) -> tuple[str, ...]:
    """How many complaints are not listed, where there are very many."""
    left = len(complaints) - MOST_LINES
    return (f"{left:,} further faults are not listed",) if left > 0 else ()


def _usage(error: click.UsageError) -> Complaint:
    command = error.ctx.command_path if error.ctx is not None else "symdmc"
    return Complaint(code_of(error), _joined(error.format_message()).rstrip("."), f"see {command} --help")


def with_code(complaint: Complaint) -> str:
    """A complaint in one line, its code in brackets at the end."""
    return f"{one_line(str(complaint))} [{complaint.code}]"


def _joined(message: str) -> str:
    """A message of click in one line: the choices that it lists in lines of their own stand behind each other."""
    return re.sub(r"\s*\n\s*", " ", message)


def say(lines: Iterable[str], kind: str) -> None:
    """Write lines to stderr, each after what it is: error, warning or note."""
    colours = {"error": "31", "warning": "33", "note": "36"}
    prefix = f"\x1b[1;{colours[kind]}m{kind}:\x1b[0m" if takes_colours(sys.stderr) else f"{kind}:"
    for line in lines:
        sys.stderr.write(f"{prefix} {printable(line)}\n")
    sys.stderr.flush()


def complain(error: BaseException) -> Failure:
    """Write what went wrong to stderr; the traceback too when SYMDMC_DEBUG=1 asks for it."""
    failure = failure_of(error)
    if os.environ.get("SYMDMC_DEBUG") == "1":
        sys.stderr.write("".join(traceback.format_exception(error)))
    say((*map(with_code, failure.complaints), *failure.told), "error")
    return failure
