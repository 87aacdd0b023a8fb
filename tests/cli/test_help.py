"""Help, completion, version and the command reference."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

import symdmc as package
from symdmc.cli.main import COMMANDS, symdmc
from tests.cli.running import ROOT, Runner, environment

REFERENCE = ROOT / "docs/cli.md"
NAMES = (*COMMANDS, *(f"patterndb {name}" for name in ("build", "show", "lookup", "compare")))
"""Every command, those of a group with its name before theirs."""


def command(name: str) -> click.Command:
    found: click.Command | None = symdmc
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def options(name: str) -> list[click.Option]:
    return [parameter for parameter in command(name).params if isinstance(parameter, click.Option)]


def section(name: str) -> str:
    """The part of the reference about one command."""
    parts = re.split(r"^## ", REFERENCE.read_text(), flags=re.MULTILINE)
    (found,) = (part for part in parts if part.startswith(f"symdmc {name}\n"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_is_documented(name: str) -> None:
    text = section(name)
    for option in options(name):
        for spelling in option.opts:
            assert f"`{spelling}" in text, f"symdmc {name} {spelling}"


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_invents_no_option(name: str) -> None:
    rows = re.findall(r"^\| `(--?[\w-]+)", section(name), re.MULTILINE)
    known = {spelling for option in options(name) for spelling in option.opts} | {"-h"}
    assert set(rows) <= known


@pytest.mark.parametrize("name", NAMES)
def test_help_ends_with_an_example(name: str, symdmc: Runner) -> None:
    out = symdmc(*name.split(), "--help").out
    assert re.search(r"\nExample:\n  \S.*symdmc .*\n$|\nExample:\n(  .*symdmc .*\n)+$", out), out


@pytest.mark.parametrize("name", NAMES)
def test_every_option_has_a_help_text(name: str) -> None:
    assert all(option.help for option in options(name))


def test_help_groups_the_options_and_names_default_and_unit(symdmc: Runner) -> None:
    out = symdmc("check", "--help").out
    assert re.findall(r"^(\w+):$", out, re.MULTILINE) == [
        *("Model", "Question", "Heuristic", "Search", "Limits", "Output", "Trace", "Other", "Example")
    ]
    assert re.search(r"--time-limit SECONDS .*\[default: \(?none\)?", out)
    assert re.search(r"--memory-limit MB .*\[default: \(?none\)?", out)
    assert "[default: 20]" in out


def test_rarely_used_options_are_behind_help_all(symdmc: Runner) -> None:
    short, long = symdmc("check", "--help").out, symdmc("check", "--help-all").out
    assert "--merge-limit" not in short
    assert "--help-all" in short
    assert all(
        re.search(rf"^ +{spelling}\b", long, re.MULTILINE) for each in options("check") for spelling in each.opts[:1]
    )
    assert symdmc("explore", "--help").out.count("--merge-limit") == 1
    assert symdmc("check", "counter.dve", "--merge-limit", "3").code == 2  # it is there, and is for another engine


def test_the_help_lists_every_command(symdmc: Runner) -> None:
    out = symdmc("--help").out
    assert all(re.search(rf"^  {name} +\S", out, re.MULTILINE) for name in COMMANDS)


def test_the_help_needs_no_heavy_package() -> None:
    script = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from symdmc.cli.main import run\n"
        "run(['--help'])\n"
        "sys.exit(', '.join({'numpy', 'numba', 'lark', 'rich'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_is_that_of_the_package(symdmc: Runner) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert declared == package.__version__
    assert symdmc("--version").out == f"symdmc, version {declared}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_completion_script(symdmc: Runner, shell: str) -> None:
    ran = symdmc("completion", shell)
    assert ran.code == 0
    assert f"{shell}_complete" in ran.out
    assert "_SYMDMC_COMPLETE" in ran.out


def completed(words: str, cwd: Path) -> list[str]:
    """What bash is told to complete the last word to."""
    request = {"_SYMDMC_COMPLETE": "bash_complete", "COMP_LINE": words}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'symdmc'; from symdmc.__main__ import main; main()"],
        cwd=cwd,
        env={**environment(), **request},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_commands_options_and_models_are_completed(folder: Path) -> None:
    assert completed("symdmc ch", folder) == ["plain,check"]
    assert completed("symdmc check counter.dve --sea", folder) == ["plain,--search"]
    assert completed("symdmc check counter.dve --search r", folder) == ["plain,rdfs"]
    assert completed("symdmc patterndb bu", folder) == ["plain,build"]
    assert completed("symdmc patterndb build counter.dve --ord", folder) == ["plain,--order"]
    assert completed("symdmc check arb", folder) == ["plain,arbiter_tree"]
    everything = completed("symdmc check ", folder)
    assert {"plain,arbiter_tree", "plain,counter.dve", "plain,timed.py"} <= set(everything)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("check arbiter_tree:", ["height=", "faulty=", "variant="]),
        ("check arbiter_tree:height=3,f", ["height=3,faulty="]),
        ("check arbiter_tree:height=3,faulty=t", ["height=3,faulty=true"]),
        ("check nothing:x", []),
        ("check counter.dve --heuristic pdb:ceg", ["cegar"]),
        ("check counter.dve --heuristic pdb:cegar,ro", ["cegar,rounds="]),
        ("check counter.dve --heuristic pdb:cegar,projection=e", ["cegar,projection=exact"]),
        ("check counter.dve --search bitst", ["bitstate"]),
    ],
)
def test_what_stands_behind_a_colon_is_completed(folder: Path, words: str, expected: list[str]) -> None:
    last = words.split()[-1]
    head = last[: last.index(":") + 1] if ":" in last and expected else ""
    found = completed(f"symdmc {words}", folder)
    assert found == [f"plain,{head}{each}" for each in expected] or (not expected and found == [f"file,{last}"])


@pytest.mark.parametrize(
    ("line", "split", "expected"),
    [
        ("symdmc check arbiter_tree:fau", ["symdmc", "check", "arbiter_tree", ":", "fau"], ["faulty="]),
        ("symdmc check arbiter_tree:", ["symdmc", "check", "arbiter_tree", ":"], ["height=", "faulty=", "variant="]),
        (
            *("symdmc check arbiter_tree:faulty=t",),
            *(["symdmc", "check", "arbiter_tree", ":", "faulty", "=", "t"], ["true"]),
        ),
        ("symdmc che", ["symdmc", "che"], ["check"]),
    ],
)
def test_bash_gets_what_stands_behind_its_own_end_of_a_word(
    symdmc: Runner, folder: Path, line: str, split: list[str], expected: list[str]
) -> None:
    (folder / "symdmc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symdmc "$@"\n')
    (folder / "symdmc").chmod(0o755)
    words = " ".join(map(shlex.quote, split))
    script = (
        f"compopt() {{ :; }}\n{symdmc('completion', 'bash').out}\nCOMP_LINE={shlex.quote(line)}; "
        f"COMP_POINT={len(line)}; COMP_WORDS=({words}); COMP_CWORD={len(split) - 1}\n"
        '_symdmc_completion ./symdmc; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == expected, done.stderr


def test_where_no_family_fits_the_shell_completes_files(folder: Path) -> None:
    assert completed("symdmc check coun", folder) == ["file,coun"]
