"""The command group: finds the module of a command when it is named, and turns every failure into an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from symdmc import __version__
from symdmc.cli.command import TEXT, Group, discard_stdout, form_of, print_failure
from symdmc.cli.failures import complain
from symdmc.spelling.speech import speaking_options

COMMANDS = (
    *("check", "explore", "simulate", "show", "replay", "certify", "patterndb"),
    *("compare", "heuristics", "families", "explain", "completion"),
)
COMPLETING = "_SYMDMC_COMPLETE"
"""Set in the environment when a shell asks for completions."""


class Commands(Group):
    """The commands of symdmc, each imported only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"symdmc.cli.{cmd_name}").command
        return command


@click.group(
    cls=Commands,
    example="symdmc check arbiter_tree:height=2",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="symdmc")
def symdmc() -> None:
    """Find a shortest error trace in a model of a concurrent system, or show that there is none.

    A MODEL is a .dve or .json file, a .py file with a function build, or the name of a family, with its parameters
    after a colon or by -p: arbiter_tree:height=4,faulty=true.

    Errors and warnings end with a code in brackets: `symdmc explain CODE` says what it means.
    """


def open_standard_streams() -> None:
    """Read and write nothing where a standard stream is closed, instead of failing or using another file for it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def run(args: Sequence[str], age: float = 0.0) -> int:
    """The exit code of a command line; never raises and never shows a traceback, unless SYMDMC_DEBUG=1 asks for it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.set_int_max_str_digits(0)  # the symbolic engine may count more states than Python prints unasked
    if COMPLETING in os.environ:
        import_module("symdmc.cli.completion")  # which teaches click how Bash takes words apart
    try:
        with speaking_options():
            result: Any = symdmc.main(list(args), prog_name="symdmc", standalone_mode=False, obj=age)
        sys.stdout.flush()
        return int(result or 0)
    except BrokenPipeError:
        discard_stdout()
        return 1
    except SystemExit as leaving:  # click answers a completion request this way
        return leaving.code if isinstance(leaving.code, int) else 0
    except OSError as error:  # stdout cannot take the answer: a full disk
        discard_stdout()
        return complain(error).exit_code
    except BaseException as error:
        failure = complain(error)
        form = form_of(args)
        if form != TEXT:
            print_failure(form, symdmc.named(args), None, failure)
        return failure.exit_code
