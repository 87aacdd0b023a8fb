"""Workflow commands of GitHub: lines that its log turns into annotations of files."""

from __future__ import annotations

from collections.abc import Sequence

from symdmc.report.ci.finding import RULES, Finding, Place, way_lines
from symdmc.spelling.printable import printable_lines


def github_text(findings: Sequence[Finding], steps: int | None) -> str:
    """A command for each remark; where there is none, a notice with the answer."""
    return "".join(f"{line}\n" for finding in findings for line in _commands(finding, steps))


def _commands(finding: Finding, steps: int | None) -> list[str]:
    if not finding.remarks:
        return [_command("notice", None, finding.model, "\n".join((finding.text, *finding.reasons)))]
    return [
        _command(
            RULES[remark.rule][0],
            remark.place,
            finding.model,
            "\n".join((remark.line, *(way_lines(remark.way, steps) if remark.way is not None else ()))),
        )
        for remark in finding.remarks
    ]


def _command(level: str, place: Place | None, model: str, text: str) -> str:
    known = {} if place is None else {"file": place.file, "line": place.line, "col": place.column}
    named = {**known, "title": f"symdmc: {model}"}
    parameters = ",".join(f"{key}={_value(str(value))}" for key, value in named.items() if value is not None)
    return f"::{level} {parameters}::{_message(text)}"


def _message(text: str) -> str:
    """A message, whose ends of lines must not end the command."""
    return printable_lines(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    """The value of a parameter, which ends at a comma or a colon."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
