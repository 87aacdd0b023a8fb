"""What all commands have in common: grouped help with an example, one answer, one way to fail."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import click

from symdmc.cli.failures import Failure, complain, failure_of
from symdmc.cli.outputs import require_outputs
from symdmc.cli.usage import WrongUsage
from symdmc.errors import Code, ResourceLimit
from symdmc.outcome import EXIT_CODES, Stop
from symdmc.running.run import LimitReached, Run
from symdmc.running.signals import interrupt_of, with_last_words
from symdmc.spelling.printable import printable_lines
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from rich.console import Console


Result = TypeVar("Result")

OTHER = "Other"
TEXT, JSON, JSON_FLAG = "text", "json", "--json"
BUILD_FORMATS = ("junit", "sarif", "github")
"""The keys of report.ci.formats.FORMATS, for those who need not wait for the import."""
REPORTED = {"check": BUILD_FORMATS, "compare": BUILD_FORMATS[:1]}
"""The commands that offer some of them."""
SHOWS_ALL = "symdmc.shows_all"
"""In the context: the help lists rarely used options too."""
DECIDING = ("check", "patterndb-build")
"""The commands whose verdict is unknown where a limit ended them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command found, and how to show it to a person or to a program."""

    text: Callable[[Console], None]
    document: Callable[[], Mapping[str, object]] = dict
    report: Callable[[str], str] | None = None
    """The answer in one of the formats of build servers; None where the command has none."""
    exit_code: int = 0


class Option(click.Option):
    """An option that `--help` lists under the heading of its group."""

    def __init__(self, *args: Any, group: str = OTHER, **settings: Any) -> None:  # Any: click's own signature
        super().__init__(*args, **settings)
        self.group = group


def _show_all_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the help with all options, and end."""
    if value and not ctx.resilient_parsing:
        ctx.meta[SHOWS_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class Command(click.Command):
    """A command whose function returns an Answer; running it gives the exit code."""

    def __init__(self, *args: Any, example: str, rare: Sequence[str] = (), **settings: Any) -> None:
        """`rare` are options that only `--help-all` lists."""
        super().__init__(*args, **settings)  # Any: click's own signature
        self.example, self.rare = example, frozenset(rare)
        if rare:
            self.params.append(
                click.Option(
                    ["--help-all"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_show_all_help,
                    help="Show this message with the rarely used options, and exit.",
                )
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options by group, in the order in which the groups first appear, `--help` last."""
        groups: dict[str, list[tuple[str, str]]] = {}
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        for option in options:
            listed = groups.setdefault(getattr(option, "group", OTHER), [])
            record = option.get_help_record(ctx)
            if record is not None and (ctx.meta.get(SHOWS_ALL) or not self.rare.intersection(option.opts)):
                listed.append(record)
        groups[OTHER] = groups.pop(OTHER)
        for group, records in groups.items():
            with formatter.section(group):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End with an example."""
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"  {line}\n")

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, print its answer or its complaints, and return the exit code."""
        form = _form(ctx)
        try:
            require_outputs(ctx)
            with with_last_words(lambda stop: _write_last_words(ctx, failure_of(interrupt_of(stop)))):
                answer: Answer = super().invoke(ctx)
        except (click.exceptions.Exit, BrokenPipeError):
            raise
        except BaseException as error:
            failure = complain(error)
            print_failure(form, ctx.command_path.split()[1:], _named_model(ctx), failure)
            return failure.exit_code
        try:
            if form == JSON:
                sys.stdout.write(json_text(answer.document()))
                sys.stdout.flush()
            elif answer.report is not None and form in BUILD_FORMATS:
                sys.stdout.write(answer.report(form))
                sys.stdout.flush()
            else:
                from symdmc.report.console import console_for

                answer.text(console_for(sys.stdout))
                sys.stdout.flush()
        except BrokenPipeError:  # the reader has seen enough; the verdict stands
            discard_stdout()
        return answer.exit_code


def within_limits(run: Run, work: Callable[[], Result]) -> Result:
    """What the work returns, held to the limits of the run; where even so one is not heeded, the process ends."""
    ctx = click.get_current_context()

    def last_words(stop: Stop) -> None:
        _write_last_words(ctx, failure_of(ResourceLimit(run.reason(stop), EXIT_CODES[stop])))

    try:
        return run.guarded(work, last_words)
    except LimitReached as reached:
        raise ResourceLimit(run.reason(reached.stop), EXIT_CODES[reached.stop]) from None


def _write_last_words(ctx: click.Context, failure: Failure) -> None:
    """What a command writes whose process ends in the midst of its work."""
    os.write(2, "".join(f"error: {line}\n" for line in failure.lines).encode())
    os.write(1, failure_text(_form(ctx), ctx.command_path.split()[1:], _named_model(ctx), failure).encode())


class Group(click.Group):
    """Commands under one name; help when none is named, the nearest when there is none of that name."""

    command_class = Command

    def __init__(self, *args: Any, example: str, **settings: Any) -> None:  # Any: click's own signature
        super().__init__(*args, **settings)
        self.example = example

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order of the help: as they were added."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Nothing given asks for help."""
        return super().parse_args(ctx, args or ["--help"] if not ctx.resilient_parsing else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of that name."""
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            remedy = did_you_mean(args[0], known, "choose another")
            raise WrongUsage(Code.UNKNOWN_COMMAND, f"there is no command {args[0]!r}; {remedy}", ctx)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """End with an example."""
        with formatter.section("Example"):
            formatter.write(f"  {self.example}\n")

    def named(self, words: Sequence[str]) -> list[str]:
        """The first words of a command line, as far as they name a command in this group or in one below it."""
        found = self.get_command(click.Context(self), words[0]) if words else None
        below = found.named(words[1:]) if isinstance(found, Group) else []
        return [] if found is None else [words[0], *below]


def _named_model(ctx: click.Context) -> str | None:
    """The model as far as it is spelled, right or wrong."""
    model, given = ctx.params.get("model"), ctx.params.get("parameters") or ()
    return model if model is None or not given else f"{model}{',' if ':' in model else ':'}{','.join(given)}"


def _form(ctx: click.Context) -> str:
    """The format that the answer is asked for in."""
    return JSON if ctx.params.get("as_json") else str(ctx.params.get("format") or TEXT)


def form_of(args: Sequence[str]) -> str:
    """The same for a command line that cannot be read as a whole."""
    named = (value for option, value in pairwise(args) if option == "--format")
    joined = (each.partition("=")[2] for each in args if each.startswith("--format="))
    return JSON if JSON_FLAG in args else next((form for form in (*named, *joined) if form in BUILD_FORMATS), TEXT)


def print_failure(form: str, command: Sequence[str], model: str | None, failure: Failure) -> None:
    """Write what a program reads where a command could not answer, if it is asked for and the command has it."""
    sys.stdout.write(failure_text(form, command, model, failure))
    sys.stdout.flush()


def failure_text(form: str, command: Sequence[str], model: str | None, failure: Failure) -> str:
    """The failure in the format that was asked for; empty for text, and if the words name no command that has it."""
    name = "-".join(command)
    if form in REPORTED.get(name, ()):
        return _reported_failure(form, model, failure)
    from symdmc.report.schemas import KEYS, complaint_document, document

    if form != JSON or name not in KEYS:
        return ""
    verdict = "unknown" if failure.is_limit and name in DECIDING else None
    known = {"verdict": verdict, "reason": failure.reason, "exit_code": failure.exit_code}
    complaints = [complaint_document(each) for each in failure.complaints]
    return json_text(document(name, model, None, **known, complaints=complaints))


def _reported_failure(form: str, model: str | None, failure: Failure) -> str:
    """The failure as build servers read it."""
    from symdmc.report.ci.finding import failure_finding
    from symdmc.report.ci.formats import FORMATS

    told = () if failure.complaints else failure.told
    finding = failure_finding(model, failure.complaints, told, failure.exit_code, is_limit=failure.is_limit)
    return FORMATS[form]([finding], None)


def json_text(document: Mapping[str, object]) -> str:
    """One JSON object; characters that are unprintable, or that stdout cannot write, are escaped as JSON has it."""
    only_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    return printable_lines(json.dumps(document, indent=2, ensure_ascii=only_ascii)) + "\n"


def discard_stdout() -> None:
    """Let what is still to be written go nowhere, so that a closed pipe causes no complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
