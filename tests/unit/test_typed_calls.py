"""A type checker finds misspelt keywords and wrong names of options in a script, and nothing where all is well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

from symdmc.encode.order.orders import ORDERS
from symdmc.search.symbolic.options import Order

ROOT = Path(__file__).parents[2]

RIGHT = """\
from pathlib import Path

import symdmc
from symdmc import Builder, NamedState, Range, check, explore, heuristic, pattern_database

m = Builder("m")
m.integer("x", 0, 5)
m.channel("c", values=[(0, 2), Range(0, 3)])


def left(state: NamedState) -> int | None:
    return 5 - int(state["x"])


@heuristic(admissible=True)
def told(state: NamedState) -> int:
    return 0


class Own:
    name = "own"
    admissible = True
    consistent = False

    def estimate(self, state: NamedState) -> int:
        return 0


own: symdmc.Heuristic = Own()
database = pattern_database(m, keep=["x"], order="hubs", error="x == 3")
results = [
    check(m, error=["x == 2", "x == 3"], heuristic=left),
    check("f.dve", heuristic=[told, Own(), database, "hL"], combine="max", lookup="flat"),
    check(Path("f.dve"), engine="symbolic", direction="forward", order="local", time_limit=3),
    check(m, heuristic=lambda state: None, database="x.pdb", properties_file=Path("p")),
]
lengths: list[int | None] = [result.length for result in results]
states: int | None = explore(m, engine="explicit").states
"""
WRONG = """\
import symdmc
from symdmc import Builder, check, explore, pattern_database

m = Builder("m")
check(m, tiem_limit=3)  # call-arg
check(m, heurisitc="hL")  # call-arg
check(m, engine="symbolik")  # arg-type
check(m, order="locale")  # arg-type
check(m, direction="forwards")  # arg-type
check(m, combine="mux")  # arg-type
check(m, lookup="flatt")  # arg-type
check(m, projection="exakt")  # arg-type
check(m, error=3)  # arg-type
check(m, error=b"x == 3")  # arg-type
check(m, time_limit="60")  # arg-type
check(m, database=3)  # arg-type
check(m, heuristic=7)  # arg-type
check(m, heuristic=lambda state: "near")  # arg-type
check(3)  # arg-type
explore(m, error="x == 3")  # call-arg
pattern_database(m, kep="x")  # call-arg
pattern_database(m, keep="x", order="locale")  # arg-type
symdmc.astar(m)  # attr-defined
m.integer("x", "0", 3)  # arg-type
m.channel("c", values=[3])  # list-item
"""


def test_mypy_finds_what_is_wrong_in_a_script(tmp_path: Path) -> None:
    for name, text in {"right.py": RIGHT, "wrong.py": WRONG}.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--follow-imports=silent",
            "--no-error-summary",
            "right.py",
            "wrong.py",
        ],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT), "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache" / "scripts")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    found = {(line.split(":")[1], line.rsplit("[", 1)[1].rstrip("]")) for line in errors}
    wanted = {
        (str(number), line.partition("  # ")[2]) for number, line in enumerate(WRONG.splitlines(), 1) if "  # " in line
    }
    assert [line for line in errors if not line.startswith("wrong.py:")] == []
    assert found == wanted


def test_the_names_of_orders_are_those_that_there_are() -> None:
    assert get_args(Order) == ORDERS
