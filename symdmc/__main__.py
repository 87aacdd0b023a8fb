"""The command `symdmc`, also as `python -m symdmc`."""

from __future__ import annotations

import os
import sys
import time
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    try:
        from symdmc.cli.main import open_standard_streams, run
        from symdmc.running.signals import answer_signals

        open_standard_streams()
        answer_signals()
        code = run(sys.argv[1:], process_age())
    except KeyboardInterrupt as interrupt:
        code = getattr(interrupt, "exit_code", 130)  # of a signal other than Ctrl-C
    if code in HASTY:
        os._exit(code)
    sys.exit(code)


HASTY = (21, 22, 129, 130, 143)
"""The codes of limits and signals: after these, large structures are not taken apart before the end."""


def process_age() -> float:
    """The seconds since this process was started; 0 where the system does not say."""
    try:
        with open("/proc/self/stat", encoding="ascii") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


if __name__ == "__main__":
    main()
