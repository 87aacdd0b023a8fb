"""Value analysis where the combinations are too many: guards and updates one by one, in the end by bounds."""

from __future__ import annotations

import pytest

from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.task import compile_task
from symdmc.task.values import analysis as values
from symdmc.task.values.analysis import ValueAnalysis, analyse_values
from symdmc.task.values.domains import Domain


def _analysed(system: System, most_rows: int, growths: int = 40) -> tuple[dict[str, Domain], ValueAnalysis]:
    """The domain of each variable, where products of more than `most_rows` are not listed."""
    task = compile_task(system, ErrorCondition(name="nothing"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "MOST_ROWS", most_rows)
        patch.setattr(values, "GROWTHS", growths)
        found = analyse_values(task)
    return {variable.name: domain for variable, domain in zip(task.variables, found.domains, strict=True)}, found


def _spread(m: Builder) -> None:
    """Variables u and v with ten values each."""
    m.integer("u", 0, 9, initial=set(range(10)))
    m.integer("v", 0, 9, initial=set(range(10)))


def _system(effect: str, *, wraps: bool = False, guard: str = "1") -> System:
    """One step; reading u and v together takes a hundred rows, and each alone ten."""
    m = Builder("m")
    _spread(m)
    m.integer("x", 0, 5, wraps=wraps)
    m.integer("y", 0, 20, initial=1)
    m.integer("a", 0, 9, size=2, initial=[1, 2])
    m.process("P", initial="s").edge("s", "t", guard=guard, do=effect)
    return m.build()


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
@pytest.mark.parametrize(
    ("effect", "faultless"),
    [
        ("y = u + v", True),
        ("y = u + v, x = u & 3", True),
        ("y = u + v, x = u", False),
        ("y = u + v, x = 6 / (u + 1)", False),
        ("y = u + v, y = 6 / u", False),
        ("y = u + v, a[u] = 1", False),
        ("y = u + v, a[u & 1] = 1", True),
        ("y = u + v, a[v / 5] = u", True),
        ("y = u + v, a[6 / u] = 1", False),
        ("y = 6 / (u + v)", False),
        ("x = u + v", False),
    ],
)
def test_a_fault_that_some_values_lead_to_is_never_excluded(effect: str, faultless: bool, most_rows: int) -> None:
    _, found = _analysed(_system(effect), most_rows)
    assert not found.faultless or faultless
    if most_rows > 1 and "/" not in effect:
        assert found.faultless == faultless


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
@pytest.mark.parametrize(("wraps", "faultless"), [(False, False), (True, True)])
def test_a_store_that_wraps_is_no_fault(wraps: bool, faultless: bool, most_rows: int) -> None:
    domains, found = _analysed(_system("y = u + v, x = u + 1", wraps=wraps), most_rows)
    assert found.faultless == faultless
    assert all(value in domains["x"] for value in range(6))


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
@pytest.mark.parametrize("effect", ["x = 6 / (u + v)", "y = u + v, x = 6 / u", "y = u + v, x = a[u]"])
def test_a_value_that_faults_is_a_fault_though_its_store_wraps(effect: str, most_rows: int) -> None:
    _, found = _analysed(_system(effect, wraps=True), most_rows)
    assert not found.faultless


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
def test_a_cell_that_may_not_have_been_written_keeps_its_values(most_rows: int) -> None:
    domains, _ = _analysed(_system("y = u + v, a[u & 1] = 9, x = a[0]"), most_rows)
    assert 1 in domains["x"]
    assert 9 in domains["a[0]"]
    assert 9 in domains["a[1]"]
    assert {1, 9} <= {value for value in range(10) if value in domains["a[0]"]}


@pytest.mark.parametrize("most_rows", [1 << 16, 20])
def test_a_variable_that_was_written_has_the_new_value_only(most_rows: int) -> None:
    domains, _ = _analysed(_system("y = u + v, a[0] = 5, x = a[0]"), most_rows)
    assert domains["x"].array.tolist() == [0, 5]


@pytest.mark.parametrize("most_rows", [1 << 16, 40, 1])
def test_what_a_listener_cannot_store_does_not_end_the_step(most_rows: int) -> None:
    m = Builder("m")
    _spread(m)
    m.integer("x", 0, 5)
    m.integer("y", 0, 20)
    m.integer("z", 0, 5)
    m.broadcast("c")
    m.process("P", initial="s").edge("s", "t", sync="c!", do="y = u + v")
    m.process("Q", initial="s").edge("s", "t", sync="c?", guard="u > 8 and v > 8", do="x = 7")
    m.process("R", initial="s").edge("s", "t", sync="c?", do="z = 3")
    domains, _ = _analysed(m.build(), most_rows)
    assert 3 in domains["z"]
    assert all(value in domains["y"] for value in range(18))


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
def test_a_domain_that_grows_for_long_stays_within_the_declared_range(most_rows: int) -> None:
    m = Builder("m")
    m.integer("x", -50, 60, initial=0)
    m.integer("y", -50, 60, initial=0)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 60", do="x = x + 1")
    p.edge("s", "s", guard="y > -50 and y < 40", do="y = y - 1")
    domains, found = _analysed(m.build(), most_rows, growths=2)
    assert (domains["x"].low, domains["x"].high) == (0, 60)
    assert (domains["y"].low, domains["y"].high) == (-50, 0)
    assert found.faultless == (most_rows > 100)


@pytest.mark.parametrize("most_rows", [1 << 16, 20, 1])
def test_a_guard_that_excludes_all_values_makes_the_step_impossible(most_rows: int) -> None:
    _, found = _analysed(_system("y = u + v", guard="u > 9"), most_rows)
    assert not found.possible
    _, found = _analysed(_system("y = u + v", guard="u > 8 and v >= 9"), most_rows)
    assert len(found.possible) == 1


def test_a_variable_that_grows_for_ever_is_widened_at_once() -> None:
    m = Builder("m")
    m.integer("x", -(2**31), 2**31 - 1, initial=0)
    m.process("P", initial="s").edge("s", "s", do="x = x + 1")
    domains, _ = _analysed(m.build(), 1 << 16)
    assert domains["x"].high == 2**31 - 1


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ("x = a[u & 1]", [0, 1, 2]),
        ("a[u & 1] = 4, x = a[v & 1]", [0, 1, 2, 4]),
        ("a[u & 1] = 4, x = a[u & 1]", [0, 4]),
        ("a[u & 1] = 4, a[u & 1] = 5, x = a[u & 1]", [0, 5]),
        ("a[u & 1] = 4, x = a[1 - (u & 1)]", [0, 1, 2, 4]),
        ("x = a[u & 1] + a[u & 1]", [0, 2, 4]),
        ("a[0] = 5, x = a[u & 1]", [0, 2, 5]),
    ],
)
def test_cells_with_a_computed_index_are_followed_through_a_step(effect: str, expected: list[int]) -> None:
    domains, found = _analysed(_system(effect), 1 << 16)
    reached = set(domains["x"].array.tolist())
    assert reached == set(expected)
    assert found.faultless
