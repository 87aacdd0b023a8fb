"""Numbers with their nouns and units."""

from __future__ import annotations

from symdmc.spelling.plurals import counted as counted


def seconds_text(seconds: float) -> str:
    """A time, with two decimals if it is short."""
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"
