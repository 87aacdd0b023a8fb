"""What Python functions answer: plain values that print as the command line does."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from os import PathLike
from typing import TYPE_CHECKING

from symdmc.api.shown import STEPS, Printed, json_values, text_of, write_json
from symdmc.api.traces import Certificate, Trace
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import NEITHER, Exploration, FaultReport, SearchResult
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.spelling.abridged import brief

if TYPE_CHECKING:
    from symdmc.evidence.certify import Certified


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an answer is about."""

    spelling: str | None
    """The path or the name of the family, with its parameters; None for a model made in Python."""
    system: System | None = None
    """None where a limit was met before the model was read."""
    symbolic: SymbolicOptions | None = SymbolicOptions()
    """The options of the symbolic engine; None where they are not known."""

    @property
    def model(self) -> str | None:
        """The model as it was named."""
        return self.spelling or (None if self.system is None else self.system.name)

    def trace(self, trace: object) -> Trace | None:
        """A trace with the names of the system."""
        from symdmc.model.trace import Trace as Bare

        return Trace.of(trace, self.system) if isinstance(trace, Bare) and self.system is not None else None

    def faults(self, found: FaultReport | None) -> Faults | None:
        """What was found of faults, with the names of the system."""
        if found is None:
            return None
        return Faults(states=found.states, first=self.trace(found.first), reason=found.reason)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Faults(FaultReport):
    """Faults met by a search: in how many of the expanded states, and how to get to the first."""

    first: Trace | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CheckResult(Printed, SearchResult):
    """The verdict of a check with its evidence and its costs; `print` shows it as the command line does."""

    trace: Trace | None = None
    faults: Faults | None = None
    certificate: Certificate | None = None
    subject: Subject = field(compare=False)

    @classmethod
    def of(cls, found: SearchResult, subject: Subject) -> CheckResult:
        """A result with the names of the system it is about."""
        parts = {each.name: getattr(found, each.name) for each in fields(SearchResult)}
        parts["trace"], parts["faults"] = subject.trace(found.trace), subject.faults(found.faults)
        if found.certificate is not None and subject.system is not None:
            parts["certificate"] = Certificate.of(found.certificate, subject.system)
        return cls(**parts, subject=subject)

    def text(self, *, steps: int | None = STEPS, explain: bool = False) -> str:
        """What the command line prints. Of the trace it has at most `steps` steps; None leaves no step out.

        With `explain`, also why each variable is in a pattern that was chosen automatically, or not.
        """
        from symdmc.report.results import print_result

        about = self.subject
        return text_of(
            lambda console: print_result(
                console, about.spelling, about.system, self, about.symbolic, steps=steps, quiet=False, explain=explain
            )
        )

    def to_json(self) -> dict[str, object]:
        """What `symdmc check --json` prints; the schema is `symdmc.schema("check")`."""
        from symdmc.report.documents import check_document
        from symdmc.report.results import exit_code_of

        return json_values(check_document(self.subject.model, self.subject.system, self, exit_code_of(self)))

    def write(self, path: str | PathLike[str]) -> None:
        """Write the result to a file, for `symdmc.read_result`; a certificate has a file of its own."""
        write_json(path, self.to_json())


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ExploreResult(Printed, Exploration):
    """How many states there are, and how they are connected; `print` shows it as the command line does."""

    faults: Faults | None
    first_deadlock: Trace | None = None
    subject: Subject = field(compare=False)

    @classmethod
    def of(cls, found: Exploration, subject: Subject) -> ExploreResult:
        """A result with the names of the system it is about."""
        parts = {each.name: getattr(found, each.name) for each in fields(Exploration)}
        named = {"faults": subject.faults(found.faults), "first_deadlock": subject.trace(found.first_deadlock)}
        return cls(**parts | named, subject=subject)

    def text(self, *, steps: int | None = STEPS) -> str:
        """What the command line prints."""
        from symdmc.report.results import print_exploration

        about = self.subject
        return text_of(
            lambda console: print_exploration(console, about.spelling, about.system, self, about.symbolic, quiet=False)
        )

    def to_json(self) -> dict[str, object]:
        """What `symdmc explore --json` prints; the schema is `symdmc.schema("explore")`."""
        from symdmc.report.documents import explore_document

        return json_values(explore_document(self.subject.model, self.subject.system, self))

    def write(self, path: str | PathLike[str]) -> None:
        """Write the result to a file, for `symdmc.read_exploration`."""
        write_json(path, self.to_json())


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CertifyResult(Printed):
    """What a certificate was shown to prove: that no error state is reachable."""

    certified: Certified
    """The question, and what it took."""
    seconds: float
    subject: Subject

    @property
    def property(self) -> str:
        """The question."""
        return self.certified.property

    is_safe = True
    is_error = False

    def text(self, *, steps: int | None = STEPS) -> str:
        """What the command line prints."""
        from symdmc.report.certificates import print_certified

        return text_of(lambda console: print_certified(console, self.certified, self.seconds, quiet=False))

    def to_json(self) -> dict[str, object]:
        """What `symdmc certify --json` prints; the schema is `symdmc.schema("certify")`."""
        from symdmc.report.certificates import certification_document

        about = self.subject
        return json_values(certification_document(about.model, about.system, self.certified, self.seconds))

    def __bool__(self) -> bool:
        raise TypeError(NEITHER)

    def __repr__(self) -> str:
        return brief("CertifyResult", "safe", property=self.property)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplayResult(Printed):
    """What a trace was shown to be: a path of the system and, where there is a condition, one to an error state."""

    trace: Trace
    error: ErrorCondition | None
    """What the last state was shown to satisfy; None for a path without such a claim."""

    is_safe = False

    @property
    def is_error(self) -> bool:
        """The trace ends in an error state."""
        return self.error is not None

    def text(self, *, steps: int | None = STEPS) -> str:
        """What the command line prints, with at most `steps` steps; None leaves no step out."""
        from symdmc.report.results import print_replayed

        trace = self.trace
        return text_of(
            lambda console: print_replayed(console, trace, self.error, trace.system, steps=steps, quiet=False)
        )

    def __bool__(self) -> bool:
        raise TypeError(NEITHER)

    def __repr__(self) -> str:
        return brief("ReplayResult", "a path" if self.error is None else self.error.name, length=self.trace.length)
