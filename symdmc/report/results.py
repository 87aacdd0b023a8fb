"""Verdicts and counts as text: the answer first, then why, then what it cost."""

from __future__ import annotations

import shlex

from rich.console import Console

from symdmc.checking.look import NOTHING, Look
from symdmc.model.question import ErrorCondition, has_valid_ends, is_valid_end
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import (
    EXIT_CODES,
    FAULT_EXIT_CODE,
    Exploration,
    FaultReport,
    Layer,
    SearchResult,
    SelectionReport,
    Verdict,
)
from symdmc.report.console import print_line, symbol
from symdmc.report.looking import print_look
from symdmc.report.quantities import counted, seconds_text
from symdmc.report.selections import print_selection
from symdmc.report.traces import print_trace
from symdmc.search.symbolic.options import SymbolicOptions
from symdmc.spelling.speech import Deed

SIGNS = {
    Verdict.SAFE: ("\u2713", "+", "bold green"),
    Verdict.ERROR: ("\u2717", "x", "bold red"),
    Verdict.UNKNOWN: ("?", "?", "bold yellow"),
}
"""For each verdict a sign, the sign where the stream has only ASCII, and a style."""


def print_headline(console: Console, verdict: Verdict, text: str) -> None:
    """Print the first line of an answer, with the sign and in the colour of a verdict."""
    pretty, plain, style = SIGNS[verdict]
    print_line(console, f"{symbol(console, pretty, plain)} {text}", style)


def print_result(
    console: Console,
    model: str | None,
    system: System | None,
    result: SearchResult,
    options: SymbolicOptions | None,
    *,
    steps: int | None,
    quiet: bool,
    explain: bool = False,
    fail_on_fault: bool = False,
    look: Look = NOTHING,
) -> None:
    """The answer of `check`; the options are those of the symbolic engine, if it was that one and they are known.

    The model is as the command line names it, None for one made in Python. There is no system where none was read.

    With `explain`, also why each variable is in a pattern that was chosen automatically, or not. Faults that were met
    are told in any case; with `fail_on_fault`, also that nobody looked for them.
    """
    print_headline(console, result.verdict, headline(result))
    asked_for_faults = result.trace is not None and result.trace.error is not None and result.trace.error.fault
    faults = [] if asked_for_faults else known_faults(model, result.faults, result.verdict)
    if quiet:
        for line in faults if result.faults is not None or fail_on_fault else []:
            print_line(console, f"  {line}", "yellow")
        return
    for line in (
        *reasons(result),
        *result.remarks,
        _costs(result) if result.engine == "explicit" else _symbolic_costs(result, options),
    ):
        print_line(console, f"  {line}")
    for report in result.selections:
        print_line(console, f"  {_selection_line(report)}")
        if explain:
            print_selection(console, report)
    for line in faults:
        print_line(console, f"  {line}", "yellow")
    if result.trace is not None and system is not None:
        console.print()
        print_trace(console, result.trace, system, steps, look)
        print_look(console, look)


def _selection_line(report: SelectionReport) -> str:
    """How much a pattern selection keeps."""
    kept = sum(reason.kept for reason in report.reasons)
    several = "" if len(report.patterns) == 1 else f" in {counted(len(report.patterns), 'pattern')}"
    what = "predicate" if report.name.startswith("pred:") else "variable"
    line = f"{report.name} keeps {kept} of {counted(len(report.reasons), what)}{several}"
    followed = [f"{counted(report.followed, 'state')} met on abstract traces"] if report.followed else []
    return "; ".join((line, *followed, *report.remarks))


def exit_code_of(result: SearchResult, *, fail_on_fault: bool = False) -> int:
    """What `check` returns; an interrupted run says so even when it has an answer to show.

    With `fail_on_fault`, "safe" has a code of its own where a step faults, or where nobody looked for faults.
    """
    if result.stop is not None and result.stop.is_signal:
        return EXIT_CODES[result.stop]
    without_faults = result.faults is not None and result.faults.states == 0
    fails = fail_on_fault and result.verdict is Verdict.SAFE and not without_faults
    return FAULT_EXIT_CODE if fails else result.exit_code


def headline(result: SearchResult) -> str:
    """The answer of a check in a line."""
    match result.verdict:
        case Verdict.SAFE:
            return f"safe: no error state of {result.property} is reachable"
        case Verdict.ERROR:
            return f"error reachable: {result.property}"
        case Verdict.UNKNOWN:
            return f"unknown: {result.reason}"


def reasons(result: SearchResult) -> list[str]:
    """Why that is the answer of a check, or what is known of the trace."""
    match result.verdict:
        case Verdict.ERROR if result.trace is not None:
            return [_length(result, len(result.trace.steps)), *([result.reason] if result.stop is not None else [])]
        case Verdict.UNKNOWN:
            bound = result.lower_bound
            asked = f"whether an error state of {result.property} is reachable is open"
            return [asked if not bound else f"{asked}; no error trace is shorter than {bound}"]
        case _:
            return [result.reason]


def _length(result: SearchResult, transitions: int) -> str:
    length = f"length {result.length} ({counted(transitions, 'transition')})"
    if result.shortest:
        return f"a shortest trace: {length}"
    bound = "" if not result.lower_bound else f" and none is shorter than {result.lower_bound}"
    return f"a trace: {length}; shorter ones may exist{bound}"


def _costs(result: SearchResult) -> str:
    spent = f"{seconds_text(result.seconds)}, {result.peak_memory_mb:,.0f} MB"
    seed = "" if result.seed is None else f" with seed {result.seed}"
    searched = f"{result.engine} {_how(result)}{seed}" if result.searched else f"{result.settled_by}, before any search"
    return (
        f"{searched}: {counted(result.explored, 'state')} explored, "
        f"{counted(result.generated, 'step')} generated, {spent}"
    )


def _how(result: SearchResult) -> str:
    """The search, with its heuristic and what that says of the initial states."""
    how = "+".join(filter(None, (result.search, result.heuristic)))
    return f"{how} from h = {result.h_initial}" if isinstance(result.h_initial, int) else how


def _symbolic_costs(result: SearchResult, options: SymbolicOptions | None) -> str:
    parts = (
        _layers(result.layers, "layer"),
        _nodes(result.peak_nodes),
        seconds_text(result.seconds),
        f"{result.peak_memory_mb:,.0f} MB",
    )
    if not result.searched:
        return f"{result.settled_by}, before any search of the symbolic engine: {', '.join(filter(None, parts[2:]))}"
    return f"symbolic {result.direction} {_how(result)}{_order(options)}: {', '.join(filter(None, parts))}"


def _order(options: SymbolicOptions | None) -> str:
    if options is None:
        return ""
    seed = f" with seed {options.seed}" if options.seed else ""
    return f", order {options.order}{seed}{', sifted' if options.sift else ''}"


def _layers(layers: tuple[Layer, ...] | None, noun: str) -> str:
    return "" if layers is None else counted(len(layers), noun)


def _nodes(peak: int | None) -> str:
    return "" if peak is None else f"at most {counted(peak, 'node')}"


def known_faults(model: str | None, faults: FaultReport | None, verdict: Verdict | None) -> list[str]:
    """What is known about steps that fault, and how to see more."""
    if faults is None:
        return ["faults not excluded: this search does not look for them"] if verdict is Verdict.SAFE else []
    if faults.states == 0:
        return []
    after = "" if faults.first is None else f" after {counted(len(faults.first.steps), 'step')}"
    first = "" if faults.reason is None else f", the first{after}: {faults.reason}"
    hint = f"{_asking(model, '--error fault', 'fault=True')} shows a way there"
    return [f"faults in {counted(faults.states, 'explored state')}{first}", hint]


def _asking(model: str | None, option: str, keyword: str) -> str:
    """How to ask about the model, on the command line or in Python."""
    named = "model" if model is None else repr(model)
    return str(Deed(f"check({named}, {keyword})", f"symdmc check {shlex.quote(model or 'MODEL')} {option}"))


def print_exploration(
    console: Console,
    model: str | None,
    system: System | None,
    found: Exploration,
    options: SymbolicOptions | None,
    *,
    quiet: bool,
) -> None:
    """The answer of `explore`; model, system and options are as for `print_result`."""
    if found.states is None:
        print_headline(console, Verdict.UNKNOWN, f"unknown: {found.reason}")
    else:
        print_headline(console, Verdict.SAFE, counted(found.states, "state"))
    if quiet:
        return
    if found.states is not None:
        counts = (
            None if found.transitions is None else counted(found.transitions, "transition"),
            None if found.depth is None else f"depth {found.depth}",
            None if found.deadlocks is None else _deadlocks(found.deadlocks, system),
        )
        print_line(console, f"  {', '.join(filter(None, counts))}")
    layered = found.depth is not None if options is None else options.layered
    parts = (
        "" if found.states is None else found.reason,
        _layers(found.layers, "layer" if layered else "round"),
        _nodes(found.peak_nodes),
        seconds_text(found.seconds),
        f"{found.peak_memory_mb:,.0f} MB",
    )
    engine = found.engine if found.engine == "explicit" else f"{found.engine}{_order(options)}"
    print_line(console, f"  {engine}: {', '.join(filter(None, parts))}")
    for line in known_faults(model, found.faults, None):
        print_line(console, f"  {line}", "yellow")
    if found.first_deadlock is not None:
        print_line(console, f"  {_nearest_deadlock(model, system, found.first_deadlock)}")


def _deadlocks(number: int, system: System | None) -> str:
    """How many states have no step; of a model with valid ends some of them may be no deadlocks."""
    if system is None or not has_valid_ends(system):
        return counted(number, "deadlock")
    return f"{counted(number, 'state')} without a step, valid ends included"


def _nearest_deadlock(model: str | None, system: System | None, trace: Trace) -> str:
    """How far it is to the nearest state without a step, and how to see more."""
    steps, asking = counted(len(trace.steps), "step"), _asking(model, "--deadlock", "deadlock=True")
    if system is not None and is_valid_end(system, trace.final):
        return f"the nearest state without a step is a valid end, {steps} away; {asking} looks for a deadlock"
    return f"the nearest deadlock is {steps} away; {asking} shows the way"


def print_replayed(
    console: Console,
    trace: Trace,
    error: ErrorCondition | None,
    system: System,
    *,
    steps: int | None,
    quiet: bool,
    look: Look = NOTHING,
) -> None:
    """The answer of `replay`, for a trace that holds."""
    end = "it claims nothing about its last state" if error is None else f"it ends in an error state: {error.name}"
    length = f"length {trace.length} ({counted(len(trace.steps), 'transition')})"
    print_headline(console, Verdict.SAFE, f"the trace holds: {length}, {end}")
    if not quiet:
        console.print()
        print_trace(console, trace, system, steps, look)
        print_look(console, look)
