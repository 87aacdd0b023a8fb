"""A configuration, `SEARCH[+HEURISTIC]...`: how a question is answered, as one word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from symdmc.checking.request import CheckOptions, CheckRequest, check_request
from symdmc.checking.rules import RefusedRequest
from symdmc.errors import Code, Complaint, ModelError
from symdmc.experiment.ranges import sweep_name, sweep_of
from symdmc.heuristics import HEURISTICS

_FILE = re.compile("(?<=,file=)[^,]+")
"""The name of a file in a heuristic."""
SYMBOLIC = "symbolic"
"""Stands in the place of a search for the symbolic engine."""


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
    request: CheckRequest
    sweep: Sweep | None = None


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
    if name in HEURISTICS and HEURISTICS[name].FREE_TEXT:
        return True
    holds_plus = (name == "domain" and "=" in rest) or (name == "pred" and _FILE.search(rest) is not None)
    return holds_plus and bool(part) and re.split("[:,]", part)[0] not in HEURISTICS


def with_files_at(text: str, found: Callable[[str], str]) -> str:
    """A configuration with other names of files with predicates or traces in the place of its own."""
    search, plus, rest = text.partition("+")
    heuristics = heuristics_of(rest)
    moved = [_with_file_at(each, found) for each in heuristics]
    return text if moved == [*heuristics] else search + plus + "+".join(moved)


def _with_file_at(heuristic: str, found: Callable[[str], str]) -> str:
    name, colon, rest = heuristic.partition(":")
    if colon and name in HEURISTICS and HEURISTICS[name].READS_TRACE:
        return f"{name}:{found(rest)}"
    return _FILE.sub(lambda own: found(own[0]), heuristic) if name == "pred" else heuristic


def _configuration(text: str, spelling: str, number: int | None) -> Configuration:
    search, plus, rest = (part.strip() for part in text.partition("+"))
    heuristics = heuristics_of(rest) if plus else ()
    where = f"configuration {text!r}"
    if not search or not all(heuristics):
        raise ModelError(
            Complaint(Code.WRONG_SPELLING, "something is missing beside a '+'", "write SEARCH+HEURISTIC", where)
        )
    try:
        request = check_request(**_options(search, heuristics))
    except RefusedRequest as refusal:
        complaints = refusal.complaints_in(_in_configuration)
        raise ModelError([replace(each, where=where) for each in complaints]) from None
    sweep = None if number is None else Sweep(sweep_name(spelling.strip()), number)
    return Configuration(text=text, request=request, sweep=sweep)


def _options(search: str, heuristics: tuple[str, ...]) -> CheckOptions:
    options: CheckOptions = {"heuristic": heuristics} if heuristics else {}
    engine, colon, direction = search.partition(":")
    if engine != SYMBOLIC:
        return {**options, "search": search}
    if colon:
        options["direction"] = direction  # type: ignore[typeddict-item]  # the request says whether it is one
    return {**options, "engine": "symbolic"}


def _in_configuration(option: str, value: str | None) -> str:
    """An option of a request as a configuration writes it."""
    return f"a {option}" if value is None else value
