"""`symdmc completion`: let the shell complete commands, options and models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from symdmc.cli.command import Answer, Command

if TYPE_CHECKING:
    from rich.console import Console


_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value completion
    local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]}
    # Bash ends words at : and =, and replaces what stands behind them only.
    [[ $current == [:=]* ]] && current=
    local word=${line##*[[:space:]]}
    local kept=${word%%"$current"}
    for completion in $(env COMP_LINE="$line" %(complete_var)s=bash_complete $1); do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("${value#"$kept"}") ;;
        esac
    done
    [[ ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Completion for Bash that sees words as a person does, with the colons and equals signs in them."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and that one."""
        line = os.environ["COMP_LINE"]
        _, *words = split_arg_string(line)
        return (words, "") if line[-1:].isspace() or not words else (words[:-1], words[-1])


add_completion_class(Bash)


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
