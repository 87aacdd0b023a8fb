"""The families with digital clocks have the known sizes and shortest traces; without their fault they are safe."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.checking.checks import task_for
from symdmc.checking.request import Engine
from symdmc.model.system import System
from symdmc.outcome import Verdict


def answer(system: System, engine: Engine = "explicit") -> tuple[Verdict, int | None]:
    """The verdict, and the length of a shortest trace if there is one."""
    result = symdmc.check(system, engine=engine)
    assert result.trace is None or result.shortest
    return result.verdict, result.length


@pytest.mark.parametrize(
    ("n", "variant", "faulty", "states"),
    [
        (2, "fb", "false", 43),
        (3, "fb", "false", 237),
        (5, "fb", "false", 7_433),
        (7, "fb", "false", 236_029),
        (3, "fb", "true", 579),
        (3, "fa", "false", 249),
        (5, "fa", "false", 7_513),
        (3, "fa", "true", 762),
    ],
)
def test_fischers_protocol_has_the_known_size(n: int, variant: str, faulty: str, states: int) -> None:
    assert symdmc.explore(f"fischer:n={n},variant={variant},faulty={faulty}").states == states


@pytest.mark.parametrize("variant", ["fb", "fa"])
def test_two_processes_enter_after_a_wait_that_is_too_short(variant: str) -> None:
    for n in (2, 4):
        for engine in ("explicit", "symbolic"):
            system = symdmc.load("fischer", n=n, variant=variant)
            assert answer(system, engine) == (Verdict.ERROR, 6)
            correct = symdmc.load("fischer", n=n, variant=variant, faulty=False)
            assert answer(correct, engine) == (Verdict.SAFE, None)


def test_sets_of_states_prove_fischers_protocol_for_many_processes() -> None:
    task = task_for(symdmc.load("fischer", n=12, faulty=False))
    assert symdmc.pattern_database(task, keep="*", order="hubs").proves_safety


MUTEX = {
    # length, and states with the fault and without it
    "M1": (42, 214_392, 77_580),
    "N1": (45, 319_764, 119_880),
}


@pytest.mark.parametrize("instance", MUTEX)
def test_mutual_exclusion_fails_by_a_bound_that_is_too_generous(instance: str) -> None:
    length, faulty, correct = MUTEX[instance]
    assert answer(symdmc.load("mutex", instance=instance)) == (Verdict.ERROR, length)
    assert symdmc.explore(f"mutex:instance={instance}").states == faulty
    safe = symdmc.load("mutex", instance=instance, faulty=False)
    assert symdmc.explore(safe).states == correct
    assert answer(safe) == (Verdict.SAFE, None)


@pytest.mark.parametrize(("instance", "length"), [("M1", 42), ("M2", 43), ("M3", 48), ("N1", 45), ("N4", 52)])
def test_sets_of_states_give_the_same_answers_for_mutual_exclusion(instance: str, length: int) -> None:
    assert answer(symdmc.load("mutex", instance=instance), "symbolic") == (Verdict.ERROR, length)
    assert answer(symdmc.load("mutex", instance=instance, faulty=False), "symbolic") == (Verdict.SAFE, None)


def test_a_user_is_busy_where_it_is_unsafe_and_no_cycle_is_too_long() -> None:
    system = symdmc.load("mutex", instance="M2", faulty=False)
    unsafe = " or ".join(f"User1.{place}" for place in ("unsafe", "unsafe_read", "unsafe_test"))
    wrong = [f"busy_1 != ({unsafe})", "User1->z > 4", "Control->z > 2"]
    assert symdmc.check(system, error=wrong).verdict is Verdict.SAFE


@pytest.mark.parametrize(("n", "faulty", "correct"), [(1, 17_198, 8_618), (2, 119_678, 59_858)])
def test_an_air_conditioner_in_a_hurry_makes_it_too_hot(n: int, faulty: int, correct: int) -> None:
    assert symdmc.explore(f"air_conditioning:n={n}").states == faulty
    assert symdmc.explore(f"air_conditioning:n={n},faulty=false").states == correct
    for engine in ("explicit", "symbolic"):
        assert answer(symdmc.load("air_conditioning", n=n), engine) == (Verdict.ERROR, 186)
        assert answer(symdmc.load("air_conditioning", n=n, faulty=False), engine) == (Verdict.SAFE, None)


@pytest.mark.parametrize("model", ["fischer:n=4", "mutex:instance=M1", "air_conditioning:n=2"])
def test_none_of_them_gets_stuck_or_faults(model: str) -> None:
    for faulty in ("true", "false"):
        space = symdmc.explore(f"{model},faulty={faulty}")
        assert space.deadlocks == 0
        assert space.faults is not None
        assert space.faults.states == 0
