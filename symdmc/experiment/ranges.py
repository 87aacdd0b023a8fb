"""Ranges and lists in spellings: one text that stands for several, such as `arbiter_tree:height=2..6`."""

from __future__ import annotations

import os
import re
from itertools import product

from symdmc.errors import Code, Complaint, ModelError

MOST_INSTANCES = 10_000
"""One spelling may stand for at most this many instances."""
REMEDY = "write LOW..HIGH or LOW..HIGH/STEP, such as 2..6, C1..C9 or 10..200/10"

_RANGE = re.compile(r"(\D*)(\d{1,18})\.\.(\D*)(\d{1,18})(?:/(\d{1,18}))?")
_SWEEP = re.compile(r"(?<=:)\d{1,18}\.\.\d{1,18}(?:/\d{1,18})?(?=[,+]|$)")
"""A range in a configuration is a whole argument after a colon; the dots inside `domain:x=0/1..9` do not make one."""


def models_of(spelling: str) -> tuple[str, ...]:
    """The models that a spelling stands for: its parameters may be ranges `2..6` or lists `2/4/6`.

    With several of them, the first varies slowest. The name of an existing file stands for the file alone.
    """
    head, colon, tail = spelling.partition(":")
    if not colon or os.path.exists(spelling):
        return (spelling,)
    choices = [_choices(part, spelling) for part in tail.split(",")]
    _require_few([len(choice) for choice in choices], spelling)
    return tuple(f"{head}:{','.join(chosen)}" for chosen in product(*choices))


def _choices(parameter: str, spelling: str) -> tuple[str, ...]:
    """The parameters that `key=value` stands for."""
    key, equals, value = parameter.partition("=")
    return tuple(f"{key}{equals}{each}" for each in values_of(value, spelling)) if equals else (parameter,)


def sweep_of(spelling: str) -> tuple[tuple[str, int | None], ...]:
    """The configurations that a spelling stands for, each with its number in the range; None where there is no range.

    At most one argument may be a range.
    """
    found = list(_SWEEP.finditer(spelling))
    if not found:
        return ((spelling, None),)
    if len(found) > 1:
        raise ModelError(
            Complaint(Code.WRONG_RANGE, "a configuration can have one range only", "write the others out", spelling)
        )
    place = found[0]
    numbers = values_of(place.group(), spelling)
    return tuple((spelling[: place.start()] + number + spelling[place.end() :], int(number)) for number in numbers)


def sweep_name(spelling: str) -> str:
    """The spelling with `N` in the place of its range."""
    return _SWEEP.sub("N", spelling)


def values_of(text: str, where: str) -> tuple[str, ...]:
    """The values that a range or a list stands for; any other text stands for itself."""
    if ".." in text:
        return _range(text, where)
    if "/" in text:
        values = tuple(value.strip() for value in text.split("/"))
        if not all(values):
            raise ModelError(
                Complaint(Code.WRONG_RANGE, f"the list {text!r} has an empty value", "write it as 2/4/6", where)
            )
        return values
    return (text,)


def _range(text: str, where: str) -> tuple[str, ...]:
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise ModelError(Complaint(Code.WRONG_RANGE, f"{text!r} is no range", REMEDY, where))
    before, low, again, high, step = match.groups()
    if again not in (before, ""):
        raise ModelError(
            Complaint(Code.WRONG_RANGE, f"the ends of the range {text!r} begin differently", REMEDY, where)
        )
    if step is not None and int(step) == 0:
        raise ModelError(Complaint(Code.WRONG_RANGE, f"the range {text!r} has the step 0", REMEDY, where))
    numbers = range(int(low), int(high) + 1, int(step or 1))
    if not numbers:
        raise ModelError(
            Complaint(Code.EMPTY_RANGE, f"the range {text!r} is empty", "begin with its smaller end", where)
        )
    _require_few([len(numbers)], where)
    return tuple(f"{before}{number}" for number in numbers)


def _require_few(sizes: list[int], where: str) -> None:
    total = 1
    for size in sizes:
        total *= size
    if total > MOST_INSTANCES:
        raise ModelError(
            Complaint(
                Code.TOO_MANY_INSTANCES,
                f"this stands for {total:,} instances",
                f"ask for at most {MOST_INSTANCES:,}",
                where,
            )
        )
