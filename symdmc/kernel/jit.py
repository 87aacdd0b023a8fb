"""The one way to compile a kernel function: by numba, cached in a folder of the user that depends on the kernels' text.

numba looks only at the file of a function to see whether its cache is stale, not at the files of what it calls. The
folder's name therefore carries a hash of all files of this package: any change gives a new, empty cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symdmc.user_cache import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def kernel_folder() -> Path | None:
    """Where compiled kernels are kept between runs; None where no folder can be written."""
    text = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    return cache_folder(f"kernels-{hashlib.sha256(text).hexdigest()[:16]}")


def is_compilation_due(kernel: str = "loops") -> bool:
    """Whether the functions of a kernel module will be compiled on first use because no cache has them."""
    folder = kernel_folder()
    return folder is None or not any(folder.rglob(f"{kernel}.*.nbi"))


if TYPE_CHECKING:

    def compiled(function: Function) -> Function:
        """The function, compiled by numba on first use."""

else:
    from numba import config, njit

    def compiled(function):
        """The function, compiled by numba on first use."""
        folder = kernel_folder()
        if folder is None:
            return njit(nogil=True)(function)
        kept, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return njit(cache=True, nogil=True)(function)
        finally:
            config.CACHE_DIR = kept
