"""Every failure symdmc can report, sorted by who must act on it, each with its exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symdmc.errors.codes import Code as Code


@dataclass(frozen=True, slots=True, order=True)
class SourceSpan:
    """A place in a text: file, line and column, both counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One fault found in an input: the code of its kind, where, what, and what to do about it."""

    code: Code
    """The kind of fault, which stays the same when the words change."""
    what: str
    remedy: str = ""
    where: SourceSpan | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.code, Code):
            raise TypeError(f"the code of a complaint is {self.code!r}; give a symdmc.errors.Code")

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where is not None else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


class SymdmcError(Exception):
    """Base of all errors a caller may want to catch; `exit_code` is what the commands return."""

    exit_code = 1


class RefusedInput(SymdmcError):
    """Whoever gave the input must act; `complaints` has every fault found, not just the first."""

    def __init__(self, complaints: Complaint | Iterable[Complaint]) -> None:
        if isinstance(complaints, str):
            raise TypeError(f"an error needs a Complaint with a code, not the text {complaints!r}")
        self.complaints = (complaints,) if isinstance(complaints, Complaint) else tuple(complaints)
        super().__init__(self.complaints)

    def __str__(self) -> str:
        return "\n".join(map(str, self.complaints))


class ModelError(RefusedInput):
    """The author of a model, question or file must act."""

    exit_code = 30


class UnsupportedFeature(ModelError):
    """The model is right, but symdmc cannot handle something it uses."""

    exit_code = 31


class ResourceLimit(SymdmcError):
    """A limit was reached before there was anything to return; each limit has an exit code of its own."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class EvidenceRefused(RefusedInput):
    """A trace or certificate does not hold for the model it was given with."""

    exit_code = 40


class InternalError(SymdmcError):
    """Our own evidence failed its check: a bug in symdmc."""

    exit_code = 39


class StateOutside(InternalError):
    """A state that was reached lies outside of what a look-up table knows."""
