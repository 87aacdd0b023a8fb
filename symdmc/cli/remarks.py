"""What commands say on stderr besides failures."""

from __future__ import annotations

from pathlib import Path

from symdmc.cli.failures import say
from symdmc.evidence.certificate import write_certificate
from symdmc.model.files.trace_format import write_trace
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.validation import validate
from symdmc.outcome import SearchResult, Verdict
from symdmc.reader.load import READING, Spelling
from symdmc.report.progress import progress_on_terminal
from symdmc.running.run import LimitReached, Run


def loaded(model: Spelling, run: Run, *, quiet: bool = False) -> System:
    """The system of a model; its notes and the warnings of the validation are written, unless told to be quiet."""
    with progress_on_terminal(run, quiet=quiet):
        run.begin(READING)
        system = model.load()
        warnings = () if quiet else validate(system).warnings
    if not quiet:
        say(system.notes, "note")
        say(map(str, warnings), "warning")
    return system


def save_trace(path: Path | None, trace: Trace | None, system: System, *, quiet: bool = False) -> None:
    """Write the trace to the file that was asked for, whole or not at all; say so when there is no trace to write."""
    if path is not None and trace is None and not quiet:
        say([f"there is no trace, so {path} is not written"], "note")
    elif path is not None and trace is not None:
        write_trace(path, trace, system)


NO_ROOM = "the limits left no room to write the proof down"


def save_certificate(
    path: Path | None, result: SearchResult, system: System, run: Run, *, quiet: bool = False
) -> Path | None:
    """Write the certificate to the file that was asked for; the file, or None when there is nothing to write."""
    if path is None:
        return None
    if result.certificate is None:
        _say_unwritten(NO_ROOM if result.verdict is Verdict.SAFE else "there is no proof", path, quiet=quiet)
        return None
    run.begin("writing the certificate")
    try:
        write_certificate(path, result.certificate, system)
    except LimitReached:
        _say_unwritten(NO_ROOM, path, quiet=quiet)
        return None
    return path


def _say_unwritten(why: str, path: Path, *, quiet: bool) -> None:
    if not quiet:
        say([f"{why}, so {path} is not written"], "note")
