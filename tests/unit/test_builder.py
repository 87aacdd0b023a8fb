"""Systems written in Python."""

from __future__ import annotations

import pytest

from symdmc.errors import ModelError
from symdmc.model.builder import Builder
from symdmc.model.expressions import At, Binary, Cell, Literal, Ref
from symdmc.model.system import (
    BYTE,
    DVE_RULES,
    SHORT,
    Assignment,
    ChannelKind,
    Direction,
    Range,
    Rules,
    Synchronisation,
    System,
)
from tests.oracle import explore


def complaints(m: Builder) -> list[str]:
    with pytest.raises(ModelError) as caught:
        m.build()
    return [str(complaint) for complaint in caught.value.complaints]


def peterson() -> System:
    m = Builder("peterson")
    m.integer("turn", 0, 1)
    m.boolean("wants", size=2)
    for me, other in ((0, 1), (1, 0)):
        p = m.process(f"P{me}", initial="idle")
        p.edge("idle", "asking", do=f"wants[{me}] = 1")
        p.edge("asking", "waiting", do=f"turn = {other}")
        p.edge("waiting", "critical", guard=f"not wants[{other}] or turn == {me}")
        p.edge("critical", "idle", do=f"wants[{me}] = 0")
    m.property("both", "P0.critical and P1.critical")
    return m.build()


def test_a_mutual_exclusion_reads_like_the_model() -> None:
    system = peterson()
    space = explore(system)
    holds = space.semantics.holds
    assert not any(holds(system.properties[0].error, state) for state in space.steps)
    assert any("critical" in state.locations for state in space.steps)
    assert not space.deadlocks


def test_texts_and_ready_made_values_mean_the_same() -> None:
    def build(ready: bool) -> System:
        m = Builder("m")
        m.integer("x", 0, 3)
        m.channel("c", values=1)
        p = m.process("P", initial="s")
        if ready:
            guard = Binary("==", Ref("x"), Literal(0))
            sync = Synchronisation(channel="c", direction=Direction.SEND, values=(Ref("x"),))
            p.edge("s", "t", guard=guard, sync=sync, do=[Assignment(Ref("x"), Literal(1))])
            m.property("end", At("P", "t"))
        else:
            p.edge("s", "t", guard="x == 0", sync="c!x", do="x = 1")
            m.property("end", "P.t")
        return m.build()

    assert build(ready=True) == build(ready=False)


def test_names_may_be_declared_after_their_use() -> None:
    m = Builder("m")
    p = m.process("P", initial="s")
    p.edge("s", "t", guard="x == N and Q.s and Q->y == 0", sync="c!")
    q = m.process("Q", initial="s")
    q.edge("s", "s", sync="c?")
    q.integer("y", 0, 1)
    m.integer("x", 0, 3)
    m.constant("N", 0)
    m.channel("c")
    (edge,) = m.build().processes[0].edges
    assert str(edge.guard) == "x == 0 and Q.s and Q->y == 0"


def test_inside_a_process_its_own_variables_hide_the_shared_ones() -> None:
    m = Builder("m")
    m.integer("x", 0, 1)
    p = m.process("P", initial="s")
    p.integer("x", 0, 1)
    p.edge("s", "s", guard="x == 0")
    q = m.process("Q", initial="s")
    q.edge("s", "s", guard="x == 0")
    system = m.build()
    assert [str(process.edges[0].guard) for process in system.processes] == ["P->x == 0", "x == 0"]


@pytest.mark.parametrize(
    ("initial", "size", "expected"),
    [
        (None, None, ((0,),)),
        (2, None, ((2,),)),
        ({3, 1}, None, ((1, 3),)),
        ((3, 1), None, ((3, 1),)),
        (None, 2, ((0,), (0,))),
        (2, 2, ((2,), (2,))),
        ({1, 2}, 2, ((1, 2), (1, 2))),
        ([1, 2], 2, ((1,), (2,))),
        ([1, (2, 3)], 2, ((1,), (2, 3))),
    ],
)
def test_initial_values_fill_cells(initial: int | None, size: int | None, expected: object) -> None:
    m = Builder("m")
    m.integer("x", 0, 3, size=size, initial=initial)
    m.process("P", initial="s")
    assert m.build().variables[0].initial == expected


def test_a_range_without_0_starts_at_its_lowest_value() -> None:
    m = Builder("m")
    m.integer("x", 2, 3)
    m.process("P", initial="s")
    assert m.build().variables[0].initial == ((2,),)


def test_every_kind_of_variable_and_channel_can_be_declared() -> None:
    m = Builder("m", DVE_RULES)
    m.byte("b")
    m.short("s")
    m.boolean("f", initial=True)
    m.constant("N", 7)
    m.constant("table", [1, 5])
    m.integer("w", 0, 5, wraps=True)
    m.channel("c", values=[Range(0, 3)], urgent=True)
    m.broadcast("tick", values=2)
    m.buffered("q", capacity=3, values=[BYTE])
    m.lockstep("go")
    m.process("P", initial=["s", "t"]).edge("s", "t", guard="table[1] == N - 2")
    system = m.build()
    assert [variable.type for variable in system.variables] == [
        BYTE,
        SHORT,
        Range(0, 1),
        Range(7, 7),
        Range(1, 5),
        Range(0, 5, wraps=True),
    ]
    assert [variable.constant for variable in system.variables] == [False, False, False, True, True, False]
    assert [(channel.kind, len(channel.types)) for channel in system.channels] == [
        (ChannelKind.RENDEZVOUS, 1),
        (ChannelKind.BROADCAST, 2),
        (ChannelKind.BUFFERED, 1),
        (ChannelKind.LOCKSTEP, 0),
    ]
    assert system.channels[0].urgent
    assert system.rules == DVE_RULES
    assert system.processes[0].initial == ("s", "t")
    guard = Binary("==", Cell("table", Literal(1)), Binary("-", Literal(7), Literal(2)))
    assert system.processes[0].edges[0].guard == guard


def test_locations_come_in_the_order_of_their_first_mention() -> None:
    m = Builder("m")
    m.integer("x", 0, 1)
    p = m.process("P", initial="c")
    p.edge("b", "a")
    p.location("d", urgent=True)
    p.location("b", committed=True, invariant="x == 0")
    locations = m.build().processes[0].locations
    assert [place.name for place in locations] == ["c", "b", "a", "d"]
    assert (locations[1].committed, str(locations[1].invariant), locations[3].urgent) == (True, "x == 0", True)


def test_all_faults_are_reported_at_once_with_the_line_that_made_them() -> None:
    m = Builder("m")
    m.integer("turn", 1, 0)
    m.channel("c", values=1)
    p = m.process("P", initial="idle")
    p.edge("idle", "busy", guard="trun == 0 and nothing", do="turn = = 1")
    p.edge("busy", "idle", sync="d!", cost=2)
    p.edge("busy", "idle", sync="c!")
    m.property("bad", "P.buzy")
    first = peterson.__code__.co_filename.rsplit("/", 1)[-1]
    found = complaints(m)
    assert all(line.startswith(f"{first}:") for line in found)
    for part in (
        "edge idle -> busy of 'P': guard 'trun == 0 and nothing', column 1: unknown name 'trun'; did you mean 'turn'?",
        "unknown name 'nothing'",
        "assignments 'turn = = 1', column 8: unexpected '='",
        "unknown channel 'd'",
        "channel 'c' passes 1 value, not 0",
        "process 'P' has no location 'buzy'; did you mean 'busy'?",
        "variable 'turn' has the empty range 1..0",
        "edge busy -> idle of 'P' costs 2",
    ):
        assert [line for line in found if part in line], part
    assert len(found) == 8


def test_a_location_declared_twice_is_a_fault() -> None:
    m = Builder("m")
    p = m.process("P", initial="s")
    p.location("s")
    p.location("s", committed=True)
    assert ["declared twice" in line for line in complaints(m)] == [True]


def test_a_clock_can_be_declared_and_used_in_texts() -> None:
    m = Builder("m")
    m.clock("t")
    m.process("P", initial="s").edge("s", "s", guard="t < 3", do="t = 0")
    system = m.build()
    assert [clock.name for clock in system.clocks] == ["t"]
    assert system.processes[0].edges[0].guard == Binary("<", Ref("t"), Literal(3))


def test_a_builder_can_be_extended_after_building() -> None:
    m = Builder("m", Rules())
    p = m.process("P", initial="s")
    small = m.build()
    p.edge("s", "t")
    large = m.build()
    assert (len(small.processes[0].edges), len(large.processes[0].edges)) == (0, 1)
