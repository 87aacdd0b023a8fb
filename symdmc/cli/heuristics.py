"""`symdmc heuristics`: what can guide a search?"""

from __future__ import annotations

import click

from symdmc.cli.command import Answer, Command


@click.command(
    "heuristics",
    cls=Command,
    short_help="List the heuristics, selections and searches with their options.",
    example="symdmc heuristics pdb",
)
@click.argument("name", required=False)
def command(*, name: str | None) -> Answer:
    """List the heuristics, pattern selections and searches, or describe the one called NAME with its options.

    They are spelled NAME[:ARG][,KEY=VALUE]..., everywhere alike: `check --heuristic pdb:dpr,inner=hL`.
    """
    from symdmc.checking.catalogue import TABLES, entries, entry_named
    from symdmc.report.catalogue import print_entries, print_entry

    if name is None:
        listed = {title: entries(table) for title, table in TABLES.items()}
        return Answer(text=lambda console: print_entries(console, listed))
    entry = entry_named(name)
    return Answer(text=lambda console: print_entry(console, entry))
