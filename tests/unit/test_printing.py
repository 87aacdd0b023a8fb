"""A system as text."""

from __future__ import annotations

from symdmc.model.builder import Builder
from symdmc.model.system import Range

LISTING = """\
system sample
  committed locations: any participants; updates: sender first
  integer 0..3 x = 0 or 2
  byte b = 7
  integer 0..5 wrapping a[3] = {0, 1 or 2, 3}
  constant integer 3..3 N = 3
  urgent rendezvous channel c
  buffered channel q of (0..9, 0..1) with room for 2
  clock t

process P, starting at idle or busy
  boolean P->mine = 0
  location idle
  committed location busy, invariant x < 3
  idle -> busy: when x == 3 - 1; sync q!{x, 1}; do P->mine = 1, a[x] = 2; cost 0
  busy -> idle

property end: P.busy and x == 2"""


def test_a_printed_system_reads_like_the_model() -> None:
    m = Builder("sample")
    m.integer("x", 0, 3, initial={0, 2})
    m.byte("b", initial=7)
    m.integer("a", 0, 5, size=3, initial=[0, (1, 2), 3], wraps=True)
    m.constant("N", 3)
    m.channel("c", urgent=True)
    m.buffered("q", capacity=2, values=[Range(0, 9), Range(0, 1)])
    m.clock("t")
    p = m.process("P", initial=["idle", "busy"])
    p.boolean("mine")
    p.location("busy", committed=True, invariant="x < 3")
    p.edge("idle", "busy", guard="x == N - 1", sync="q!{x, 1}", do="mine = 1, a[x] = 2", cost=0)
    p.edge("busy", "idle")
    m.property("end", "P.busy and x == 2")
    system = m.build()
    assert system.text() == LISTING
    assert len(str(system)) < 400
    assert LISTING.startswith(str(system).removesuffix("... (`text()` has all)"))
