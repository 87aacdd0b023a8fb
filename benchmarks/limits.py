"""Limits: what was asked, and after what time and with how much memory it stopped, in every phase.

    python -m benchmarks.limits                 all cases, about five minutes; the table goes to benchmarks/results
    python -m benchmarks.limits --only 'read*'  some of them, printed only

Time is that of the whole command, start of Python included, but for `compare` that of its run. Memory is the most that
one process of the command held, looked at every hundredth of a second. A case is within its limits if it took at most 2
seconds and a tenth more, and a tenth more memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.records import CHECKOUT, Row, fits, table, write_results

COUNTERS = "byte a[6];\nprocess P {{ state s; init s; trans\n{steps};\n}}\nsystem async;\n"
LARGE = COUNTERS.format(steps=",\n".join(f"s -> s {{ effect a[{k}] = a[{k}] + 1; }}" for k in range(6)))
SUM = "a[0] + a[1] + a[2] + a[3] + a[4] + a[5]"
MILLION = "byte x, y, z;\nprocess P {{ state s; init s; trans\n{steps};\n}}\nsystem async;\n".format(
    steps=",\n".join(f"s -> s {{ guard {v} < 120; effect {v} = {v} + 1; }}" for v in "xyz")
)
MULTIPLIED = "int x, y, z;\nprocess P {{ state s; init s; trans\n{steps};\n}}\nsystem async;\n".format(
    steps=",\n".join(f"s -> s {{ effect {v} = {v} + 1; }}" for v in "xyz")
)
HARD_ATOM = "x * y * z + x * x * y == 12345 * z * z + 7"
RUNS = "runs.jsonl"
TIME, MEMORY = (5.0, 500), (60.0, 300)
"""Limits in seconds and megabytes: the first is met by time, the second by memory."""


@dataclass(frozen=True, slots=True)
class Case:
    """A phase or an input, the command that meets it, and its limits."""

    name: str
    words: tuple[str, ...]
    limits: tuple[float, int] = TIME
    make: Callable[[Path], None] = lambda folder: None


def main() -> int:
    """Measure, print the table, and keep it where all cases were measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="*", help="names of cases, with * and ?, separated by commas")
    only = parser.parse_args().only
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "large.dve").write_text(LARGE)
        (home / "million.dve").write_text(MILLION)
        (home / "multiplied.dve").write_text(MULTIPLIED)
        for case in CASES:
            if fits(case.name, only):
                case.make(home)
                rows.append(measured(case, home))
                print(table(rows[-1:], COLUMNS).splitlines()[-1], flush=True)
    print()
    print(table(rows, COLUMNS))
    if only == "*":
        write_results("limits", rows)
    return int(not all(row["within"] for row in rows))


COLUMNS = ("case", "seconds asked", "MB asked", "stopped after (s)", "MB at most", "exit code", "told", "within")


def measured(case: Case, home: Path) -> Row:
    """The row of a case."""
    seconds, megabytes = case.limits
    limits = ("--time-limit", f"{seconds:g}", "--memory-limit", str(megabytes))
    command = [sys.executable, "-m", "symdmc", *case.words, *limits]
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    most = 0
    with tempfile.TemporaryFile("w+") as told:
        began = time.monotonic()
        child = subprocess.Popen(command, cwd=home, env=env, stdout=told, stderr=subprocess.STDOUT)
        while child.poll() is None:
            most = max(most, max(map(_resident, family(child.pid))))
            time.sleep(0.01)
        took = time.monotonic() - began
        told.seek(0)
        first = next((line for line in told if not line.startswith("warning")), "").strip()
    if RUNS in case.words:
        took = json.loads((home / RUNS).read_text())["seconds"]
    used = most / (1 << 20)
    return {
        "case": case.name,
        "seconds asked": seconds,
        "MB asked": megabytes,
        "stopped after (s)": round(took, 1),
        "MB at most": round(used),
        "exit code": child.returncode,
        "told": first.replace("|", "/"),
        "within": took <= 1.1 * seconds + 2 and used <= 1.1 * megabytes,
    }


def family(pid: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


# ---- inputs


def _pipe(home: Path) -> None:
    os.mkfifo(home / "pipe.dve")


def _zero(home: Path) -> None:
    (home / "zero.dve").symlink_to("/dev/zero")


def _processes(home: Path) -> None:
    lines = [f"process P{k} {{ state q, r; init q; trans q -> r {{ }}; }}" for k in range(100_000)]
    (home / "processes.dve").write_text("\n".join((*lines, "system async;")))


def _edges(home: Path) -> None:
    edges = ", ".join(["q -> q { guard x < 3; effect x = x + 1; }"] * 20_000)
    (home / "edges.dve").write_text(f"byte x; process P {{ state q; init q; trans {edges}; }} system async;")


def _variables(home: Path) -> None:
    lines = [f"byte v{k};" for k in range(20_000)]
    edges = ", ".join(f"q -> q {{ effect v{k} = v{k} + v{(k + 7) % 20_000}; }}" for k in range(20_000))
    lines.append(f"process P {{ state q; init q; trans {edges}; }} system async;")
    (home / "variables.dve").write_text("\n".join(lines))


def _chain(home: Path) -> None:
    """Variables each of which takes the values of the one before it, and more."""
    count = 8_000
    edges = ", ".join(
        f"q -> q {{ effect v{k + 1} = v{k} * v{k} + v{(k + count // 2) % count} + {k}; }}" for k in range(count - 1)
    )
    text = "".join(f"byte v{k};\n" for k in range(count))
    (home / "chain.dve").write_text(f"{text}process P {{ state q; init q; trans {edges}; }} system async;")


def _certificate(home: Path, name: str, *asked: str) -> dict[str, Any]:
    """A certificate of a model, as JSON."""
    path = home / "made.json"
    words = ("check", name, *asked, "--certificate", str(path), "--quiet")
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    subprocess.run([sys.executable, "-m", "symdmc", *words], cwd=home, env=env, stdout=subprocess.DEVNULL)
    made: dict[str, Any] = json.loads(path.read_text())
    return made


def _hard_atom(home: Path) -> None:
    """A piece more, of the states for which an equation holds that is hard for a solver."""
    made = _certificate(home, "multiplied.dve", "--error", "P.s and x != x", "--engine", "symbolic")
    hard = {"atoms": [HARD_ATOM], "nodes": [[0, 0, 1]], "root": 2}
    made["pieces"] = [[hard, *made["pieces"][0]], *made["pieces"]]
    (home / "hard.json").write_text(json.dumps(made))


def _useless_nodes(home: Path) -> None:
    """A diagram with many nodes to which nothing leads."""
    made = _certificate(home, "million.dve", "--error", "x == 121", "--engine", "symbolic", "--direction", "forward")
    diagram = made["pieces"][0][0]
    count = len(diagram["nodes"])
    diagram["nodes"] += [[0, 0, 1] if k % 2 else [0, 1, 0] for k in range(200_000)]
    assert diagram["root"] <= count + 2
    (home / "useless.json").write_text(json.dumps(made))


def _million(home: Path) -> None:
    made = _certificate(home, "million.dve", "--error", "x == 121", "--engine", "symbolic", "--direction", "forward")
    (home / "million.json").write_text(json.dumps(made))


NEVER = ("large.dve", "--error", f"{SUM} > 1600")
FAR = ("large.dve", "--error", f"{SUM} == 1500")
SAFE = ("million.dve", "--error", "x == 121")
SYMBOLIC = ("check", *FAR, "--engine", "symbolic")
CASES: Sequence[Case] = (
    Case("read: a pipe", ("check", "pipe.dve", "--error", "x"), make=_pipe),
    Case("read: /dev/zero behind a link", ("check", "zero.dve", "--error", "x"), make=_zero),
    Case("read: 100,000 processes", ("check", "processes.dve", "--error", "P1.r"), make=_processes),
    Case("show: 100,000 processes", ("show", "processes.dve")),
    Case("read: 20,000 edges", ("check", "edges.dve", "--error", "x == 300"), make=_edges),
    Case("read: 20,000 variables", ("check", "variables.dve", "--error", "v1 == 1"), make=_variables),
    Case("show: 20,000 variables", ("show", "variables.dve")),
    Case("value analysis", ("show", "chain.dve"), (8.0, 500), _chain),
    Case("value analysis, little memory", ("show", "chain.dve"), (60.0, 75)),
    Case("search: bfs", ("check", *NEVER)),
    Case("search: bfs, little memory", ("check", *NEVER), MEMORY),
    Case("search: astar", ("check", *NEVER, "--heuristic", "blind")),
    Case("search: symbolic", (*SYMBOLIC, "--direction", "forward")),
    Case(
        "search: symbolic, little memory",
        ("check", *FAR, "--engine", "symbolic", "--direction", "forward"),
        (60.0, 90),
    ),
    Case("selection: pdb:cegar", ("check", *NEVER, "--heuristic", "pdb:cegar")),
    Case("tables: merge", ("check", "line_segment:instance=D9", "--heuristic", "merge:100000")),
    Case("tables: pdb", ("check", *FAR, "--heuristic", "pdb", "--pattern", "a*")),
    Case("tables: patterndb build", ("patterndb", "build", *FAR, "--pattern", "a*", "-o", "new.pdb")),
    Case("search with a certificate", ("check", *SAFE, "--certificate", "new.json"), (15.0, 500)),
    Case("certify: 1.8 million states", ("certify", *SAFE, "million.json"), make=_million),
    Case("certify: a hard atom", ("certify", "multiplied.dve", "hard.json"), make=_hard_atom),
    Case("certify: 200,000 useless nodes", ("certify", *SAFE, "useless.json"), make=_useless_nodes),
    Case("explore", ("explore", "large.dve")),
    Case("simulate", ("simulate", "large.dve", "--random", "10000000")),
    Case("compare, the run itself", ("compare", *NEVER, "--config", "bfs", "--results", RUNS)),
)


if __name__ == "__main__":
    sys.exit(main())
