"""What is tried on a draft: each attack is drawn from the tables of symdmc, can be written to a file, and is judged."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from campaigns.fuzz.brute_force import Space
from campaigns.fuzz.drafts import Draft
from campaigns.fuzz.inline import without_children
from campaigns.fuzz.judging import View, Wrong, gap, is_judged_to_the_last, objection, require
from campaigns.fuzz.options import (
    COMPILED,
    MACHINE_CODE,
    TRACE,
    cheap_directed_options,
    command_words,
    drawn_budgets,
    drawn_options,
)
from campaigns.fuzz.texts import assertion_text, built, dve_text, json_model, question_options
from symdmc.checking.checks import check_task, explore_task, shorten, task_for
from symdmc.checking.databases import pattern_database
from symdmc.checking.preparing import prepared, selected
from symdmc.checking.request import check_request, explore_request
from symdmc.errors import EvidenceRefused, ModelError, ResourceLimit, SymdmcError
from symdmc.evidence.certificate import Certificate, Diagram, Piece, certificate_text, read_certificate
from symdmc.evidence.certify import certify
from symdmc.evidence.replay import replay
from symdmc.heuristics.estimates.own import heuristic
from symdmc.model.files.itf_format import itf_text, trace_from_itf
from symdmc.model.files.json_format import system_from_json, system_to_json
from symdmc.model.files.trace_format import read_trace, trace_from_json, trace_to_json, write_trace
from symdmc.model.fingerprint import fingerprint
from symdmc.model.named_state import NamedState
from symdmc.model.question import ask
from symdmc.model.state import State, Step
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.outcome import SearchResult, Verdict
from symdmc.patterndb.store import read_database, write_database
from symdmc.reader import dve_writing
from symdmc.reader.dve import read_dve
from symdmc.running.run import LimitReached, Limits, Run
from symdmc.task.task import Task

SECONDS = 20.0
"""Time for one attack; what takes longer counts as unanswered."""
FORMS = ("dve", "json", "builder")
COARSE: tuple[dict[str, int], ...] = ({}, *({"task.values.analysis.MOST_ROWS": most} for most in (0, 40)))
"""How coarse the analysis of values is while its result is looked at."""
CHILDREN = 0.1
"""The share of attacks that let symdmc start child processes; the others save the time for that."""
KINDS = {
    "forms": 1,
    "explore": 4,
    "check": 20,
    "estimates": 8,
    "database": 4,
    "evidence": 6,
    "shorten": 1,
    "own": 3,
    "command": 1,
}
"""What is tried, and how often in proportion."""


@dataclass(frozen=True)
class Attack:
    """One thing that is tried on a draft: everything but the draft."""

    kind: str
    form: str
    options: Mapping[str, Any] = field(default_factory=dict)  # Any: what `check` takes
    budgets: Mapping[str, int] = field(default_factory=dict)
    children: bool = True
    """Whether symdmc may start child processes for its work, as it usually does."""
    seed: int = 0
    """For what is drawn while it is carried out."""

    def to_json(self) -> dict[str, Any]:
        """The attack as JSON values."""
        return asdict(self)


def drawn_attacks(random: Random, draft: Draft, count: int) -> list[Attack]:
    """All forms, what is cheap in the compiled engine, and others at random."""
    forms = FORMS[:2] if draft.dve else FORMS[1:]
    found = [
        Attack("forms", forms[0], {}, random.choice(COARSE)),
        Attack("check", random.choice(forms), {"certify": True}, drawn_budgets(random, 100)),
        Attack("explore", random.choice(forms), {}, COMPILED | MACHINE_CODE),
        Attack("check", random.choice(forms), cheap_directed_options(random), drawn_budgets(random), children=False),
    ]
    kinds = [kind for kind in KINDS if kind != "forms"]
    for _ in range(count):
        kind = random.choices(kinds, [KINDS[each] for each in kinds])[0]
        options = drawn_options(random, draft, kind)
        form, budgets, children = random.choice(forms), drawn_budgets(random), random.random() < CHILDREN
        found.append(Attack(kind, form, options, budgets, children, random.randrange(10**6)))
    return found


@contextmanager
def with_budgets(budgets: Mapping[str, int]) -> Iterator[None]:
    """While this is open, the named constants of symdmc have other values."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for name, value in budgets.items():
            module, _, constant = name.rpartition(".")
            home = import_module(f"symdmc.{module}")
            before.append((home, constant, getattr(home, constant)))
            setattr(home, constant, value)
        yield
    finally:
        for home, constant, value in reversed(before):
            setattr(home, constant, value)


def carried_out(draft: Draft, space: Space, attack: Attack) -> str:
    """What came of an attack, in a word; raises Wrong where symdmc was wrong or failed."""
    with with_budgets(attack.budgets), nullcontext() if attack.children else without_children():
        try:
            with tempfile.TemporaryDirectory(prefix="symdmc-fuzz-") as folder:
                return _ATTACKS[attack.kind](_Case(draft, space, attack, Path(folder)))
        except Wrong:
            raise
        except ModelError as refusal:
            return f"refused: {refusal.complaints[0].what if refusal.complaints else refusal}"
        except (ResourceLimit, LimitReached) as limit:
            return f"unanswered: {limit}"
        except SymdmcError as failure:
            raise Wrong(f"{type(failure).__name__}", str(failure)) from failure
        except Exception as failure:
            raise Wrong(f"crash: {type(failure).__name__}", str(failure)) from failure


def system_of(draft: Draft, form: str) -> System:
    """The draft, written in a form and read by symdmc."""
    try:
        if form == "dve":
            return read_dve(dve_text(draft), name="drawn", file="drawn.dve")
        if form == "json":
            return system_from_json(json.loads(json.dumps(json_model(draft))))
        return built(draft)
    except ModelError as refusal:
        raise Wrong("a right model is refused", str(refusal)) from refusal


class _Case:
    """One attack on one draft, with what most attacks need."""

    def __init__(self, draft: Draft, space: Space, attack: Attack, folder: Path) -> None:
        self.draft, self.space, self.attack = draft, space, attack
        self.system = system_of(draft, attack.form)
        self.view = View(space.machine, self.system)
        self.random = Random(attack.seed)
        self.run = Run(Limits(seconds=SECONDS))
        self.folder = folder

    def task(self) -> Task:
        return task_for(self.system, **question_options(self.draft))

    def options(self) -> dict[str, Any]:
        """The options; a heuristic that reads a trace gets one, of a path at random."""
        options = dict(self.attack.options)
        file = self.folder / "trace.json"
        if any(TRACE in text for text in options.get("heuristic", ())):
            write_trace(file, self._path(1), self.system)
            options["heuristic"] = [text.replace(TRACE, str(file)) for text in options["heuristic"]]
        return options

    # ---- models

    def forms(self) -> str:
        """All forms say the same, and come back the same; values found by analysis include all that occur."""
        first = self.system
        for form in FORMS[:2] if self.draft.dve else FORMS[1:]:
            other = system_of(self.draft, form)
            require(_plain(other) == _plain(first), "forms differ", form)
            again = system_from_json(json.loads(json.dumps(system_to_json(other))))
            require(again == other, "a model is not the same after writing and reading it", form)
            require(fingerprint(again) == fingerprint(other), "fingerprints differ", form)
            if self.draft.dve:
                plain = read_dve(dve_writing.dve_text(other), name=other.name, file="plain.dve")
                require(plain == other, "a model is not the same after writing it in DVE", form)
        if assertion_text(self.draft) is not None:
            require("assert" in first.property_named, "assertions are lost")
        task = self.task()
        analysis = task.analysis
        for state in self.space.moves:
            values = task.values(self.view.shown(state))
            for value, domain, variable in zip(values, analysis.domains, task.variables, strict=True):
                require(value in domain, "value analysis lacks a value", f"{variable.name} = {value}")
        require(not (analysis.faultless and self.space.faulting), "value analysis says there are no faults")
        return "same"

    def explore(self) -> str:
        """Counts of states, steps, depth, deadlocks and faults."""
        request = explore_request(**self.options())
        found = explore_task(self.task(), request, self.run)
        if found.stop is not None:
            return f"unanswered: {found.stop.value}"
        space = self.space
        counts = [
            ("states", found.states, len(space.moves)),
            ("transitions", found.transitions, space.transitions),
            ("depth", found.depth, space.depth),
            ("deadlocks", found.deadlocks, space.deadlocks),
            ("faults", None if found.faults is None else found.faults.states, space.faulting),
        ]
        for what, counted, true in counts:
            known = counted is not None or (request.engine == "symbolic" and what != "states")
            require(known and counted in (true, None), f"wrong number of {what}", f"{counted} instead of {true}")
        if found.first_deadlock is not None:
            self.require_trace(found.first_deadlock, is_error=False)
        return "counted"

    # ---- checks

    def check(self) -> str:
        request = check_request(**self.options())
        task = self.task()
        result = check_task(task, request, self.run)
        promised = request.search.IS_OPTIMAL and not request.heuristics
        return self.judged(task, result, promised=promised)

    def own(self) -> str:
        """A heuristic of a user's own, of which what it declares about admissibility is true."""
        options, space = self.options(), self.space
        is_wild, admissible, consistent = (options.pop(name) for name in ("wild", "admissible", "consistent"))
        table: dict[State, int | None] = {}
        for state in space.moves:
            true = space.distances.get(state)
            guess = None if self.random.random() < 0.2 else self.random.randrange(9)
            table[self.view.shown(state)] = guess if is_wild or true is None else self.random.randint(0, true)

        @heuristic(name="own", admissible=admissible, consistent=consistent)
        def own(state: NamedState) -> int | None:
            return table[State(state.locations, state.values)]

        request = check_request(heuristic=own, **options)
        promised = request.search.IS_OPTIMAL and admissible and not consistent
        return self.judged(self.task(), check_task(self.task(), request, self.run), promised=promised)

    def judged(self, task: Task, result: SearchResult, *, promised: bool = False) -> str:
        """Hold a result to brute force; `promised` says that a trace must be called shortest."""
        shortest = self.space.shortest
        if result.verdict is Verdict.UNKNOWN:
            bound = result.lower_bound or 0
            require(shortest is None or bound <= shortest, "a wrong lower bound", f"{bound} instead of {shortest}")
            return f"unanswered: {result.stop.value if result.stop is not None else result.search}"
        true = Verdict.SAFE if shortest is None else Verdict.ERROR
        require(result.verdict is true, f"wrong verdict {result.verdict.value}", f"length {shortest}; {result.reason}")
        if shortest is None:
            return self.judged_safe(task, result)
        assert result.trace is not None
        self.require_trace(result.trace, is_error=True)
        length = result.trace.length
        require(length >= shortest, "a trace shorter than the shortest", f"{length} instead of {shortest}")
        require(not result.shortest or length == shortest, "a trace is not shortest", f"{length} instead of {shortest}")
        require(result.shortest or not promised, "a shortest trace is not called so")
        bound = result.lower_bound or 0
        require(bound <= shortest, "a wrong lower bound", f"{bound} instead of {shortest}")
        return "error"

    def judged_safe(self, task: Task, result: SearchResult) -> str:
        if result.search in ("bfs", "dfs", "rdfs") and result.engine == "explicit" and result.heuristic is None:
            states = len(self.space.moves)
            require(result.stored == states, "wrong number of states", f"{result.stored} instead of {states}")
        asked = self.attack.options.get("certify", False)
        if result.certificate is None:
            require(not asked or "engine" in self.attack.options, "a certificate is missing")
            return "safe"
        why = gap(self.view, self.space, result.certificate)
        require(why is None, "a certificate is wrong", why or "")
        file = self.folder / "certificate.json"
        file.write_text(certificate_text(result.certificate, self.system), encoding="utf-8")
        self.require_certified(file)
        return "safe, certified"

    def require_certified(self, file: Path) -> None:
        error = ask(self.system, **question_options(self.draft))
        try:
            certify(self.system, read_certificate(file, self.system), error=error)
        except EvidenceRefused as refusal:
            raise Wrong("a certificate is refused", str(refusal)) from refusal

    def shorten(self) -> str:
        """A shortest trace from one that need not be."""
        task, trace = self.task(), self._path(1)
        if self.view.state(trace.final) not in self.space.errors:
            return "no trace to shorten"
        return self.judged(task, shorten(task, trace, run=self.run), promised=True)

    def command(self) -> str:
        """The command line, in a process of its own, with its options in any order; what it says and what it writes."""
        model, trace, certificate = (self.folder / name for name in ("drawn.dve", "trace.json", "certificate.json"))
        if self.attack.form == "dve":
            model.write_text(dve_text(self.draft), encoding="utf-8")
        else:
            model = model.with_suffix(".json")
            model.write_text(json.dumps(json_model(self.draft)), encoding="utf-8")
        options = self.options() | question_options(self.draft)
        if options.pop("certify", False):
            options["certificate"] = certificate
        words = [str(model), "--json", f"--trace={trace}", f"--time-limit={SECONDS:.0f}", *command_words(options)]
        self.random.shuffle(words)
        done = subprocess.run(
            [sys.executable, "-m", "symdmc", "check", *words], capture_output=True, text=True, timeout=5 * SECONDS
        )
        shortest = self.space.shortest
        if done.returncode in (2, 30):
            return f"refused: {done.stderr[:100]}"
        if done.returncode in (20, 21, 22):
            return "unanswered: command"
        said = f"{shlex.join(words)}: exit code {done.returncode}: {done.stderr[:300]}"
        require(done.returncode == (0 if shortest is None else 10), "a wrong exit code", said)
        document = json.loads(done.stdout)
        require(
            document["verdict"] == ("safe" if shortest is None else "error"), "a wrong verdict of the command", said
        )
        if shortest is not None:
            require(not document["shortest"] or document["length"] == shortest, "a trace is not shortest", said)
            self.require_trace(read_trace(trace, self.system), is_error=True)
            return "error"
        if certificate.exists():
            self.require_certified(certificate)
        return "safe"

    def require_trace(self, trace: Trace, *, is_error: bool) -> None:
        why = objection(self.view, trace, is_error=is_error)
        require(why is None, "a wrong trace", why or "")
        again = trace_from_json(json.loads(json.dumps(trace_to_json(trace, self.system))), self.system)
        require(again == trace, "a trace is read differently")
        other = trace_from_itf(json.loads(itf_text(trace, self.system)), self.system, trace.error)
        require(list(other.states) == list(trace.states), "a trace is read differently from ITF")
        why = objection(self.view, other, is_error=is_error)
        require(why is None, "a wrong trace from ITF", why or "")

    # ---- estimates

    def estimates(self) -> str:
        """What a heuristic promises, in every reachable state."""
        task, options = self.task(), self.options()
        request = check_request(**options)
        made = prepared(request, task, self.run, selected(request, task, self.run)).made.heuristic
        distances, estimate = self.space.distances, {}
        for state in self.space.moves:
            estimate[state] = made.estimate(task.values(self.view.shown(state)))
        for state, moves in self.space.moves.items():
            h, true = estimate[state], distances.get(state)
            if h is None:
                require(true is None, "a wrong dead end", f"distance {true}")
                continue
            admissible = not made.admissible or true is None or h <= true
            require(admissible, "an estimate is not admissible", f"{h} instead of {true}")
            for move in moves:
                after = None if move.after is None else estimate[move.after]
                consistent = not made.consistent or after is None or h <= move.cost + after
                require(consistent, "an estimate is not consistent", f"{h} > {move.cost} + {after}")
        if made.groups is not None and made.floor == 0:
            self.require_equal_tables(task, made, list(estimate.values()))
        return "admissible" if made.admissible else "not admissible"

    def require_equal_tables(self, task: Task, made: Any, estimates: list[int | None]) -> None:  # Any: a heuristic
        import numpy as np

        from symdmc.lookup.tables import DEAD_END, codes_of
        from symdmc.packed.packing import pack_domains

        packing = pack_domains(task.analysis.domains)
        packed = [packing.pack(task.values(self.view.shown(state))) for state in self.space.moves]
        rows = np.array(packed, dtype=np.int64).reshape(-1, packing.words)
        expected = [DEAD_END if each is None else each for each in estimates]
        require(codes_of(made.groups, rows, packing).tolist() == expected, "tables differ from estimates")

    def database(self) -> str:
        """A database that is built, written, read, asked and searched with."""
        task, options = self.task(), self.options()
        pattern = options.pop("pattern")
        database = pattern_database(task, keep=pattern, time_limit=SECONDS, **options)
        file = self.folder / "drawn.pdb"
        write_database(file, database)
        text = file.read_bytes()
        write_database(file, read_database(file, task))
        require(file.read_bytes() == text, "a database is not the same after reading and writing it")
        request = check_request(heuristic="pdb", database=file, certify=True)
        return self.judged(task, check_task(task, request, self.run))

    # ---- evidence

    def evidence(self) -> str:
        """Traces and certificates that are changed at random, and forged ones, given to those who judge them."""
        return self.traces() if self.random.random() < 0.5 and self.space.transitions else self.certificates()

    def traces(self) -> str:
        """Paths at random, changed at random: replaying says what brute force says."""
        error = ask(self.system, **question_options(self.draft))
        accepted = 0
        for number in range(20):
            trace = self._path(number)
            if number % 4:
                trace = self._changed(trace)
            try:
                replay(self.system, trace, error if number % 2 else None)
                found = None
            except EvidenceRefused as refusal:
                found = str(refusal)
            why = objection(self.view, trace, is_error=number % 2 == 1)
            require(why is None or found is not None, "a wrong trace is accepted", why or "")
            require(why is not None or found is None, "a right trace is refused", found or "")
            accepted += found is None
        return "traces judged"

    def _path(self, number: int) -> Trace:
        """A path at random; or, for odd numbers where there is one, to an error state."""
        space, random = self.space, self.random
        state = random.choice([state for state in space.initial if state in space.moves])
        initial, steps = state, []
        for _ in range(random.randint(0, 12)):
            moves = [move for move in space.moves[state] if move.after is not None]
            nearer = [
                move
                for move in moves
                if move.after is not None
                and space.distances.get(move.after, 1 << 30) + move.cost == space.distances.get(state, -1)
            ]
            if not moves or (number % 2 and state in space.errors):
                break
            move = random.choice(nearer if number % 2 and nearer else moves)
            assert move.after is not None
            steps.append(Step(move.team, move.cost, self.view.shown(move.after)))
            state = move.after
        return Trace(
            fingerprint=fingerprint(self.system),
            property="drawn",
            initial=self.view.shown(initial),
            steps=tuple(steps),
        )

    def _changed(self, trace: Trace) -> Trace:
        random, steps = self.random, list(trace.steps)
        if not steps or random.random() < 0.1:
            return replace(trace, initial=self.view.shown(random.choice(list(self.space.moves))))
        k = random.randrange(len(steps))
        step = steps[k]
        form = random.randrange(6)
        if form == 0:
            del steps[k]
        elif form == 1:
            steps.insert(k, step)
        elif form == 2:
            steps[k] = replace(step, cost=1 - step.cost)
        elif form == 3:
            process, _ = step.edges[-1]
            number = random.randrange(len(self.draft.processes[process].edges))
            steps[k] = replace(step, edges=(*step.edges[:-1], (process, number)))
        elif form == 4:
            steps[k] = replace(step, successor=self.view.shown(random.choice(list(self.space.moves))))
        else:
            state = list(self.view.state(step.successor))
            low = len(self.draft.processes)
            if low < len(state):
                place = random.randrange(low, len(state))
                state[place] += random.choice((1, -1))
            steps[k] = replace(step, successor=self.view.shown(tuple(state)))
        return replace(trace, steps=tuple(steps))

    def certificates(self) -> str:
        """Sets of states that prove nothing, and some that do: the judge says what brute force says."""
        error = ask(self.system, **question_options(self.draft))
        space, random = self.space, self.random
        reached = sorted(space.moves)
        head = Certificate(fingerprint=fingerprint(self.system), system="drawn", property=error.name, error=error)
        found = [replace(head, states=tuple(map(self.view.shown, reached)))]
        found.append(replace(head, states=tuple(self.view.shown(each) for each in reached if each not in space.errors)))
        missing = [each for each in reached if each != random.choice(reached)]
        found.append(replace(head, states=tuple(map(self.view.shown, missing))))
        found.append(replace(head, pieces=(Piece(diagrams=(Diagram(atoms=(), nodes=(), root=1),)),)))
        if space.shortest is None:
            request = check_request(engine="symbolic", certify=True, direction=random.choice(("forward", "backward")))
            made = check_task(self.task(), request, self.run).certificate
            if made is not None:
                found += [self._damaged(made) for _ in range(6)]
        for each in found:
            self.require_judged(each)
        return "certificates judged"

    def _damaged(self, certificate: Certificate) -> Certificate:
        """A certificate with something changed in one of its diagrams."""
        random, pieces = self.random, list(certificate.pieces)
        if not pieces:
            return replace(certificate, states=certificate.states[1:])
        k = random.randrange(len(pieces))
        diagrams = list(pieces[k].diagrams)
        j = random.randrange(len(diagrams))
        diagram = diagrams[j]
        if not diagram.nodes or random.random() < 0.15:
            del diagrams[j]
        elif random.random() < 0.2:
            diagrams[j] = replace(diagram, root=random.randrange(len(diagram.nodes) + 2))
        else:
            nodes, n = list(diagram.nodes), random.randrange(len(diagram.nodes))
            atom, low, high = nodes[n]
            changed = random.choice(
                ((atom, high, low), (atom, random.randrange(n + 2), high), (atom, low, 1 - low % 2))
            )
            nodes[n] = changed
            diagrams[j] = replace(diagram, nodes=tuple(nodes))
        pieces[k] = Piece(diagrams=tuple(diagrams))
        return replace(certificate, pieces=tuple(pieces))

    def require_judged(self, certificate: Certificate) -> None:
        why = gap(self.view, self.space, certificate)
        try:
            certify(self.system, certificate, error=certificate.error)
        except EvidenceRefused as refusal:
            refused = why is None and is_judged_to_the_last(self.view)
            if refused:
                raise Wrong("a right certificate is refused", str(refusal)) from refusal
        else:
            require(why is None, "a wrong certificate is accepted", why or "")


def _plain(system: System) -> System:
    """A system without what the forms may say differently."""
    return replace(system, name="drawn", notes=(), properties=())


_ATTACKS = {
    "forms": _Case.forms,
    "explore": _Case.explore,
    "check": _Case.check,
    "estimates": _Case.estimates,
    "database": _Case.database,
    "evidence": _Case.evidence,
    "shorten": _Case.shorten,
    "own": _Case.own,
    "command": _Case.command,
}
