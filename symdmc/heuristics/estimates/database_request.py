"""What a request says about the databases of its heuristics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from symdmc.patterndb.build import BuildOptions
    from symdmc.patterndb.database import PatternDatabase

Projection: TypeAlias = Literal["exact", "syntactic"]
"""The names in patterndb.build.PROJECTIONS."""
Combination: TypeAlias = Literal["max", "sum"]
"""How the databases of a search are combined; `sum` shares the costs among them."""
Lookup: TypeAlias = Literal["flat", "layers"]
"""`layers` asks the diagrams themselves, state by state: slow, a reference for the tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseRequest:
    """What databases keep, where a heuristic leaves that to the request, and how they are built."""

    patterns: tuple[str, ...] = ()
    """For `pdb` without a selection: the names that each database keeps."""
    files: tuple[Path, ...] = ()
    """For `pdb` without a selection: files with databases built before."""
    opened: tuple[PatternDatabase, ...] = ()
    """For `pdb` without a selection: databases that are given, and those of files once they are read."""
    predicates: tuple[str, ...] = ()
    """For `pred:given`: the conditions that its databases keep."""
    predicate_files: tuple[Path, ...] = ()
    """For `pred:given`: files with further ones, one a line."""
    complete: bool = False
    """Build databases to their last layer."""
    projection: Projection = "exact"
    """How databases drop what is not in their pattern."""
    perimeter: int | None = None
    """Databases have exact distances up to this one."""
    layer_work: int | None = None
    """Databases get no more layers behind the initial states when these add up to more nodes."""
    work: int | None = None
    """Most work on the databases of a selection, in nodes; None: no limit, 0: none whatever is spelled."""

    def build_options(self) -> BuildOptions:
        """How the databases are built."""
        from symdmc.patterndb.build import BuildOptions  # takes long, and few requests have databases

        return BuildOptions(
            complete=self.complete,
            projection=self.projection,
            perimeter=self.perimeter,
            layer_work=self.layer_work,
        )
