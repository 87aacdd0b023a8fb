"""SARIF 2.1.0: results with their places, and the trace as a code flow through the text of the model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from symdmc import __version__
from symdmc.model.steps import Value
from symdmc.report.ci.finding import REFUSED, RULES, UNKNOWN, Finding, Move, Place, Remark, Way
from symdmc.report.complaints import PAGES
from symdmc.spelling.printable import printable_lines

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"


def sarif_text(findings: Sequence[Finding], steps: int | None) -> str:
    """A log with one run for each finding; code flows are never cut, whatever number of steps is asked for."""
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [_run(finding) for finding in findings]}
    return printable_lines(json.dumps(log, indent=2)) + "\n"


def _run(finding: Finding) -> dict[str, object]:
    rules = _rules(finding)
    return {
        "tool": {"driver": {"name": "symdmc", "version": __version__, "semanticVersion": __version__, "rules": rules}},
        "invocations": [_invocation(finding)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, remark, rules) for remark in finding.remarks],
        "properties": {"model": finding.model, "question": finding.property, "answer": finding.text},
    }


def _rules(finding: Finding) -> list[dict[str, object]]:
    """What results can be about: the rules of every check, and the kinds of the complaints in this one."""
    rules: list[dict[str, object]] = [
        {
            "id": rule,
            "shortDescription": {"text": sentence},
            "defaultConfiguration": {"level": level},
        }
        for rule, (level, sentence) in RULES.items()
    ]
    for code in dict.fromkeys(remark.code for remark in finding.remarks if remark.code is not None):
        page = PAGES[code]
        rules.append(
            {
                "id": code.value,
                "shortDescription": {"text": page.summary},
                "fullDescription": {"text": page.meaning},
                "help": {"text": page.remedy},
                "defaultConfiguration": {"level": "error"},
            }
        )
    return rules


def _invocation(finding: Finding) -> dict[str, object]:
    """Whether symdmc could answer; what kept it from that is told here too."""
    told = [
        {"level": RULES[remark.rule][0], "message": {"text": remark.text}}
        for remark in finding.remarks
        if remark.rule in ("undecided", "bad-input")
    ]
    kind = "toolConfigurationNotifications" if finding.outcome == REFUSED else "toolExecutionNotifications"
    return {
        "executionSuccessful": finding.outcome not in (REFUSED, UNKNOWN),
        "exitCode": finding.exit_code,
        "exitCodeDescription": finding.text,
        **({kind: told} if told else {}),
    }


def _result(finding: Finding, remark: Remark, rules: Sequence[Mapping[str, object]]) -> dict[str, object]:
    rule = remark.rule if remark.code is None else remark.code.value
    result: dict[str, object] = {
        "ruleId": rule,
        "ruleIndex": [each["id"] for each in rules].index(rule),
        "level": RULES[remark.rule][0],
        "message": {"text": remark.text},
        "locations": [] if remark.place is None else [{"physicalLocation": _physical(remark.place)}],
    }
    if finding.fingerprint:
        result["partialFingerprints"] = {"symdmc/v1": f"{finding.fingerprint}: {finding.property}"}
    if remark.way is not None and remark.way.moves:
        result["codeFlows"] = [{"threadFlows": [_flow(remark.way)]}]
    return result


def _flow(way: Way) -> dict[str, object]:
    """The whole trace as one flow: the edges of one step have the same place in the order of execution."""
    return {
        "id": "trace",
        "initialState": _state(way.start.items()),
        "locations": [place for number, move in enumerate(way.moves, start=1) for place in _visited(number, move)],
    }


def _visited(number: int, move: Move) -> Iterator[dict[str, object]]:
    """A location for each edge of a step; the last one has what the step changes."""
    for mover in move.movers:
        location: dict[str, object] = {
            "logicalLocations": [{"name": mover.process, "fullyQualifiedName": mover.process, "kind": "process"}],
            "message": {"text": f"{number}. {move.label}"},
        }
        if mover.place is not None:
            location["physicalLocation"] = _physical(mover.place)
        visited: dict[str, object] = {"location": location, "executionOrder": number}
        if mover == move.movers[-1] and move.changed:
            visited["state"] = _state((name, now) for name, _, now in move.changed)
        yield visited


def _state(values: Iterable[tuple[str, Value]]) -> Mapping[str, object]:
    return {name: {"text": str(value)} for name, value in values}


def _physical(place: Place) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line is not None:
        column = {} if place.column is None else {"startColumn": place.column}
        physical["region"] = {"startLine": place.line, **column}
    return physical


def _uri(file: str) -> str:
    """A relative path as it is, an absolute one as a `file:` address, as is one with `..`, which SARIF warns of."""
    if os.pardir in Path(file).parts:
        file = os.path.realpath(file)
    return Path(file).as_uri() if os.path.isabs(file) else quote(Path(file).as_posix())
