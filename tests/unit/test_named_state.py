"""States by name, buffers as lists, in Python and in the text of traces."""

from __future__ import annotations

import io

import pytest

from symdmc.model.builder import Builder
from symdmc.model.named_state import NamedState, named_changes
from symdmc.model.semantics import Semantics
from symdmc.model.simulation import Simulation
from symdmc.model.state import State
from symdmc.model.system import Range, System
from symdmc.report.console import console_for
from symdmc.report.traces import print_trace, state_text


def mail() -> System:
    m = Builder("mail")
    m.integer("total", 0, 9, initial=3)
    m.integer("a", 0, 9, size=2, initial=[0, 4])
    m.constant("limit", 7)
    m.buffered("box", capacity=2, values=[Range(0, 9)])
    m.buffered("pair", capacity=2, values=[Range(0, 9), Range(0, 3)])
    m.buffered("token", capacity=3)
    p = m.process("P", initial="idle")
    p.integer("y", 0, 5, initial=5)
    p.edge("idle", "one", sync="box!total")
    p.edge("one", "two", sync="box!total + 1", do="a[1] = 8")
    p.edge("two", "three", sync="pair!{4, 2}")
    p.edge("three", "four", sync="token!")
    p.edge("four", "five", sync="box?total")
    return m.build()


def walked(system: System, steps: int) -> Simulation:
    walk = Simulation(system)
    for _ in range(steps):
        walk.take(walk.moves()[0][0])
    return walk


def named(system: System, steps: int) -> NamedState:
    state = walked(system, steps).state
    assert state is not None
    return NamedState.of(state, system)


def test_every_name_stands_for_what_the_model_means_by_it() -> None:
    state = named(mail(), 4)
    assert (
        dict(state)
        == dict(state.items())
        == {
            "P": "four",
            "total": 3,
            "a": [0, 8],
            "limit": 7,
            "P->y": 5,
            "box": [3, 4],
            "pair": [(4, 2)],
            "token": [()],
        }
    )
    assert list(state) == state.keys() == list(dict(state))
    assert len(state) == 8
    assert named(mail(), 5)["box"] == [4]


def test_a_state_answers_like_a_mapping() -> None:
    state = named(mail(), 0)
    assert "box" in state
    assert "boxes" not in state
    assert (state.get("box"), state.get("boxes"), state.get("boxes", 1)) == ([], None, 1)


def test_an_unknown_name_is_a_key_error_with_the_nearest_one() -> None:
    state = named(mail(), 0)
    with pytest.raises(KeyError, match="there is no process, variable or buffer 'totl'; did you mean 'total'"):
        state["totl"]
    with pytest.raises(KeyError, match="has all names"):
        state["qqqqqq"]
    with pytest.raises(KeyError, match="no process, variable or buffer 3"):
        state[3]  # type: ignore[index]


def test_nobody_changes_a_state_by_what_it_returns() -> None:
    state = named(mail(), 1)
    state["a"].append(9)
    state["box"].clear()
    assert (state["a"], state["box"]) == ([0, 4], [3])
    with pytest.raises(AttributeError):
        state.values = ()  # type: ignore[misc]


def test_equal_states_are_equal_with_or_without_names() -> None:
    system = mail()
    state, other = named(system, 2), named(system, 3)
    bare = State(state.locations, state.values)
    assert state == named(mail(), 2) == bare
    assert bare == state
    assert len({state, bare, named(mail(), 2)}) == 1
    assert state != other
    assert other != bare
    assert state != dict(state)


def test_a_state_is_shown_in_one_short_line() -> None:
    assert repr(named(mail(), 1)).startswith("NamedState(P='one', total=3, a=[0, 4], ")
    m = Builder("wide")
    for number in range(300):
        m.integer(f"a_variable_{number}", 0, 9, size=300)
    m.process("P", initial="s")
    shown = repr(named(m.build(), 0))
    assert len(shown) < 400
    assert shown.endswith(", ...)")


def test_a_buffer_with_the_name_of_a_variable_has_another() -> None:
    m = Builder("twice")
    m.integer("c", 0, 9, initial=2)
    m.buffered("c", capacity=2, values=1)
    m.process("P", initial="s").edge("s", "s", sync="c!5")
    state = named(m.build(), 1)
    assert (state["c"], state["c->buffer"]) == (2, [5])


def test_steps_change_buffers_as_a_whole_and_arrays_cell_by_cell() -> None:
    system = mail()
    before, after = named(system, 1), named(system, 2)
    assert named_changes(before, after, system) == [("P", "one", "two"), ("a[1]", 4, 8), ("box", [3], [3, 4])]


def test_a_trace_shows_buffers_as_lists() -> None:
    system = mail()
    stream = io.StringIO()
    trace = walked(system, 5).trace()
    assert trace is not None
    print_trace(console_for(stream), trace, system, None)
    text = stream.getvalue()
    assert "first state: P.idle; total = 3, a = [0, 4], P->y = 5; all else 0" in text
    for change in ("box: [] -> [3]", "a[1]: 4 -> 8, box: [3] -> [3, 4]", "pair: [] -> [(4, 2)]", "token: [] -> [()]"):
        assert change in text
    assert "total: 3" not in text
    assert "box: [3, 4] -> [4]" in text
    assert "->length" not in text
    last = next(iter(Semantics(system).initial_states()))
    assert state_text(last, system) == "P.idle; total = 3, a = [0, 4], P->y = 5; all else 0"
