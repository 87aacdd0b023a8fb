"""Refinement of predicates on small systems: it proves, finds real traces, and ends when it should."""

from __future__ import annotations

import pytest

from symdmc.checking.checks import check_task, task_for
from symdmc.checking.request import check_request
from symdmc.evidence.certify import certify
from symdmc.evidence.replay import replay
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.patterndb.predicates import AUTO, CARTESIAN, EXACT, PredicateBuilder, PredicateOptions
from symdmc.reader.load import load
from symdmc.selection.pred_refine import RefinedPredicates
from symdmc.selection.predicates.refinement import Refined, RefinementOptions, refined
from symdmc.selection.predicates.traces import shortest_abstract_traces

KINDS = (EXACT, CARTESIAN)


def window(limit: int, most: int = 50) -> System:
    """A sender that is at most four ahead, if the limit is four; it looks at the lead one step before it sends."""
    m = Builder("window")
    m.integer("sent", 0, most)
    m.integer("got", 0, most)
    sender = m.process("S", initial="idle")
    sender.edge("idle", "ready", guard=f"sent - got < {limit} and sent < {most}")
    sender.edge("ready", "idle", do="sent = sent + 1")
    m.process("R", initial="r").edge("r", "r", guard="got < sent", do="got = got + 1")
    m.property("overrun", "sent - got > 4")
    return m.build()


def counter(top: int) -> System:
    """One process that counts to the top, one step at a time."""
    m = Builder("counter")
    m.integer("x", 0, 20)
    m.process("P", initial="p").edge("p", "p", guard="x < 20", do="x = x + 1")
    m.property("top", f"x >= {top}")
    return m.build()


def turnstile() -> System:
    """P waits only while Q is shut, and Q makes ready to open only while P is out: they never meet. Alone, P could."""
    m = Builder("turnstile")
    m.channel("open")
    p = m.process("P", initial="out")
    p.edge("out", "waiting", guard="Q.shut")
    p.edge("waiting", "inside", sync="open?")
    q = m.process("Q", initial="shut")
    q.edge("shut", "ready", guard="P.out")
    q.edge("ready", "shut")
    q.edge("ready", "shut", sync="open!")
    m.property("inside", "P.inside")
    return m.build()


def run(system: System, most: int | None = None, iterations: int = 10, **options: object) -> Refined:
    """All that refinement finds, without the rule of the paper unless asked for."""
    chosen = {"until_it_stays": False, "kind": AUTO, **options}
    return refined(task_for(system), most=most, options=RefinementOptions(iterations=iterations, **chosen))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_the_predicate_that_links_two_counters_proves_safety(kind: str) -> None:
    found = run(window(4), kind=kind)
    lengths = [each.length for each in found.iterations]
    assert lengths[0] == 1
    assert lengths[-1] is None
    assert {"sent - got >= 5", "sent - got >= 4", "S.ready"} == {str(each) for each in found.predicates[0]}
    assert "proves" in found.endings[0]


@pytest.mark.parametrize("text", [f"pred:refine,b=all,r=10,kind={kind}" for kind in KINDS])
@pytest.mark.parametrize("system", [window(4), turnstile()], ids=["window", "turnstile"])
def test_what_it_proves_has_a_certificate_that_holds(text: str, system: System) -> None:
    task = task_for(system)
    result = check_task(task, check_request(heuristic=text, certify=True))
    assert result.verdict is Verdict.SAFE
    assert result.explored == 0
    assert result.certificate is not None
    assert certify(system, result.certificate, error=task.error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("every_trace", [True, False])
def test_a_trace_that_runs_as_it_is_is_the_answer_and_a_shortest_one(kind: str, every_trace: bool) -> None:
    found = run(counter(4), kind=kind, every_trace=every_trace)
    assert [each.length for each in found.iterations] == [1, 2, 3, 4]
    assert found.answer is not None
    assert found.answer.length == 4
    task = task_for(counter(4))
    replay(task.system, found.answer, task.error)
    answer = RefinedPredicates(b="all", r=9).select(task).answer
    assert answer is not None
    assert answer.shortest


def test_each_iteration_says_what_it_added_and_how_many_traces_that_forbids() -> None:
    second = run(counter(4)).iterations[1]
    assert [str(each) for each in second.added] == ["x >= 3"]
    assert second.removed == (1, 1)
    assert second.number == 1


def test_it_ends_after_the_iterations_that_were_asked_for() -> None:
    found = run(counter(9), iterations=3)
    assert [each.length for each in found.iterations] == [1, 2, 3, 4]
    assert found.endings == ("P: all iterations done",)
    assert found.answer is None


def test_without_iterations_the_predicates_are_those_of_the_error_condition() -> None:
    found = run(window(5), iterations=0)
    assert [[str(each) for each in part] for part in found.predicates] == [["sent - got >= 5"]]


def test_a_trace_that_only_a_part_cannot_refute_is_no_answer() -> None:
    found = run(turnstile(), most=1)
    assert found.answer is None
    assert "nothing in the part forbids" in found.endings[0]
    assert check_task(task_for(turnstile()), check_request(heuristic=("pred:refine,b=1",))).verdict is Verdict.SAFE


def test_the_rule_of_the_paper_goes_back_to_the_predicates_before_the_length_stayed() -> None:
    plain, ruled = (
        run(load("line_segment", instance="C1"), 2, until_it_stays=rule, iterations=6) for rule in (False, True)
    )
    lengths = [each.length or 0 for each in ruled.iterations if each.part == ruled.iterations[0].part]
    assert lengths == [*sorted(set(lengths[:-1])), lengths[-2]]
    assert len(ruled.predicates[0]) == ruled.iterations[len(lengths) - 2].predicates
    assert "the spurious length stays" in ruled.endings[0]
    assert len(plain.predicates[0]) > len(ruled.predicates[0])


def test_an_exact_abstraction_by_predicates_knows_the_invariants_where_steps_start() -> None:
    options = RefinementOptions(iterations=12, until_it_stays=False, kind=EXACT)
    found = refined(task_for(load("fischer", faulty=False)), most=None, options=options)
    assert found.iterations[2].length == 6  # from `trying`, where x <= 1, nobody waits with x == 2
    assert found.iterations[-1].length is None


@pytest.mark.parametrize("n", [2, 3])
def test_the_fault_of_fischers_protocol_is_found_without_a_search(n: int) -> None:
    found = run(load("fischer", n=n), iterations=20)
    assert found.answer is not None
    assert found.answer.length == 6


def fan(ways: int) -> System:
    """A door that never opens, and behind it several ways, each of which is closed as well."""
    m = Builder("fan")
    p = m.process("P", initial="outside")
    p.edge("outside", "hall", guard="door == 1 and lock == 0")
    pairs = [("door", "lock"), *((f"left{way}", f"right{way}") for way in range(ways))]
    for one, other in pairs:  # always equal, which no single value shows
        m.integer(one, 0, 3)
        m.integer(other, 0, 3)
        both = m.process(f"Both_{one}", initial="q")
        both.edge("q", "q", guard=f"{one} < 3", do=f"{one} = {one} + 1, {other} = {other} + 1")
    for way in range(ways):
        p.edge("hall", f"way{way}", guard=f"left{way} == 1 and right{way} == 0")
        p.edge(f"way{way}", "room")
    m.property("room", "P.room")
    return m.build()


@pytest.mark.parametrize("kind", KINDS)
def test_traces_to_a_perimeter_forbid_every_way_on_at_once(kind: str) -> None:
    narrow, broad = (
        run(fan(3), every_trace=False, iterations=14, kind=kind, perimeter=perimeter) for perimeter in (0, 2)
    )
    assert [each.length for each in narrow.iterations] == [1, 1, 1, 2, 3, 3, 3, 4, 4, 4, None]
    assert [each.length for each in broad.iterations] == [1, 1, 1, 2, 3, 4, None]
    assert [str(predicate) for each in broad.iterations[-2:] for predicate in each.added] == ["door == 1", "lock == 0"]


@pytest.mark.parametrize("kind", KINDS)
def test_traces_to_a_perimeter_differ_before_they_reach_it(kind: str) -> None:
    task = task_for(fan(3))
    predicates = run(fan(3), iterations=14, kind=kind).predicates[0]
    abstraction = PredicateBuilder(task, PredicateOptions(kind=kind)).abstraction(
        [each for each in predicates if str(each) != "lock == 0" and "right" not in str(each)]
    )
    traces = shortest_abstract_traces(task, abstraction, 100, perimeter=2)
    assert traces
    approaches = [trace.approach for trace in traces if trace.approach is not None]
    assert len(set(approaches)) == len(approaches) == len(traces)
    for trace, approach in zip(traces, approaches, strict=True):
        assert trace.steps[: len(approach.steps)] == approach.steps
        assert len(trace.steps) - len(approach.steps) == 2
        assert "P.hall" in {str(claim) for claim in approach.arrival}
