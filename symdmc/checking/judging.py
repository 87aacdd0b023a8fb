"""Judging a certificate within limits: in a child process, since z3 cannot be interrupted.

A context of z3 that is interrupted while it is between two queries answers later ones wrongly, so nobody interrupts it:
the process that it is in ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from symdmc.evidence.certificate import Certificate
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Stop
from symdmc.running.run import LimitReached, Run
from symdmc.running.supervision import supervise

if TYPE_CHECKING:
    from symdmc.evidence.certify import Certified

_Told: TypeAlias = tuple[int, int, str]
"""The amount done, the total amount, and what is being done."""

TOLD_EVERY = 0.1
"""Seconds between two reports of progress."""


def certified_within(
    system: System, certificate: Certificate, run: Run, *, error: ErrorCondition | None = None, doing: str
) -> Certified:
    """What the certificate proves, as `evidence.certify.certify` says; raises LimitReached when the run says so.

    `doing` tells the progress of the run what this is for.
    """

    def judge(send: Callable[[_Told], None]) -> Certified:
        from symdmc.evidence.certify import certify  # loads z3

        return certify(system, certificate, error=error, progress=_Seldom(send))

    def tell(told: _Told) -> None:
        done, total, text = told
        run.say(f"{doing}: {text}, {done:,} of {total:,}")

    run.say(doing)
    ended = supervise(judge, run, tell)
    if ended.result is None:
        raise LimitReached(ended.stop or Stop.INTERRUPT)
    return ended.result


class _Seldom:
    """Passes on what is told, but not more often than anybody reads it."""

    def __init__(self, send: Callable[[_Told], None]) -> None:
        self.send = send
        self.last = time.monotonic()

    def __call__(self, done: int, total: int, text: str) -> None:
        if time.monotonic() - self.last >= TOLD_EVERY:
            self.last = time.monotonic()
            self.send((done, total, text))
