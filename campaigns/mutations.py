"""Damaged evidence: traces, certificates and databases of random systems, changed at random, given to their readers.

Whatever is accepted must be right by brute force, and nothing may fail. In about half of the mutants what protects a
file from accidents, its digest or fingerprint and whatever follows from the rest, is that of the changed content.
"""

from __future__ import annotations

import argparse
import base64
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, TypeAlias

import numpy as np

from campaigns.fuzz.brute_force import Space, State
from campaigns.fuzz.drafts import Draft
from campaigns.fuzz.drawing import drawn
from campaigns.fuzz.inline import without_children
from campaigns.fuzz.judging import View, Wrong, expression_of, membership, objection
from campaigns.fuzz.options import drawn_pattern
from campaigns.fuzz.texts import json_model, question_options
from symdmc.checking.checks import check_task, task_for
from symdmc.checking.databases import pattern_database
from symdmc.checking.judging import certified_within
from symdmc.checking.request import check_request
from symdmc.errors import EvidenceRefused, ModelError, ResourceLimit, SymdmcError
from symdmc.evidence.certificate import Certificate, certificate_text, read_certificate
from symdmc.evidence.claims import honestly_named
from symdmc.evidence.replay import replay
from symdmc.model.files.json_format import system_from_json
from symdmc.model.files.trace_format import read_trace, trace_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition, ask
from symdmc.model.state import Step
from symdmc.model.steps import team_fault
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import Verdict
from symdmc.patterndb.contents import compare_databases, contents_of, estimate_of_state
from symdmc.patterndb.store import digest, read_database, write_database
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.task.task import Task

Json: TypeAlias = Any
"""A value of JSON."""

PER_SYSTEM = 25
"""So many mutants are made of what belongs to one system."""
SECONDS = 20
"""What takes longer to judge is left open."""
NUMBERS = (0, 1, -1, 2, 255, 256, -256, 2**30, 2**30 + 1, 2**31 - 1, 2**31, -(2**31), 2**63, 10**25)
TEXTS = (
    "",
    "0",
    "1",
    "false",
    "true",
    "x",
    "P0.l0",
    "deadlock",
    "fault",
    "1 / 0",
    "[]",
    "\u001b[2J",
    "\ud800",
    "a" * 5000,
)


@dataclass(frozen=True)
class Origin:
    """What is changed: a file that is right, of a system."""

    draft: Draft
    space: Space
    system: System
    view: View
    text: str
    remade: Callable[[Random], str] | None = None
    """Gives a file with other content that agrees with itself."""


# ---- files that are right


def origin(kind: str, seed: int, number: int) -> Origin:
    """The file that mutants with numbers from this one on are made of."""
    random = Random(f"{seed}/{kind}/{number}")
    while True:
        _, draft, space = drawn(random)
        system = system_from_json(json.loads(json.dumps(json_model(draft))))
        view = View(space.machine, system)
        made = _MAKERS[kind](draft, space, system, view, random)
        if made is not None:
            return made


def _trace(draft: Draft, space: Space, system: System, view: View, random: Random) -> Origin | None:
    if space.transitions == 0:
        return None
    error = ask(system, **question_options(draft))

    def path() -> Trace:
        state = random.choice(list(space.moves))
        first = random.choice([each for each in space.initial if each in space.moves])
        state, steps = first, []
        for _ in range(random.randint(1, 8)):
            moves = [move for move in space.moves[state] if move.after is not None]
            if not moves or state in space.errors:
                break
            move = min(moves, key=lambda each: (space.distances.get(each.after, 10**9), random.random()))  # type: ignore[arg-type]
            assert move.after is not None
            steps.append(Step(move.team, move.cost, view.shown(move.after)))
            state = move.after
        claimed = error if state in space.errors else None
        name = error.name if claimed else "walk"
        head = {"fingerprint": fingerprint(system), "property": name, "error": claimed}
        return Trace(initial=view.shown(first), steps=tuple(steps), **head)  # type: ignore[arg-type]

    trace = path()

    def remade(chance: Random) -> str:
        return _text(trace_to_json(_other_trace(trace, system, chance), system))

    return Origin(draft, space, system, view, _text(trace_to_json(trace, system)), remade)


def _other_trace(trace: Trace, system: System, random: Random) -> Trace:
    """A trace with steps that are left out, doubled, swapped or changed, which agrees with itself."""
    steps = list(trace.steps)
    if not steps:
        return replace(trace, error=ErrorCondition(name="deadlock", deadlock=True), property="deadlock")
    k, form = random.randrange(len(steps)), random.randrange(6)
    if form == 0:
        del steps[k]
    elif form == 1:
        steps.insert(k, steps[k])
    elif form == 2:
        steps[k] = replace(steps[k], cost=1 - steps[k].cost)
    elif form == 3:
        process, _ = steps[k].edges[0]
        edge = random.randrange(len(system.processes[process].edges))
        edges = ((process, edge), *steps[k].edges[1:])
        if team_fault(edges, system) is None:
            steps[k] = replace(steps[k], edges=edges)
    elif form == 4:
        other = random.randrange(len(steps))
        steps[k], steps[other] = steps[other], steps[k]
    else:
        values = [list(cells) for cells in steps[k].successor.values]
        if values:
            cells = random.choice(values)
            cells[random.randrange(len(cells))] += random.choice((1, -1, 256))
        changed = replace(steps[k].successor, values=tuple(map(tuple, values)))
        steps[k] = replace(steps[k], successor=changed)
    return replace(trace, steps=tuple(steps))


def _certificate(draft: Draft, space: Space, system: System, view: View, random: Random) -> Origin | None:
    if space.shortest is not None and random.random() < 0.7:
        return None
    ways: list[dict[str, Any]] = [
        {},
        {"engine": "symbolic", "direction": "forward"},
        {"engine": "symbolic", "direction": "backward"},
        {"heuristic": "pdb", "pattern": drawn_pattern(random, draft), "complete": True},
        {"heuristic": "hL"},
    ]
    question = question_options(draft) if space.shortest is None else {"error": "1 == 2"}
    try:
        request = check_request(certify=True, **random.choice(ways))
        with without_children():
            found = check_task(task_for(system, **question), request, Run(Limits(seconds=SECONDS)))
    except (ModelError, LimitReached, ResourceLimit):
        return None
    if found.certificate is None:
        return None
    certificate = found.certificate

    def remade(chance: Random) -> str:
        return certificate_text(_other_certificate(certificate, chance), system)

    return Origin(draft, space, system, view, certificate_text(certificate, system), remade)


def _other_certificate(certificate: Certificate, random: Random) -> Certificate:
    """A certificate with a state, a piece, a diagram or a child of a node changed, well formed all the same."""
    states, pieces = list(certificate.states), list(certificate.pieces)
    if states and (not pieces or random.random() < 0.5):
        k = random.randrange(len(states))
        if random.random() < 0.5:
            del states[k]
        else:
            states[k] = replace(states[k], locations=random.choice(states).locations)
        return replace(certificate, states=tuple(states))
    if not pieces or random.random() < 0.05:
        return replace(certificate, pieces=tuple(pieces[1:]))
    k = random.randrange(len(pieces))
    diagrams = list(pieces[k].diagrams)
    wide = [j for j, each in enumerate(diagrams) if each.nodes]
    if not wide or random.random() < 0.1:
        diagrams = diagrams[1:]
    else:
        j = random.choice(wide)
        diagram, nodes = diagrams[j], list(diagrams[j].nodes)
        n = random.randrange(len(nodes))
        atom, low, high = nodes[n]
        nodes[n] = random.choice(((atom, high, low), (atom, random.randrange(n + 2), high), (atom, low, 1 - low % 2)))
        diagrams[j] = replace(diagram, nodes=tuple(nodes))
    pieces[k] = replace(pieces[k], diagrams=tuple(diagrams))
    return replace(certificate, pieces=tuple(pieces))


def _database(draft: Draft, space: Space, system: System, view: View, random: Random) -> Origin | None:
    try:
        task = task_for(system, **question_options(draft))
        complete, perimeter = random.random() < 0.7, random.choice((None, None, None, 1))
        with without_children():
            pattern = drawn_pattern(random, draft)
            made = pattern_database(task, keep=pattern, complete=complete, perimeter=perimeter, time_limit=SECONDS)
    except (ModelError, LimitReached, ResourceLimit):
        return None
    with tempfile.TemporaryDirectory(prefix="symdmc-mutations-") as folder:
        write_database(Path(folder) / "made.pdb", made)
        text = (Path(folder) / "made.pdb").read_text(encoding="utf-8")
    return Origin(draft, space, system, view, text, lambda chance: _other_database(json.loads(text), chance))


def _other_database(document: Json, random: Random) -> str:
    """A database in which some codes are others, with all that follows from them."""
    children = _integers(document["children"]) or []
    leaves = [k for k, entry in enumerate(children) if entry < 0]
    codes = [*range(len(document["layers"]) + 1), 2**30, 2**30, 2**30 + 1]
    for k in random.sample(leaves, min(len(leaves), random.choice((1, 1, 2, 5)))):
        children[k] = -1 - random.choice(codes)
    if leaves and random.random() < 0.1:
        children = [-1 - 2**30 if entry < 0 else entry for entry in children]
    document["children"] = _array(children)
    document["h_initial"] = random.choice((0, None, document["h_initial"]))
    return _text({**document, "sha256": digest(document)})


def _array(numbers: list[int]) -> str:
    wrapped = np.array([(each + 2**63) % 2**64 - 2**63 for each in numbers], dtype="<i8")
    return base64.b64encode(wrapped.tobytes()).decode()


_MAKERS: dict[str, Callable[[Draft, Space, System, View, Random], Origin | None]] = {
    "traces": _trace,
    "certificates": _certificate,
    "databases": _database,
}


def _text(document: Json) -> str:
    return json.dumps(document, indent=1)


# ---- changes


def mutant(kind: str, origin: Origin, random: Random) -> bytes:
    """The file with something changed."""
    if random.random() < 0.1:
        return _flipped(origin.text.encode(), random)
    if origin.remade is not None and random.random() < 0.5:
        return origin.remade(random).encode("utf-8", "surrogatepass")
    document = json.loads(origin.text)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        document = _changed(document, random)
    if isinstance(document, dict) and random.random() < 0.5:
        if "fingerprint" in document:
            document["fingerprint"] = json.loads(origin.text)["fingerprint"]
        if kind == "databases":
            document = {**document, "sha256": digest(document)}
    return _text(document).encode("utf-8", "surrogatepass")


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed[: random.randrange(len(changed))]) if random.random() < 0.1 else bytes(changed)


def _places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _places(each, (*path, key))
    elif isinstance(value, list):
        for k, each in enumerate(value):
            yield from _places(each, (*path, k))


def _changed(document: Json, random: Random) -> Json:
    """A document with one thing changed, a deep one as likely as a shallow one."""
    paths = list(_places(document))
    top = random.choice(sorted({str(path[0]) for path in paths if path}) or [""])
    path = random.choice([each for each in paths if each and str(each[0]) == top] or [()])
    holder: Json = document
    if not path:
        return random.choice(([], {}, None, 3))
    for key in path[:-1]:
        holder = holder[key]
    key, value = path[-1], holder[path[-1]]
    form = random.randrange(10)
    if form < 6:
        holder[key] = _other_value(value, random)
    elif form == 6:
        del holder[key]
    elif form == 7 and isinstance(holder, list):
        holder.insert(random.randrange(len(holder) + 1), value)
    elif form == 7:
        holder[f"{key}{random.choice('0 a')}"] = value
    elif form == 8:
        other: Json = document
        for step in random.choice(paths):
            other = other[step]
        holder[key] = json.loads(json.dumps(other))
    elif isinstance(holder, list):
        random.shuffle(holder)
    else:
        name = random.choice(list(holder))
        holder[key], holder[name] = holder[name], holder[key]
    return document


def _other_value(value: Json, random: Random) -> Json:
    match value:
        case bool():
            return not value
        case int() | float():
            return random.choice(
                (value + 1, value - 1, -value, value + random.choice((2, 256)), random.choice(NUMBERS))
            )
        case str():
            return _other_text(value, random)
        case list() if value:
            shorter = value[: random.randrange(len(value))]
            return random.choice((shorter, value * 2, value[::-1], [*value, value[-1]]))
        case _:
            return random.choice((None, 0, "", [], {}, [[]], True))


def _other_text(text: str, random: Random) -> str:
    numbers = _integers(text)
    if numbers is not None and random.random() < 0.9:
        k = random.randrange(len(numbers))
        form = random.randrange(5)
        if form == 0:
            numbers[k] ^= 1 << random.randrange(63)
        elif form == 1:
            other = random.randrange(len(numbers))
            numbers[k], numbers[other] = numbers[other], numbers[k]
        elif form == 2:
            numbers = numbers[:k]
        elif form == 3:
            numbers = [*numbers, numbers[k]]
        else:
            numbers[k] = random.choice((numbers[k] + 1, numbers[k] - 1, -1, -2, -3, -(2**30) - 1, -(2**30) - 2, 0, 1))
        return _array(numbers)
    if not text or random.random() < 0.2:
        return random.choice(TEXTS)
    k = random.randrange(len(text))
    return text[:k] + random.choice(("", text[k] * 2, random.choice("0123456789abPxl.=<>!- ()"))) + text[k + 1 :]


def _integers(text: str) -> list[int] | None:
    """The integers of an array in base64; None where the text is none."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return np.frombuffer(data, dtype="<i8").tolist() if data and len(data) % 8 == 0 else None


# ---- judging


def judged(kind: str, origin: Origin, data: bytes, file: Path) -> str:
    """How a mutant was answered: `refused: ...` or `right`; raises Wrong where that is wrong, or where it failed."""
    file.write_bytes(data)
    try:
        with _in_time() if kind == "traces" else without_children():
            return _JUDGES[kind](origin, file)
    except ModelError:
        return "refused: damaged"
    except EvidenceRefused:
        return "refused: not true"
    except (LimitReached, ResourceLimit, _TooLong):
        return "open: it takes too long"
    except Wrong:
        raise
    except SymdmcError as failure:
        raise Wrong(type(failure).__name__, str(failure)[:300]) from failure
    except Exception as failure:
        raise Wrong(f"crash: {type(failure).__name__}", str(failure)[:300]) from failure


class _TooLong(Exception):
    """The time for one mutant is over."""


@contextmanager
def _in_time() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)  # again and again: a first one may be lost in a destructor
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _judge_trace(origin: Origin, file: Path) -> str:
    trace = read_trace(file, origin.system)
    error = None if trace.error is None else honestly_named(trace.error, origin.system)
    replay(origin.system, trace, error)
    why = objection(origin.view, trace, is_error=False)
    if why is not None:
        raise Wrong("a wrong trace is accepted", why)
    if error is not None:
        if not _is_error(origin, error, origin.view.state(trace.final)):
            raise Wrong("a trace is accepted that does not end in an error state")
        require_meant(origin, error)
    return "right"


def _judge_certificate(origin: Origin, file: Path) -> str:
    certificate = read_certificate(file, origin.system)
    run = Run(Limits(seconds=SECONDS))
    done = certified_within(origin.system, certificate, run, doing="judging")
    require_meant(origin, done.error)
    why = _gap(origin, certificate)
    if why is not None:
        raise Wrong("a wrong certificate is accepted", why)
    if any(_is_error(origin, done.error, state) for state in origin.space.moves):
        raise Wrong("a certificate is accepted though an error state is reachable")
    return "right"


def require_meant(origin: Origin, error: ErrorCondition) -> None:
    """Raise Wrong where a condition that was accepted has a name that a user would take for another one."""
    system = origin.system
    named = system.property_named.get(error.name)
    if named is not None and str(named.error) != str(error.expression):
        raise Wrong("a condition has the name of another property", error.name)


def _is_error(origin: Origin, error: ErrorCondition, state: State) -> bool:
    machine = origin.view.machine
    moves = origin.space.moves[state] if state in origin.space.moves else machine.moves(state)
    stuck = error.deadlock and all(move.after is None for move in moves)
    if stuck and machine.holds(machine.value(expression_of(error.deadlock_where)), state):
        return True
    if error.fault and any(move.after is None for move in moves):
        return True
    return machine.holds(machine.value(expression_of(error.expression)), state)


def _gap(origin: Origin, certificate: Certificate) -> str | None:
    """Why the set of a certificate is none that proves something; of the reachable states all are looked at."""
    contains = membership(origin.view, certificate)
    if not all(map(contains, origin.space.initial)):
        return "an initial state is missing"
    for state, moves in origin.space.moves.items():
        if contains(state) and any(move.after is not None and not contains(move.after) for move in moves):
            return "a step leads out of it"
    return None


def _judge_database(origin: Origin, file: Path) -> str:
    task, random = task_for(origin.system, **question_options(origin.draft)), Random(file.read_bytes())
    database = read_database(file, task)
    contents_of(database)
    estimate_of_state(task, database, None)
    ways: list[dict[str, Any]] = [{}, {"search": "greedy"}, {"search": "wastar:2"}, {"engine": "symbolic"}]
    options = ways[random.randrange(len(ways))]
    _judge_search(origin, task, options, file)
    compare_databases(task, database, database, states=50)
    return "right"


def _judge_search(origin: Origin, task: Task, options: dict[str, Any], file: Path) -> None:
    request = check_request(heuristic="pdb", database=file, **options)
    found = check_task(task, request, Run(Limits(seconds=SECONDS)))
    shortest = origin.space.shortest
    if found.verdict is Verdict.SAFE and shortest is not None:
        raise Wrong("a false safe", f"an error state is {shortest} steps away")
    if found.verdict is Verdict.ERROR:
        assert found.trace is not None
        if shortest is None or objection(origin.view, found.trace, is_error=True) is not None:
            raise Wrong("a wrong trace")
        if found.shortest and found.trace.length != shortest:
            raise Wrong("a trace is called a shortest one", f"{found.trace.length} instead of {shortest}")
    if found.lower_bound is not None and shortest is not None and found.lower_bound > shortest:
        raise Wrong("a wrong lower bound", f"{found.lower_bound} instead of {shortest}")


_JUDGES: dict[str, Callable[[Origin, Path], str]] = {
    "traces": _judge_trace,
    "certificates": _judge_certificate,
    "databases": _judge_database,
}


# ---- the command


@dataclass
class Tally:
    """What came of the mutants; an interrupt ends it early."""

    answers: Counter[str]
    failures: list[tuple[int, Wrong, bytes]]
    interrupted: bool = False


def campaign(kind: str, seed: int, count: int, first: int = 0, told: Callable[[int], None] = lambda _: None) -> Tally:
    """Try `count` mutants, beginning with number `first`. What each is follows from the seed and its number alone."""
    tally = Tally(Counter(), [])
    begun: int | None = None
    with tempfile.TemporaryDirectory(prefix="symdmc-mutations-") as folder:
        for number in range(first, first + count):
            if tally.interrupted:
                break
            start, data = number - number % PER_SYSTEM, b""
            try:
                if begun != start:
                    begun, made = start, origin(kind, seed, start)
                data = mutant(kind, made, Random(f"{seed}/{kind}/{number}/mutant"))
                tally.answers[judged(kind, made, data, Path(folder) / "mutant.json")] += 1
            except KeyboardInterrupt:
                tally.interrupted = True
            except Wrong as wrong:
                tally.answers[f"failed: {wrong.what}"] += 1
                tally.failures.append((number, wrong, data))
            told(number)
    return tally


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign; 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m campaigns.mutations", description=__doc__)
    parser.add_argument("--kind", choices=sorted(_MAKERS), action="append", help="what is changed (all three)")
    parser.add_argument("--count", type=int, default=1_000, help="how many mutants of each kind (1000)")
    parser.add_argument("--seed", type=int, default=1, help="the n-th mutant of a seed is always the same (1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one (0)")
    parser.add_argument("--keep", type=Path, default=Path("mutation-failures"), help="folder for failures")
    asked = parser.parse_args(arguments)
    failed = False
    for kind in asked.kind or sorted(_MAKERS):
        began = time.monotonic()
        tally = campaign(kind, asked.seed, asked.count, asked.first)
        print(f"{kind}, seed {asked.seed}: {tally.answers.total():,} mutants in {time.monotonic() - began:.0f} s")
        for answer, times in sorted(tally.answers.items()):
            print(f"  {times:7,}  {answer}")
        for number, wrong, data in tally.failures:
            failed = True
            asked.keep.mkdir(exist_ok=True)
            (asked.keep / f"{kind}-{asked.seed}-{number}.json").write_bytes(data)
            again = f"python -m campaigns.mutations --kind {kind} --seed {asked.seed} --first {number} --count 1"
            print(f"  failed: {wrong}\n    {again}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
