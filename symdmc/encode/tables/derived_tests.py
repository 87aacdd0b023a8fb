"""Probes, by which look-up tables find the values of derived variables: diagrams where a few tests do not suffice."""

from __future__ import annotations

from dataclasses import replace

from symdmc.encode.encoding import Encoding
from symdmc.encode.expressions import Translator
from symdmc.encode.tables.export import decision_table
from symdmc.errors import Code, Complaint, UnsupportedFeature
from symdmc.lookup.definitions import probe_of
from symdmc.lookup.tables import DecisionTable, Probe
from symdmc.task.definitions import Definition
from symdmc.task.task import Task

MOST_ENTRIES = 1 << 22
"""A definition whose diagram has more nodes than this, times the values of a variable, is refused."""


def probed(task: Task, table: DecisionTable) -> DecisionTable:
    """The table with a probe for each of its derived variables; UnsupportedFeature where one would be too large."""
    return replace(table, probes={number: _probe(task, each) for number, each in table.definitions.items()})


def _probe(task: Task, definition: Definition) -> Probe:
    found = probe_of(task, definition)
    return _diagram(task, definition) if found is None else found


def _diagram(task: Task, definition: Definition) -> DecisionTable:
    encoding = Encoding(task, sorted(task.layout.basis(definition)))
    values = Translator(encoding).defined(definition, {})
    widest = max(len(encoding.variables[number].values) for number in encoding.order)
    if widest * sum(encoding.diagrams.size(node) for node in values.values()) > MOST_ENTRIES:
        what = f"{definition.text!r} is too large a diagram to be looked up"
        raise UnsupportedFeature(
            Complaint(Code.TOO_LARGE_FOR_DIAGRAMS, what, "use smaller conditions, or bound its variables")
        )
    sets = [(value, encoding.diagrams.both(node, encoding.valid)) for value, node in values.items()]
    return decision_table(encoding, sets, 0)
