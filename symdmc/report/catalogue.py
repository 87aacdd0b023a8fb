"""Model families, heuristics, selections and searches as text: a list of them, or one with its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from symdmc.checking.catalogue import CatalogueEntry
from symdmc.reader.families import Family
from symdmc.report.console import plain_table, print_block, print_line
from symdmc.spelling.parameters import Parameter


def print_families(console: Console, families: Sequence[Family]) -> None:
    """The answer of `families`: each family with its parameters and defaults."""
    table = plain_table()
    table.add_column("family", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    table.add_column("parameters", overflow="fold")
    for family in families:
        listed = "\n".join(_short(parameter) for parameter in family.parameters)
        table.add_row(Text(family.name, style="bold"), Text(family.summary), Text(listed))
    print_block(console, table)


def print_family(console: Console, family: Family) -> None:
    """The answer of `families NAME`: everything about it."""
    print_line(console, Text.assemble((family.name, "bold"), f": {family.summary}"))
    _print_parameters(console, family.parameters)
    if family.description:
        console.print()
        print_line(console, family.description)


def print_entries(console: Console, listed: Mapping[str, Sequence[CatalogueEntry]]) -> None:
    """The answer of `heuristics`: what can be named, by kind."""
    for place, (title, entries) in enumerate(listed.items()):
        if place:
            console.print()
        table = plain_table()
        table.add_column(title, no_wrap=True)
        table.add_column("what it is", overflow="fold")
        table.add_column("options", overflow="fold")
        for entry in entries:
            options = "\n".join(_short(each) for each in entry.parameters if each.name != entry.argument)
            table.add_row(Text(entry.spelling, style="bold"), Text(entry.summary), Text(options))
        print_block(console, table)


def print_entry(console: Console, entry: CatalogueEntry) -> None:
    """The answer of `heuristics NAME`: everything about it."""
    print_line(console, Text.assemble((entry.spelling, "bold"), f": {entry.summary}"))
    _print_parameters(console, entry.parameters)


def _print_parameters(console: Console, parameters: Sequence[Parameter]) -> None:
    """A line for each, behind an empty one; nothing where there are none."""
    table = plain_table()
    table.add_column("parameter", no_wrap=True)
    table.add_column("default")
    table.add_column("may be", overflow="fold")
    table.add_column("what it does", overflow="fold")
    for parameter in parameters:
        table.add_row(parameter.name, parameter.default_text or "", Text(parameter.allowed), Text(parameter.help))
    if parameters:
        console.print()
        print_block(console, table)


def _short(parameter: Parameter) -> str:
    """`height=3`, or the name alone where there is no plain default."""
    return parameter.name if parameter.default_text is None else f"{parameter.name}={parameter.default_text}"
