"""`symdmc check`: is an error state reachable?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.guidance import SearchName, guidance_options
from symdmc.cli.options import (
    FILE,
    SEED,
    engine_options,
    json_option,
    layers_option,
    limit_options,
    model_argument,
    output_option,
    question_options,
    quiet_option,
    refuse_given,
    search_option,
    shows_layers,
    steps_option,
)
from symdmc.cli.remarks import remark, save_certificate, save_trace
from symdmc.search.symbolic.options import SymbolicOptions

if TYPE_CHECKING:
    from symdmc.checking.checks import Question, SymbolicCheck
    from symdmc.checking.guidance import Guidance
    from symdmc.reader.load import Spelling
    from symdmc.running.run import Run


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
    "symdmc check model.dve --error 'P.critical and Q.critical' --engine symbolic",
)
@model_argument
@question_options
@guidance_options
@engine_options("--direction", "--order", "--sift", "--merge-limit", "--node-limit")
@search_option(
    "--search",
    type=SearchName(),
    show_default="bfs; with --heuristic astar",
    help="Explicit: breadth first (gives a shortest trace), depth first, or depth first in random order; with a "
    "heuristic A* (a shortest trace; also symbolic), A* with weight W, iterative-deepening A* (a shortest trace), "
    "greedy best first, enforced hill-climbing, or bit-state hashing.",
)
@search_option(
    "--shorten",
    type=FILE,
    metavar="TRACE",
    help="Explicit: replay this error trace, then look for a shortest one no longer than it.",
)
@search_option(
    "--seed",
    type=SEED,
    default=0,
    metavar="N",
    help="Decides what happens by chance: in rdfs or, symbolic, in the search for an order.",
)
@limit_options
@json_option
@output_option("--trace", "trace_file", type=FILE, metavar="FILE", help="Write the error trace to FILE.")
@output_option(
    "--certificate",
    "certificate_file",
    type=FILE,
    metavar="FILE",
    help="If there is no error, write the proof to FILE, for `symdmc certify`.",
)
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
    question: Question,
    engine: str,
    search: str | None,
    guidance: Guidance | None,
    seed: int,
    shorten: Path | None,
    symbolic: SymbolicCheck,
    run: Run,
    trace_file: Path | None,
    certificate_file: Path | None,
    layers: Path | None,
    explain: bool,
    steps: int | None,
    quiet: bool,
) -> Answer:
    """Is an error state reachable in MODEL?

    Answers with an error trace (exit code 10), or that there is none (exit code 0). Breadth-first search, A* and the
    symbolic engine give a shortest trace. Every trace is replayed by the reference semantics before it is shown.
    """
    if engine == "symbolic":
        refuse_given(ctx, ("--shorten",) if guidance else ("--search", "--shorten"), "--engine explicit")
    elif search != "rdfs":
        refuse_given(ctx, ("--seed",), "--search rdfs and for --engine symbolic")
    chosen = ("pdb:", "domain:", "pred:")
    if explain and not any(text.startswith(chosen) for text in (guidance.heuristics if guidance else ())):
        raise click.UsageError("--explain is for a heuristic with a selection, such as pdb:dpr", ctx)
    if shorten is not None and search not in (None, "bfs"):
        raise click.UsageError("--shorten searches breadth first; leave --search out", ctx)
    from symdmc.checking.checks import check_task, task_of, trace_and_task
    from symdmc.checking.checks import shorten as shortened
    from symdmc.model.files.text_file import require_writable, write_text_file
    from symdmc.report.documents import check_document
    from symdmc.report.pictures.layer_plot import layers_svg
    from symdmc.report.progress import progress_on_terminal
    from symdmc.report.results import exit_code_of, print_result

    for path in filter(None, (trace_file, certificate_file, layers)):
        require_writable(path)
    if engine == "symbolic":
        symbolic["count_layers"] = shows_layers(layers)
    system = model.load()
    remark(system, quiet=quiet)
    with progress_on_terminal(run, quiet=quiet):
        if shorten is not None:
            trace, task = trace_and_task(system, shorten, question)
            result = shortened(task, trace, run=run)
        else:
            task = task_of(system, question)
            result = check_task(
                task,
                engine=engine,
                search=search,
                guidance=guidance,
                certify=certificate_file is not None,
                seed=seed,
                run=run,
                **symbolic,
            )
    save_trace(trace_file, result.trace, system, quiet=quiet)
    written = save_certificate(certificate_file, result, system, quiet=quiet)
    if layers is not None:
        write_text_file(layers, layers_svg(str(model), result.layers or ()))
    code = exit_code_of(result)
    options = SymbolicOptions(seed=seed, **symbolic)
    return Answer(
        text=lambda console: print_result(
            console, str(model), system, result, options, steps=steps, quiet=quiet, explain=explain
        ),
        document=lambda: check_document(str(model), system, result, code, written),
        exit_code=code,
    )
