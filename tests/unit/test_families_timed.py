"""The families with digital clocks have the known sizes and shortest traces; without their fault they are safe."""

from __future__ import annotations

import pytest

import symdmc
from symdmc.model.system import System
from symdmc.outcome import Verdict


def answer(system: System, engine: str = "explicit") -> tuple[Verdict, int | None]:
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
    for n in (2, 3, 5):
        for engine in ("explicit", "symbolic"):
            system = symdmc.load("fischer", n=n, variant=variant)
            assert answer(system, engine) == (Verdict.ERROR, 6)
            correct = symdmc.load("fischer", n=n, variant=variant, faulty=False)
            assert answer(correct, engine) == (Verdict.SAFE, None)


def test_sets_of_states_prove_fischers_protocol_for_many_processes() -> None:
    task = symdmc.load("fischer", n=12, faulty=False).task()
    assert symdmc.pattern_database(task, "*", order="hubs").proves_safety
