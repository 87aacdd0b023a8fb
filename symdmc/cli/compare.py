"""`symdmc compare`: the same models under many configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command, within_limits
from symdmc.cli.failures import say
from symdmc.cli.options import (
    FILE,
    LIMITS,
    SEARCH,
    complete_model,
    json_option,
    limit_decorators,
    number_option,
    output_option,
    question_options,
    search_option,
    stacked,
)
from symdmc.cli.outputs import OUTPUT, require_other_outputs
from symdmc.cli.usage import WrongUsage, WrongValue
from symdmc.errors import Code
from symdmc.running.run import Limits, Run

if TYPE_CHECKING:
    from symdmc.checking.request import Question
    from symdmc.experiment.plan import Experiment
    from symdmc.experiment.suite_file import Suite

SUITE = ".toml"
COLUMNS = (
    *("verdict", "length", "explored", "generated", "stored", "h", "pattern", "preprocessing", "search", "seconds"),
    "memory",
)
"""The keys of report.comparison.table.COLUMNS, for those who need not wait for the import."""
FIGURES = ("accuracy", "sweep", "scatter")
"""report.comparison.figures.KINDS, likewise."""


def _columns(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """The names of quantities, which commas separate."""
    names = tuple(name.strip() for name in value.split(","))
    for name in names:
        if name not in COLUMNS:
            raise WrongValue(
                Code.UNKNOWN_OPTION_VALUE, f"there is no column {name!r}: choose from {', '.join(COLUMNS)}", ctx, param
            )
    return tuple(dict.fromkeys(names))


def _figures(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """Pairs of what is drawn and where."""
    found = []
    for text in value:
        kind, equals, name = text.partition("=")
        if kind not in FIGURES or not equals:
            raise WrongValue(
                Code.WRONG_OPTION_VALUE, f"{text!r} is not KIND=FILE.svg with KIND {', '.join(FIGURES)}", ctx, param
            )
        if not name.endswith(".svg"):
            raise WrongValue(Code.WRONG_SUFFIX, f"{name!r} does not end in .svg", ctx, param)
        found.append((kind, Path(name)))
    return tuple(found)


@click.command(
    "compare",
    cls=Command,
    short_help="Run many configurations on many models and compare them.",
    example="symdmc compare arbiter_tree:height=2..4 --config bfs --config astar+pdb:dpr --time-limit 60\n"
    "symdmc compare suite.toml --results suite.jsonl --columns explored,memory --format markdown",
)
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, shell_complete=complete_model)
@question_options
@search_option(
    "--config",
    "configs",
    multiple=True,
    metavar="CONFIG",
    help="SEARCH or SEARCH+HEURISTIC, such as bfs, rdfs, symbolic:backward or astar+pdb:dpr; several heuristics: their "
    "maximum. A range stands for many: greedy+merge:10..200/10. May be repeated.",
)
@number_option(
    SEARCH,
    "--repeat",
    show_default="1",
    help="Run what depends on chance (rdfs) N times, with the seeds 0 to N - 1.",
)
@stacked(*limit_decorators("End each run", "what the machine has, shared by the jobs"))
@number_option(LIMITS, "--jobs", default=2, help="How many runs at a time.")
@output_option(
    "--results",
    type=FILE,
    metavar="FILE.jsonl",
    help="Keep results in FILE, a line for each run; what is there already is not run again.",
)
@output_option(
    "--columns",
    callback=_columns,
    default="explored,seconds,length",
    metavar="NAMES",
    help=f"What is shown: {', '.join(COLUMNS)}.",
)
@output_option(
    "--rows",
    type=click.Choice(["instances", "runs"]),
    default="instances",
    help="A row for each model with a column for each configuration, or a row for each run.",
)
@output_option(
    "--format",
    type=click.Choice(["text", "markdown", "csv", "junit"]),
    default="text",
    help="How tables are written; or JUnit XML, where every run that has an answer passes.",
)
@output_option(
    "--accuracy",
    is_flag=True,
    help="Compare the estimates of each heuristic with the true distances of all reachable states.",
)
@number_option(
    OUTPUT,
    "--states",
    default=200_000,
    help="Accuracy is measured for models of at most N reachable states.",
)
@output_option(
    "--figure",
    "figures",
    multiple=True,
    callback=_figures,
    metavar="KIND=FILE.svg",
    help="Draw accuracy (the error of estimates over the distance), sweep (time over the N of a range), or scatter "
    "(explored states of two configurations). May be repeated.",
)
@json_option
@output_option("--quiet", is_flag=True, help="Print the tables only: no legend, no notes, no progress.")
def command(
    *,
    models: tuple[str, ...],
    question: Question,
    configs: tuple[str, ...],
    repeat: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    jobs: int,
    results: Path | None,
    columns: tuple[str, ...],
    rows: str,
    format: str,
    accuracy: bool,
    states: int,
    figures: tuple[tuple[str, Path], ...],
    quiet: bool,
) -> Answer:
    """Run every configuration on every MODEL, and show the results in one table.

    A MODEL is spelled as everywhere; a parameter may be a range or a list: arbiter_tree:height=2..6. A .toml file
    brings models, configs and limits. Every run is a process of its own. Answers that contradict each other are
    reported, with exit code 39.
    """
    from symdmc.experiment.conduct import conduct
    from symdmc.experiment.results_file import Results
    from symdmc.experiment.suite_file import Suite
    from symdmc.model.files.text_file import write_text_file
    from symdmc.report.comparison.build_servers import comparison_junit
    from symdmc.report.comparison.comparison import comparison_document, print_comparison
    from symdmc.report.comparison.figures import figure_svg, require_figure
    from symdmc.report.comparison.run_progress import run_lines_on_terminal

    given = Suite(configs=configs, repeat=repeat, time_limit=time_limit, memory_limit=memory_limit)
    experiment = _experiment(models, question, given)
    for kind, _ in figures:
        require_figure(kind, experiment)
    wanted = list(experiment.runs())
    if accuracy or any(kind == "accuracy" for kind, _ in figures):
        wanted += experiment.measurements(states)
    with Results(results) as known:
        if known.mended and not quiet:
            say([f"{results}: the last line was cut off; it is removed"], "note")
        missing = len(known.missing(wanted, experiment.limits))
        with run_lines_on_terminal(missing, quiet=quiet) as lines:
            findings = conduct(experiment, wanted, known, workers=jobs, on_start=lines.started, on_end=lines.ended)
    for kind, path in figures:
        write_text_file(path, figure_svg(kind, findings))
    say((f"contradiction: {line}" for line in findings.contradictions), "error")
    return Answer(
        text=lambda console: print_comparison(
            console, findings, columns=columns, rows=rows, format=format, quiet=quiet
        ),
        document=lambda: comparison_document(findings),
        report=lambda form: comparison_junit(findings),
        exit_code=findings.exit_code,
    )


def _experiment(models: tuple[str, ...], question: Question, given: Suite) -> Experiment:
    """What the suites among the models and all that is given besides ask for; what is given wins."""
    from symdmc.experiment.plan import Experiment, planned_configurations, planned_rows
    from symdmc.experiment.suite_file import Suite, joined, read_suite

    def suites() -> list[Suite]:
        return [read_suite(Path(model)) if model.endswith(SUITE) else Suite(models=(model,)) for model in models]

    first = Run(Limits(seconds=given.time_limit, memory_mb=given.memory_limit))
    suite = joined((*within_limits(first, suites), given))
    require_other_outputs(click.get_current_context(), (*suite.models, *suite.rows.values()), suite.configs)
    if not suite.configs:
        raise WrongUsage(Code.MISSING_ARGUMENT, "name a configuration with --config", click.get_current_context())
    limits = Limits(seconds=suite.time_limit, memory_mb=suite.memory_limit)
    run = Run(limits)
    run.begin("reading the models")
    return Experiment(
        configurations=planned_configurations(suite.configs),
        rows=within_limits(run, lambda: planned_rows(suite.models, question, suite.rows)),
        question=question,
        limits=limits,
        repeat=suite.repeat or 1,
    )
