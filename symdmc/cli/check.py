"""`symdmc check`: is an error state reachable?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import BUILD_FORMATS, TEXT, Answer, Command
from symdmc.cli.heuristic_options import complete_search, heuristic_decorators
from symdmc.cli.looking_options import looked, looking_options, workshop_for
from symdmc.cli.options import (
    FILE,
    engine_decorators,
    fitting,
    is_given,
    json_option,
    layers_option,
    limit_options,
    model_argument,
    output_option,
    question_decorators,
    quiet_option,
    request_options,
    search_option,
    seed_option,
    sequence_option,
    steps_option,
)
from symdmc.cli.remarks import loaded, save_certificate, save_sequence, save_trace
from symdmc.cli.usage import WrongUsage
from symdmc.errors import Code
from symdmc.reader.load import Spelling
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.look import LookRequest
    from symdmc.checking.request import CheckOptions
    from symdmc.model.system import System
    from symdmc.outcome import SearchResult


@click.command(
    "check",
    cls=Command,
    rare=(
        *("--projection", "--perimeter", "--complete", "--combine", "--lookup"),
        *("--order", "--sift", "--merge-limit", "--node-limit", "--layers", "--budget"),
    ),
    short_help="Is an error state reachable?",
    example="symdmc check arbiter_tree:height=3 --trace trace.json\n"
    "symdmc check model.dve --error 'P.critical and Q.critical' --engine symbolic",
)
@model_argument
@request_options(
    "CheckOptions",
    *question_decorators(),
    *heuristic_decorators(),
    *engine_decorators("--direction", "--order", "--sift", "--merge-limit", "--node-limit"),
    search_option(
        "--search",
        metavar="NAME[:ARG]",
        shell_complete=complete_search,
        show_default="bfs; with --heuristic astar",
        help="How to search; `symdmc heuristics` lists all. Breadth first (bfs) and A* (astar) give a shortest trace.",
    ),
    seed_option("Decides what happens at random: in rdfs or, symbolic, in the search for an order."),
)
@search_option(
    "--shorten",
    type=FILE,
    metavar="TRACE",
    help="Explicit: replay this error trace, then look for a shortest one no longer than it.",
)
@output_option(
    "--fail-on-fault",
    is_flag=True,
    help="Where the answer is safe, but a step can fault or the search does not look for faults: exit code 11.",
)
@looking_options("--watch", "--only", "--estimate", "--avoidable", "--budget")
@limit_options
@json_option
@output_option(
    "--format",
    type=click.Choice([TEXT, *BUILD_FORMATS]),
    default=TEXT,
    help="How the answer is printed: for a person, or for a build server (JUnit XML, SARIF 2.1.0, workflow commands).",
)
@output_option(
    "--trace",
    "trace_file",
    type=FILE,
    metavar="FILE",
    help="Write the error trace to FILE, in ITF if it is FILE.itf.json.",
)
@output_option(
    "--certificate",
    "certificate_file",
    type=FILE,
    metavar="FILE",
    help="If there is no error, write the proof to FILE, for `symdmc certify`.",
)
@sequence_option
@layers_option
@output_option(
    "--explain", is_flag=True, help="Say why each variable is in a pattern that was chosen automatically, or not."
)
@steps_option
@quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    model: Spelling,
    options: CheckOptions,
    looking: LookRequest,
    run: Run,
    format: str,
    shorten: Path | None,
    trace_file: Path | None,
    certificate_file: Path | None,
    sequence: Path | None,
    layers: Path | None,
    explain: bool,
    fail_on_fault: bool,
    steps: int | None,
    quiet: bool,
) -> Answer:
    """Is an error state reachable in MODEL?

    Answers with an error trace (exit code 10), or that there is none (exit code 0). Breadth-first search, A* and the
    symbolic engine give a shortest trace. Every trace is replayed before it is shown.
    """
    from symdmc.checking.checks import check_task, shortened_trace, task_of
    from symdmc.checking.request import CheckRequest, check_request
    from symdmc.model.files.text_file import write_text_file
    from symdmc.report.documents import check_document
    from symdmc.report.pictures.layer_plot import layers_svg
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import exit_code_of, print_result

    if format != TEXT and is_given(ctx, "as_json"):
        raise WrongUsage(Code.OPTIONS_CONFLICT, f"--json and --format {format} exclude each other", ctx)
    options["certify"] = certificate_file is not None
    request = fitting(check_request, options, layers)
    if explain and not any(each.options.selection(request.databases) for each in request.heuristics):
        raise WrongUsage(
            Code.OPTION_WITHOUT_EFFECT, "--explain is for a heuristic with a selection, such as pdb:dpr", ctx
        )
    if shorten is not None and request != CheckRequest(question=request.question, certify=request.certify):
        raise WrongUsage(
            Code.OPTIONS_CONFLICT,
            "--shorten always searches breadth first, state by state; leave other ways to search out",
            ctx,
        )
    system = loaded(model, run, quiet=quiet)
    looking.require_known(system)
    with progress_on_terminal(run, quiet=quiet):
        if shorten is not None:
            result, workshop = shortened_trace(system, shorten, request.question, run), None
        else:
            task = task_of(system, request.question, run)
            result = check_task(task, request, run, workshop := workshop_for(task, request, looking))
    if result.certificate is None and not looking.takes_time:
        run.end()
    error = None if result.trace is None else result.trace.error
    look = looked(result.trace, system, error, looking, run, quiet=quiet, workshop=workshop)
    if result.certificate is None:
        run.end()
    written = save_certificate(certificate_file, result, system, run, quiet=quiet)
    run.end()
    save_trace(trace_file, result.trace, system, quiet=quiet)
    save_sequence(sequence, result.trace, system, quiet=quiet)
    if layers is not None:
        write_text_file(layers, layers_svg(str(model), result.layers or ()))
    code = look.exit_code(exit_code_of(result, fail_on_fault=fail_on_fault))
    return Answer(
        text=lambda console: print_result(
            console,
            str(model),
            system,
            result,
            request.symbolic,
            steps=steps,
            quiet=quiet,
            explain=explain,
            fail_on_fault=fail_on_fault,
            look=look,
        ),
        document=lambda: check_document(str(model), system, result, code, written, look),
        report=lambda form: _reported(form, str(model), system, result, code, steps),
        exit_code=code,
    )


def _reported(form: str, model: str, system: System, result: SearchResult, code: int, steps: int | None) -> str:
    """The answer as build servers read it."""
    from symdmc.report.ci.finding import check_finding
    from symdmc.report.ci.formats import FORMATS

    return FORMATS[form]([check_finding(model, system, result, code)], steps)
