"""The cache of compiled functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symdmc.kernel.loops.store import hash_words
from symdmc.packed import jit

PACKAGE = Path(jit.__file__).parents[1]


def test_every_module_with_kernels_stands_in_a_room_whose_text_names_the_cache() -> None:
    decorators = ("@compiled", "@inlined", "@making_arrays")
    files = {file for file in PACKAGE.rglob("*.py") if any(each in file.read_text() for each in decorators)}
    covered = {file for room in jit.ROOMS for file in (PACKAGE / room).rglob("*.py")}
    assert len(files) > 5
    assert files <= covered


def test_a_kernel_that_was_used_is_in_the_cache() -> None:
    hash_words(np.zeros(2, dtype=np.int64), 0, 2)
    assert not jit.is_compilation_due(hash_words)
