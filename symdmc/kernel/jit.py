"""The one way to compile a kernel function: by numba, cached in a folder of the user that depends on the kernels' text.

numba looks only at the file of a function to see whether its cache is stale, not at the files of what it calls. The
folder's name therefore carries a hash of all files of this package: any change gives a new, empty cache.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept between runs; None where no folder can be written."""
    text = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    name = f"kernels-{hashlib.sha256(text).hexdigest()[:16]}"
    base = os.environ.get("SYMDMC_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for folder in (Path(base) / "symdmc" / name, Path(tempfile.gettempdir()) / f"symdmc-{os.getuid()}" / name):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def is_compilation_due() -> bool:
    """Whether the kernels will be compiled on first use because no cache has them."""
    folder = cache_folder()
    return folder is None or not any(folder.rglob("loops.*.nbi"))


if TYPE_CHECKING:

    def compiled(function: Function) -> Function:
        """The function, compiled by numba on first use."""

else:
    from numba import config, njit

    def compiled(function):
        """The function, compiled by numba on first use."""
        folder = cache_folder()
        if folder is None:
            return njit(nogil=True)(function)
        kept, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return njit(cache=True, nogil=True)(function)
        finally:
            config.CACHE_DIR = kept
