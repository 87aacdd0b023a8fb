"""Texts of files as a terminal may show them: characters that would change what else is seen are spelled out."""

from __future__ import annotations

import re
from math import log10

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, separators of lines, marks that turn the direction of writing, halves and none of characters."""
MOST_SHOWN = 1_000
"""The most characters of a line that are shown."""
SHOWN = 10**30
"""Numbers below are shown in full."""


def printable(text: str) -> str:
    r"""The text in one line, with `\u001b` in the place of an escape character, and so on; as JSON spells it."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def printable_lines(text: str) -> str:
    """The same for a text of several lines, whose ends are kept."""
    return "\n".join(map(printable, text.split("\n")))


def one_line(text: str) -> str:
    """The text in one line, shortened in the middle if it is very long."""
    line = printable(" ".join(text.split("\n")))
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN // 2]} ... {line[-MOST_SHOWN // 2 :]}"


def number_text(number: int) -> str:
    """The number in digits, or about how large it is if it has very many of them."""
    if -SHOWN < number < SHOWN:
        return str(number)
    return f"about {'-' * (number < 0)}10^{int(number.bit_length() * log10(2))}"
