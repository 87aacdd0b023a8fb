"""Certificates that hold, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from symdmc.evidence.claims import condition_in_words
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.report.console import print_line
from symdmc.report.quantities import counted, seconds_text
from symdmc.report.results import print_headline
from symdmc.report.schemas import document

if TYPE_CHECKING:
    from symdmc.evidence.certify import Certified


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


def certification_document(
    model: str | None, system: System | None, certified: Certified, seconds: float
) -> dict[str, object]:
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
