"""Hostile input: every command that takes a file is given files that are none, and models beyond measure.

`python -m campaigns.hostile` prints a table: each input, in how many commands it was tried, the longest time, the most
memory, and what failed. Each run must end in time with the right exit code, at most one line of complaint, and no
traceback. Seconds are those of the processor; a run that takes three times as long by the clock waits for something.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
MANY = 100_000
DIGITS = "9" * MANY
GOOD = "byte x = 0;\nprocess P { state s; init s; trans s -> s { guard x < 3; effect x = x + 1; }; }\nsystem async;\n"
QUESTION = ("--error", "x == 3")
SAFE = ("--error", "x == 4")
PREPARED = (
    ("check", "good.dve", *QUESTION, "--trace", "trace.json", "--quiet"),
    ("check", "good.dve", *SAFE, "--certificate", "proof.json", "--quiet"),
    ("patterndb", "build", "good.dve", *QUESTION, "--pattern", "x", "-o", "good.pdb", "--quiet"),
)
READERS: Mapping[str, tuple[str, ...]] = {
    "check": ("check", "BAD", *QUESTION),
    "explore": ("explore", "BAD"),
    "simulate": ("simulate", "BAD", "--random", "3"),
    "show": ("show", "BAD"),
    "replay a model": ("replay", "BAD", "trace.json"),
    "certify a model": ("certify", "BAD", "proof.json"),
    "patterndb build": ("patterndb", "build", "BAD", *QUESTION, "--pattern", "x", "-o", "out.pdb"),
    "compare models": ("compare", "BAD", *QUESTION, "--config", "bfs"),
    "compare a suite": ("compare", "BAD"),
    "replay": ("replay", "good.dve", "BAD"),
    "certify": ("certify", "good.dve", "BAD"),
    "properties": ("check", "good.dve", "--properties", "BAD"),
    "predicates": ("check", "good.dve", *QUESTION, "--heuristic", "pred:given", "--predicates", "BAD"),
    "database": ("check", "good.dve", *QUESTION, "--heuristic", "pdb", "--database", "BAD"),
    "trail": ("check", "good.dve", *QUESTION, "--heuristic", "hamming:BAD"),
}
"""The commands that read a file, BAD in the place of its path."""
MODELS = (
    "check",
    "explore",
    "simulate",
    "show",
    "replay a model",
    "certify a model",
    "patterndb build",
    "compare models",
)
DOCUMENTS = ("replay", "certify", "database", "trail")
WRITERS: Mapping[str, tuple[str, ...]] = {
    "trace": ("check", "good.dve", *QUESTION, "--trace", "BAD"),
    "certificate": ("check", "good.dve", *SAFE, "--certificate", "BAD"),
    "database": ("patterndb", "build", "good.dve", *QUESTION, "--pattern", "x", "-o", "BAD"),
    "walk": ("simulate", "good.dve", "--random", "3", "--trace", "BAD"),
    "graph": ("show", "good.dve", "--graph", "BAD.svg"),
    "layers": ("check", "good.dve", *QUESTION, "--engine", "symbolic", "--layers", "BAD.svg"),
    "results": ("compare", "good.dve", *QUESTION, "--config", "bfs", "--results", "BAD.jsonl"),
}
"""The commands that write a file."""
REFUSED = (2, 30)


def _model(**members: object) -> str:
    process = {"name": "P", "initial": ["s"], "locations": [{"name": "s"}], "edges": []}
    whole = {"schema": "symdmc-model/1", "name": "m", "processes": [process], **members}
    return json.dumps(whole).replace('"DIGITS"', DIGITS)


def _in_guard(text: str) -> str:
    return GOOD.replace("x < 3", text)


@dataclass(frozen=True, slots=True)
class Input:
    """A hostile input: the file as it is made at a path, the commands that meet it, and how they may end."""

    suffixes: tuple[str, ...]
    make: Callable[[Path], object]
    commands: tuple[str, ...]
    codes: tuple[int, ...] = REFUSED
    options: tuple[str, ...] = ()
    seconds: float = 2.0


def _written(text: str | bytes) -> Callable[[Path], object]:
    data = text.encode("latin-1") if isinstance(text, str) else text
    return lambda path: path.write_bytes(data)


def _dve(text: str, **more: object) -> Input:
    return Input((".dve",), _written(text), MODELS, **more)  # type: ignore[arg-type]


def _json(text: str) -> Input:
    return Input((".json",), _written(text), MODELS)


def _toml(text: str) -> Input:
    return Input((".toml",), _written(text), ("compare a suite",))


def _gigabyte(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 30)


ANY = (".dve", ".json", ".toml", ".txt")
BUFFER = {"name": "c", "kind": "buffered", "values": [{"low": 0, "high": 1}], "capacity": 10**9}
LARGE = {"options": ("--time-limit", "2"), "codes": (0, 2, 10, 20, 21, 22, 30, 40), "seconds": 5.0}
"""For models that truly are large: each run ends at the limit at the latest."""

INPUTS: Mapping[str, Input] = {
    "no file": Input(ANY, lambda path: None, tuple(READERS)),
    "a folder": Input(ANY, lambda path: path.mkdir(), tuple(READERS)),
    "a pipe that nobody writes to": Input(ANY, lambda path: os.mkfifo(path), tuple(READERS)),
    "/dev/zero behind a link": Input(ANY, lambda path: path.symlink_to("/dev/zero"), tuple(READERS)),
    "a link to itself": Input(ANY, lambda path: path.symlink_to(path.name), tuple(READERS)),
    "an empty file": Input(ANY, _written(""), tuple(READERS)),
    "characters that are none": Input(ANY, _written("\0" * 1000), tuple(READERS)),
    "bytes that are no text": Input(ANY, _written(bytes(range(1, 256)) * 100), tuple(READERS)),
    "one line of a gigabyte": Input(ANY, _gigabyte, tuple(READERS)),
    "DVE: parentheses": _dve(_in_guard("(" * MANY + "x" + ")" * MANY)),
    "DVE: indices": _dve(_in_guard("x[" * MANY + "x" + "]" * MANY)),
    "DVE: minus signs": _dve(_in_guard("-" * MANY + "x")),
    "DVE: a long sum": _dve(_in_guard(" + ".join("x" * MANY)), **LARGE),
    "DVE: a long difference": _dve(_in_guard(" - ".join("x" * MANY))),
    "DVE: digits": _dve(_in_guard(DIGITS)),
    "DVE: an array of 10^9": _dve(GOOD.replace("byte x", "byte y[1000000000]; byte x")),
    "DVE: a buffer of 10^9": _dve(GOOD.replace("byte x", "channel {byte} c[1000000000]; byte x")),
    "DVE: 500 large arrays": _dve("".join(f"byte y{k}[65536];" for k in range(500)) + GOOD),
    "DVE: 20,000 unknown names": _dve(
        GOOD.replace("; };", "; }, " + ", ".join(f"s -> s {{ guard y{k} < 3; }}" for k in range(20_000)) + ";"),
        seconds=20.0,
    ),
    "DVE: 100,000 processes": _dve(
        "byte x;"
        + "".join(f"process P{k} {{ state q, r; init q; trans q -> r {{ }}; }}\n" for k in range(MANY))
        + "system async;",
        **LARGE,
    ),
    "DVE: 20,000 edges": _dve(
        GOOD.replace("; };", "; }, " + ", ".join(["s -> s { guard x < 3; effect x = x + 1; }"] * 20_000) + ";"), **LARGE
    ),
    "JSON: lists": Input((".json",), _written("[" * MANY + "]" * MANY), (*MODELS, *DOCUMENTS)),
    "JSON: objects": Input((".json",), _written('{"a":' * MANY + "1" + "}" * MANY), (*MODELS, *DOCUMENTS)),
    "JSON: digits": Input(
        (".json",), _written(_model(variables=[{"name": "x", "low": 0, "high": "DIGITS"}])), (*MODELS, *DOCUMENTS)
    ),
    "JSON: a buffer of 10^9": _json(_model(channels=[BUFFER])),
    "JSON: an array of 10^9": _json(
        _model(variables=[{"name": "x", "low": 0, "high": 1, "initial": [0], "size": 10**9}])
    ),
    "JSON: 10^6 initial values": _json(
        _model(variables=[{"name": "x", "low": 0, "high": 1, "initial": [[0] * 10**6]}])
    ),
    "JSON: a name of 10^6 letters": _json(_model(properties=[{"name": "a b" * 10**6, "error": "1"}])),
    "TOML: lists": _toml("models = " + "[" * MANY),
    "TOML: tables": _toml("models = " + "{a=" * MANY),
    "TOML: parts of a key": _toml(".".join("a" * MANY) + " = 1"),
    "TOML: digits": _toml(f'models = ["good.dve"]\nconfigs = ["bfs"]\nrepeat = {"9" * 5000}\ntime_limit = "x"'),
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    code: int
    err: str
    seconds: float
    waited: float
    megabytes: float


@dataclass(slots=True)
class Row:
    """What came of an input in all its commands."""

    runs: int = 0
    seconds: float = 0.0
    megabytes: float = 0.0
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Campaign:
    """Where the runs are, and how much slower than an idle one the machine may be."""

    folder: Path
    slack: float = 1.0

    def prepare(self) -> None:
        """Write the good files."""
        (self.folder / "good.dve").write_text(GOOD)
        for words in PREPARED:
            self.run(words)

    def run(self, words: Iterable[str], settings: Mapping[str, object] | None = None, limit: float = 120.0) -> Ended:
        """Run a command."""
        given = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, **(settings or {})}
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="backslashreplace") as told:
            child = subprocess.Popen(  # type: ignore[call-overload]
                [sys.executable, "-m", "symdmc", *words],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stderr=told,
                **given,
            )
            while True:
                pid, status, used = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - begin > limit * self.slack:
                    child.kill()
                time.sleep(0.01)
            child.returncode = os.waitstatus_to_exitcode(status)
            told.seek(0)
            waited = time.monotonic() - begin
            return Ended(child.returncode, told.read(), used.ru_utime + used.ru_stime, waited, used.ru_maxrss / 1024)

    def judged(
        self, name: str, ended: Ended, codes: tuple[int, ...], row: Row, seconds: float = 2.0, megabytes: float = 500.0
    ) -> None:
        """Note in the row how a run ended, and what is wrong with that."""
        row.runs += 1
        row.seconds, row.megabytes = max(row.seconds, ended.seconds), max(row.megabytes, ended.megabytes)
        lines = [line for line in ended.err.splitlines() if not line.startswith(("warning:", "note:", "["))]
        for is_wrong, what in (
            (ended.code not in codes, f"exit code {ended.code}, not {' or '.join(map(str, codes))}"),
            ("Traceback" in ended.err or "internal error" in ended.err, "an internal error"),
            (len(lines) > 101 or (len(lines) != 1 and ended.code in REFUSED and len(lines) < 2), f"{len(lines)} lines"),
            (any(len(line) > 1500 for line in lines), f"a line of {max(map(len, lines), default=0):,} characters"),
            (ended.seconds > seconds * self.slack, f"{ended.seconds:.1f} s"),
            (ended.waited > 3 * seconds * self.slack, f"{ended.waited:.1f} s by the clock"),
            (ended.megabytes > megabytes, f"{ended.megabytes:.0f} MB"),
        ):
            if is_wrong:
                row.failures.append(f"{name}: {what}: {(lines or [''])[0][:150]}")

    def read(self, name: str, chosen: str = "*") -> Row:
        """Give an input to each of its commands."""
        given, row = INPUTS[name], Row()
        for command in given.commands:
            if not fnmatch(command, chosen):
                continue
            suffix = _fitting(command, given.suffixes)
            path = self.folder / f"bad{suffix}"
            given.make(path)
            options = given.options if command != "compare a suite" else ()
            words = [word.replace("BAD", path.name) for word in READERS[command]]
            self.judged(f"{name}, {command}", self.run((*words, *options)), given.codes, row, given.seconds)
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
            (self.folder / "out.pdb").unlink(missing_ok=True)
        return row

    def written(self, name: str, chosen: str = "*") -> Row:
        """Let each command that writes a file write it where it cannot."""
        row = Row()
        for command, words in WRITERS.items():
            if not fnmatch(command, chosen):
                continue
            target = OUTPUTS[name](self.folder)
            full = tuple(
                word.replace("BAD.svg", f"{target}.svg").replace("BAD.jsonl", f"{target}.jsonl") for word in words
            )
            full = tuple(word.replace("BAD", target) for word in full)
            for place in (f"{target}.svg", f"{target}.jsonl", target):
                if name == "a folder" and not Path(self.folder / place).exists():
                    Path(self.folder / place).mkdir()
            self.judged(f"{name}, {command}", self.run(full), REFUSED, row)
            for place in (f"{target}.svg", f"{target}.jsonl", target):
                if name == "a folder":
                    Path(self.folder / place).rmdir()
        good = (self.folder / "good.dve").read_text()
        row.failures += ["the model was overwritten"] if good != GOOD else []
        return row

    def surroundings(self, name: str) -> Row:
        """Run a command in surroundings that are hostile."""
        row, (settings, codes) = Row(), SURROUNDINGS[name]
        for words in (
            ("check", "good.dve", *QUESTION),
            ("check", "good.dve", *QUESTION, "--json"),
            ("show", "good.dve"),
        ):
            expected = tuple(code if words[0] == "check" or code != 10 else 0 for code in codes)
            self.judged(f"{name}, {' '.join(words)}", self.run(words, settings()), expected, row)
        return row


OUTPUTS: Mapping[str, Callable[[Path], str]] = {
    "a folder that is not there": lambda folder: "nowhere/out",
    "a folder": lambda folder: "taken",
    "below a file": lambda folder: "good.dve/out",
    "a name of 10^4 letters": lambda folder: "a" * 10_000,
}


def _tiny_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _bare() -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT)}


SURROUNDINGS: Mapping[str, tuple[Callable[[], Mapping[str, object]], tuple[int, ...]]] = {
    "no environment": (lambda: {"env": _bare()}, (10,)),
    "a home that is not there": (lambda: {"env": {**_bare(), "HOME": "/nonexistent"}}, (10,)),
    "stdout on a full disk": (lambda: {"stdout": open("/dev/full", "wb")}, (30,)),  # noqa: SIM115
    "stdout closed": (lambda: {"preexec_fn": lambda: os.close(1)}, (10, 30)),
    "no file may grow": (lambda: {"preexec_fn": _tiny_files, "env": {**_bare(), "HOME": "/nonexistent"}}, (10, 30)),
}


def _fitting(command: str, suffixes: tuple[str, ...]) -> str:
    """Of some suffixes the one that a command takes."""
    wanted = {"compare a suite": ".toml", "properties": ".txt", "predicates": ".txt"}.get(
        command, ".json" if command in DOCUMENTS else ".dve"
    )
    return wanted if wanted in suffixes else suffixes[0]


def campaign(folder: Path, chosen: str = "*", slack: float = 1.0) -> Iterator[tuple[str, Row]]:
    """What came of the inputs whose names fit, one after the other."""
    runs = Campaign(folder, slack)
    runs.prepare()
    for name in INPUTS:
        if fnmatch(name, chosen):
            yield name, runs.read(name)
    for name in OUTPUTS:
        if fnmatch(f"output: {name}", chosen):
            yield f"output: {name}", runs.written(name)
    for name in SURROUNDINGS:
        if fnmatch(f"around: {name}", chosen):
            yield f"around: {name}", runs.surroundings(name)


def main() -> None:
    """Run the campaign, and end with exit code 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="?", default="*", help="those whose names fit a pattern (default: '*')")
    parser.add_argument("--slack", type=float, default=1.0, help="how much slower than an idle one the machine may be")
    given = parser.parse_args()
    failures: list[str] = []
    print(f"{'input':<36} {'runs':>5} {'seconds':>8} {'MB':>6} {'failures':>9}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, row in campaign(Path(folder), given.inputs, given.slack):
            print(
                f"{name:<36} {row.runs:>5} {row.seconds:>8.1f} {row.megabytes:>6.0f} {len(row.failures):>9}", flush=True
            )
            failures += row.failures
    print("\n".join(failures) or "nothing failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
