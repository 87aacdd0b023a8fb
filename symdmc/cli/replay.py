"""`symdmc replay`: does a trace hold?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.looking_options import looked, looking_options
from symdmc.cli.options import (
    FILE,
    json_option,
    limit_options,
    model_argument,
    question_options,
    quiet_option,
    sequence_option,
    steps_option,
)
from symdmc.cli.remarks import loaded, save_sequence
from symdmc.reader.load import Spelling
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.look import LookRequest
    from symdmc.checking.request import Question


@click.command(
    "replay",
    cls=Command,
    short_help="Check a saved trace against its model.",
    example="symdmc check arbiter_tree --trace trace.json; symdmc replay arbiter_tree trace.json",
)
@model_argument
@click.argument("trace_file", metavar="TRACE", type=FILE)
@question_options
@looking_options("--watch", "--only", "--estimate", "--avoidable", "--budget", "--why-not", "--at")
@limit_options
@sequence_option
@json_option
@steps_option
@quiet_option
def command(
    *,
    model: Spelling,
    trace_file: Path,
    question: Question,
    sequence: Path | None,
    looking: LookRequest,
    steps: int | None,
    quiet: bool,
    run: Run,
) -> Answer:
    """Check that TRACE is a path of MODEL, step by step, from the model alone.

    Without a question the trace is held to what it says about its last state. A trace that does not hold is refused
    (exit code 40).
    """
    from symdmc.checking.checks import replay_trace
    from symdmc.model.files.trace_format import read_trace
    from symdmc.report.documents import replay_document
    from symdmc.report.results import print_replayed

    system = loaded(model, run, quiet=quiet)
    looking.require_known(system)
    run.begin("reading the trace")
    trace = read_trace(trace_file, system, question.condition(system) if question.is_given() else None)
    run.begin("replaying the trace")
    error = replay_trace(system, trace, question)
    look = looked(trace, system, error, looking, run, quiet=quiet)
    run.end()
    save_sequence(sequence, trace, system)
    return Answer(
        text=lambda console: print_replayed(console, trace, error, system, steps=steps, quiet=quiet, look=look),
        document=lambda: replay_document(str(model), system, trace, error, look),
        exit_code=look.exit_code(0),
    )
