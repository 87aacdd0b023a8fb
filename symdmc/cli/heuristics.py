"""`symdmc heuristics`: what can guide a search?"""

from __future__ import annotations

import click

from symdmc.cli.command import Answer, Command


@click.command(
    "heuristics",
    cls=Command,
    short_help="List the heuristics and pattern selections with their options.",
    example="symdmc heuristics pdb",
)
@click.argument("name", required=False)
def command(*, name: str | None) -> Answer:
    """List the heuristics and pattern selections, or describe the one called NAME with its options.

    They are spelled NAME[:ARG][,KEY=VALUE]..., everywhere alike: `check --heuristic pdb:dpr,inner=hL`.
    """
    from symdmc.checking.catalogue import entry_named, heuristic_entries, selection_entries
    from symdmc.report.catalogue import print_entries, print_entry

    if name is None:
        heuristics, selections = heuristic_entries(), selection_entries()
        return Answer(text=lambda console: print_entries(console, heuristics, selections))
    entry = entry_named(name)
    return Answer(text=lambda console: print_entry(console, entry))
