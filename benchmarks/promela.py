"""Promela models of two families, from the same parameters, with the same states and steps.

One edge of ours is one statement of Spin, whose state is the program counter of each process, so the number of stored
states is the number of reachable states. All processes are `active` from the start: an `init` would add states.

    python -m benchmarks.promela arbiter_tree:height=3,faulty=false > tree.pml
    python -m benchmarks.promela hanoi:disks=14,variant=plain > hanoi.pml
"""

from __future__ import annotations

import sys
from itertools import permutations


def arbiter_tree(*, height: int, faulty: bool) -> str:
    """The `handshake` variant of the family arbiter_tree; process 0 is the root, then nodes and clients in heap order."""
    clients = 2**height
    return f"""\
chan req[{2 * clients}] = [0] of {{ bit }};
chan gr[{2 * clients}] = [0] of {{ bit }};
chan rel[{2 * clients}] = [0] of {{ bit }};

active proctype Root() {{
    do
    :: req[1]?1; gr[1]!1; rel[1]?1
    od
}}

active [{clients - 1}] proctype Node() {{
idle:
    if
    :: req[2 * _pid]?1 -> req[_pid]!1; gr[_pid]?1; gr[2 * _pid]!1
    :: req[2 * _pid + 1]?1 -> req[_pid]!1; gr[_pid]?1; gr[2 * _pid + 1]!1
    fi;
    if
    :: rel[2 * _pid]?1
    :: rel[2 * _pid + 1]?1
    fi;
    rel[_pid]!1;
    goto idle
}}

{_clients(clients, faulty)}"""


def _clients(clients: int, faulty: bool) -> str:
    """The clients; the first one is a process type of its own where it is faulty."""
    if not faulty:
        return _client("Client", clients, "")
    surplus = "\n    :: rel[_pid]!1; goto leaving"
    return _client("Client0", 1, surplus) + "\n" + _client("Client", clients - 1, "")


def _client(name: str, count: int, surplus: str) -> str:
    return f"""\
active [{count}] proctype {name}() {{
idle:
    skip;
    req[_pid]!1; gr[_pid]?1;
    skip;
leaving:
    if
    :: rel[_pid]!1; goto idle{surplus}
    fi
}}
"""


def hanoi_plain(*, disks: int) -> str:
    """The `plain` variant of the family hanoi; the columns of the disks are in an array, the smallest disk first."""
    moves = []
    for disk in range(disks):
        for source, target in permutations(range(3), 2):
            clear = "".join(f" && column[{smaller}] == {3 - source - target}" for smaller in range(disk))
            moves.append(f"    :: atomic {{ column[{disk}] == {source}{clear} -> column[{disk}] = {target} }}")
    return "\n".join([f"byte column[{disks}];", "", "active proctype Disks() {", "    do", *moves, "    od", "}", ""])


def promela(model: str) -> str:
    """The Promela text of `arbiter_tree:height=K,faulty=B` or `hanoi:disks=N,variant=plain`."""
    family, _, tail = model.partition(":")
    given = dict(part.split("=") for part in tail.split(","))
    if family == "arbiter_tree" and given.get("variant", "handshake") == "handshake":
        return arbiter_tree(height=int(given.get("height", 3)), faulty=given.get("faulty", "true") == "true")
    if family == "hanoi" and given.get("variant") == "plain":
        return hanoi_plain(disks=int(given.get("disks", 4)))
    raise ValueError(f"there is no Promela model of {model}; there is one of arbiter_tree (handshake) and hanoi (plain)")


if __name__ == "__main__":
    print(promela(sys.argv[1]), end="")
