"""What the tables of components have: each heuristic, selection and search with its options, for listing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symdmc.errors import Code
from symdmc.heuristics import HEURISTICS
from symdmc.reader.families import Family, families
from symdmc.search import SEARCHES
from symdmc.selection import SELECTIONS
from symdmc.spelling.components import Table
from symdmc.spelling.parameters import Parameter
from symdmc.spelling.suggestions import require_known

TABLES: Mapping[str, Table[Any]] = {  # Any: components of every kind
    "heuristic": HEURISTICS,
    "pattern selection": SELECTIONS,
    "search": SEARCHES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """A component as a user sees it."""

    name: str
    argument: str | None
    """The option that may stand behind the colon."""
    summary: str
    parameters: tuple[Parameter, ...]

    @property
    def spelling(self) -> str:
        """How it is written, with a word for its argument."""
        return self.name if self.argument is None else f"{self.name}:{self.argument.upper()}"


def list_families() -> tuple[Family, ...]:
    """The families of models that come with symdmc, each with its parameters, for `load` and `check`.

    >>> import symdmc
    >>> [family.name for family in symdmc.list_families()][:3]
    ['air_conditioning', 'arbiter_tree', 'fischer']
    """
    return families()


def list_heuristics() -> tuple[CatalogueEntry, ...]:
    """The heuristics and selections that can be spelled, each with its options, for `check(heuristic=...)`.

    >>> import symdmc
    >>> [entry.spelling for entry in symdmc.list_heuristics() if entry.argument == "depth"]
    ['pdb:coi:DEPTH']
    """
    return tuple(entries(HEURISTICS) + entries(SELECTIONS))


def list_searches() -> tuple[CatalogueEntry, ...]:
    """The searches that can be spelled, each with its options, for `check(search=...)`.

    >>> import symdmc
    >>> [entry.name for entry in symdmc.list_searches()][:4]
    ['bfs', 'dfs', 'rdfs', 'astar']
    """
    return tuple(entries(SEARCHES))


def entries(table: Table[Any]) -> list[CatalogueEntry]:
    """All components of a table."""
    return [_entry(table, name) for name in table]


def entry_named(name: str) -> CatalogueEntry:
    """The entry of a name; selections of patterns are known without `pdb:` too. Raises ModelError if there is none."""
    known = {each: table for table in TABLES.values() for each in table}
    wanted = f"pdb:{name}" if f"pdb:{name}" in SELECTIONS else name
    require_known(Code.UNKNOWN_COMPONENT, "heuristic", wanted, tuple(known))
    return _entry(known[wanted], wanted)


def _entry(table: Table[Any], name: str) -> CatalogueEntry:
    component = table[name]
    summary = component.summary() if table.home(name) == name else f"The same as {table.home(name)}."
    return CatalogueEntry(name=name, argument=component.ARGUMENT, summary=summary, parameters=component.parameters())
