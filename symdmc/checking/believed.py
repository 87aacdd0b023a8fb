"""Databases from files are believed by a search; what rests on them is proved here before it is said.

"Safe" is said once its certificate was checked. That no trace is shorter is said once the estimates were found to be
consistent, in the abstraction of the database. A file that says what is not true is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from symdmc.checking.judging import certified_within
from symdmc.checking.request import CheckRequest
from symdmc.encode.diagrams import DiagramLimit, WorkLeft
from symdmc.errors import Code, Complaint, EvidenceRefused, StateOutside
from symdmc.outcome import SearchResult, Stop, Verdict
from symdmc.patterndb.build import BuildOptions
from symdmc.patterndb.consistency import inconsistency
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.store import read_database
from symdmc.patterndb.supervised import in_child
from symdmc.running.run import LimitReached, Run
from symdmc.running.signals import stop_of
from symdmc.spelling.speech import BUILD_DATABASE
from symdmc.spelling.suggestions import listed
from symdmc.task.task import Task

CONSISTENCY_WORK = 2_000_000_000
"""The most work on finding out whether the estimates of a file are consistent; about a minute."""


def with_files_read(request: CheckRequest, task: Task) -> CheckRequest:
    """The request with what its files have in them, for a search whose proof can be checked."""
    opened = (*request.databases.opened, *(read_database(path, task) for path in request.databases.files))
    if all(database.file is None for database in opened):
        return request
    databases = replace(request.databases, files=(), opened=opened)
    symbolic = replace(request.symbolic, certify=True)
    return replace(request, databases=databases, certify=True, symbolic=symbolic)


@contextmanager
def refusing_lies(request: CheckRequest) -> Iterator[None]:
    """A search that reaches a state which a file says cannot be reached ends with EvidenceRefused."""
    try:
        yield
    except StateOutside as found:
        believed = _believed(request)
        if not believed:
            raise
        raise EvidenceRefused(
            Complaint(
                Code.DATABASE_NOT_TRUE, f"what it says is not true: {found}", str(BUILD_DATABASE), _names(believed)
            )
        ) from None


def proved(task: Task, result: SearchResult, request: CheckRequest, run: Run) -> SearchResult:
    """The result with only those claims that do not rest on what a file says; EvidenceRefused where it is not true.

    The request is that of the search, with its files read.
    """
    believed = _believed(request)
    if not believed:
        return result
    if result.verdict is Verdict.SAFE:
        return _safe(task, result, believed, run)
    if result.verdict is Verdict.ERROR and (result.shortest or result.lower_bound):
        return _no_shorter(task, result, believed, request, run)
    return replace(result, lower_bound=0 if result.lower_bound else result.lower_bound)


def _believed(request: CheckRequest) -> tuple[PatternDatabase, ...]:
    return tuple(database for database in request.databases.opened if database.file is not None)


def _names(databases: Sequence[PatternDatabase]) -> str:
    return listed(dict.fromkeys(str(each.file) for each in databases), "and")


def _safe(task: Task, result: SearchResult, believed: Sequence[PatternDatabase], run: Run) -> SearchResult:
    """Safe, if the certificate holds."""
    if result.certificate is None:
        return _open(result, believed, run, "it could not be written down as a certificate")
    try:
        certified_within(task.system, result.certificate, run, error=task.error, doing="checking the proof")
    except EvidenceRefused as refusal:
        raise EvidenceRefused(
            Complaint(
                Code.DATABASE_NOT_TRUE, f"its dead ends prove nothing: {refusal}", str(BUILD_DATABASE), _names(believed)
            )
        ) from None
    except (LimitReached, KeyboardInterrupt) as ended:
        stop = _stop(ended)
        return replace(_open(result, believed, run, f"{_happened(stop)} before that"), stop=stop)
    return replace(result, reason=f"{result.reason}; the certificate of this was checked")


def _open(result: SearchResult, believed: Sequence[PatternDatabase], run: Run, why: str) -> SearchResult:
    """Unknown, since a proof was not checked."""
    reason = f"a proof that rests on {_names(believed)} is still to be checked: {why}"
    return replace(result, verdict=Verdict.UNKNOWN, stop=run.stop(), reason=reason, lower_bound=0, certificate=None)


def _no_shorter(
    task: Task, result: SearchResult, believed: Sequence[PatternDatabase], request: CheckRequest, run: Run
) -> SearchResult:
    """A shortest trace, or as long as is said at most, if the estimates are consistent."""
    shared = request.combine == "sum"
    try:
        for database in believed:
            run.say(f"checking the estimates of {database.file}")
            found = in_child(task, _inspection(task, database, shared, run), run, run.say)
            if not found.finished:
                return _unproved(result, believed, "it takes too much work")
            if found.objection is not None:
                what = f"its estimates are not true: {found.objection}"
                raise EvidenceRefused(Complaint(Code.DATABASE_NOT_TRUE, what, str(BUILD_DATABASE), str(database.file)))
    except (LimitReached, KeyboardInterrupt) as ended:
        stop = _stop(ended)
        return replace(_unproved(result, believed, _happened(stop)), stop=stop)
    return result


def _stop(ended: LimitReached | KeyboardInterrupt) -> Stop:
    return ended.stop if isinstance(ended, LimitReached) else stop_of(ended)


def _happened(stop: Stop) -> str:
    return stop.value if stop.is_signal else f"{stop.value} reached"


@dataclass(frozen=True, slots=True)
class _Finding:
    """What an inspection of a database has found."""

    finished: bool
    objection: str | None = None


def _inspection(
    task: Task, database: PatternDatabase, shared: bool, run: Run
) -> Callable[[Callable[[str], None]], _Finding]:
    """The inspection of a database, for a child process."""

    def inspect(_: Callable[[str], None]) -> _Finding:
        options = BuildOptions(work=WorkLeft(CONSISTENCY_WORK), memory_bytes=run.memory_bytes)
        try:
            return _Finding(True, inconsistency(task, database, options, shared_costs=shared))
        except DiagramLimit:
            return _Finding(False)

    return inspect


def _unproved(result: SearchResult, believed: Sequence[PatternDatabase], why: str) -> SearchResult:
    reason = f"an error state is reachable; whether the estimates of {_names(believed)} are true was not checked: {why}"
    return replace(result, shortest=False, lower_bound=0, reason=reason)
