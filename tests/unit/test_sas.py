"""The SAS+ text of a task has its states, its steps and its error condition, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import symdmc
from benchmarks.sas import sas
from symdmc.checking.checks import task_of
from symdmc.checking.request import Question


@dataclass(frozen=True)
class Operator:
    """What must hold before a step and what holds after it, with its cost."""

    before: dict[int, int]
    after: dict[int, int]
    cost: int


@dataclass(frozen=True)
class Sas:
    """A file as a planner reads it."""

    values: list[int]
    initial: tuple[int, ...]
    goal: dict[int, int]
    operators: list[Operator]

    def steps(self, state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for operator in self.operators:
            if all(state[variable] == value for variable, value in operator.before.items()):
                yield tuple(operator.after.get(variable, value) for variable, value in enumerate(state))

    def layers(self) -> list[set[tuple[int, ...]]]:
        """The reachable states by distance."""
        found = [{self.initial}]
        seen = {self.initial}
        while found[-1]:
            found.append({after for state in found[-1] for after in self.steps(state)} - seen)
            seen |= found[-1]
        return found[:-1]

    def length(self) -> int | None:
        for distance, layer in enumerate(self.layers()):
            if any(all(state[variable] == value for variable, value in self.goal.items()) for state in layer):
                return distance
        return None


def read(text: str) -> Sas:
    lines = iter(text.splitlines())

    def take(*expected: str) -> None:
        assert [next(lines) for _ in expected] == list(expected)

    def facts() -> dict[int, int]:
        return dict((int(word) for word in next(lines).split()) for _ in range(int(next(lines))))  # type: ignore[misc]

    def variable(number: int) -> int:
        take("begin_variable", f"var{number}", "-1")
        names = [next(lines) for _ in range(int(next(lines)))]
        assert len(set(names)) == len(names) >= 2
        take("end_variable")
        return len(names)

    def operator() -> Operator:
        take("begin_operator")
        assert next(lines)
        before = facts()
        after: dict[int, int] = {}
        for _ in range(int(next(lines))):
            conditions, changed, old, new = (int(word) for word in next(lines).split())
            assert conditions == 0
            assert changed not in before.keys() | after.keys()
            assert old != new
            after[changed] = new
            if old >= 0:
                before[changed] = old
        cost = int(next(lines))
        take("end_operator")
        return Operator(before, after, cost)

    take("begin_version", "3", "end_version", "begin_metric", "1", "end_metric")
    values = [variable(number) for number in range(int(next(lines)))]
    take("0", "begin_state")
    initial = tuple(int(next(lines)) for _ in values)
    take("end_state", "begin_goal")
    goal = facts()
    take("end_goal")
    operators = [operator() for _ in range(int(next(lines)))]
    take("0")
    assert list(lines) == []
    return Sas(values, initial, goal, operators)


def translated(model: str | symdmc.System, error: str | None = None) -> Sas:
    system = symdmc.load(model) if isinstance(model, str) else model
    return read(sas(task_of(system, Question(error=error))))


def test_the_faulty_arbiter_tree_has_the_same_shortest_length() -> None:
    model = "arbiter_tree:height=2"
    file = translated(model)
    assert len(file.operators) == 36
    assert {operator.cost for operator in file.operators} == {1}
    assert file.length() == symdmc.check(model).length == 28


def test_the_correct_arbiter_tree_has_as_many_states_and_no_error() -> None:
    file = translated("arbiter_tree:height=2,faulty=false")
    assert len(file.operators) == 35
    assert sum(len(layer) for layer in file.layers()) == 576
    assert file.length() is None


def stepper() -> symdmc.Builder:
    """Tests and stores constants only; the stores of one step run in sequence."""
    m = symdmc.Builder("stepper")
    m.integer("x", 0, 9)
    m.integer("cell", 0, 9, size=2)
    p = m.process("P", initial="a")
    p.edge("a", "b", do="x = 4, x = 5")
    p.edge("b", "c", guard="x == 5", do="cell[1] = 7")
    q = m.process("Q", initial="q")
    q.edge("q", "q", guard="cell[1] == 7", do="x = 2")
    return m


def test_constant_guards_and_stores_of_variables_become_facts() -> None:
    system = stepper().build()
    asked = "x == 2 and P.c and cell[1] == 7"
    assert translated(system, asked).length() == symdmc.check(system, error=asked).length == 3
    assert len(translated(system, asked).operators) == 3


def test_a_location_that_is_kept_is_needed_and_not_changed() -> None:
    loop = translated(stepper().build(), "x == 2").operators[-1]
    assert 1 in loop.before
    assert 1 not in loop.after


@pytest.mark.parametrize(
    ("guard", "update", "error", "complaint"),
    [
        ("x < 3", "x = 1", "x == 1", "x < 3 is no fact"),
        ("true", "x = x + 1", "x == 1", "the store x = x \\+ 1 is no constant"),
        ("true", "x = 1", "x == 1 or x == 0", "is no fact"),
        ("true", "x = 1", "x == 2", "x == 2 never holds"),
        ("true", "x = 1", "x == 1 and x == 0", "never holds"),
    ],
)
def test_what_is_no_fact_is_refused(guard: str, update: str, error: str, complaint: str) -> None:
    m = symdmc.Builder("counter")
    m.integer("x", 0, 3)
    m.process("P", initial="here").edge("here", "here", guard=guard, do=update)
    with pytest.raises(ValueError, match=complaint):
        translated(m.build(), error)


def test_deadlocks_are_refused() -> None:
    task = task_of(stepper().build(), Question(deadlock=True))
    with pytest.raises(ValueError, match="no conjunction of facts"):
        sas(task)
