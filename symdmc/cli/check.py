"""`symdmc check`: is an error state reachable?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import (
    FILE,
    SEED,
    json_option,
    limit_options,
    model_argument,
    output_option,
    question_options,
    quiet_option,
    search_option,
    steps_option,
)
from symdmc.cli.remarks import remark, save_trace

if TYPE_CHECKING:
    from symdmc.registry.checks import Allowance, Question
    from symdmc.registry.models import Spelling


def failed(*, model: str | None, reason: str, code: int) -> Mapping[str, object]:
    """The JSON object of a check that could not start."""
    from symdmc.report.documents import failed_check

    return failed_check(model=model, reason=reason, code=code)


@click.command(
    "check",
    cls=Command,
    failed=failed,
    short_help="Is an error state reachable?",
    example="symdmc check arbiter_tree:height=3 --trace trace.json\n"
    "symdmc check model.dve --error 'P.critical and Q.critical'",
)
@model_argument
@question_options
@search_option(
    "--search",
    type=click.Choice(["bfs", "dfs", "rdfs"]),
    default="bfs",
    help="Breadth first (gives a shortest trace), depth first, or depth first in random order.",
)
@search_option("--seed", type=SEED, default=0, metavar="N", help="Decides the random order of rdfs.")
@search_option(
    "--shorten",
    "given",
    type=FILE,
    metavar="TRACE",
    help="Replay this error trace, then look for a shortest one no longer than it.",
)
@limit_options
@json_option
@output_option("--trace", "trace_file", type=FILE, metavar="FILE", help="Write the error trace to FILE.")
@steps_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: Spelling,
    question: Question,
    search: str,
    seed: int,
    given: Path | None,
    allowance: Allowance,
    trace_file: Path | None,
    steps: int | None,
    quiet: bool,
) -> Answer:
    """Is an error state reachable in MODEL?

    Answers with an error trace (exit code 10), or that there is none (exit code 0). Breadth-first search gives a
    shortest trace. Every trace is replayed by the reference semantics before it is shown.
    """
    if given is not None and search != "bfs":
        raise click.UsageError("--shorten searches breadth first; leave --search out", ctx)
    if search != "rdfs" and ctx.get_parameter_source("seed") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--seed is for --search rdfs", ctx)
    from symdmc.registry.checks import check_task, shorten, task_of, trace_and_task
    from symdmc.report.documents import check_document
    from symdmc.report.files import require_writable
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import exit_code_of, print_result

    if trace_file is not None:
        require_writable(trace_file)
    system = model.load()
    remark(system, quiet=quiet)
    with progress_on_terminal(quiet=quiet) as progress:
        if given is not None:
            trace, task = trace_and_task(system, given, question)
            result = shorten(task, trace, allowance=allowance, progress=progress)
        else:
            task = task_of(system, question)
            result = check_task(task, search=search, seed=seed, allowance=allowance, progress=progress)
    save_trace(trace_file, result.trace, system, quiet=quiet)
    code = exit_code_of(result)
    return Answer(
        text=lambda console: print_result(console, str(model), system, result, steps=steps, quiet=quiet),
        document=lambda: check_document(str(model), system, result, code),
        exit_code=code,
    )
