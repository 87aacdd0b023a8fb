"""Faults and warnings: each by the smallest system that has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symdmc.errors import ModelError, SourceSpan
from symdmc.model.builder import Builder
from symdmc.model.expressions import At, Binary, Cell, Expr, Literal, Ref, Unary
from symdmc.model.system import (
    Assignment,
    Channel,
    ChannelKind,
    Clock,
    Direction,
    Edge,
    Location,
    Process,
    Property,
    Range,
    Synchronisation,
    System,
    Variable,
)
from symdmc.model.validation import validate, validated

HERE = SourceSpan("m.dve", 3, 5)


def system(
    *edges: Edge,
    variables: tuple[Variable, ...] = (),
    channels: tuple[Channel, ...] = (),
    clocks: tuple[Clock, ...] = (),
    properties: tuple[Property, ...] = (),
) -> System:
    """A process P at `s` with the given edges; x is a variable, a an array, N and k are constants, c and q channels."""
    return System(
        name="m",
        processes=(Process(name="P", initial=("s",), locations=(Location(name="s"), Location(name="t")), edges=edges),),
        variables=(
            Variable(name="x", type=Range(0, 3)),
            Variable(name="a", type=Range(0, 3), size=2, initial=((0,), (0,))),
            Variable(name="N", type=Range(3, 3), initial=((3,),), constant=True),
            Variable(name="k", type=Range(0, 3), size=1, initial=((1,),), constant=True),
            *variables,
        ),
        channels=(
            Channel(name="c", types=(Range(0, 3),)),
            Channel(name="q", kind=ChannelKind.BUFFERED, types=(Range(0, 3),), capacity=1),
            Channel(name="go", kind=ChannelKind.LOCKSTEP),
            *channels,
        ),
        clocks=clocks,
        properties=properties,
    )


def faults(candidate: System) -> list[str]:
    return [str(complaint) for complaint in validate(candidate).complaints]


def edge(**parts: object) -> Edge:
    return replace(Edge(source="s", target="t"), **parts)  # type: ignore[arg-type]


def send(channel: str, *values: Expr) -> Synchronisation:
    return Synchronisation(channel=channel, direction=Direction.SEND, values=values)


def receive(channel: str, *targets: Ref | Cell) -> Synchronisation:
    return Synchronisation(channel=channel, direction=Direction.RECEIVE, targets=targets)


def join(channel: str) -> Synchronisation:
    return Synchronisation(channel=channel, direction=Direction.JOIN)


def store(target: Ref | Cell, value: Expr = Literal(0)) -> tuple[Assignment, ...]:
    return (Assignment(target, value),)


def test_a_good_system_has_no_faults_and_passes_unchanged() -> None:
    good = system(
        edge(guard=Cell("a", Ref("x")), sync=send("c", Cell("k", Literal(0))), assignments=store(Ref("x"))),
        edge(sync=receive("c", Cell("a", Ref("x")))),
        edge(sync=send("q", Ref("q->length"))),
        edge(sync=receive("q", Ref("x"))),
        edge(sync=join("go"), guard=At("P", "s"), cost=0),
        edge(guard=Binary("<", Ref("t"), Literal(3))),
        clocks=(Clock(name="t"),),
    )
    assert faults(good) == []
    assert validated(good) is good


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (edge(source="z"), "location 'z' is not declared"),
        (edge(target="tt"), "location 'tt' is not declared; did you mean 't'?"),
        (edge(cost=2), "edge s -> t of 'P' costs 2; costs are 0 or 1"),
        (edge(guard=Ref("y")), "guard: variable 'y' is not declared"),
        (edge(guard=Ref("a")), "guard: 'a' is an array; give an index"),
        (edge(guard=Cell("x", Literal(0))), "guard: 'x' is not an array; leave the index out"),
        (edge(guard=Cell("a", Ref("y"))), "guard: variable 'y' is not declared"),
        (edge(guard=Ref("N")), "guard: constant 'N' stands by its name"),
        (edge(guard=At("Q", "s")), "guard: process 'Q' is not declared"),
        (edge(guard=At("P", "u")), "guard: location of 'P', 'u' is not declared"),
        (edge(guard=Literal(2**31)), "guard: 2147483648 does not fit into 32 bits"),
        (edge(guard=Binary("**", Literal(1), Literal(1))), "no operator '**' with two operands"),
        (edge(guard=Unary("+", Literal(1))), "no operator '+' with one operand"),
        (edge(assignments=store(Ref("y"))), "assignment: variable 'y' is not declared"),
        (edge(assignments=store(Ref("a"))), "assignment: 'a' is an array"),
        (edge(assignments=store(Ref("N"))), "assignment: 'N' is a constant"),
        (edge(assignments=store(Cell("k", Literal(0)))), "assignment: 'k' is a constant"),
        (edge(assignments=store(Ref("q->length"))), "'q->length' belongs to a buffer"),
        (edge(assignments=store(Ref("x"), Ref("y"))), "assignment: variable 'y' is not declared"),
        (edge(sync=send("d")), "synchronisation: channel 'd' is not declared"),
        (edge(sync=send("c")), "'c!' passes 0 values, the channel 1"),
        (edge(sync=send("c", Literal(1), Literal(2))), "'c!{1, 2}' passes 2 values, the channel 1"),
        (edge(sync=receive("c")), "'c?' passes 0 values, the channel 1"),
        (edge(sync=receive("c", Ref("N"))), "synchronisation: 'N' is a constant"),
        (edge(sync=send("c", Ref("y"))), "synchronisation: variable 'y' is not declared"),
        (edge(sync=join("c")), "'c' does not fit the rendezvous channel 'c'; send with '!' or receive with '?'"),
        (edge(sync=send("go")), "'go!' does not fit the lockstep channel 'go'; name the label alone"),
        (
            edge(sync=Synchronisation(channel="c", direction=Direction.SEND, targets=(Ref("x"),))),
            "'c!x' passes 1 values, the channel 1",
        ),
    ],
)
def test_one_line_says_what_is_wrong_with_an_edge(bad: Edge, fault: str) -> None:
    (line,) = faults(system(replace(bad, span=HERE)))
    assert line.startswith("m.dve:3:5: edge s -> " if bad.source == "s" else "m.dve:3:5: edge z -> ")
    assert fault in line


@pytest.mark.parametrize(
    ("variable", "fault"),
    [
        (Variable(name="x", type=Range(0, 1)), "variable 'x' is declared twice"),
        (Variable(name="P", type=Range(0, 1)), "variable 'P' is declared twice (first as a process)"),
        (Variable(name="1x", type=Range(0, 1)), "variable name '1x' is not an identifier"),
        (Variable(name="and", type=Range(0, 1)), "variable name 'and' is a word of the expression language"),
        (Variable(name="Q->x", type=Range(0, 1)), "the process of variable 'Q->x', 'Q' is not declared"),
        (Variable(name="P->1", type=Range(0, 1)), "variable name '1' is not an identifier"),
        (Variable(name="y", type=Range(1, 0)), "variable 'y' has the empty range 1..0"),
        (Variable(name="y", type=Range(0, 2**31)), "variable 'y' has the range 0..2147483648, beyond 32 bits"),
        (Variable(name="y", type=Range(1, 2)), "variable 'y' starts with 0, outside 1..2"),
        (Variable(name="y", type=Range(0, 2), initial=()), "variable 'y' has 0 initial values for 1 cells"),
        (Variable(name="y", type=Range(0, 2), initial=((),)), "variable 'y' has a cell without an initial value"),
        (Variable(name="y", type=Range(0, 2), initial=((1, 1),)), "variable 'y' lists an initial value twice"),
        (Variable(name="y", type=Range(0, 2), size=2), "variable 'y' has 1 initial values for 2 cells"),
        (Variable(name="y", type=Range(0, 2), size=0, initial=()), "array 'y' has 0 cells"),
        (Variable(name="y", type=Range(0, 2), initial=((0, 1),), constant=True), "constant 'y' has several values"),
    ],
)
def test_one_line_says_what_is_wrong_with_a_variable(variable: Variable, fault: str) -> None:
    (line,) = faults(system(variables=(replace(variable, span=HERE),)))
    assert line.startswith(f"m.dve:3:5: {fault}")


@pytest.mark.parametrize(
    ("channel", "fault"),
    [
        (Channel(name="c"), "channel 'c' is declared twice"),
        (Channel(name="P"), "channel 'P' has the name of a process"),
        (Channel(name="a-b"), "channel name 'a-b' is not an identifier"),
        (Channel(name="d", types=(Range(1, 0),)), "channel 'd' has the empty range 1..0"),
        (Channel(name="d", capacity=1), "channel 'd' has a capacity but no buffer"),
        (Channel(name="d", kind=ChannelKind.BUFFERED), "the buffer of channel 'd' has room for 0 items"),
        (
            Channel(name="d", kind=ChannelKind.BUFFERED, capacity=1, types=(Range(1, 2),)),
            "the buffer of channel 'd' has a range without 0",
        ),
        (Channel(name="d", kind=ChannelKind.LOCKSTEP, types=(Range(0, 1),)), "lockstep label 'd' passes values"),
    ],
)
def test_one_line_says_what_is_wrong_with_a_channel(channel: Channel, fault: str) -> None:
    (line,) = faults(system(channels=(replace(channel, span=HERE),)))
    assert line.startswith(f"m.dve:3:5: {fault}")


@pytest.mark.parametrize(
    ("process", "fault"),
    [
        (Process(name="P", initial=("s",), locations=(Location(name="s"),), edges=()), "process 'P' is declared twice"),
        (Process(name="Q", initial=(), locations=(), edges=()), "process 'Q' has no location"),
        (
            Process(name="Q", initial=(), locations=(Location(name="s"),), edges=()),
            "process 'Q' has no initial location",
        ),
        (
            Process(name="Q", initial=("u",), locations=(Location(name="s"),), edges=()),
            "initial location of process 'Q', 'u' is not declared",
        ),
        (
            Process(name="Q", initial=("s", "s"), locations=(Location(name="s"),), edges=()),
            "process 'Q' names an initial location twice",
        ),
        (
            Process(name="Q", initial=("s",), locations=(Location(name="s"), Location(name="s", span=HERE)), edges=()),
            "location of process 'Q', 's' is declared twice",
        ),
        (
            Process(name="Q", initial=("s",), locations=(Location(name="s", invariant=Ref("y"), span=HERE),), edges=()),
            "invariant of Q.s: variable 'y' is not declared",
        ),
    ],
)
def test_one_line_says_what_is_wrong_with_a_process(process: Process, fault: str) -> None:
    good = system()
    (line,) = faults(replace(good, processes=(*good.processes, replace(process, span=HERE))))
    assert line.startswith(f"m.dve:3:5: {fault}")


def test_properties_are_checked_too() -> None:
    named = Property(name="p", error=Ref("y"), span=HERE)
    assert faults(system(properties=(named,))) == ["m.dve:3:5: property 'p': variable 'y' is not declared; declare it"]
    twice = (Property(name="p", error=Ref("x")), Property(name="p", error=Ref("x")))
    assert faults(system(properties=twice)) == ["model m: property 'p' is declared twice; rename or remove one of them"]


def test_a_system_needs_a_process() -> None:
    assert faults(System(name="m", processes=())) == ["model m: there is no process; add at least one"]


def test_every_fault_is_reported_not_just_the_first() -> None:
    bad = system(edge(cost=2), edge(guard=Ref("y")), variables=(Variable(name="x", type=Range(1, 0)),))
    with pytest.raises(ModelError) as caught:
        validated(bad)
    assert len(caught.value.complaints) == 4


def warnings(m: Builder) -> list[str]:
    return [complaint.what for complaint in validate(m.build()).warnings]


@pytest.mark.parametrize(
    ("sender", "receiver", "warned"),
    [
        ("x = 1", "x = 2", True),
        ("x = 1", "y = x", True),
        ("y = x", "x = 1", True),
        ("a[0] = 1", "a[1] = 1", False),
        ("a[0] = 1", "a[0] = 2", True),
        ("a[0] = 1", "a[y] = 2", True),
        ("x = 1", "a[x] = 1", True),
        ("x = 1", "y = 1", False),
        ("x = 1", "", False),
    ],
)
def test_validation_warns_where_the_order_of_updates_matters(sender: str, receiver: str, warned: bool) -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    m.integer("a", 0, 3, size=4)
    m.channel("c")
    m.process("P", initial="s").edge("s", "s", guard="x + y >= 0", sync="c!", do=sender)
    m.process("Q", initial="s").edge("s", "s", guard="x + y >= 0", sync="c?", do=receiver)
    found = warnings(m)
    assert len(found) == warned
    assert all("'P' and 'Q' both use" in line for line in found)


def test_validation_warns_when_a_sender_writes_what_is_received() -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.channel("c", values=1)
    m.process("P", initial="s").edge("s", "s", sync="c!1", do="x = 2")
    m.process("Q", initial="s").edge("s", "s", sync="c?x")
    assert len(warnings(m)) == 1


def test_passed_values_and_buffers_give_no_cause_for_warnings() -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    m.channel("c", values=1)
    m.buffered("q", capacity=1, values=1)
    p = m.process("P", initial="s")
    p.edge("s", "s", sync="c!x", do="x = 0")
    p.edge("s", "s", sync="q!x", do="x = 0")
    q = m.process("Q", initial="s")
    q.edge("s", "s", sync="c?y")
    q.edge("s", "s", sync="q?y", do="x = 1")
    assert warnings(m) == []


@pytest.mark.parametrize("kind", ["broadcast", "lockstep"])
def test_receivers_and_members_are_compared_with_each_other(kind: str) -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    if kind == "broadcast":
        m.broadcast("c")
        m.process("P", initial="s").edge("s", "s", sync="c!")
    else:
        m.lockstep("c")
    for i, name in enumerate(("Q", "R")):
        m.process(name, initial="s").edge("s", "s", sync="c?" if kind == "broadcast" else "c", do=f"x = {i}")
    assert len(warnings(m)) == 1


def test_validation_warns_of_locations_no_edge_leads_to() -> None:
    m = Builder("m")
    p = m.process("P", initial="s")
    p.edge("s", "t", guard="false")
    p.edge("u", "s")
    assert warnings(m) == ["no path of edges leads to location 'u' of process 'P'"]


@pytest.mark.parametrize(
    ("sync", "warning"),
    [
        ("c!", "channel 'c' is sent on but never received from"),
        ("c?", "channel 'c' is received from but never sent on"),
    ],
)
def test_validation_warns_of_one_sided_channels(sync: str, warning: str) -> None:
    m = Builder("m")
    m.channel("c")
    m.process("P", initial="s").edge("s", "s", sync=sync)
    assert warnings(m) == [warning]


def test_a_faulty_system_gets_no_warnings() -> None:
    bad = system(edge(source="nowhere", sync=send("nothing")))
    assert validate(bad).warnings == ()
