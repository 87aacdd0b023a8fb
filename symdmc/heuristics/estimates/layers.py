"""Pattern databases asked through the diagrams of their layers: the reference for look-up tables, and slow."""

from __future__ import annotations

from dataclasses import dataclass

from symdmc.heuristics.heuristic import shown
from symdmc.lookup.tables import TableGroup
from symdmc.patterndb.build import BuiltLayers
from symdmc.task.task import Values


@dataclass(frozen=True, repr=False)
class LayerHeuristic:
    """The maximum over databases of the layer that a state is in. Admissible and consistent."""

    databases: tuple[BuiltLayers, ...]
    name: str = "pdb"
    admissible: bool = True
    consistent: bool = True
    groups: tuple[TableGroup, ...] | None = None
    floor: int = 0

    def __repr__(self) -> str:
        return shown(self)

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state; None for a dead end."""
        estimates = [database.distance(values) for database in self.databases]
        return None if None in estimates else max(each for each in estimates if each is not None)
