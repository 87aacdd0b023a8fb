"""The folder for results that are kept between runs: compiled kernels, parser tables."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder(name: str) -> Path | None:
    """A folder of this name to which only the user can write, created if needed; None where that is impossible.

    Its files are run when they are loaded, so a folder of another user is never taken.
    """
    base = os.environ.get("SYMDMC_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for root in (Path(base) / "symdmc", Path(tempfile.gettempdir()) / f"symdmc-{os.getuid()}"):
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (root / name).mkdir(exist_ok=True)
        except OSError:
            continue
        if root.stat().st_uid == os.getuid() and os.access(root / name, os.W_OK):
            return root / name
    return None
