"""The recipes of the selections that look at who influences whom, or at abstract error paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from symdmc.spelling.parameters import Between

if TYPE_CHECKING:
    from symdmc.selection.selection import Selection
    from symdmc.task import Task

MOST_STEPS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeOfInfluence:
    """The variables near the error condition.

    depth: through how many transitions they may influence it; all of them where it is left out
    """

    ARGUMENT: ClassVar[str | None] = "depth"

    depth: Annotated[int, Between(0, MOST_STEPS)] | None = None

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.coi import selection_coi

        return selection_coi(task, depth=self.depth, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class RussianDoll:
    """The variables that an abstract error path touches, and those in guards of the processes that move on it.

    indirect: false looks for what guards need only, not for the values that are assigned
    """

    ARGUMENT: ClassVar[str | None] = None

    indirect: bool = True

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.russian_doll import selection_russian_doll

        return selection_russian_doll(task, indirect=self.indirect, report=report)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownwardRefinement:
    """Downward pattern refinement: all variables but those without which an inner estimate stays the same.

    inner: the estimate that must stay
    clocks: whether digital clocks may be dropped too
    """

    ARGUMENT: ClassVar[str | None] = None

    inner: Literal["hU", "hL", "fsm"] = "hU"
    clocks: Literal["keep", "judge"] = "keep"

    def select(self, task: Task, report: Callable[[str], None]) -> Selection:
        """The patterns."""
        from symdmc.selection.dpr import selection_dpr

        return selection_dpr(task, inner=self.inner, clocks=self.clocks, report=report)
