"""A model described as text: tables of its parts, with long tables cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.report.console import plain_table, print_block, print_line
from symdmc.report.description.document import summary
from symdmc.spelling.plurals import counted
from symdmc.spelling.printable import printable
from symdmc.task.task import Task

MOST_ROWS = 20


def print_description(console: Console, document: dict[str, object], task: Task, *, everything: bool) -> None:
    """The answer of `show`."""
    identity = f"fingerprint {document['fingerprint']}"
    console.print(Text.assemble((f"{printable(str(document['name']))} ", "bold"), (identity, "dim")))
    print_line(console, summary(task))
    excluded = "value analysis excludes all faults"
    possible = "value analysis does not exclude faults; check with --error fault to look for them"
    print_line(console, excluded if document["faultless"] else possible)
    limit = None if everything else MOST_ROWS
    for title, keys in TABLES.items():
        entries = document[title]
        assert isinstance(entries, list)
        _print_list(console, title, entries, keys, limit)
    if document["order"] is not None:
        _print_order(console, document, limit)
    if document["predicates"] is not None:
        _print_predicates(console, document, limit)


def _print_order(console: Console, document: Mapping[str, Any], limit: int | None) -> None:
    order = document["order"]
    others = ", ".join(f"{name} {cost:,}" for name, cost in order["others"].items())
    bits = {variable["name"]: variable["bits"] for variable in document["variables"]}
    entries: list[dict[str, object]] = [
        {"position": position, "variable": name, "bits": bits[name]}
        for position, name in enumerate(order["variables"], start=1)
    ]
    title = f"order {order['name']}: cost {order['cost']:,} ({others})"
    _print_list(console, title, entries, ("position", "variable", "bits"), limit)


def _print_predicates(console: Console, document: Mapping[str, Any], limit: int | None) -> None:
    part = document["predicates"]
    entries = [{**each, "from": _first_of(each["sources"])} for each in part["found"]]
    _print_list(console, f"predicates for {part['error']}", entries, ("predicate", "kind", "from"), limit)
    cubes, layers = sum(part["layers"]), len(part["layers"])
    ends = "complete" if part["complete"] else f"partial, cut off after {counted(part['expanded'], 'cube')}"
    console.print()
    console.print(Text("cartesian abstraction", style="bold"))
    print_line(console, f"{counted(cubes, 'cube')} in {counted(layers, 'layer')}, {ends}{_start(part['initial'])}")
    entailment = part["entailment"]
    queries = entailment["queries"]
    rows: list[dict[str, object]] = [
        {"layer": name, "answered": f"{count:,}", "share": f"{count / max(queries, 1):.1%}"}
        for name, count in {**entailment["answered"], "undecided": entailment["undecided"]}.items()
    ]
    title = f"entailment: {counted(queries, 'question')}, {counted(entailment['theory_calls'], 'problem')} for sympy"
    _print_list(console, title, rows, ("layer", "answered", "share"), None)


def _first_of(sources: Sequence[str]) -> str:
    """The first source, and the number of others."""
    more = len(sources) - 1
    return sources[0] + (f" and {more:,} more" if more else "")


def _start(initial: Mapping[str, Any] | None) -> str:
    """What is known about the initial states."""
    if initial is None:
        return ""
    if initial["dead_end"]:
        return "; all initial states are dead ends"
    return f"; the error is at least {initial['estimate']:,} away"


def _print_list(
    console: Console, title: str, entries: Sequence[dict[str, object]], keys: Iterable[str], limit: int | None
) -> None:
    if not entries:
        return
    console.print()
    console.print(Text(title, style="bold"))
    print_block(console, _table(entries[:limit], keys))
    if limit is not None and len(entries) > limit:
        console.print(Text(f"... {len(entries) - limit:,} more (--all)", style="dim"))


TABLES = {
    "processes": ("name", "initial", "locations", "committed", "edges"),
    "variables": ("name", "kind", "declared", "values", "bits"),
    "transitions": ("label", "moves", "guard", "updates"),
    "channels": ("name", "kind", "passes", "capacity"),
    "properties": ("name", "error"),
}
"""The parts of the description with the columns shown of each."""
NUMBERS = ("answered", "bits", "edges", "capacity", "position", "share")


def _table(entries: Sequence[dict[str, object]], keys: Iterable[str]) -> Table:
    """The entries, with the columns that are not empty in all of them."""
    columns = [key for key in keys if any(_text(key, entry) for entry in entries)]
    table = plain_table()
    for key in columns:
        table.add_column(key, overflow="fold", justify="right" if key in NUMBERS else "left")
    for entry in entries:
        style = "dim" if entry.get("possible") is False else ""
        table.add_row(*(Text(_text(key, entry), style=style) for key in columns))
    return table


def _text(key: str, entry: dict[str, object]) -> str:
    match entry[key]:
        case None:
            return ""
        case list() as several:
            return ("\n" if key == "moves" else ", ").join(map(str, several))
        case "1" if key == "guard":  # always true
            return ""
        case value:
            return str(value)
