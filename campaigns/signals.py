"""Signals at random moments: no process stays alive, no file is left half written, exit codes are as documented.

`python -m campaigns.signals --seed 1 --moments 200` starts commands, sends each SIGTERM, SIGINT or SIGKILL at a moment
that follows from the seed, and looks at what is left. Processes are found by a mark in their environment: Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from symdmc.outcome import EXIT_CODES, Stop

ROOT = Path(__file__).parents[1]
MARK = "SYMDMC_CAMPAIGN"
SUM = "a[0] + a[1] + a[2] + a[3] + a[4] + a[5]"
LARGE = "\n".join(
    (
        "byte a[6];",
        "process P { state s; init s; trans",
        ",\n".join(f"  s -> s {{ effect a[{cell}] = a[{cell}] + 1; }}" for cell in range(6)) + ";",
        "}",
        "system async;\n",
    )
)
SMALL = "byte x = 0; byte y = 0;\nprocess P { state s; init s; trans s -> s { guard x < 200; effect x = x + 1; },\n" + (
    "  s -> s { guard y < 90; effect y = y + 1; }; }\nsystem async;\n"
)
NEVER = ("large.dve", "--error", f"{SUM} > 1600")
FAR = ("large.dve", "--error", f"{SUM} == 1500")
SAFE = ("small.dve", "--error", "x == 201")
FOUND = ("small.dve", "--error", "x == 200 and y == 90")


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the seconds in which signals come, the codes with which it ends unless one does, and its output."""

    words: tuple[str, ...]
    seconds: float
    codes: tuple[int, ...] = (0,)
    output: str | None = None


COMMANDS: Mapping[str, Command] = {
    "check": Command(("check", *NEVER, "--certificate", "out.json"), 4, output="out.json"),
    "check, proof": Command(("check", *SAFE, "--certificate", "out.json"), 3, output="out.json"),
    "check, trace": Command(("check", *FOUND, "--trace", "out.json"), 3, (10,), output="out.json"),
    "check, symbolic": Command(("check", *FAR, "--engine", "symbolic", "--direction", "forward"), 4),
    "check, pdb": Command(("check", *FAR, "--heuristic", "pdb", "--pattern", "a*"), 4),
    "check, pdb:cegar": Command(("check", *NEVER, "--heuristic", "pdb:cegar"), 4),
    "check, pred:refine": Command(("check", *FAR, "--heuristic", "pred:refine"), 4),
    "check, merge": Command(("check", "line_segment:instance=D9", "--heuristic", "merge:100000"), 4, (0, 10)),
    "certify": Command(("certify", *SAFE, "proof.json"), 4),
    "replay": Command(("replay", "small.dve", "trace.json"), 1.5),
    "show": Command(("show", "large.dve", "--graph", "out.svg"), 2, output="out.svg"),
    "explore": Command(("explore", "large.dve"), 4),
    "explore, symbolic": Command(("explore", "large.dve", "--engine", "symbolic", "--depth"), 4),
    "simulate": Command(("simulate", "large.dve", "--random", "3000", "--trace", "out.json"), 3, output="out.json"),
    "compare": Command(("compare", *FAR, "--config", "bfs", "--config", "symbolic:forward"), 5, (0, 39)),
    "patterndb build": Command(("patterndb", "build", *FAR, "--pattern", "a*", "-o", "out.json"), 4, output="out.json"),
    "patterndb show": Command(("patterndb", "show", "small.pdb", *FOUND), 2),
}
PREPARED = (
    ("check", *SAFE, "--certificate", "proof.json", "--quiet"),
    ("check", *FOUND, "--trace", "trace.json", "--quiet"),
    ("patterndb", "build", *FOUND, "--pattern", "x", "-o", "small.pdb", "--quiet"),
)
SIGNALS = {
    signal.SIGTERM: (EXIT_CODES[Stop.TERMINATED], -signal.SIGTERM),
    signal.SIGINT: (EXIT_CODES[Stop.INTERRUPT], -signal.SIGINT),
    signal.SIGKILL: (-signal.SIGKILL,),
}
"""The codes with which a signal ends a process; the second where Python itself has only just started."""


OURS = re.compile(r"symdmc/(?!__init__|__main__)")


@dataclass(slots=True)
class Row:
    """What came of a command under a signal."""

    moments: int = 0
    done: int = 0
    """How often the command had ended before the signal came."""
    early: int = 0
    """How often the signal came while Python itself was starting, before any code of symdmc."""
    longest: float = 0.0
    """Seconds from the signal to the end of the last process."""
    failures: list[str] = field(default_factory=list)


def campaign(
    folder: Path, seed: int, moments: int, grace: float, names: tuple[str, ...], pace: float = 1.0
) -> dict[tuple[str, str], Row]:
    """What came of the commands, by their names and the names of signals; with a pace below 1 they come earlier."""
    home, temporary = folder / "work", folder / "tmp"
    home.mkdir()
    temporary.mkdir()
    (home / "large.dve").write_text(LARGE)
    (home / "small.dve").write_text(SMALL)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
    for words in PREPARED:
        subprocess.run([sys.executable, "-m", "symdmc", *words], cwd=home, env=env, stdout=subprocess.DEVNULL)
    before = _contents(home)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts this may ignore it, and so would the commands
    chance = random.Random(seed)
    rows: dict[tuple[str, str], Row] = {}
    for number in range(moments):
        name = names[number % len(names)]
        sent = chance.choice(sorted(SIGNALS))
        moment = pace * chance.uniform(0, COMMANDS[name].seconds)
        row = rows.setdefault((name, signal.Signals(sent).name), Row())
        row.moments += 1
        for failure in _attack(COMMANDS[name], sent, moment, home, env, grace, row):
            row.failures.append(f"{name}, {signal.Signals(sent).name} after {moment:.3f} s: {failure}")
        output = COMMANDS[name].output
        row.failures += [f"{name}: {told}" for told in _left(home, before, output)]
        row.failures += [f"{name}: {path} is left" for path in temporary.iterdir()]
        if output is not None:
            (home / output).unlink(missing_ok=True)
    return rows


def _attack(
    command: Command, sent: int, moment: float, home: Path, env: Mapping[str, str], grace: float, row: Row
) -> Iterator[str]:
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    with tempfile.TemporaryFile("w+") as told:
        child = subprocess.Popen(
            [sys.executable, "-m", "symdmc", *command.words],
            cwd=home,
            env={**env, MARK: mark},
            stdout=subprocess.DEVNULL,
            stderr=told,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            child.wait(moment)
        was_done = child.poll() is not None
        row.done += was_done
        child.send_signal(sent)
        began = time.monotonic()
        while alive := _alive(mark):
            if time.monotonic() - began > grace:
                yield f"processes are alive after {grace:g} s: {alive}"
                for pid in alive:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                break
            child.poll()
            time.sleep(0.01)
        row.longest = max(row.longest, time.monotonic() - began)
        code = child.wait()
        told.seek(0)
        text = told.read()
        if code == 1 and text.endswith("KeyboardInterrupt\n") and not OURS.search(text):
            row.early += 1
            return
        allowed = (*command.codes, *(() if was_done else SIGNALS[signal.Signals(sent)]))
        if code not in allowed:
            yield f"exit code {code}, not {' or '.join(map(str, allowed))}"
        if ("Traceback" in text and code != -signal.SIGINT) or "internal error" in text:
            yield f"stderr says {text.strip().splitlines()[-1]!r}"


def _alive(mark: str) -> list[int]:
    """The processes that have the mark, without those that have ended and are only still listed."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_ended = (place / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            if not is_ended and f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


def _contents(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


def _left(home: Path, before: Mapping[str, bytes], output: str | None) -> Iterator[str]:
    """What is not as it was, or half of an output."""
    for path in sorted(home.rglob("*")):
        name = str(path.relative_to(home))
        if name != output and (name not in before or path.read_bytes() != before[name]):
            yield f"{name} is left or changed"
    for name in before:
        if not (home / name).exists():
            yield f"{name} is gone"
    if output is not None and (home / output).exists():
        text = (home / output).read_text()
        try:
            whole = text.rstrip().endswith("</svg>") if output.endswith(".svg") else bool(json.loads(text))
        except ValueError:
            whole = False
        if not whole:
            yield f"{output} is half written"


def table(rows: Mapping[tuple[str, str], Row]) -> Iterator[str]:
    """The lines of a table."""
    yield _line("command", "signal", "moments", "done before", "early", "ended after", "failures")
    for (name, sent), row in sorted(rows.items()):
        yield _line(name, sent, row.moments, row.done, row.early, f"{row.longest:.2f} s", len(row.failures))
    total = sum(row.moments for row in rows.values())
    yield f"{total} moments, {sum(len(row.failures) for row in rows.values())} failures"


def _line(name: str, sent: str, *cells: object) -> str:
    return f"{name:<20} {sent:<8} " + " ".join(f"{cell!s:>12}" for cell in cells)


def main() -> None:
    """Run the campaign and end with exit code 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--grace", type=float, default=1.0, help="seconds after which no process may be alive")
    parser.add_argument("--command", action="append", choices=COMMANDS, help="only this one; may be repeated")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = campaign(Path(folder), given.seed, given.moments, given.grace, tuple(given.command or COMMANDS))
    print("\n".join(table(rows)))
    failures = [failure for row in rows.values() for failure in row.failures]
    print("\n".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
