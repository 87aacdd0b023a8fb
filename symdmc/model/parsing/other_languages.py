"""Spellings of other languages that stand where a text cannot be read, and what to write instead."""

from __future__ import annotations

import re

_NEAR = 40
"""How many characters before and behind the place are looked at."""

_TEMPORAL = "no temporal operators are read; for '[] p' and 'AG p' ask for 'not (p)', for 'EF p' ask for 'p'"
_SMALL = "'not', 'and', 'or', 'true' and 'false' are written in small letters"
_SPELLINGS = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in (
        (r"<->|<=>", "'==' compares truth values"),
        (r"->|=>", "an implication is written 'imply'"),
        (r"\[\s*\]|\b[AE]\s*<>|(?:^|[(\s])<>(?=\s*\w+\s*[^\w\s])|\b(?:[AE][GFX]|[GFU])\b", _TEMPORAL),
        (r"<>", "'!=' compares"),
        (r"===|!==", "'==' and '!=' compare"),
        (r"=<", "write '<='"),
        (r"(\+|-)\1", "an assignment is written 'x = x {1} 1'"),
        (r"([-+*/%&|^])=", "an assignment is written 'x = x {1} ...'"),
        (r":=", "'=' assigns"),
        (r"\*\*", "there is no operator for powers; multiply"),
        (r"\bxor\b", "'!=' compares truth values, and '^' is the exclusive or of bits"),
        (r"\b(?:NOT|AND|OR|TRUE|FALSE)\b", _SMALL),
        (r"\bbool(?:ean)?\b", "the types are 'byte' and 'int'; a byte holds 0 and 1"),
        (r"\b(?:short|unsigned|char|long|u?int\d+(?:_t)?)\b", "the types are 'byte' and 'int'"),
        (r"\btrans\s*;", "the edges stand between 'trans' and ';'"),
        (r"\}\s*;\s*\w+\s*->", "the edges behind 'trans' are joined by ','; ';' ends them"),
        (r";\s*\w+\s*=(?!=)", "the assignments of an effect are joined by ','"),
    )
)


_BEFORE = (_TEMPORAL, _SMALL)
"""Of these the place may be right behind the spelling."""


def other_spelling(text: str, place: int) -> str | None:
    """What to write instead of a spelling of another language at a place of a text that cannot be read there."""
    start = max(0, place - _NEAR)
    near = text[start : place + _NEAR]
    for pattern, remedy in _SPELLINGS:
        for found in pattern.finditer(near):
            first, last = found.start() + start, found.end() + start
            before = remedy in _BEFORE and not text[last:place].strip()
            if first <= place and (place < last or before):
                return remedy.format(*(found[0], *found.groups()))
    return None
