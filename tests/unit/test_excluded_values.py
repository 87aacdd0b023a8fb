"""A step that stores a value which value analysis has excluded would be a bug of ours: it never passes unnoticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symdmc.errors import InternalError
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.search.explicit import compiled as compiled_search
from symdmc.search.explicit.explicit import explore, search
from symdmc.task import Task, compile_task
from symdmc.task.values.domains import Domain


def _mistaken(domain: Domain, step: str, cell: bool) -> Task:
    """A task that goes from 3 to 7 and 0 in single steps, and believes of the variable what the domain says."""
    m = Builder("m")
    m.integer("x", 0, 7, size=2 if cell else None, initial=3)
    x = "x[i]" if cell else "x"
    if cell:
        m.integer("i", 0, 1)
    m.process("P", initial="s").edge("s", "s", guard=f"{x} > 0 and {x} < 7", do=f"{x} = {x} {step} 1")
    task = compile_task(m.build(), ErrorCondition(name="nothing"))
    number = next(n for n, variable in enumerate(task.variables) if variable.name.startswith("x"))
    domains = list(task.analysis.domains)
    domains[number] = domain
    task.__dict__["analysis"] = replace(task.analysis, domains=tuple(domains))
    return task


@pytest.mark.parametrize("native_from", [0, 1 << 62])
@pytest.mark.parametrize(
    ("domain", "step", "cell"),
    [
        (Domain(1, 7), "-", False),
        (Domain(1, 7), "-", True),
        (Domain(0, 6), "+", False),
        (Domain(0, 3), "+", True),  # machine code lets a cell have what fits into its bits
    ],
)
def test_a_value_below_or_above_what_was_allowed_ends_the_run_as_a_bug(
    domain: Domain, step: str, cell: bool, native_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_search, "NATIVE_FROM", native_from)
    monkeypatch.setattr(compiled_search, "FIRST_SLICE", 1)
    task = _mistaken(domain, step, cell)
    with pytest.raises(InternalError, match="left the values that value analysis allows"):
        explore(task, compiled=True)
    with pytest.raises(InternalError, match="left the values that value analysis allows"):
        search(task, compiled=True)


@pytest.mark.parametrize("native_from", [0, 1 << 62])
@pytest.mark.parametrize("step", ["-", "+"])
def test_the_least_and_the_largest_value_allowed_are_no_bug(
    step: str, native_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_search, "NATIVE_FROM", native_from)
    monkeypatch.setattr(compiled_search, "FIRST_SLICE", 1)
    domain = Domain(0, 3) if step == "-" else Domain(3, 7)
    assert explore(_mistaken(domain, step, False), compiled=True).states == (4 if step == "-" else 5)
