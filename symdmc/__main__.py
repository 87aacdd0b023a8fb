"""The command `symdmc`, also as `python -m symdmc`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    try:
        from symdmc.cli.main import run
        from symdmc.running.signals import answer_signals

        answer_signals()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
