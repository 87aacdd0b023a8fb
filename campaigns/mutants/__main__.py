"""The command: run the mutants, print how many each area has and how many were found."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from campaigns.mutants.entries import Entry, MutantError, read_entries
from campaigns.mutants.proposing import candidates
from campaigns.mutants.running import CHECKOUT, Result, run

COLUMNS = ("found", "harmless", "survived", "not run")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when a mutant survived that is not explained, or was found though it is explained as harmless."""
    asked = _parser().parse_args(arguments)
    try:
        if asked.propose is not None:
            print(proposals(asked.propose), end="")
            return 0
        entries = [entry for entry in read_entries(area=asked.area) if _is_asked(entry, asked.only)]
        results = run(entries, asked.keep, workers=asked.workers, tell=_tell)
    except MutantError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mutants: stopped; start again to go on", file=sys.stderr)
        return 130
    print(table(results))
    return _judged(results, asked.show)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m campaigns.mutants", description=__doc__)
    parser.add_argument("--area", help="only the mutants of one area, such as kernel")
    parser.add_argument("--only", help="only the mutants whose name begins so")
    parser.add_argument("--workers", type=int, default=2, help="how many copies are tested at a time")
    keep = CHECKOUT / ".mutants"
    parser.add_argument("--keep", type=Path, default=keep, metavar="FOLDER", help="where results are kept")
    parser.add_argument("--show", action="store_true", help="show what the tests of survivors printed")
    help = "print the mutants that a file could have, as entries to choose from"
    parser.add_argument("--propose", type=Path, metavar="FILE", help=help)
    return parser


def _is_asked(entry: Entry, only: str | None) -> bool:
    return only is None or entry.id.startswith(only)


def _tell(result: Result) -> None:
    print(f"{result.column:9} {result.took:6.1f} s  {result.entry.id}", file=sys.stderr, flush=True)


def proposals(path: Path) -> str:
    """Entries for all candidates of a file."""
    source = path.read_text(encoding="utf-8")
    file = path.resolve().relative_to(CHECKOUT)
    stem = file.stem.replace("_", "-")
    parts = [
        f"# line {each.line}: {each.kind}\n{entry_text(f'{stem}-{number}', str(file), each.text, each.instead)}"
        for number, each in enumerate(candidates(source), 1)
    ]
    return "\n".join(parts)


def entry_text(id: str, file: str, text: str, instead: str, **others: str) -> str:
    """An entry as it is written down."""
    lines = ["[[mutant]]", f"id = {json.dumps(id)}", f"file = {json.dumps(file)}"]
    lines += [f"text = {_quoted(text)}", f"instead = {_quoted(instead)}"]
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in others.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    if "'''" in text or "\n" not in text:
        return f"'{text}'" if "'" not in text and "\n" not in text else json.dumps(text, ensure_ascii=False)
    return f"'''\n{text}'''"


def table(results: Sequence[Result]) -> str:
    """How many mutants of each area were found."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        counts.setdefault(result.entry.area, Counter())[result.column] += 1
    rows = [(area, count) for area, count in sorted(counts.items())]
    rows.append(("together", sum((count for _, count in rows), Counter())))
    lines = [f"{'area':14}{'tried':>7}" + "".join(f"{column:>10}" for column in COLUMNS)]
    for area, count in rows:
        lines.append(f"{area:14}{count.total():7}" + "".join(f"{count[column]:10}" for column in COLUMNS))
    return "\n".join(lines)


def _judged(results: Sequence[Result], show: bool) -> int:
    """Print what is wrong; 1 where anything is."""
    wrong = 0
    told: set[tuple[str, ...]] = set()
    for result in results:
        entry = result.entry
        if result.column == "survived":
            wrong = 1
            print(f"\n{entry.id} survived in {entry.file}; write a test that finds it, or say why it is harmless:")
            print(f"{entry.text}\nbecame\n{entry.instead}")
        elif result.column == "not run":
            wrong = 1
            print(f"\n{entry.id} could not be judged: {result.ended}; the tests are {' '.join(entry.tests)}")
            if entry.tests not in told:
                print(result.printed)
            told.add(entry.tests)
        elif result.column == "found" and entry.harmless:
            wrong = 1
            print(f"\n{entry.id} is explained as harmless, but a test found it; take the explanation out")
        if show and result.column == "survived":
            print(result.printed)
    return wrong


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
