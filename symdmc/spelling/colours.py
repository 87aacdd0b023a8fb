"""Whether text may be coloured."""

from __future__ import annotations

import os
from typing import IO


def takes_colours(stream: IO[str]) -> bool:
    """Whether to colour what is written to the stream: a terminal takes colours, and FORCE_COLOR gives them to any.

    NO_COLOR wins over both. A variable that is empty says nothing.
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")
