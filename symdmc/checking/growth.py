"""The recipes of the selections that build databases while they choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from symdmc.spelling.parameters import Between

if TYPE_CHECKING:
    from symdmc.selection.selection import Selection
    from symdmc.task import Task

MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Systematic:
    """All connected patterns of few variables that lead to the error condition; many small databases.

    size: most variables of a pattern
    patterns: most patterns
    """

    ARGUMENT: ClassVar[str | None] = "size"

    size: Annotated[int, Between(1, MOST)] = 2
    patterns: Annotated[int, Between(1, MOST)] = 100

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.systematic import selection_systematic

        return selection_systematic(task, size=self.size, patterns=self.patterns, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A pattern that grows from the error condition while the mean estimate of sampled states grows.

    samples: states met by random walks
    seed: decides how the walks go
    databases: most databases that are tried
    """

    ARGUMENT: ClassVar[str | None] = None

    samples: Annotated[int, Between(1, MOST)] = 200
    seed: Annotated[int, Between(0, MOST)] = 0
    databases: Annotated[int, Between(1, MOST)] = 100

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.sampled import selection_sampled

        return selection_sampled(task, samples=self.samples, seed=self.seed, databases=self.databases, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """A pattern that grows from the error condition by what stops its shortest abstract traces.

    rounds: most refinements
    added: most variables that one refinement adds
    """

    ARGUMENT: ClassVar[str | None] = None

    rounds: Annotated[int, Between(0, MOST)] = 100
    added: Annotated[int, Between(1, MOST)] = 8

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.cegar import selection_cegar

        return selection_cegar(task, rounds=self.rounds, added=self.added, report=report)
