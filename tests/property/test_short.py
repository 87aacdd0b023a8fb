"""What `repr` and `str` say of an object has fewer than 400 characters, however large the object is.

Results and traces are the exception: their `str` is what the command line prints, at most 20 rows of a trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symdmc
from symdmc.api.shown import STEPS, Printed
from symdmc.heuristics import HEURISTICS
from symdmc.heuristics.heuristic import Making
from symdmc.model.named_state import NamedState
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.running.run import Run
from symdmc.spelling.abridged import MOST_LETTERS, abridged, brief, cut, first_lines
from symdmc.task import compile_task
from tests.strategies import systems_with_error


def sprawling(size: int) -> symdmc.Builder:
    """A model of which everything is long: names, locations, variables, the way to the error."""
    m = symdmc.Builder("model_" * size)
    m.integer("count", 0, size)
    m.buffered("box" * size, capacity=size, values=1)
    for number in range(size):
        m.integer(f"a_variable_with_a_long_name_{number}", 0, 9, size=size)
        p = m.process(f"a_process_with_a_long_name_{number}", initial="here_it_begins")
        p.edge("here_it_begins", "there_it_ends", guard=f"count == {number}", do=f"count = {number + 1}")
    m.property("goal" * size, f"count == {size}")
    return m


def objects(size: int) -> Iterator[object]:
    """Everything that the public functions return, for the sprawling model."""
    builder = sprawling(size)
    system = builder.build()
    yield from (builder, system, *system.processes)
    task = symdmc.task_for(system)
    yield from (task, task.error, symdmc.pattern_database(task, keep="count"))
    found = symdmc.check(system)
    assert found.trace is not None
    yield from (found, found.trace, *found.trace, *found.trace.states)
    yield from (edge for step in found.trace for edge in step.edges)
    yield symdmc.replay(system, found.trace)
    safe = symdmc.check(
        system, error=f"count == {size - 1} and a_process_with_a_long_name_0.here_it_begins", certify=True
    )
    assert safe.certificate is not None
    yield from (safe, safe.certificate, symdmc.certify(system, safe.certificate))
    yield from (symdmc.explore(system), symdmc.check(system, time_limit=0))
    yield from (found.faults, symdmc.select_patterns(task, "coi:1"))
    for name in HEURISTICS:
        options = HEURISTICS[name]
        yield from (options, *(HEURISTICS.read(example) for example in options.EXAMPLES[:1]))
    for spelling in ("blind", "formula", "fsm-max", "hL", "user:count"):
        yield HEURISTICS.read(spelling).make(Making(task=task, run=Run())).heuristic


@pytest.mark.parametrize("size", [2, 40])
def test_everything_is_shown_in_few_letters(size: int) -> None:
    for each in objects(size):
        assert len(repr(each)) < MOST_LETTERS, repr(each)
        assert "\n" not in repr(each)
        if isinstance(each, Printed):
            assert len(re.findall(r"^ *[0-9]+ ", str(each), re.MULTILINE)) <= STEPS
        else:
            assert len(str(each)) < MOST_LETTERS, str(each)


@settings(max_examples=25, deadline=None)
@given(systems_with_error(costs=True))
def test_systems_and_states_are_shown_in_few_letters(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    task = compile_task(system, error)
    state = next(iter(task.semantics.initial_states()), None)
    named = () if state is None else (NamedState.of(state, system),)
    for each in (system, task, error, *named):
        assert max(len(repr(each)), len(str(each))) < MOST_LETTERS


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=500), st.lists(st.text(min_size=20, max_size=100), max_size=12))
def test_texts_are_cut_to_their_room(name: str, parts: list[str]) -> None:
    assert len(cut(name)) <= 60
    assert len(brief("Kind", name, first=parts, second=name)) < MOST_LETTERS
    assert len(abridged("[{}]", parts)) < MOST_LETTERS
    assert len(first_lines("\n".join(parts), "...")) < MOST_LETTERS
    assert abridged("[{}]", ["a", "b"]) == "[a, b]"
    assert first_lines("a\nb", "...") == "a\nb"
