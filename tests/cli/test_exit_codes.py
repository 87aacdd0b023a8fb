"""One case for every exit code, and the table in the documentation against them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from symdmc.errors import Code, Complaint, EvidenceRefused
from symdmc.outcome import EXIT_CODES, SearchResult, Stop, Verdict
from symdmc.running.signals import Signalled
from tests.cli.running import ROOT, Runner, run_apart

Prepare = Callable[[pytest.MonkeyPatch, Runner], None]


def nothing(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """Most codes need no preparation."""


def undecided(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """An engine that gives up."""
    answer = SearchResult(verdict=Verdict.UNKNOWN, reason="the engine gave up", property="x == 30")
    monkeypatch.setattr("symdmc.search.explicit.explicit.search", lambda task, **settings: answer)


def without_the_end(search: Callable[..., SearchResult]) -> Callable[..., SearchResult]:
    """A search whose trace lacks its last step."""

    def cut(*args: object, **settings: object) -> SearchResult:
        found = search(*args, **settings)
        assert found.trace is not None
        return replace(found, trace=replace(found.trace, steps=found.trace.steps[:-1]))

    return cut


def lying(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """An engine whose trace does not replay."""
    from symdmc.search.explicit import explicit

    monkeypatch.setattr(explicit, "search", without_the_end(explicit.search))


def lying_about_sets(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """The other engine, likewise."""
    from symdmc.search.symbolic import symbolic

    monkeypatch.setattr(symbolic, "search", without_the_end(symbolic.search))


def broken(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """An engine with a bug."""

    def fail(task: object, **settings: object) -> SearchResult:
        raise ZeroDivisionError("where nobody expects it")

    monkeypatch.setattr("symdmc.search.explicit.explicit.search", fail)


def interrupted(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """Ctrl-C while the task is compiled, where no engine can answer it."""

    def stop(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("symdmc.task.compile_task", stop)


def terminated(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """SIGTERM likewise."""

    def stop(*args: object) -> None:
        raise Signalled(Stop.TERMINATED)

    monkeypatch.setattr("symdmc.task.compile_task", stop)


def hung_up(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """SIGHUP likewise."""

    def stop(*args: object) -> None:
        raise Signalled(Stop.HANG_UP)

    monkeypatch.setattr("symdmc.task.compile_task", stop)


def exhausted(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """A machine without memory."""

    def fail(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr("symdmc.task.compile_task", fail)


def saved(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """A trace of counter.dve."""
    assert symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json").code == 10


X30 = ("counter.dve", "--error", "x == 30")
X31 = ("counter.dve", "--error", "x == 31")
PDB = ("--heuristic", "pdb", "--pattern", "x")
BUILD = ("patterndb", "build", *X30, "--pattern", "x", "-o", "x.pdb")


def proved(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """A certificate of counter.dve, and one that has an error state in it."""
    assert symdmc("check", *X31, "--certificate", "proof.json").code == 0
    text = Path("proof.json").read_text(encoding="utf-8")
    Path("forged.json").write_text(text.replace("x == 31", "x == 30"), encoding="utf-8")
    Path("half.json").write_text(text[: len(text) // 2], encoding="utf-8")


def built(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """A database of counter.dve."""
    assert symdmc(*BUILD).code == 0


def lying_about_directions(monkeypatch: pytest.MonkeyPatch, symdmc: Runner) -> None:
    """A directed search whose trace does not replay."""
    from symdmc.search.directed import directed as hybrid

    monkeypatch.setattr(hybrid, "search", without_the_end(hybrid.search))


CASES = [
    (0, nothing, ("check", "counter.dve", "--error", "x == 31")),
    (0, nothing, ("check", "counter.dve", "--error", "x == 31", "--engine", "symbolic")),
    (0, nothing, ("explore", "counter.dve")),
    (11, nothing, ("check", "divide.dve", "--error", "x == 9", "--fail-on-fault")),
    (0, nothing, ("explore", "counter.dve", "--engine", "symbolic")),
    (0, nothing, ("show", "counter.dve")),
    (0, nothing, ("simulate", "counter.dve", "--random", "3")),
    (0, saved, ("replay", "counter.dve", "trace.json")),
    (0, proved, ("certify", "counter.dve", "proof.json")),
    (0, proved, ("certify", *X31, "proof.json")),
    (0, nothing, BUILD),
    (0, built, ("patterndb", "show", "x.pdb", *X30)),
    (0, built, ("patterndb", "lookup", "x.pdb", *X30)),
    (0, built, ("patterndb", "compare", "x.pdb", "x.pdb", *X30)),
    (0, nothing, ("patterndb",)),
    (0, nothing, ("compare", *X31, "--config", "bfs")),
    (0, nothing, ("check", *X31, *PDB)),
    (0, nothing, ("check", *X31, "--heuristic", "blind", "--search", "greedy")),
    (0, nothing, ("--version",)),
    (0, nothing, ()),
    (2, nothing, ("check", *X30, "--time-limit", "-1")),
    (2, nothing, ("check", *X30, "--memory-limit", "0")),
    (2, nothing, ("check", *X30, "--search", "sideways")),
    (2, nothing, ("check", *X30, "--direction", "forward")),
    (2, nothing, ("check", *X30, "--engine", "symbolic", "--search", "dfs")),
    (2, nothing, ("check", *X30, "--engine", "symbolic", "--layers", "layers.png")),
    (2, nothing, ("explore", "counter.dve", "--engine", "symbolic", "--merge-limit", "-1")),
    (2, nothing, ("check", *X30, *PDB, "--search", "wastar")),
    (2, nothing, ("check", *X30, "--heuristic", "dowsing")),
    (2, nothing, ("certify", "counter.dve")),
    (2, nothing, ("certify", "counter.dve", "proof.json", "--node-limit", "1")),
    (2, nothing, ("patterndb", "build", *X30, "--pattern", "x")),
    (2, nothing, ("patterndb", "lookup", "x.pdb")),
    (2, nothing, ("patterndb", "bild")),
    (2, nothing, ("compare", *X30)),
    (2, nothing, ("compare", *X30, "--config", "bfs", "--columns", "colour")),
    (2, nothing, ("chek", "counter.dve")),
    (2, nothing, ("check",)),
    (10, nothing, ("check", *X30)),
    (10, nothing, ("check", *X30, "--engine", "symbolic")),
    (10, nothing, ("check", *X30, *PDB)),
    (10, built, ("check", *X30, "--heuristic", "pdb", "--database", "x.pdb")),
    (10, nothing, ("check", *X30, "--heuristic", "blind", "--search", "idastar")),
    (20, undecided, ("check", *X30)),
    (20, nothing, ("check", *X31, "--heuristic", "blind", "--search", "bitstate")),
    (21, nothing, ("check", *X30, "--time-limit", "0")),
    (21, nothing, ("explore", "counter.dve", "--time-limit", "0")),
    (21, nothing, ("check", *X30, "--engine", "symbolic", "--time-limit", "0")),
    (21, nothing, ("explore", "counter.dve", "--engine", "symbolic", "--time-limit", "0")),
    (21, nothing, ("check", *X30, *PDB, "--time-limit", "0")),
    (21, nothing, ("check", *X30, "--heuristic", "blind", "--time-limit", "0")),
    (21, nothing, (*BUILD, "--time-limit", "0")),
    (22, nothing, ("show", "counter.dve", "--memory-limit", "1")),
    (22, nothing, ("check", *X30, *PDB, "--memory-limit", "1")),
    (22, nothing, ("check", *X30, "--heuristic", "blind", "--memory-limit", "1")),
    (22, nothing, (*BUILD, "--memory-limit", "1")),
    (22, nothing, ("check", *X30, "--memory-limit", "1")),
    (22, nothing, ("check", *X30, "--engine", "symbolic", "--memory-limit", "1")),
    (22, nothing, ("check", *X30, "--engine", "symbolic", "--node-limit", "1")),
    (22, nothing, ("explore", "counter.dve", "--engine", "symbolic", "--node-limit", "1")),
    (22, exhausted, ("check", *X30)),
    (30, nothing, ("check", "missing.dve")),
    (30, nothing, ("check", *X30, "--heuristic", "pdb", "--pattern", "nobody")),
    (30, nothing, ("check", *X30, "--heuristic", "pdb", "--database", "missing.pdb")),
    (30, nothing, ("check", *X30, "--certificate", "missing/proof.json")),
    (30, built, ("check", *X31, "--heuristic", "pdb", "--database", "x.pdb")),
    (30, nothing, ("certify", "counter.dve", "missing.json")),
    (30, proved, ("certify", "counter.dve", "half.json")),
    (30, proved, ("certify", "missing.dve", "proof.json")),
    (30, nothing, ("patterndb", "build", *X30, "--pattern", "nobody", "-o", "x.pdb")),
    (30, nothing, ("patterndb", "build", *X30, "--pattern", "x", "-o", "missing/x.pdb")),
    (30, nothing, ("patterndb", "show", "missing.pdb", *X30)),
    (30, nothing, ("compare", *X30, "--config", "sideways")),
    (30, nothing, ("compare", "missing.dve", "--config", "bfs")),
    (30, nothing, ("compare", *X30, "--config", "bfs", "--results", "missing/runs.jsonl")),
    (30, built, ("patterndb", "lookup", "x.pdb", *X31)),
    (31, nothing, ("check", "timed.py")),
    (31, nothing, ("check", "timed.py", *PDB)),
    (31, nothing, ("patterndb", "build", "timed.py", "--pattern", "P", "-o", "x.pdb")),
    (30, nothing, ("check", *X30, "--engine", "symbolic", "--layers", "missing/layers.svg")),
    (39, lying, ("check", *X30)),
    (39, lying_about_sets, ("check", *X30, "--engine", "symbolic")),
    (39, lying_about_directions, ("check", *X30, *PDB)),
    (39, broken, ("check", *X30)),
    (40, saved, ("replay", "talk.dve", "trace.json")),
    (40, saved, ("check", "talk.dve", "--shorten", "trace.json")),
    (40, proved, ("certify", "counter.dve", "forged.json")),
    (40, proved, ("certify", "talk.dve", "proof.json")),
    (40, proved, ("certify", *X30, "proof.json")),
    (129, hung_up, ("check", *X30)),
    (143, terminated, ("check", *X30)),
    (130, interrupted, ("check", *X30)),
    (130, interrupted, ("check", *X30, *PDB)),
    (130, interrupted, BUILD),
    (130, interrupted, ("check", *X30, "--engine", "symbolic")),
]


@pytest.mark.parametrize(("code", "prepare", "args"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_every_outcome_has_its_exit_code(
    code: int, prepare: Prepare, args: tuple[str, ...], symdmc: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(monkeypatch, symdmc)
    ran = symdmc(*args)
    assert ran.code == code, ran
    assert "Traceback" not in ran.err
    if code in (2, 30, 31, 39, 40, 129, 130, 143):
        assert ran.out == ""
        assert all(line.startswith(("error: ", "warning: ", "note: ")) for line in ran.err.splitlines())


def test_the_documented_exit_codes_are_those_of_the_cases() -> None:
    rows = re.findall(r"^\| `?(\d+)`? \|", (ROOT / "docs/cli.md").read_text(), re.MULTILINE)
    assert sorted({int(row) for row in rows}) == sorted({1, *(code for code, _, _ in CASES)})


@pytest.mark.parametrize(
    ("code", "prepare", "args"),
    [case for case in CASES if case[2][:1] in (("check",), ("explore",), ("certify",)) or case[2][:2] == BUILD[:2]],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_json_names_the_exit_code_of_every_answer(
    code: int, prepare: Prepare, args: tuple[str, ...], symdmc: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(monkeypatch, symdmc)
    ran = symdmc(*args, "--json")
    assert ran.code == code
    assert ran.document["exit_code"] == code
    assert ran.document["reason"]
    answers = {0: "safe", 10: "error", 11: "safe", 20: "unknown", 21: "unknown", 22: "unknown"}
    verdicts = {"check": answers, "certify": {0: "safe"}, "patterndb": {21: "unknown", 22: "unknown"}}
    expected = verdicts.get(args[0], {}).get(code) if prepare is not exhausted else None
    assert ran.document["verdict"] == expected


@pytest.mark.parametrize("stop", [Stop.INTERRUPT, Stop.TERMINATED, Stop.HANG_UP])
def test_a_signal_before_the_command_begins_has_its_exit_code(
    symdmc: Runner, monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    def stopped(*args: object) -> None:
        raise KeyboardInterrupt if stop is Stop.INTERRUPT else Signalled(stop)

    monkeypatch.setattr("symdmc.cli.main.import_module", stopped)
    ran = symdmc("check", *X30)
    assert ran.code == EXIT_CODES[stop]
    assert ran.err.strip() == f"error: {stop.words}"


def test_an_internal_error_says_how_to_report_it(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, symdmc)
    first, second = symdmc("check", *X30).err.splitlines()
    assert first == "error: internal error: ZeroDivisionError: where nobody expects it"
    assert "report" in second


def test_the_traceback_is_there_for_those_who_ask(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, symdmc)
    monkeypatch.setenv("SYMDMC_DEBUG", "1")
    assert "Traceback" in symdmc("check", *X30).err


def test_a_trace_that_fails_its_own_replay_is_never_shown(symdmc: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise EvidenceRefused(Complaint(Code.TRACE_DOES_NOT_REPLAY, "step 1 of 10: no such step"))

    monkeypatch.setattr("symdmc.checking.checks.replay", refuse)
    ran = symdmc("check", *X30, "--trace", "trace.json")
    assert (ran.code, ran.out) == (39, "")
    assert not Path("trace.json").exists()


def test_python_m_symdmc_ends_with_the_exit_code(folder: Path) -> None:
    assert run_apart("check", *X30, "--quiet", cwd=folder).code == 10
