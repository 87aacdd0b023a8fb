"""pred:given: predicates that the user gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from symdmc.abstraction.predicates.given import predicates_given
from symdmc.errors import Code, Complaint, ModelError
from symdmc.selection.predicates.options import PredicateSelection
from symdmc.selection.predicates.parts import shared_out
from symdmc.selection.selection import Report, Selection, silent
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenPredicates(PredicateSelection):
    """Predicates that are given: those of --predicate, --predicates and `file`; in parts of few processes.

    kind: as for pred:syntax; with keep, perimeter and all that needs patterns auto is exact
    keep: variables and processes kept beside the predicates, names with `/` between them; not cartesian
    perimeter: distances up to this one are exact; not cartesian
    file: a file with a predicate a line
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = (
        *("pred:given", "pred:given,complete=true,perimeter=1", "pred:given,kind=exact", "pred:given,keep=*"),
        *("pred:given,kind=cartesian", "pred:given,combine=partition"),
    )

    complete: bool | None = None
    keep: str | None = None
    perimeter: Annotated[int, Between(0, MANY)] | None = None
    file: str | None = None
    texts: Annotated[tuple[str, ...], Unspelled()] = ()
    files: Annotated[tuple[Path, ...], Unspelled()] = ()

    def __post_init__(self) -> None:
        super(GivenPredicates, self).__post_init__()
        asked = " and ".join(f"{name}=" for name in ("keep", "perimeter") if getattr(self, name) is not None)
        if asked and not self.can_be_patterns:
            key = "kind" if self.kind == "cartesian" else "combine"
            what = f"{asked} and {key}={getattr(self, key)} do not go together"
            raise ModelError(Complaint(Code.OPTIONS_CONFLICT, what, "leave one of them out"))

    @property
    def can_be_patterns(self) -> bool:
        """Whether the databases may be those of patterns in the extended task."""
        return self.kind != "cartesian" and self.combine == "max"

    @property
    def are_patterns(self) -> bool:
        """Whether they must be."""
        asked = self.kind == "exact" or self.keep is not None or self.perimeter is not None
        return asked and self.can_be_patterns

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The predicates of each part; raises ModelError where one is wrong, or where no part can tell any of them."""
        report("reading predicates")
        files = self.files if self.file is None else (*self.files, Path(self.file))
        found = predicates_given(task, self.texts, files)
        chosen = shared_out(task, "pred:given", found, self.most_processes)
        if not chosen.predicates:
            what = f"no part of b={self.b} processes has all that any of the predicates reads"
            raise ModelError(Complaint(Code.WRONG_OPTION_VALUE, what, "give a larger b, or b=all"))
        return chosen
