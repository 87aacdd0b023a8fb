"""Experiments in TOML files: models, configurations and limits under names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.experiment.configuration import with_files_at
from symdmc.model.files.text_file import read_text_file
from symdmc.spelling.suggestions import did_you_mean

Value = TypeVar("Value")

_LONG_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64}""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The content of a file; None for limits that it does not set."""

    models: tuple[str, ...] = ()
    rows: Mapping[str, str] = field(default_factory=dict)
    """Named rows: for each name the spelling of the models whose means it shows."""
    configs: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: int | None = None
    repeat: int | None = None


def read_suite(path: Path) -> Suite:
    """The suite in a file; ModelError has a line for every key that is unknown or has a wrong value.

    Models that are files, and files with predicates and traces, are looked up in the current folder, then in that of
    the suite.
    """
    text = read_text_file(path, "a TOML file with the keys models and configs")
    content = _toml(text, str(path))
    complaints = [
        Complaint(
            Code.UNKNOWN_KEY,
            f"there is no key {key!r}",
            did_you_mean(key, _WANTED, f"the keys are {', '.join(_WANTED)}"),
            str(path),
        )
        for key in content
        if key not in _WANTED
    ]
    for key, (fits, wanted) in _WANTED.items():
        if key in content and not fits(content[key]):
            complaints.append(
                Complaint(Code.WRONG_TYPE, f"the key {key!r} has a wrong value", f"give {wanted}", str(path))
            )
    if complaints:
        raise ModelError(complaints)
    return Suite(
        models=tuple(_found(model, path.parent) for model in content.get("models", ())),
        rows={name: _found(model, path.parent) for name, model in content.get("rows", {}).items()},
        configs=tuple(_with_files_found(config, path.parent) for config in content.get("configs", ())),
        **{key: content[key] for key in ("time_limit", "memory_limit", "repeat") if key in content},
    )


def _toml(text: str, file: str) -> dict[str, Any]:
    """The tables in a text; the parser needs quadratic time for keys of very many parts."""
    if (found := _LONG_KEY.search(text)) is not None:
        where = SourceSpan(
            file, text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start())
        )
        raise ModelError(Complaint(Code.NOT_TOML, "a key has very many parts", "no key has more than two", where))
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ModelError(Complaint(Code.NESTED_TOO_DEEPLY, "is nested too deeply", "use fewer levels", file)) from None
    except ValueError as problem:  # of the parser, or of a number with thousands of digits
        is_toml = not isinstance(problem, tomllib.TOMLDecodeError)
        what = "has a number of thousands of digits" if is_toml else f"is no TOML: {problem}"
        raise ModelError(Complaint(Code.NOT_TOML, what, "correct the file", file)) from None


def joined(suites: Sequence[Suite]) -> Suite:
    """All models, rows and configurations of several suites; for limits and rows with equal names, the last counts."""
    return Suite(
        models=tuple(model for suite in suites for model in suite.models),
        rows={name: model for suite in suites for name, model in suite.rows.items()},
        configs=tuple(config for suite in suites for config in suite.configs),
        time_limit=_last([suite.time_limit for suite in suites]),
        memory_limit=_last([suite.memory_limit for suite in suites]),
        repeat=_last([suite.repeat for suite in suites]),
    )


def _last(values: Sequence[Value | None]) -> Value | None:
    return next((value for value in reversed(values) if value is not None), None)


def _found(model: str, folder: Path) -> str:
    """The spelling of a model, with the path of its file if that is only in the folder of the suite."""
    head, colon, tail = model.partition(":")
    return f"{_beside(head, folder)}{colon}{tail}"


def _with_files_found(config: str, folder: Path) -> str:
    """The spelling of a configuration, with the paths of its files that are only in the folder of the suite."""
    return with_files_at(config, lambda name: _beside(name, folder))


def _beside(name: str, folder: Path) -> str:
    """The name of a file as it is, unless it is only in the folder."""
    beside = folder / name
    return str(beside) if not Path(name).exists() and beside.is_file() else name


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


_WANTED = {
    "models": (_is_texts, "a list of models"),
    "rows": (_is_table, "a table of models by name"),
    "configs": (_is_texts, "a list of configurations"),
    "time_limit": (_is_time, "seconds"),
    "memory_limit": (_is_count, "megabytes"),
    "repeat": (_is_count, "a number from 1 on"),
}
"""For each key a test of its value, and what to give in words."""
