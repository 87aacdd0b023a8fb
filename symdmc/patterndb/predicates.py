"""Databases of sets of predicates, exact where that is affordable, else cartesian; several of them may share costs.

*Exact* is the existential abstraction by diagrams: never weaker, but every concrete variable that a predicate reads has
to be encoded. *Cartesian* consists of cubes, judges each predicate alone, and needs no diagrams of concrete states.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from symdmc.abstraction.cartesian.cartesian import CartesianLimits, cartesian_abstraction
from symdmc.abstraction.cartesian.cubes import CartesianAbstraction
from symdmc.abstraction.entailment.entailment import Entailment
from symdmc.abstraction.predicates.pattern import PredicateTest, predicate_pattern
from symdmc.abstraction.predicates.predicate import Predicate
from symdmc.encode.diagrams import DiagramLimit
from symdmc.errors import UnsupportedFeature
from symdmc.patterndb.build import BuildOptions, BuildReport, BuiltLayers, build_layers, database_of, no_report
from symdmc.patterndb.cartesian import cartesian_database
from symdmc.patterndb.database import PatternDatabase
from symdmc.patterndb.partition import saturated_costs, sharing_costs
from symdmc.patterndb.work import SHARES, WorkBudget, layers_within
from symdmc.task.task import Task

EXACT, CARTESIAN, AUTO = "exact", "cartesian", "auto"
KINDS = (AUTO, EXACT, CARTESIAN)
WORK = 4_000_000
"""Nodes of the state sets before and after images that AUTO allows an exact abstraction."""
EFFORT = 75_000_000
"""Work of all operations on diagrams that AUTO allows it, as `encode.diagrams.WorkLeft` counts it."""
MOST_NODES = 400_000
"""Nodes in use at any time that AUTO allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateOptions:
    """How databases of predicates are built."""

    kind: str = AUTO
    """AUTO: exact within a budget of nodes and operations, else cartesian."""
    limits: CartesianLimits = field(default_factory=CartesianLimits)
    build: BuildOptions = field(default_factory=BuildOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateAbstraction:
    """An abstraction by predicates, exact or cartesian."""

    task: Task
    """Extended by the derived variables that stand for the predicates."""
    built: BuiltLayers | None
    """The layers of an exact abstraction."""
    cubes: CartesianAbstraction | None
    """The cubes of a cartesian abstraction."""
    predicates: tuple[Predicate, ...]
    tests: tuple[PredicateTest, ...] = ()
    """The test of each predicate in an exact abstraction."""

    @property
    def kind(self) -> str:
        """EXACT or CARTESIAN."""
        return CARTESIAN if self.built is None else EXACT

    @property
    def size(self) -> int:
        """How many cubes there are, or abstract states inside the restriction."""
        if self.built is None:
            return 0 if self.cubes is None else self.cubes.cubes
        return self.built.encoding.count(self.built.restriction)


@dataclass(slots=True)
class PredicateBuilder:
    """Builds abstractions of one task; answers about entailment are kept."""

    task: Task
    options: PredicateOptions = PredicateOptions()
    report: BuildReport = no_report
    entailment: Entailment = field(init=False)

    def __post_init__(self) -> None:
        self.entailment = Entailment(self.task)

    def abstraction(self, predicates: Sequence[Predicate], costs: Sequence[int] | None = None) -> PredicateAbstraction:
        """The abstraction by some predicates; transitions cost what the task says or `costs`.

        Raises DiagramLimit or UnsupportedFeature where an exact one is required and cannot be built. Entailment may use
        its limits anew for each abstraction and the questions that follow it.
        """
        self.entailment.renew()
        if self.options.kind == CARTESIAN:
            return self._cartesian(predicates, costs)
        try:
            return self._exact(predicates, costs)
        except (DiagramLimit, UnsupportedFeature):
            if self.options.kind == EXACT:
                raise
            return self._cartesian(predicates, costs)

    def _exact(self, predicates: Sequence[Predicate], costs: Sequence[int] | None) -> PredicateAbstraction:
        pattern, build = predicate_pattern(self.task, predicates), self.options.build
        if self.options.kind == EXACT:
            charged = None if costs is None else tuple(costs)
            built = build_layers(pattern.task, pattern.pattern, build, self.report, charged)
        else:
            self.report("forward", None)
            budget = WorkBudget(
                nodes=SHARES * WORK,
                effort=SHARES * EFFORT,
                most_nodes=MOST_NODES,
                memory_bytes=build.memory_bytes,
            )
            built = layers_within(pattern.task, pattern.pattern, budget, build, costs)
        return PredicateAbstraction(
            task=pattern.task,
            built=built,
            cubes=None,
            predicates=tuple(predicates),
            tests=pattern.tests,
        )

    def _cartesian(self, predicates: Sequence[Predicate], costs: Sequence[int] | None) -> PredicateAbstraction:
        self.report("cubes", None)
        cubes = cartesian_abstraction(self.task, predicates, self.entailment, self.options.limits, costs)
        return PredicateAbstraction(task=self.task, built=None, cubes=cubes, predicates=cubes.predicates)

    def database(self, abstraction: PredicateAbstraction, costs: Sequence[int] | None = None) -> PatternDatabase:
        """The database of an abstraction; with `costs`, it has those of them that its estimates need."""
        began = time.monotonic()
        if abstraction.cubes is not None:
            return cartesian_database(self.task, abstraction.cubes, self.options.build, costs)
        assert abstraction.built is not None
        found = database_of(abstraction.built)
        saturated = None if costs is None else saturated_costs(abstraction.built)
        return replace(found, costs=saturated, seconds=round(found.seconds + time.monotonic() - began, 3))


def predicate_databases(
    task: Task,
    parts: Sequence[Sequence[Predicate]],
    options: PredicateOptions = PredicateOptions(),
    report: BuildReport = no_report,
    *,
    partition: bool = False,
) -> list[PatternDatabase]:
    """A database for each set of predicates.

    With `partition` each in turn takes only the costs that its estimates need, and the next ones get what is left, so
    that their sum is admissible and consistent.
    """
    builder = PredicateBuilder(task, options, report)
    if not partition:
        return [builder.database(builder.abstraction(part)) for part in parts]
    return sharing_costs(task, parts, lambda part, costs: builder.database(builder.abstraction(part, costs), costs))
