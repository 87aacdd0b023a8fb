"""How the ways to synchronise become transitions."""

from __future__ import annotations

from symdmc.checking.checks import task_for
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import Range, System
from symdmc.task import Task, compile_task
from symdmc.task.interaction import cone_of_influence, error_variables, footprint, interaction_graph, value_sources
from symdmc.task.task import VariableKind

NOTHING = ErrorCondition(name="nothing")


def _task(system: System) -> Task:
    return compile_task(system, NOTHING)


def _broadcast(receivers: int, edges_each: int = 1) -> System:
    m = Builder("radio")
    m.broadcast("tick")
    m.process("S", initial="s").edge("s", "s", sync="tick!")
    for i in range(receivers):
        p = m.process(f"R{i}", initial="a")
        for k in range(edges_each):
            p.edge("a", f"b{k}", sync="tick?")
    return m.build()


def test_a_broadcast_to_many_is_one_transition() -> None:
    (transition,) = _task(_broadcast(6)).transitions
    assert len(transition.branches) == 7
    assert len(transition.fixed) == 1


def test_a_broadcast_has_one_transition_for_each_choice_among_enabled_edges() -> None:
    assert len(_task(_broadcast(2, edges_each=3)).transitions) == 9


def test_a_rendezvous_has_one_transition_for_each_pair_of_edges() -> None:
    m = Builder("pairs")
    m.channel("c")
    for i in range(2):
        m.process(f"S{i}", initial="s").edge("s", "s", sync="c!")
        m.process(f"R{i}", initial="r").edge("r", "r", sync="c?")
    transitions = _task(m.build()).transitions
    assert len(transitions) == 4
    assert {transition.label for transition in transitions} == {"c"}


def test_a_large_lockstep_label_is_one_transition_with_branches() -> None:
    m = Builder("march")
    m.lockstep("move")
    for i in range(10):
        p = m.process(f"P{i}", initial="a")
        p.edge("a", "b", sync="move")
        p.edge("b", "a", sync="move")
    (transition,) = _task(m.build()).transitions
    assert len(transition.branches) == 20
    assert transition.fixed == ()


def test_a_small_lockstep_label_is_listed_team_by_team() -> None:
    m = Builder("march")
    m.lockstep("move")
    for i in range(2):
        p = m.process(f"P{i}", initial="a")
        p.edge("a", "b", sync="move")
        p.edge("b", "a", sync="move")
    transitions = _task(m.build()).transitions
    assert [len(transition.fixed) for transition in transitions] == [2, 2, 2, 2]


def test_buffers_become_a_length_and_cells() -> None:
    m = Builder("mail")
    m.buffered("q", capacity=2, values=[Range(0, 3)])
    m.process("S", initial="s").edge("s", "s", sync="q!2")
    task = _task(m.build())
    buffers = [variable.name for variable in task.variables if variable.kind is VariableKind.BUFFER]
    assert buffers == ["q->length", "q->item[0]", "q->item[1]"]


def test_commitment_is_kept_once_and_only_marked_on_transitions() -> None:
    m = Builder("hurry")
    p = m.process("P", initial="a")
    p.location("a", committed=True)
    p.edge("a", "b")
    m.process("Q", initial="c").edge("c", "d")
    task = _task(m.build())
    assert str(task.commitment) == "P.a"
    assert [transition.yields_to_commitment for transition in task.transitions] == [False, True]


def _chain() -> Task:
    m = Builder("chain")
    for name in ("x", "y", "z"):
        m.integer(name, 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="y = x")
    p.edge("a", "a", do="z = y")
    m.property("full", "z == 3")
    return task_for(m.build())


def test_a_footprint_has_what_a_transition_reads_and_writes() -> None:
    task = _chain()
    names = [variable.name for variable in task.variables]
    touched = footprint(task, task.transitions[0])
    assert {names[k] for k in touched.reads} == {"P", "x"}
    assert {names[k] for k in touched.writes} == {"P", "y"}


def test_the_value_after_a_step_comes_from_what_was_read_before_it() -> None:
    m = Builder("sources")
    for name in "xyzi":
        m.integer(name, 0, 2)
    m.integer("a", 0, 2, size=2)
    m.process("P", initial="s").edge("s", "t", do="x = y, z = x + z, a[i] = 1, y = 0", guard="z == 1")
    task = _task(m.build())
    names = [variable.name for variable in task.variables]
    found = value_sources(task, task.transitions[0])
    assert {names[k]: {names[each] for each in sources} for k, sources in found.items()} == {
        "P": set(),
        "x": {"y"},
        "y": set(),
        "z": {"y", "z"},
        "a[0]": {"i", "a[0]"},
        "a[1]": {"i", "a[1]"},
    }


def test_the_cone_of_influence_grows_with_the_steps_allowed() -> None:
    task = _chain()
    names = [variable.name for variable in task.variables]
    start = error_variables(task)
    assert {names[k] for k in start} == {"z"}
    assert {names[k] for k in cone_of_influence(task, start, 1)} == {"z", "y", "P"}
    cone = cone_of_influence(task, start)
    assert {names[k]: distance for k, distance in cone.items()} == {"z": 0, "P": 1, "y": 1, "x": 2}


def test_interaction_counts_the_transitions_that_link_two_variables() -> None:
    task = _chain()
    graph = interaction_graph(task)
    number = graph.names.index
    assert graph.weights[number("x"), number("y")] == 1
    assert (number("z"), number("x")) not in graph.weights
    assert graph.neighbours(number("x")) == {number("y"), number("P")}
    assert {read for read, written in graph.weights if written == number("z")} == {number("y"), number("P")}


def test_the_fingerprint_tells_questions_apart() -> None:
    system = _chain().system
    prints = {
        task_for(system).fingerprint,
        task_for(system, error="z == 2").fingerprint,
        task_for(system, deadlock=True).fingerprint,
        task_for(system, fault=True).fingerprint,
    }
    assert len(prints) == 4
    assert task_for(system).fingerprint == _chain().fingerprint


def test_a_byte_that_holds_few_values_takes_few_bits() -> None:
    m = Builder("small")
    m.byte("b")
    m.byte("a", size=3)
    m.integer("i", 0, 2)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="b < 4", do="b = b + 1")
    p.edge("s", "s", do="i = (i + 1) % 3")
    p.edge("s", "s", guard="a[i] < 2", do="a[i] = a[i] + 1")
    task = _task(m.build())
    domains = {v.name: d.array.tolist() for v, d in zip(task.variables, task.analysis.domains, strict=True)}
    assert domains["b"] == [0, 1, 2, 3, 4]
    assert domains["a[0]"] == domains["a[2]"] == [0, 1, 2]
    assert task.analysis.faultless
