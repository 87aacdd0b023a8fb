"""No budget decides a question: with any value of it verdict and shortest length are right, and certificates hold.

Each budget of docs/budgets.md is set to a value that no one would choose, and a search that uses it answers questions
about small random systems. Where the page says so, the search may then also end without a verdict, or refuse.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib import import_module
from inspect import isfunction
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import symdmc
from symdmc.checking.checks import check_task
from symdmc.checking.request import CheckOptions, check_request
from symdmc.encode.value_pairs.products import PairPrecision
from symdmc.errors import ModelError
from symdmc.evidence.certify import certify
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.running import supervision
from symdmc.running.run import Run
from symdmc.search.explicit import explicit
from symdmc.task import compile_task
from symdmc.task.task import Task
from tests import oracle
from tests.cli.running import ROOT
from tests.components import options_for
from tests.property.test_heuristics import drawn_task
from tests.strategies import systems

HUGE = 1 << 40
ROW = re.compile(r"^\| `([a-z_.]+\.[\w.]+)` \| ([^|]*) \|", re.MULTILINE)
NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True)
class Case:
    """The values that a budget is set to, and searches that use it: `bfs`, `symbolic:forward`, or by a heuristic."""

    values: tuple[object, ...]
    searches: tuple[str, ...]
    decides: bool = True
    """Whether there is a verdict with every value; else the search may also be given up, or the question refused."""
    beside: Mapping[str, object] = field(default_factory=dict)
    """Other budgets that have to be changed as well, or this one is not reached in small systems."""


def tried(*values: object, by: str, decides: bool = True, beside: Mapping[str, object] = NOTHING) -> Case:
    return Case(values, tuple(by.split()), decides, beside)


EXACT, SYNTAX, REFINED = "pdb,keep=*", "pred:syntax", "pred:refine,b=all,r=3"
CUBES = f"pred:syntax,b=all,kind=cartesian {REFINED},kind=cartesian"
SYMBOLIC = "symbolic:forward symbolic:backward symbolic:bidirectional"
NO_CONSTANTS = {"encode.relation.parts.MOST_CONSTANTS": 0}
AS_WORDS = {"encode.expressions.MOST_PAIRS": 0}

ELSEWHERE = {
    "checking.believed.CONSISTENCY_WORK": (
        "tests/cli/test_believed.py::test_where_estimates_take_too_much_work_to_check_nothing_is_claimed"
    ),
    "encode.sets.images.MOST_HALVINGS": (
        "tests/differential/test_symbolic.py::test_an_image_that_outgrows_the_memory_is_split_by_parts_and_by_states"
    ),
}
"""Budgets that small systems do not reach, with their tests."""
CASES: dict[str, Case] = {
    # tasks
    "task.values.analysis.MOST_ROWS": tried(0, by=f"bfs {EXACT}"),
    "task.values.analysis.ROW_BUDGET": tried(0, 50, by=f"bfs {EXACT}"),
    "task.values.analysis.FEW_ROWS": tried(0, by="bfs hL", beside={"task.values.analysis.ROW_BUDGET": 0}),
    "task.values.analysis.GROWTHS": tried(0, 1, by="bfs fsm-max"),
    "task.values.analysis.FEW_GROWTHS": tried(0, by="bfs fsm-max", beside={"task.values.analysis.ROW_BUDGET": 0}),
    "task.values.domains.MOST_LISTED": tried(1, 2, by="bfs hL fsm-max"),
    "task.values.domains.MOST_BETWEEN": tried(2, 8, by="hL merge:4 pdb:cegar pdb:systematic:2 domain:auto"),
    "task.flatten.MOST_LISTED_TEAMS": tried(0, HUGE, by=f"bfs symbolic:forward {EXACT}"),
    "task.local_graphs.MOST_ROWS": tried(0, 3, by="fsm-max fsm-sum"),
    "task.merged_values.MOST_VALUES": tried(1, 3, by="domain:auto,small=0,keep=*"),
    "task.relaxation.facts.MOST_VALUES": tried(1, 3, by="hL pdb:dpr"),
    "task.relaxation.conditions.MOST_ROWS": tried(0, 4, by="hL pdb:russian-doll"),
    "task.relaxation.conditions.ROW_BUDGET": tried(0, 20, by="hL pdb:russian-doll"),
    "task.relaxation.conditions.FEW_ROWS": tried(
        0, by="hL pdb:russian-doll", beside={"task.relaxation.conditions.ROW_BUDGET": 0}
    ),
    # diagrams
    "encode.encoding.MOST_VALUES": tried(2, 4, by=f"pdb:cegar domain:refine {EXACT}", decides=False),
    "encode.encoding.WIDE_VALUES": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.expressions.MOST_PAIRS": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.expressions.MOST_COMPARED": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.expressions.MOST_LISTED": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.expressions.FEW_BITS": tried(0, 20, by=f"symbolic:forward {EXACT}", beside=AS_WORDS),
    "encode.expressions.TABULATED_ROWS": tried(range(0), range(HUGE), by=f"symbolic:forward {EXACT}"),
    "encode.expressions.LEAST_COSTLY": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.parts.MOST_CASES": tried(0, HUGE, by=f"symbolic:backward {EXACT}"),
    "encode.relation.parts.MOST_CONSTANTS": tried(0, HUGE, by=f"symbolic:backward {EXACT}"),
    "encode.relation.parts.MOST_RELATION": tried(0, HUGE, by=f"symbolic:backward {EXACT}", beside=NO_CONSTANTS),
    "encode.relation.chosen_cells.MOST_BOXES": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.chosen_cells.MOST_ROWS": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.chosen_cells.MOST_PARTS": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.lockstep.LEAST_TEAMS": tried(0, HUGE, by="symbolic:backward symbolic:forward"),
    "encode.relation.relation.MANY_VALUES": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.relation.QUIET_ROUNDS_BEFORE_MERGE": tried(0, HUGE, by=f"symbolic:forward {EXACT}"),
    "encode.relation.relation.PATIENCE": tried(
        0, HUGE, by=f"symbolic:forward {EXACT}", beside={"encode.relation.relation.MANY_VALUES": 0}
    ),
    "encode.relation.relation.MOST_ENABLED": tried(0, HUGE, by="symbolic:forward symbolic:backward"),
    "encode.sets.chaining.MOST_REPEATS": tried(1, by=f"pdb:cegar {EXACT}"),
    "encode.tables.words.MOST_NODES": tried(0, 5, by="pdb:cegar symbolic:forward", decides=False, beside=AS_WORDS),
    "encode.tables.export.MOST_ENTRIES": tried(0, 20, by="pdb:cegar pdb:systematic:2 domain:auto"),
    "encode.tables.export.MANY_BITS": tried(0, HUGE, by=f"pdb:cegar {EXACT}"),
    "encode.tables.derived_tests.MOST_ENTRIES": tried(
        0, 5, by="pred:given", decides=False, beside={"lookup.definitions.MOST_TESTS": 0}
    ),
    "encode.value_pairs.pairs.BUDGET": tried(0, 30, by="symbolic:backward"),
    "encode.value_pairs.pairs.PRECISIONS": tried((PairPrecision(2, 2),), by="symbolic:backward"),
    "encode.value_pairs.fixpoint.MOST_PAIRS": tried(0, 5, by="symbolic:backward"),
    "encode.value_pairs.products.MOST_PATHS": tried(0, 2, by="symbolic:backward"),
    "encode.value_pairs.steps.MOST_NODES": tried(0, by="symbolic:backward", beside=NO_CONSTANTS),
    "encode.order.local.SHUFFLES": tried(0, by=EXACT),
    "encode.order.local.WORK": tried(0, by=EXACT),
    "encode.order.local.WORK_PER_NODE": tried(0, by=EXACT),
    "encode.order.local.WORK_PER_CALL": tried(0, HUGE, by=EXACT),
    "encode.order.local.KICKED_LENGTH": tried(2, by=EXACT),
    "encode.order.local.MOST_SEARCHED": tried(0, by=EXACT),
    "encode.order.force.SHUFFLES": tried(0, by=EXACT),
    "encode.order.force.ITERATIONS": tried(1, by=EXACT),
    "encode.order.force.PATIENCE": tried(1, by=EXACT),
    "encode.diagrams.CALL_WORK": tried(0, HUGE, by="pdb:cegar pdb:dpr pdb:sampled"),
    "encode.diagrams.LARGE_NODES": tried(1, HUGE, by="pdb:cegar pdb:dpr pdb:sampled"),
    "encode.diagrams.QUANTIFIED_WEIGHT": tried(0, HUGE, by="pdb:cegar pdb:dpr pdb:sampled"),
    # abstractions
    "abstraction.projection.projection.MOST_LINKED": tried(0, by="domain:auto,small=0,keep=* pred:given,keep=*"),
    "abstraction.projection.weakening.MOST_CHOICES": tried(0, by="pdb:coi:1,projection=syntactic"),
    "abstraction.predicates.canonical.MOST_VALUES": tried(1, 2, by=f"{SYNTAX} {REFINED}"),
    "abstraction.predicates.sources.MOST_ROWS": tried(0, by=SYNTAX),
    "abstraction.entailment.entailment.EntailmentLimits.rows": tried(0, by=CUBES),
    "abstraction.entailment.entailment.EntailmentLimits.witness_tries": tried(0, by=CUBES),
    "abstraction.entailment.entailment.EntailmentLimits.theory_calls": tried(0, by=CUBES),
    "abstraction.entailment.entailment.EntailmentLimits.theory_size": tried(0, by=CUBES),
    "abstraction.entailment.entailment.MOST_VIEWS": tried(1, by=CUBES),
    "abstraction.entailment.view.ROUNDS": tried(0, 30, by=CUBES),
    "abstraction.cartesian.cartesian.CartesianLimits.cubes": tried(0, 5, by=CUBES),
    "abstraction.cartesian.cartesian.CartesianLimits.calls": tried(0, 20, by=CUBES),
    "abstraction.cartesian.preimages.MOST_ERROR_CASES": tried(1, by=CUBES),
    "abstraction.cartesian.preimages.MOST_COMBINATIONS": tried(0, 1, by=CUBES),
    "abstraction.cartesian.effects.MOST_ALTERNATIVES": tried(0, 1, by=CUBES),
    "abstraction.cartesian.effects.MOST_PARTS": tried(0, by=CUBES),
    "abstraction.cartesian.regression.MOST_GUARD_CASES": tried(1, by=CUBES),
    "abstraction.cartesian.regression.MOST_CONDITION_CASES": tried(1, by=CUBES),
    "abstraction.merging.factors.MOST_ROWS": tried(0, 3, by="merge:4 merge:50"),
    "abstraction.merging.factors.ROW_BUDGET": tried(0, by="merge:4 merge:50"),
    "abstraction.merging.factors.FEW_ROWS": tried(
        0, by="merge:4 merge:50", beside={"abstraction.merging.factors.ROW_BUDGET": 0}
    ),
    "abstraction.merging.factors.MOST_PRODUCTS": tried(1, by="merge:4 merge:50"),
    "abstraction.merging.factors.PRODUCT_BUDGET": tried(0, by="merge:4 merge:50"),
    "abstraction.merging.factors.FEW_PRODUCTS": tried(1, by="merge:4 merge:50"),
    "abstraction.merging.factors.MOST_ERRORS": tried(1, 2, by="merge:4 merge:50"),
    "abstraction.merging.factors.MOST_VALUES": tried(0, 3, by="merge:4 merge:50"),
    "abstraction.merging.leaves.MOST_STEPS": tried(0, 10, by="merge:4 merge:50"),
    "abstraction.merging.pool.MOST_PAIRS": tried(1, 10, by="merge:4 merge:50"),
    "abstraction.merging.pool.MOST_EDGES": tried(1, 10, by="merge:4 merge:50"),
    # databases and look-up tables
    "patterndb.build.BuildOptions.forward_work": tried(0, 40, by=f"{EXACT} symbolic+{EXACT}"),
    "patterndb.build.MERGE_LIMIT": tried(0, by=f"{EXACT} pdb:cegar symbolic+{EXACT}"),
    "patterndb.build.CARE_NODES": tried(0, HUGE, by=EXACT, beside={"patterndb.build.BuildOptions.forward_work": 0}),
    "patterndb.build.WRITING_WORK": tried(0, HUGE, by="pdb:dpr pdb:systematic:2"),
    "patterndb.work.SHARES": tried(1, HUGE, by="pdb:cegar domain:auto pdb:sampled"),
    "patterndb.predicates.WORK": tried(0, 5, by=f"{SYNTAX} {REFINED}"),
    "patterndb.predicates.EFFORT": tried(0, 2000, by=f"{SYNTAX} {REFINED}"),
    "patterndb.predicates.MOST_NODES": tried(0, 100, by=SYNTAX),
    "patterndb.cartesian.MOST_INITIAL": tried(0, by=CUBES),
    "lookup.definitions.MOST_TESTS": tried(0, by="pred:given"),
    "heuristics.pred.LAYER_WORK": tried(0, 5, by=SYNTAX),
    # selections
    "selection.refinement.refinement.Budget.rounds": tried(0, 1, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.added": tried(1, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.states": tried(0, 2, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.inserted_states": tried(0, 2, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.values": tried(0, 2, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.work": tried(0, 50, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.attempt_work": tried(0, 50, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.database_work": tried(0, 50, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.Budget.effort": tried(0, 5000, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.MOST_EXAMINED": tried(1, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.refinement.MOST_REFUSALS": tried(0, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.shortest_traces.FREE_NODES": tried(1, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.shortest_traces.RETRY_FACTOR": tried(2, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.shortest_traces.FORWARD_NODE_COST": tried(1, HUGE, by="pdb:cegar domain:refine"),
    "selection.refinement.narrowing.MOST_STATES": tried(0, by="domain:refine"),
    "selection.domain_auto.AutomaticClasses.small": tried(0, HUGE, by="domain:auto"),
    "selection.domain_auto.AutomaticClasses.work": tried(1, 50, by="domain:auto"),
    "selection.domain_auto.EFFORT": tried(0, 500, by="domain:auto"),
    "selection.systematic.Systematic.patterns": tried(1, 3, by="pdb:systematic:2"),
    "selection.systematic.Systematic.values": tried(0, 6, by="pdb:systematic:2"),
    "selection.sampled.Sampled.samples": tried(1, by="pdb:sampled"),
    "selection.sampled.Sampled.databases": tried(1, by="pdb:sampled"),
    "selection.sampled.Sampled.values": tried(0, 2, by="pdb:sampled"),
    "selection.sampled.Sampled.work": tried(0, 50, by="pdb:sampled"),
    "selection.sampled.Sampled.effort": tried(0, 5000, by="pdb:sampled"),
    "selection.sampled.LEAST_WALK": tried(0, by="pdb:sampled"),
    "selection.sampled.ONE_IN": tried(1, 500, by="pdb:sampled"),
    "selection.measures.sampling.MOST_STARTS": tried(1, by="pdb:sampled"),
    "selection.measures.inner.SMALL": tried(0, by="pdb:dpr"),
    "selection.measures.safe_variables.MOST_ROWS": tried(0, by="pdb:dpr"),
    "selection.predicates.refinement.RefinementOptions.iterations": tried(0, 1, by=REFINED),
    "selection.predicates.refinement.MOST_TRACES": tried(1, by=REFINED),
    "selection.predicates.refinement.MOST_ADDED": tried(0, HUGE, by="pred:refine,b=all,r=6,stop=never"),
    "selection.predicates.refutation.MOST_CASES": tried(0, 1, by=REFINED),
    "selection.predicates.refutation.MOST_INITIAL": tried(0, by=REFINED),
    "selection.predicates.replay.MOST_STATES": tried(1, by=REFINED),
    # searches
    "checking.directed.PATIENCE": tried(0, 3, by="pdb:cegar pdb:coi:1 domain:auto"),
    "checking.directed.FIRST_WORK": tried(0, 5000, by="pdb:dpr pdb:systematic:2"),
    "checking.directed.GROWTH": tried(
        0, HUGE, by="pdb:coi:1 pdb:systematic:1", beside={"checking.directed.PATIENCE": 0}
    ),
    "search.explicit.explicit.REFERENCE_BUDGET": tried(0, 5, HUGE, by="bfs blind"),
    "search.explicit.explicit.REFERENCE_EDGES": tried(0, HUGE, by="bfs blind"),
    "search.explicit.explicit.REFERENCE_CELLS": tried(0, HUGE, by="bfs blind"),
    "search.explicit.compiled.NATIVE_FROM": tried(0, by="bfs", beside={"search.explicit.compiled.FIRST_SLICE": 1}),
    "search.explicit.compiled.FIRST_SLICE": tried(1, 3, by="bfs blind"),
    "search.directed.best_first_compiled.GATHER": tried(0, 30, by="blind fsm-max"),
    "search.symbolic.symbolic.MERGE_LIMIT": tried(0, HUGE, by=SYMBOLIC),
    "search.symbolic.symbolic.CARE_NODES": tried(0, HUGE, by="symbolic:backward symbolic:bidirectional"),
    # certificates
    "search.certificates.certificate.LISTED": tried(0, HUGE, by="bfs blind"),
    "search.certificates.boxes.MOST_EXPANDED": tried(0, by="hL"),
    "search.certificates.boxes.MOST_BOXES": tried(0, 1, by="hL hL,joint=false"),
    "search.certificates.boxes.MOST_TRIES": tried(0, 3, by="hL hL,joint=false"),
    "lookup.tree_unfolding.MOST_NODES": tried(0, 5, by="merge:4 merge:50"),
    "lookup.tree_unfolding.MOST_WORK": tried(0, 20, by="merge:4 merge:50"),
    "search.certificates.reduction.ROOM": tried(
        0, HUGE, by="bfs", beside={"search.certificates.certificate.LISTED": 0}
    ),
    "evidence.certify.MOST_INITIAL_LISTED": tried(0, by=f"bfs {EXACT}"),
    "evidence.certify.VACUITY_WORK": tried(1, 2**30, by=f"bfs {EXACT}"),
    "evidence.certify.MOST_EXPLICIT_BY_REFEREE": tried(0, HUGE, by=f"bfs {EXACT}"),
    "evidence.smt.diagrams.PAIRS_PER_NODE": tried(
        -HUGE, by=f"{EXACT} pdb:coi:1", beside={"evidence.visiting.visiting.STATES_PER_NODE": 0}
    ),
    "evidence.visiting.visiting.STATES_PER_NODE": tried(0, HUGE, by=EXACT),
    "evidence.visiting.visiting.MOST_WORDS": tried(0, by=EXACT),
    "evidence.visiting.visiting.MOST_TRIALS": tried(0, by=EXACT),
    "evidence.visiting.listing.MOST_VALUES": tried(0, 3, by=EXACT),
    "evidence.visiting.listing.MOST_CHILDREN": tried(0, 10, by=EXACT),
    "evidence.visiting.membership.PORTION": tried(1, 3, by=EXACT),
}


def test_the_page_of_budgets_is_that_of_this_table() -> None:
    page = (ROOT / "docs" / "budgets.md").read_text(encoding="utf-8")
    there = {name: default for name, default in ROW.findall(page) if name not in ELSEWHERE}
    here = {name: shown(default_of(name)) for name in CASES}
    wrong = [f"| `{name}` | {here[name]} | ... |" for name in here if there.get(name) != here[name]]
    assert not wrong, "docs/budgets.md needs these rows:\n" + "\n".join(wrong)
    assert list(there) == list(here), "docs/budgets.md has rows out of order, or that are not tried here"


def test_what_small_systems_do_not_reach_is_tested_where_the_page_says() -> None:
    page = (ROOT / "docs" / "budgets.md").read_text(encoding="utf-8")
    for name, test in ELSEWHERE.items():
        path, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8")
        assert f"| `{name}` | {shown(default_of(name))} |" in page
        assert f"`{test}`" in page


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=6)
@given(data=st.data(), system=systems(costs=True))
def test_a_budget_decides_nothing(name: str, data: st.DataObject, system: System) -> None:
    each = CASES[name]
    task = drawn_task(data, system)
    search = data.draw(st.sampled_from(each.searches), label="search")
    value = data.draw(st.sampled_from(each.values), label="value")
    with changed({**each.beside, name: value}):
        require_right_answer(system, task.error, search, each.decides)


def require_right_answer(system: System, error: ErrorCondition, search: str, decides: bool) -> None:
    """What the search says is true, and what it proves holds."""
    length = shortest(system, error)
    try:
        task = compile_task(system, error)
        result = check_task(task, check_request(**options_of(task, search)))
    except ModelError:
        if decides:
            raise
        return
    event(f"safe: {length is None}, {result.verdict.value}")
    assert result.verdict in ({Verdict.SAFE, Verdict.ERROR} if decides else set(Verdict))
    if result.verdict is not Verdict.UNKNOWN:
        assert (result.verdict is Verdict.SAFE) == (length is None)
        assert result.length == length
        assert (result.certificate is not None) == (length is None)
    assert result.lower_bound is None or length is None or result.lower_bound <= length
    if result.certificate is not None:
        assert certify(system, result.certificate, error=error)


def options_of(task: Task, search: str) -> CheckOptions:
    engine, _, direction = search.partition(":")
    if search == "bfs":
        return {"certify": True}
    if engine == "symbolic":
        return {"engine": "symbolic", "direction": direction, "certify": True}  # type: ignore[typeddict-item]
    heuristic = search.removeprefix("symbolic+")
    options = options_for(task, heuristic) | {"certify": True}
    return options if heuristic == search else options | {"engine": "symbolic"}


@lru_cache(maxsize=500)
def shortest(system: System, error: ErrorCondition) -> int | None:
    return oracle.explore(system).shortest(error)


def owner_of(name: str) -> tuple[Any, str]:  # Any: a module or a class
    """The module or class that has a budget, and the budget's name there."""
    place, _, attribute = name.rpartition(".")
    outer, _, last = place.rpartition(".")
    if last[0].isupper():
        return getattr(import_module(f"symdmc.{outer}"), last), attribute
    return import_module(f"symdmc.{place}"), attribute


def default_of(name: str) -> object:
    """What a budget is unless it is changed."""
    owner, attribute = owner_of(name)
    if isinstance(owner, type):
        return next(each.default for each in fields(owner) if each.name == attribute)
    return getattr(owner, attribute)


def shown(default: object) -> str:
    """A default as the page has it."""
    match default:
        case int():
            return f"{default:,}"
        case range():
            return f"{default.start:,} to {default.stop - 1:,}"
        case tuple():
            return ", ".join(f"{each.most_values}/{each.most_products}" for each in default)
    raise TypeError(f"the page cannot show {default!r}")


@contextmanager
def changed(budgets: Mapping[str, object]) -> Iterator[None]:
    """Inside, budgets have other values, searches are compiled, and what child processes do is done here."""
    with pytest.MonkeyPatch.context() as patch:
        for place, key in (*places_of(supervision, "supervise"), *places_of(explicit, "REFERENCE_BUDGET")):
            patch.setitem(place, key, {"supervise": in_process}.get(key, 0))
        for name, value in budgets.items():
            owner, attribute = owner_of(name)
            if isinstance(owner, type):
                patch.setattr(owner, attribute, always(value))
            else:
                for place, key in places_of(owner, attribute):
                    patch.setitem(place, key, value)
        yield


def always(value: object) -> property:
    """An attribute that has this value, whatever else it is set to."""
    return property(lambda _: value, lambda _, given: None)


def places_of(module: Any, attribute: str) -> Iterator[tuple[dict[str, object], str]]:  # Any: a module
    """Where a constant is: in its module, in others that import it, in defaults of functions."""
    value = getattr(module, attribute)
    for other in all_modules():
        if vars(other).get(attribute) is value:
            yield vars(other), attribute
    for function in filter(isfunction, vars(module).values()):
        defaults: dict[str, object] = function.__kwdefaults__ or {}
        for key, default in defaults.items():
            if default is value:
                yield defaults, key


@lru_cache
def all_modules() -> tuple[Any, ...]:
    """Every module of the package; a module imported later would keep a changed constant."""
    names = [each.name for each in pkgutil.walk_packages(symdmc.__path__, "symdmc.") if "__main__" not in each.name]
    return tuple(import_module(name) for name in names)


def in_process(work: Callable[[Callable[[Any], None]], Any], run: Run, on_report: Callable[[Any], None]) -> Any:
    """The work without a child process, which takes longer than the work."""
    return supervision.Supervised(work(on_report), None, None)
