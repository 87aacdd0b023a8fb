"""Trams share a single-tracked line segment; a controller that trusts a wrong time bound lets both directions in.

         west                                              east
       track 1 ---contact 1--->.                        .---contact 2---> track 2
                               |==== shared segment ====|
       track 4 <--contact 4----'                        '<--contact 3---- track 3
                          signal 1                    signal 2

    Trams   ->   Filter1..4    ->   Counter1..4   ->   Detection   ->   Main   ->   Actuator1, Actuator2
        contact_i           tram_i             count_i          alarm       drive_1, drive_2        up or down

Direction 1 enters over track 1 and leaves over track 2, direction 2 enters over track 3 and leaves over track 4. A tram
that waits for a signal stands on a contact. Filters take short noise off the contacts, counters count what passed,
error detection compares the counts of tracks 1 and 2, and of 3 and 4. The main controller is told of waiting trams
(`tram_1`, `tram_3`), counts and alarm; it switches `drive_1` and `drive_2`, which the actuators turn into signals. It
is an error when both signals are up, for then both directions may enter.

Main controller, actuators and error detection work in cycles, as programs of a programmable logic controller do: they
read inputs, compute, and act; a cycle takes at least one unit of time and at most `MAIN_CYCLE`, `ACTUATOR_CYCLE` or
`DETECTION_CYCLE`. So an actuator answers late, and Main waits before it lets the other direction in:

    idle --tram_1--> asked_1 --still there--> open_1 (asked_1 --gone, or alarm--> idle)
    open_1 --tram_3, or tram_1 gone, or alarm; not before HOLD--> closing_1
    closing_1 --the segment is empty, no alarm; not before Main has waited--> open_2 if tram_3, else idle
    and the same for direction 2

    actuator   down --drive--> raising --drive, and the motor has run for MOVE--> up;    back to down without drive

How long it has to wait follows from the longest cycle of an actuator. That is 3; Main reckons with `bound`. With 3 or
more the system is correct, with 2 actuator 1 can still be up when actuator 2 gets up.

The instances keep more and more of all this. What is left out is replaced by something that may do more: an alarm or a
count that is not there may have any value, a contact without filter is `tram_i` at once, and a part without its clock
takes any time.

    C    Main and actuators read, compute and act at one instant, error detection without a cycle of its own
         C1 core (Main, actuators, trams) and Filter1; C2 its clock; C3 Counter1 and 2; C4 error detection; C5 its
         clock; C6 Counter3 and 4; C7 clocks of Counter1 and 2; C8 of Counter3; C9 of Counter4
    D    all inputs are read into variables, and the cycle goes on while time passes
         D1 core, Counter1 and 2, error detection; D2 clocks of counters; D3 of motors; D4 of rides; D5 Counter3 and 4;
         D6 to D9 one filter each
    E    as D5 and further: E1 has no filter; from then on each filter comes first without, then with its clock

C and D are faulty (`bound=2`), E is correct (`bound=3`). Where a filter has a clock its contact is noisy: trucks
pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal, TypeAlias

from symdmc.model.builder import Builder, ProcessBuilder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between

Instance = Literal[
    "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9",
    "D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9",
    "E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9",
]  # fmt: skip

MAIN_CYCLE, ACTUATOR_CYCLE, DETECTION_CYCLE = 2, 3, 5
"""How long a cycle takes at most."""
HOLD = 9
"""A permission lasts at least this long."""
MOVE = 2
"""A motor needs this long to raise a signal."""
REACTION = 6
"""A counter reacts within this time."""
SAMPLE, HITS = 2, 2
"""A filter looks at its contact again within this time, and believes what it saw this many times."""
CROSSING, LEAVING = (2, 4), 3
"""A tram is in the segment for this long, at least and at most, and on the contact behind it at most for that long."""
PATIENCE = 2
"""In C, the counts are wrong for this long before there is an alarm."""
COUNTS = 4
"""Counters count modulo this number."""
RIGHT_BOUND, WRONG_BOUND = ACTUATOR_CYCLE, ACTUATOR_CYCLE - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an instance keeps of the case study."""

    filters: tuple[int, ...]
    timed_filters: tuple[int, ...]
    counters: tuple[int, ...]
    timed_counters: tuple[int, ...]
    detection: bool
    timed_detection: bool = False
    """For error detection without a cycle: an alarm takes time."""
    detailed: bool = False
    """Inputs are read into variables, and time passes in a cycle."""
    motors: bool = False
    rides: bool = False

    @property
    def tracks(self) -> tuple[int, ...]:
        """The tracks on which it is known whether there is a tram: where one can wait, and where trams are counted."""
        return tuple(sorted({1, 3, *self.counters}))

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The tracks on which a direction enters and leaves, where both are counted."""
        return tuple((enters, enters + 1) for enters in (1, 3) if enters in self.counters)

    def stages(self, direction: int) -> tuple[str, ...]:
        """Where a tram can be; a tram that is not counted is gone as soon as it enters."""
        return ("away", "waits", "inside", "leaves") if 2 * direction in self.counters else ("away", "waits")


def build(*, instance: Instance = "C1", bound: Annotated[int, Between(1, 9)] | None = None) -> System:
    """The line segment with the property `both_up`.

    instance: how much is kept; C1 to C9 and D1 to D9 are faulty, E1 to E9 are correct
    bound: how long a cycle of an actuator takes at most, as the main controller believes; it is 3 in truth (default: 2
        for C and D, 3 for E)
    """
    parts = _parts(instance)
    if bound is None:
        bound = RIGHT_BOUND if instance.startswith("E") else WRONG_BOUND
    # An actuator that has just read may act on it at the end of its cycle, and sees the change one cycle later only.
    wait = 2 * bound - 1 if parts.detailed else bound
    m = Builder("line_segment")
    _add_main(m, parts, wait)
    for direction in (1, 2):
        _add_actuator(m, parts, direction)
    if parts.detection:
        (_add_detection if parts.detailed else _add_simple_detection)(m, parts)
    for track in parts.tracks:
        m.boolean(f"tram_{track}")
    for track in parts.counters:
        _add_counter(m, parts, track)
    for track in parts.filters:
        _add_filter(m, parts, track)
    _add_trams(m, parts)
    m.tick()
    m.property("both_up", "Actuator1.up and Actuator2.up")
    return m.build()


def _parts(instance: str) -> Parts:
    kind, size = instance[0], int(instance[1])
    some, all_four = (1, 2), (1, 2, 3, 4)
    if kind == "C":
        return Parts(
            filters=(1,),
            timed_filters=(1,) if size >= 2 else (),
            counters=() if size < 3 else some if size < 6 else all_four,
            timed_counters=() if size < 7 else all_four[: size - 5],
            detection=size >= 4,
            timed_detection=size >= 5,
        )
    small = kind == "D" and size < 5
    counters = some if small else all_four
    filters, timed_filters = (size // 2, (size - 1) // 2) if kind == "E" else (max(0, size - 5),) * 2
    return Parts(
        detailed=True,
        filters=all_four[:filters],
        timed_filters=all_four[:timed_filters],
        counters=counters,
        timed_counters=() if small and size < 2 else counters,
        detection=True,
        motors=not small or size >= 3,
        rides=not small or size >= 4,
    )


Reading: TypeAlias = Sequence[tuple[str, str]]
"""The conditions a process can find when it reads, each with the updates that store it.

The updates store constants, not values of other variables, so that the guard of a step shows all that it depends on.
"""


_NOTHING: Reading = [("", "")]


class _Cycle:
    """A process that reads its inputs in a few phases and then acts, again and again, in at most `longest`.

    The phase after the last read is `read`. With `at_once` all phases of a cycle happen at one instant: the first one
    uses up what is left of its time.
    """

    def __init__(
        self,
        p: ProcessBuilder,
        places: Iterable[str],
        longest: int,
        reads: Sequence[Reading],
        phases: int,
        at_once: bool,
    ) -> None:
        self.read = len(reads)
        self._process = p
        p.integer("phase", 0, phases - 1)
        p.digital_clock("cycle", longest + 1)
        instant = f"cycle = {longest}" if at_once else ""
        for place in places:
            p.location(place, invariant=f"cycle <= {longest}")
            for phase, reading in enumerate(reads):
                begun = "cycle >= 1" if phase == 0 else ""
                for guard, updates in reading:
                    self.step(place, phase, phase + 1, _all(begun, guard), updates, instant)

    def step(self, place: str, phase: int, following: int, guard: str, *updates: str) -> None:
        """A step from phase to phase that does not act."""
        do = _joined(f"phase = {following}", *updates)
        self._process.edge(place, place, guard=_all(f"phase == {phase}", guard), do=do)

    def act(self, source: str, target: str, phase: int, guard: str, *updates: str) -> None:
        """The last step of a cycle."""
        do = _joined("phase = 0", "cycle = 0", *updates)
        self._process.edge(source, target, guard=_all(f"phase == {phase}", guard), do=do)


def _add_main(m: Builder, parts: Parts, wait: int) -> None:
    """The main controller: where it has to stay for some time, it skips what it read until then."""
    m.boolean("drive_1")
    m.boolean("drive_2")
    p = m.process("Main", initial="idle")
    rest = max(HOLD, wait)
    p.digital_clock("held", rest, initial=rest)
    stays = {"idle": 0, "asked_1": 0, "asked_2": 0}
    stays |= {"open_1": HOLD, "open_2": HOLD, "closing_1": wait, "closing_2": wait}
    for name in ("waiting_1", "waiting_2", "clear", "alarmed") if parts.detailed else ():
        p.boolean(name)
    inputs = _inputs(parts)
    reads = _main_reads(inputs) if parts.detailed else [_NOTHING]
    cycle = _Cycle(p, stays, MAIN_CYCLE, reads, len(reads) + 3, at_once=not parts.detailed)
    decide, skip = cycle.read + 1, cycle.read + 2
    for place, time in stays.items():
        cycle.step(place, cycle.read, decide, f"held >= {time}" if time else "")
        if time:
            cycle.step(place, cycle.read, skip, f"held < {time}")
            cycle.act(place, place, skip, "")
    if parts.detailed:
        inputs = _Inputs(("waiting_1", "waiting_2"), "clear", "not clear", "not alarmed", "alarmed")
    for source, target, guard, updates in _decisions(inputs, rest):
        cycle.act(source, target, decide, guard, updates)


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The conditions by which Main decides; an unknown fact restricts it neither by a condition nor by the opposite."""

    waiting: tuple[str, str]
    clear: str
    unclear: str
    calm: str
    alarming: str


def _inputs(parts: Parts) -> _Inputs:
    equal = _all(*(f"count_{i} == count_{j}" for i, j in parts.pairs))
    unclear = f"not ({equal})" if len(parts.pairs) == 2 else "true"
    calm, alarming = ("not alarm", "alarm") if parts.detection else ("", "true")
    return _Inputs(("tram_1", "tram_3"), equal, unclear, calm, alarming)


def _main_reads(inputs: _Inputs) -> list[Reading]:
    """Main reads where trams wait, and then whether the segment is empty and whether there is an alarm."""
    first, second = inputs.waiting
    trams = [
        (f"{first} == {one} and {second} == {two}", f"waiting_1 = {one}, waiting_2 = {two}")
        for one, two in product((0, 1), repeat=2)
    ]
    emptiness = ((inputs.clear, "clear = 1"), (inputs.unclear, "clear = 0"))
    alarms = ((inputs.calm, "alarmed = 0"), (inputs.alarming, "alarmed = 1"))
    others = [(_all(empty, alarm), f"{one}, {two}") for (empty, one), (alarm, two) in product(emptiness, alarms)]
    return [trams, others]


def _decisions(seen: _Inputs, rest: int) -> Iterator[tuple[str, str, str, str]]:
    """Source, target, guard and updates of what Main can do when it has stayed long enough."""
    first, second = seen.waiting
    free = _all(seen.calm, seen.clear)
    yield "idle", "asked_1", _all(seen.calm, first), ""
    yield "idle", "asked_2", _all(seen.calm, second, f"not {first}"), ""
    yield "idle", "idle", f"{seen.alarming} or not {first} and not {second}", ""
    for one, here, other, there in ((1, first, 2, second), (2, second, 1, first)):
        yield f"asked_{one}", f"open_{one}", _all(seen.calm, here), f"held = 0, drive_{one} = 1"
        yield f"asked_{one}", "idle", f"{seen.alarming} or not {here}", ""
        yield f"open_{one}", f"closing_{one}", f"{seen.alarming} or {there} or not {here}", f"held = 0, drive_{one} = 0"
        yield f"open_{one}", f"open_{one}", _all(seen.calm, here, f"not {there}"), ""
        yield f"closing_{one}", f"open_{other}", _all(free, there), f"held = 0, drive_{other} = 1"
        yield f"closing_{one}", "idle", _all(free, f"not {there}"), f"held = {rest}"
        yield f"closing_{one}", f"closing_{one}", f"{seen.alarming} or {seen.unclear}", ""


def _add_actuator(m: Builder, parts: Parts, direction: int) -> None:
    p = m.process(f"Actuator{direction}", initial="down")
    p.boolean("seen")
    raised = lowered = start = ""
    moved = moving = ""
    if parts.detailed:
        m.boolean(f"signal_{direction}")
        raised, lowered = f"signal_{direction} = 1", f"signal_{direction} = 0"
    if parts.motors:
        p.digital_clock("motor", MOVE, initial=MOVE)
        start, moved, moving = "motor = 0", f"motor >= {MOVE}", f"motor < {MOVE}"
    reads = [[(f"drive_{direction} == {value}", f"seen = {value}") for value in (0, 1)], _NOTHING]
    cycle = _Cycle(p, ("down", "raising", "up"), ACTUATOR_CYCLE, reads, 3, at_once=not parts.detailed)
    cycle.act("down", "down", cycle.read, "not seen")
    cycle.act("down", "raising", cycle.read, "seen", start)
    cycle.act("raising", "down", cycle.read, "not seen")
    cycle.act("raising", "up", cycle.read, _all("seen", moved), raised)
    if moving:
        cycle.act("raising", "raising", cycle.read, f"seen and {moving}")
    cycle.act("up", "up", cycle.read, "seen")
    cycle.act("up", "down", cycle.read, "not seen", lowered)


def _wrong_counts(parts: Parts, name: str) -> str:
    """More trams have left than entered, or more than one is inside in the same direction."""
    return " or ".join(f"({name}_{i} - {name}_{j} + {COUNTS}) % {COUNTS} > 1" for i, j in parts.pairs)


def _add_simple_detection(m: Builder, parts: Parts) -> None:
    """Error detection that looks at the counts at any time."""
    m.boolean("alarm")
    p = m.process("Detection", initial="calm")
    wrong, begin, long = _wrong_counts(parts, "count"), "", ""
    if parts.timed_detection:
        p.digital_clock("doubted", PATIENCE, initial=PATIENCE)
        begin, long = "doubted = 0", f"doubted >= {PATIENCE}"
    p.edge("calm", "doubts", guard=wrong, do=begin)
    p.edge("doubts", "calm", guard=f"not ({wrong})")
    p.edge("doubts", "alarmed", guard=_all(wrong, long), do="alarm = 1")
    p.edge("alarmed", "calm", guard=f"not ({wrong})", do="alarm = 0")


def _add_detection(m: Builder, parts: Parts) -> None:
    """Error detection in cycles; it gives alarm when it finds the counts wrong twice."""
    m.boolean("alarm")
    p = m.process("Detection", initial="calm")
    for track in parts.counters:
        p.integer(f"seen_{track}", 0, COUNTS - 1)
    reads = [[("", f"seen_{i} = count_{i}, seen_{j} = count_{j}")] for i, j in parts.pairs]
    places = ("calm", "doubts", "alarmed")
    cycle = _Cycle(p, places, DETECTION_CYCLE, reads, len(reads) + 1, at_once=False)
    wrong = _wrong_counts(parts, "seen")
    cycle.act("calm", "doubts", cycle.read, wrong)
    cycle.act("doubts", "alarmed", cycle.read, wrong, "alarm = 1")
    cycle.act("alarmed", "alarmed", cycle.read, wrong)
    cycle.act("calm", "calm", cycle.read, f"not ({wrong})")
    cycle.act("doubts", "calm", cycle.read, f"not ({wrong})")
    cycle.act("alarmed", "calm", cycle.read, f"not ({wrong})", "alarm = 0")


def _add_counter(m: Builder, parts: Parts, track: int) -> None:
    """A counter; one that reads its input first may miss a tram, but not count it late."""
    m.integer(f"count_{track}", 0, COUNTS - 1)
    p = m.process(f"Counter{track}", initial="free")
    tram, rest = f"tram_{track}", ""
    level = "seen" if parts.detailed else tram
    if parts.detailed:
        p.boolean("seen")
        for place in ("free", "occupied"):
            p.edge(place, place, guard=f"{tram} == 1 and seen == 0", do="seen = 1")
            p.edge(place, place, guard=f"{tram} == 0 and seen == 1", do="seen = 0")
    if track in parts.timed_counters:
        p.digital_clock("since", REACTION + 1, initial=REACTION + 1)
        rest = f"since = {REACTION + 1}"
        p.location("occupied", invariant=f"{tram} == 1 or since <= {REACTION}")
        if not parts.detailed:
            p.location("free", invariant=f"{tram} == 0 or since <= {REACTION}")
    p.edge("free", "occupied", guard=level)
    p.edge(
        "occupied", "free", guard=f"not {level}", do=_joined(f"count_{track} = (count_{track} + 1) % {COUNTS}", rest)
    )


def _add_filter(m: Builder, parts: Parts, track: int) -> None:
    """A filter: it has to see the same several times where trams wait, and once again where they leave."""
    m.boolean(f"contact_{track}")
    p = m.process(f"Filter{track}", initial="quiet")
    same, differs = f"contact_{track} == tram_{track}", f"contact_{track} != tram_{track}"
    begin = rest = later = ""
    if track in parts.timed_filters:
        p.digital_clock("since", SAMPLE + 1, initial=SAMPLE + 1)
        p.location("quiet", invariant=f"since <= {SAMPLE} or {same}")
        p.location("samples", invariant=f"since <= {SAMPLE}")
        begin, later, rest = "since = 0", "since >= 1", f"since = {SAMPLE + 1}"
    p.edge("quiet", "samples", guard=differs, do=begin)
    enough = forget = ""
    if track in (1, 3):
        p.integer("hits", 0, HITS - 1)
        again = _all(differs, later, f"hits < {HITS - 1}")
        p.edge("samples", "samples", guard=again, do=_joined("hits = hits + 1", begin))
        enough, forget = f"hits == {HITS - 1}", "hits = 0"
    for value in (0, 1):
        believed = _all(f"contact_{track} == {value} and tram_{track} == {1 - value}", later, enough)
        p.edge("samples", "quiet", guard=believed, do=_joined(_set_tram(parts, track, value), forget, rest))
    p.edge("samples", "quiet", guard=same, do=_joined(forget, rest))
    if track in parts.timed_filters:
        _add_noise(p, parts, track)


def _add_noise(p: ProcessBuilder, parts: Parts, track: int) -> None:
    """Trucks come to the contact and go, whatever the filter does."""
    stage, direction = ("waits" if track in (1, 3) else "leaves"), (track + 1) // 2
    tram = " or ".join(f"Trams.{_place(direction, stage, other)}" for other in parts.stages(3 - direction))
    for place in ("quiet", "samples"):
        p.edge(place, place, guard=f"contact_{track} == 0", do=_set_contact(parts, track, 1))
        p.edge(place, place, guard=f"contact_{track} == 1 and not ({tram})", do=_set_contact(parts, track, 0))


def _set_contact(parts: Parts, track: int, value: int) -> str:
    """The updates of a contact that changes: its filter begins to measure time; without one there is a tram or none."""
    if track not in parts.filters:
        return _set_tram(parts, track, value)
    return _joined(f"contact_{track} = {value}", f"Filter{track}->since = 0" if track in parts.timed_filters else "")


def _set_tram(parts: Parts, track: int, value: int) -> str:
    return _joined(f"tram_{track} = {value}", f"Counter{track}->since = 0" if track in parts.timed_counters else "")


def _add_trams(m: Builder, parts: Parts) -> None:
    """One tram for each direction, and no driver that passes a signal that is down."""
    p = m.process("Trams", initial=_place(1, "away", "away"))
    if parts.rides:
        for direction in (1, 2):
            p.digital_clock(f"ride_{direction}", CROSSING[1] + 1, initial=CROSSING[1] + 1)
        for places in product(parts.stages(1), parts.stages(2)):
            longest = {"inside": CROSSING[1], "leaves": LEAVING}
            limits = [f"ride_{i} <= {longest[stage]}" for i, stage in enumerate(places, 1) if stage in longest]
            p.location(_place(1, *places), invariant=_all(*limits))
    for direction, other in ((1, 2), (2, 1)):
        for source, target, guard, updates in _moves(parts, direction):
            for stage in parts.stages(other):
                p.edge(
                    _place(direction, source, stage), _place(direction, target, stage), guard=_all(guard), do=updates
                )


def _moves(parts: Parts, direction: int) -> Iterator[tuple[str, str, str, str]]:
    """Source, target, guard and updates of the moves of the tram of one direction."""
    enters, leaves = 2 * direction - 1, 2 * direction
    begin = rest = crossed = ""
    if parts.rides:
        begin, rest = f"ride_{direction} = 0", f"ride_{direction} = {CROSSING[1] + 1}"
        crossed = f"ride_{direction} >= {CROSSING[0]}"
    permitted = f"signal_{direction}" if parts.detailed else f"Actuator{direction}.up"
    gone = _set_contact(parts, enters, 0)
    yield "away", "waits", "", _set_contact(parts, enters, 1)
    if "inside" not in parts.stages(direction):
        yield "waits", "away", permitted, gone
        return
    yield "waits", "inside", permitted, _joined(gone, begin)
    yield "inside", "leaves", crossed, _joined(_set_contact(parts, leaves, 1), begin)
    yield "leaves", "away", "", _joined(_set_contact(parts, leaves, 0), rest)


def _place(direction: int, stage: str, other: str) -> str:
    """The location in which the tram of this direction is at one stage, that of the opposite direction at another."""
    return f"{stage}_{other}" if direction == 1 else f"{other}_{stage}"


def _joined(*updates: str) -> str:
    """All updates that are not empty, in sequence."""
    return ", ".join(filter(None, updates))


def _all(*conditions: str) -> str:
    """The conjunction of the conditions that are not empty."""
    return " and ".join(f"({condition})" for condition in conditions if condition) or "true"
