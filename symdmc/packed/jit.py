"""Where kernel functions are compiled: by numba, cached in a folder of the user that depends on the kernels' text.

numba looks only at the file of a function to see whether its cache is stale, not at the files of what it calls. The
folder's name therefore carries a hash of all files in the rooms that have kernels: any change gives a new, empty cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symdmc.running.guard import LimitReached
from symdmc.user_cache import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

ROOMS = ("abstraction/merging", "kernel", "lookup", "packed")
"""The folders of the package in which kernels, and what they are compiled with, stand."""


@cache
def kernel_folder() -> Path | None:
    """Where compiled kernels are kept between runs; None where no folder can be written."""
    package = Path(__file__).parents[1]
    files = (file for room in ROOMS for file in sorted((package / room).rglob("*.py")))
    text = b"".join(file.read_bytes() for file in files)
    return cache_folder(f"kernels-{hashlib.sha256(text).hexdigest()[:16]}")


def is_compilation_due(kernel: Callable[..., Any]) -> bool:
    """Whether a kernel will be compiled on first use, because the cache has nothing of its module."""
    folder = kernel_folder()
    module = kernel.__module__.rpartition(".")[2]
    return folder is None or not any(folder.rglob(f"{module}.*.nbi"))


def interruptible(kernel: Function) -> Function:
    """A compiled function that gives arrays back, for callers in Python, which can be interrupted.

    An interrupt or a limit while numba wraps up the arrays comes out as SystemError, with the reason behind it.
    """

    @wraps(kernel)
    def called(*arguments: Any) -> Any:  # Any: whatever the kernel takes and gives
        try:
            return kernel(*arguments)
        except SystemError as error:
            cause: BaseException | None = error
            while cause is not None:
                if isinstance(cause, KeyboardInterrupt | LimitReached):
                    raise cause from None
                cause = cause.__cause__ or cause.__context__
            raise

    return called  # type: ignore[return-value]  # it has the signature of the kernel


if TYPE_CHECKING:

    def compiled(function: Function) -> Function:
        """The function, compiled by numba on first use; it must not make arrays."""

    def inlined(function: Function) -> Function:
        """The same for a small function that is called again and again: its code becomes part of its callers.

        A call costs more than it seems: an array is passed as seven numbers.
        """

    def making_arrays(function: Function) -> Function:
        """The same for a function that makes arrays."""

else:
    from numba import config, njit
    from numba.core.options import DefaultOptions

    # Where functions may make arrays, numba counts the references to each array that is passed to a function, with
    # instructions that lock memory: that takes up to a third of a search. The option is not documented. A numba without
    # it compiles the same kernels to slower code.
    COUNTING = hasattr(DefaultOptions, "_nrt")

    def _compiled(function, *, counts, **options):
        folder = kernel_folder()
        options["nogil"] = True
        if COUNTING:
            options["_nrt"] = counts
        if folder is None:
            return njit(**options)(function)
        kept, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return njit(cache=True, **options)(function)
        finally:
            config.CACHE_DIR = kept

    compiled = partial(_compiled, counts=False)
    inlined = partial(_compiled, counts=False, forceinline=True)
    making_arrays = partial(_compiled, counts=True)
