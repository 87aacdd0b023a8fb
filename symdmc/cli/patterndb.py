"""`symdmc patterndb`: build a pattern database, look into it, ask it, compare it with another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Group
from symdmc.cli.heuristic_options import perimeter_option, predicate_options, projection_option
from symdmc.cli.options import (
    FILE,
    drawn_layers,
    json_option,
    limit_options,
    model_argument,
    number_option,
    option_in,
    output_option,
    question_options,
    seed_option,
    stacked,
)
from symdmc.cli.remarks import loaded
from symdmc.cli.usage import WrongUsage
from symdmc.errors import Code
from symdmc.heuristics.estimates.database_request import Projection
from symdmc.reader.load import Spelling
from symdmc.running.run import LimitReached, Run
from symdmc.search.symbolic.options import ORDERS

if TYPE_CHECKING:
    from symdmc.checking.request import Question
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.task.task import Task

DATABASE = "Database"


@click.group(
    "patterndb",
    cls=Group,
    short_help="Build, show, ask and compare pattern databases.",
    example="symdmc patterndb build arbiter_tree:height=2 --pattern 'Client*' -o tree.pdb",
)
def command() -> None:
    """Build, show, ask and compare pattern databases.

    A pattern database keeps some processes and variables of a model, the pattern, and knows for every state of what is
    left how far it is from an error state. `symdmc check --heuristic pdb --database FILE` searches with it.
    """


@command.command(
    "build",
    short_help="Build a database and write it to a file.",
    example="symdmc patterndb build arbiter_tree:height=2 --pattern 'Client0,Client1,Node*' -o tree.pdb\n"
    "symdmc patterndb build model.dve --pattern P,Q,x --complete --error 'P.in and Q.in' -o model.pdb",
)
@model_argument
@question_options
@option_in(
    DATABASE,
    "--pattern",
    metavar="NAMES",
    help="The processes and variables that it keeps, such as 'P_0,x,Q*'.",
)
@stacked(*predicate_options(DATABASE))
@option_in(
    DATABASE,
    "--domain",
    multiple=True,
    metavar="CLASSES",
    help="Keep in which class a value is, such as 'x=0/1..9/10'. May be repeated.",
)
@option_in(
    DATABASE, "--complete", is_flag=True, help="Go on to the last layer, not only to that of the initial states."
)
@projection_option(DATABASE)
@perimeter_option(DATABASE)
@option_in(
    DATABASE,
    "--order",
    type=click.Choice(ORDERS),
    default="local",
    help="How the variables are ordered in the diagrams.",
)
@limit_options
@output_option("-o", "--output", type=FILE, required=True, metavar="FILE", help="Write the database to FILE.")
@json_option
@output_option("--quiet", is_flag=True, help="Print the first line only: no costs, no notes, no warnings, no progress.")
def build(
    *,
    model: Spelling,
    question: Question,
    pattern: str | None,
    predicate: tuple[str, ...],
    predicates_file: tuple[Path, ...],
    domain: tuple[str, ...],
    complete: bool,
    projection: Projection,
    perimeter: int | None,
    order: str,
    run: Run,
    output: Path,
    quiet: bool,
) -> Answer:
    """Build a pattern database of MODEL and the question, and write it to a file.

    The file is for this model and this question only. When a limit is reached, no file is written (exit code 21 or 22).
    """
    from symdmc.checking.checks import task_of
    from symdmc.checking.databases import Build, Derived, build_within
    from symdmc.patterndb.store import write_database
    from symdmc.report.databases import build_document, print_build
    from symdmc.report.progress import progress_on_terminal

    derived = Derived(predicates=predicate, predicate_files=predicates_file, classes=domain)
    if pattern is None and not derived:
        raise WrongUsage(
            Code.MISSING_ARGUMENT, "give what it keeps: --pattern, --predicate or --domain", click.get_current_context()
        )
    task: Task | None = None
    try:
        system = loaded(model, run, quiet=quiet)
        with progress_on_terminal(run, quiet=quiet):
            task = task_of(system, question, run)
            built = build_within(
                task,
                pattern or "",
                derived=derived,
                complete=complete,
                projection=projection,
                perimeter=perimeter,
                order=order,
                run=run,
            )
        if built.database is not None:
            run.begin("writing the database")
            write_database(output, built.database)
    except LimitReached as reached:
        built = Build(database=None, stop=reached.stop, seconds=round(run.seconds, 3))
    run.end()
    return Answer(
        text=lambda console: print_build(console, task, built, output, quiet=quiet),
        document=lambda: build_document(str(model), task, built, output),
        exit_code=built.exit_code,
    )


def _opened(model: Spelling, question: Question, run: Run, *files: Path) -> tuple[Task, list[PatternDatabase]]:
    """The task that a model and a question make, and the databases in the files, which must be of this task."""
    from symdmc.checking.checks import task_of
    from symdmc.patterndb.store import read_database

    task = task_of(loaded(model, run), question, run)
    run.begin("reading the database")
    return task, [read_database(file, task) for file in files]


@command.command(
    "show",
    short_help="List the layers of a database and its dead ends.",
    example="symdmc patterndb show tree.pdb arbiter_tree:height=2 --layers layers.svg",
)
@click.argument("database_file", metavar="FILE", type=FILE)
@model_argument
@question_options
@drawn_layers("Draw how many abstract states and nodes each layer has, to FILE.svg.")
@limit_options
@json_option
def show(*, database_file: Path, model: Spelling, question: Question, run: Run, layers: Path | None) -> Answer:
    """List how many abstract states the database in FILE has at each distance, and how many are dead ends.

    MODEL and the question are those it was built for. All counts are exact.
    """
    from symdmc.model.files.text_file import write_text_file
    from symdmc.patterndb.contents import contents_of
    from symdmc.report.databases import contents_document, print_contents
    from symdmc.report.pictures.layer_plot import layers_svg

    task, (database,) = _opened(model, question, run, database_file)
    contents = contents_of(database)
    if layers is not None:
        write_text_file(layers, layers_svg(f"{model}: {', '.join(database.pattern)}", contents.layers))
    return Answer(
        text=lambda console: print_contents(console, database, contents),
        document=lambda: contents_document(str(model), task, database, contents),
    )


@command.command(
    "lookup",
    short_help="Look up the estimate of a state.",
    example="symdmc patterndb lookup tree.pdb arbiter_tree:height=2 --state Client0.waiting,Root.idle",
)
@click.argument("database_file", metavar="FILE", type=FILE)
@model_argument
@question_options
@option_in(
    DATABASE,
    "--state",
    metavar="TEXT",
    show_default="the initial states",
    help="Such as 'P.in,x=3,a[1]=2'; what is not named has its initial value.",
)
@limit_options
@json_option
def lookup(*, database_file: Path, model: Spelling, question: Question, run: Run, state: str | None) -> Answer:
    """Look up what the database in FILE says about a state: a number, a dead end, or that it cannot be reached.

    The number is never larger than the length of a shortest way to an error state. Of the initial states the smallest
    one is told.
    """
    from symdmc.patterndb.contents import estimate_of_state
    from symdmc.report.databases import estimate_document, print_estimate

    task, (database,) = _opened(model, question, run, database_file)
    estimate = estimate_of_state(task, database, state)
    return Answer(
        text=lambda console: print_estimate(console, task.system, estimate),
        document=lambda: estimate_document(str(model), task, database, estimate),
    )


@command.command(
    "compare",
    short_help="Compare two databases on states of random walks.",
    example="symdmc patterndb compare clients.pdb nodes.pdb arbiter_tree:height=2 --states 5000",
)
@click.argument("first", metavar="FILE", type=FILE)
@click.argument("second", metavar="FILE", type=FILE)
@model_argument
@question_options
@number_option(DATABASE, "--states", default=1000, help="How many states are looked up.")
@seed_option("Decides how the random walks go.", DATABASE)
@limit_options
@json_option
def compare(
    *, first: Path, second: Path, model: Spelling, question: Question, run: Run, states: int, seed: int
) -> Answer:
    """Compare the databases in two FILEs on states met by random walks from the initial states of MODEL.

    The mean is that of the states that neither calls a dead end; a dead end counts as larger than every number.
    """
    from symdmc.patterndb.contents import compare_databases
    from symdmc.report.databases import comparison_document, print_comparison

    task, (one, other) = _opened(model, question, run, first, second)
    comparison = compare_databases(task, one, other, states=states, seed=seed)
    return Answer(
        text=lambda console: print_comparison(console, (first, second), comparison, seed),
        document=lambda: comparison_document(str(model), task, (first, second), comparison, seed),
    )
