"""What the functions for Python answer: traces, results, and evidence held to its model."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

import symdmc
from symdmc.checking import judging
from symdmc.evidence.replay import replay as walked
from symdmc.model.builder import Builder
from symdmc.model.system import Range, System
from symdmc.model.trace import Trace as BareTrace
from symdmc.outcome import Stop
from symdmc.running.run import LimitReached


def mail(letters: int = 3) -> System:
    m = Builder("mail")
    m.integer("left", 0, letters, initial=letters)
    m.buffered("box", capacity=2, values=[Range(0, letters)])
    m.channel("done", values=1)
    writer = m.process("Writer", initial="writes")
    writer.edge("writes", "writes", guard="left > 0", sync="box!left", do="left = left - 1")
    writer.edge("writes", "rests", sync="done?left")
    reader = m.process("Reader", initial="waits")
    reader.integer("read", 0, letters)
    reader.edge("waits", "waits", sync="box?read")
    reader.edge("waits", "waits", guard="read == 1", sync="done!read")
    m.property("finished", "Writer.rests")
    m.property("begun", "Writer.writes")
    return m.build()


def found(system: System | None = None, **options: str) -> symdmc.Trace:
    result = symdmc.check(mail() if system is None else system, property="finished", **options)  # type: ignore[arg-type]
    assert result.trace is not None
    return result.trace


def test_states_of_a_trace_have_names() -> None:
    trace = found()
    assert trace.initial["box"] == []
    assert (trace.final["Writer"], trace.final["left"], trace.final["Reader->read"]) == ("rests", 1, 1)
    assert [state["left"] for state in trace.states][:1] == [3]
    assert [len(state["box"]) for state in trace.states][-1] == 0
    assert trace.states[0] is trace.initial
    assert trace.states[-1] == trace.final


def test_iterating_gives_the_steps_with_who_moves_and_what_changes() -> None:
    trace = found()
    first, *_, last = trace
    assert len(trace) == len(list(trace)) == len(trace.steps) == 7
    assert [step.number for step in trace] == list(range(1, 8))
    assert (first.label, first.channel, first.passed, first.processes) == ("box(3): Writer!", "box", (3,), ("Writer",))
    assert first.changes == [("left", 3, 2), ("box", [], [3])]
    assert str(first) == "1. box(3): Writer!; left: 3 -> 2, box: [] -> [3]"
    assert (last.label, last.processes, last.cost) == ("done(1): Reader! Writer?", ("Reader", "Writer"), 1)
    assert [(edge.process, edge.number, edge.source, edge.target) for edge in last.edges] == [
        ("Reader", 1, "waits", "waits"),
        ("Writer", 1, "writes", "rests"),
    ]
    assert str(last.edges[0].edge.guard) == "Reader->read == 1"
    assert all(step.before == before for step, before in zip(trace, trace.states, strict=False))
    assert [step.after for step in trace] == list(trace.states[1:])
    assert [trace[place] for place in range(-7, 7)] == [*trace, *trace]
    for place in (7, -8):
        with pytest.raises(IndexError, match=f"the trace has 7 steps, counted from 0; there is no step {place}"):
            trace[place]


def test_a_change_that_the_label_shows_is_not_said_again() -> None:
    m = Builder("m")
    m.integer("x", 0, 1)
    m.process("P", initial="a").edge("a", "b", do="x = 1")
    trace = symdmc.check(m.build(), error="P.b").trace
    assert trace is not None
    (step,) = trace
    assert str(step) == "1. P: a -> b; x: 0 -> 1"
    assert step.changes == [("P", "a", "b"), ("x", 0, 1)]


def test_a_trace_without_steps_is_a_trace() -> None:
    trace = symdmc.check(mail(), property="begun").trace
    assert trace
    assert (len(trace), list(trace), trace.length, trace.final) == (0, [], 0, trace.initial)
    assert "first state: " in str(trace)


def test_a_trace_with_names_equals_the_one_without() -> None:
    trace, again = found(), found()
    bare = BareTrace(
        fingerprint=trace.fingerprint,
        property=trace.property,
        initial=trace.initial,
        steps=trace.steps,
        error=trace.error,
    )
    assert trace == again == bare == trace
    assert len({trace, again, bare}) == 1
    assert trace != found(mail(2))
    assert copy.copy(trace) == trace
    walked(mail(), trace, trace.error)


def test_a_long_trace_is_cut_and_its_text_can_be_whole() -> None:
    trace = found(mail(20))
    assert len(trace) == 41
    assert "... 21 steps" in str(trace)
    assert "..." not in trace.text(steps=None)
    assert "... 39 steps" in trace.text(steps=2)
    assert trace._repr_html_().count("<tr>") == 22
    assert "... 21 steps" in trace._repr_html_()


def test_a_notebook_shows_texts_as_they_are() -> None:
    result = symdmc.check(mail(), error="left < 1 and 1 < 2")
    assert "<pre>" in result._repr_html_()
    assert "left &lt; 1" in result._repr_html_()
    assert "left <" not in result._repr_html_()


def test_a_result_is_neither_true_nor_false() -> None:
    system = mail()
    safe = symdmc.check(system, error="left == -1", certify=True)
    assert safe.certificate is not None
    results = (
        symdmc.check(system, property="finished"),
        symdmc.certify(system, safe.certificate),
        symdmc.replay(system, found()),
    )
    for each in results:
        with pytest.raises(TypeError, match="`is_safe` or `is_error`"):
            bool(each)
    with pytest.raises(TypeError, match="`states`"):
        bool(symdmc.explore(system))
    assert [(each.is_safe, each.is_error) for each in results] == [(False, True), (True, False), (False, True)]
    stopped = symdmc.check(system, property="finished", time_limit=0)
    assert (stopped.is_safe, stopped.is_error) == (False, False)


def test_faults_and_deadlocks_have_traces_with_names() -> None:
    m = Builder("m")
    m.integer("x", 0, 2)
    m.process("P", initial="s").edge("s", "s", do="x = x + 1")
    explored = symdmc.explore(m.build())
    assert explored.faults is not None
    assert explored.faults.first is not None
    assert explored.faults.first.final["x"] == 2
    assert explored.first_deadlock is not None
    assert explored.first_deadlock.final["x"] == 2
    checked = symdmc.check(m.build(), error="x == -1")
    assert checked.faults is not None
    assert checked.faults.first is not None
    assert checked.faults.first.final["x"] == 2
    assert "check(model, fault=True) shows a way there" in str(checked)
    assert "check(model, deadlock=True) shows the way" in str(explored)


def test_a_certificate_is_held_to_the_question() -> None:
    system = mail()
    result = symdmc.check(system, error="left == -1", certify=True)
    assert result.certificate is not None
    assert symdmc.certify(system, result.certificate).property == "left == -1"
    assert symdmc.certify(symdmc.task_for(system, error="left == -1"), result.certificate).is_safe
    assert symdmc.certify(system, result.certificate, error="left == -1").is_safe
    with pytest.raises(symdmc.EvidenceRefused):
        symdmc.certify(system, result.certificate, property="finished")
    with pytest.raises(symdmc.EvidenceRefused):
        symdmc.certify(symdmc.task_for(system, property="finished"), result.certificate)
    with pytest.raises(symdmc.EvidenceRefused, match="another model"):
        symdmc.certify(mail(2), result.certificate, error="left == -1")


def test_a_limit_that_ends_a_judgement_is_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise LimitReached(Stop.TIME)

    system = mail()
    result = symdmc.check(system, error="left == -1", certify=True)
    assert result.certificate is not None
    monkeypatch.setattr(judging, "certified_within", ended)
    with pytest.raises(symdmc.ResourceLimit, match="time limit reached") as limit:
        symdmc.certify(system, result.certificate, time_limit=60)
    assert limit.value.exit_code == 21


def test_a_trace_is_held_to_the_question() -> None:
    system, trace = mail(), found()
    assert symdmc.replay(system, trace).is_error
    assert symdmc.replay(system, trace, error="left == 1").error is not None
    assert symdmc.replay(symdmc.task_for(system, property="finished"), trace).is_error
    with pytest.raises(symdmc.EvidenceRefused, match="no error state of 'begun'"):
        symdmc.replay(system, trace, property="begun")
    with pytest.raises(symdmc.EvidenceRefused, match="no error state of 'begun'"):
        symdmc.replay(symdmc.task_for(system, property="begun"), trace)
    with pytest.raises(symdmc.EvidenceRefused, match="another model"):
        symdmc.replay(mail(2), trace)


def test_unknown_keywords_and_other_kinds_are_refused() -> None:
    system, trace = mail(), found()
    with pytest.raises(TypeError, match="'eror'"):
        symdmc.replay(system, trace, eror="left == 1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'heuristic'"):
        symdmc.certify(system, "proof.json", heuristic="blind")  # type: ignore[call-arg]
    with pytest.raises(symdmc.ModelError, match="a Trace or the path of a file"):
        symdmc.replay(system, None)  # type: ignore[arg-type]
    with pytest.raises(symdmc.ModelError, match="a Certificate or the path of a file"):
        symdmc.certify(system, trace)  # type: ignore[arg-type]


def test_assert_safe_fails_with_the_trace(tmp_path: Path) -> None:
    system = mail()
    assert symdmc.assert_safe(system, error="left == -1", engine="symbolic").is_safe
    with pytest.raises(AssertionError) as failure:
        symdmc.assert_safe(system, property="finished")
    assert "error reachable: finished" in str(failure.value)
    assert "box(3): Writer!" in str(failure.value)
    with pytest.raises(AssertionError, match="unknown: time limit reached"):
        symdmc.assert_safe(system, property="finished", time_limit=0)


def test_answers_of_a_model_that_was_not_read_have_no_system() -> None:
    stopped = symdmc.check("arbiter_tree:height=2", time_limit=0)
    assert "unknown: time limit reached" in str(stopped)
    assert stopped.to_json()["model"] == "arbiter_tree:height=2"
