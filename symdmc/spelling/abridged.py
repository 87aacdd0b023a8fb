"""Texts that are short however large their subject is, for `repr`."""

from __future__ import annotations

from collections.abc import Iterable

MOST_LETTERS = 400
"""Every `repr` has fewer letters than this."""
SHORT_NAME = 60
"""Names are shown up to this length where there is more to say than the name."""


def cut(text: str, most: int = SHORT_NAME) -> str:
    """The text in one line, with its end left out if it has more letters than that."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def abridged(frame: str, parts: Iterable[str], most: int = MOST_LETTERS - 1) -> str:
    """The parts with commas between them in a frame such as `"Name({})"`, as many as there is room for."""
    room, shown = most - len(frame) - len(", ..."), list[str]()
    for part in parts:
        line = cut(part)
        room -= len(line) + 2
        if room < 0:
            return frame.format(", ".join((*shown, "...")))
        shown.append(line)
    return frame.format(", ".join(shown))


def brief(kind: str, name: str, **about: object) -> str:
    """The `repr` of something large: what it is, its name, and a few facts about it."""
    return abridged(f"{kind}({{}})", (repr(cut(name)), *(f"{key}={value!r}" for key, value in about.items())))


def first_lines(text: str, remark: str, most: int = MOST_LETTERS - 1) -> str:
    """The text, or as many of its first lines as leave room for the remark behind them."""
    if len(text) <= most:
        return text
    shown, room = list[str](), most - len(remark)
    for line in text.splitlines():
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return "\n".join((*shown, remark))
