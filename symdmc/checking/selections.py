"""Pattern selections by their spelling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from symdmc.checking import growth, relevance
from symdmc.checking.names import SELECTIONS as NAMES
from symdmc.checking.names import require_known
from symdmc.spelling.spelled import Spelled

if TYPE_CHECKING:
    from symdmc.selection.selection import Selection
    from symdmc.task import Task

Report = Callable[[str], None]


class Selecting(Protocol):
    """A selection with its options, ready to be made. The docstring says what it is, and what its options are."""

    ARGUMENT: ClassVar[str | None]
    """The option that may stand behind the colon."""

    def select(self, task: Task, report: Report) -> Selection:
        """The patterns; `report` is told what is done now."""


SELECTIONS: Mapping[str, type[Selecting]] = {
    "coi": relevance.ConeOfInfluence,
    "russian-doll": relevance.RussianDoll,
    "dpr": relevance.DownwardRefinement,
    "systematic": growth.Systematic,
    "sampled": growth.Sampled,
    "cegar": growth.Refinement,
}


def selection_spelled(words: Spelled) -> Selecting:
    """The selection that is spelled; raises ModelError where there is none or an option is wrong."""
    require_known("selection", words.name, NAMES)
    recipe = SELECTIONS[words.name]
    return words.into(recipe, recipe.ARGUMENT)
