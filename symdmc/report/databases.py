"""Pattern databases as text and as JSON: built, looked into, asked about a state, compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from symdmc.checking.databases import Build
from symdmc.model.system import System
from symdmc.outcome import Layer, Verdict
from symdmc.patterndb.contents import Comparison, Contents, Estimate
from symdmc.report.console import plain_table, print_block, print_line
from symdmc.report.quantities import counted, seconds_text
from symdmc.report.results import print_headline
from symdmc.report.schemas import document
from symdmc.report.traces import state_text

if TYPE_CHECKING:
    from symdmc.patterndb.database import PatternDatabase
    from symdmc.task import Task

DEAD_END_TEXT = "dead end"
RESTRICTED = {
    "forward": "the abstract states that are forward reachable",
    "pairs": "the abstract states that values and pairs of values allow",
    "values": "the abstract states that values allow",
}


def print_build(console: Console, task: Task | None, built: Build, file: Path, *, quiet: bool) -> None:
    """The answer of `patterndb build`."""
    database = built.database
    verdict = Verdict.UNKNOWN if database is None else Verdict.SAFE
    print_headline(console, verdict, _build_headline(task, built, file))
    if database is not None and not quiet:
        for line in (*_about(database), f"look-up table of {_table(database)}, {seconds_text(built.seconds)}"):
            print_line(console, f"  {line}")


def _build_headline(task: Task | None, built: Build, file: Path) -> str:
    if built.database is None or task is None:
        return f"unknown: {built.reason}; {file} is not written"
    if built.database.proves_safety:
        return f"safe: no error state of {task.error.name} is reachable; pattern database written to {file}"
    return f"pattern database written to {file}"


def _about(database: PatternDatabase) -> Iterator[str]:
    """What there is to know about any database, a line each."""
    yield f"pattern: {', '.join(database.pattern)}"
    yield _initial(database)
    number = counted(len(database.layers), "layer")
    if database.complete:
        yield f"{number}, complete"
    else:
        yield f"{number}, partial: every other state is estimated as {len(database.layers)}"
    yield f"restricted to {RESTRICTED[database.restriction]}"


def _initial(database: PatternDatabase) -> str:
    if database.h_initial is not None:
        return f"h of the initial states: {database.h_initial}"
    believed = "would prove" if database.file is not None else "proves"
    return f"initial states: dead ends, which {believed} safety"


def _table(database: PatternDatabase) -> str:
    return counted(len(database.table), "node")


def build_document(model: str, task: Task | None, built: Build, file: Path) -> dict[str, object]:
    """What `patterndb build --json` prints; there is no task where a limit struck before."""
    database = built.database
    known = {"verdict": Verdict.UNKNOWN.value} if database is None else {"file": str(file), **_database(database)}
    reason = built.reason or _build_headline(task, built, file)
    about = {"property": None if task is None else task.error.name, "reason": reason, "seconds": built.seconds}
    system = None if task is None else task.system
    return document("patterndb-build", model, system, built, database, **{**known, **about})


def print_contents(console: Console, database: PatternDatabase, contents: Contents) -> None:
    """The answer of `patterndb show`."""
    print_line(console, f"pattern database of {_table(database)}", "bold")
    for line in _about(database):
        print_line(console, f"  {line}")
    console.print()
    print_block(console, _layer_table(database, contents))
    console.print()
    print_line(console, f"dead ends: {_dead_ends(contents)}")
    print_line(console, f"outside of the restriction: {counted(contents.outside, 'abstract state')}")


def _layer_table(database: PatternDatabase, contents: Contents) -> Table:
    table = plain_table()
    for name in ("distance", "abstract states", "nodes"):
        table.add_column(name, justify="right", no_wrap=True)
    for layer in contents.layers:
        table.add_row(str(layer.depth), f"{layer.states:,}", f"{layer.nodes:,}")
    if contents.beyond is not None:
        table.add_row(f"{len(database.layers)} or more", f"{contents.beyond:,}", "")
    return table


def _dead_ends(contents: Contents) -> str:
    if contents.dead_ends is None:
        return f"not known before the database is complete; {counted(contents.inside, 'abstract state')} in all"
    share = "" if contents.inside == 0 else f" ({_percent(contents.dead_ends, contents.inside)})"
    return f"{contents.dead_ends:,} of {counted(contents.inside, 'abstract state')}{share}"


def _percent(part: int, whole: int) -> str:
    """A share of numbers of any size."""
    tenths = (part * 1000 + whole // 2) // whole
    return f"{tenths // 10}.{tenths % 10} %"


def contents_document(model: str, task: Task, database: PatternDatabase, contents: Contents) -> dict[str, object]:
    """What `patterndb show --json` prints."""
    known = {**_database(database), "layers": _layers(contents.layers), "verdict": None}
    about = {"property": task.error.name, "reason": _initial(database), "exit_code": 0}
    return document("patterndb-show", model, task.system, contents, database, **known, **about)


def print_estimate(console: Console, system: System, estimate: Estimate) -> None:
    """The answer of `patterndb lookup`."""
    print_line(console, _answer_text(estimate), "bold")
    print_line(console, f"  {_asked(system, estimate)}")


def _answer_text(estimate: Estimate) -> str:
    if estimate.outside:
        return "outside: the state cannot be reached"
    return DEAD_END_TEXT if estimate.distance is None else str(estimate.distance)


def _asked(system: System, estimate: Estimate) -> str:
    return "the initial states" if estimate.state is None else state_text(estimate.state, system)


def estimate_document(model: str, task: Task, database: PatternDatabase, estimate: Estimate) -> dict[str, object]:
    """What `patterndb lookup --json` prints."""
    answer = "outside" if estimate.outside else DEAD_END_TEXT if estimate.is_dead_end else "distance"
    return document(
        "patterndb-lookup",
        model,
        task.system,
        database,
        property=task.error.name,
        reason=f"{_asked(task.system, estimate)}: {_answer_text(estimate)}",
        exit_code=0,
        state=_state(task.system, estimate),
        answer=answer,
        estimate=estimate.distance,
    )


def _state(system: System, estimate: Estimate) -> dict[str, object] | None:
    """The state as in a trace; None for the initial states."""
    state = estimate.state
    if state is None:
        return None
    places = {process.name: place for process, place in zip(system.processes, state.locations, strict=True)}
    values = {
        variable.name: cells[0] if variable.size is None else list(cells)
        for variable, cells in zip(system.storage, state.values, strict=True)
    }
    return {**places, **values}


def print_comparison(console: Console, files: tuple[Path, Path], comparison: Comparison, seed: int) -> None:
    """The answer of `patterndb compare`."""
    print_line(console, f"{counted(comparison.states, 'state')} of random walks with seed {seed}", "bold")
    console.print()
    table = plain_table()
    table.add_column("database", overflow="fold")
    for name in ("mean estimate", "dead ends", "larger"):
        table.add_column(name, justify="right", no_wrap=True)
    for file, side in zip(files, comparison.sides, strict=True):
        mean = "" if side.mean is None else f"{side.mean:.2f}"
        table.add_row(Text(str(file)), mean, f"{side.dead_ends:,}", f"{side.larger:,}")
    print_block(console, table)
    console.print()
    print_line(console, f"equal: {counted(comparison.equal, 'state')}")


def comparison_document(
    model: str, task: Task, files: tuple[Path, Path], comparison: Comparison, seed: int
) -> dict[str, object]:
    """What `patterndb compare --json` prints."""
    sides = [
        {"file": str(file), **asdict(side), "mean": None if side.mean is None else round(side.mean, 6)}
        for file, side in zip(files, comparison.sides, strict=True)
    ]
    return document(
        "patterndb-compare",
        model,
        task.system,
        comparison,
        property=task.error.name,
        reason=f"compared on {counted(comparison.states, 'state')} of random walks",
        exit_code=0,
        seed=seed,
        databases=sides,
    )


def _database(database: PatternDatabase) -> dict[str, object]:
    """What JSON says of a database in another form than the database itself."""
    return {
        "verdict": Verdict.SAFE.value if database.proves_safety else None,
        "h_initial": DEAD_END_TEXT if database.proves_safety else database.h_initial,
        "table_nodes": len(database.table),
        "layers": _layers(database.layers),
    }


def _layers(layers: tuple[Layer, ...]) -> list[dict[str, object]]:
    return [
        {"distance": layer.depth, "states": layer.states, "nodes": layer.nodes, "seconds": round(layer.seconds, 6)}
        for layer in layers
    ]
