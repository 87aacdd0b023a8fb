"""`symdmc completion`: let the shell complete commands, options and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import ShellComplete, get_completion_class

from symdmc.cli.command import Answer, Command

if TYPE_CHECKING:
    from rich.console import Console


@click.command(
    "completion",
    cls=Command,
    short_help="Print the completion script of a shell.",
    example='eval "$(symdmc completion bash)"\nsymdmc completion fish > ~/.config/fish/completions/symdmc.fish',
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> Answer:
    """Print the script that makes SHELL complete commands, options, files and the names of families."""
    chosen = get_completion_class(shell)
    assert chosen is not None
    # The script itself, without asking an installed shell for its version first.
    script = ShellComplete.source(chosen(ctx.find_root().command, {}, "symdmc", "_SYMDMC_COMPLETE"))

    def write(console: Console) -> None:
        console.file.write(script)

    return Answer(text=write)
