"""The options of directed search: which heuristic, which patterns, which order."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from symdmc.checking.names import COMBINATIONS, LOOKUPS, PROJECTIONS
from symdmc.cli.command import Answer
from symdmc.cli.options import FILE, Decorator, is_given, option_in, refuse_given, stacked
from symdmc.errors import ModelError

HEURISTIC = "Heuristic"
UNDIRECTED = ("bfs", "dfs", "rdfs")
DIRECTED = ("astar", "greedy", "wastar:W", "idastar", "ehc", "bitstate")
_OF_PATTERNS = ("--pattern", "--database", "--complete", "--projection", "--perimeter", "--combine", "--lookup")
_OF_PREDICATES = ("--predicate", "--predicates")


class SearchName(click.Choice[str]):
    """The name of a search; `wastar` takes a weight and `bitstate` may take the size of its table."""

    name = "search"

    def __init__(self) -> None:
        super().__init__((*UNDIRECTED, *DIRECTED))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The spelling as it is, if it names a search."""
        head, colon, argument = str(value).partition(":")
        if colon and head in ("wastar", "bitstate") and argument != "W":
            from symdmc.search.directed.directed import strategy_named

            try:
                strategy_named(str(value))
            except ValueError as problem:
                self.fail(str(problem), param, ctx)
            return str(value)
        if value in ("wastar", "wastar:W"):
            self.fail("wastar needs a weight, such as wastar:2", param, ctx)
        return super().convert(value, param, ctx)


class HeuristicName(click.ParamType[str]):
    """The spelling of a heuristic with its options."""

    name = "heuristic"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The spelling as it is, if it can be read."""
        from symdmc.checking.heuristics import recipe_spelled

        try:
            recipe_spelled(str(value))
        except ModelError as problem:
            self.fail("; ".join(str(problem).splitlines()), param, ctx)
        return str(value)


def projection_option(group: str, prefix: str = "") -> Decorator:
    """How a database drops what it does not keep."""
    text = "quantify away what is not kept, or strike out what mentions it, which is coarser."
    choice = click.Choice(PROJECTIONS)
    return option_in(group, "--projection", type=choice, default="exact", help=_sentence(prefix, text))


def perimeter_option(group: str, prefix: str = "") -> Decorator:
    """How far the distances of a database are exact."""
    text = "make distances up to N exact; only beyond them is anything dropped."
    return option_in(
        group,
        "--perimeter",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="none",
        help=_sentence(prefix, text),
    )


def predicate_options(group: str, prefix: str = "") -> tuple[Decorator, Decorator]:
    """The predicates that a database keeps."""
    text = "keep whether this condition holds, such as 'x + y >= 3'. May be repeated."
    lines = "the same for every line of FILE; '#' starts a comment. May be repeated."
    return (
        option_in(group, "--predicate", multiple=True, metavar="EXPR", help=_sentence(prefix, text)),
        option_in(group, "--predicates", multiple=True, type=FILE, metavar="FILE", help=_sentence(prefix, lines)),
    )


def _sentence(prefix: str, text: str) -> str:
    return prefix + text if prefix else text[0].upper() + text[1:]


def guidance_options(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """What guides the search, gathered into the single value `guidance`; None without a heuristic."""

    @wraps(function)
    def gathered(
        *,
        heuristic: tuple[str, ...],
        pattern: tuple[str, ...],
        database: tuple[Path, ...],
        predicate: tuple[str, ...],
        predicates: tuple[Path, ...],
        complete: bool,
        projection: str,
        perimeter: int | None,
        combine: str,
        lookup: str,
        **rest: Any,
    ) -> Answer:
        from symdmc.checking.guidance import Guidance

        _refuse_what_does_not_fit(bool(heuristic), rest["search"], rest["engine"])
        if not heuristic:
            return function(guidance=None, **rest)
        guidance = Guidance(
            heuristics=heuristic,
            patterns=pattern,
            databases=database,
            predicates=predicate,
            predicate_files=predicates,
            complete=complete,
            projection=projection,
            perimeter=perimeter,
            combine=combine,
            lookup=lookup,
        )
        return function(guidance=guidance, **rest)

    return stacked(_heuristic_option(), *_database_options())(gathered)


def _refuse_what_does_not_fit(guided: bool, search: str | None, engine: str) -> None:
    """Complain about options that mean nothing with, or without, a heuristic."""
    ctx = click.get_current_context()
    if not guided:
        refuse_given(ctx, _OF_PATTERNS, "--heuristic pdb")
        refuse_given(ctx, _OF_PREDICATES, "--heuristic pred:given")
        if search is not None and search not in UNDIRECTED:
            raise click.UsageError(f"--search {search} is for --heuristic: choose one", ctx)
        return
    if search in UNDIRECTED:
        raise click.UsageError(f"--search {search} takes no heuristic; leave one of them out", ctx)
    if engine == "symbolic":
        refuse_given(ctx, ("--combine", "--lookup"), "--engine explicit")
        refuse_given(ctx, ("--direction",), "searches without a heuristic")
        if search not in (None, "astar"):
            raise click.UsageError(f"--search {search} is for --engine explicit", ctx)
    if is_given(ctx, "shorten"):
        raise click.UsageError("--shorten searches breadth first; leave --heuristic out", ctx)


def _heuristic_option() -> Decorator:
    return option_in(
        HEURISTIC,
        "--heuristic",
        multiple=True,
        type=HeuristicName(),
        metavar="NAME[:ARG][,KEY=VALUE]...",
        show_default="none",
        help="Estimate distances, and go where they are small; `symdmc heuristics` lists how. Repeated: the largest "
        "estimate counts.",
    )


def _database_options() -> tuple[Decorator, ...]:
    """What databases keep, how they are built, combined and looked up."""
    kept = "pdb: the processes and variables a database keeps, such as 'P_0,x,Q*'. Repeated: several databases."
    read = "pdb: a database written by `symdmc patterndb build`. May be repeated."
    complete = "pdb: build databases to their last layer, not only to the initial states."
    combine = "pdb: take the largest estimate, or share costs among the databases and add up."
    lookup = "pdb: in flat tables, or in the diagrams of the layers, which is slow."
    return (
        option_in(HEURISTIC, "--pattern", multiple=True, metavar="NAMES", help=kept),
        option_in(HEURISTIC, "--database", multiple=True, type=FILE, metavar="FILE", help=read),
        *predicate_options(HEURISTIC, "pred: "),
        option_in(HEURISTIC, "--complete", is_flag=True, help=complete),
        projection_option(HEURISTIC, "pdb: "),
        perimeter_option(HEURISTIC, "pdb: "),
        option_in(HEURISTIC, "--combine", type=click.Choice(COMBINATIONS), default="max", help=combine),
        option_in(HEURISTIC, "--lookup", type=click.Choice(LOOKUPS), default="flat", help=lookup),
    )
