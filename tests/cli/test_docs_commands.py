"""Every command in the documents runs and prints what the document shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.docs_sessions import Command, File, disagreement, documents, parts
from tests.cli.running import ROOT, environment


def prepared(folder: Path) -> dict[str, str]:
    """A folder that looks like the checkout and can be written to, and an environment with `symdmc` in it."""
    work, tools = folder / "work", folder / "bin"
    work.mkdir()
    tools.mkdir()
    for entry in ROOT.iterdir():
        if entry.is_dir() and not entry.name.startswith("."):
            (work / entry.name).symlink_to(entry)
    run = f'exec "{sys.executable}" -P -m symdmc "$@"'  # not what the folder links to, for which nothing is compiled
    (tools / "symdmc").write_text(f"#!/bin/sh\n{run}\n")
    (tools / "symdmc").chmod(0o755)
    return {**environment(), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8"}


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_commands_of_a_document_do_what_it_says(document: Path, tmp_path: Path) -> None:
    env = prepared(tmp_path)
    complaints: list[str] = []
    for part in parts(document.read_text(encoding="utf-8")):
        match part:
            case File(name, text):
                (tmp_path / "work" / name).write_text(text, encoding="utf-8")
            case Command(line, output, exit_code):
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", line],
                    cwd=tmp_path / "work",
                    env=env,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    encoding="utf-8",
                    timeout=300,
                )
                if done.returncode != exit_code:
                    complaints.append(f"$ {line}: exit code {done.returncode}, not {exit_code}: {done.stdout[-300:]}")
                wrong = disagreement(output, done.stdout.splitlines())
                if wrong is not None:
                    complaints.append(f"$ {line}: {wrong}")
    assert not complaints, "\n".join(complaints)


SESSION = """\
```dve lift.dve
byte x;
```
```console
$ pip install something
$ symdmc check lift.dve \\
>   --deadlock
first
...
last, 3.10 s, 15 MB
# exit code 10
$ symdmc families
```
"""


def test_a_session_is_read_as_commands_and_files() -> None:
    assert list(parts(SESSION)) == [
        File("lift.dve", "byte x;\n"),
        Command("symdmc check lift.dve --deadlock", ("first", "...", "last, 3.10 s, 15 MB"), 10),
        Command("symdmc families", (), 0),
    ]


@pytest.mark.parametrize(
    ("shown", "real", "agrees"),
    [
        (("a", "b"), ["a", "b"], True),
        (("a",), ["a", "b"], False),
        (("a", "..."), ["a", "b"], True),
        (("a", "...", "c"), ["a", "b", "b", "c"], True),
        (("a", "c"), ["a", "b", "c"], False),
        (("...", "c"), ["a", "b"], False),
        (("took 3.5 s, 1,024 MB",), ["took 0.01 s, 30 MB"], True),
        (("took 3 steps",), ["took 4 steps"], False),
        ((), ["anything"], True),
    ],
)
def test_shown_output_must_be_the_real_one(shown: tuple[str, ...], real: list[str], agrees: bool) -> None:
    assert (disagreement(shown, real) is None) == agrees
