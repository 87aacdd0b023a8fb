"""The main job on a real example: find an error, replay its trace, prove the repaired system safe, check the proof."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
FAULTY, CORRECT = "arbiter_tree:height=3,faulty=true", "arbiter_tree:height=3,faulty=false"
LARGE = "arbiter_tree:height=6,faulty=false"
SAFE, ERROR_FOUND = 0, 10
"""The exit codes of `symdmc check`; other commands return 0 when they succeed."""


def main() -> int:
    """Run the demo; 0 when every command ended as it should."""
    say(
        "Eight clients share one resource through a binary tree of arbiters: 16 processes. It is an error when",
        "clients 1 and 7 hold the resource at once. Client 0 is faulty: it may give back what it does not hold.",
    )
    with tempfile.TemporaryDirectory() as folder:
        if not ends_with(ERROR_FOUND, folder, "check", FAULTY, "--steps", "all", "--trace", "trace.json"):
            return 1
        length = json.loads((Path(folder) / "trace.json").read_text())["length"]
        say(
            "While client 1 holds the resource, client 0 sends rel_8 a second time: the tree takes the resource",
            "for free and grants it to client 7. The next command checks the saved trace from the model alone.",
        )
        if not ends_with(SAFE, folder, "replay", FAULTY, "trace.json", "--quiet"):
            return 1
    say("Without the faulty client the error must be gone.")
    if not ends_with(SAFE, ".", "check", CORRECT):
        return 1
    say(
        "A tree of 64 clients has over 10^39 states. A pattern database of 24 of its 128 processes shows that the",
        "error cannot be reached; the last command checks the proof from the model alone, with the solver z3.",
    )
    with tempfile.TemporaryDirectory() as folder:
        proving = ("--heuristic", "pdb", "--pattern", ways_to_root(64, (0, 1, 63)), "--certificate", "proof.json")
        if not ends_with(SAFE, folder, "check", LARGE, *proving):
            return 1
        if not ends_with(SAFE, folder, "certify", LARGE, "proof.json"):
            return 1
    say(f"Demo done: a shortest error trace of {length} steps was found and replayed; both correct trees are safe.")
    return 0


def ways_to_root(clients: int, chosen: Iterable[int]) -> str:
    """The ways of some clients of a tree to its root, and the siblings along them, as a pattern."""
    kept = set()
    for client in chosen:
        number = clients + client
        while number > 1:
            kept |= {number, number ^ 1}
            number //= 2
    names = [f"Client{number - clients}" if number >= clients else f"Node{number}" for number in sorted(kept)]
    return ",".join(["Root", "Node1", *names])


def say(*lines: str) -> None:
    """Print a paragraph."""
    print("\n".join(lines), flush=True)


def ends_with(expected: int, folder: str, *arguments: str) -> bool:
    """Run `symdmc` in the folder as a user would, and tell whether its exit code is the expected one."""
    say("", f"$ symdmc {' '.join(arguments)}")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    code = subprocess.run([sys.executable, "-m", "symdmc", *arguments], cwd=folder, env=environment).returncode
    say(f"(exit code {code})", "")
    if code != expected:
        print(f"the demo failed: exit code {expected} was expected", file=sys.stderr)
    return code == expected


if __name__ == "__main__":
    sys.exit(main())
