"""DVE models to systems: the language of docs/dve.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from symdmc.errors import Code, Complaint, ModelError, SourceSpan, UnsupportedFeature
from symdmc.model.expressions import Expr, disjunction
from symdmc.model.files.text_file import read_text_file
from symdmc.model.parsing.syntax import Origin, build_grammar, names, parse_with, tokens, trees
from symdmc.model.system import ASSERTION_PROPERTY, DVE_RULES, Process, Property, System
from symdmc.reader.dve_declarations import Declarations
from symdmc.reader.dve_plain import Lines, NotPlain, Runs, plain_runs
from symdmc.reader.dve_processes import ProcessReader
from symdmc.reader.dve_templates import ProcessText, Templates, values_passed
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from lark import Lark

    from symdmc.model.parsing.syntax import Syntax

A_MODEL = "a DVE model"
NOTE_ACCEPT = "Accepting locations are not used: symdmc looks for error states, not for accepting cycles."


def read_dve_file(path: Path) -> System:
    """The system of a DVE file, named after it; ModelError has one line for each fault."""
    return read_dve(read_text_file(path, A_MODEL), name=path.stem, file=str(path))


def read_dve(text: str, *, name: str, file: str) -> System:
    """The system of a DVE text; complaints name it `file`. ModelError has one line for each fault."""
    if not text.strip():
        raise ModelError(Complaint(Code.EMPTY_FILE, "is empty", f"give {A_MODEL}", file))
    origin, plain = Origin(file), plain_runs(text)
    if plain is not None:
        with suppress(ModelError, NotPlain):
            tree = parse_with(_grammar(), plain.text, origin)
            return _ModelReader(tree, origin, plain.runs, Lines(text, file)).system(name)
    return _ModelReader(parse_with(_grammar(), text, origin), origin, {}, Lines(text, file)).system(name)


@cache
def _grammar() -> Lark:
    return build_grammar(Path(__file__).with_name("dve.lark"), "start")


class _ModelReader:
    """Turns one syntax tree into a system; faults are collected, and reading goes on after each."""

    def __init__(self, tree: Syntax, origin: Origin, runs: Runs, lines: Lines) -> None:
        self.runs, self.lines = runs, lines
        *self.parts, self.kind = trees(tree)
        self.origin = origin
        self.complaints: list[Complaint] = []
        self.unsupported: list[Complaint] = []
        self.observer = next((str(token) for token in names(self.kind)), None)
        self.declared = Declarations(origin, self.complaints)
        self.texts: list[ProcessText] = []
        self.missing = False
        """Whether processes are missing because of faults."""
        self.faulty: set[str] = set()
        """The templates of which a process has a fault."""
        self.noted: set[str] = set()
        """The templates of which a process has a note."""

    def system(self, name: str) -> System:
        """The system, if nothing is wrong with the model."""
        self._declare()
        self._check_kind()
        if self.missing or self.faulty:  # of what is missing nothing can be said
            _raise_all(self.complaints, self.unsupported)
        scope = self.declared.scope()
        processes: list[Process] = []
        violations: list[tuple[Expr, SourceSpan]] = []
        for text in self._each():
            reader = ProcessReader(text, scope, self.declared, self.unsupported, self.runs, self.lines)
            processes.append(reader.process())
            violations += reader.violations()
        _raise_all(self.complaints, self.unsupported)
        return System(
            name=name,
            processes=tuple(processes),
            variables=tuple(self.declared.variables.values()),
            channels=tuple(self.declared.channels.values()),
            properties=tuple(_assertions(violations)),
            rules=DVE_RULES,
            notes=tuple(self._notes()),
        )

    def _each(self) -> Iterator[ProcessText]:
        """The processes; of those made from one template none after the first with a fault, and one has its notes."""
        for text in self.texts:
            if text.template in self.faulty:
                continue
            before, notes = len(self.complaints), self.declared.notes
            noted = len(notes)
            yield text
            if text.template in self.noted:
                del notes[noted:]
            elif text.template is not None and len(notes) > noted:
                self.noted.add(text.template)
            if text.template is not None and len(self.complaints) > before:
                self.complaints[before:] = map(text.about, self.complaints[before:])
                self.faulty.add(text.template)

    def _declare(self) -> None:
        self.templates = Templates(self.parts, self.kind, self.declared)
        running = [part for part in self.parts if part.data != "process" or names(part)[0] != self.observer]
        passed = values_passed(running, self.templates.templates)
        for part in self.parts:
            match part.data:
                case "variables":
                    self.declared.add_variables(part)
                case "channels":
                    self.declared.add_channels(part, passed)
                case "enumeration":
                    self.declared.add_enumeration(part)
                case _:
                    pass
        before = len(self.complaints)
        self.texts = [text for text in self.templates.processes(running) if text.name != self.observer]
        self.missing = len(self.complaints) > before or self.declared.miscounted
        for text in self._each():
            self._declare_process(text)

    def _declare_process(self, text: ProcessText) -> None:
        locations = [name for part in trees(text.tree) if part.data == "states" for name in names(part)]
        self.declared.add_process(text.token, locations)
        for token, constant in text.constants:
            self.declared.add_variable(token, constant)
        for part in trees(text.tree):
            if part.data == "variables":
                self.declared.add_variables(part, text.name)
            elif part.data == "enumeration":
                self.declared.add_enumeration(part, text.name)

    def _check_kind(self) -> None:
        """Check the `system` line, and that there is a process to run."""
        kind, *named = tokens(self.kind)
        if kind == "sync":
            what = "synchronous systems are not supported"
            self.unsupported.append(
                Complaint(Code.UNSUPPORTED_CONSTRUCT, what, "only 'system async' is", self.origin.of(kind))
            )
        known = self.templates.names | {str(names(part)[0]) for part in self.parts if part.data == "process"}
        if named and self.observer not in known:
            remedy = did_you_mean(named[0], known)
            what = f"the property {str(named[0])!r} is not a process of this model"
            self.declared.complain(Code.UNKNOWN_NAME, named[0], what, remedy)
        if not self.texts and not self.missing:
            self.declared.complain(Code.NO_PROCESS, kind, "the model has no process to run", "add at least one")

    def _notes(self) -> Iterator[str]:
        yield from self.declared.notes
        yield from self.templates.unused()
        unindexed = sorted(self.declared.unindexed, key=lambda found: _order(found[1]), reverse=True)
        named = {place: name for name, place in reversed(dict(unindexed).items())}
        for place, name in reversed(named.items()):
            yield f"{place}: array {name!r} stands without an index where a value is expected; its first cell is meant."
        if self.observer is not None:
            yield (
                f"Process {self.observer} observes runs for a temporal property and is left out: "
                "symdmc looks for error states."
            )
        if any(part.data == "accept" for text in self.texts for part in trees(text.tree)):
            yield NOTE_ACCEPT


def _assertions(violations: Sequence[tuple[Expr, SourceSpan]]) -> Iterator[Property]:
    """The property that some assertion does not hold, if there are assertions."""
    if violations:
        span = min((span for _, span in violations), key=_order)
        yield Property(name=ASSERTION_PROPERTY, error=disjunction(*(error for error, _ in violations)), span=span)


def _raise_all(complaints: Iterable[Complaint], unsupported: Iterable[Complaint]) -> None:
    """Raise all faults or, if there are none, all unsupported features, in the order of the text."""
    for error, found in ((ModelError, complaints), (UnsupportedFeature, unsupported)):
        if different := dict.fromkeys(found):
            raise error(sorted(different, key=lambda complaint: _order(complaint.where)))


def _order(where: SourceSpan | str | None) -> tuple[int, int]:
    return (where.line, where.column) if isinstance(where, SourceSpan) else (0, 0)
