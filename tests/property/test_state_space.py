"""State spaces in files: all states, steps and faults that the oracle finds, and no others; also where they are cut."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.space import state_space
from symdmc.model.steps import passed_values, step_label
from symdmc.model.system import System
from symdmc.report.state_space import to_aut, to_dot
from tests.oracle import explore
from tests.strategies import systems_with_error

HUGE = 1 << 40
HEADER = re.compile(r"des \(0,(\d+),(\d+)\)")
ROW = re.compile(r'\((\d+),"([^"\n]+)",(\d+)\)')


def read_aut(text: str) -> tuple[int, Counter[tuple[int, str, int]]]:
    """The number of states and the transitions, as readers of the format find them."""
    first, *lines = text.splitlines()
    header = HEADER.fullmatch(first)
    assert header is not None
    rows = [ROW.fullmatch(line) for line in lines]
    found = Counter((int(row[1]), row[2], int(row[3])) for row in rows if row is not None)
    assert None not in rows
    assert found.total() == int(header[1])
    assert all(source < int(header[2]) and target < int(header[2]) for source, _, target in found)
    return int(header[2]), found


@settings(max_examples=100, deadline=None)
@given(systems_with_error())
def test_a_file_has_every_state_step_and_fault(asked: tuple[System, ErrorCondition]) -> None:
    system, _ = asked
    space, known = state_space(system, HUGE), explore(system)
    assert not space.is_cut
    assert set(space.states) == known.steps.keys()
    assert len(space.states) == len(known.steps)
    assert tuple(space.states[: space.initial]) == tuple(dict.fromkeys(known.initial))
    first = 0 if space.initial == 1 else 1
    numbers = {state: first + number for number, state in enumerate(space.states)}
    fault = first + len(numbers)
    expected: Counter[tuple[int, str, int]] = Counter(
        (numbers[state], step_label(step, system, passed_values(step, known.semantics, state)), numbers[step.successor])
        for state, steps in known.steps.items()
        for step in steps
    )
    states, found = read_aut(to_aut(space))
    assert states == fault + bool(known.faulting)
    faulting = {source for source, label, target in found if target == fault and label.startswith("fault: ")}
    assert faulting == {numbers[state] for state in known.faulting}
    starts = Counter((0, "start", first + number) for number in range(space.initial)) if first else Counter()
    assert Counter({row: count for row, count in found.items() if row[2] != fault}) == expected + starts


@settings(max_examples=60, deadline=None)
@given(systems_with_error())
def test_a_cut_file_is_the_beginning_of_the_whole_and_hides_no_step(asked: tuple[System, ErrorCondition]) -> None:
    system, _ = asked
    whole = state_space(system, HUGE)
    for most in (1, 2, 5):
        part = state_space(system, most)
        assert part.states == whole.states[:most]
        assert part.is_cut == (len(whole.states) > most)
        listed = range(len(part.states))
        cut = [(a, label, b if b in listed else None) for a, label, b in whole.steps if a in listed]
        assert part.steps == cut
        assert part.faults == [fault for fault in whole.faults if fault[0] in listed]
        states, found = read_aut(to_aut(part))
        assert (found[states - 1, "beyond", states - 1] == 1) == part.is_cut
        deadlocks = {n for n in listed if not any(a == n for a, _, _ in whole.steps)}
        dot = to_dot(part)
        assert {int(n) for n in re.findall(r"^  s(\d+) \[.*peripheries=2\];$", dot, re.MULTILINE)} == deadlocks
        arrows = re.findall(r"^  s\d+ -> \w+ \[label=", dot, re.MULTILINE)
        assert len(arrows) == len(part.steps) + len(part.faults)


def test_a_walk_ends_where_the_checkpoint_says_so() -> None:
    class Ended(BaseException):
        pass

    def end() -> None:
        raise Ended

    m = Builder("one")
    m.process("P", initial="s").edge("s", "s")
    with pytest.raises(Ended):
        state_space(m.build(), 10, end)


def test_a_system_without_initial_states_is_one_state() -> None:
    m = Builder("none")
    process = m.process("P", initial="s")
    process.location("s", invariant="0")
    process.edge("s", "s")
    assert to_aut(state_space(m.build(), 10)) == "des (0,0,1)\n"
