"""pdb: pattern databases, of a selection or of patterns that are given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

from symdmc.errors import Code, Complaint, ModelError
from symdmc.heuristics.estimates.database_request import Projection
from symdmc.heuristics.estimates.databases import require_own
from symdmc.heuristics.estimates.patterns import Kept, PatternHeuristic, selection_spelled
from symdmc.heuristics.heuristic import Making
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.store import read_database
from symdmc.spelling.parameters import Between
from symdmc.spelling.spelled import Spelled, spelled
from symdmc.task.variable_names import pattern_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDatabases(PatternHeuristic):
    """Pattern databases, of a selection or of a pattern by hand; admissible and consistent.

    keep: the pattern by hand, names with `/` between them
    projection: how what is not kept is dropped
    order: how the variables lie in the diagrams
    work: of a selection, most work before the search begins, in nodes of diagrams; 0 is any work
    """

    ARGUMENT: ClassVar[str | None] = "selection"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb,keep=*", "pdb,keep=*,perimeter=1")
    BUILD: ClassVar[tuple[str, ...]] = ("complete", "projection", "perimeter", "order")

    projection: Projection | None = None
    order: Literal["declared", "force", "local", "hubs"] | None = None
    work: Annotated[int, Between(0, 10**15)] | None = None

    @classmethod
    def read(cls, words: Spelled) -> Self:
        """The heuristic of a spelling such as `pdb:dpr` or `pdb,keep=P/x`."""
        if words.argument is None:
            options = words.into(cls)
            if options.work is not None:
                what = "patterns by hand get all the work they need"
                raise ModelError(
                    Complaint(Code.OPTIONS_CONFLICT, what, "leave out 'work', or name a selection", words.text)
                )
            return options
        own, rest = words.split(each.name for each in cls.parameters())
        options = own.into(cls)
        if options.keep is not None:
            what = "a selection chooses what is kept"
            raise ModelError(Complaint(Code.OPTIONS_CONFLICT, what, "leave out 'keep' or the selection", words.text))
        inner = replace(spelled(words.argument), options=rest.options, text=words.text)
        return replace(options, chosen_by=selection_spelled("selection", "pdb", inner))

    @property
    def needs_pattern(self) -> bool:
        """Where neither a selection nor `keep` says what is kept, the request must."""
        return self.chosen_by is None and self.keep is None

    def kept(self, making: Making) -> list[Kept]:
        """What the selection, `keep` or the request says."""
        if self.chosen_by is not None:
            return self.kept_by_selection(making)
        if self.keep is not None:
            return [self.kept_besides(making.task)]
        return [pattern_numbers(making.task, names) for names in making.databases.patterns]

    def read_files(self, making: Making) -> list[PatternDatabase]:
        """The databases that the request names."""
        if not self.needs_pattern:
            return []
        require_own(making.task, making.databases.opened)
        return [*making.databases.opened, *(read_database(path, making.task) for path in making.databases.files)]
