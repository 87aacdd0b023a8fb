"""`symdmc show`: what is in a model?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import (
    FILE,
    LIMITS,
    json_option,
    limit_options,
    model_argument,
    number_option,
    output_option,
    question_options,
    refuse_given,
)
from symdmc.cli.remarks import loaded
from symdmc.cli.usage import WrongValue
from symdmc.errors import Code
from symdmc.reader.load import Spelling
from symdmc.running.run import Run
from symdmc.search.symbolic.options import ORDERS

if TYPE_CHECKING:
    from symdmc.checking.request import Question
    from symdmc.task.task import Task

NEEDING_PREDICATES = (
    *("--error", "--property", "--properties", "--deadlock", "--assertions"),
    *("--cubes", "--entailment-calls"),
)


@click.command(
    "show",
    cls=Command,
    short_help="Describe a model: processes, variables, transitions, channels.",
    example="symdmc show arbiter_tree:height=2 --graph tree.svg",
)
@model_argument
@output_option(
    "--graph",
    type=FILE,
    metavar="FILE",
    help="Draw which variables share transitions, to FILE.svg or, for Graphviz, FILE.dot.",
)
@output_option(
    "--dve",
    type=FILE,
    metavar="FILE",
    help="Write the model to a file in plain DVE, templates and enumerations written out.",
)
@output_option(
    "--order",
    is_flag=False,
    flag_value="local",
    type=click.Choice(ORDERS),
    help="List the variables in the order they have in decision diagrams; without a name, in the order local.",
)
@question_options
@output_option(
    "--predicates",
    is_flag=True,
    help="List the predicates that the model's text yields for the question, and how entailment fares with them.",
)
@number_option(
    LIMITS, "--cubes", default=2000, help="With --predicates: how many cubes of predicates may be regressed."
)
@number_option(
    LIMITS,
    "--entailment-calls",
    default=100_000,
    help="With --predicates: how many questions entailment may be asked.",
)
@limit_options
@output_option("--all", "everything", is_flag=True, help="List everything; without it a list ends after 20 rows.")
@json_option
def command(
    *,
    model: Spelling,
    question: Question,
    graph: Path | None,
    dve: Path | None,
    order: str | None,
    predicates: bool,
    cubes: int,
    entailment_calls: int,
    run: Run,
    everything: bool,
) -> Answer:
    """Describe MODEL: processes, variables with the values they can take, transitions, channels, properties.

    The values come from value analysis: no other value can ever occur. It may also show that no step can fault.
    """
    if graph is not None and graph.suffix.lower() not in (".dot", ".svg"):
        raise WrongValue(Code.WRONG_SUFFIX, f"{str(graph)!r} ends neither in .dot nor in .svg", param_hint="'--graph'")
    if not predicates:
        refuse_given(click.get_current_context(), NEEDING_PREDICATES, "--predicates")
    from symdmc.checking.checks import bare_task_of, task_of
    from symdmc.model.files.text_file import write_text_file
    from symdmc.report.description.document import interaction_picture, show_document
    from symdmc.report.description.text import print_description
    from symdmc.report.pictures.graph import to_dot, to_svg
    from symdmc.report.progress import progress_on_terminal

    system = loaded(model, run)
    with progress_on_terminal(run, quiet=False):
        task = task_of(system, question, run) if predicates else bare_task_of(system, run)
        run.begin("analysing values")
        task.analyse(run.checkpoint)
        run.begin("describing the model")
        found = _predicates(task, cubes, entailment_calls) if predicates else None
        document = show_document(str(model), task, order, found)
    if dve is not None:
        from symdmc.reader.dve_writing import dve_text

        write_text_file(dve, dve_text(system))
    if graph is not None:
        draw = to_svg if graph.suffix.lower() == ".svg" else to_dot
        write_text_file(graph, draw(interaction_picture(task)))
    return Answer(
        text=lambda console: print_description(console, document, task, everything=everything),
        document=lambda: document,
    )


def _predicates(task: Task, cubes: int, calls: int) -> Mapping[str, object]:
    """What there is to say about the predicates of the syntax."""
    from symdmc.abstraction.cartesian.cartesian import CartesianLimits, cartesian_abstraction
    from symdmc.abstraction.predicates.sources import predicates_of_syntax
    from symdmc.report.description.predicates import predicates_document

    found = predicates_of_syntax(task)
    limits = CartesianLimits(cubes=cubes, calls=calls)
    abstraction = cartesian_abstraction(task, [each.predicate for each in found], limits=limits)
    return predicates_document(task, found, abstraction)
