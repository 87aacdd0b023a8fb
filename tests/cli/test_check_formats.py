"""`check --format`: the same answers and exit codes, as build servers read them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.running import Runner


def test_an_error_is_annotated_where_the_last_step_is_written(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("check", "counter.dve", "--error", "y == 1", "--format", "github", "--steps", "4")
    assert (ran.code, ran.err) == (10, "")
    (line,) = ran.out.splitlines()
    assert line.startswith(
        "::error file=counter.dve,line=9,col=5,title=symdmc%3A counter.dve::error reachable: y == 1; "
    )
    assert line.count("%0A") == 5
    assert "%0A... 7 steps%0A" in line
    log = symdmc("check", "counter.dve", "--error", "y == 1", "--format", "sarif").document
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 9, "startColumn": 5}
    assert (folder / "counter.dve").read_text().splitlines()[8].startswith("    s -> t")
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 11


def test_a_safe_model_passes_and_says_so(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "x > 30", "--format", "github")
    assert ran.code == 0
    assert ran.out.startswith("::notice title=symdmc%3A counter.dve::safe: no error state of x > 30 is reachable%0A")
    assert symdmc("check", "counter.dve", "--error", "x > 30", "--format", "sarif").document["runs"][0]["results"] == []
    suite = ElementTree.fromstring(symdmc("check", "counter.dve", "--error", "x > 30", "--format", "junit").out)[0]
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("1", "0", "0")
    assert "safe: no error state" in (suite.findtext("system-out") or "")


def test_a_fault_on_the_way_is_a_warning_at_the_edge_that_faults(symdmc: Runner) -> None:
    ran = symdmc("check", "divide.dve", "--error", "x > 3", "--format", "github")
    assert ran.code == 0
    assert ran.out.startswith("::warning file=divide.dve,line=7,col=5,")
    asked = symdmc("check", "divide.dve", "--error", "fault", "--format", "github")
    assert asked.code == 10
    assert asked.out.startswith("::error file=divide.dve,line=7,col=5,")
    assert len(asked.out.splitlines()) == 1
    symbolic = symdmc("check", "divide.dve", "--error", "x > 3", "--engine", "symbolic", "--format", "github")
    assert "faults not excluded" in symbolic.out


def test_an_error_at_the_start_is_annotated_at_the_first_process(symdmc: Runner) -> None:
    ran = symdmc("check", "divide.dve", "--error", "x == 3", "--format", "github")
    assert ran.out.startswith("::error file=divide.dve,line=2,col=9,")


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_what_cannot_be_answered_is_told_in_the_format_too(symdmc: Runner, folder: Path, form: str) -> None:
    (folder / "bad.dve").write_text(
        "byte x;\nprocess P {\n  state s;\n  init s;\n  trans s -> s { guard y; };\n}\nsystem async;\n"
    )
    cases = (
        (("bad.dve", "--error", "x == 1"), 30, "'y'"),
        (("missing.dve",), 30, "there is no such file"),
        (("counter.dve", "--error", "x == 1", "--time-limit", "0"), 21, "time limit reached"),
        (("counter.dve", "--no-such-option"), 2, "--no-such-option"),
        (("counter.dve", "--error", "x == 1", "--search", "astar"), 2, "--search"),
    )
    for command, code, told in cases:
        ran = symdmc("check", *command, "--format", form)
        assert ran.code == code
        assert told in ran.out.replace("%27", "'")
        assert told in ran.err or code == 21
        if form == "sarif":
            assert json.loads(ran.out)["runs"][0]["invocations"][0]["executionSuccessful"] is False
        if form == "junit":
            assert ElementTree.fromstring(ran.out)[0].attrib["errors"] == "1"
    ran = symdmc("check", "bad.dve", f"--format={form}")
    assert {"junit": "bad.dve:5", "sarif": '"startLine": 5', "github": "file=bad.dve,line=5,"}[form] in ran.out


def test_two_formats_at_once_are_refused(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "x == 1", "--json", "--format", "sarif")
    assert ran.code == 2
    assert (
        ran.err == "error: --json and --format sarif exclude each other; see symdmc check --help [options-conflict]\n"
    )
    assert ran.document["exit_code"] == 2


def test_a_comparison_has_a_test_case_for_each_run(symdmc: Runner) -> None:
    ran = symdmc("compare", "counter.dve", "--error", "x == 3", "--config", "bfs", "--format", "junit")
    suite = ElementTree.fromstring(ran.out)[0]
    assert (ran.code, suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == (0, "1", "0", "0")
    (case,) = suite.findall("testcase")
    assert (case.attrib["classname"], case.attrib["name"]) == ("counter.dve", "run: bfs")
