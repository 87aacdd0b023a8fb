"""Two users that must never be unsafe at once, and a control that they only know through polled variables.

    Duty1               Duty2           say when a user has something to do (in some instances only)
      | wish_1            | wish_2
    User1               User2           are safe or unsafe
      busy_1 \\  granted  / busy_2
              Control                   lets one user after the other be unsafe

All processes work in cycles, as programmable controllers do: *read* the inputs, *test* them, *write* the outputs.
Inputs are variables that others write at their own pace, so they may be out of date when a process acts on them. A
cycle takes no more than a given time: clock z counts it, and every location has its bound as an invariant.

    user i    safe --seen = granted to me, and a wish--> safe_read --> safe_test --seen: busy_i = 1--> unsafe
                                                                       safe_test --not seen--> safe
              unsafe --seen = a wish--> unsafe_read --> unsafe_test --not seen: busy_i = 0--> safe
                                                        unsafe_test --seen--> unsafe
    duty i    off --not before 2 units of time: wish_i = 1--> on --wish_i = 0--> off
    control   granting --seen = busy--> granting_read --> granting_test --seen: granted = 0--> withdrawn
              withdrawn --seen = busy--> withdrawn_read --> withdrawn_test --not seen: y = 0--> clear
              clear --seen = busy, ripe = y >= pause--> clear_read --> clear_test --seen--> withdrawn
              clear_test --not seen, ripe: the grant is for the other user now--> granting

A user without a duty always wishes, and may stop being unsafe at any time. It may have read the grant just before it
was withdrawn, and be unsafe a whole cycle later; therefore the control waits, `clear`, for a pause longer than a cycle
of a user. The fault is a bound that is too generous: a cycle of a user may take as long as the pause.

The study [DFP09, section 7; HSRKP07, section 4; KHL08, section 5] has eight instances. Here duties make them larger,
and N is larger than M: its control takes a step of its own to write what it has decided, and cycles of users are one
unit longer.

    M1 N1   no duty          M2 N2   Duty1          M3 N3   Duty2          M4 N4   both
"""

from __future__ import annotations

from typing import Literal

from symdmc.model.builder import Builder, ProcessBuilder
from symdmc.model.system import System

PHASES = ("", "_read", "_test")
CONTROL_CYCLE = 2
"""What a cycle of the control takes at most."""
REST = 2
"""The least time between the end of a wish and the next one."""


def build(
    *,
    instance: Literal["M1", "M2", "M3", "M4", "N1", "N2", "N3", "N4"] = "M1",
    faulty: bool = True,
) -> System:
    """The study with the property `both_unsafe`.

    instance: M or N, where N has a larger control and longer cycles; 2 and 3 have one duty, 4 has two
    faulty: a cycle of a user may take as long as the pause of the control
    """
    large, size = instance[0] == "N", int(instance[1])
    cycle = 5 if large else 4
    pause = cycle + 1
    duties = {1: size in (2, 4), 2: size in (3, 4)}
    m = Builder("mutex")
    m.integer("granted", 0, 2)
    for user, has_duty in duties.items():
        m.boolean(f"busy_{user}")
        if has_duty:
            _add_duty(m, user)
        _add_user(m, user, has_duty, cycle + 1 if faulty else cycle)
    _add_control(m, pause, large)
    m.tick()
    m.property("both_unsafe", "busy_1 and busy_2")
    return m.build()


def _cyclic_process(m: Builder, name: str, places: tuple[str, ...], cycle: int) -> ProcessBuilder:
    """A process that goes through its phases at each of these places, in no more than the time of a cycle."""
    process = m.process(name, initial=places[0])
    process.boolean("seen")
    process.digital_clock("z", cycle + 1)
    for place in places:
        for phase in PHASES:
            process.location(place + phase, invariant=f"z <= {cycle}")
        process.edge(f"{place}_read", f"{place}_test")
    return process


def _add_duty(m: Builder, user: int) -> None:
    m.boolean(f"wish_{user}")
    duty = m.process(f"Duty{user}", initial="off")
    duty.digital_clock("x", REST, initial=REST)
    duty.edge("off", "on", guard=f"x >= {REST}", do=f"wish_{user} = 1")
    duty.edge("on", "off", do=f"wish_{user} = 0, x = 0")


def _add_user(m: Builder, user: int, has_duty: bool, cycle: int) -> None:
    process = _cyclic_process(m, f"User{user}", ("safe", "unsafe"), cycle)
    wish = f"wish_{user}" if has_duty else "true"
    process.edge("safe", "safe_read", do=f"seen = granted == {user} and {wish}")
    process.edge("safe_test", "unsafe", guard="seen", do=f"busy_{user} = 1, seen = 0, z = 0")
    process.edge("safe_test", "safe", guard="not seen", do="z = 0")
    process.edge("unsafe", "unsafe_read", do=f"seen = {wish}" if has_duty else "")
    process.edge("unsafe_test", "safe", guard="not seen", do=f"busy_{user} = 0, z = 0")
    process.edge("unsafe_test", "unsafe", guard="seen" if has_duty else "true", do="seen = 0, z = 0")


def _add_control(m: Builder, pause: int, large: bool) -> None:
    control = _cyclic_process(m, "Control", ("withdrawn", "clear", "granting"), CONTROL_CYCLE)
    control.integer("turn", 1, 2)
    control.boolean("ripe")
    control.digital_clock("y", pause, initial=pause)

    def write(source: str, target: str, guard: str, do: str) -> None:
        """Change what the users can read, in N with a step of its own."""
        if large:
            control.location(f"{target}_soon", invariant=f"z <= {CONTROL_CYCLE}")
            control.edge(source, f"{target}_soon", guard=guard)
            control.edge(f"{target}_soon", target, do=do)
        else:
            control.edge(source, target, guard=guard, do=do)

    busy = "seen = turn == 1 ? busy_1 : busy_2"
    control.edge("withdrawn", "withdrawn_read", do=busy)
    control.edge("withdrawn_test", "clear", guard="not seen", do="y = 0, z = 0")
    control.edge("withdrawn_test", "withdrawn", guard="seen", do="seen = 0, z = 0")
    control.edge("clear", "clear_read", do=f"{busy}, ripe = y >= {pause}")
    control.edge("clear_test", "withdrawn", guard="seen", do=f"seen = 0, ripe = 0, y = {pause}, z = 0")
    control.edge("clear_test", "clear", guard="not seen and not ripe", do="z = 0")
    next_turn = f"turn = 3 - turn, granted = turn, ripe = 0, y = {pause}, z = 0"
    write("clear_test", "granting", "not seen and ripe", next_turn)
    control.edge("granting", "granting_read", do=busy)
    write("granting_test", "withdrawn", "seen", "granted = 0, seen = 0, z = 0")
    control.edge("granting_test", "granting", guard="not seen", do="z = 0")
