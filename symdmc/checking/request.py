"""A request: what is asked about a model, and how it is to be answered. Read and checked once, then frozen.

Python's `check(...)` and the command line make the same request by the same function, from the options that were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from types import NoneType
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
from symdmc.spelling.kinds import require_kind
from symdmc.spelling.suggestions import require_known

Engine: TypeAlias = Literal["explicit", "symbolic"]
Guide: TypeAlias = str | Heuristic | HeuristicOptions
"""A heuristic as it is spelled, with its options, or ready."""
SPOKEN = {"combine": "combination", "lookup": "look-up"}
_Made = TypeVar("_Made")


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


CHOICES: Mapping[str, Sequence[str]] = {
    "engine": get_args(Engine),
    "combine": get_args(Combination),
    "lookup": get_args(Lookup),
    "projection": get_args(Projection),
    "direction": DIRECTIONS,
    "order": ORDERS,
}
FLAGS = ("deadlock", "assertions", "fault", "sift", "count_layers", "complete", "certify", "layered")
COUNTS = ("node_limit", "merge_limit", "perimeter")
SEVERAL = {
    "pattern": "patterns",
    "database": "files",
    "predicate": "predicates",
    "predicates_file": "predicate_files",
    "heuristic": "heuristics",
}
"""Options that may be one value or several, by the fields that have all of them."""


def check_request(**given: Unpack[CheckOptions]) -> CheckRequest:
    """The request that the options make; raises RefusedRequest where one is wrong, or where they do not fit together.

    What is not given has the default of `CheckRequest`, except that a heuristic makes A* the search.
    """
    values = _values(given, CheckOptions)
    if "heuristics" in values:
        values["heuristics"] = tuple(map(_named, values["heuristics"]))
    if "search" in values or values.get("heuristics"):
        values["search"] = _read("search", values.get("search", "astar"), SEARCHES.read)
    parts = {"question": Question, "databases": DatabaseRequest, "symbolic": SymbolicOptions}
    request = made_of(CheckRequest, values | {name: made_of(kind, values) for name, kind in parts.items()})
    require_fitting(request, given)
    return request


def explore_request(**given: Unpack[ExploreOptions]) -> ExploreRequest:
    """The request that the options make; raises RefusedRequest where they are wrong or do not fit."""
    values = _values(given, ExploreOptions)
    request = made_of(ExploreRequest, values | {"symbolic": made_of(SymbolicOptions, values)})
    require_fitting(CheckRequest(engine=request.engine), given, RULES_OF_EXPLORING)
    return request


def made_of(kind: type[_Made], values: Mapping[str, Any]) -> _Made:  # Any: the values of a TypedDict
    """The dataclass with those of the values that are its fields."""
    return kind(**{each.name: values[each.name] for each in fields(kind) if each.name in values})  # type: ignore[arg-type]


def _values(given: Mapping[str, Any], known: type) -> dict[str, Any]:
    """The options by the fields that they are for, each of them checked by itself."""
    for name, value in given.items():
        if name not in known.__annotations__:
            raise TypeError(f"unexpected keyword argument {name!r}")
        _require_fitting_kind(name, value)
        if name in CHOICES:
            _read(name, value, partial(_require_choice, name))
        if name in COUNTS and value is not None and value < 0:
            raise RefusedRequest(f"the {name.replace('_', ' ')} {value} is negative", "give 0 or more")
    return {SEVERAL.get(name, name): _all(value) if name in SEVERAL else value for name, value in given.items()}


def _require_fitting_kind(name: str, value: object) -> None:
    """Raise RefusedRequest unless the value is of the kind that the option takes."""
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        **dict.fromkeys(FLAGS, ((bool,), "True or False")),
        **dict.fromkeys(COUNTS, ((int, NoneType), "an integer or None")),
        **dict.fromkeys((*CHOICES, "search"), ((str,), "a text")),
        "property": ((str, NoneType), "the name of a property"),
        "seed": ((int,), "an integer"),
    }
    if name in kinds:
        try:
            require_kind(f"the option {name}", value, *kinds[name])
        except ModelError as problem:
            raise RefusedRequest(problem.complaints, option=name) from None


def _require_choice(name: str, value: str) -> None:
    require_known(SPOKEN.get(name, name), value, CHOICES[name])


def _all(value: Any) -> tuple[Any, ...]:
    """One value as a tuple, or all of several."""
    return (value,) if isinstance(value, str | Path) or not isinstance(value, Iterable) else tuple(value)


def _named(guide: Guide) -> NamedHeuristic:
    if isinstance(guide, str):
        return NamedHeuristic(guide, _read("heuristic", guide, HEURISTICS.read))
    if isinstance(guide, HeuristicOptions):
        return NamedHeuristic(type(guide).__name__, guide)
    return NamedHeuristic(guide.name, GivenHeuristic(heuristic=guide))


def _read(option: str, text: str, read: Callable[[str], Any]) -> Any:  # Any: a component of any table
    try:
        return read(text)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option=option) from None
