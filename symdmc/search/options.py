"""What a caller may ask of a search."""

from __future__ import annotations

from typing import ClassVar

from symdmc.spelling.components import Component


class SearchOptions(Component):
    """A search with its options."""

    NAME: ClassVar[str]
    IS_DIRECTED: ClassVar[bool] = False
    """It needs a heuristic."""
    IS_OPTIMAL: ClassVar[bool] = False
    """Its trace is a shortest one; of a directed search, if the heuristic is admissible."""
    IS_RANDOM: ClassVar[bool] = False
    """Another seed gives another search."""
    IS_SYMBOLIC: ClassVar[bool] = False
    """The symbolic engine has it too."""

    @property
    def spelling(self) -> str:
        """How it is written."""
        return self.NAME
