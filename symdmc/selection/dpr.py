"""pdb:dpr: downward pattern refinement. Variables are dropped from the full pattern while an inner estimate stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from symdmc.selection.measures.inner import InnerName, inner_estimate
from symdmc.selection.measures.safe_variables import safe_variables
from symdmc.selection.selection import Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.plurals import counted
from symdmc.task.interaction import cone_of_influence, error_variables
from symdmc.task.relaxation.facts import MOST_VALUES
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class DownwardRefinement(SelectionOptions):
    """Downward pattern refinement: all variables but those without which an inner estimate stays the same.

    First the safe variables are dropped, then each variable that the inner estimate does not miss.
    Digital clocks are kept unless they are to be judged; so is one variable of the error condition. What is farthest
    from the error condition is tried first. Source: [KW11] Fig. 2. There the loop starts again after each removal; here
    it goes on behind it, and ends, as there, when no single variable can be dropped any more. An estimate that grows,
    as hU may, is no loss (the text there: it must not decrease; the figure: it must stay the same).

    inner: the estimate that must stay
    clocks: whether digital clocks may be dropped too
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:dpr", "pdb:dpr,inner=fsm", "pdb:dpr,inner=hL,clocks=judge")

    inner: InnerName = "hU"
    clocks: Literal["keep", "judge"] = "keep"

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The variables that are left."""
        refinement = _Refinement(task, self.inner, report)
        if self.clocks == "keep":
            chosen = [number for number, variable in enumerate(task.variables) if variable.digital_clock]
            refinement.keep(chosen, "digital clocks are kept")
        wide = [number for number in error_variables(task) if task.analysis.domains[number].count > MOST_VALUES]
        refinement.keep(wide, "a variable of the error condition with too many values for an estimate")
        refinement.drop(safe_variables(task), "safe: it can take any value at any time")
        refinement.refine()
        return refinement.selection(f"dpr,inner={self.inner}")


class _Refinement:
    """A pattern that shrinks."""

    def __init__(self, task: Task, inner: InnerName, report: Report) -> None:
        self.task, self.inner = task, inner
        self.report = report
        self.pattern = set(range(len(task.variables)))
        self.why_kept: dict[int, str] = {}
        self.why_dropped: dict[int, str] = {}
        self.steps: list[str] = []
        self._fixed: set[int] = set()
        self._error = error_variables(task)
        domains = task.analysis.domains
        self.drop((n for n, domain in enumerate(domains) if domain.count == 1), "it never changes", tell=False)

    def keep(self, numbers: Iterable[int], why: str) -> None:
        """Variables that stay whatever the estimate says."""
        for number in self.pattern.intersection(numbers):
            self._fixed.add(number)
            self.why_kept[number] = why

    def drop(self, numbers: Iterable[int], why: str, *, tell: bool = True) -> None:
        """Variables that go whatever the estimate says."""
        for number in sorted(self.pattern.intersection(numbers) - self._fixed):
            if self._is_last(number):
                continue
            self.pattern.remove(number)
            self.why_dropped[number] = why
            if tell:
                self.steps.append(f"{self.task.variables[number].name} dropped: {why}")

    def refine(self) -> None:
        """Drop variables one after the other as long as the estimate stays."""
        estimate = inner_estimate(self.task, self.inner)
        everything = frozenset(range(len(self.task.variables)))
        self.report(f"the estimate {self.inner} of the whole task")
        whole = estimate(frozenset())
        self.steps.append(f"the estimate {self.inner} of the whole task is {_told(whole)}")
        candidates = self._candidates()
        removed = True
        while removed:
            removed = False
            for number in candidates:
                if number not in self.pattern or self._is_last(number):
                    continue
                self.report(counted(len(self.pattern), "variable"))
                now = estimate(everything - self.pattern | {number})
                name = self.task.variables[number].name
                if not _is_less(now, whole):
                    removed = True
                    self.pattern.remove(number)
                    self.why_dropped[number] = f"without it {self.inner} is still {_told(now)}"
                    self.steps.append(f"{name} dropped: {self.inner} {_told(whole)} -> {_told(now)}")
                else:
                    self.why_kept[number] = f"without it {self.inner} becomes {_told(now)} instead of {_told(whole)}"
        for number in sorted(self.pattern - self.why_kept.keys()):
            self.why_kept[number] = "a variable of the error condition, the last that is left"
        kept = [number for number in sorted(self.pattern) if number not in self._fixed]
        self.steps += [f"{self.task.variables[number].name} kept: {self.why_kept[number]}" for number in kept]

    def _candidates(self) -> list[int]:
        """What may be dropped, the farthest from the error condition first, and of these what has most values."""
        distance, domains = cone_of_influence(self.task, self._error), self.task.analysis.domains
        free = self.pattern - self._fixed
        return sorted(free, key=lambda n: (-distance.get(n, len(domains)), -domains[n].count, -n))

    def _is_last(self, number: int) -> bool:
        """Whether no variable of the error condition, or none at all, would be left."""
        rest = self.pattern - {number}
        return not rest or (number in self._error and rest.isdisjoint(self._error))

    def selection(self, name: str) -> Selection:
        """The pattern that is left."""
        kept = tuple(sorted(self.pattern))
        return Selection(
            name=name,
            patterns=(kept,),
            reasons=reasons_for(self.task, kept, self.why_kept, self.why_dropped),
            steps=tuple(self.steps),
        )


def _is_less(one: int | None, other: int | None) -> bool:
    """Whether an estimate is less than another one; a dead end is the largest."""
    return one is not None and (other is None or one < other)


def _told(estimate: int | None) -> str:
    return "dead end" if estimate is None else str(estimate)
