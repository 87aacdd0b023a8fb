"""A configuration, `SEARCH[+HEURISTIC]...`: how a question is answered, as one word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from symdmc.checking.names import HEURISTICS, RAW_ARGUMENTS
from symdmc.errors import Complaint, ModelError
from symdmc.experiment.ranges import sweep_name, sweep_of
from symdmc.search.symbolic.options import DIRECTIONS
from symdmc.spelling.suggestions import did_you_mean

_FILE = re.compile("(?<=,file=)[^,]+")
"""The name of a file in a heuristic."""
SYMBOLIC = "symbolic"
RANDOM = "rdfs"
UNDIRECTED = ("bfs", "dfs", RANDOM)
DIRECTED = ("astar", "greedy", "wastar", "idastar", "ehc", "bitstate")
SEARCHES = (*UNDIRECTED, SYMBOLIC, *DIRECTED)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The place of a configuration in a range: `greedy+merge:N` and the number."""

    name: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A search and what guides it; several heuristics are combined by their maximum."""

    text: str
    """As it is spelled, without a range in it."""
    search: str
    """As `check` takes it; of the symbolic engine `symbolic`."""
    direction: str | None = None
    """Of the symbolic engine, where one is named."""
    heuristics: tuple[str, ...] = ()
    sweep: Sweep | None = None

    @property
    def engine(self) -> str:
        """Which engine runs it."""
        return SYMBOLIC if self.search == SYMBOLIC else "explicit"

    @property
    def is_random(self) -> bool:
        """Whether another seed gives another run."""
        return self.search == RANDOM

    @property
    def heuristic_text(self) -> str:
        """What guides it, as it is spelled; empty for nothing."""
        return "+".join(self.heuristics)


def configurations_of(spelling: str) -> tuple[Configuration, ...]:
    """The configurations that a spelling stands for, which may have a range in it: `greedy+merge:10..200/10`."""
    return tuple(_configuration(text, spelling, number) for text, number in sweep_of(spelling.strip()))


def heuristics_of(text: str) -> tuple[str, ...]:
    """The heuristics of `HEURISTIC[+HEURISTIC]...`.

    One whose argument is free text goes on to the end. Classes of values and names of files may have a `+` in them:
    those go on to the next `+` that the name of a heuristic follows.
    """
    found: list[str] = []
    for part in (part.strip() for part in text.split("+")):
        if found and _goes_on(found[-1], part):
            found[-1] += f"+{part}"
        else:
            found.append(part)
    return tuple(found)


def _goes_on(heuristic: str, part: str) -> bool:
    """Whether what stands behind a `+` belongs to the heuristic before it."""
    name, _, rest = heuristic.partition(":")
    if name in RAW_ARGUMENTS:
        return True
    holds_plus = (name == "domain" and "=" in rest) or (name == "pred" and _FILE.search(rest) is not None)
    return holds_plus and bool(part) and re.split("[:,]", part)[0] not in HEURISTICS


def with_files_at(text: str, found: Callable[[str], str]) -> str:
    """A configuration with other names of files with predicates in the place of its own."""
    if _FILE.search(text) is None:
        return text
    search, plus, rest = text.partition("+")
    return search + plus + "+".join(_with_file_at(each, found) for each in heuristics_of(rest))


def _with_file_at(heuristic: str, found: Callable[[str], str]) -> str:
    return _FILE.sub(lambda own: found(own[0]), heuristic) if heuristic.startswith("pred:") else heuristic


def _configuration(text: str, spelling: str, number: int | None) -> Configuration:
    search, plus, rest = (part.strip() for part in text.partition("+"))
    heuristics = heuristics_of(rest) if plus else ()
    where = f"configuration {text!r}"
    if not search or not all(heuristics):
        raise ModelError(Complaint("something is missing beside a '+'", "write SEARCH+HEURISTIC", where))
    name, colon, argument = search.partition(":")
    if name not in SEARCHES:
        remedy = did_you_mean(name, SEARCHES, f"the searches are {', '.join(SEARCHES)}")
        raise ModelError(Complaint(f"there is no search {name!r}", remedy, where))
    if name in UNDIRECTED and (colon or heuristics):
        what = f"{name} takes no {'argument' if colon else 'heuristic'}"
        raise ModelError(Complaint(what, f"write {name}", where))
    if name in DIRECTED:
        _require_directed(search, name, heuristics, where)
    if name == SYMBOLIC and colon:
        _require_direction(argument, heuristics, where)
    return Configuration(
        text=text,
        search=name if name == SYMBOLIC else search,
        direction=argument if name == SYMBOLIC and colon else None,
        heuristics=heuristics,
        sweep=None if number is None else Sweep(sweep_name(spelling.strip()), number),
    )


def _require_directed(search: str, name: str, heuristics: tuple[str, ...], where: str) -> None:
    from symdmc.search.directed.directed import strategy_named

    if search == "wastar":
        raise ModelError(Complaint("wastar needs a weight", "write it as wastar:2", where))
    try:
        strategy_named(search)
    except ValueError as problem:
        raise ModelError(Complaint(str(problem), "", where)) from None
    if not heuristics:
        raise ModelError(Complaint(f"{name} needs a heuristic", f"write {search}+blind or another one", where))


def _require_direction(direction: str, heuristics: tuple[str, ...], where: str) -> None:
    if direction not in DIRECTIONS:
        remedy = did_you_mean(direction, DIRECTIONS, f"the directions are {', '.join(DIRECTIONS)}")
        raise ModelError(Complaint(f"there is no direction {direction!r}", remedy, where))
    if heuristics:
        raise ModelError(Complaint("symbolic A* has no direction", "leave it out: it is always forward", where))
