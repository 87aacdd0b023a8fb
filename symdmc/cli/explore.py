"""`symdmc explore`: how large is the state space?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import json_option, limit_options, model_argument, quiet_option, search_option
from symdmc.cli.remarks import remark

if TYPE_CHECKING:
    from symdmc.registry.checks import Allowance
    from symdmc.registry.models import Spelling


def failed(*, model: str | None, reason: str, code: int) -> Mapping[str, object]:
    """The JSON object of an exploration that could not start."""
    from symdmc.report.documents import failed_exploration

    return failed_exploration(model=model, reason=reason, code=code)


@click.command(
    "explore",
    cls=Command,
    failed=failed,
    short_help="Count the reachable states, transitions and deadlocks.",
    example="symdmc explore arbiter_tree:height=2,faulty=false --time-limit 60\n"
    "symdmc explore arbiter_tree:height=5,faulty=false --engine symbolic",
)
@model_argument
@search_option(
    "--engine",
    type=click.Choice(["explicit", "symbolic"]),
    default="explicit",
    help="Visit the states one by one, or count them as sets (decision diagrams).",
)
@search_option(
    "--order",
    type=click.Choice(["declared", "force", "local"]),
    default="local",
    help="Of the variables in the diagrams of the symbolic engine.",
)
@search_option(
    "--node-limit",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="none",
    help="Stop the symbolic engine at this many nodes.",
)
@limit_options
@json_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: Spelling,
    engine: str,
    order: str,
    node_limit: int | None,
    allowance: Allowance,
    quiet: bool,
) -> Answer:
    """Count the reachable states of MODEL, the transitions between them, their depth, and the deadlocks.

    The depth is the largest number of transitions needed to reach a state. A deadlock is a state without a step. The
    symbolic engine counts states and deadlocks only, but can count more of them than could ever be listed.
    """
    for name, option in (("order", "--order"), ("node_limit", "--node-limit")):
        if engine == "explicit" and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} is for --engine symbolic", ctx)
    from symdmc.registry.checks import bare_task_of, count_task, explore_task
    from symdmc.report.documents import explore_document
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import print_exploration

    system = model.load()
    remark(system, quiet=quiet)
    with progress_on_terminal(quiet=quiet) as progress:
        task = bare_task_of(system)
        if engine == "symbolic":
            found = count_task(task, order=order, node_limit=node_limit, allowance=allowance, progress=progress)
        else:
            found = explore_task(task, allowance=allowance, progress=progress)
    return Answer(
        text=lambda console: print_exploration(console, str(model), found, quiet=quiet),
        document=lambda: explore_document(str(model), system, found),
        exit_code=found.exit_code,
    )
