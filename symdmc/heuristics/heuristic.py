"""What every heuristic states about itself and answers for a state, and how one is made from its options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.lookup.tables import TableGroup
from symdmc.running.run import Run
from symdmc.selection.selection import Selection, SelectionOptions
from symdmc.spelling.abridged import brief
from symdmc.spelling.components import Component
from symdmc.task.task import Task, Values

if TYPE_CHECKING:
    from symdmc.heuristics.estimates.patterns import PatternHeuristic


class TaskHeuristic(Protocol):
    """Estimates the cost of a cheapest path from a state of a task to an error state.

    Whatever else it promises, it calls a state a dead end only where no error state can be reached.
    """

    @property
    def name(self) -> str:
        """As it is spelled on the command line."""

    @property
    def admissible(self) -> bool:
        """No estimate is larger than the distance."""

    @property
    def consistent(self) -> bool:
        """No estimate is larger than the cost of a step plus the estimate behind the step."""

    @property
    def groups(self) -> tuple[TableGroup, ...] | None:
        """The tables that the compiled searches look up; None: `estimate` is the only way, and searches are slow."""

    @property
    def floor(self) -> int:
        """The least estimate of a state that is no error state, whatever the tables say; 0 says nothing."""

    def estimate(self, values: Values) -> int | None:
        """The estimate for a state given by its values, without compiled code; None for a dead end."""


def shown(heuristic: TaskHeuristic) -> str:
    """The `repr` of a heuristic: its name and its promises."""
    promises = {"admissible": heuristic.admissible, "consistent": heuristic.consistent}
    return brief(type(heuristic).__name__, heuristic.name, **promises)


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What a heuristic is made from."""

    task: Task
    run: Run
    databases: DatabaseRequest = DatabaseRequest()
    """What the request says about databases."""
    selection: Selection | None = None
    """What the selection of this heuristic has chosen, if it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A heuristic for a task, with what there is to say about it."""

    heuristic: TaskHeuristic
    patterns: tuple[tuple[str, ...], ...] = ()
    """The variables that each database keeps."""
    remarks: tuple[str, ...] = ()
    """What the databases lack."""


class HeuristicOptions(Component, ABC):
    """A heuristic with its options. What most heuristics answer alike to the questions of a caller stands here."""

    READS_TRACE: ClassVar[bool] = False
    """The argument is a file with an error trace."""
    BUILDS_DATABASES: ClassVar[bool] = False
    """It rests on databases, of patterns or of predicates."""
    TAKES_PREDICATES: ClassVar[bool] = False
    """The request may give predicates."""
    IS_PROJECTED_EXACTLY: ClassVar[bool] = False
    """Its databases cannot be projected in another way."""

    @abstractmethod
    def make(self, making: Making) -> Made:
        """The heuristic for the task at hand; raises LimitReached where a limit is met on the way."""

    def selection(self, request: DatabaseRequest) -> SelectionOptions | None:
        """What chooses what its databases keep; None where nothing is to be chosen."""
        return None

    @property
    def patterns(self) -> PatternHeuristic | None:
        """Its databases as those of patterns, which can share costs and guide the symbolic engine; None: none."""
        return None

    @property
    def needs_pattern(self) -> bool:
        """Whether the request must give patterns or files with databases."""
        return False

    def builds(self, request: DatabaseRequest) -> bool:
        """Whether some database is built for the request, where it rests on databases."""
        return not self.needs_pattern or bool(request.patterns)

    @property
    def needs_predicates(self) -> bool:
        """Whether the request must give predicates."""
        return False

    @property
    def predicate_file(self) -> str | None:
        """A file with predicates, where one is spelled with it."""
        return None
