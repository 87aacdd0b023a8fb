"""The Towers of Hanoi, one process for each disk: a trace to the error state is a solution of the puzzle.

        |          |          |
       [1]         |          |         Disk1 is the smallest
      [ 2 ]        |          |
     [  3  ]       |          |
    ----1----------2----------3----     all disks start on column 1 and shall get to column 3

A disk moves when no smaller disk is on its column or on the target column: when all smaller disks are on the third.

Variant `plain`: one move is one step, guarded by the places of the smaller disks. n disks need 2^n - 1 steps, and all
3^n arrangements are reachable.

Variant `requests` is a reading of the Towers of Hanoi of [DFP09, section 7]: a disk can at any time send a request
up the hierarchy of smaller disks. The request names the third column; a disk on that column passes it on, any other
refuses, and the smallest answers `ok`. A disk that answers `ok` holds still until the larger one has moved and said so:

    to move        on_a --ask!--> asks_ab --ok?--> may_ab --> air_ab --> down_b
                                  asks_ab --no?--> on_a
                   down_b --done!--> told_b --thanks?--> rests_b --> on_b
    to answer      on_c --ask?--> asked_c --ask!--> waits_c --ok?--> agrees_c --ok!--> holds_c
                   holds_c --done?--> freed_c --done!--> frees_c --thanks?--> thanks_c --thanks!--> on_c
                   on_c --ask?--> refuses_c --no!--> on_c        (another column was asked for)
                   waits_c --no?--> refuses_c                    (a smaller disk refused)

Disk1 has nobody to ask or to tell: it goes on_a --> may_ab --> air_ab --> down_b --> rests_b --> on_b, and answers at
once. Moving a disk under j smaller ones takes 4j + 3 steps, and 5 for the smallest, so that d(1) = 5 and
d(n + 1) = 2 d(n) + 4n + 3: 105, 229, 481 and 989 steps for 4 to 7 disks, the lengths of [DFP09, table 2].
"""

from __future__ import annotations

from itertools import permutations
from typing import Annotated, Literal

from symdmc.model.builder import Builder, ProcessBuilder
from symdmc.model.system import System
from symdmc.spelling.parameters import Between

COLUMNS = (1, 2, 3)


def build(
    *,
    disks: Annotated[int, Between(1, 30)] = 4,
    variant: Literal["requests", "plain"] = "requests",
) -> System:
    """The puzzle with the property `solved`: all disks on column 3.

    disks: how many disks
    variant: requests lets disks ask each other before a move, plain makes a move one step
    """
    m = Builder("hanoi")
    if variant == "plain":
        for number in range(1, disks + 1):
            _add_plain_disk(m, number)
    else:
        for number in range(2, disks + 1):
            _add_channels(m, number)
        for number in range(1, disks + 1):
            _add_asking_disk(m, number, disks)
    m.property("solved", " and ".join(f"Disk{number}.on_3" for number in range(1, disks + 1)))
    return m.build()


def _third(source: int, target: int) -> int:
    return sum(COLUMNS) - source - target


def _add_plain_disk(m: Builder, number: int) -> None:
    disk = m.process(f"Disk{number}", initial="on_1")
    for source, target in permutations(COLUMNS, 2):
        third = _third(source, target)
        clear = " and ".join(f"Disk{smaller}.on_{third}" for smaller in range(1, number))
        disk.edge(f"on_{source}", f"on_{target}", guard=clear or "true")


def _add_channels(m: Builder, larger: int) -> None:
    """What a disk and the next smaller one say to each other; the request has one channel for each column."""
    for column in COLUMNS:
        m.channel(f"ask_{larger}_{column}")
    for message in ("ok", "no", "done", "thanks"):
        m.channel(f"{message}_{larger}")


def _add_asking_disk(m: Builder, number: int, disks: int) -> None:
    disk = m.process(f"Disk{number}", initial="on_1")
    for source, target in permutations(COLUMNS, 2):
        _add_move(disk, number, source, target)
    for column in COLUMNS:
        _add_end_of_move(disk, number, column)
        if number < disks:
            _add_answers(disk, number, column)


def _add_move(disk: ProcessBuilder, number: int, source: int, target: int) -> None:
    way = f"{source}{target}"
    if number == 1:
        disk.edge(f"on_{source}", f"may_{way}")
    else:
        disk.edge(f"on_{source}", f"asks_{way}", sync=f"ask_{number}_{_third(source, target)}!")
        disk.edge(f"asks_{way}", f"may_{way}", sync=f"ok_{number}?")
        disk.edge(f"asks_{way}", f"on_{source}", sync=f"no_{number}?")
    disk.edge(f"may_{way}", f"air_{way}")
    disk.edge(f"air_{way}", f"down_{target}")


def _add_end_of_move(disk: ProcessBuilder, number: int, column: int) -> None:
    """Let the smaller disks go."""
    if number == 1:
        disk.edge(f"down_{column}", f"rests_{column}")
    else:
        disk.edge(f"down_{column}", f"told_{column}", sync=f"done_{number}!")
        disk.edge(f"told_{column}", f"rests_{column}", sync=f"thanks_{number}?")
    disk.edge(f"rests_{column}", f"on_{column}")


def _add_answers(disk: ProcessBuilder, number: int, column: int) -> None:
    """What a disk on this column answers to the next larger one."""
    larger = number + 1
    for asked in COLUMNS:
        if asked != column:
            disk.edge(f"on_{column}", f"refuses_{column}", sync=f"ask_{larger}_{asked}?")
    disk.edge(f"refuses_{column}", f"on_{column}", sync=f"no_{larger}!")
    if number == 1:
        disk.edge(f"on_{column}", f"agrees_{column}", sync=f"ask_{larger}_{column}?")
        disk.edge(f"holds_{column}", f"thanks_{column}", sync=f"done_{larger}?")
    else:
        disk.edge(f"on_{column}", f"asked_{column}", sync=f"ask_{larger}_{column}?")
        disk.edge(f"asked_{column}", f"waits_{column}", sync=f"ask_{number}_{column}!")
        disk.edge(f"waits_{column}", f"agrees_{column}", sync=f"ok_{number}?")
        disk.edge(f"waits_{column}", f"refuses_{column}", sync=f"no_{number}?")
        disk.edge(f"holds_{column}", f"freed_{column}", sync=f"done_{larger}?")
        disk.edge(f"freed_{column}", f"frees_{column}", sync=f"done_{number}!")
        disk.edge(f"frees_{column}", f"thanks_{column}", sync=f"thanks_{number}?")
    disk.edge(f"agrees_{column}", f"holds_{column}", sync=f"ok_{larger}!")
    disk.edge(f"thanks_{column}", f"on_{column}", sync=f"thanks_{larger}!")
