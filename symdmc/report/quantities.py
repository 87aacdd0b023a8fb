"""Numbers with their nouns and units."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 state`, `2 states`, `2 processes`, `2 properties`."""
    stem, ending = (noun[:-1], "ies") if noun.endswith("y") else (noun, "es" if noun.endswith("s") else "s")
    return f"{number:,} {noun if number == 1 else stem + ending}"


def seconds_text(seconds: float) -> str:
    """A time, with two decimals if it is short."""
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"
