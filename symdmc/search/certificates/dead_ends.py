"""The dead ends of a heuristic in a form that certificates can have."""

from __future__ import annotations

from symdmc.heuristics.heuristic import TaskHeuristic
from symdmc.lookup.relaxation import Relaxation
from symdmc.lookup.tables import DEAD_END, DecisionTable
from symdmc.lookup.tree import TreeTable
from symdmc.lookup.tree_unfolding import unfolded


def dead_end_tables(heuristic: TaskHeuristic) -> tuple[DecisionTable, ...] | None:
    """Decision diagrams with all dead ends but those of relaxations; None where some cannot be written as one."""
    if heuristic.groups is None:
        return None
    found = []
    for group in heuristic.groups:
        for table in group.tables:
            if isinstance(table, Relaxation):
                continue
            written = unfolded(table, DEAD_END) if isinstance(table, TreeTable) else table
            if not isinstance(written, DecisionTable):
                return None
            found.append(written)
    return tuple(found)


def relaxations_of(heuristic: TaskHeuristic) -> tuple[Relaxation, ...]:
    """The relaxations in a heuristic: their dead ends are written as boxes."""
    tables = (table for group in heuristic.groups or () for table in group.tables)
    return tuple(table for table in tables if isinstance(table, Relaxation))
