"""Drafts in every form that symdmc reads, by the campaign's own writers: DVE text, JSON, calls of the Builder."""

from __future__ import annotations

import re
from typing import Any

from campaigns.fuzz.drafts import (
    BROADCAST,
    BUFFERED,
    BYTE,
    LOCKSTEP,
    ONE,
    Channel,
    Draft,
    Edge,
    Expression,
    Kind,
    Process,
    Sync,
    Variable,
)
from symdmc.model.builder import Builder
from symdmc.model.system import Commitment, Range, Rules, System, UpdateOrder

_TIGHT = ["imply", "or", "and", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %"]
_LEVEL = {word: level for level, words in enumerate(_TIGHT, 1) for word in words.split()}
_UNARY = len(_TIGHT) + 1
_SYMBOLS = {"and": "&&", "or": "||"}


class Words:
    """How the names of a draft are written: in DVE, inside of a process, in JSON."""

    def __init__(self, draft: Draft, *, dve: bool, inside: str | None = None) -> None:
        self.dve, self.inside = dve, inside
        self.constants = {
            each.name: each.initial[0][0] for each in draft.variables if each.constant and each.size is None
        }
        own = {each.name.rpartition("->")[2] for each in draft.variables if each.name.startswith(f"{inside}->")}
        self.hidden = own
        self.places = {process.name: {place.name for place in process.places} for process in draft.processes}

    def name(self, name: str) -> str:
        """A variable."""
        owner, _, plain = name.rpartition("->")
        if not self.dve or not owner:
            return name
        if owner == self.inside and plain in self.hidden:
            return plain
        if owner in self.places and plain not in self.places[owner] and len(plain) % 2:
            return f"{owner}.{plain}"
        return name

    def text(self, expression: Expression, level: int = 0) -> str:
        """An expression, in parentheses where it binds less tightly than `level`."""
        match expression:
            case ("n", value):
                own, text = (_UNARY + 1 if value >= 0 else _UNARY), str(value)
            case ("v", name) if not self.dve and name in self.constants:
                return self.text(("n", self.constants[name]), level)
            case ("v", name):
                own, text = _UNARY + 1, self.name(name)
            case ("c", name, index):
                own, text = _UNARY + 1, f"{self.name(name)}[{self.text(index)}]"
            case ("@", process, place):
                own, text = _UNARY + 1, f"{process}.{place}"
            case ("u", operator, operand):
                inner = self.text(operand, _UNARY)
                if inner[0].isdigit():
                    inner = f"({inner})"
                word = "!" if operator == "not" and self.dve and len(inner) % 2 else operator
                own, text = _UNARY, f"{word}{' ' if word == 'not' or inner.startswith('-') else ''}{inner}"
            case ("b", operator, left, right):
                own = _LEVEL[operator]
                word = _SYMBOLS.get(operator, operator) if self.dve else operator
                text = f"{self.text(left, own)} {word} {self.text(right, own + 1)}"
            case ("?", condition, then, other):
                own, text = 0, f"{self.text(condition, 1)} ? {self.text(then)} : {self.text(other)}"
            case _:
                raise ValueError(f"{expression!r} is no expression")
        return f"({text})" if own < level else text

    def updates(self, edge: Edge) -> list[str]:
        """The assignments of an edge."""
        return [f"{self.text(target)} = {self.text(value)}" for target, value in edge.updates]

    def sync(self, sync: Sync) -> str:
        """What an edge does on a channel."""
        passed = [self.text(each) for each in (*sync.values, *sync.targets)]
        listed = f"{{{', '.join(passed)}}}" if len(passed) > 1 else "".join(passed)
        return f"{sync.channel}{sync.direction}{listed}"


# ---- DVE


def dve_text(draft: Draft) -> str:
    """The draft in the DVE language; only for drafts that keep to it. Some constants and processes use extensions."""
    lines = [_dve_variable(each) for each in draft.variables if "->" not in each.name]
    lines += [_dve_channel(each) for each in draft.channels]
    lines += [line for process in draft.processes for line in _dve_process(draft, process)]
    return "\n".join((*lines, "system async;", ""))


def _dve_variable(variable: Variable) -> str:
    kind, name = "byte" if variable.kind == BYTE else "int", variable.name.rpartition("->")[2]
    values = [str(cell[0]) for cell in variable.initial]
    while len(values) > 1 and values[-1] == "0":
        values.pop()
    const = "const " if variable.constant else ""
    if variable.size is None and variable.constant and int(values[0]) % 2:
        return f"enum {{ {name} = {values[0]} }};"
    if variable.size is None:
        return f"{const}{kind} {name} = {values[0]};"
    return f"{const}{kind} {name}[{variable.size}] = {{{', '.join(values)}}};"


def _dve_channel(channel: Channel) -> str:
    kinds = f" {{{', '.join('byte' if kind == BYTE else 'int' for kind in channel.kinds)}}}"
    size = f"[{channel.capacity}]" if channel.how == BUFFERED else ""
    return f"channel{kinds if channel.typed and channel.kinds else ''} {channel.name}{size};"


def _dve_process(draft: Draft, process: Process) -> list[str]:
    words = Words(draft, dve=True, inside=process.name)
    own = [each for each in draft.variables if each.name.startswith(f"{process.name}->")]
    lines = [f"process {process.name} {{", *(f"  {_dve_variable(each)}" for each in own)]
    lines.append(f"  state {', '.join(place.name for place in process.places)};")
    lines.append(f"  init {process.initial[0]};")
    committed = [place.name for place in process.places if place.committed]
    if committed:
        lines.append(f"  commit {', '.join(committed)};")
    asserted = [f"{place.name}: {words.text(place.asserted)}" for place in process.places if place.asserted is not None]
    if asserted:
        lines.append(f"  assert {', '.join(asserted)};")
    edges: list[str] = []
    source = ""
    for edge in process.edges:
        left_out = edge.source == source and len(edges) % 2 == 1  # the source of the edge before it is meant
        source = edge.source
        edges.append(f"{'' if left_out else source} -> {_dve_edge(words, edge)}".lstrip())
    if edges:
        lines.append("  trans\n    " + ",\n    ".join(edges) + ";")
    return [*lines, "}"] if len(edges) % 3 else _templated(draft, process.name, [*lines[1:], "}"])


def _templated(draft: Draft, process: str, body: list[str]) -> list[str]:
    """A process that is made from a template, to which all channels and all other processes are given."""
    text = "\n".join(body)
    parameters, arguments = [], []
    for kind, names in (("channel", draft.channels), ("process", draft.processes)):
        for name in (each.name for each in names if each.name != process):
            text = re.sub(rf"\b{name}(?=\.|->|[!?])", f"{name}_given", text)
            parameters.append(f"{kind} {name}_given")
            arguments.append(name)
    head = f"template Body{process}({', '.join(parameters)}) {{"
    return [head, *text.split("\n"), f"process {process} = Body{process}({', '.join(arguments)});"]


def _dve_edge(words: Words, edge: Edge) -> str:
    clauses = []
    if edge.guard != ONE:
        clauses.append(f"guard {', '.join(words.text(each) for each in _conjuncts(edge.guard))};")
    if edge.sync is not None:
        clauses.append(f"sync {words.sync(edge.sync)};")
    if edge.updates:
        clauses.append(f"effect {', '.join(words.updates(edge))};")
    return f"{edge.target} {{ {' '.join(clauses)} }}"


def _conjuncts(guard: Expression) -> list[Expression]:
    """The guard in parts that a DVE text has with commas between them, none of which the reader drops."""
    if guard[:2] == ("b", "and") and ONE not in guard[2:]:
        return [*_conjuncts(guard[2]), guard[3]]
    return [guard]


# ---- JSON


def json_model(draft: Draft) -> dict[str, Any]:
    """The draft in the JSON format of models; assertions are a property `assert`, as the DVE reader makes it."""
    words = Words(draft, dve=False)
    error = assertion_text(draft)
    return {
        "schema": "symdmc-model/1",
        "name": "drawn",
        "rules": {
            "commitment": "all" if draft.all_committed else "any",
            "updates": "sender first" if draft.sender_first else "receiver first",
        },
        "variables": [_json_variable(each) for each in draft.variables],
        "channels": [_json_channel(each) for each in draft.channels],
        "processes": [_json_process(words, each) for each in draft.processes],
        "properties": [] if error is None else [{"name": "assert", "error": error}],
    }


def assertion_text(draft: Draft) -> str | None:
    """The states in which an assertion does not hold; None where there is no assertion."""
    words = Words(draft, dve=False)
    parts: list[Expression] = [
        ("b", "and", ("@", process.name, place.name), ("u", "not", place.asserted))
        for process in draft.processes
        for place in process.places
        if place.asserted is not None
    ]
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = ("b", "or", whole, part)
    return words.text(whole)


def _json_kind(kind: Kind) -> dict[str, Any]:
    return {"low": kind[0], "high": kind[1], "wraps": kind[2]}


def _json_variable(variable: Variable) -> dict[str, Any]:
    written = {"name": variable.name, **_json_kind(variable.kind)}
    written["initial"] = [list(cell) if len(cell) > 1 else cell[0] for cell in variable.initial]
    if variable.size is not None:
        written["size"] = variable.size
    return written | ({"constant": True} if variable.constant else {})


def _json_channel(channel: Channel) -> dict[str, Any]:
    written: dict[str, Any] = {"name": channel.name, "kind": channel.how}
    if channel.how != LOCKSTEP:
        written["values"] = list(map(_json_kind, channel.kinds))
    return written | ({"capacity": channel.capacity} if channel.how == BUFFERED else {})


def _json_process(words: Words, process: Process) -> dict[str, Any]:
    return {
        "name": process.name,
        "initial": list(process.initial),
        "locations": [
            {"name": each.name, "committed": each.committed, "invariant": words.text(each.invariant)}
            for each in process.places
        ],
        "edges": [_json_edge(words, each) for each in process.edges],
    }


def _json_edge(words: Words, edge: Edge) -> dict[str, Any]:
    written: dict[str, Any] = {"source": edge.source, "target": edge.target, "guard": words.text(edge.guard)}
    if edge.sync is not None:
        written["sync"] = words.sync(edge.sync)
    return written | {"assignments": words.updates(edge), "cost": edge.cost}


# ---- the Builder


def built(draft: Draft) -> System:
    """The draft by calls of the Builder."""
    words = Words(draft, dve=False)
    commitment = Commitment.ALL if draft.all_committed else Commitment.ANY
    updates = UpdateOrder.SENDER_FIRST if draft.sender_first else UpdateOrder.RECEIVER_FIRST
    m = Builder("drawn", Rules(commitment, updates))
    for channel in draft.channels:
        _build_channel(m, channel)
    processes = {each.name: m.process(each.name, each.initial) for each in draft.processes}
    for variable in draft.variables:
        owner, _, name = variable.name.rpartition("->")
        declaring = processes[owner] if owner else m
        values = [cell if len(cell) > 1 else cell[0] for cell in variable.initial]
        if variable.constant:
            declaring.constant(
                name, [cell[0] for cell in variable.initial] if variable.size else variable.initial[0][0]
            )
        else:
            low, high, wraps = variable.kind
            declaring.integer(name, low, high, initial=values, size=variable.size, wraps=wraps)
    for each in draft.processes:
        process = processes[each.name]
        for place in each.places:
            process.location(place.name, committed=place.committed, invariant=words.text(place.invariant))
        for edge in each.edges:
            process.edge(
                edge.source,
                edge.target,
                guard=words.text(edge.guard),
                sync=None if edge.sync is None else words.sync(edge.sync),
                do=", ".join(words.updates(edge)) if edge.updates else (),
                cost=edge.cost,
            )
    error = assertion_text(draft)
    if error is not None:
        m.property("assert", error)
    return m.build()


def _build_channel(m: Builder, channel: Channel) -> None:
    kinds = [Range(*kind) for kind in channel.kinds]
    if channel.how == BUFFERED:
        m.buffered(channel.name, capacity=channel.capacity, values=kinds)
    elif channel.how == BROADCAST:
        m.broadcast(channel.name, values=kinds)
    elif channel.how == LOCKSTEP:
        m.lockstep(channel.name)
    else:
        m.channel(channel.name, values=kinds)


# ---- questions


def question_options(draft: Draft) -> dict[str, Any]:
    """The question as options of `check`."""
    asked, words = draft.question, Words(draft, dve=False)
    errors = [] if asked.error is None else [words.text(asked.error)]
    some_deadlocks = asked.deadlock and asked.deadlock_where != ONE
    if some_deadlocks:
        errors.append(f"deadlock and ({words.text(asked.deadlock_where)})")
    whole = {
        "assertions": asked.assertions,
        "deadlock": asked.deadlock and not some_deadlocks,
        "fault": asked.fault,
    }
    return ({"error": errors} if errors else {}) | {name: True for name, is_asked in whole.items() if is_asked}
