"""States and traces as text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest
from rich.console import Console

from symdmc.model.builder import Builder
from symdmc.model.semantics import Semantics
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.report.console import console_for
from symdmc.report.traces import MOST_NAMED, print_trace, state_text
from symdmc.spelling.speech import speaking_options


def counting(last: int) -> System:
    m = Builder("counting")
    m.integer("x", 0, last)
    m.integer("a", 0, 9, size=2, initial=[0, 4])
    m.constant("limits", [1, 2])
    p = m.process("P", initial="s")
    p.edge("s", "s", guard=f"x < {last}", do="x = x + 1")
    return m.build()


def path(system: System, length: int) -> Trace:
    semantics = Semantics(system)
    state = initial = next(semantics.initial_states())
    steps = []
    for _ in range(length):
        steps.append(semantics.steps(state)[0])
        state = steps[-1].successor
    return Trace(fingerprint="0" * 32, property="none", initial=initial, steps=tuple(steps))


@pytest.fixture(autouse=True)
def _on_the_command_line() -> Iterator[None]:
    with speaking_options():
        yield


def printed(trace: Trace, system: System, steps: int | None) -> str:
    stream = io.StringIO()
    print_trace(console_for(stream), trace, system, steps)
    return stream.getvalue()


def test_a_state_names_locations_and_what_is_not_zero() -> None:
    system = counting(3)
    trace = path(system, 2)
    assert state_text(trace.initial, system) == "P.s; a = [0, 4]; all else 0"
    assert state_text(trace.final, system) == "P.s; x = 2, a = [0, 4]"


@pytest.mark.parametrize(
    ("total", "limit", "expected"),
    [
        (5, 5, [1, 2, 3, 4, 5]),
        (5, None, [1, 2, 3, 4, 5]),
        (6, 5, [1, 2, 3, 5, 6]),
        (60, 2, [1, 60]),
        (60, 1, [1]),
    ],
)
def test_a_trace_keeps_its_first_and_last_steps(total: int, limit: int | None, expected: list[int]) -> None:
    system = counting(60)
    out = printed(path(system, total), system, limit)
    assert [int(number) for number in re.findall(r"^ *(\d+) +P: s -> s", out, re.MULTILINE)] == expected
    assert (re.search(r"steps? \(--steps all\)", out) is not None) == (len(expected) < total)


def test_plain_lines_have_no_trailing_blanks() -> None:
    system = counting(9)
    assert all(line == line.rstrip() for line in printed(path(system, 3), system, None).splitlines())


def test_a_plain_console_is_100_columns_wide_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    console: Console = console_for(io.StringIO())
    assert console.width == 100


def many_processes(count: int) -> System:
    m = Builder("many")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3, initial=2)
    for number in range(count):
        m.process(f"P{number}", initial="a").edge("a", "b", guard=f"x == {number}", do="x = x + 1")
    return m.build()


def test_the_first_state_of_a_large_system_has_only_what_the_trace_changes() -> None:
    system = many_processes(MOST_NAMED)
    out = " ".join(printed(path(system, 2), system, 20).split())
    left_out = f"{MOST_NAMED - 2} processes and 1 variable left out, which the trace does not change (--steps all)"
    assert f"first state: P0.a P1.a; all variables 0; {left_out}" in out


@pytest.mark.parametrize(("count", "steps"), [(MOST_NAMED - 2, 20), (MOST_NAMED, None)])
def test_the_first_state_of_a_small_system_or_of_all_steps_is_whole(count: int, steps: int | None) -> None:
    system = many_processes(count)
    out = printed(path(system, 2), system, steps)
    assert "left out" not in out
    assert f"P{count - 1}.a" in out
    assert "y = 2; all else 0" in " ".join(out.split())
