"""The options of directed search: which heuristic, which patterns, how databases are built."""

from __future__ import annotations

from typing import get_args

import click
from click.shell_completion import CompletionItem

from symdmc.cli.options import FILE, Decorator, number_option, option_in
from symdmc.cli.spelled_completion import options_behind
from symdmc.heuristics.estimates.database_request import Combination, Lookup, Projection

HEURISTIC = "Heuristic"


def projection_option(group: str, prefix: str = "") -> Decorator:
    """How a database drops what it does not keep."""
    text = "quantify away what is not kept, or strike out what mentions it, which is coarser."
    choice = click.Choice(get_args(Projection))
    return option_in(group, "--projection", type=choice, default="exact", help=_sentence(prefix, text))


def perimeter_option(group: str, prefix: str = "") -> Decorator:
    """How far the distances of a database are exact."""
    text = _sentence(prefix, "make distances up to N exact; only beyond them is anything dropped.")
    return number_option(group, "--perimeter", least=0, show_default="none", help=text)


def predicate_options(group: str, prefix: str = "") -> tuple[Decorator, Decorator]:
    """The predicates that a database keeps."""
    text = _sentence(prefix, "keep whether this condition holds, such as 'x + y >= 3'. May be repeated.")
    lines = _sentence(prefix, "the same for every line of FILE; '#' starts a comment. May be repeated.")
    names, file = ("--predicates", "predicates_file"), {"type": FILE, "metavar": "FILE"}
    return (
        option_in(group, "--predicate", multiple=True, metavar="EXPR", help=text),
        option_in(group, *names, multiple=True, help=lines, **file),
    )


def _sentence(prefix: str, text: str) -> str:
    return prefix + text if prefix else text[0].upper() + text[1:]


def complete_heuristic(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The heuristics, and the selections that these may have, that start like this; behind a comma their options."""
    from symdmc.heuristics import HEURISTICS
    from symdmc.selection import SELECTIONS

    return _complete((*HEURISTICS, *SELECTIONS), incomplete)


def complete_search(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The searches that start like this; behind a comma their options."""
    from symdmc.search import SEARCHES

    return _complete(tuple(SEARCHES), incomplete)


def _complete(names: tuple[str, ...], incomplete: str) -> list[CompletionItem]:
    """What starts like this: names, or behind a comma the options of the longest name that it begins with."""
    name = incomplete.partition(",")[0]
    if "," not in incomplete:
        return [CompletionItem(each) for each in names if each.startswith(incomplete)]
    from symdmc.checking.catalogue import entry_named

    known = [each for each in dict.fromkeys((name, name.partition(":")[0])) if each in names]
    parameters = [parameter for each in known for parameter in entry_named(each).parameters]
    if len(known) > 1:  # a selection chooses what is kept
        parameters = [parameter for parameter in parameters if parameter.name != "keep"]
    return [CompletionItem(each) for each in options_behind(incomplete, parameters, ",")]


def heuristic_decorators() -> tuple[Decorator, ...]:
    """The heuristics; what databases keep, how they are built, combined and looked up."""
    guide = (
        "Estimate distances, and go where they are small; `symdmc heuristics` lists how. Repeated: the largest "
        "estimate counts."
    )
    kept = "pdb: the processes and variables a database keeps, such as 'P_0,x,Q*'. Repeated: several databases."
    read = "pdb: a database written by `symdmc patterndb build`. May be repeated."
    complete = "pdb: build databases to their last layer, not only to the initial states."
    combine = "pdb: take the largest estimate, or share costs among the databases and add up."
    lookup = "pdb: in flat tables, or in the diagrams of the layers, which is slow."
    named = {"shell_complete": complete_heuristic, "metavar": "NAME[:ARG][,KEY=VALUE]...", "show_default": "none"}
    return (
        option_in(HEURISTIC, "--heuristic", multiple=True, help=guide, **named),
        option_in(HEURISTIC, "--pattern", multiple=True, metavar="NAMES", help=kept),
        option_in(HEURISTIC, "--database", multiple=True, type=FILE, metavar="FILE", help=read),
        *predicate_options(HEURISTIC, "pred: "),
        option_in(HEURISTIC, "--complete", is_flag=True, help=complete),
        projection_option(HEURISTIC, "pdb: "),
        perimeter_option(HEURISTIC, "pdb: "),
        option_in(HEURISTIC, "--combine", type=click.Choice(get_args(Combination)), default="max", help=combine),
        option_in(HEURISTIC, "--lookup", type=click.Choice(get_args(Lookup)), default="flat", help=lookup),
    )
