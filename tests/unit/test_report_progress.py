"""The progress line."""

from __future__ import annotations

import io

from symdmc.outcome import Progress
from symdmc.report.progress import ProgressLine


def at(seconds: float, explored: int, phase: str = "") -> Progress:
    return Progress(explored=explored, generated=2 * explored, stored=explored, depth=7, seconds=seconds, phase=phase)


def shown(*reports: Progress, enabled: bool = True) -> list[str]:
    """The texts the line had, one after the other."""
    stream = io.StringIO()
    with ProgressLine(stream, enabled=enabled) as line:
        for report in reports:
            line(report)
    return stream.getvalue().split("\r\x1b[K")[1:]


def test_a_short_run_shows_nothing() -> None:
    assert shown(at(0.2, 10), at(0.9, 50)) == []


def test_a_long_run_shows_where_it_stands_and_cleans_up() -> None:
    first, second, last = shown(at(2.0, 1000), at(3.0, 3000))
    assert first.startswith("2 s, 1,000 states explored, 500/s, depth 7, ")
    assert second.startswith("3 s, 3,000 states explored, 2,000/s, depth 7, ")
    assert last == ""


def test_the_line_is_not_rewritten_faster_than_the_eye_can_follow() -> None:
    assert len(shown(at(2.0, 1), at(2.05, 2), at(2.1, 3), at(2.3, 4))) == 3


def test_a_new_phase_is_shown_at_once() -> None:
    assert shown(at(0.0, 0, "compiling"))[0] == "compiling"


def test_a_mute_line_writes_nothing() -> None:
    assert shown(at(2.0, 1000), at(0.0, 0, "compiling"), enabled=False) == []
