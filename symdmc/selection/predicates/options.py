"""What all selections of predicates have in common: parts of the network, and how databases are built for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symdmc.errors import Code, Complaint, ModelError
from symdmc.selection.selection import SelectionOptions

ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateSelection(SelectionOptions):
    """A selection of predicates.

    b: most processes of a part, or all
    kind: abstract steps of whole states by diagrams (exact), of single predicates (cartesian), or the first that fits
    combine: the largest estimate of any part, the sum with costs shared out, or the plain sum, which is not admissible
    complete: build to the last layer; else until every initial state has its distance
    """

    b: str = ALL
    kind: Literal["auto", "exact", "cartesian"] = "auto"
    combine: Literal["max", "partition", "sum"] = "max"
    complete: bool | None = True

    def __post_init__(self) -> None:
        if self.b != ALL and not (self.b.isdecimal() and int(self.b) >= 1):
            what = f"b={self.b} is no bound on the processes of a part"
            raise ModelError(Complaint(Code.WRONG_OPTION_VALUE, what, "give 1 or more, or all"))

    @property
    def most_processes(self) -> int | None:
        """The most processes of a part; None for all."""
        return None if self.b == ALL else int(self.b)
