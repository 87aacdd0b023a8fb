"""`symdmc simulate`: walk through a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from symdmc.cli.command import Answer, Command
from symdmc.cli.looking_options import looked, looking_options
from symdmc.cli.options import (
    FILE,
    SEARCH,
    limit_options,
    model_argument,
    number_option,
    output_option,
    seed_option,
    sequence_option,
    steps_option,
)
from symdmc.cli.remarks import loaded, save_sequence, save_trace
from symdmc.cli.usage import WrongUsage
from symdmc.errors import Code
from symdmc.reader.load import STANDARD_INPUT, Spelling
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.look import LookRequest


@click.command(
    "simulate",
    cls=Command,
    short_help="Walk through a model by hand or at random.",
    example="symdmc simulate arbiter_tree --random 30 --seed 7",
)
@model_argument
@number_option(SEARCH, "--random", "length", least=0, help="Walk N steps at random, then end.")
@seed_option("Decides what is random.")
@looking_options("--watch", "--only", "--why-not")
@limit_options
@output_option(
    "--trace",
    "trace_file",
    type=FILE,
    metavar="FILE",
    help="Write the walk to FILE at the end, in ITF if it is FILE.itf.json.",
)
@sequence_option
@steps_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: Spelling,
    length: int | None,
    seed: int,
    looking: LookRequest,
    run: Run,
    trace_file: Path | None,
    sequence: Path | None,
    steps: int | None,
) -> Answer:
    """Walk through MODEL: choose each step by its number, or let chance choose.

    Commands: a number takes that step, b goes back, r takes a random step, t shows the way so far,
    w EDGE says why an edge cannot be taken (w alone: all that wait), ? explains, q quits.
    """
    if length is None and ctx.get_parameter_source("steps") is ParameterSource.COMMANDLINE:
        raise WrongUsage(Code.OPTION_WITHOUT_EFFECT, "--steps is for --random", ctx)
    if length is None and looking.why_not:
        raise WrongUsage(Code.OPTION_WITHOUT_EFFECT, "--why-not is for --random; without it, ask with w EDGE", ctx)
    if length is None and model.text == STANDARD_INPUT:
        raise WrongUsage(
            Code.NEEDS_ANOTHER_OPTION,
            "the model comes through standard input, which leaves no way to answer; use --random",
            ctx,
        )
    import sys

    from symdmc.model.simulation import Simulation, random_walk
    from symdmc.report.console import console_for
    from symdmc.report.simulation import converse, print_walk

    system = loaded(model, run)
    looking.require_known(system)
    run.begin("walking")
    if length is not None:
        walk = random_walk(system, length, seed)
    else:
        walk = Simulation(system)
        converse(walk, console_for(sys.stdout), sys.stdin, seed, looking)
    trace = walk.trace()
    save_trace(trace_file, trace, system)
    save_sequence(sequence, trace, system)
    look = looked(trace if length is not None else None, system, None, looking, run)
    return Answer(
        text=lambda console: print_walk(console, walk, steps, look) if length is not None else None,
        exit_code=look.exit_code(0),
    )
