"""The JSON objects of commands that fail before they have a result."""

from __future__ import annotations

from collections.abc import Iterable


def failed_document(
    schema: str, keys: Iterable[str], *, model: str | None, reason: str, code: int
) -> dict[str, object]:
    """An object with all keys of the schema: those of a failure are known, all others null."""
    known = {"schema": schema, "model": model, "reason": reason, "exit_code": code}
    return {key: known.get(key) for key in keys}
