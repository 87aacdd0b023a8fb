"""`symdmc explore`: how large is the state space?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import json_option, limit_options, model_argument, quiet_option
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
    example="symdmc explore arbiter_tree:height=2,faulty=false --time-limit 60",
)
@model_argument
@limit_options
@json_option
@quiet_option
def command(*, model: Spelling, allowance: Allowance, quiet: bool) -> Answer:
    """Count the reachable states of MODEL, the transitions between them, their depth, and the deadlocks.

    The depth is the largest number of transitions needed to reach a state. A deadlock is a state without a step.
    """
    from symdmc.registry.checks import bare_task_of, explore_task
    from symdmc.report.documents import explore_document
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import print_exploration

    system = model.load()
    remark(system, quiet=quiet)
    with progress_on_terminal(quiet=quiet) as progress:
        found = explore_task(bare_task_of(system), allowance=allowance, progress=progress)
    return Answer(
        text=lambda console: print_exploration(console, str(model), found, quiet=quiet),
        document=lambda: explore_document(str(model), system, found),
        exit_code=found.exit_code,
    )
