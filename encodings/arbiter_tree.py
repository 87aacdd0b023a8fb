"""Clients that share one resource through a binary tree of arbiters; a faulty client releases what others hold.

                        Root            grants a request, then waits for the release
                         |
                       Node1
                      /     \\
                 Node2       Node3      pass requests and releases up, grants down,
                /    \\       /    \\     and serve one child at a time
         Client0 Client1 Client2 Client3

A tree of height k has 2^k clients, 2^k - 1 nodes and a root: 2^(k+1) processes. A node or client `i` in heap order
(the clients follow the nodes) speaks with its parent over the channels `req_i`, `gr_i` and `rel_i`. It is an error
when client 1 and the last client are granted the resource at once. With `faulty=false` that cannot happen; with
`faulty=true` client 0 sends releases nobody asked it for, and a node takes a release from either child.

Variant `handshake`:

    client   idle --> wants --req!--> waiting --gr?--> granted --> leaving --rel!--> idle
             faulty: leaving --rel!--> leaving
    node     idle --req? of a child--> asked --req!--> passed_on --gr?--> may_grant --gr! to it--> busy
             busy --rel? of either child--> freed --rel!--> idle
    root     idle --req?--> asked --gr!--> busy --rel?--> idle

Shortest error traces have 8k + 12 steps: client 0 takes a turn, client 1 is granted the resource, client 0 releases it
once more, and the last client is granted it too.

Variant `seed` is a reading of the arbiter tree of [DFP09, section 7], whose shortest error traces have 25 and 35 steps
at heights 2 and 3. The text leaves open how a node passes a message on, when the incorrect client sends its surplus
releases, and which clients are watched (docs/families.md says what was tried). Here a node takes one step of its own
between hearing a message and passing it on, and

    client   idle --req!--> waiting --gr?--> granted --> leaving --rel!--> idle
             faulty: idle --rel!--> idle

so that there are 10k + 5 steps to the error: client 1 is granted the resource, client 0 releases it, and the last
client is granted it too.
"""

from __future__ import annotations

from typing import Annotated, Literal

from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between


def build(
    *,
    height: Annotated[int, Between(2, 10)] = 3,
    faulty: bool = True,
    variant: Literal["handshake", "seed"] = "handshake",
) -> System:
    """The arbiter tree with the property `both_granted`.

    height: levels of nodes; there are 2^height clients
    faulty: client 0 sends releases nobody asked it for
    variant: handshake has 8 * height + 12 steps to the error, seed 10 * height + 5
    """
    clients, pause = 2**height, variant == "seed"
    m = Builder("arbiter_tree")
    for number in range(1, 2 * clients):
        for message in ("req", "gr", "rel"):
            m.channel(f"{message}_{number}")
    _add_root(m)
    for number in range(1, clients):
        _add_node(m, number, pause)
    for client in range(clients):
        _add_client(m, client, clients + client, faulty and client == 0, variant)
    m.property("both_granted", f"Client1.granted and Client{clients - 1}.granted")
    return m.build()


def _add_root(m: Builder) -> None:
    root = m.process("Root", initial="idle")
    root.edge("idle", "asked", sync="req_1?")
    root.edge("asked", "busy", sync="gr_1!")
    root.edge("busy", "idle", sync="rel_1?")


def _add_node(m: Builder, number: int, pause: bool) -> None:
    """A node; with `pause` it takes a step of its own before it passes on what it heard."""
    node = m.process(f"Node{number}", initial="idle")

    def hear(source: str, message: str, target: str) -> None:
        if pause:
            node.edge(source, f"{target}_soon", sync=message)
        else:
            node.edge(source, target, sync=message)

    for side, child in (("left", 2 * number), ("right", 2 * number + 1)):
        hear("idle", f"req_{child}?", f"{side}_asked")
        node.edge(f"{side}_asked", f"{side}_passed_on", sync=f"req_{number}!")
        hear(f"{side}_passed_on", f"gr_{number}?", f"{side}_may_grant")
        node.edge(f"{side}_may_grant", "busy", sync=f"gr_{child}!")
        hear("busy", f"rel_{child}?", "freed")
    node.edge("freed", "idle", sync=f"rel_{number}!")
    if pause:
        for place in ("left_asked", "left_may_grant", "right_asked", "right_may_grant", "freed"):
            node.edge(f"{place}_soon", place)


def _add_client(m: Builder, client: int, number: int, faulty: bool, variant: str) -> None:
    process = m.process(f"Client{client}", initial="idle")
    if variant == "handshake":
        process.edge("idle", "wants")
        process.edge("wants", "waiting", sync=f"req_{number}!")
    else:
        process.edge("idle", "waiting", sync=f"req_{number}!")
    process.edge("waiting", "granted", sync=f"gr_{number}?")
    process.edge("granted", "leaving")
    process.edge("leaving", "idle", sync=f"rel_{number}!")
    if faulty:
        place = "leaving" if variant == "handshake" else "idle"
        process.edge(place, place, sync=f"rel_{number}!")
