"""The command `symdmc`, also as `python -m symdmc`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    try:
        from symdmc.cli.main import open_standard_streams, run
        from symdmc.running.signals import answer_signals

        open_standard_streams()
        answer_signals()
        code = run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        code = getattr(interrupt, "exit_code", 130)  # of a signal other than Ctrl-C
    sys.exit(code)


if __name__ == "__main__":
    main()
