"""A hint to the processor that memory will be read soon, so that the wait for it is over by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:

    def prefetch(address: int) -> None:
        """Begin to read what is at an address; does nothing else, and any address will do."""

else:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    READ, KEEP, DATA = 0, 3, 1

    def _prefetch(context, builder, signature, arguments):
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        place = builder.inttoptr(arguments[0], pointer)
        builder.call(hint, [place, word(READ), word(KEEP), word(DATA)])
        return context.get_dummy_value()

    @intrinsic
    def prefetch(typing, address):
        """Begin to read what is at an address; does nothing else, and any address will do."""
        return types.void(types.int64), _prefetch
