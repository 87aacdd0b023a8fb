"""Small random systems in which time passes: clocks that only a tick of cost 0 lets grow, invariants, guards, resets.

Most paths have many free steps, and there are circles of them: the tick when every clock is at its end, processes that
move at no cost. As in `strategies`, hypothesis draws a seed, and nothing is filtered.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from symdmc.model.expressions import TRUE, At, Binary, Expr, Literal, Ref, conjunction
from symdmc.model.question import ErrorCondition
from symdmc.model.system import (
    Assignment,
    Channel,
    ChannelKind,
    Direction,
    Edge,
    Location,
    Process,
    Property,
    Range,
    Synchronisation,
    System,
    Variable,
)
from symdmc.model.tick import tick_process

CHANNEL = "c"


@st.composite
def timed_systems(draw: st.DrawFn) -> tuple[System, ErrorCondition]:
    """A system of two or three processes with a clock each and a tick, and a question about it."""
    return timed_system(draw(st.integers(0, 2**24 - 1)))


def timed_system(seed: int) -> tuple[System, ErrorCondition]:
    """The system of a seed, for tests that want the same ones every time."""
    return _Maker(random.Random(seed)).made()


@dataclass(frozen=True)
class _Maker:
    choose: random.Random

    def chance(self, percent: int) -> bool:
        return self.choose.random() * 100 < percent

    def made(self) -> tuple[System, ErrorCondition]:
        count = self.choose.choice((2, 2, 3))
        clocks = [
            Variable(
                name=f"P{number}->t" if self.chance(50) else f"t{number}",
                type=Range(0, self.choose.randint(1, 3 if count == 2 else 2)),
                initial=((0, 1) if self.chance(10) else (0,),),
                digital_clock=True,
            )
            for number in range(count)
        ]
        turn = Variable(name="turn", type=Range(0, count), initial=((0,),))
        processes = [self.process(number, clock) for number, clock in enumerate(clocks)]
        channels: tuple[Channel, ...] = ()
        if self.chance(50):
            kind = self.choose.choice((ChannelKind.RENDEZVOUS, ChannelKind.BROADCAST))
            channels = (Channel(name=CHANNEL, kind=kind),)
        else:
            processes = [_unlabelled(process) for process in processes]
        error = self.error(processes, clocks)
        system = System(
            name="timed",
            processes=(*processes, tick_process("Time", clocks, processes)),
            variables=(*clocks, turn),
            channels=channels,
            properties=(Property(name="p", error=error.expression),),
        )
        return system, error

    def process(self, number: int, clock: Variable) -> Process:
        places = ["a", "b", "c"][: self.choose.choice((2, 3, 3))]
        circle = list(zip(places, [*places[1:], "a"], strict=True))
        ways = circle + [
            (self.choose.choice(places), self.choose.choice(places)) for _ in range(self.choose.randint(0, 2))
        ]
        return Process(
            name=f"P{number}",
            initial=("a",),
            locations=tuple(self.location(place, clock) for place in places),
            edges=tuple(self.edge(source, target, number, clock) for source, target in ways),
        )

    def location(self, name: str, clock: Variable) -> Location:
        end = self.choose.randint(1, clock.type.high)
        return Location(
            name=name,
            invariant=Binary("<=", Ref(clock.name), Literal(end)) if self.chance(30) else TRUE,
            urgent=self.chance(8),
            committed=name != "a" and self.chance(8),
        )

    def edge(self, source: str, target: str, number: int, clock: Variable) -> Edge:
        guards: list[Expr] = []
        if self.chance(50):
            comparison = self.choose.choice((">=", ">=", ">", "<=", "=="))
            guards.append(Binary(comparison, Ref(clock.name), Literal(self.choose.randint(0, clock.type.high))))
        if self.chance(25):
            guards.append(Binary("==", Ref("turn"), Literal(self.choose.choice((0, number + 1)))))
        updates = [Assignment(Ref(clock.name), Literal(0))] if self.chance(50) else []
        if self.chance(50):
            updates.append(Assignment(Ref("turn"), Literal(self.choose.choice((0, number + 1)))))
        direction = Direction.SEND if number == 0 else Direction.RECEIVE
        return Edge(
            source=source,
            target=target,
            guard=conjunction(*guards),
            sync=Synchronisation(channel=CHANNEL, direction=direction) if self.chance(20) else None,
            assignments=tuple(updates),
            cost=0 if self.chance(30) else 1,
        )

    def error(self, processes: list[Process], clocks: list[Variable]) -> ErrorCondition:
        if self.chance(10):
            return ErrorCondition(name="deadlock", deadlock=True)
        parts: list[Expr] = [
            At(process.name, process.locations[-1].name)
            for process in self.choose.sample(processes, self.choose.randint(1, 2))
        ]
        if self.chance(50):
            clock = self.choose.choice(clocks)
            parts.append(Binary(self.choose.choice(("==", "<", ">=")), Ref(clock.name), Literal(clock.type.high)))
        if self.chance(30):
            parts.append(Binary("==", Ref("turn"), Literal(self.choose.randint(0, len(clocks)))))
        return ErrorCondition(name="p", expression=conjunction(*parts))


def _unlabelled(process: Process) -> Process:
    return replace(process, edges=tuple(replace(edge, sync=None) for edge in process.edges))
