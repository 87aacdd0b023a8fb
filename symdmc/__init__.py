"""symdmc, a directed model checker: the public names, each imported when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdmc.api.checking import assert_safe as assert_safe
    from symdmc.api.checking import certify as certify
    from symdmc.api.checking import check as check
    from symdmc.api.checking import explore as explore
    from symdmc.api.checking import replay as replay
    from symdmc.api.files import read_certificate as read_certificate
    from symdmc.api.files import read_database as read_database
    from symdmc.api.files import read_exploration as read_exploration
    from symdmc.api.files import read_result as read_result
    from symdmc.api.files import read_trace as read_trace
    from symdmc.api.files import schema as schema
    from symdmc.api.results import CertifyResult as CertifyResult
    from symdmc.api.results import CheckResult as CheckResult
    from symdmc.api.results import ExploreResult as ExploreResult
    from symdmc.api.results import ReplayResult as ReplayResult
    from symdmc.api.traces import Certificate as Certificate
    from symdmc.api.traces import Trace as Trace
    from symdmc.api.traces import TraceStep as TraceStep
    from symdmc.checking.catalogue import CatalogueEntry as CatalogueEntry
    from symdmc.checking.catalogue import list_families as list_families
    from symdmc.checking.catalogue import list_heuristics as list_heuristics
    from symdmc.checking.catalogue import list_searches as list_searches
    from symdmc.checking.checks import task_for as task_for
    from symdmc.checking.databases import pattern_database as pattern_database
    from symdmc.checking.databases import select_patterns as select_patterns
    from symdmc.checking.looking import avoidable as avoidable
    from symdmc.checking.looking import estimates as estimates
    from symdmc.errors import EvidenceRefused as EvidenceRefused
    from symdmc.errors import InternalError as InternalError
    from symdmc.errors import ModelError as ModelError
    from symdmc.errors import ResourceLimit as ResourceLimit
    from symdmc.errors import SymdmcError as SymdmcError
    from symdmc.errors import UnsupportedFeature as UnsupportedFeature
    from symdmc.heuristics.estimates.own import Heuristic as Heuristic
    from symdmc.heuristics.estimates.own import heuristic as heuristic
    from symdmc.model.builder import Builder as Builder
    from symdmc.model.named_state import NamedState as NamedState
    from symdmc.model.system import Range as Range
    from symdmc.model.system import System as System
    from symdmc.model.watching import watch as watch
    from symdmc.model.why_not import why_not as why_not
    from symdmc.outcome import Exploration as Exploration
    from symdmc.outcome import SearchResult as SearchResult
    from symdmc.outcome import Verdict as Verdict
    from symdmc.patterndb.database import PatternDatabase as PatternDatabase
    from symdmc.reader.families import Family as Family
    from symdmc.reader.load import load as load
    from symdmc.task import Task as Task

__version__ = "0.1.0"

_NAMES = {
    "symdmc.api.checking": "assert_safe certify check explore replay",
    "symdmc.api.files": "read_certificate read_database read_exploration read_result read_trace schema",
    "symdmc.api.results": "CertifyResult CheckResult ExploreResult ReplayResult",
    "symdmc.api.traces": "Certificate Trace TraceStep",
    "symdmc.checking.catalogue": "CatalogueEntry list_families list_heuristics list_searches",
    "symdmc.checking.checks": "task_for",
    "symdmc.checking.databases": "pattern_database select_patterns",
    "symdmc.checking.looking": "avoidable estimates",
    "symdmc.errors": "EvidenceRefused InternalError ModelError ResourceLimit SymdmcError UnsupportedFeature",
    "symdmc.heuristics.estimates.own": "Heuristic heuristic",
    "symdmc.model.builder": "Builder",
    "symdmc.model.named_state": "NamedState",
    "symdmc.model.system": "Range System",
    "symdmc.model.watching": "watch",
    "symdmc.model.why_not": "why_not",
    "symdmc.outcome": "Exploration SearchResult Verdict",
    "symdmc.patterndb.database": "PatternDatabase",
    "symdmc.reader.families": "Family",
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
