"""Wrong use of a command, with the code of the complaint."""

from __future__ import annotations

import click

from symdmc.errors import Code


class WrongUsage(click.UsageError):
    """The words of a command line do not fit together."""

    def __init__(self, code: Code, message: str, ctx: click.Context | None = None) -> None:
        super().__init__(message, ctx)
        self.code = code


class WrongValue(click.BadParameter):
    """The value of one option or argument is wrong."""

    def __init__(
        self,
        code: Code,
        message: str,
        ctx: click.Context | None = None,
        param: click.Parameter | None = None,
        param_hint: str | None = None,
    ) -> None:
        super().__init__(message, ctx, param, param_hint)
        self.code = code


def code_of(error: click.UsageError) -> Code:
    """The code of a usage error, of click's own too."""
    match error:
        case WrongUsage() | WrongValue():
            return error.code
        case click.MissingParameter():
            return Code.MISSING_ARGUMENT
        case click.BadParameter(param=click.Parameter(type=click.Choice())):
            return Code.UNKNOWN_OPTION_VALUE
        case click.NoSuchOption():
            return Code.UNKNOWN_OPTION
        case click.BadParameter() | click.BadOptionUsage():
            return Code.WRONG_OPTION_VALUE
        case _:
            return Code.UNEXPECTED_ARGUMENT
