"""Arithmetic on bits is the arithmetic of the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdmc.encode.diagrams import Diagrams, Node
from symdmc.encode.tables import words as module
from symdmc.encode.tables.words import Word, Words
from symdmc.errors import UnsupportedFeature
from symdmc.model.arithmetic import STRICT_BINARY, UNARY, ArithmeticFault
from symdmc.model.system import Range

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ARITHMETIC = tuple(operator for operator in STRICT_BINARY if operator not in COMPARISONS)
INTEGERS = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-40, 40),
    st.sampled_from([-(2**31), 2**31 - 1, -(2**16), 2**16, 2**15, 255]),
)
RANGES = [
    Range(0, 255, wraps=True),
    Range(-32768, 32767, wraps=True),
    Range(-(2**31), 2**31 - 1, wraps=True),
    Range(-2, 4, wraps=True),
    Range(3, 7, wraps=True),
    Range(-6, -4, wraps=True),
    Range(5, 5, wraps=True),
    Range(-1, 1),
    Range(2, 2**31 - 1),
]


@cache
def _free(width: int, names: str = "xy") -> tuple[Words, list[dict[int, Node]], list[Word]]:
    """Independent variables, each with all values of some number of bits, listed and as words."""
    diagrams = Diagrams([f"{name}{k}" for k in range(width) for name in names])
    listed, words = [], []
    for name in names:
        bits = [f"{name}{k}" for k in range(width)]
        half = 1 << (width - 1)
        listed.append(
            {v: diagrams.cube({bit: bool(v >> k & 1) for k, bit in enumerate(bits)}) for v in range(-half, half)}
        )
        words.append(Word(tuple(diagrams.bdd.var(bit) for bit in bits)))
    return Words(diagrams), listed, words


def _expected(words: Words, listed: list[dict[int, Node]], function: Callable[..., int]) -> dict[int | None, Node]:
    """For each result the states in which the function has it; None stands for a fault."""
    d = words.diagrams
    found: dict[int | None, Node] = {}
    for chosen in product(*(values.items() for values in listed)):
        try:
            result: int | None = function(*(value for value, _ in chosen))
        except ArithmeticFault:
            result = None
        where = d.true
        for _, node in chosen:
            where = d.both(where, node)
        found[result] = d.either(found.get(result, d.false), where)
    return found


@pytest.mark.parametrize("operator", ARITHMETIC)
def test_arithmetic_on_all_pairs_of_small_values(operator: str) -> None:
    words, listed, (x, y) = _free(4)
    expected = _expected(words, listed, STRICT_BINARY[operator])
    result, fault = words.binary(operator, x, y)
    assert fault == expected.pop(None, words.diagrams.false)
    assert words.values(result, ~fault, 1 << 12) == expected


@pytest.mark.parametrize("operator", COMPARISONS)
def test_comparisons_of_all_pairs_of_small_values(operator: str) -> None:
    words, listed, (x, y) = _free(4)
    assert words.compare(operator, x, y) == _expected(words, listed, STRICT_BINARY[operator])[1]


@pytest.mark.parametrize("operator", ["-", "~"])
def test_unary_operators_on_all_small_values(operator: str) -> None:
    words, listed, (x,) = _free(5, "x")
    assert words.values(words.unary(operator, x), words.diagrams.true, 64) == _expected(words, listed, UNARY[operator])


def test_an_unknown_operator_is_not_taken_for_another() -> None:
    words, _, (x, y) = _free(2)
    with pytest.raises(ValueError, match="not"):
        words.unary("not", x)
    with pytest.raises(ValueError, match="and"):
        words.compare("and", x, y)
    with pytest.raises(KeyError, match="and"):
        words.binary("and", x, y)


@pytest.mark.parametrize("kind", RANGES)
def test_stores_cut_every_small_value_as_the_type_does(kind: Range) -> None:
    words, listed, (x,) = _free(6, "x")
    expected = _expected(words, listed, kind.store)
    kept, fault = words.stored(x, kind)
    assert fault == expected.pop(None, words.diagrams.false)
    assert words.values(kept, ~fault, 64) == expected


@given(left=INTEGERS, other=INTEGERS, right=INTEGERS)
@pytest.mark.parametrize("operator", [*ARITHMETIC, *COMPARISONS])
def test_operators_on_values_of_32_bits(operator: str, left: int, other: int, right: int) -> None:
    words, _, (x,) = _free(3, "x")
    d, p = words.diagrams, x.sign
    first, second = words.choose(p, words.constant(left), words.constant(other)), words.constant(right)
    for where, value in ((p, left), (~p, other)):
        try:
            expected = STRICT_BINARY[operator](value, right)
        except ArithmeticFault:
            assert d.both(words.binary(operator, first, second)[1], where) == where
            continue
        if operator in COMPARISONS:
            assert d.both(words.compare(operator, first, second), where) == (where if expected else d.false)
        else:
            result, fault = words.binary(operator, first, second)
            assert fault == d.false
            assert words.values(result, where, 1) == {expected: where}


@given(value=INTEGERS, kind=st.sampled_from(RANGES))
def test_stores_of_values_of_32_bits(value: int, kind: Range) -> None:
    words, _, _ = _free(3, "x")
    kept, fault = words.stored(words.constant(value), kind)
    try:
        assert words.values(kept, ~fault, 1) == {kind.store(value): words.diagrams.true}
    except ArithmeticFault:
        assert fault == words.diagrams.true


@given(values=st.sets(INTEGERS, min_size=1, max_size=8))
def test_listed_values_and_words_are_converted_into_each_other(values: set[int]) -> None:
    words, listed, _ = _free(3, "x")
    d = words.diagrams
    nodes = list(listed[0].values())
    chosen = dict(zip(sorted(values), nodes, strict=False))
    covered = d.any_of(chosen.values())
    word = words.of_map(chosen)
    assert words.values(word, covered, 8) == chosen
    assert all(d.both(words.where(word, value), covered) == node for value, node in chosen.items())
    assert d.both(words.truth(word), covered) == d.any_of(node for value, node in chosen.items() if value)
    assert words.values(word, covered, len(chosen) - 1) is None
    assert words.values(word, d.false, 0) == {}


def test_a_word_is_no_longer_than_its_values_need() -> None:
    words, _, (x, y) = _free(4)
    assert [len(words.constant(value).bits) for value in (0, -1, 1, -2, 127, -128, 128)] == [1, 1, 2, 2, 8, 8, 9]
    assert len(words.binary("-", x, x)[0].bits) == 1
    assert len(words.binary("&", words.binary("*", x, y)[0], words.constant(1))[0].bits) == 2


def test_a_word_that_outgrows_its_budget_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    words, _, (x, y) = _free(6)
    words.binary("*", x, y)
    monkeypatch.setattr(module, "MOST_NODES", 40)
    with pytest.raises(UnsupportedFeature, match=r"more than 40 nodes; .*use neither the symbolic engine nor"):
        words.binary("*", x, y)
