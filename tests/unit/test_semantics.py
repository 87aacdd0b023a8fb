"""The rules about steps, one small system for each."""

from __future__ import annotations

from itertools import product

import pytest

from symdmc.errors import UnsupportedFeature
from symdmc.model.builder import Builder
from symdmc.model.expressions import Cell, Literal, Ref
from symdmc.model.semantics import Semantics
from symdmc.model.state import Fault, State, Step
from symdmc.model.system import DVE_RULES, Commitment, Range, Rules, System, UpdateOrder

RULES = [Rules(commitment, updates) for commitment in Commitment for updates in UpdateOrder]


def first_state(system: System) -> State:
    (state,) = Semantics(system).initial_states()
    return state


def steps(system: System) -> list[Step]:
    return Semantics(system).steps(first_state(system))


def after(system: System) -> State:
    """The state after the only step."""
    (step,) = steps(system)
    return step.successor


def value(system: System, state: State, name: str) -> int:
    return Semantics(system).evaluate(Ref(name), state)


def cells(system: System, state: State, name: str) -> tuple[int, ...]:
    size = system.variable_named[name].cells
    return tuple(Semantics(system).evaluate(Cell(name, Literal(i)), state) for i in range(size))


def moves(system: System) -> list[tuple[str, ...]]:
    """The locations after each step."""
    return sorted(step.successor.locations for step in steps(system))


class TestInitialStates:
    def test_all_combinations_of_locations_and_values_are_initial(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3, initial={0, 3})
        m.integer("a", 0, 3, size=2, initial=[1, (0, 2)])
        m.process("P", initial=["s", "t"])
        states = list(Semantics(m.build()).initial_states())
        assert {(state.locations, state.values) for state in states} == {
            ((place,), ((x,), (1, cell))) for place in ("s", "t") for x in (0, 3) for cell in (0, 2)
        }
        assert len(states) == 8

    def test_a_state_that_breaks_an_invariant_is_not_initial(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3, initial={0, 1, 2})
        m.process("P", initial="s").location("s", invariant="x < 2")
        semantics = Semantics(m.build())
        assert [state.values for state in semantics.initial_states()] == [((0,),), ((1,),)]

    def test_a_state_whose_invariant_faults_is_not_initial(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 1, initial={0, 1})
        m.process("P", initial="s").location("s", invariant="1 / x")
        semantics = Semantics(m.build())
        assert [state.values for state in semantics.initial_states()] == [((1,),)]

    def test_is_initial_says_of_each_state_whether_it_is_listed(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 2, initial={0, 2})
        p = m.process("P", initial="s")
        p.location("s", invariant="x < 2")
        p.edge("s", "t", do="x = 1")
        semantics = Semantics(m.build())
        candidates = [State((place,), ((x,),)) for place in ("s", "t") for x in (0, 1, 2)]
        assert [state for state in candidates if semantics.is_initial(state)] == list(semantics.initial_states())
        assert not semantics.is_initial(State(("s",), ()))
        assert not semantics.is_initial(State((), ((0,),)))

    def test_a_state_is_initial_only_if_every_process_and_every_value_is_where_it_may_start(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3, initial=1)
        m.integer("y", 0, 3)
        m.process("P", initial="s").location("t")
        m.process("Q", initial="s").location("t")
        semantics = Semantics(m.build())
        all_states = [State(places, ((x,), (y,))) for places in product("st", "st") for x in (0, 1) for y in (0, 1)]
        assert [state for state in all_states if semantics.is_initial(state)] == [State(("s", "s"), ((1,), (0,)))]


class TestInternalSteps:
    def test_processes_move_one_at_a_time(self) -> None:
        m = Builder("m")
        for name in ("P", "Q"):
            m.process(name, initial="s").edge("s", "t")
        assert moves(m.build()) == [("s", "t"), ("t", "s")]

    def test_assignments_run_in_sequence(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 9)
        m.integer("y", 0, 9)
        m.process("P", initial="s").edge("s", "s", do="x = 2, y = x + 1, x = y * 2")
        system = m.build()
        state = after(system)
        assert (value(system, state, "x"), value(system, state, "y")) == (6, 3)

    def test_an_index_is_computed_when_its_assignment_runs(self) -> None:
        m = Builder("m")
        m.integer("i", 0, 2)
        m.integer("a", 0, 9, size=3)
        m.process("P", initial="s").edge("s", "s", do="a[i] = 7, i = 2, a[i] = 8")
        system = m.build()
        assert cells(system, after(system), "a") == (7, 0, 8)

    def test_assignments_see_the_locations_before_the_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.process("P", initial="s").edge("s", "t", do="x = P.s + 2 * P.t")
        system = m.build()
        assert value(system, after(system), "x") == 1

    def test_the_cost_of_an_edge_is_the_cost_of_its_step(self) -> None:
        m = Builder("m")
        p = m.process("P", initial="s")
        p.edge("s", "s", cost=0)
        p.edge("s", "s", cost=1)
        assert [step.cost for step in steps(m.build())] == [0, 1]

    def test_an_invariant_of_any_process_can_forbid_a_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.process("P", initial="s").location("s", invariant="x < 2")
        q = m.process("Q", initial="s")
        q.edge("s", "t", do="x = 1")
        q.edge("s", "u", do="x = 2")
        system = m.build()
        assert moves(system) == [("s", "t")]
        (beyond,) = Semantics(system).states_beyond(first_state(system), lambda team: True)
        assert (beyond.locations, value(system, beyond, "x")) == (("s", "u"), 2)
        assert not list(Semantics(system).states_beyond(first_state(system), lambda team: team == ((1, 0),)))

    def test_a_step_that_faults_hides_no_other_that_an_invariant_forbids(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.process("P", initial="s").location("s", invariant="x < 2")
        q = m.process("Q", initial="s")
        q.edge("s", "t", do="x = 1 / x")
        q.edge("s", "u", do="x = 2")
        system = m.build()
        (beyond,) = Semantics(system).states_beyond(first_state(system), lambda team: True)
        assert beyond.locations == ("s", "u")

    def test_the_invariant_of_the_place_that_is_left_does_not_count(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        p = m.process("P", initial="s")
        p.location("s", invariant="x == 0")
        p.edge("s", "t", do="x = 1")
        assert moves(m.build()) == [("t",)]


class TestStoring:
    def test_bytes_and_16_bit_integers_wrap_around(self) -> None:
        m = Builder("m")
        m.byte("b", initial=250)
        m.short("s", initial=32767)
        m.integer("w", -1, 1, wraps=True)
        m.process("P", initial="s").edge("s", "s", do="b = b + 10, s = s + 1, w = w + 2")
        system = m.build()
        state = after(system)
        assert [value(system, state, name) for name in ("b", "s", "w")] == [4, -32768, -1]

    def test_values_are_cut_only_when_stored(self) -> None:
        m = Builder("m")
        m.byte("b", initial=200)
        m.byte("c")
        m.process("P", initial="s").edge("s", "s", guard="b + 100 == 300", do="c = (b + 100) / 2")
        system = m.build()
        assert value(system, after(system), "c") == 150

    def test_leaving_a_range_is_a_fault_and_no_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3, initial=3)
        m.process("P", initial="s").edge("s", "s", do="x = x + 1")
        system = m.build()
        assert steps(system) == []
        assert list(Semantics(system).moves(first_state(system))) == [Fault(((0, 0),), "4 is outside 0..3")]


class TestFaults:
    @pytest.mark.parametrize("guard", ["1 / x", "1 % x", "a[x - 1]", "a[2]", "true and 1 / x"])
    def test_a_guard_that_faults_makes_no_step(self, guard: str) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.integer("a", 0, 3, size=2)
        m.process("P", initial="s").edge("s", "s", guard=guard)
        system = m.build()
        (move,) = Semantics(system).moves(first_state(system))
        assert isinstance(move, Fault)

    @pytest.mark.parametrize(
        ("guard", "enabled"),
        [
            ("x != 0 and 1 / x", False),
            ("x == 0 or 1 / x", True),
            ("x != 0 imply 1 / x", True),
            ("x == 0 ? 1 : 1 / x", True),
            ("x != 0 ? 1 / x : 0", False),
        ],
    )
    def test_what_decides_early_is_not_evaluated_further(self, guard: str, enabled: bool) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.process("P", initial="s").edge("s", "s", guard=guard)
        system = m.build()
        found = list(Semantics(system).moves(first_state(system)))
        assert not any(isinstance(move, Fault) for move in found)
        assert len(found) == enabled

    def test_a_fault_in_the_invariant_after_a_step_makes_no_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3, initial=1)
        m.process("P", initial="s").edge("s", "s", do="x = 0")
        m.process("Q", initial="s").location("s", invariant="1 / x")
        system = m.build()
        (move,) = Semantics(system).moves(first_state(system))
        assert isinstance(move, Fault)

    def test_a_condition_that_faults_does_not_hold(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.process("P", initial="s")
        m.property("faulty", "1 / x == 0 or true")
        system = m.build()
        assert not Semantics(system).holds(system.properties[0].error, first_state(system))


class TestRendezvous:
    def test_one_sender_meets_one_receiver_of_another_process(self) -> None:
        m = Builder("m")
        m.channel("c")
        p = m.process("P", initial="s")
        p.edge("s", "t", sync="c!")
        p.edge("s", "u", sync="c?")
        m.process("Q", initial="s").edge("s", "t", sync="c?")
        m.process("R", initial="s").edge("s", "t", sync="c?")
        assert moves(m.build()) == [("t", "s", "t"), ("t", "t", "s")]

    def test_both_guards_are_read_before_the_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.channel("c")
        m.process("P", initial="s").edge("s", "t", guard="x == 0", sync="c!", do="x = 1")
        m.process("Q", initial="s").edge("s", "t", guard="x == 0", sync="c?")
        m.process("R", initial="s").edge("s", "t", guard="x == 1", sync="c?")
        assert moves(m.build()) == [("t", "t", "s")]

    def test_passed_values_are_read_before_the_step(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 9, initial=3)
        m.integer("y", 0, 9)
        m.integer("z", 0, 9)
        m.channel("c", values=2)
        m.process("P", initial="s").edge("s", "s", sync="c!{x, x + 1}", do="x = 7")
        m.process("Q", initial="s").edge("s", "s", sync="c?{y, z}")
        system = m.build()
        state = after(system)
        assert [value(system, state, name) for name in "xyz"] == [7, 3, 4]

    def test_received_values_are_stored_before_all_assignments(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 9)
        m.integer("y", 0, 9)
        m.integer("z", 0, 9)
        m.channel("c", values=1)
        m.process("P", initial="s").edge("s", "s", sync="c!5", do="y = x")
        m.process("Q", initial="s").edge("s", "s", sync="c?x", do="z = x + 1")
        system = m.build()
        state = after(system)
        assert [value(system, state, name) for name in "xyz"] == [5, 5, 6]

    @pytest.mark.parametrize(("updates", "result"), [(UpdateOrder.SENDER_FIRST, 21), (UpdateOrder.RECEIVER_FIRST, 12)])
    def test_the_rules_say_whose_assignments_run_first(self, updates: UpdateOrder, result: int) -> None:
        m = Builder("m", Rules(updates=updates))
        m.integer("x", 0, 99)
        m.channel("c")
        m.process("P", initial="s").edge("s", "s", sync="c!", do="x = x * 10 + 2")
        m.process("Q", initial="s").edge("s", "s", sync="c?", do="x = x * 10 + 1")
        system = m.build()
        assert value(system, after(system), "x") == result

    def test_a_later_received_value_sees_the_cells_stored_before_it(self) -> None:
        m = Builder("m")
        m.integer("i", 0, 2)
        m.integer("a", 0, 9, size=3)
        m.channel("c", values=2)
        m.process("P", initial="s").edge("s", "s", sync="c!{2, 7}")
        m.process("Q", initial="s").edge("s", "s", sync="c?{i, a[i]}")
        system = m.build()
        assert cells(system, after(system), "a") == (0, 0, 7)

    def test_a_step_costs_as_much_as_its_dearest_edge(self) -> None:
        m = Builder("m")
        m.channel("c")
        m.process("P", initial="s").edge("s", "t", sync="c!", cost=0)
        q = m.process("Q", initial="s")
        q.edge("s", "t", sync="c?", cost=0)
        q.edge("s", "u", sync="c?", cost=1)
        assert {step.successor.locations[1]: step.cost for step in steps(m.build())} == {"t": 0, "u": 1}


class TestBroadcast:
    def test_every_process_that_can_receive_does(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 1)
        m.broadcast("c")
        m.process("P", initial="s").edge("s", "t", sync="c!")
        m.process("Q", initial="s").edge("s", "t", sync="c?")
        m.process("R", initial="s").edge("s", "t", sync="c?", guard="x == 1")
        m.process("S", initial="s").edge("s", "t", sync="c?")
        assert moves(m.build()) == [("t", "t", "s", "t")]

    def test_a_sender_without_receivers_moves_alone(self) -> None:
        m = Builder("m")
        m.broadcast("c")
        m.process("P", initial="s").edge("s", "t", sync="c!")
        m.process("Q", initial="s").edge("u", "t", sync="c?")
        assert moves(m.build()) == [("t", "s")]

    def test_a_receiver_alone_does_not_move(self) -> None:
        m = Builder("m")
        m.broadcast("c")
        m.process("Q", initial="s").edge("s", "t", sync="c?")
        assert moves(m.build()) == []

    def test_each_receiver_chooses_among_its_enabled_edges(self) -> None:
        m = Builder("m")
        m.broadcast("c")
        m.process("P", initial="s").edge("s", "t", sync="c!")
        for name in ("Q", "R"):
            q = m.process(name, initial="s")
            q.edge("s", "t", sync="c?")
            q.edge("s", "u", sync="c?")
            q.edge("s", "v", sync="c?", guard="false")
        assert moves(m.build()) == [("t", x, y) for x in "tu" for y in "tu"]

    def test_all_receivers_get_the_values(self) -> None:
        m = Builder("m")
        m.broadcast("c", values=1)
        m.process("P", initial="s").edge("s", "s", sync="c!4")
        for name in ("Q", "R"):
            q = m.process(name, initial="s")
            q.integer("x", 0, 9)
            q.edge("s", "s", sync="c?x")
        system = m.build()
        state = after(system)
        assert [value(system, state, name) for name in ("Q->x", "R->x")] == [4, 4]

    @pytest.mark.parametrize(
        ("updates", "result"), [(UpdateOrder.SENDER_FIRST, 123), (UpdateOrder.RECEIVER_FIRST, 231)]
    )
    def test_receivers_update_in_the_order_of_the_processes(self, updates: UpdateOrder, result: int) -> None:
        m = Builder("m", Rules(updates=updates))
        m.integer("x", 0, 999)
        m.broadcast("c")
        m.process("Q", initial="s").edge("s", "s", sync="c?", do="x = x * 10 + 2")
        m.process("P", initial="s").edge("s", "s", sync="c!", do="x = x * 10 + 1")
        m.process("R", initial="s").edge("s", "s", sync="c?", do="x = x * 10 + 3")
        system = m.build()
        assert value(system, after(system), "x") == result

    def test_a_faulting_guard_of_a_receiver_forbids_the_broadcast(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 1)
        m.broadcast("c")
        m.process("P", initial="s").edge("s", "t", sync="c!")
        m.process("Q", initial="s").edge("s", "t", sync="c?", guard="1 / x")
        system = m.build()
        (move,) = Semantics(system).moves(first_state(system))
        assert move == Fault(((0, 0),), "division by zero")


class TestBuffer:
    def buffered(self) -> System:
        m = Builder("m")
        m.buffered("q", capacity=2, values=[Range(0, 9), Range(0, 9)])
        p = m.process("P", initial="s0")
        for i in range(3):
            p.edge(f"s{i}", f"s{i + 1}", sync=f"q!{{{i + 1}, {i + 5}}}")
        c = m.process("C", initial="s")
        c.integer("x", 0, 9)
        c.integer("y", 0, 9)
        c.edge("s", "s", sync="q?{x, y}")
        return m.build()

    def test_items_leave_in_the_order_they_came_and_free_cells_become_0(self) -> None:
        system = self.buffered()
        semantics = Semantics(system)
        state = first_state(system)
        seen = []
        for _ in range(2):
            state = next(step for step in semantics.steps(state) if step.edges[0][0] == 0).successor
        for _ in range(2):
            (state,) = (step.successor for step in semantics.steps(state) if step.edges[0][0] == 1)
            seen.append((value(system, state, "C->x"), value(system, state, "C->y"), cells(system, state, "q->item0")))
        assert seen == [(1, 5, (2, 0)), (2, 6, (0, 0))]

    def test_sending_needs_room_and_receiving_needs_an_item(self) -> None:
        system = self.buffered()
        semantics = Semantics(system)
        empty = first_state(system)
        assert [step.edges for step in semantics.steps(empty)] == [((0, 0),)]
        (one,) = (step.successor for step in semantics.steps(empty))
        full = semantics.steps(one)[0].successor
        assert value(system, full, "q->length") == 2
        assert [step.edges for step in semantics.steps(full)] == [((1, 0),)]

    def test_a_sent_value_is_cut_to_the_type_of_the_channel(self) -> None:
        m = Builder("m")
        m.buffered("q", capacity=1, values=[Range(0, 3, wraps=True)])
        m.process("P", initial="s").edge("s", "s", sync="q!6")
        system = m.build()
        assert cells(system, after(system), "q->item") == (2,)

    def test_a_sent_value_outside_the_type_is_a_fault(self) -> None:
        m = Builder("m")
        m.buffered("q", capacity=1, values=[Range(0, 3)])
        m.process("P", initial="s").edge("s", "s", sync="q!6")
        assert moves(m.build()) == []

    def test_a_full_buffer_is_noticed_before_a_faulting_guard(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 1)
        m.buffered("q", capacity=1)
        m.process("P", initial="s").edge("s", "s", sync="q?", guard="1 / x")
        system = m.build()
        assert list(Semantics(system).moves(first_state(system))) == []

    def test_an_assignment_sees_the_buffer_after_the_communication(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 9)
        m.buffered("q", capacity=3)
        m.process("P", initial="s").edge("s", "s", guard="q->length == 0", sync="q!", do="x = q->length")
        system = m.build()
        assert value(system, after(system), "x") == 1


class TestLockstep:
    def test_every_process_that_knows_the_label_moves(self) -> None:
        m = Builder("m")
        m.lockstep("go")
        for name in ("P", "Q"):
            m.process(name, initial="s").edge("s", "t", sync="go")
        m.process("R", initial="s").edge("s", "s", guard="false")
        assert moves(m.build()) == [("t", "t", "s")]

    def test_one_process_that_cannot_follow_stops_all(self) -> None:
        m = Builder("m")
        m.lockstep("go")
        m.process("P", initial="s").edge("s", "t", sync="go")
        m.process("Q", initial="s").edge("u", "t", sync="go")
        assert moves(m.build()) == []

    def test_each_process_chooses_among_its_enabled_edges(self) -> None:
        m = Builder("m")
        m.lockstep("go")
        m.process("P", initial="s").edge("s", "t", sync="go")
        q = m.process("Q", initial="s")
        q.edge("s", "t", sync="go")
        q.edge("s", "u", sync="go")
        q.edge("s", "v", sync="go", guard="false")
        assert moves(m.build()) == [("t", "t"), ("t", "u")]

    @pytest.mark.parametrize("rules", RULES)
    def test_updates_run_in_the_order_of_the_processes_under_all_rules(self, rules: Rules) -> None:
        m = Builder("m", rules)
        m.integer("x", 0, 999)
        m.lockstep("go")
        for i in (1, 2, 3):
            m.process(f"P{i}", initial="s").edge("s", "s", sync="go", do=f"x = x * 10 + {i}")
        system = m.build()
        assert value(system, after(system), "x") == 123

    def test_a_label_that_no_edge_names_makes_no_step(self) -> None:
        m = Builder("m")
        m.lockstep("go")
        m.process("P", initial="s").edge("s", "t")
        assert moves(m.build()) == [("t",)]


class TestCommitment:
    def committed(self, rules: Rules) -> Builder:
        """P is committed and can meet Q, which is committed too, or R, which is not and can also go alone."""
        m = Builder("m", rules)
        m.channel("c")
        p = m.process("P", initial="s")
        p.location("s", committed=True)
        p.edge("s", "t", sync="c!")
        q = m.process("Q", initial="s")
        q.location("s", committed=True)
        q.edge("s", "t", sync="c?")
        r = m.process("R", initial="s")
        r.edge("s", "t", sync="c?")
        r.edge("s", "u")
        return m

    def test_all_participants_must_be_committed_in_dve(self) -> None:
        assert moves(self.committed(DVE_RULES).build()) == [("t", "t", "s")]

    def test_one_committed_participant_is_enough_in_uppaal(self) -> None:
        assert moves(self.committed(Rules()).build()) == [("t", "s", "t"), ("t", "t", "s")]

    @pytest.mark.parametrize("rules", RULES)
    def test_a_committed_process_that_cannot_move_stops_the_others(self, rules: Rules) -> None:
        m = Builder("m", rules)
        m.process("P", initial="s").location("s", committed=True)
        m.process("Q", initial="s").edge("s", "t")
        assert moves(m.build()) == []

    @pytest.mark.parametrize(("rules", "result"), [(DVE_RULES, []), (Rules(), [("t", "t")])])
    def test_a_broadcast_takes_its_receivers_along_or_fails(self, rules: Rules, result: list[tuple[str, ...]]) -> None:
        m = Builder("m", rules)
        m.broadcast("c")
        p = m.process("P", initial="s")
        p.location("s", committed=True)
        p.edge("s", "t", sync="c!")
        m.process("Q", initial="s").edge("s", "t", sync="c?")
        assert moves(m.build()) == result

    def test_a_forbidden_step_cannot_fault(self) -> None:
        m = Builder("m")
        m.integer("x", 0, 1)
        m.process("P", initial="s").location("s", committed=True)
        m.process("Q", initial="s").edge("s", "t", guard="1 / x")
        system = m.build()
        assert list(Semantics(system).moves(first_state(system))) == []


def test_a_system_with_clocks_is_not_supported_yet() -> None:
    m = Builder("timed")
    m.clock("t")
    m.process("P", initial="s").edge("s", "s", guard="t < 3", do="t = 0")
    with pytest.raises(UnsupportedFeature, match="'timed' uses clocks"):
        Semantics(m.build())
