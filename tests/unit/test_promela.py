"""The Promela text of a system has its steps, and Spin finds as many states as we do."""

from __future__ import annotations

import pytest

import symdmc
from benchmarks.promela import promela
from benchmarks.spin import missing_programs, read_report, run_spin

REPORT = """\
State-vector 28 byte, depth reached 27, errors: 0
   180224 states, stored
\t  180224 nominal states (stored-atomic)
  1017857 transitions (= stored+matched)
  143.723\ttotal actual memory usage


pan: elapsed time 0.62 seconds
pan: rate 290683.87 states/second
"""


def test_each_step_is_one_option() -> None:
    system = symdmc.load("hanoi:disks=2,variant=plain")
    text = promela(system)
    assert text.count("::") == 12
    assert "    :: d_step { at[1] == 0 && at[0] == 2 -> at[1] = 1 }\n" in text


def test_a_rendezvous_moves_both_processes_at_once() -> None:
    text = promela(symdmc.load("arbiter_tree:height=2,faulty=false"))
    assert "    :: d_step { at[1] == 1 && at[0] == 0 -> at[1] = 2; at[0] = 1 }\n" in text


def test_systems_with_variables_are_refused() -> None:
    m = symdmc.Builder("counter")
    m.integer("x", 0, 3)
    m.process("P", initial="here").edge("here", "here", guard="x < 3", do="x = x + 1")
    with pytest.raises(ValueError, match="counter has variables"):
        promela(m.build())


def test_the_numbers_of_a_report_are_read() -> None:
    run = read_report(REPORT)
    assert (run.states, run.transitions, run.depth, run.seconds, run.memory_mb) == (180224, 1017856, 27, 0.62, 143.723)
    assert run.rate == pytest.approx(290684, rel=1e-5)


def test_a_report_of_a_search_that_was_cut_off_is_refused() -> None:
    with pytest.raises(RuntimeError, match="did not finish"):
        read_report(REPORT.replace("errors: 0", "errors: 1"))
    with pytest.raises(RuntimeError, match="did not finish"):
        read_report("Warning: Search not completed\n" + REPORT)


@pytest.mark.skipif(bool(missing_programs()), reason="spin and gcc are not both installed")
@pytest.mark.parametrize(
    "model",
    [
        "arbiter_tree:height=2,faulty=false",
        "arbiter_tree:height=2,variant=seed",
        "hanoi:disks=3",
        "random_system:seed=3",
    ],
)
def test_spin_finds_the_same_states_steps_and_depth(model: str) -> None:
    system = symdmc.load(model)
    ours, (spins,) = symdmc.explore(system), run_spin(system)
    assert (ours.states, ours.transitions, ours.depth) == (spins.states, spins.transitions, spins.depth)
