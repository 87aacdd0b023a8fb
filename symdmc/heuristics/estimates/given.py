"""Heuristics and databases that the caller has made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from symdmc.errors import Complaint, ModelError
from symdmc.heuristics.estimates.databases import database_heuristic
from symdmc.heuristics.heuristic import Heuristic, HeuristicOptions, Made, Making
from symdmc.patterndb.database import PatternDatabase
from symdmc.spelling.parameters import Unspelled
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenHeuristic(HeuristicOptions):
    """A heuristic that is there already."""

    heuristic: Annotated[Heuristic, Unspelled()]

    def make(self, making: Making) -> Made:
        """The heuristic itself."""
        return Made(heuristic=self.heuristic)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDatabases(HeuristicOptions):
    """Databases that are there already, combined by their maximum or their sum."""

    databases: Annotated[tuple[PatternDatabase, ...], Unspelled()]
    combination: str = "max"

    def make(self, making: Making) -> Made:
        """Their heuristic; raises ModelError where they are of another task, or count steps twice in a sum."""
        _require_fitting(making.task, self.databases)
        heuristic = database_heuristic(making.task, self.databases, self.combination)
        return Made(heuristic=heuristic, patterns=tuple(database.pattern for database in self.databases))


def _require_fitting(task: Task, databases: Sequence[PatternDatabase]) -> None:
    if not databases:
        raise ModelError(Complaint("there is no pattern database", "build one with pattern_database(...)"))
    for database in databases:
        if database.fingerprint != task.fingerprint:
            what = f"the pattern database of {', '.join(database.pattern)} belongs to another model or error condition"
            raise ModelError(Complaint(what, "build it again with pattern_database(...)"))
