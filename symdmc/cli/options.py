"""The arguments and options that several commands share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from symdmc.cli.command import Answer, Option, within_limits
from symdmc.cli.outputs import OUTPUT
from symdmc.cli.spelled_completion import options_behind
from symdmc.cli.usage import WrongUsage, WrongValue
from symdmc.errors import Code
from symdmc.reader.load import Spelling
from symdmc.running.run import Limits, Run
from symdmc.search.symbolic.options import DIRECTIONS, ORDERS, SymbolicOptions
from symdmc.spelling.speech import option_on_command_line
from symdmc.spelling.suggestions import listed

Request = TypeVar("Request")
Decorator: TypeAlias = Callable[[Callable[..., Answer]], Callable[..., Answer]]

MODEL, QUESTION, SEARCH, LIMITS = "Model", "Question", "Search", "Limits"
MOST_DIGITS = 18
SEED = click.IntRange(0, 2**63 - 1)
FILE = click.Path(path_type=Path)
DEFAULTS = SymbolicOptions()


def complete_model(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Families and model files that start like this; where no family does, whatever the shell finds.

    Behind a colon, the parameters of the family.
    """
    from symdmc.reader.families import families

    named = {family.name: family for family in families()}.get(incomplete.partition(":")[0])
    if named is not None and ":" in incomplete:
        return [CompletionItem(each) for each in options_behind(incomplete, named.parameters, ":")]
    names = [family.name for family in families() if family.name.startswith(incomplete)]
    if not names:
        return [CompletionItem(incomplete, type="file")]
    folder = [entry.name + "/" * entry.is_dir() for entry in os.scandir(".") if entry.name.startswith(incomplete)]
    models = [
        name for name in folder if name.lower().endswith(("/", ".dve", ".json", ".py")) and not name.startswith(".")
    ]
    return [CompletionItem(name) for name in (*names, *sorted(models))]


class Seconds(click.FloatRange):
    """A time that has passed or may pass; not a number is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time in seconds."""
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a time", param, ctx)
        return seconds


def _step_count(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """A number of steps, None for all."""
    if value == "all":
        return None
    if not value.isdecimal() or len(value) > MOST_DIGITS:
        raise WrongValue(Code.WRONG_OPTION_VALUE, f"{value!r} is neither a number of steps nor 'all'", ctx, param)
    return int(value)


def model_argument(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """MODEL and its parameters, joined into the single value `model`."""

    @wraps(function)
    def joined(*, model: str, parameters: tuple[str, ...], **rest: Any) -> Answer:
        return function(model=Spelling(model, _pairs(parameters)), **rest)

    text = "A parameter of a family or .py model; may be repeated."
    parameters = option_in(MODEL, "-p", "parameters", multiple=True, metavar="KEY=VALUE", help=text)
    return stacked(click.argument("model", shell_complete=complete_model), parameters)(joined)


def _pairs(parameters: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs: dict[str, str] = {}
    for text in parameters:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key:
            raise WrongValue(Code.WRONG_OPTION_VALUE, f"{text!r} is not of the form KEY=VALUE", param_hint="'-p'")
        if key in pairs:
            raise WrongValue(Code.GIVEN_TWICE, f"{key!r} is given twice", param_hint="'-p'")
        pairs[key] = value
    return tuple(pairs.items())


def question_options(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """What is asked, gathered into the single value `question`."""

    @wraps(function)
    def gathered(**values: Any) -> Answer:
        from symdmc.checking.request import Question, QuestionOptions, made_of

        options, rest = _split(values, QuestionOptions.__annotations__)
        return function(question=made_of(Question, options), **rest)

    return stacked(*question_decorators())(gathered)


def request_options(kind: str, *decorators: Decorator) -> Decorator:
    """The options of a request, those that were given gathered into the single value `options`.

    `kind` names the TypedDict in `checking.request` that has all of them; `decorators` are the options themselves.
    """

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(function)
        def gathered(**values: Any) -> Answer:
            from symdmc.checking import request

            options, rest = _split(values, getattr(request, kind).__annotations__)
            return function(options=options, **rest)

        return stacked(*decorators)(gathered)

    return decorate


def _split(values: Mapping[str, Any], known: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those of the known options that stand on the command line, and all other values."""
    ctx, names = click.get_current_context(), frozenset(known)
    options = {key: value for key, value in values.items() if key in names and is_given(ctx, key)}
    return options, {key: value for key, value in values.items() if key not in names}


def fitting(make: Callable[..., Request], options: Mapping[str, Any], layers: Path | None) -> Request:
    """The request that `make` makes of the options; a refusal names them as the command line does.

    Layers are counted where they are shown: in the picture that the path names, or as JSON.
    """
    from symdmc.checking.rules import RefusedRequest

    ctx, is_symbolic = click.get_current_context(), options.get("engine") == "symbolic"
    shown = {"count_layers": layers is not None or ctx.params["as_json"]} if is_symbolic else {}
    try:
        request = make(**options, **shown)
    except RefusedRequest as refusal:
        complaints = "; ".join(str(each) for each in refusal.complaints_in(option_on_command_line))
        if refusal.option is not None:
            hint = f"'{option_on_command_line(refusal.option, None)}'"
            raise WrongValue(refusal.told[0].code, complaints, ctx, param_hint=hint) from None
        raise WrongUsage(refusal.told[0].code, complaints, ctx) from None
    if layers is not None and not is_symbolic:
        raise WrongUsage(Code.OPTION_WITHOUT_EFFECT, "--layers is for --engine symbolic", ctx)
    return request


def question_decorators() -> tuple[Decorator, ...]:
    """The options that ask something."""
    expression = (
        "States where EXPR holds are error states; 'fault' stands for those from which a step faults. "
        "Repeated: any of them."
    )
    file = "A file of lines 'name; expression'."
    return (
        option_in(QUESTION, "--error", multiple=True, metavar="EXPR", help=expression),
        option_in(QUESTION, "--property", metavar="NAME", help="A named property."),
        option_in(QUESTION, "--properties", "properties_file", type=FILE, metavar="FILE", help=file),
        option_in(QUESTION, "--deadlock", is_flag=True, help="States without a step are error states."),
        option_in(QUESTION, "--assertions", is_flag=True, help="States that break an assertion are error states."),
    )


def engine_decorators(*names: str) -> tuple[Decorator, ...]:
    """The engine, and the named options of the symbolic one."""
    return (_ENGINE, *(_SYMBOLIC[name] for name in names))


def drawn_layers(text: str) -> Decorator:
    """Where layers are drawn, as `layers`; the text says what they are."""

    return output_option("--layers", type=FILE, callback=ending_in(".svg"), metavar="FILE.svg", help=text)


def ending_in(*suffixes: str) -> Callable[[click.Context, click.Parameter, Path | None], Path | None]:
    """Checks that the name of a file ends in one of these."""

    def checked(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None and value.suffix.lower() not in suffixes:
            raise WrongValue(Code.WRONG_SUFFIX, f"{str(value)!r} does not end in {listed(suffixes)}", ctx, param)
        return value

    return checked


def refuse_given(ctx: click.Context, options: Iterable[str], needed: str) -> None:
    """Complain about the first of these options that was given: it means something only with what is needed."""
    for option in options:
        if is_given(ctx, option.removeprefix("--").replace("-", "_")):
            raise WrongUsage(Code.OPTION_WITHOUT_EFFECT, f"{option} is for {needed}", ctx)


def is_given(ctx: click.Context, key: str) -> bool:
    """Whether the option whose value has this name stands on the command line."""
    return ctx.get_parameter_source(key) is ParameterSource.COMMANDLINE


def limit_options(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Time and memory, gathered into the single value `run`, whose clock starts here."""

    @wraps(function)
    def gathered(*, time_limit: float | None, memory_limit: int | None, **rest: Any) -> Answer:
        age = click.get_current_context().obj or 0.0
        run = Run(Limits(seconds=time_limit, memory_mb=memory_limit), age=age)
        return within_limits(run, lambda: function(run=run, **rest))

    return stacked(*limit_decorators("Stop", "none"))(gathered)


def limit_decorators(verb: str, default: str) -> tuple[Decorator, Decorator]:
    """The limits of time and memory: what they do, and how much memory there is without a limit."""
    seconds, text = Seconds(min=0), f"{verb} after this many seconds."
    return (
        option_in(LIMITS, "--time-limit", type=seconds, metavar="SECONDS", show_default="none", help=text),
        number_option(
            LIMITS, "--memory-limit", metavar="MB", show_default=default, help=f"{verb} at this many megabytes."
        ),
    )


def json_option(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """Whether a program reads the answer; `Command` acts on it, the function does not see it."""

    @wraps(function)
    def without(*, as_json: bool, **rest: Any) -> Answer:
        return function(**rest)

    text = "Print one JSON object instead of text."
    return output_option("--json", "as_json", is_flag=True, help=text)(without)


def option_in(group: str, *names: str, **settings: Any) -> Decorator:
    """An option that the help lists under a heading."""
    return click.option(*names, cls=Option, group=group, **settings)


def number_option(group: str, *names: str, least: int = 1, metavar: str = "N", **settings: Any) -> Decorator:
    """An option that takes a whole number, no smaller than the least."""
    return option_in(group, *names, type=click.IntRange(min=least), metavar=metavar, **settings)


def seed_option(text: str, group: str = SEARCH) -> Decorator:
    """The seed of what is random; the text says what that is."""
    return option_in(group, "--seed", type=SEED, default=0, metavar="N", help=text)


output_option = partial(option_in, OUTPUT)
search_option = partial(option_in, SEARCH)


def stacked(*decorators: Decorator) -> Decorator:
    """All decorators in one; the first one's option comes first in the help."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


layers_option = drawn_layers("Draw how many states and nodes each layer of a symbolic search has, to FILE.svg.")
sequence_option = output_option(
    "--sequence",
    type=FILE,
    callback=ending_in(".mmd"),
    metavar="FILE.mmd",
    help="Draw the trace as a sequence diagram in Mermaid.",
)
quiet_option = output_option(
    "--quiet", is_flag=True, help="Print the verdict and faults only: no trace, costs, notes, warnings or progress."
)
steps_option = output_option(
    "--steps",
    callback=_step_count,
    default="20",
    metavar="N|all",
    help="How many steps of a trace to print; a longer one is cut in the middle.",
)
_ENGINE = search_option(
    "--engine",
    type=click.Choice(["explicit", "symbolic"]),
    default="explicit",
    help="Visit the states one by one, or work on sets of them (decision diagrams).",
)
_SYMBOLIC = {
    "--direction": search_option(
        "--direction",
        type=click.Choice(DIRECTIONS),
        default=DEFAULTS.direction,
        help="Symbolic: from the initial states, from the error states, or from both.",
    ),
    "--order": search_option(
        "--order",
        type=click.Choice(ORDERS),
        default=DEFAULTS.order,
        help="Symbolic: how the variables are ordered in the diagrams.",
    ),
    "--seed": seed_option("Symbolic: decides what the search for an order draws at random."),
    "--sift": search_option("--sift", is_flag=True, help="Symbolic: keep improving the order during the run."),
    "--merge-limit": number_option(
        SEARCH,
        "--merge-limit",
        least=0,
        show_default="chosen by the engine",
        help="Symbolic: most nodes of a merged part of the relation; 0 keeps all parts apart.",
    ),
    "--node-limit": number_option(
        LIMITS, "--node-limit", show_default="none", help="Symbolic: stop at this many nodes of diagrams."
    ),
}
"""The options of the symbolic engine; each command has those that mean something to it."""
