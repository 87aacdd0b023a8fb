"""The command: `python -m campaigns.fuzz --help`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from campaigns.fuzz.planting import Found, bugs, hunt, table
from campaigns.fuzz.shrinking import failure_of
from campaigns.fuzz.texts import dve_text, question_options
from campaigns.fuzz.working import SHRINKING_SECONDS, Tally, campaign, failure_from

MOST_SECONDS = 180.0
"""For each planted bug, unless --minutes allows less."""


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign, or one failure again; 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m campaigns.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the n-th system of a seed is always the same (1)")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--workers", type=int, default=2, help="processes that work at the same time (2)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first system (0)")
    parser.add_argument("--most", type=int, help="the most systems to try")
    parser.add_argument("--stop", action="store_true", help="end at the first failure")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="folder for failures (fuzz-failures)")
    parser.add_argument("--again", type=Path, metavar="FILE", help="show one failure again")
    parser.add_argument(
        "--shrink", type=float, default=SHRINKING_SECONDS, help="most seconds to make a failure small (40)"
    )
    parser.add_argument(
        "--planted", action="store_true", help="plant bugs, one at a time, and look how soon each is found"
    )
    parser.add_argument("--bug", default="", help="only planted bugs whose names begin so")
    asked = parser.parse_args(arguments)
    if asked.planted:
        return planted(asked.bug, asked.seed, min(60 * asked.minutes, MOST_SECONDS), asked.workers)
    if asked.again is not None:
        return again(asked.again)
    began, news = time.monotonic(), _News(asked.keep)
    tally = campaign(
        asked.seed,
        workers=asked.workers,
        seconds=60 * asked.minutes,
        first=asked.first,
        most=asked.most,
        shrinking=asked.shrink,
        until_failure=asked.stop,
        told=news.tell,
    )
    news.keep_failures(tally)
    print(summary(tally, asked.seed, time.monotonic() - began))
    return 1 if tally.failures else 0


def again(file: Path) -> int:
    """Show a failure again: the model, the attack, and what comes of it now."""
    failure = failure_from(file.read_text(encoding="utf-8"))
    if failure.draft.dve:
        print(dve_text(failure.draft))
    print(f"asked: {question_options(failure.draft)}\nattack: {failure.attack}")
    found = failure_of(failure.draft, failure.attack)
    print("does not fail" if found is None else f"fails: {found}")
    return 0 if found is None else 1


def planted(names: str, seed: int, seconds: float, workers: int) -> int:
    """The table of planted bugs; 1 where one of them was not found."""

    def tell(each: Found) -> None:
        print(f"{each.bug.id}: {each.after}{f' ({each.what})' if each.what else ''}", flush=True)

    found = hunt(bugs(names), seed=seed, seconds=seconds, workers=workers, told=tell)
    print(table(found))
    return 0 if all(each.what for each in found) else 1


class _News:
    """Each failure as soon as it is known, and one line a minute."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = 0
        self.began = self.last = time.monotonic()

    def tell(self, tally: Tally) -> None:
        self.keep_failures(tally)
        now = time.monotonic()
        if now - self.last < 60:
            return
        self.last = now
        minutes = round((now - self.began) / 60)
        print(
            f"{minutes} min: {tally.drafts} systems, {tally.attacks} attacks, {len(tally.failures)} failures",
            flush=True,
        )

    def keep_failures(self, tally: Tally) -> None:
        """Write and print the failures that are new."""
        for failure in tally.failures[self.kept :]:
            file = failure.written(self.folder)
            print(f"failed: system {failure.number}: {failure.what}: {failure.details[:200]}")
            print(f"  python -m campaigns.fuzz --again {file}", flush=True)
        self.kept = len(tally.failures)


def summary(tally: Tally, seed: int, seconds: float) -> str:
    """What came of a campaign, as a table."""
    head = f"seed {seed}: {tally.drafts} systems, {tally.attacks} attacks in {seconds:.0f} s"
    lines = [head, "", "| attack | answer | times |", "|---|---|---|"]
    for kind, answers in sorted(tally.answers.items()):
        lines += [f"| {kind} | {answer} | {count} |" for answer, count in sorted(answers.items())]
    return "\n".join((*lines, "", f"{len(tally.failures)} failures"))


if __name__ == "__main__":
    sys.exit(main())
