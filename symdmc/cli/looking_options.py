"""The options of looking along a trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from symdmc.cli.command import Answer
from symdmc.cli.failures import say
from symdmc.cli.heuristic_options import complete_heuristic
from symdmc.cli.options import Decorator, number_option, option_in, stacked
from symdmc.cli.usage import WrongUsage, WrongValue
from symdmc.errors import Code
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.look import Look, LookRequest
    from symdmc.checking.preparing import Workshop
    from symdmc.checking.request import CheckRequest
    from symdmc.task import Task

TRACE = "Trace"


def looking_options(*names: str) -> Decorator:
    """The named options of looking along a trace, gathered into the single value `looking`."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(function)
        def gathered(**values: Any) -> Answer:
            keys = [name.removeprefix("--").replace("-", "_") for name in names]
            asked = {key: values.pop(key) for key in keys if key in values}
            return function(looking=look_request(**asked), **values)

        return stacked(*(_OPTIONS[name] for name in names))(gathered)

    return decorate


def look_request(
    *,
    watch: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    estimate: tuple[str, ...] = (),
    avoidable: bool = False,
    budget: int | None = None,
    why_not: tuple[str, ...] = (),
    at: int | None = None,
) -> LookRequest:
    """What is to be shown of a trace; refuses what means nothing."""
    from symdmc.checking.look import LookRequest

    ctx = click.get_current_context()
    for option, value, needed, there in (
        ("--budget", budget, "--avoidable", avoidable),
        ("--at", at, "--why-not", bool(why_not)),
    ):
        if value is not None and not there:
            raise WrongUsage(Code.OPTION_WITHOUT_EFFECT, f"{option} is for {needed}", ctx)
    requests = []
    if estimate:
        from symdmc.checking.request import check_request
        from symdmc.checking.rules import RefusedRequest
    for text in estimate:
        try:
            requests.append(check_request(heuristic=text))
        except RefusedRequest as refusal:
            complaints = "; ".join(map(str, refusal.complaints_in(_in_a_spelling)))
            raise WrongValue(refusal.told[0].code, complaints, ctx, param_hint="'--estimate'") from None
    spent = {} if budget is None else {"budget": budget}
    return LookRequest(
        watched=watch, only=only, estimates=tuple(requests), avoidable=avoidable, why_not=why_not, at=at, **spent
    )


def _in_a_spelling(option: str, value: str | None) -> str:
    """Options of a heuristic as they stand in its spelling."""
    spelled = {"pattern": "pdb,keep=NAMES", "predicate": "pred:given,file=FILE", "predicates_file": "a file"}
    return spelled.get(option, option) if value is None else value


def workshop_for(task: Task, request: CheckRequest, asked: LookRequest) -> Workshop | None:
    """Where the search leaves its heuristics, if they may be asked for along the trace."""
    if not (asked.estimates and request.heuristics):
        return None
    from symdmc.checking.preparing import Workshop

    return Workshop(task)


def looked(
    trace: Trace | None,
    system: System,
    error: ErrorCondition | None,
    asked: LookRequest,
    run: Run,
    *,
    quiet: bool = False,
    workshop: Workshop | None = None,
) -> Look:
    """What is asked for of a trace, if there is one; what is not there for some reason is noted.

    The workshop is that of the search for the trace.
    """
    from symdmc.checking.look import NOTHING, LookRequest

    if trace is None or asked == LookRequest():
        return NOTHING
    from symdmc.checking.looking import look_along
    from symdmc.report.progress import progress_on_terminal

    with progress_on_terminal(run, quiet=quiet):
        look = look_along(trace, system, error, asked, run, workshop)
    if not quiet:
        say(look.missing, "note")
    return look


_OPTIONS: dict[str, Decorator] = {
    "--watch": option_in(
        TRACE,
        "--watch",
        multiple=True,
        metavar="EXPR",
        help="A column with the value of EXPR; a process means its location, an array or buffer all it holds. "
        "May be repeated.",
    ),
    "--only": option_in(
        TRACE,
        "--only",
        multiple=True,
        metavar="NAMES",
        help="Print only the steps and variables of these processes, and changes of these variables, such as 'P,x,Q*'.",
    ),
    "--estimate": option_in(
        TRACE,
        "--estimate",
        multiple=True,
        metavar="NAME[:ARG][,KEY=VALUE]...",
        shell_complete=complete_heuristic,
        help="A column with what this heuristic estimates in each state. May be repeated.",
    ),
    "--avoidable": option_in(
        TRACE,
        "--avoidable",
        is_flag=True,
        help="Say after which step every way leads to the error, and which other steps would have avoided it; "
        "dead ends of --estimate count.",
    ),
    "--budget": number_option(
        TRACE,
        "--budget",
        show_default="20000",
        help="--avoidable: how many states to visit for each of the two answers.",
    ),
    "--why-not": option_in(
        TRACE,
        "--why-not",
        multiple=True,
        metavar="EDGE",
        help="Say what keeps an edge from being taken: 'P: a -> b', P, a channel, or a label as in a trace. "
        "May be repeated.",
    ),
    "--at": number_option(
        TRACE, "--at", least=0, show_default="the last", help="--why-not: in the state after N steps."
    ),
}
