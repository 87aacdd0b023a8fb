"""State spaces as files: Aldebaran (.aut), which CADP, mCRL2 and LTSmin read, and DOT for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from symdmc.model.space import StateSpace
from symdmc.report.pictures.graph import ASKED_STROKE, dot_text
from symdmc.report.traces import state_text
from symdmc.spelling.printable import printable

START, BEYOND, FAULT = "start", "beyond", "fault"
"""Labels and names of what stands in a file beside the states of the model."""


def to_aut(space: StateSpace) -> str:
    """The space as a labelled transition system whose initial state is 0.

    Of several initial states, or none, 0 stands before them. The last numbers stand for what faults, and for all states
    that are not listed; a step from the latter to itself keeps it from being a deadlock.
    """
    first = 0 if space.initial == 1 and not space.more_initial else 1
    fault = first + len(space.states)
    beyond, is_cut = fault + bool(space.faults), space.is_cut
    starts = [*(first + number for number in range(space.initial)), *([beyond] if space.more_initial else [])]
    rows = [(0, START, number) for number in starts] if first else []
    rows += [
        (first + source, label, beyond if target is None else first + target) for source, label, target in space.steps
    ]
    rows += [(first + source, label, fault) for source, label in space.faults]
    if is_cut:
        rows.append((beyond, BEYOND, beyond))
    lines = (f'({source},"{_label(label)}",{target})' for source, label, target in sorted(rows, key=lambda row: row[0]))
    return "\n".join((f"des (0,{len(rows)},{beyond + is_cut})", *lines, ""))


def _label(label: str) -> str:
    """A label as it stands between quotation marks, which end it."""
    return printable(label).replace('"', "'")


def to_dot(space: StateSpace) -> str:
    """The space for Graphviz: states with what they contain, deadlocks framed twice, faults in red."""
    return "\n".join((f"digraph {dot_text(space.system.name)} {{", *_dot_lines(space), "}", ""))


def _dot_lines(space: StateSpace) -> Iterator[str]:
    yield '  node [shape=box, style=rounded, fontname="sans-serif"];'
    yield '  edge [fontname="sans-serif"];'
    leaving = {source for source, _, _ in space.steps}
    for number, state in enumerate(space.states):
        frame = "" if number in leaving else ", peripheries=2"
        yield f"  s{number} [label={dot_text(str(number), printable(state_text(state, space.system)))}{frame}];"
    yield f"  {START} [shape=point];"
    yield from (f"  {START} -> s{number};" for number in range(space.initial))
    if space.more_initial:
        yield f"  {START} -> {BEYOND};"
    if space.is_cut:
        yield f'  {BEYOND} [label="...", style=dashed];'
    if space.faults:
        yield f'  {FAULT} [shape=octagon, color="{ASKED_STROKE}"];'
    for source, label, target in space.steps:
        yield f"  s{source} -> {BEYOND if target is None else f's{target}'} [label={dot_text(printable(label))}];"
    for source, label in space.faults:
        yield f'  s{source} -> {FAULT} [label={dot_text(printable(label))}, color="{ASKED_STROKE}"];'
