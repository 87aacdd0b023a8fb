"""What pattern selections choose, and why."""

from __future__ import annotations

import pytest

from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import check_request
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.outcome import Verdict
from symdmc.reader.load import load
from symdmc.selection.coi import ConeOfInfluence
from symdmc.selection.dpr import DownwardRefinement
from symdmc.selection.measures import inner
from symdmc.selection.measures.inner import inner_estimate
from symdmc.selection.measures.safe_variables import safe_variables
from symdmc.selection.russian_doll import RussianDoll
from symdmc.selection.selection import Selection, SelectionOptions
from symdmc.spelling.plurals import counted
from symdmc.task import compile_task
from symdmc.task.task import Task


def names(task: Task, selection: Selection) -> list[str]:
    (pattern,) = selection.patterns
    kept = [task.variables[number].name for number in pattern]
    assert [reason.variable for reason in selection.reasons if reason.kept] == kept
    assert all(reason.why for reason in selection.reasons)
    return kept


def reason(selection: Selection, name: str) -> str:
    return next(each.why for each in selection.reasons if each.variable == name)


@pytest.fixture(scope="module")
def tree() -> Task:
    return task_for(load("arbiter_tree:height=3"))


# ---- coi


@pytest.mark.parametrize(
    ("depth", "kept"),
    [
        (0, ["Client1", "Client7"]),
        (1, ["Node4", "Node7", "Client1", "Client7"]),
        (2, ["Node2", "Node3", "Node4", "Node7", "Client0", "Client1", "Client6", "Client7"]),
    ],
)
def test_the_cone_of_influence_is_cut_off(tree: Task, depth: int, kept: list[str]) -> None:
    selection = ConeOfInfluence(depth=depth).select(tree)
    assert selection.name == f"coi:{depth}"
    assert names(tree, selection) == kept
    assert (
        reason(selection, "Root") == f"it does not influence the error condition in {counted(depth, 'step')} or fewer"
    )


def test_the_whole_cone_leaves_out_what_never_matters() -> None:
    m = Builder("apart")
    m.integer("x", 0, 3)
    m.integer("fixed", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "b", guard="x == 3")
    p.edge("a", "a", do="x = 3", guard="fixed == 0")
    m.process("Alone", initial="a").edge("a", "b")
    task = task_for(m.build(), error="P.b")
    selection = ConeOfInfluence().select(task)
    assert names(task, selection) == ["P", "x"]
    assert reason(selection, "Alone") == "it does not influence the error condition"
    assert reason(selection, "fixed") == "it never changes"


# ---- dpr


def _two_parts() -> Builder:
    """The error needs P and x; y and Switch decide nothing."""
    m = Builder("parts")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", guard="x < 3", do="x = x + 1")
    p.edge("a", "b", guard="x == 3")
    q = m.process("Q", initial="a")
    q.edge("a", "a", do="y = y + 1", guard="y < 3")
    switch = m.process("Switch", initial="off")
    switch.edge("off", "on")
    switch.edge("on", "off")
    return m


@pytest.mark.parametrize("name", ["hU", "hL"])
def test_dpr_drops_what_the_inner_estimate_does_not_miss(name: str) -> None:
    task = task_for(_two_parts().build(), error="P.b")
    selection = DownwardRefinement(inner=name).select(task)  # type: ignore[arg-type]
    assert names(task, selection) == ["P", "x"]
    assert reason(selection, "Switch") == "safe: it can take any value at any time"
    assert reason(selection, "y") == f"without it {name} is still 4"
    assert reason(selection, "x") == f"without it {name} becomes 1 instead of 4"
    assert selection.steps == (
        "Switch dropped: safe: it can take any value at any time",
        f"the estimate {name} of the whole task is 4",
        f"y dropped: {name} 4 -> 4",
        "P kept: a variable of the error condition, the last that is left",
        f"x kept: without it {name} becomes 1 instead of 4",
    )


def test_dpr_with_local_distances_keeps_processes(tree: Task) -> None:
    assert names(tree, DownwardRefinement(inner="fsm").select(tree)) == ["Client1", "Client7"]


def test_dpr_keeps_a_variable_of_the_error_condition() -> None:
    """An error condition that holds at once has the estimate 0, whatever is dropped."""
    task = task_for(_two_parts().build(), error="P.a and y < 3")
    selection = DownwardRefinement().select(task)
    (kept,) = names(task, selection)
    assert kept in ("P", "y")
    assert reason(selection, kept) == "a variable of the error condition, the last that is left"


@pytest.mark.parametrize(("clocks", "kept"), [("keep", ["P", "x", "c"]), ("judge", ["P", "x"])])
def test_dpr_keeps_clocks_unless_they_are_to_be_judged(clocks: str, kept: list[str]) -> None:
    m = _two_parts()
    m.digital_clock("c", 5)
    m.tick()
    task = task_for(m.build(), error="P.b")
    assert names(task, DownwardRefinement(clocks=clocks).select(task)) == kept  # type: ignore[arg-type]


def test_dpr_of_a_dead_end_stays_a_dead_end() -> None:
    m = _two_parts()
    m.process("Never", initial="a").edge("a", "b", guard="x == 2 and x == y and y == 3")
    task = task_for(m.build(), error="P.b and Never.b")
    selection = DownwardRefinement().select(task)
    result = check_task(task, check_request(heuristic="pdb:dpr"))
    assert "the estimate hU of the whole task is dead end" in selection.steps
    assert (result.verdict, result.explored) == (Verdict.SAFE, 0)


def test_compiled_and_plain_inner_estimates_agree(tree: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("hL", "hU"):
        plain = inner_estimate(tree, name)
        monkeypatch.setattr(inner, "SMALL", 0)
        compiled = inner_estimate(tree, name)
        monkeypatch.undo()
        for number in range(len(tree.variables)):
            assert plain(frozenset((number,))) == compiled(frozenset((number,)))


# ---- safe variables


def test_safe_variables_move_alone_and_everywhere() -> None:
    m = Builder("safe")
    m.integer("x", 0, 2)
    m.integer("bit", 0, 1)
    for name, edges in {
        "Cycle": [("a", "b"), ("b", "c"), ("c", "a")],
        "OneWay": [("a", "b")],
        "Guarded": [("a", "b"), ("b", "a")],
        "Storing": [("a", "b"), ("b", "a")],
    }.items():
        p = m.process(name, initial="a")
        for source, target in edges:
            p.edge(
                source, target, guard="x == 0" if name == "Guarded" else "true", do="x = 0" if name == "Storing" else ""
            )
    flip = m.process("Flip", initial="only")
    flip.edge("only", "only", do="bit = 1 - bit")
    watch = m.process("Watch", initial="a")
    watch.edge("a", "a", guard="bit == 1 and x == 1")
    watch.edge("a", "a", guard="x < 2", do="x = x + 1")
    task = task_for(m.build(), error="x == 2 and bit == 1")
    assert {task.variables[number].name for number in safe_variables(task)} == {"Cycle", "bit"}


def test_what_an_invariant_speaks_of_is_not_safe() -> None:
    m = Builder("held")
    m.integer("x", 0, 1)
    p = m.process("P", initial="a")
    p.location("b", invariant="x == 0")
    p.edge("a", "b")
    p.edge("b", "a")
    m.process("Q", initial="a").edge("a", "a", do="x = 1 - x")
    task = task_for(m.build(), error="x == 1 and P.b")
    assert safe_variables(task) == frozenset()


# ---- russian-doll


def test_the_doll_of_the_tree_is_what_lies_between_the_two_clients(tree: Task) -> None:
    selection = RussianDoll().select(tree)
    assert names(tree, selection) == ["Root", "Node1", "Node2", "Node3", "Node4", "Node7", "Client1", "Client7"]
    assert selection.steps[0].startswith("abstract error path: ")
    result = check_task(tree, check_request(heuristic="pdb:russian-doll"))
    assert (result.length, result.h_initial) == (36, 21)


def _closure() -> Task:
    m = Builder("closure")
    for name in ("guard", "written", "computed", "idle", "source"):
        m.integer(name, 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="guard = 1")
    p.edge("a", "b", guard="guard == 1", do="written = 1, computed = source")
    p.edge("b", "a", guard="idle == 1")
    q = m.process("Other", initial="a")
    q.edge("a", "b", do="written = 2, source = 1, idle = 1")
    return task_for(m.build(), error="P.b")


def test_the_closure_drops_what_others_write_and_what_is_computed_from_it() -> None:
    task = _closure()
    selection = RussianDoll().select(task)
    assert names(task, selection) == ["P", "guard"]
    assert reason(selection, "written") == "written by Other, which is not kept"
    assert reason(selection, "computed") == "computed from source, which is not kept"
    assert reason(selection, "idle") == "written by Other, which is not kept"
    assert reason(selection, "source") == "not modified on the abstract error path"
    assert sum("dropped by the closure" in step for step in selection.steps) == 3


def test_guards_are_those_of_the_processes_that_are_kept() -> None:
    """Not of those that are removed, as the formula of the paper has it."""
    m = Builder("guards")
    m.integer("own", 0, 1)
    m.integer("foreign", 0, 1)
    p = m.process("P", initial="a")
    p.edge("a", "b")
    p.edge("b", "a", guard="own == 1", do="own = 0")
    p.edge("b", "c", do="own = 1")
    m.process("Q", initial="a").edge("a", "b", guard="foreign == 0", do="foreign = 1")
    task = task_for(m.build(), error="P.b")
    assert names(task, RussianDoll().select(task)) == ["P", "own"]


def test_indirect_dependencies_make_the_doll_larger() -> None:
    m = Builder("copies")
    m.integer("x", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="a")
    p.edge("a", "a", do="y = x")
    p.edge("a", "b", guard="y == 3")
    m.process("Q", initial="a").edge("a", "a", do="x = 3")
    task = task_for(m.build(), error="P.b")
    assert names(task, RussianDoll(indirect=False).select(task)) == ["P"]
    assert names(task, RussianDoll(indirect=True).select(task)) == ["P", "x", "y"]


def test_without_an_abstract_path_the_doll_suffices_to_see_that() -> None:
    task = task_for(_closure().system, error="P.b and guard == 2")
    selection = RussianDoll().select(task)
    assert selection.steps[0].startswith("there is no abstract error path")
    result = check_task(task, check_request(heuristic="pdb:russian-doll"))
    assert (result.verdict, result.explored) == (Verdict.SAFE, 0)


@pytest.mark.parametrize("selection", [ConeOfInfluence(), DownwardRefinement(), RussianDoll()])
def test_something_is_kept_whatever_the_question(selection: SelectionOptions, tree: Task) -> None:
    for error in (ErrorCondition(name="never"), ErrorCondition(name="deadlock", deadlock=True)):
        task = compile_task(tree.system, error)
        assert names(task, selection.select(task))
