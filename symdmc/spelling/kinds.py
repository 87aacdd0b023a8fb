"""Values given from Python, held to the kind of value that is wanted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.spelling.printable import number_text

A_PATH = "a path, as a text or a Path"


def is_amount(value: object) -> bool:
    """Whether it is a number that is not negative; nan is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def wrong_kind(
    what: str,
    value: object,
    wanted: str,
    where: SourceSpan | None = None,
    *,
    code: Code = Code.WRONG_ARGUMENT,
) -> ModelError:
    """The error that a value of another kind was given, by default as an argument."""
    if isinstance(value, int) and not isinstance(value, bool):
        text = number_text(value)
    else:
        text = repr(value) if isinstance(value, str | bytes | float | bool | None) else type(value).__name__
    return ModelError(
        Complaint(code, f"{what} is {text if len(text) <= 40 else text[:37] + '...'}", f"give {wanted}", where)
    )


def require_kind(
    what: str, value: object, kind: type | tuple[type, ...], wanted: str, where: SourceSpan | None = None
) -> None:
    """Raise ModelError unless the value has one of the types; True and False are no integers here."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong_kind(what, value, wanted, where)


def path_of(what: str, value: object) -> Path:
    """The path that is given, as a text or as a path."""
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or "\0" in text:
        raise wrong_kind(what, value, A_PATH)
    return Path(text)


def several_of(what: str, value: object, kind: type | tuple[type, ...], wanted: str) -> tuple[Any, ...]:
    """One value of a kind as a tuple, or all of several; raises ModelError where one is of another kind."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, kinds):
        return (value,)
    if isinstance(value, bytes | bytearray | str | Mapping) or not isinstance(value, Iterable):
        raise wrong_kind(what, value, f"{wanted}, or several of them")
    found = tuple(value)
    for each in found:
        require_kind(f"a part of {what}", each, kinds, wanted)
    return found
