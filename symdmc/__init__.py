"""symdmc, a directed model checker: the public names, each imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdmc.checking.checks import check as check
    from symdmc.checking.checks import explore as explore
    from symdmc.checking.checks import task_for as task_for
    from symdmc.checking.databases import astar as astar
    from symdmc.checking.databases import domain_database as domain_database
    from symdmc.checking.databases import pattern_database as pattern_database
    from symdmc.checking.databases import predicate_database as predicate_database
    from symdmc.checking.databases import select_patterns as select_patterns
    from symdmc.errors import EvidenceRefused as EvidenceRefused
    from symdmc.errors import InternalError as InternalError
    from symdmc.errors import ModelError as ModelError
    from symdmc.errors import ResourceLimit as ResourceLimit
    from symdmc.errors import SymdmcError as SymdmcError
    from symdmc.errors import UnsupportedFeature as UnsupportedFeature
    from symdmc.model.builder import Builder as Builder
    from symdmc.model.system import System as System
    from symdmc.outcome import Exploration as Exploration
    from symdmc.outcome import SearchResult as SearchResult
    from symdmc.outcome import Verdict as Verdict
    from symdmc.patterndb.database import PatternDatabase as PatternDatabase
    from symdmc.reader.load import load as load
    from symdmc.task import Task as Task

__version__ = "0.1.0"

_NAMES = {
    "symdmc.checking.checks": "check explore task_for",
    "symdmc.checking.databases": "astar domain_database pattern_database predicate_database select_patterns",
    "symdmc.errors": "EvidenceRefused InternalError ModelError ResourceLimit SymdmcError UnsupportedFeature",
    "symdmc.model.builder": "Builder",
    "symdmc.model.system": "System",
    "symdmc.outcome": "Exploration SearchResult Verdict",
    "symdmc.patterndb.database": "PatternDatabase",
    "symdmc.reader.load": "load",
    "symdmc.task": "Task",
}
"""The public names of each module, as the imports above list them for type checkers."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES, "__version__"]


if not TYPE_CHECKING:  # a type checker sees the imports above and refuses every other name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'symdmc' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
