"""JUnit XML, SARIF and workflow commands: in the form that their definitions ask for, whatever a model contains."""

from __future__ import annotations

import json
import os
import re
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings

from symdmc import check
from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.experiment.conduct import Findings
from symdmc.experiment.plan import Experiment
from symdmc.experiment.record import RUN, Job, Record
from symdmc.model.question import ErrorCondition
from symdmc.model.steps import named_values
from symdmc.model.system import System
from symdmc.outcome import SearchResult, Verdict
from symdmc.report.ci.finding import (
    RULES,
    Finding,
    Move,
    Place,
    Remark,
    Way,
    check_finding,
    failure_finding,
    way_lines,
    way_of,
)
from symdmc.report.ci.formats import FORMATS
from symdmc.report.ci.github import github_text
from symdmc.report.ci.junit import junit_text
from symdmc.report.ci.sarif import sarif_text
from symdmc.report.comparison.build_servers import comparison_junit
from symdmc.task import compile_task
from tests.strategies import systems_with_error


def closed(required: str = "", **properties: Any) -> dict[str, Any]:
    """An object with no other keys than these."""
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": properties}


def several(items: Any, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


TEXT, POSITIVE, YES_OR_NO = {"type": "string"}, {"type": "integer", "minimum": 1}, {"type": "boolean"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = closed("text", text=TEXT)
STATE = {"type": "object", "additionalProperties": MESSAGE}
URI = {"type": "string", "pattern": r"^(?!(.*/)?\.\.?(/|$))[A-Za-z0-9._~:/%!$&'()*+,;=@-]+$"}
"""Without the segments `.` and `..`, which a reader must not resolve."""
PHYSICAL = closed(
    "artifactLocation",
    artifactLocation=closed("uri", uri=URI),
    region=closed("startLine", startLine=POSITIVE, startColumn=POSITIVE),
)
LOCATION = closed(
    physicalLocation=PHYSICAL,
    logicalLocations=several(closed(name=TEXT, fullyQualifiedName=TEXT, kind=TEXT)),
    message=MESSAGE,
)
NOTIFICATIONS = several(closed("message", message=MESSAGE, level=LEVEL))
FLOW = closed(
    "locations",
    id=TEXT,
    initialState=STATE,
    locations=several(closed(location=LOCATION, executionOrder={"type": "integer", "minimum": 0}, state=STATE), 1),
)
RESULT = closed(
    "message",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations=several(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    codeFlows=several(closed("threadFlows", threadFlows=several(FLOW, 1))),
)
RULE = closed(
    "id",
    id=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=closed(level=LEVEL),
)
SARIF_RUN = closed(
    "tool",
    tool=closed("driver", driver=closed("name", name=TEXT, version=TEXT, semanticVersion=TEXT, rules=several(RULE))),
    invocations=several(
        closed(
            "executionSuccessful",
            executionSuccessful=YES_OR_NO,
            exitCode={"type": "integer"},
            exitCodeDescription=TEXT,
            toolExecutionNotifications=NOTIFICATIONS,
            toolConfigurationNotifications=NOTIFICATIONS,
        )
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=several(RESULT),
    properties={"type": "object"},
)
LOG = closed("version runs", **{"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": several(SARIF_RUN)})
"""The part of SARIF 2.1.0 that is used: what it requires, and no key that it does not know."""


def sarif(*findings: Finding) -> Any:
    log = json.loads(sarif_text(findings, 20))
    jsonschema.Draft202012Validator(LOG).validate(log)
    for run in log["runs"]:
        for result in run["results"]:
            rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
            assert (rule["id"], rule["defaultConfiguration"]["level"]) == (result["ruleId"], result["level"])
            for flow in result.get("codeFlows", []):
                order = [each["executionOrder"] for each in flow["threadFlows"][0]["locations"]]
                assert order == sorted(order)
    return log


SUITE = ("id", "name", "package", "timestamp", "hostname", "tests", "failures", "errors", "time")


def junit(*findings: Finding) -> ElementTree.Element:
    """The suite, which has the attributes that one schema or another requires, and its elements in their order."""
    root = ElementTree.fromstring(junit_text(findings, 20))
    (suite,) = root
    assert (root.tag, root.attrib, suite.tag) == ("testsuites", {}, "testsuite")
    assert set(suite.attrib) == set(SUITE)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert [each.tag for each in suite] == [
        *("properties", *["testcase"] * len(findings), "system-out", "system-err"),
    ]
    assert [(each.tag, set(each.attrib)) for each in suite[0]] == [("property", {"name", "value"})]
    cases = suite.findall("testcase")
    for case in cases:
        assert set(case.attrib) == {"name", "classname", "time"}
        assert all(case.attrib.values())
        assert len(case) <= 1
        assert all(set(each.attrib) == {"message", "type"} and not len(each) for each in case)
    found = [each.tag for case in cases for each in case]
    assert suite.attrib["tests"] == str(len(cases))
    assert (suite.attrib["failures"], suite.attrib["errors"]) == (
        str(found.count("failure")),
        str(found.count("error")),
    )
    return suite


COMMAND = re.compile(r"::(error|warning|notice) ([^:\n]*)::([^\n\r]*)")


def github(finding: Finding) -> list[tuple[str, dict[str, str], str]]:
    """The commands as a runner of workflows takes them apart."""
    found = []
    for line in github_text([finding], 20).splitlines():
        command = COMMAND.fullmatch(line)
        assert command is not None, line
        parameters = dict(part.split("=", 1) for part in command[2].split(","))
        assert not re.search("%(?!25|0D|0A)", command[3])
        assert set(parameters) <= {"file", "line", "col", "title"}
        values = {key: unquote(value) for key, value in parameters.items()}
        found.append((command[1], values, unquote(command[3])))
    return found


@settings(max_examples=60, deadline=None)
@given(systems_with_error(costs=True))
def test_answers_about_random_systems_have_the_right_form(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    result = check(compile_task(system, error))
    finding = check_finding("model.dve", system, result, result.exit_code)
    (run,) = sarif(finding)["runs"]
    (case,) = junit(finding).findall("testcase")
    commands = github(finding)
    assert run["invocations"] == [
        {"executionSuccessful": True, "exitCode": result.exit_code, "exitCodeDescription": finding.text}
    ]
    assert case.attrib["name"] == " ".join(error.name.split())
    if result.verdict is Verdict.SAFE:
        assert not len(case)
        assert all(each["ruleId"] == "fault" for each in run["results"])
    if result.trace is None:
        return
    (failure,) = case
    assert (failure.tag, failure.attrib["type"]) == ("failure", "error")
    assert failure.text is not None
    first = run["results"][0]
    assert first["message"]["text"] == commands[0][2].splitlines()[0] == failure.text.splitlines()[0]
    assert commands[0][2].splitlines()[1:] == list(way_lines(way_of(result.trace, system), 20))
    if result.trace.steps:
        _require_flow(first["codeFlows"][0]["threadFlows"][0], result, system)
    else:
        assert "codeFlows" not in first


def _require_flow(flow: Any, result: SearchResult, system: System) -> None:
    """The flow visits every edge of the trace, and its changes lead from its first values to those of the end."""
    trace = result.trace
    assert trace is not None
    edges = [
        (number, system.processes[process].name)
        for number, step in enumerate(trace.steps, 1)
        for process, _ in step.edges
    ]
    assert edges == [
        (each["executionOrder"], each["location"]["logicalLocations"][0]["name"]) for each in flow["locations"]
    ]
    values = {name: value["text"] for name, value in flow["initialState"].items()}
    for each in flow["locations"]:
        assert each.get("state", {}).keys() <= values.keys()
        values |= {name: value["text"] for name, value in each.get("state", {}).items()}
    final = dict(named_values(trace.final, system))
    assert values == {name: str(final[name]) for name in values}
    unchanged = {name: value for name, value in named_values(trace.initial, system) if name not in values}
    assert unchanged == {name: final[name] for name in unchanged}


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (None, ["1. a", "2. b (x: 0 -> 1)", "3. c"]),
        (3, ["1. a", "2. b (x: 0 -> 1)", "3. c"]),
        (2, ["1. a", "... 1 step", "3. c"]),
        (1, ["1. a", "... 2 steps"]),
        (0, ["... 3 steps"]),
    ],
)
def test_a_long_way_is_cut_in_the_middle(most: int | None, expected: list[str]) -> None:
    moves = (Move("a", (), (), ""), Move("b", (), (("x", 0, 1),), "x: 0 -> 1"), Move("c", (), (), ""))
    assert list(way_lines(Way({"x": 0}, moves), most)) == expected


HOSTILE = 'a%b:c,d\r\n::error::\x1b[31m\x00 ]]> <b> & "q" \ud800 \u2028 \uffff \u00e9 \''


def test_nothing_that_a_text_contains_leaves_its_place() -> None:
    place = Place("a b,c%:\u00e9.dve", 3, None)
    remark = Remark(rule="bad-input", text=HOSTILE, place=place)
    finding = Finding(
        model=HOSTILE, property=HOSTILE, outcome="refused", text=HOSTILE, remarks=(remark, remark), exit_code=30
    )
    for level, parameters, text in github(finding):
        assert level == "error"
        assert (parameters["file"], parameters["line"], "col" in parameters) == (place.file, "3", False)
        assert text.startswith("a%b:c,d")
        assert "\x1b" not in text
    assert junit_text([finding], 20).isascii()  # whatever encoding the stream has
    assert sarif_text([finding], 20).isascii()
    (error,) = junit(finding).findall("testcase")[0]
    assert error.text is not None
    assert ']]> <b> & "q"' in error.text
    (run,) = sarif(finding)["runs"]
    (told, _) = run["results"]
    assert told["message"]["text"] == HOSTILE
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%2Cc%25%3A%C3%A9.dve"


def test_a_failure_names_the_places_of_its_complaints(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dve").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "outside.json").touch()
    complaints = [
        Complaint(Code.SYNTAX_ERROR, "one", "mend it", SourceSpan("m.dve", 3, 7)),
        Complaint(Code.MISSING_KEY, "two", "", "m.dve: $.processes[0]"),
        Complaint(Code.SYNTAX_ERROR, "three", "", SourceSpan("<error>", 1, 3)),
        Complaint(Code.SYNTAX_ERROR, "four", "", SourceSpan(str(tmp_path / "m.dve"), 1, 1)),
    ]
    finding = failure_finding("m.dve:x=1", complaints, (), 30, is_limit=False)
    places = [remark.place for remark in finding.remarks]
    assert places == [Place("m.dve", 3, 7), Place("m.dve"), Place("m.dve"), Place("m.dve", 1, 1)]
    (run,) = sarif(finding)["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert len(run["invocations"][0]["toolConfigurationNotifications"]) == len(run["results"]) == 4
    assert [result["ruleId"] for result in run["results"]] == ["syntax-error", "missing-key", *["syntax-error"] * 2]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert [(level, text) for level, _, text in github(finding)][:2] == [
        ("error", "m.dve:3:7: one; mend it [syntax-error]"),
        ("error", "m.dve: $.processes[0]: two [missing-key]"),
    ]
    assert "two [missing-key]" in str(junit(finding).findall("testcase")[0][0].text)
    assert junit(finding).findall("testcase")[0][0].attrib["type"] == "refused"
    monkeypatch.chdir(tmp_path / "sub")
    elsewhere = failure_finding(str(tmp_path / "outside.json"), complaints[:1], (), 30, is_limit=False)
    (told,) = sarif(elsewhere)["runs"][0]["results"]
    uri = told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (tmp_path / "outside.json").as_uri()
    for above in (os.path.join("..", "outside.json"), str(tmp_path / "sub" / ".." / "outside.json")):
        (told,) = sarif(failure_finding(above, complaints[:1], (), 30, is_limit=False))["runs"][0]["results"]
        assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_limit_is_neither_a_pass_nor_a_failure() -> None:
    finding = failure_finding(None, (), ("time limit reached",), 21, is_limit=True)
    (error,) = junit(finding).findall("testcase")[0]
    assert (error.tag, error.attrib["type"]) == ("error", "unknown")
    (run,) = sarif(finding)["runs"]
    assert "toolExecutionNotifications" in run["invocations"][0]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert github(finding) == [("warning", {"title": "symdmc: the command line"}, "time limit reached")]


def test_a_comparison_passes_where_there_is_an_answer() -> None:
    jobs = [Job(kind=RUN, model=f"m{number}", identity="", configuration="bfs", seed=number) for number in range(4)]
    outcomes = ("safe", "error", "time limit", "failed")
    records = {
        job: Record(job=job, time_limit=None, memory_limit=None, outcome=outcome, reason=f"why {outcome}", exit_code=0)
        for job, outcome in zip(jobs, outcomes, strict=True)
    }
    experiment = Experiment(rows=(), configurations=())
    findings = Findings(experiment=experiment, records=records, contradictions=("m0 is safe and has an error",))
    suite = ElementTree.fromstring(comparison_junit(findings))[0]
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("5", "1", "2")
    told = [[(each.tag, each.attrib["type"], each.text) for each in case] for case in suite.findall("testcase")]
    assert told == [
        *([], []),
        [("error", "unknown", "why time limit")],
        [("error", "refused", "why failed")],
        [("failure", "error", "m0 is safe and has an error")],
    ]


def test_the_table_of_formats_and_the_command_line_agree() -> None:
    from symdmc.cli.command import BUILD_FORMATS

    assert tuple(FORMATS) == BUILD_FORMATS
    assert {level for level, _ in RULES.values()} <= {"error", "warning"}
