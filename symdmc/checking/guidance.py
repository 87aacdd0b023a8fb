"""What guides a search, as the user spelled it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.checking.names import COMBINATIONS, LOOKUPS, PROJECTIONS, require_known
from symdmc.errors import Complaint, ModelError

if TYPE_CHECKING:
    from symdmc.patterndb.build import BuildOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """One heuristic or several, and how databases are built."""

    heuristics: tuple[str, ...]
    """Spelled like `pdb:dpr,inner=hU`; of several the largest estimate counts."""
    patterns: tuple[str, ...] = ()
    """Of `pdb` without a selection: the names that each database keeps."""
    databases: tuple[Path, ...] = ()
    """Of `pdb` without a selection: files with databases built before."""
    predicates: tuple[str, ...] = ()
    """Of `pred:given`: the conditions that its database keeps."""
    predicate_files: tuple[Path, ...] = ()
    """Of `pred:given`: files with further ones, one a line."""
    complete: bool = False
    """Build databases to their last layer."""
    projection: str = "exact"
    """How databases drop what is not in their pattern."""
    perimeter: int | None = None
    """Databases have exact distances up to this one."""
    layer_work: int | None = None
    """Databases get no more layers behind the initial states when these add up to more nodes."""
    work: int | None = None
    """Most work on the databases of a selection, in nodes; None: any, 0: any whatever is spelled."""
    combine: str = "max"
    lookup: str = "flat"
    """`layers` asks the diagrams themselves, state by state: slow, a reference for the tables."""

    @property
    def text(self) -> str:
        """All heuristics as one word."""
        return "+".join(self.heuristics)

    def build_options(self) -> BuildOptions:
        """How the databases are built."""
        from symdmc.patterndb.build import BuildOptions

        return BuildOptions(
            complete=self.complete,
            projection=self.projection,
            perimeter=self.perimeter,
            layer_work=self.layer_work,
        )

    def require_fitting(self) -> None:
        """Raise ModelError where the ways to build and to combine do not fit together."""
        require_known("combination", self.combine, COMBINATIONS)
        require_known("look-up", self.lookup, LOOKUPS)
        require_known("projection", self.projection, PROJECTIONS)
        if self.perimeter is not None:
            if self.perimeter < 0:
                raise ModelError(Complaint(f"the perimeter {self.perimeter} is negative", "give 0 or more"))
            if self.combine == "sum":
                raise ModelError(Complaint("databases with a perimeter cannot share costs", "combine them by max"))
            if self.lookup == "layers":
                raise ModelError(Complaint("--lookup layers has no perimeter", "use --lookup flat"))
        if self.combine == "sum" and self.lookup == "layers":
            raise ModelError(Complaint("--lookup layers has no sum", "use --lookup flat"))
