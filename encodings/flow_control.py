"""A sender counts credits so that a buffer never overflows, and a credit too many makes it overflow.

    Sender      open --3 * sent - acked <= room - 3: sent + 1--> open
                open --acked == 3 * sent: restart!, all numbers = 0--> open
                open --acked > 3 * sent--> confused

    Receiver    open --taken < 3 * sent: taken + 1--> open
                open --acked < taken: acked + 1--> open
                open --acked == taken: restart?--> open
                open --acked > taken--> confused

Frames of three units go into a buffer with room for `room` units. The receiver takes one unit after the other out of it
and acknowledges each of them, as soon as it likes. The sender may send a frame while all that was not acknowledged fits
into the buffer, the frame included. Both ends check what the other one says, which never fails. When nothing is under
way they may agree to count from nought again; they begin when `first` frames were sent, taken and acknowledged. It is
an error when there is more in the buffer than it has room for: 3 * sent - taken > room.

With `faulty=true` the sender reckons with one unit more than there is room for. For that to matter, the buffer must be
filled to one unit less than a frame short of its end, with everything taken also acknowledged: `room / 3 + 5` steps.

None of the three numbers alone says anything, and any two of them have a hundred million values. Only their differences
matter, and three predicates express them: 3 * sent - taken > room, 3 * sent - acked > room - 3, and
acked > taken. They prove the correct one safe.
"""

from __future__ import annotations

from typing import Annotated

from symdmc.errors import Code, Complaint, ModelError
from symdmc.model.builder import Builder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between

FRAME = 3
"""The units of a frame."""


def build(
    *,
    room: Annotated[int, Between(6, 9_000)] = 30,
    first: Annotated[int, Between(0, 10_000)] = 1_000,
    frames: Annotated[int, Between(1, 10_000)] = 5_000,
    faulty: bool = True,
) -> System:
    """Flow control by credits with the property `overflow`: there is more in the buffer than it has room for.

    room: units that the buffer has room for, a multiple of three
    first: frames sent before
    frames: most frames sent from now on
    faulty: the sender reckons with one unit more than there is room for
    """
    if room % FRAME:
        raise ModelError(
            Complaint(Code.WRONG_PARAMETER, f"room={room} is no multiple of {FRAME}", f"give {room - room % FRAME}")
        )
    m = Builder("flow_control")
    last = first + frames
    m.integer("sent", 0, last, initial=first)
    for name in ("taken", "acked"):
        m.integer(name, 0, FRAME * last, initial=FRAME * first)
    m.channel("restart")
    most = room - FRAME + faulty
    sender = m.process("Sender", initial="open")
    sender.edge("open", "open", guard=f"{FRAME} * sent - acked <= {most} and sent < {last}", do="sent = sent + 1")
    sender.edge("open", "open", guard=f"acked == {FRAME} * sent", sync="restart!", do="sent = 0, taken = 0, acked = 0")
    sender.edge("open", "confused", guard=f"acked > {FRAME} * sent")
    receiver = m.process("Receiver", initial="open")
    receiver.edge("open", "open", guard=f"taken < {FRAME} * sent", do="taken = taken + 1")
    receiver.edge("open", "open", guard="acked < taken", do="acked = acked + 1")
    receiver.edge("open", "open", guard="acked == taken", sync="restart?")
    receiver.edge("open", "confused", guard="acked > taken")
    m.property("overflow", f"{FRAME} * sent - taken > {room}")
    return m.build()
