"""The referee, which judges traces and certificates, has the states, steps and faults of the reference semantics."""

from __future__ import annotations

import ast
import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symdmc
from symdmc.evidence.judge.referee import Referee
from symdmc.evidence.judge.values import Board, NoValue, kept
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.builder import Builder
from symdmc.model.error_states import is_error_state
from symdmc.model.expressions import Binary, Expr, Literal, Unary
from symdmc.model.question import ErrorCondition
from symdmc.model.semantics import Semantics
from symdmc.model.state import EdgeRef, Fault, State, Step
from symdmc.model.system import Range, System
from tests.certificates import all_states
from tests.oracle import explore
from tests.strategies import expressions, systems

PACKAGE = Path(symdmc.__file__).parent
JUDGE = PACKAGE / "evidence" / "judge"
TYPES = {"expressions", "state", "system", "question"}
"""The modules of the model that the judge may import: they say what a system, a state and a step consist of."""
NUMBERS = (0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, -31, 255, 65_535, 2**30, 2**31 - 1, -(2**31), -(2**31) + 1, -(2**16))
BINARY = ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "and", "or", "imply")


def test_the_judge_imports_types_of_the_model_and_nothing_else() -> None:
    for file in sorted(JUDGE.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Import)
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("symdmc"):
                own = node.module.startswith("symdmc.evidence.judge.") or node.module == "symdmc.errors"
                assert own or node.module in {f"symdmc.model.{each}" for each in TYPES}, f"{file}: {node.module}"


def imports_of(module: str) -> set[str]:
    """The modules of symdmc that are loaded with a module."""
    parts = module.split(".")[1:]
    path = PACKAGE.joinpath(*parts).with_suffix(".py")
    tree = ast.parse((path if path.exists() else PACKAGE.joinpath(*parts, "__init__.py")).read_text(encoding="utf-8"))
    froms = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module is not None]
    return {name for name in froms if name.startswith("symdmc.")}


def test_judging_loads_neither_the_reference_semantics_nor_any_engine() -> None:
    pending, loaded = ["symdmc.evidence.certify", "symdmc.evidence.replay", "symdmc.evidence.claims"], set[str]()
    while pending:
        module = pending.pop()
        if module not in loaded:
            loaded.add(module)
            pending += sorted(imports_of(module))
    assert {name.split(".")[1] for name in loaded} == {"errors", "evidence", "model", "spelling", "user_cache"}
    assert "symdmc.model.steps" in loaded
    assert "symdmc.model.semantics" not in loaded


def worth(board: Board, semantics: Semantics, state: State, expression: Expr) -> tuple[object, object]:
    """What an expression is worth to both; None for nothing."""
    try:
        judged: object = board.value(expression)
    except NoValue:
        judged = None
    try:
        meant: object = semantics.evaluate(expression, state)
    except ArithmeticFault:
        meant = None
    return judged, meant


def test_operators_mean_the_same_on_all_awkward_numbers() -> None:
    m = Builder("m")
    m.process("P", initial="s")
    system = m.build()
    semantics = Semantics(system)
    (state,) = semantics.initial_states()
    board = Board(system, state)
    for operator, left, right in product(BINARY, NUMBERS, NUMBERS):
        expression = Binary(operator, Literal(left), Literal(right))
        judged, meant = worth(board, semantics, state, expression)
        assert judged == meant, expression
    for operator, number in product(("-", "~", "not"), NUMBERS):
        judged, meant = worth(board, semantics, state, Unary(operator, Literal(number)))
        assert judged == meant, (operator, number)


def test_ranges_keep_the_same_of_every_number() -> None:
    for low, high in ((0, 0), (0, 255), (-3, 4), (-32768, 32767), (5, 9), (-9, -5), (-(2**31), 2**31 - 1)):
        for number in (*NUMBERS, low - 1, low, high, high + 1, 2 * high + 1, low - 3 * (high - low + 1)):
            assert kept(Range(low, high, True), number) == Range(low, high, True).store(number)
            if low <= number <= high:
                assert kept(Range(low, high), number) == number
            else:
                with pytest.raises(NoValue):
                    kept(Range(low, high), number)


def outcomes_of(found: list[Step | Fault]) -> tuple[set[Step], set[tuple[EdgeRef, ...]]]:
    steps = [each for each in found if isinstance(each, Step)]
    assert len(set(steps)) == len(steps)
    return set(steps), {each.edges for each in found if isinstance(each, Fault)}


def assert_same(system: System, states: list[State], chance: random.Random) -> None:
    semantics, referee = Semantics(system), Referee(system)
    every = [(n, k) for n, process in enumerate(system.processes) for k in range(len(process.edges))]
    questions = [ErrorCondition(name=each.name, expression=each.error) for each in system.properties]
    questions += [ErrorCondition(name="stuck", deadlock=True), ErrorCondition(name="fault", fault=True)]
    for state in states:
        meant, judged = list(semantics.moves(state)), list(referee.outcomes(state))
        assert outcomes_of(judged) == outcomes_of(meant)
        assert referee.starts_in(state) == semantics.is_initial(state)
        for question in questions:
            assert referee.is_error(state, question) == is_error_state(semantics, state, question)
        for move in meant:
            claimed = referee.outcome(move.edges, state)
            assert claimed == move if isinstance(move, Step) else isinstance(claimed, Fault)
        made = {move.edges for move in meant if isinstance(move, Step)}
        for _ in range(5):
            team = tuple(chance.sample(every, chance.randint(1, min(3, len(every))))) if every else ()
            assert isinstance(referee.outcome(team, state), Step) == (team in made)


@settings(max_examples=120, deadline=None)
@given(systems(costs=True), st.integers(0, 2**16))
def test_every_reachable_state_has_the_same_steps(system: System, seed: int) -> None:
    assert list(Referee(system).initial_states()) == list(Semantics(system).initial_states())
    assert_same(system, list(explore(system).steps)[:60], random.Random(seed))


@settings(max_examples=40, deadline=None)
@given(systems(costs=True), st.integers(0, 2**16))
def test_so_has_every_other_state(system: System, seed: int) -> None:
    sizes = [(each.type.high - each.type.low + 1) ** each.cells for each in system.storage]
    chance = random.Random(seed)
    if all(size <= 300 for size in sizes):
        product_size = 1
        for size in sizes:
            product_size *= size
        if product_size <= 3000:
            space = all_states(system)
            assert_same(system, chance.sample(space, min(len(space), 40)), chance)


@settings(max_examples=150, deadline=None)
@given(systems(), st.data())
def test_expressions_are_worth_the_same(system: System, data: st.DataObject) -> None:
    semantics = Semantics(system)
    for state in list(explore(system).steps)[:5]:
        board = Board(system, state)
        expression = data.draw(expressions(system, depth=3))
        judged, meant = worth(board, semantics, state, expression)
        assert judged == meant
        assert board.holds(expression) == semantics.holds(expression, state)


TRAPS = {
    "buffers that are full and empty, of two components, with a range that faults": (
        lambda m: m.buffered("q", capacity=2, values=[Range(0, 3), Range(-2, 2, True)]),
        ["q!{x, x + 1}", "q!{x * 2, 5}"],
        ["q?{x, a[x]}", "q?{a[0], a[y]}"],
    ),
    "rendezvous with values out of range and cells out of bounds": (
        lambda m: m.channel("q", values=2),
        ["q!{x + 2, y - 5}", "q!{1 / x, y}"],
        ["q?{x, a[x]}", "q?{a[y], y}"],
    ),
    "broadcasts with guards that fault": (
        lambda m: m.broadcast("q", values=1),
        ["q!{x + 1}"],
        ["q?{x}", "q?{a[x]}", "q?{y}"],
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("seed", range(6))
def test_traps(trap: str, seed: int) -> None:
    make, sends, receives = TRAPS[trap]
    chance = random.Random(seed)
    m = Builder("traps")
    m.integer("x", 0, 3)
    m.integer("y", -2, 2, wraps=True)
    m.integer("a", 0, 3, size=3)
    make(m)  # type: ignore[no-untyped-call]
    guards = ("true", "a[x] >= 0", "6 / x > 1", "x % (y - 1) == 0", "not P.t", "y < 0 or a[y] == 0")
    for name in ("P", "Q", "R"):
        p = m.process(name, initial="s")
        for at in ("s", "t"):
            p.location(at, committed=chance.random() < 0.2)
            for sync in (None, chance.choice(sends), *chance.sample(receives, 2)):
                do = chance.choice(("", "x = x + 1", "y = y - 1", "a[x] = y, x = a[0]", "a[y] = 1"))
                p.edge(at, chance.choice("st"), guard=chance.choice(guards), sync=sync, do=do)
    system = m.build()
    assert_same(system, list(explore(system).steps)[:250], chance)
