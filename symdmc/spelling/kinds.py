"""Values given from Python, held to the kind of value that is wanted."""

from __future__ import annotations

from symdmc.errors import Complaint, ModelError, SourceSpan
from symdmc.spelling.printable import number_text


def is_amount(value: object) -> bool:
    """Whether it is a number that is not negative; nan is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def wrong_kind(what: str, value: object, wanted: str, where: SourceSpan | None = None) -> ModelError:
    """The error that a value of another kind was given."""
    if isinstance(value, int) and not isinstance(value, bool):
        text = number_text(value)
    else:
        text = repr(value) if isinstance(value, str | bytes | float | bool | None) else type(value).__name__
    return ModelError(Complaint(f"{what} is {text if len(text) <= 40 else text[:37] + '...'}", f"give {wanted}", where))


def require_kind(
    what: str, value: object, kind: type | tuple[type, ...], wanted: str, where: SourceSpan | None = None
) -> None:
    """Raise ModelError unless the value has one of the types; True and False are no integers here."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong_kind(what, value, wanted, where)
