"""Fingerprints: the same for what moves alike, another for what does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from symdmc.model.builder import Builder, ProcessBuilder
from symdmc.model.fingerprint import fingerprint
from symdmc.model.system import DVE_RULES, System

PROGRAM = """
from symdmc.model.fingerprint import fingerprint
from tests.strategies import random_system
print(*(fingerprint(random_system(seed)) for seed in range(5)))
"""


def build(change: Callable[[Builder, ProcessBuilder], None] = lambda m, p: None) -> System:
    m = Builder("m")
    m.integer("x", 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "t", guard="x == 0")
    change(m, p)
    return m.build()


def test_a_fingerprint_has_32_hexadecimal_digits() -> None:
    assert len(fingerprint(build())) == 32
    assert set(fingerprint(build())) <= set("0123456789abcdef")


def test_it_does_not_depend_on_the_seed_of_hashing() -> None:
    found = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", PROGRAM]
        root = Path(__file__).parents[2]
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        found.add(run.stdout)
    assert len(found) == 1


def test_names_notes_positions_and_questions_play_no_part() -> None:
    system = build()
    asked = build(lambda m, p: m.property("end", "P.t"))
    moved = replace(system, processes=tuple(replace(process, span=None) for process in system.processes))
    for same in (replace(system, name="other", notes=("read twice",)), asked, moved):
        assert fingerprint(same) == fingerprint(system)


@pytest.mark.parametrize(
    "change",
    [
        lambda m, p: m.integer("y", 0, 1),
        lambda m, p: m.channel("c"),
        lambda m, p: p.edge("s", "t"),
        lambda m, p: p.edge("s", "t", cost=0),
        lambda m, p: p.location("t", committed=True),
        lambda m, p: p.location("t", invariant="x == 0"),
        lambda m, p: m.process("Q", initial="s"),
    ],
)
def test_whatever_changes_states_or_steps_changes_it(change: Callable[[Builder, ProcessBuilder], None]) -> None:
    assert fingerprint(build(change)) != fingerprint(build())


def test_the_rules_of_the_language_change_it() -> None:
    system = build()
    assert fingerprint(replace(system, rules=DVE_RULES)) != fingerprint(system)
