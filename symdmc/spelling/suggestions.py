"""The nearest known name, for complaints about a name nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from symdmc.errors import Code, Complaint, ModelError

FEW = 8
"""At most this many names are listed in full."""
MANY = 1_000
"""Comparing a name with more names than this takes too long."""
LONG = 200
"""Comparing names with more letters than this takes too long."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, or None when none is like it; upper and lower case count as alike."""
    candidates = _comparable(name, set(known))
    close = get_close_matches(name, candidates, n=1, cutoff=0.6)
    if close:
        return close[0]
    return next((candidate for candidate in candidates if candidate.lower() == name.lower()), None)


def _comparable(name: str, known: set[str]) -> list[str]:
    """The known names in order; of very many only those that begin alike, of very long ones none."""
    if len(name) > LONG:
        return []
    if len(known) > MANY:
        known = {each for each in known if each[:2].lower() == name[:2].lower()}
    return sorted(each for each in known if len(each) <= LONG) if len(known) <= MANY else []


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The remedy for a mistyped name: the nearest known one, else `otherwise`, else all known ones if they are few."""
    known = sorted(set(known))
    guess = nearest(name, known)
    if guess is not None:
        return f"did you mean {guess!r}?"
    return otherwise or (f"known: {', '.join(known)}" if 0 < len(known) <= FEW else "")


def listed(words: Iterable[str], conjunction: str = "or") -> str:
    """The words as a phrase: `a`, `a or b`, `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def require_known(code: Code, kind: str, name: str, known: Sequence[str]) -> None:
    """Raise ModelError unless the name is one of those that are known."""
    if name not in known:
        remedy = did_you_mean(name, known, f"choose {listed(known)}")
        raise ModelError(Complaint(code, f"there is no {kind} {name!r}", remedy))
