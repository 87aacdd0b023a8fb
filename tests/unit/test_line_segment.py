"""The line segment has the published sizes, is faulty or correct as said, and a small pattern is enough to see it."""

from __future__ import annotations

from itertools import pairwise

import pytest

import symdmc
from symdmc.checking.checks import task_for
from symdmc.evidence.certify import certify
from symdmc.model.fingerprint import fingerprint
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.reader.families import load_family
from symdmc.task.interaction import error_variables, footprint
from symdmc.task.values.analysis import analyse_values

CORE = "Main*,Actuator*,drive_*"
"""What decides whether both signals can be up: the controller and the actuators, with their variables and clocks."""
REQUESTS = "tram_[13]"
FILTER = "Filter1,Filter1->hits,contact_1"
DETECTION = "Detection->phase,Detection->cycle"


def segment(instance: str, **more: str) -> System:
    return load_family("line_segment", {"instance": instance, **more})


def size(instance: str) -> tuple[int, int]:
    """How many automata, without the one that lets time pass, and how many variables."""
    system = segment(instance)
    assert system.processes[-1].name == "Time"
    return len(system.processes) - 1, len(system.variables)


@pytest.mark.parametrize(
    ("kind", "smallest", "largest"),
    [("C", (5, 15), (10, 28)), ("D", (7, 29), (13, 54)), ("E", (9, 44), (13, 54))],
)
def test_instances_grow_from_the_smallest_to_the_largest_published_size(
    kind: str, smallest: tuple[int, int], largest: tuple[int, int]
) -> None:
    sizes = [size(f"{kind}{number}") for number in range(1, 10)]
    assert (sizes[0], sizes[-1]) == (smallest, largest)
    assert all(less[0] <= more[0] and less[1] < more[1] for less, more in pairwise(sizes))


@pytest.mark.parametrize("instance", ["C1", "C9", "D1", "E9"])
def test_time_passes_in_one_transition_of_cost_0_and_domains_are_small(instance: str) -> None:
    task = task_for(segment(instance))
    *others, tick = task.transitions
    assert (tick.cost, {transition.cost for transition in others}) == (0, {1})
    assert len(others) < 250
    values = analyse_values(task)
    assert values.faultless
    assert max(domain.count for domain in values.domains) <= 16


@pytest.mark.parametrize("instance", ["C1", "C3", "C9", "D1", "D9"])
def test_every_variable_can_influence_the_signals_without_the_passing_of_time(instance: str) -> None:
    """The tick joins all clocks; but no part is tied to the rest by time alone."""
    task = task_for(segment(instance))
    touched = [footprint(task, transition) for transition in task.transitions[:-1]]
    met, found = frozenset[int](), error_variables(task)
    while found - met:
        met |= found
        found = met.union(*(one.reads | one.writes for one in touched if one.writes & met))
    assert [variable.name for number, variable in enumerate(task.variables) if number not in met] == ["Time"]


def test_the_correct_instances_are_faulty_ones_with_a_right_bound() -> None:
    assert fingerprint(segment("E1", bound="2")) == fingerprint(segment("D5"))
    assert fingerprint(segment("E9", bound="2")) == fingerprint(segment("D9"))
    assert fingerprint(segment("D9", bound="3")) == fingerprint(segment("E9"))


def test_both_engines_find_the_shortest_trace_of_the_smallest_instance() -> None:
    explicit = symdmc.check(segment("C1"))
    symbolic = symdmc.check(segment("C1"), engine="symbolic")
    assert (explicit.length, symbolic.length) == (59, 59)
    assert 10**4 < explicit.explored < 10**5


def test_both_engines_find_the_smallest_instance_safe_with_a_right_bound() -> None:
    system = segment("C1", bound="3")
    assert symdmc.check(system).verdict is Verdict.SAFE
    assert symdmc.check(system, engine="symbolic", direction="forward").verdict is Verdict.SAFE


def test_time_never_stands_still() -> None:
    """A cycle that is due can always be finished: there is no state without a step."""
    assert symdmc.check(segment("C1"), deadlock=True, engine="symbolic", direction="backward").verdict is Verdict.SAFE


@pytest.mark.parametrize(
    ("instance", "pattern", "length"),
    [
        ("C1", f"{CORE},{REQUESTS},{FILTER}", 59),
        ("C5", f"{CORE},{REQUESTS},{FILTER}", 59),
        ("D1", f"{CORE},{REQUESTS},{DETECTION}", 72),
    ],
)
def test_a_small_pattern_knows_the_length_and_leads_straight_to_the_error(
    instance: str, pattern: str, length: int
) -> None:
    result = symdmc.check(segment(instance), heuristic="pdb", pattern=pattern)
    assert (result.length, result.h_initial, result.shortest) == (length, length, True)
    assert result.explored < 2 * length


@pytest.mark.parametrize("instance", ["E1", "E9"])
def test_controller_and_actuators_prove_a_correct_instance_without_a_search(instance: str) -> None:
    system = segment(instance)
    result = symdmc.check(system, heuristic="pdb", pattern=CORE, certify=True)
    assert (result.verdict, result.h_initial, result.explored) == (Verdict.SAFE, "dead end", 0)
    assert result.certificate is not None
    certify(system, result.certificate)


def test_refinement_finds_by_itself_what_proves_a_correct_instance() -> None:
    system = segment("E1")
    result = symdmc.check(system, heuristic="pdb:cegar", certify=True)
    assert (result.verdict, result.h_initial, result.explored) == (Verdict.SAFE, "dead end", 0)
    assert result.certificate is not None
    certify(system, result.certificate)


@pytest.mark.parametrize(("instance", "length"), [("C2", 59), ("D1", 72)])
def test_refinement_finds_a_shortest_trace_of_a_faulty_instance(instance: str, length: int) -> None:
    result = symdmc.check(segment(instance), heuristic="pdb:cegar")
    assert (result.length, result.shortest) == (length, True)
    assert result.explored < 10_000


def test_a_correct_instance_becomes_faulty_with_a_wrong_bound() -> None:
    result = symdmc.check(segment("E1", bound="2"), heuristic="pdb", pattern=f"{CORE},{REQUESTS},{DETECTION}")
    assert (result.verdict, result.length, result.h_initial) == (Verdict.ERROR, 80, 80)


@pytest.mark.parametrize("missing", ["Main->held", "Actuator1->cycle", "drive_1"])
def test_the_proof_needs_what_the_waiting_rests_on(missing: str) -> None:
    task = task_for(segment("E1"))
    kept = [v.name for v in task.variables if v.name.startswith(("Main", "Actuator", "drive_")) and v.name != missing]
    assert not symdmc.pattern_database(task, keep=kept).proves_safety
    assert symdmc.pattern_database(task, keep=[*kept, missing]).proves_safety
