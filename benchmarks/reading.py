"""How long it takes until a search can begin, for large inputs of several shapes, at one size and at the double.

    python -m benchmarks.reading                 every shape
    python -m benchmarks.reading edges terms     these shapes only

The inputs are generated from a seed. Each phase is measured in processor seconds: reading the text, validation, value
analysis, the tables of the compiled search, and the first state and its steps in the reference semantics. A phase
whose time is linear in the text doubles with it. The last column is the largest memory of the process in megabytes.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.records import Row, in_children, table
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.running.collecting import nothing_collected
from symdmc.task import compile_task

NOTHING = ErrorCondition(name="nothing")
COLUMNS = ("shape", "size", "MB of text", "read", "validated", "values", "tables", "first state", "together", "MB")


def locations(size: int, seed: int) -> str:
    """One process of many locations, each with an edge to the next."""
    names = [f"s{k}" for k in range(size)]
    edges = (f"  {a} -> {b} {{ }}" for a, b in pairwise(names))
    return f"process P {{\nstate {', '.join(names)};\ninit s0;\ntrans\n" + ",\n".join(edges) + ";\n}\nsystem async;\n"


def processes(size: int, seed: int) -> str:
    """Many processes of two locations."""
    return (
        "".join(f"process P{k} {{ state q, r; init q; trans q -> r {{ }}; }}\n" for k in range(size))
        + "system async;\n"
    )


def edges(size: int, seed: int) -> str:
    """One process with many edges between two locations."""
    many = ",\n".join(["  q -> q { guard x < 3; effect x = x + 1; }"] * size)
    return f"byte x;\nprocess P {{\nstate q;\ninit q;\ntrans\n{many};\n}}\nsystem async;\n"


def variables(size: int, seed: int) -> str:
    """Many variables, each with an edge that changes it."""
    declared = "".join(f"byte x{k};\n" for k in range(size))
    changed = ",\n".join(f"  q -> q {{ guard x{k} < 3; effect x{k} = x{k} + 1; }}" for k in range(size))
    return f"{declared}process P {{\nstate q;\ninit q;\ntrans\n{changed};\n}}\nsystem async;\n"


def terms(size: int, seed: int) -> str:
    """A model of many lines, every fiftieth of them with an expression of hundreds of terms."""
    return "\n".join(_lines_of_terms(size, random.Random(seed))) + "\n"


def _lines_of_terms(size: int, choose: random.Random) -> Iterator[str]:
    names, arrays = [f"x{k}" for k in range(60)], [f"a{k}" for k in range(5)]
    yield from (f"byte {name};" for name in (*names, "spare"))
    yield from (f"int {name}[20];" for name in arrays)
    for number in range(size // 300):
        yield f"process P{number} {{"
        yield f"state {', '.join(f's{k}' for k in range(20))};"
        yield "init s0;"
        yield "trans"
        for line in range(295):
            source, target = choose.randrange(20), choose.randrange(20)
            yield f"  s{source} -> s{target} {{ {_edge(choose, names, arrays, line)} }}{',' if line < 294 else ';'}"
        yield "}"
    yield "system async;"


def _edge(choose: random.Random, names: Sequence[str], arrays: Sequence[str], line: int) -> str:
    """A counter that grows; every fiftieth time under a long guard, or a long value is stored as well."""
    name = choose.choice(names)
    plain = f"guard {name} < {choose.randrange(2, 60)}; effect {name} = {name} + 1"
    if line % 50:
        return f"{plain};"
    long = _sum(choose, names, arrays, choose.randrange(200, 400))
    if line % 100:
        return f"{plain}, spare = {long};"
    return f"guard {long} < {choose.randrange(1000)}; effect {name} = ({name} + 1) % 8;"


def _sum(choose: random.Random, names: Sequence[str], arrays: Sequence[str], count: int) -> str:
    """A sum of groups of ten terms each."""
    groups = []
    for _ in range(count // 10):
        parts = []
        for _ in range(10):
            name = choose.choice(names)
            kinds = (
                name,
                f"{choose.randrange(2, 99)} * {name}",
                f"{choose.choice(arrays)}[{name} % 20]",
                f"({name} == 3)",
            )
            parts.append(choose.choice(kinds))
        groups.append(f"({choose.choice((' + ', ' - ', ' & ', ' | ')).join(parts)})")
    return " + ".join(groups)


@dataclass(frozen=True)
class Shape:
    """A kind of input, and the sizes that are measured."""

    text: Callable[[int, int], str]
    size: int


SHAPES = {
    "locations": Shape(locations, 50_000),
    "processes": Shape(processes, 50_000),
    "edges": Shape(edges, 20_000),
    "variables": Shape(variables, 20_000),
    "terms": Shape(terms, 30_000),
}


@dataclass(frozen=True)
class Input:
    """One input."""

    shape: str
    size: int
    seed: int


class _Clock:
    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._last = time.process_time()

    def lap(self) -> None:
        """The next phase begins."""
        now = time.process_time()
        self.seconds.append(now - self._last)
        self._last = now


def measure(given: Input) -> list[Row]:
    """The phases of one input."""
    from symdmc.kernel.machine.compiler import compile_program
    from symdmc.reader.dve import read_dve

    text = SHAPES[given.shape].text(given.size, given.seed)
    clock = _Clock()
    with nothing_collected():  # as in `load`
        system: System = read_dve(text, name=given.shape, file=given.shape)
        clock.lap()
        assert not system.faults
        clock.lap()
    task = compile_task(system, NOTHING)
    assert task.analysis.domains
    clock.lap()
    compile_program(task)
    clock.lap()
    semantics = task.semantics
    first = next(semantics.initial_states())
    next(semantics.moves(first), None)
    clock.lap()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    cells = (given.shape, given.size, len(text) / 2**20, *clock.seconds, sum(clock.seconds), peak)
    return [dict(zip(COLUMNS, cells, strict=True))]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", help=f"of {', '.join(SHAPES)}; all of them if none is named")
    parser.add_argument("--seed", type=int, default=1, help="of what is random in an input (default: 1)")
    parser.add_argument("--part", type=int, default=1, help="divide the sizes by this number (default: 1)")
    given = parser.parse_args()
    if unknown := sorted(set(given.shapes) - SHAPES.keys()):
        parser.error(f"there is no shape {unknown[0]!r}; choose of {', '.join(SHAPES)}")
    inputs = [
        Input(name, factor * SHAPES[name].size // given.part, given.seed)
        for name in given.shapes or SHAPES
        for factor in (1, 2)
    ]
    rows = [row for found in in_children(measure, inputs, workers=1) for row in found]
    rows.sort(key=lambda row: (list(SHAPES).index(row["shape"]), row["size"]))
    print(table(rows, COLUMNS))


if __name__ == "__main__":
    main()
