"""`symdmc show`: what is in a model?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import FILE, json_option, model_argument, output_option
from symdmc.cli.remarks import remark
from symdmc.search.symbolic_options import ORDERS

if TYPE_CHECKING:
    from symdmc.registry.models import Spelling


def failed(*, model: str | None, reason: str, code: int) -> Mapping[str, object]:
    """The JSON object when there is nothing to show."""
    from symdmc.report.description import failed_show

    return failed_show(model=model, reason=reason, code=code)


@click.command(
    "show",
    cls=Command,
    failed=failed,
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
    "--order",
    is_flag=False,
    flag_value="local",
    type=click.Choice(ORDERS),
    help="List the variables in the order they have in decision diagrams; without a name, in the order local.",
)
@output_option("--all", "everything", is_flag=True, help="List everything; without it a list ends after 20 rows.")
@json_option
def command(*, model: Spelling, graph: Path | None, order: str | None, everything: bool) -> Answer:
    """Describe MODEL: processes, variables with the values they can take, transitions, channels, properties.

    The values come from value analysis: no other value can ever occur. It may also show that no step can fault.
    """
    if graph is not None and graph.suffix not in (".dot", ".svg"):
        raise click.BadParameter(f"{str(graph)!r} ends neither in .dot nor in .svg", param_hint="'--graph'")
    from symdmc.model.text_file import require_writable, write_text_file
    from symdmc.registry.checks import bare_task_of
    from symdmc.report.description import interaction_picture, show_document
    from symdmc.report.graph import to_dot, to_svg
    from symdmc.report.shown import print_description

    if graph is not None:
        require_writable(graph)
    system = model.load()
    remark(system, quiet=False)
    task = bare_task_of(system)
    if graph is not None:
        draw = to_svg if graph.suffix == ".svg" else to_dot
        write_text_file(graph, draw(interaction_picture(task)))
    document = show_document(str(model), task, order)
    return Answer(
        text=lambda console: print_description(console, document, task, everything=everything),
        document=lambda: document,
    )
