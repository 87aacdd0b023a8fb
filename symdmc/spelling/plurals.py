"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 state`, `2 states`, `2 processes`, `2 properties`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """`states`, `processes`, `properties`; of several words the last one changes."""
    stem, ending = (noun[:-1], "ies") if noun.endswith("y") else (noun, "es" if noun.endswith("s") else "s")
    return stem + ending
