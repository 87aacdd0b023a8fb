"""A request: what is asked about a model, and how it is to be answered. Read and checked once, then frozen.

Python's `check(...)` and the command line make the same request by the same function, from the options that were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from types import NoneType
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack, get_args

from symdmc.checking.rules import RULES_OF_EXPLORING, RefusedRequest, require_fitting
from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.estimates.database_request import Combination, DatabaseRequest, Lookup, Projection
from symdmc.heuristics.estimates.own import Estimate, Heuristic, own_heuristic
from symdmc.heuristics.heuristic import HeuristicOptions
from symdmc.model.expressions import Expr
from symdmc.model.question import Asked, ErrorCondition, ask
from symdmc.model.system import System
from symdmc.patterndb.database import PatternDatabase
from symdmc.search import SEARCHES
from symdmc.search.explicit.breadth_first import BreadthFirst
from symdmc.search.options import SearchOptions
from symdmc.search.symbolic.options import DIRECTIONS, ORDERS, Direction, Order, SymbolicOptions
from symdmc.spelling.kinds import A_PATH, path_of, require_kind, several_of
from symdmc.spelling.suggestions import did_you_mean, listed, require_known

Engine: TypeAlias = Literal["explicit", "symbolic"]
Guide: TypeAlias = str | PatternDatabase | Heuristic | Estimate | HeuristicOptions
"""A heuristic: as it is spelled, a database, an object or a function of the user's own, or one with its options."""
PathLike: TypeAlias = str | os.PathLike[str]
SPOKEN = {"combine": "way to combine"}
LIMITS = ("time_limit", "memory_limit", "progress")
"""What the functions take besides."""
PATH = (str, os.PathLike)
_Made = TypeVar("_Made")


class QuestionOptions(TypedDict, total=False):
    """What can be asked; nothing means the only property of the model."""

    error: Asked | Sequence[Asked] | None
    property: str | None
    properties_file: PathLike | None
    deadlock: bool
    assertions: bool
    fault: bool


class EngineOptions(TypedDict, total=False):
    """What can be chosen about an engine; `SymbolicOptions` says what most of it means, and the defaults."""

    engine: Engine
    seed: int
    order: Order
    sift: bool
    node_limit: int | None
    merge_limit: int | None
    count_layers: bool


class BuildingOptions(TypedDict, total=False):
    """What can be chosen about building a database; `BuildOptions` says what it means."""

    complete: bool
    projection: Projection
    perimeter: int | None
    order: Order
    seed: int


class CheckOptions(QuestionOptions, EngineOptions, total=False):
    """What can be chosen about a check; `CheckRequest` and `DatabaseRequest` say what it means, and the defaults."""

    search: str
    heuristic: Guide | Sequence[Guide]
    pattern: str | Sequence[str]
    database: PathLike | Sequence[PathLike]
    predicate: str | Sequence[str]
    predicates_file: PathLike | Sequence[PathLike]
    complete: bool
    projection: Projection
    perimeter: int | None
    combine: Combination
    lookup: Lookup
    direction: Direction
    certify: bool


class ExploreOptions(EngineOptions, total=False):
    """What can be chosen about an exploration."""

    layered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about a model; nothing said means the model's only property."""

    error: Asked | Sequence[Asked] | None = None
    property: str | None = None
    properties_file: PathLike | None = None
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
KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(FLAGS, ((bool,), "True or False")),
    **dict.fromkeys(COUNTS, ((int, NoneType), "an integer or None")),
    **{name: ((str,), f"a text: {listed(map(repr, values))}") for name, values in CHOICES.items()},
    "search": ((str,), "a text such as 'astar'"),
    "property": ((str, NoneType), "the name of a property"),
    "seed": ((int,), "an integer"),
}
"""For each option that is one value its types, and what to give in words."""
KINDS_OF_SEVERAL: Mapping[str, tuple[tuple[type, ...], str]] = {
    "error": ((str, *get_args(Expr)), "a text such as 'x == 3'"),
    "pattern": ((str,), "a text such as 'P,x'"),
    "database": (PATH, A_PATH),
    "predicate": ((str,), "a text such as 'x + y >= 3'"),
    "predicates_file": (PATH, A_PATH),
}
"""The same for options that are one value or several."""


def check_request(**given: Unpack[CheckOptions]) -> CheckRequest:
    """The request that the options make; raises RefusedRequest where one is wrong, or where they do not fit together.

    What is not given has the default of `CheckRequest`, except that a heuristic makes A* the search.
    """
    values = _values(given, CheckOptions, "check", LIMITS)
    if "heuristics" in values:
        guides = values["heuristics"]
        values["opened"] = tuple(each for each in guides if isinstance(each, PatternDatabase))
        named = [_named(each) for each in guides if not isinstance(each, PatternDatabase)]
        if values["opened"] and not any(each.options.needs_pattern for each in named):
            named.insert(0, _named("pdb"))
        values["heuristics"] = tuple(named)
    if "search" in values or values.get("heuristics"):
        values["search"] = _read("search", values.get("search", "astar"), SEARCHES.read)
    parts = {"question": Question, "databases": DatabaseRequest, "symbolic": SymbolicOptions}
    request = made_of(CheckRequest, values | {name: made_of(kind, values) for name, kind in parts.items()})
    require_fitting(request, given)
    return request


def explore_request(**given: Unpack[ExploreOptions]) -> ExploreRequest:
    """The request that the options make; raises RefusedRequest where they are wrong or do not fit."""
    values = _values(given, ExploreOptions, "explore", LIMITS)
    request = made_of(ExploreRequest, values | {"symbolic": made_of(SymbolicOptions, values)})
    require_fitting(CheckRequest(engine=request.engine), given, RULES_OF_EXPLORING)
    return request


def question_of(function: str, given: Mapping[str, Any], others: Sequence[str] = ()) -> Question:
    """What the keywords of a function ask; `others` are those that it has besides."""
    return made_of(Question, _values(given, QuestionOptions, function, others))


def building_options(function: str, **given: Unpack[BuildingOptions]) -> dict[str, Any]:
    """How a database is to be built; raises RefusedRequest where an option is wrong."""
    return _values(given, BuildingOptions, function, ())


def made_of(kind: type[_Made], values: Mapping[str, Any]) -> _Made:  # Any: the values of a TypedDict
    """The dataclass with those of the values that are its fields."""
    return kind(**{each.name: values[each.name] for each in fields(kind) if each.name in values})  # type: ignore[arg-type]


def _values(given: Mapping[str, Any], known: type, function: str, others: Sequence[str]) -> dict[str, Any]:
    """The options by the fields that they are for, each of them checked by itself."""
    for name in given:
        if name not in known.__annotations__:
            remedy = did_you_mean(name, {*known.__annotations__, *others})
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{remedy and '; '}{remedy}")
    values = {name: _fitting_kind(name, value) for name, value in given.items()}
    for name, value in values.items():
        if name in CHOICES:
            _read(name, value, partial(_require_choice, name))
        if name in COUNTS and value is not None and value < 0:
            raise RefusedRequest(
                (Complaint(Code.WRONG_OPTION_VALUE, f"{{{name}:{value}}} is negative", "give 0 or more"),)
            )
    return {SEVERAL.get(name, name): value for name, value in values.items()}


def _fitting_kind(name: str, value: Any) -> Any:  # Any: the value of any option
    """The value, several as a tuple; raises RefusedRequest unless it is of the kind that the option takes."""
    what = f"the argument {name}"
    try:
        if name in KINDS:
            require_kind(what, value, *KINDS[name])
        elif name in KINDS_OF_SEVERAL and not (name == "error" and value is None):
            several = several_of(what, value, *KINDS_OF_SEVERAL[name])
            return tuple(path_of(what, each) for each in several) if KINDS_OF_SEVERAL[name][0] == PATH else several
        elif name == "properties_file" and value is not None:
            return path_of(what, value)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option=name) from None
    return _all(value) if name == "heuristic" else value


def _require_choice(name: str, value: str) -> None:
    require_known(Code.UNKNOWN_OPTION_VALUE, SPOKEN.get(name, name), value, CHOICES[name])


def _all(value: Any) -> tuple[Any, ...]:
    """One guide as a tuple, or all of several."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _named(guide: Guide) -> NamedHeuristic:
    if isinstance(guide, str) and guide.strip():
        return NamedHeuristic(guide, _read("heuristic", guide, HEURISTICS.read))
    if isinstance(guide, HeuristicOptions) and type(guide).__module__.startswith("symdmc."):
        return NamedHeuristic(type(guide).__name__, guide)
    try:
        own = own_heuristic(guide)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option="heuristic") from None
    return NamedHeuristic(own.name, own)


def _read(option: str, text: str, read: Callable[[str], Any]) -> Any:  # Any: a component of any table
    try:
        return read(text)
    except ModelError as problem:
        raise RefusedRequest(problem.complaints, option=option) from None
