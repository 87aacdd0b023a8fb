"""Random definitions of derived variables: conditions over a task, and values of its variables merged by chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st

from symdmc.model.expressions import Binary, Literal
from symdmc.task.definitions import Definition, Holds
from symdmc.task.merged_values import merged_by
from symdmc.task.task import Task
from tests.strategies import COMPARISONS, expressions

Draw: TypeAlias = Callable[..., Any]
"""Draws from a strategy; not a strategy itself, so that no message has to show the task."""


def draw_definitions(draw: Draw, task: Task, *, most: int = 4) -> list[Definition]:
    """Some different definitions over a task."""
    makers = (_predicate, _merged)
    chosen = [draw(st.sampled_from(makers))(draw, task) for _ in range(draw(st.integers(1, most)))]
    return list(dict.fromkeys(chosen))


def _predicate(draw: Draw, task: Task) -> Definition:
    """A comparison of an expression with a number, or any expression at all; it may fault."""
    expression = draw(expressions(task.system, depth=2))
    if draw(st.booleans()):
        bound = draw(st.integers(-2, 4))
        return Holds(Binary(draw(st.sampled_from(COMPARISONS)), expression, Literal(bound)))
    return Holds(expression)


def _merged(draw: Draw, task: Task) -> Definition:
    """The values of a variable in up to four classes, neighbours together or not."""
    number = draw(st.integers(0, len(task.variables) - 1))
    values = task.analysis.domains[number].array
    most = draw(st.integers(1, 4))
    owner = draw(st.lists(st.integers(0, most - 1), min_size=1, max_size=12))
    owners = np.resize(np.array(owner), len(values))
    if draw(st.booleans()):
        owners = np.sort(owners)
    return merged_by(task, number, [values[owners == each] for each in range(most)])
