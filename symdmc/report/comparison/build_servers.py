"""Comparisons as build servers read them: a test case for each run, and one for each contradiction."""

from __future__ import annotations

from collections.abc import Mapping

from symdmc.experiment.conduct import Findings
from symdmc.experiment.record import FAILED, MEMORY, REFUSED, TIME, UNKNOWN, Record
from symdmc.report.ci import finding
from symdmc.report.ci.finding import Finding, Remark
from symdmc.report.ci.junit import junit_text

NO_ANSWER: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys((UNKNOWN, TIME, MEMORY), (finding.UNKNOWN, "undecided")),
    **dict.fromkeys((REFUSED, FAILED), (finding.REFUSED, "bad-input")),
}
"""What a run without an answer counts as, and what is remarked about it."""


def comparison_junit(findings: Findings) -> str:
    """What `compare --format junit` prints: runs pass that have an answer, whichever it is; contradictions fail."""
    runs = [_run(record) for record in (*findings.runs, *findings.measurements)]
    return junit_text([*runs, *map(_contradiction, findings.contradictions)], None, "symdmc compare")


def _run(record: Record) -> Finding:
    outcome, rule = NO_ANSWER.get(record.outcome, (finding.SAFE, None))
    seed = "" if record.job.seed is None else f" with seed {record.job.seed}"
    return Finding(
        model=record.job.model,
        property=f"{record.job.kind}: {record.job.configuration}{seed}",
        outcome=outcome,
        text=f"{record.outcome}: {record.reason}",
        remarks=() if rule is None else (Remark(rule=rule, text=record.reason, place=None),),
        seconds=record.seconds or 0.0,
        exit_code=record.exit_code,
    )


def _contradiction(line: str) -> Finding:
    remark = Remark(rule="error-reachable", text=line, place=None)
    return Finding(
        model="contradictions", property=line, outcome=finding.ERROR, text=line, remarks=(remark,), exit_code=39
    )
