"""pdb:systematic: all small patterns that are connected and matter to the error condition.

A pattern matters if each of its variables influences the error condition through transitions whose variables are in the
pattern too. Planners call this a systematic collection of interesting patterns [PRH13].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Annotated, ClassVar

from symdmc.encode.encoding import MOST_VALUES
from symdmc.model.expressions import conjuncts
from symdmc.selection.selection import Pattern, Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.parameters import MANY, Between, Unspelled
from symdmc.spelling.plurals import counted
from symdmc.task.interaction import error_variables, interaction_graph
from symdmc.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Systematic(SelectionOptions):
    """All connected patterns of few variables that lead to the error condition; many small databases.

    Small patterns come first, then the order of the task decides; beyond the first `patterns` they are cut. A pattern
    that is part of another one is left out, since the other one never estimates less.

    size: most variables of a pattern
    patterns: most patterns that are found before parts of others are left out
    values: most combinations of values of a pattern
    """

    ARGUMENT: ClassVar[str | None] = "size"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:systematic:2", "pdb:systematic:2,patterns=12")

    size: Annotated[int, Between(1, MANY)] = 2
    patterns: Annotated[int, Between(1, MANY)] = 100
    values: Annotated[int, Unspelled()] = 1 << 16

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The patterns that are not part of others."""
        found = _Systematic(task, self.size, self.patterns, self.values)
        found.run(report)
        return found.selection()


@dataclass(slots=True)
class _Systematic:
    task: Task
    size: int
    most: int
    values: int
    found: dict[Pattern, None] = field(default_factory=dict)
    """In the order in which they were found."""
    cut: bool = False
    too_large: set[int] = field(default_factory=set)
    """Variables that a pattern was refused for, because together they have too many values."""
    _sources: dict[int, frozenset[int]] = field(default_factory=dict)
    """For each variable those that influence it."""
    _asked_for: frozenset[int] = frozenset()

    def run(self, report: Report) -> None:
        """Find all patterns, layer by layer in their size."""
        self._asked_for = error_variables(self.task)
        weights = interaction_graph(self.task).weights
        for read, written in weights:
            self._sources[written] = self._sources.get(written, frozenset()) | {read}
        level: list[Pattern] = self._fitting((number,) for number in sorted(self._asked_for))
        for size in range(1, self.size + 1):
            report(f"{counted(len(level), 'pattern')} of {counted(size, 'variable')}")
            room = self.most - len(self.found)
            self.cut |= len(level) > room
            self.found |= dict.fromkeys(level[:room])
            if self.cut or size == self.size:
                return
            level = self._fitting(sorted({grown for pattern in level for grown in self._grown(pattern)}))

    def _fitting(self, patterns: Iterator[Pattern] | list[Pattern]) -> list[Pattern]:
        """Those of the patterns that have a database of moderate size and no constant."""
        domains, fitting = self.task.analysis.domains, list[Pattern]()
        for pattern in patterns:
            counts = [domains[number].count for number in pattern]
            if max(counts) > MOST_VALUES or prod(counts) > self.values:
                self.too_large |= set(pattern)
            elif min(counts) > 1:
                fitting.append(pattern)
        return fitting

    def _grown(self, pattern: Pattern) -> Iterator[Pattern]:
        """The pattern with one more variable that matters to one of it, or to the error condition along with it."""
        more = frozenset().union(*(self._sources.get(number, frozenset()) for number in pattern))
        for number in sorted(self._asked_for.difference(pattern)):
            influenced = not self._sources.get(number, frozenset()).isdisjoint(pattern)
            if influenced or self._asked_together(number, pattern):
                more |= {number}
        return (tuple(sorted((*pattern, number))) for number in sorted(more.difference(pattern)))

    def _asked_together(self, number: int, pattern: Pattern) -> bool:
        """Whether some part of the error condition reads a variable along with one of the pattern."""
        if self.task.error.deadlock or self.task.error.fault:
            return False
        supports = (self.task.layout.support(part) for part in conjuncts(self.task.error.expression))
        return any(number in support and not support.isdisjoint(pattern) for support in supports)

    def selection(self) -> Selection:
        """The largest patterns, with the reasons."""
        kept = [pattern for pattern in self.found if not self._is_part(pattern)]
        times = Counter(number for pattern in kept for number in pattern)
        why = {number: f"matters to the error condition: it is in {_count(times[number])}" for number in times}
        steps = [
            f"{_count(len(self.found))} of up to {counted(self.size, 'variable')}, {len(kept)} of them in no other"
        ]
        if self.cut:
            steps.append(f"cut after {counted(self.most, 'pattern')}")
        return Selection(
            name=f"systematic:{self.size}",
            patterns=tuple(kept),
            reasons=reasons_for(self.task, sorted(times), why, self._why_dropped()),
            steps=tuple(steps),
        )

    def _is_part(self, pattern: Pattern) -> bool:
        own = frozenset(pattern)
        return any(own < frozenset(other) for other in self.found)

    def _why_dropped(self) -> dict[int, str]:
        far = f"has no influence on the error condition within {counted(self.size, 'variable')}"
        if self.cut:
            far += f", or only in patterns behind the first {self.most}"
        domains = self.task.analysis.domains
        found = {number: far if domains[number].count > 1 else "it never changes" for number in range(len(domains))}
        return found | dict.fromkeys(self.too_large, f"its patterns have more than {counted(self.values, 'state')}")


def _count(patterns: int) -> str:
    return f"{patterns} pattern{'s' if patterns != 1 else ''}"
