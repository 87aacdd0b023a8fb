"""Heuristics of a user's own: what they say may be wrong in every way, and no answer may be wrong for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import symdmc
from symdmc import Builder, NamedState, Verdict, heuristic
from symdmc.outcome import Stop
from symdmc.search import SEARCHES

PROVING = [name for name in SEARCHES if SEARCHES[name].IS_DIRECTED and name not in ("wastar", "bitstate")] + [
    "wastar:2"
]


def line(length: int = 6, *, shortcut: bool = False) -> symdmc.System:
    """x counts up one by one; with a shortcut a second process may jump from 1 to the end, at one more step."""
    m = Builder("line")
    m.integer("x", 0, length)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard=f"x < {length}", do="x = x + 1")
    p.edge("s", "t", guard="x == 0")
    if shortcut:
        p.edge("t", "s", guard="x == 0", do=f"x = {length}")
    m.property("end", f"x == {length}")
    m.property("never", "x == 0 and P.t and x == 1")
    return m.build()


def left(state: NamedState) -> int:
    return 6 - int(state["x"])


def promising(function: Callable[[NamedState], Any]) -> Any:
    return heuristic(function, name="mine", admissible=True, consistent=True)


def test_a_function_finds_an_error_but_no_trace_is_called_shortest() -> None:
    result = symdmc.check(line(), property="end", heuristic=left)
    assert (result.verdict, result.length, result.shortest, result.lower_bound) == (Verdict.ERROR, 6, False, 0)
    assert (result.heuristic, result.search, result.remarks) == ("left", "astar", ())


def test_what_is_declared_is_believed_and_said() -> None:
    result = symdmc.check(
        line(), property="end", heuristic=promising(lambda state: left(state) if state["P"] == "s" else 9)
    )
    assert (result.length, result.shortest) == (6, True)
    assert result.remarks == (
        "that no trace is shorter rests on what 'mine' declares: no estimate is larger than the distance",
    )


def test_a_bound_that_rests_on_a_declaration_says_so() -> None:
    result = symdmc.check(line(), property="end", heuristic=promising(left), search="wastar:2")
    assert (result.shortest, result.lower_bound) == (False, 6)
    assert result.remarks == (
        "how short a trace can be rests on what 'mine' declares: no estimate is larger than the distance",
    )


def test_a_consistent_heuristic_is_not_admissible_for_that() -> None:
    result = symdmc.check(line(), property="end", heuristic=heuristic(left, consistent=True))
    assert (result.shortest, result.lower_bound, result.remarks) == (False, 0, ())


def test_an_estimate_above_the_rest_of_the_trace_breaks_the_declaration() -> None:
    told = heuristic(lambda state: 2 * left(state), name="double", admissible=True)
    result = symdmc.check(line(), property="end", heuristic=told)
    assert (result.verdict, result.length, result.shortest, result.lower_bound) == (Verdict.ERROR, 6, False, 0)
    assert result.remarks == (
        "the heuristic 'double' declares itself admissible, but it says 12 for the state P=s, x=0, and an error state "
        "is 6 away from it; nothing it declares is trusted",
    )


def test_steps_that_cost_nothing_are_no_distance() -> None:
    m = Builder("free")
    m.integer("x", 0, 4)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 4 and x % 2 == 0", do="x = x + 1", cost=0)
    p.edge("s", "s", guard="x < 4 and x % 2 == 1", do="x = x + 1")
    m.property("end", "x == 4")
    exact = heuristic(lambda state: (5 - state["x"]) // 2, admissible=True, consistent=True)
    right = symdmc.check(m, heuristic=exact)
    assert (right.length, right.shortest, len(right.trace.steps if right.trace else ())) == (2, True, 4)
    wrong = symdmc.check(m, heuristic=heuristic(lambda state: 4 - state["x"], admissible=True))
    assert (wrong.length, wrong.shortest) == (2, False)


def test_a_wrong_heuristic_that_leads_to_a_longer_trace_does_not_make_it_shortest() -> None:
    told = heuristic(lambda state: 100 if state["P"] == "t" else left(state), name="blind spot", admissible=True)
    result = symdmc.check(line(shortcut=True), property="end", heuristic=told)
    assert symdmc.check(line(shortcut=True), property="end").length == 2
    assert result.length == 6
    assert result.shortest  # what it has declared, and no state on the trace shows that it is not true
    assert "rests on what 'blind spot' declares" in result.remarks[0]
    both = heuristic(lambda state: 100 if state["P"] == "t" else left(state), admissible=True, consistent=True)
    seen = symdmc.check(line(shortcut=True), property="end", heuristic=[both, "blind"])
    assert seen.heuristic == "<lambda>+blind"


def test_more_than_0_in_an_error_state_breaks_the_declaration() -> None:
    told = heuristic(lambda state: 1, admissible=True)
    result = symdmc.check(line(), error="x == 0", heuristic=told)
    assert (result.length, result.shortest) == (0, False)
    assert "says 1 for the state P=s, x=0, and it is an error state" in result.remarks[0]


@pytest.mark.parametrize("search", PROVING)
def test_a_drop_by_more_than_a_step_costs_is_seen_in_every_search(search: str) -> None:
    told = heuristic(lambda state: 3 if state["x"] == 2 else 0, name="jump", admissible=True, consistent=True)
    result = symdmc.check(line(), property="end", heuristic=told, search=search)
    assert (result.verdict, result.shortest, result.lower_bound) == (Verdict.ERROR, False, 0)
    (remark,) = result.remarks
    assert "declares itself consistent, but a step of cost 1 leads from estimate 3 to estimate 0" in remark
    assert "from the state P=s, x=2" in remark


def test_a_drop_is_seen_although_there_is_no_error() -> None:
    told = heuristic(lambda state: 3 if state["x"] == 2 else 0, consistent=True)
    result = symdmc.check(line(), property="never", heuristic=told)
    assert result.verdict is Verdict.SAFE
    assert "declares itself consistent" in result.remarks[0]


def test_a_dead_end_with_a_step_to_no_dead_end_is_inconsistent() -> None:
    told = heuristic(lambda state: None if state["x"] == 2 else 0, name="pit", consistent=True)
    result = symdmc.check(line(), property="never", heuristic=told)
    assert "leads from a dead end to estimate 0" in result.remarks[0]


@pytest.mark.parametrize("search", PROVING)
@pytest.mark.parametrize("dead", [0, 3, 6])
def test_a_dead_end_that_is_none_hides_no_error(search: str, dead: int) -> None:
    told = heuristic(lambda state: None if state["x"] == dead else left(state), name="pit", admissible=True)
    result = symdmc.check(line(), property="end", heuristic=told, search=search)
    assert (result.verdict, result.length, result.shortest, result.lower_bound) == (Verdict.ERROR, 6, False, 0)
    assert f"calls the state P=s, x={dead} a dead end, but an error state is {6 - dead} away" in result.remarks[0]


@pytest.mark.parametrize("search", PROVING)
def test_safe_means_that_all_states_were_visited(search: str) -> None:
    result = symdmc.check(line(), property="never", heuristic=lambda state: None, search=search)
    assert (result.verdict, result.h_initial, result.dead_ends) == (Verdict.SAFE, "dead end", 0)
    assert result.explored >= 14 - 6
    assert "reachable states visited" in result.reason


def test_bit_state_hashing_never_says_safe() -> None:
    assert (
        symdmc.check(line(), property="never", heuristic=lambda state: None, search="bitstate").verdict
        is Verdict.UNKNOWN
    )


def test_nothing_but_dead_ends_bounds_no_length() -> None:
    seen: list[int] = []

    def interrupted(state: NamedState) -> None:
        seen.append(state["x"])
        if len(seen) == 5:
            raise KeyboardInterrupt

    told = heuristic(interrupted, admissible=True, consistent=True)
    result = symdmc.check(line(), property="end", heuristic=told)
    assert (result.verdict, result.lower_bound, result.remarks) == (Verdict.UNKNOWN, 0, ())
    assert (result.stop, result.h_initial) == (Stop.INTERRUPT, "dead end")


def test_the_dead_ends_of_a_database_still_count_beside_it() -> None:
    model = "arbiter_tree:height=2,faulty=false"
    database = symdmc.pattern_database(model, keep="*")
    result = symdmc.check(model, heuristic=[database, lambda state: None])
    assert (result.verdict, result.explored, result.reason) == (
        Verdict.SAFE,
        0,
        "in an abstraction that keeps 8 of 8 variables no error can be reached from the start",
    )


@pytest.mark.parametrize("said", [-1, 2.5, 3.0, math.inf, math.nan, "3", b"3", [3], 1 << 62, object()])
def test_what_is_no_estimate_is_refused(said: object) -> None:
    with pytest.raises(symdmc.ModelError, match="what the heuristic 'mine' says for the state P=s, x=0 is") as told:
        symdmc.check(line(), property="end", heuristic=promising(lambda state: said))
    assert "give an integer that is not negative, or None for a dead end" in str(told.value)


def test_a_truth_value_is_an_integer() -> None:
    assert symdmc.check(line(), property="end", heuristic=promising(lambda state: state["x"] < 6)).shortest


def test_an_exception_of_the_function_comes_through_and_says_where() -> None:
    with pytest.raises(KeyError, match="did you mean 'x'") as told:
        symdmc.check(line(), property="end", heuristic=lambda state: state["X"])
    assert told.value.__notes__ == ["while the heuristic '<lambda>' estimated the state P=s, x=0"]


def test_a_function_is_asked_once_for_each_state() -> None:
    asked: list[tuple[str, int]] = []

    def noisy(state: NamedState) -> int:
        asked.append((state["P"], state["x"]))
        return len(asked) % 3

    for search in PROVING:
        asked.clear()
        symdmc.check(line(), property="never", heuristic=noisy, search=search)
        assert len(asked) == len(set(asked)) == 8


def test_a_declaration_is_read_once() -> None:
    class Turning:
        name = "turning"
        consistent = False
        read = 0

        @property
        def admissible(self) -> bool:
            self.read += 1
            return self.read > 1

        def estimate(self, state: NamedState) -> int:
            return 0

    assert not symdmc.check(line(), property="end", heuristic=Turning()).shortest


def test_the_state_cannot_be_changed() -> None:
    def meddling(state: NamedState) -> int:
        state.values = ((6,),)  # type: ignore[misc]
        return 0

    with pytest.raises(AttributeError):
        symdmc.check(line(), property="end", heuristic=meddling)


def test_an_object_needs_nothing_but_an_estimate() -> None:
    class Plain:
        def estimate(self, state: NamedState) -> int:
            return left(state)

    result = symdmc.check(line(), property="end", heuristic=Plain())  # type: ignore[arg-type]
    assert (result.heuristic, result.length, result.shortest) == ("Plain", 6, False)


def test_a_name_cannot_write_to_the_terminal() -> None:
    result = symdmc.check(line(), property="end", heuristic=heuristic(left, name="\x1b[2Jsafe"))
    assert result.heuristic == "\\u001b[2Jsafe"


def test_a_name_of_another_heuristic_does_not_take_its_selection() -> None:
    told = heuristic(lambda state: 0, name="pdb:dpr")
    result = symdmc.check("arbiter_tree:height=2", heuristic=[told, "pdb:dpr"])
    assert (result.length, result.shortest) == (28, False)


def test_a_function_may_ask_a_database() -> None:
    task = symdmc.task_for("arbiter_tree:height=2")
    database = symdmc.pattern_database(task, keep="Client*,Node1")

    @heuristic(admissible=True, consistent=True)
    def asking(state: NamedState) -> int | None:
        return database.distance(state)

    result = symdmc.check(task, heuristic=asking)
    assert (result.length, result.shortest, len(result.remarks)) == (28, True, 1)
    assert result.explored == symdmc.check(task, heuristic=database).explored


def test_the_symbolic_engine_takes_no_function() -> None:
    with pytest.raises(symdmc.ModelError, match="takes pattern databases only, not left"):
        symdmc.check(line(), property="end", heuristic=left, engine="symbolic")


@pytest.mark.parametrize("options", [{"engine": "symbolic"}, {"combine": "sum"}, {"certify": True}])
def test_a_database_is_taken_wherever_one_from_a_file_is(options: dict[str, Any]) -> None:
    database = symdmc.pattern_database(line(), keep="x", property="end")
    result = symdmc.check(line(), property="end", heuristic=database, **options)
    assert (result.length, result.shortest, result.heuristic) == (6, True, "pdb")
