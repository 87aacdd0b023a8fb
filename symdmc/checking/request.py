"""A request: what is asked about a model, and how it is to be answered. Read and checked once, then frozen.

Python's `check(...)` and the command line make the same request by the same function, from the options that were given.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack, get_args

from symdmc.checking.rules import RULES_OF_EXPLORING, RefusedRequest, require_fitting
from symdmc.errors import ModelError
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.estimates.database_request import Combination, DatabaseRequest, Lookup, Projection
from symdmc.heuristics.estimates.given import GivenHeuristic
from symdmc.heuristics.heuristic import Heuristic, HeuristicOptions
from symdmc.model.question import Asked, ErrorCondition, ask
from symdmc.model.system import System
from symdmc.search import SEARCHES
from symdmc.search.explicit.breadth_first import BreadthFirst
from symdmc.search.options import SearchOptions
from symdmc.search.symbolic.options import DIRECTIONS, ORDERS, SymbolicOptions
from symdmc.spelling.suggestions import require_known

Engine: TypeAlias = Literal["explicit", "symbolic"]
Guide: TypeAlias = str | Heuristic | HeuristicOptions
"""A heuristic as it is spelled, with its options, or ready."""
_Item = TypeVar("_Item")


class QuestionOptions(TypedDict, total=False):
    """What can be asked; nothing means the only property of the model."""

    error: Asked | Sequence[Asked] | None
    property: str | None
    properties_file: str | os.PathLike[str] | None
    deadlock: bool
    assertions: bool
    fault: bool


class EngineOptions(TypedDict, total=False):
    """What can be chosen about an engine; `SymbolicOptions` says what most of it means, and the defaults."""

    engine: Engine
    seed: int
    order: str
    sift: bool
    node_limit: int | None
    merge_limit: int | None
    count_layers: bool


class CheckOptions(QuestionOptions, EngineOptions, total=False):
    """What can be chosen about a check; `CheckRequest` and `DatabaseRequest` say what it means, and the defaults."""

    search: str
    heuristic: Guide | Sequence[Guide]
    pattern: str | Sequence[str]
    database: Path | Sequence[Path]
    predicate: str | Sequence[str]
    predicates_file: Path | Sequence[Path]
    complete: bool
    projection: Projection
    perimeter: int | None
    combine: Combination
    lookup: Lookup
    direction: str
    certify: bool


class ExploreOptions(EngineOptions, total=False):
    """What can be chosen about an exploration."""

    layered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about a model; nothing said means the model's only property."""

    error: Asked | Sequence[Asked] | None = None
    property: str | None = None
    properties_file: str | os.PathLike[str] | None = None
    deadlock: bool = False
    assertions: bool = False
    fault: bool = False

    def is_given(self) -> bool:
        """Whether anything is asked at all."""
        named = self.property is not None or self.properties_file is not None
        return bool(self.error) or named or self.deadlock or self.assertions or self.fault

    def condition(self, system: System) -> ErrorCondition:
        """The error states of the system that are asked for."""
        return ask(system, **{each.name: getattr(self, each.name) for each in fields(self)})


@dataclass(frozen=True, slots=True)
class NamedHeuristic:
    """A heuristic of a request."""

    text: str
    """As the user wrote it."""
    options: HeuristicOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """How a question is to be answered; every part fits the others."""

    question: Question = Question()
    engine: Engine = "explicit"
    search: SearchOptions = BreadthFirst()
    heuristics: tuple[NamedHeuristic, ...] = ()
    """Of several the largest estimate counts."""
    databases: DatabaseRequest = DatabaseRequest()
    combine: Combination = "max"
    lookup: Lookup = "flat"
    symbolic: SymbolicOptions = SymbolicOptions()
    seed: int = 0
    certify: bool = False
    """The verdict "safe" is to come with a certificate."""

    @property
    def is_symbolic(self) -> bool:
        """Whether the symbolic engine answers."""
        return self.engine == "symbolic"

    @property
    def heuristic_text(self) -> str:
        """All heuristics as one word."""
        return "+".join(each.text for each in self.heuristics)

    @property
    def needs_patterns(self) -> bool:
        """Whether all databases that can be those of patterns must be: for shared costs, layers or perimeters."""
        return self.combine == "sum" or self.lookup == "layers" or self.databases.perimeter is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreRequest:
    """How the states are to be counted."""

    engine: Engine = "explicit"
    symbolic: SymbolicOptions = SymbolicOptions()


def check_request(**given: Unpack[CheckOptions]) -> CheckRequest:
    """The request that the options make; raises RefusedRequest where one is wrong, or where they do not fit together.

    What is not given has the default of `CheckRequest`, except that a heuristic makes A* the search.
    """
    options: Mapping[str, Any] = given
    _require_keywords(options, CheckOptions)
    heuristics = tuple(map(_named, _guides(options.get("heuristic", ()))))
    request = CheckRequest(
        question=question_of(options),
        engine=_choice(options, "engine", get_args(Engine), "explicit"),
        search=_search(options.get("search", "astar" if heuristics else "bfs")),
        heuristics=heuristics,
        databases=_databases(options),
        combine=_choice(options, "combine", get_args(Combination), "max"),
        lookup=_choice(options, "lookup", get_args(Lookup), "flat"),
        symbolic=_symbolic(options),
        seed=options.get("seed", 0),
        certify=options.get("certify", False),
    )
    require_fitting(request, options)
    return request


def explore_request(**given: Unpack[ExploreOptions]) -> ExploreRequest:
    """The request that the options make; raises RefusedRequest where they are wrong or do not fit."""
    options: Mapping[str, Any] = given
    _require_keywords(options, ExploreOptions)
    engine = _choice(options, "engine", get_args(Engine), "explicit")
    request = ExploreRequest(engine=engine, symbolic=_symbolic(options))
    require_fitting(CheckRequest(engine=engine), options, RULES_OF_EXPLORING)
    return request


def question_of(options: Mapping[str, Any]) -> Question:  # Any: the values of a TypedDict
    """The question in some options."""
    return Question(**{each.name: options[each.name] for each in fields(Question) if each.name in options})


def _databases(options: Mapping[str, Any]) -> DatabaseRequest:
    perimeter = options.get("perimeter")
    if perimeter is not None and perimeter < 0:
        raise RefusedRequest(f"the perimeter {perimeter} is negative", "give 0 or more")
    return DatabaseRequest(
        patterns=_several(options.get("pattern", ()), (str,)),
        files=_several(options.get("database", ()), (Path,)),
        predicates=_several(options.get("predicate", ()), (str,)),
        predicate_files=_several(options.get("predicates_file", ()), (Path,)),
        complete=options.get("complete", False),
        projection=_choice(options, "projection", get_args(Projection), "exact"),
        perimeter=perimeter,
    )


def _symbolic(options: Mapping[str, Any]) -> SymbolicOptions:
    known = {each.name for each in fields(SymbolicOptions)}
    symbolic = SymbolicOptions(**{name: value for name, value in options.items() if name in known})
    _choice(options, "direction", DIRECTIONS, symbolic.direction)
    _choice(options, "order", ORDERS, symbolic.order)
    return symbolic


def _guides(given: Guide | Sequence[Guide]) -> Sequence[Guide]:
    """The heuristics that are given, one or several."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        return given
    return (given,)


def _named(guide: Guide) -> NamedHeuristic:
    if isinstance(guide, str):
        return NamedHeuristic(guide, _read("heuristic", guide, HEURISTICS.read))
    if isinstance(guide, HeuristicOptions):
        return NamedHeuristic(type(guide).__name__, guide)
    return NamedHeuristic(guide.name, GivenHeuristic(heuristic=guide))


def _search(text: str) -> SearchOptions:
    found: SearchOptions = _read("search", text, SEARCHES.read)
    return found


def _read(option: str, text: str, read: Any) -> Any:  # Any: a component of any table
    try:
        return read(text)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option=option) from None


def _choice(options: Mapping[str, Any], name: str, known: Sequence[str], default: str) -> Any:  # Any: a Literal
    value = options.get(name, default)
    try:
        require_known({"combine": "combination", "lookup": "look-up"}.get(name, name), value, known)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option=name) from None
    return value


def _several(given: object, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """One value as a tuple, or all of several."""
    return (given,) if isinstance(given, kinds) else tuple(given)  # type: ignore[arg-type]


def _require_keywords(options: Mapping[str, Any], known: type) -> None:
    unknown = [name for name in options if name not in known.__annotations__]
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}")
