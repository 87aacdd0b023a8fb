"""`symdmc explore`: how large is the state space?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import (
    FILE,
    ending_in,
    engine_decorators,
    fitting,
    json_option,
    layers_option,
    limit_options,
    model_argument,
    number_option,
    output_option,
    quiet_option,
    refuse_given,
    request_options,
    search_option,
)
from symdmc.cli.outputs import OUTPUT
from symdmc.cli.remarks import loaded, save_space
from symdmc.reader.load import Spelling
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.request import ExploreOptions


@click.command(
    "explore",
    cls=Command,
    short_help="Count the reachable states, transitions and deadlocks.",
    example="symdmc explore arbiter_tree:height=2,faulty=false --time-limit 60\n"
    "symdmc explore arbiter_tree:height=4,faulty=false --engine symbolic --layers layers.svg",
)
@model_argument
@request_options(
    "ExploreOptions",
    *engine_decorators("--order", "--seed", "--sift", "--merge-limit", "--node-limit"),
    search_option(
        "--depth",
        "layered",
        is_flag=True,
        help="Symbolic: go layer by layer, which takes longer, and find depth and transitions too, as explicit does.",
    ),
)
@limit_options
@json_option
@output_option(
    "--graph",
    type=FILE,
    callback=ending_in(".aut", ".dot"),
    metavar="FILE",
    help="Write states and steps to FILE.aut (CADP, mCRL2, LTSmin) or, for Graphviz, FILE.dot.",
)
@number_option(OUTPUT, "--states", default=10_000, help="With --graph: at most N states, those that are met first.")
@layers_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: Spelling,
    options: ExploreOptions,
    run: Run,
    graph: Path | None,
    states: int,
    layers: Path | None,
    quiet: bool,
) -> Answer:
    """Count the reachable states of MODEL, the transitions between them, their depth, and the deadlocks.

    The depth is the largest number of transitions needed to reach a state. A deadlock is a state without a step. The
    symbolic engine can count more states than could ever be listed; depth and transitions it finds when asked to.
    """
    from symdmc.checking.checks import bare_task_of, explore_task
    from symdmc.checking.request import explore_request
    from symdmc.model.files.text_file import write_text_file
    from symdmc.report.documents import explore_document
    from symdmc.report.pictures.layer_plot import layers_svg
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import print_exploration

    request = fitting(explore_request, options, layers)
    if graph is None:
        refuse_given(ctx, ("--states",), "--graph")
    system = loaded(model, run, quiet=quiet)
    save_space(graph, states, system, run, quiet=quiet)
    with progress_on_terminal(run, quiet=quiet):
        task = bare_task_of(system, run)
        found = explore_task(task, request, run)
    run.end()
    if layers is not None:
        write_text_file(layers, layers_svg(str(model), found.layers or (), rounds=not request.symbolic.layered))
    return Answer(
        text=lambda console: print_exploration(console, str(model), system, found, request.symbolic, quiet=quiet),
        document=lambda: explore_document(str(model), system, found),
        exit_code=found.exit_code,
    )
