"""What commands say on stderr besides failures."""

from __future__ import annotations

from pathlib import Path

from symdmc.cli.failures import say, with_code
from symdmc.evidence.certificate import write_certificate
from symdmc.model.files.text_file import write_text_file
from symdmc.model.files.trace_format import write_trace
from symdmc.model.space import state_space
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.model.validation import validate
from symdmc.outcome import SearchResult, Verdict
from symdmc.reader.load import READING, Spelling
from symdmc.report.progress import progress_on_terminal
from symdmc.report.quantities import counted
from symdmc.running.run import LimitReached, Run


def loaded(model: Spelling, run: Run, *, quiet: bool = False) -> System:
    """The system of a model; its notes and the warnings of the validation are written, unless told to be quiet."""
    with progress_on_terminal(run, quiet=quiet):
        run.begin(READING)
        system = model.load()
        warnings = () if quiet else validate(system).warnings
    if not quiet:
        say(system.notes, "note")
        say(map(with_code, warnings), "warning")
    return system


def save_trace(path: Path | None, trace: Trace | None, system: System, *, quiet: bool = False) -> None:
    """Write the trace to the file that was asked for, whole or not at all; say so when there is no trace to write."""
    if path is not None and trace is None and not quiet:
        say([f"there is no trace, so {path} is not written"], "note")
    elif path is not None and trace is not None:
        write_trace(path, trace, system)


def save_sequence(path: Path | None, trace: Trace | None, system: System, *, quiet: bool = False) -> None:
    """Draw the trace in the file that was asked for; say so when there is no trace to draw."""
    if path is None:
        return
    if trace is None:
        _say_unwritten("there is no trace", path, quiet=quiet)
        return
    from symdmc.report.pictures.sequence import to_mermaid

    write_text_file(path, to_mermaid(trace, system))


def save_space(path: Path | None, most: int, system: System, run: Run, *, quiet: bool = False) -> None:
    """Write the state space to the file that was asked for; say so if the file has only a part of it, or none."""
    if path is None:
        return
    from symdmc.report.state_space import to_aut, to_dot

    run.begin("listing the states")
    try:
        with progress_on_terminal(run, quiet=quiet):
            space = state_space(system, most, run.checkpoint)
            text = (to_aut if path.suffix == ".aut" else to_dot)(space)
    except LimitReached:
        _say_unwritten("the limits left no room to list the states", path, quiet=quiet)
        return
    write_text_file(path, text)
    if space.is_cut and not quiet:
        say([f"{path} has the first {counted(len(space.states), 'state')}; --states allows more"], "note")


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
