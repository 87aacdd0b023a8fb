"""What every pattern selection returns: patterns, the reasons, and an answer if one was met on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.outcome import Reason as Reason
from symdmc.outcome import SearchResult
from symdmc.spelling.components import Component
from symdmc.task.definitions import Definition
from symdmc.task.task import Task

Report: TypeAlias = Callable[[str], None]
"""Is told what a selection does now."""

Pattern = tuple[int, ...]
"""The numbers of the variables that are kept, in the order of the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Patterns for the databases of a task, chosen in a way that is the same on every machine."""

    name: str
    """As it is spelled on the command line."""
    patterns: tuple[Pattern, ...]
    reasons: tuple[Reason, ...]
    """One for each variable of the task, in its order, or for each predicate looked at."""
    steps: tuple[str, ...] = ()
    """What was tried, in order: one line each, such as a removal with the estimate before and after."""
    followed: int = 0
    """States that were stepped from on abstract traces."""
    answer: SearchResult | None = None
    """Where choosing has settled the question itself: a trace that was found, or a proof with its certificate."""
    predicates: tuple[tuple[Predicate, ...], ...] = ()
    """Of a selection of predicates: for each database its own, instead of patterns."""
    definitions: tuple[Definition, ...] = ()
    """Of derived variables: in the patterns they have the numbers behind the variables of the task, in this order."""


def silent(words: str) -> None:
    """A report that nobody hears."""


class SelectionOptions(Component, ABC):
    """A selection with its options: it chooses what the databases of a task keep."""

    @abstractmethod
    def select(self, task: Task, report: Report = silent) -> Selection:
        """What the databases keep, with the reasons. The same on every machine: budgets count."""


def reasons_for(
    task: Task, kept: Sequence[int], why_kept: dict[int, str], why_dropped: dict[int, str]
) -> tuple[Reason, ...]:
    """One reason for each variable; every kept variable needs one in `why_kept`, every other in `why_dropped`."""
    chosen = frozenset(kept)
    return tuple(
        Reason(
            variable=variable.name, kept=number in chosen, why=(why_kept if number in chosen else why_dropped)[number]
        )
        for number, variable in enumerate(task.variables)
    )
