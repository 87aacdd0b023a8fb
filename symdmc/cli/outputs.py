"""Files that a command writes: none of them is a file that it reads, or another one that it writes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from symdmc.cli.usage import WrongUsage
from symdmc.errors import Code

OUTPUT = "Output"
"""The heading under which the help lists what a command writes and prints."""


def require_outputs(ctx: click.Context) -> None:
    """Refuse a file that would overwrite another one that the command works with, or that cannot be written."""
    from symdmc.model.files.text_file import require_writable

    models = (ctx.params.get("model"), *(ctx.params.get("models") or ()))
    heuristics = (*(ctx.params.get("heuristic") or ()), *(ctx.params.get("configs") or ()))
    others = [*_models(models), *_spelled(heuristics)]
    others += [(_name(parameter), path) for parameter, path in _files(ctx) if not _is_output(parameter)]
    for name, path in _outputs(ctx):
        _require_apart(ctx, name, path, others)
        others.append((name, path))
    for _, path in _outputs(ctx):
        require_writable(path)


def require_other_outputs(ctx: click.Context, models: Iterable[str], heuristics: Iterable[str]) -> None:
    """Refuse a file that would overwrite one of some models, or one that heuristics name."""
    others = [*_models(models), *_spelled(heuristics)]
    for name, path in _outputs(ctx):
        _require_apart(ctx, name, path, others)


def _require_apart(ctx: click.Context, name: str, path: Path, others: Iterable[tuple[str, Path]]) -> None:
    for other, taken in others:
        if _are_same(path, taken):
            what = f"{name} would overwrite {other}, {taken}: choose another file"
            raise WrongUsage(Code.WOULD_OVERWRITE, what, ctx)


def _outputs(ctx: click.Context) -> list[tuple[str, Path]]:
    return [(_name(parameter), path) for parameter, path in _files(ctx) if _is_output(parameter)]


def _files(ctx: click.Context) -> Iterator[tuple[click.Parameter, Path]]:
    """All files on the command line, with the parameters that name them."""
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        for each in value if isinstance(value, tuple) else (value,):
            for path in each if isinstance(each, tuple) else (each,):
                if isinstance(path, Path):
                    yield parameter, path


def _models(models: Iterable[object]) -> Iterator[tuple[str, Path]]:
    """The files of the models, whose parameters stand behind a colon."""
    for text in models:
        if isinstance(text, str):
            yield "the model", Path(text if os.path.exists(text) else text.partition(":")[0])


def _spelled(heuristics: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The files that heuristics name: whatever is a file and stands behind a colon or an equals sign."""
    for text in heuristics:
        for start in (found.end() for found in re.finditer("[:=]", text)):
            rest = text[start:]  # a name may go on to the next comma, to the next heuristic or to the end
            for name in dict.fromkeys((rest.partition(",")[0], rest.partition("+")[0], rest)):
                if os.path.isfile(name):
                    yield text, Path(name)


def _is_output(parameter: click.Parameter) -> bool:
    return getattr(parameter, "group", None) == OUTPUT


def _name(parameter: click.Parameter) -> str:
    return parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.human_readable_name


def _are_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, also one that is still to be made; a device may be written to twice."""
    try:
        if one.exists() and other.exists():
            return one.is_file() and one.samefile(other)
        return one.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):  # a path that cannot be: complained about where it is used
        return False
