"""Searches: state by state, guided by a heuristic, over sets of states; one file for each. Certificates of safety."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdmc.spelling.components import Table

if TYPE_CHECKING:
    from symdmc.search.options import SearchOptions

SEARCHES: Table[SearchOptions] = Table(
    "search",
    {
        "bfs": "symdmc.search.explicit.breadth_first:BreadthFirst",
        "dfs": "symdmc.search.explicit.depth_first:DepthFirst",
        "rdfs": "symdmc.search.explicit.random_depth_first:RandomDepthFirst",
        "astar": "symdmc.search.directed.astar:AStar",
        "greedy": "symdmc.search.directed.greedy:Greedy",
        "wastar": "symdmc.search.directed.wastar:WeightedAStar",
        "idastar": "symdmc.search.directed.ida_star:IterativeDeepeningAStar",
        "ehc": "symdmc.search.directed.hill_climbing:EnforcedHillClimbing",
        "bitstate": "symdmc.search.directed.bit_state:BitState",
    },
)
"""Each search by its name in a spelling."""
