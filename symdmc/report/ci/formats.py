"""The formats that `check --format` offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symdmc.report.ci.finding import Finding
from symdmc.report.ci.github import github_text
from symdmc.report.ci.junit import junit_text
from symdmc.report.ci.sarif import sarif_text

FORMATS: Mapping[str, Callable[[Sequence[Finding], int | None], str]] = {
    "junit": junit_text,
    "sarif": sarif_text,
    "github": github_text,
}
"""For each format what writes findings in it. The integer is the most steps of a trace; None leaves no step out."""
