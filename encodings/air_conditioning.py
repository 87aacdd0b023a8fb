"""Users of a room press buttons, and an air conditioner that forgets its limits in a hurry makes it too hot.

    user i        away <--> content --> wants_warmer --panel!1--> waits_warmer --> content
                            content --> wants_cooler --panel!2--> waits_cooler --> content

    panel         a buffer with room for two wishes

    conditioner   idle --panel?wish--> asked --wish == 1 and temperature < 50--> heats --one more--> blows --> idle
                                       asked --wish == 2 and temperature > 10--> cools --one less--> blows
                                       asked --beyond these limits--> idle
                  faulty: blows --panel?wish--> hurries --wish == 1--> heats
                                                hurries --wish == 2--> cools

The temperature is an integer from 0 to 60, where the room can get no colder or hotter, and starts at 20. It is an error
when it is above 50. The conditioner checks its limits before it begins to heat or to cool. With `faulty=true` it goes
on at once when there is a next wish on the panel, and does not check them again. Shortest traces have 186 steps for any
n: one user can do it all, and the others only enlarge the state space.

This is a reading of the air conditioner of [EL04]. The paper says only that n users in a room try to change the
temperature, an integer, and that an assertion was added that is violated at a large depth.
"""

from __future__ import annotations

from typing import Annotated

from symdmc.model.builder import Builder
from symdmc.model.system import Range, System
from symdmc.spelling.parameters import Between

COLDEST, LOW, START, HIGH, HOTTEST = 0, 10, 20, 50, 60
WISHES = {"warmer": 1, "cooler": 2}


def build(*, n: Annotated[int, Between(1, 50)] = 2, faulty: bool = True) -> System:
    """The air conditioner with the property `too_hot`: the temperature is above its limit.

    n: how many users
    faulty: a wish that is already on the panel is fulfilled without a check of the limits
    """
    m = Builder("air_conditioning")
    m.integer("temperature", COLDEST, HOTTEST, initial=START)
    m.buffered("panel", capacity=2, values=(Range(0, 2),))
    for number in range(1, n + 1):
        _add_user(m, number)
    _add_conditioner(m, faulty)
    m.property("too_hot", f"temperature > {HIGH}")
    return m.build()


def _add_user(m: Builder, number: int) -> None:
    user = m.process(f"User{number}", initial="away")
    user.edge("away", "content")
    user.edge("content", "away")
    for name, wish in WISHES.items():
        user.edge("content", f"wants_{name}")
        user.edge(f"wants_{name}", f"waits_{name}", sync=f"panel!{wish}")
        user.edge(f"waits_{name}", "content")


def _add_conditioner(m: Builder, faulty: bool) -> None:
    conditioner = m.process("Conditioner", initial="idle")
    conditioner.integer("wish", 0, 2)
    conditioner.edge("idle", "asked", sync="panel?wish")
    conditioner.edge("asked", "heats", guard=f"wish == 1 and temperature < {HIGH}")
    conditioner.edge("asked", "cools", guard=f"wish == 2 and temperature > {LOW}")
    beyond = f"wish == 1 and temperature >= {HIGH} or wish == 2 and temperature <= {LOW}"
    conditioner.edge("asked", "idle", guard=beyond, do="wish = 0")
    warmer = f"temperature < {HOTTEST} ? temperature + 1 : {HOTTEST}"
    cooler = f"temperature > {COLDEST} ? temperature - 1 : {COLDEST}"
    conditioner.edge("heats", "blows", do=f"wish = 0, temperature = {warmer}")
    conditioner.edge("cools", "blows", do=f"wish = 0, temperature = {cooler}")
    conditioner.edge("blows", "idle")
    if faulty:
        conditioner.edge("blows", "hurries", sync="panel?wish")
        conditioner.edge("hurries", "heats", guard="wish == 1")
        conditioner.edge("hurries", "cools", guard="wish == 2")
