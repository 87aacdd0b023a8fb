"""`symdmc explain`: what does the code of a complaint mean?"""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import json_option
from symdmc.cli.usage import WrongValue
from symdmc.errors import Code
from symdmc.spelling.suggestions import did_you_mean


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from symdmc.report.complaints import PAGES

    return [
        CompletionItem(code.value, help=page.summary) for code, page in PAGES.items() if code.startswith(incomplete)
    ]


@click.command(
    "explain",
    cls=Command,
    short_help="Say what the code of an error or a warning means, and what to do.",
    example="symdmc explain unknown-name",
)
@click.argument("code", required=False, shell_complete=_complete_code)
@json_option
@click.pass_context
def command(ctx: click.Context, *, code: str | None) -> Answer:
    """Say what CODE means, which stands in brackets behind an error or a warning: how it comes about, what to do about
    it, and an example. Without CODE, list all codes.
    """
    from symdmc.report.complaints import PAGES, SECTIONS
    from symdmc.report.explanations import explain_document, print_codes, print_page

    if code is None:
        return Answer(
            text=lambda console: print_codes(console, SECTIONS), document=lambda: explain_document([*PAGES.values()])
        )
    name = code.removeprefix("[").removesuffix("]")
    if name not in PAGES:
        remedy = did_you_mean(name, [each.value for each in Code], "`symdmc explain` lists them")
        raise WrongValue(Code.UNKNOWN_OPTION_VALUE, f"there is no code {name!r}; {remedy}", ctx, param_hint="'CODE'")
    page = PAGES[Code(name)]
    return Answer(text=lambda console: print_page(console, page), document=lambda: explain_document([page]))
