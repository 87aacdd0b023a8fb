"""The dead ends of a heuristic in a form that certificates can have."""

from __future__ import annotations

from symdmc.heuristics.heuristic import Heuristic
from symdmc.kernel.lookup import DEAD_END, DecisionTable
from symdmc.kernel.lookup_tree import TreeTable
from symdmc.kernel.lookup_tree_unfolding import unfolded


def dead_end_tables(heuristic: Heuristic) -> tuple[DecisionTable, ...] | None:
    """Decision diagrams with all dead ends of the heuristic; None where some cannot be written as one."""
    if heuristic.groups is None:
        return None
    found = []
    for group in heuristic.groups:
        for table in group.tables:
            written = unfolded(table, DEAD_END) if isinstance(table, TreeTable) else table
            if not isinstance(written, DecisionTable):
                return None
            found.append(written)
    return tuple(found)
