"""Calls from the compiled loops to machine code that is known by its address only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:

    def call1(address: int, argument: int) -> int:
        """The result of a function of one 64-bit integer."""

    def call3(address: int, first: int, second: int, third: int) -> int:
        """The result of a function of three 64-bit integers."""

else:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    def _call(context, builder, signature, arguments):
        """Call the address given as the first argument with the others."""
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * (len(arguments) - 1))
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    @intrinsic
    def call1(typing, address, argument):
        """The result of a function of one 64-bit integer."""
        return types.int64(types.int64, types.int64), _call

    @intrinsic
    def call3(typing, address, first, second, third):
        """The result of a function of three 64-bit integers."""
        return types.int64(types.int64, types.int64, types.int64, types.int64), _call
