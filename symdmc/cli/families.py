"""`symdmc families`: which models come with symdmc?"""

from __future__ import annotations

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import complete_model


@click.command(
    "families",
    cls=Command,
    short_help="List the model families and their parameters.",
    example="symdmc families arbiter_tree",
)
@click.argument("name", required=False, shell_complete=complete_model)
def command(*, name: str | None) -> Answer:
    """List the model families that come with symdmc, or describe the one called NAME with its parameters."""
    from symdmc.reader.families import families, family_named
    from symdmc.report.catalogue import print_families, print_family

    if name is None:
        return Answer(text=lambda console: print_families(console, families()))
    family = family_named(name)
    return Answer(text=lambda console: print_family(console, family))
