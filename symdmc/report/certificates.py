"""Certificates that hold, as text and as JSON, and the progress of checking one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console

from symdmc.evidence.claims import condition_in_words
from symdmc.model.system import System
from symdmc.outcome import Progress, Verdict
from symdmc.report.console import print_line
from symdmc.report.progress import QUIET_SECONDS, ProgressLine, progress_on_terminal
from symdmc.report.quantities import counted, seconds_text
from symdmc.report.results import print_headline
from symdmc.report.schemas import document

if TYPE_CHECKING:
    from symdmc.evidence.certificate import Certificate
    from symdmc.evidence.certify import Certified
    from symdmc.model.question import ErrorCondition


def certified_within(
    system: System, certificate: Certificate, error: ErrorCondition | None, *, quiet: bool
) -> tuple[Certified, float]:
    """What the certificate proves, and the seconds this took; progress is shown on a terminal."""
    from symdmc.evidence.certify import certify  # which loads z3

    started = time.monotonic()
    with progress_on_terminal(quiet=quiet) as line:
        certified = certify(system, certificate, error=error, progress=_CheckProgress(line, started))
    return certified, time.monotonic() - started


class _CheckProgress:
    """Shows how far a check has come, once it has lasted for a while."""

    def __init__(self, line: ProgressLine, started: float) -> None:
        self.line = line
        self.started = started

    def __call__(self, done: int, total: int, text: str) -> None:
        seconds = time.monotonic() - self.started
        if seconds >= QUIET_SECONDS:
            phase = f"certifying: {text}, {done:,} of {total:,}, {seconds:.0f} s"
            self.line(Progress(explored=0, generated=0, stored=0, depth=0, seconds=seconds, phase=phase))


def print_certified(console: Console, certified: Certified, seconds: float, *, quiet: bool) -> None:
    """The answer of `certify`, for a certificate that holds."""
    print_headline(console, Verdict.SAFE, _headline(certified))
    if not quiet:
        costs = (
            counted(certified.transitions, "transition"),
            f"{counted(certified.queries, 'query')} of z3",
            f"{counted(certified.states, 'state')} visited",
            seconds_text(seconds),
        )
        print_line(console, f"  error states: {condition_in_words(certified.error)}")
        print_line(console, f"  {', '.join(costs)}")


def certification_document(model: str, system: System, certified: Certified, seconds: float) -> dict[str, object]:
    """What `certify --json` prints."""
    return document(
        "certify",
        model,
        system,
        certified,
        error=condition_in_words(certified.error),
        verdict=Verdict.SAFE.value,
        reason=_headline(certified),
        seconds=round(seconds, 6),
        exit_code=0,
    )


def _headline(certified: Certified) -> str:
    nothing = "; no state at all satisfies this condition" if certified.vacuous else ""
    return f"the certificate holds: no error state of {certified.property} is reachable{nothing}"
