"""z3 terms evaluated in many states at once, by arithmetic on arrays instead of by a solver.

A Boolean is an array of truth values, a bit vector an array of its unsigned values. All operators have their meaning in
SMT-LIB, division by zero included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import z3
from numpy.typing import NDArray

from symdmc.evidence.smt.terms import SmtLayout, Term

Array: TypeAlias = NDArray[Any]
"""An int64 array for a bit vector, a bool array for a Boolean; without dimensions if it is the same in all states."""
Columns: TypeAlias = Callable[[int], NDArray[np.int64]]
"""Gives the bits of a slot in each of the states."""

WIDEST = 62
"""Wider bit vectors do not fit into signed 64-bit integers."""


class UnknownTerm(Exception):
    """A term of a kind that is not evaluated here, so that a solver has to be asked."""


_Operation: TypeAlias = Callable[..., Any]


class TermCompiler:
    """Turns terms over the unknown state of a layout into programs; each subterm is taken apart once."""

    def __init__(self, layout: SmtLayout) -> None:
        self._slots = {
            value.get_id(): slot for slot, value in enumerate(layout.current) if layout.slots[slot].fixed is None
        }
        self._layout = layout
        self._operations: dict[int, tuple[_Operation, tuple[int, ...]]] = {}
        self._inputs: dict[int, int] = {}
        """The terms that are slots of the unknown state."""
        self._choices: dict[int, str] = {}
        """The terms that are Booleans with a name."""
        self._kept: list[Term] = []
        """All terms with an entry: as long as a term exists, z3 gives its number to no other."""

    def program(self, terms: Sequence[Term]) -> Program:
        """The program that evaluates these terms."""
        for term in terms:
            self._take_apart(term)
        wanted = [term.get_id() for term in terms]
        return Program(list(self._in_order(wanted)), wanted)

    def _take_apart(self, term: Term) -> None:
        pending = [term]
        while pending:
            each = pending.pop()
            number = each.get_id()
            if number in self._operations or number in self._inputs or number in self._choices:
                continue
            self._kept.append(each)
            kind = each.decl().kind()
            if number in self._slots:
                self._inputs[number] = self._slots[number]
            elif kind == z3.Z3_OP_UNINTERPRETED and z3.is_bool(each) and each.num_args() == 0:
                self._choices[number] = each.decl().name()
            else:
                parts = each.children()
                self._operations[number] = operation(each), tuple(part.get_id() for part in parts)
                pending.extend(parts)

    def _in_order(self, wanted: Sequence[int]) -> Iterable[tuple[int, _Operation | int | str, tuple[int, ...]]]:
        """The wanted terms and their subterms, each after its parts."""
        done: set[int] = set()
        pending = [(number, False) for number in wanted]
        while pending:
            number, ready = pending.pop()
            if number in done:
                continue
            if number in self._inputs or number in self._choices:
                done.add(number)
                yield number, self._inputs[number] if number in self._inputs else self._choices[number], ()
                continue
            found, parts = self._operations[number]
            if ready:
                done.add(number)
                yield number, found, parts
            else:
                pending.append((number, True))
                pending.extend((part, False) for part in parts if part not in done)


class Program:
    """A sequence of operations that evaluates some terms."""

    def __init__(
        self, code: Sequence[tuple[int, _Operation | int | str, tuple[int, ...]]], wanted: Sequence[int]
    ) -> None:
        self._code = code
        self._wanted = wanted

    def __len__(self) -> int:
        """How many different terms it evaluates."""
        return len(self._code)

    def run(self, columns: Columns, chosen: Mapping[str, bool] = MappingProxyType({})) -> list[Array]:
        """The terms in the states with these columns; Booleans with a name are as chosen."""
        found: dict[int, Any] = {}
        for number, what, parts in self._code:
            if isinstance(what, int):
                found[number] = columns(what)
            elif isinstance(what, str):
                found[number] = np.bool_(chosen[what])
            else:
                found[number] = what(*(found[part] for part in parts))
        return [found[number] for number in self._wanted]


def operation(term: Term) -> _Operation:
    """The function from the values of the parts of a term to the value of the term."""
    kind = term.decl().kind()
    widths = [part.size() for part in term.children() if z3.is_bv(part)]
    width = term.size() if z3.is_bv(term) else max(widths, default=0)
    if width > WIDEST:
        raise UnknownTerm(f"{width} bits")
    if kind == z3.Z3_OP_BNUM:
        constant = np.int64(term.as_long())
        return lambda: constant
    if kind in _LOGICAL:
        return _LOGICAL[kind]
    mask = (1 << width) - 1
    if kind in _MODULAR:
        compute = _MODULAR[kind]
        return lambda *parts: compute(*parts) & mask
    if kind in _SIGNED:
        meant = _SIGNED[kind]
        return lambda *parts: meant(*(_signed(part, width) for part in parts))
    if kind in _DIVIDING:
        divide = _DIVIDING[kind]
        return lambda left, right: divide(_signed(left, width), _signed(right, width)) & mask
    return _shaping(kind, term, widths, mask)


def _shaping(kind: int, term: Term, widths: Sequence[int], mask: int) -> _Operation:
    """The function for an operation that moves bits to other places."""
    match kind:
        case z3.Z3_OP_EXTRACT:
            _, low = term.decl().params()
            return lambda part: (part >> low) & mask
        case z3.Z3_OP_ZERO_EXT:
            return lambda part: part
        case z3.Z3_OP_SIGN_EXT:
            return lambda part: _signed(part, widths[0]) & mask
        case z3.Z3_OP_CONCAT:
            return lambda *parts: _joined(parts, widths)
        case z3.Z3_OP_BSHL:
            return lambda left, right: np.where(right < widths[0], left << np.minimum(right, widths[0]), 0) & mask
        case z3.Z3_OP_BLSHR:
            return lambda left, right: left >> np.minimum(right, WIDEST)
        case z3.Z3_OP_BASHR:
            return lambda left, right: (_signed(left, widths[0]) >> np.minimum(right, WIDEST)) & mask
        case _:
            raise UnknownTerm(term.decl().name())


def _signed(bits: Any, width: int) -> Any:
    """The integers that the bits represent in two's complement."""
    return bits - ((bits >> (width - 1)) << width)


def _joined(parts: Sequence[Any], widths: Sequence[int]) -> Any:
    joined = parts[0]
    for part, width in zip(parts[1:], widths[1:], strict=True):
        joined = (joined << width) | part
    return joined


def _reduced(operator: Callable[[Any, Any], Any]) -> _Operation:
    """A binary operator extended to any number of parts."""

    def of_all(first: Any, *others: Any) -> Any:
        for other in others:
            first = operator(first, other)
        return first

    return of_all


def _quotient(left: Any, right: Any) -> Any:
    """The quotient rounded toward zero; by zero, 1 for negative dividends and -1 for all others."""
    divisor = np.where(right == 0, 1, right)
    magnitude = np.abs(left) // np.abs(divisor)
    signed = np.where((left < 0) == (divisor < 0), magnitude, -magnitude)
    return np.where(right == 0, np.where(left < 0, 1, -1), signed)


def _remainder(left: Any, right: Any) -> Any:
    """The remainder with the sign of the dividend; by zero, the dividend."""
    divisor = np.where(right == 0, 1, right)
    magnitude = np.abs(left) % np.abs(divisor)
    return np.where(right == 0, left, np.where(left < 0, -magnitude, magnitude))


def _unsigned_quotient(left: Any, right: Any) -> Any:
    """The quotient of unsigned values; by zero, all bits are set."""
    return np.where(right == 0, -1, left // np.where(right == 0, 1, right))


def _modulo(left: Any, right: Any) -> Any:
    """The remainder with the sign of the divisor; by zero, the dividend."""
    divisor = np.where(right == 0, 1, right)
    return np.where(right == 0, left, left % divisor)


def _distinct(*parts: Any) -> Any:
    different = np.bool_(True)
    for k, one in enumerate(parts):
        for other in parts[k + 1 :]:
            different = different & (one != other)
    return different


_LOGICAL: Mapping[int, _Operation] = MappingProxyType(
    {
        z3.Z3_OP_TRUE: lambda: np.bool_(True),
        z3.Z3_OP_FALSE: lambda: np.bool_(False),
        z3.Z3_OP_AND: _reduced(lambda left, right: left & right),
        z3.Z3_OP_OR: _reduced(lambda left, right: left | right),
        z3.Z3_OP_XOR: _reduced(lambda left, right: left ^ right),
        z3.Z3_OP_NOT: np.logical_not,
        z3.Z3_OP_IMPLIES: lambda left, right: np.logical_not(left) | right,
        z3.Z3_OP_IFF: lambda left, right: left == right,
        z3.Z3_OP_EQ: lambda left, right: left == right,
        z3.Z3_OP_DISTINCT: _distinct,
        z3.Z3_OP_ITE: np.where,
        z3.Z3_OP_ULEQ: lambda left, right: left <= right,
        z3.Z3_OP_ULT: lambda left, right: left < right,
        z3.Z3_OP_UGEQ: lambda left, right: left >= right,
        z3.Z3_OP_UGT: lambda left, right: left > right,
        z3.Z3_OP_BAND: _reduced(lambda left, right: left & right),
        z3.Z3_OP_BOR: _reduced(lambda left, right: left | right),
        z3.Z3_OP_BXOR: _reduced(lambda left, right: left ^ right),
    }
)
_MODULAR: Mapping[int, _Operation] = MappingProxyType(
    {
        z3.Z3_OP_BADD: _reduced(lambda left, right: left + right),
        z3.Z3_OP_BSUB: _reduced(lambda left, right: left - right),
        z3.Z3_OP_BMUL: _reduced(lambda left, right: left * right),
        z3.Z3_OP_BNEG: lambda part: -part,
        z3.Z3_OP_BNOT: lambda part: ~part,
        z3.Z3_OP_BUDIV: _unsigned_quotient,
        z3.Z3_OP_BUDIV_I: _unsigned_quotient,
        z3.Z3_OP_BUREM: _modulo,
        z3.Z3_OP_BUREM_I: _modulo,
    }
)
_SIGNED: Mapping[int, _Operation] = MappingProxyType(
    {
        z3.Z3_OP_SLEQ: lambda left, right: left <= right,
        z3.Z3_OP_SLT: lambda left, right: left < right,
        z3.Z3_OP_SGEQ: lambda left, right: left >= right,
        z3.Z3_OP_SGT: lambda left, right: left > right,
    }
)
_DIVIDING: Mapping[int, _Operation] = MappingProxyType(
    {
        z3.Z3_OP_BSDIV: _quotient,
        z3.Z3_OP_BSDIV_I: _quotient,
        z3.Z3_OP_BSREM: _remainder,
        z3.Z3_OP_BSREM_I: _remainder,
        z3.Z3_OP_BSMOD: _modulo,
        z3.Z3_OP_BSMOD_I: _modulo,
    }
)
