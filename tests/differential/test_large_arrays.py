"""Arrays with more cells than numpy has dimensions, read and written by computed indices, in every symbolic engine."""

from __future__ import annotations

import pytest

from symdmc.api.checking import check
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.outcome import Verdict

SIZES = (65, 300)


def _system(size: int, *steps: str, guard: str = "1", bound: int = 3) -> System:
    """A counter, an array that is read and written where the counter says, and a process with the given steps."""
    m = Builder("large")
    m.integer("i", 0, bound)
    m.byte("a", size=size)
    m.byte("x")
    p = m.process("P", initial="q")
    for step in steps:
        p.edge("q", "q", guard=guard, do=step)
    return m.build()


MODELS = {
    "cells that never change in an effect": (("i = (a[i] + i) % 4, a[i] = a[i] * 0",), "1", 3),
    "a cell names a cell": (("i = (i + 1) % 4", "a[i] = (a[a[i]] + i) % 3"), "1", 3),
    "costly operators": (("i = (i + 1) % 4", "x = (a[i] * 3 + i * 5) % 7, a[i] = x % 2"), "1", 3),
    "in a guard": (("i = (i + 1) % 4, a[i] = i % 2",), "a[(i * i) % 4] * i / 2 < 2", 3),
    "at the end": (("i = i + 1", "a[i + {last}] = (a[i + {last}] + 1) % 2, x = a[i + {last}]"), "i < 3", 3),
    "past the end": (("i = i + 1", "a[i + {last}] = 1, x = a[i + {last}]"), "1", 4),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", MODELS)
def test_symbolic_engines_agree_with_the_explicit_one(name: str, size: int) -> None:
    steps, guard, bound = MODELS[name]
    system = _system(size, *(step.format(last=size - 4) for step in steps), guard=guard, bound=bound)
    error = f"a[i * {size // 4}] == 1 and x + i >= 3"
    expected = check(system, error=error)
    assert expected.verdict is not Verdict.UNKNOWN
    for direction in ("forward", "backward", "bidirectional"):
        found = check(system, error=error, engine="symbolic", direction=direction)
        assert (found.verdict, found.length) == (expected.verdict, expected.length)
