"""JUnit XML: a test case for each question, as Jenkins, GitLab and most build servers read it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from symdmc import __version__
from symdmc.report.ci.finding import ERROR, REFUSED, SAFE, UNKNOWN, Finding, way_lines
from symdmc.spelling.printable import printable_lines

PROBLEMS = {ERROR: "failure", UNKNOWN: "error", REFUSED: "error"}
"""The element that says so where a check is not passed."""


def junit_text(findings: Sequence[Finding], steps: int | None, name: str = "symdmc check") -> str:
    """One suite with a test case for each finding; only the verdict "safe" passes.

    It has every attribute and element that the schemas in use ask for, in their order, and none that one forbids.
    """
    kinds = [PROBLEMS.get(each.outcome) for each in findings]
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        id="0",
        name=name,
        package="symdmc",
        timestamp=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        hostname="localhost",
        tests=str(len(findings)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        time=_decimal(sum(each.seconds for each in findings)),
    )
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name="symdmc", value=__version__)
    for each in findings:
        _add_case(suite, each, steps)
    passed = [
        f"{each.model}: {line}"
        for each in findings
        if each.outcome == SAFE
        for line in (each.text, *each.reasons, *(remark.text for remark in each.remarks))
    ]
    ElementTree.SubElement(suite, "system-out").text = _clean("\n".join(passed))
    ElementTree.SubElement(suite, "system-err")
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="us-ascii").decode()
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_case(suite: ElementTree.Element, finding: Finding, steps: int | None) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        name=_token(finding.property),
        classname=_token(finding.model),
        time=_decimal(finding.seconds),
    )
    kind = PROBLEMS.get(finding.outcome)
    if kind is not None:
        problem = ElementTree.SubElement(case, kind, message=_clean(finding.text), type=finding.outcome)
        problem.text = _clean("\n".join(_lines(finding, steps)))


def _lines(finding: Finding, steps: int | None) -> list[str]:
    ways = [(remark.line, way_lines(remark.way, steps) if remark.way is not None else ()) for remark in finding.remarks]
    return [line for text, lines in ways for line in (text, *lines)]


def _decimal(seconds: float) -> str:
    return f"{seconds:.3f}"


def _token(text: str) -> str:
    """A text as an attribute holds it whose blanks do not count."""
    return _clean(" ".join(text.split()))


def _clean(text: str) -> str:
    """Without the characters that XML forbids."""
    return printable_lines(text).replace("\ufffe", "").replace("\uffff", "")
