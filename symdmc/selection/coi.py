"""pdb:coi:DEPTH: the variables near the error condition, by the syntax of transitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from symdmc.selection.selection import Report, Selection, SelectionOptions, reasons_for, silent
from symdmc.spelling.parameters import MANY, Between
from symdmc.spelling.plurals import counted
from symdmc.task.interaction import cone_of_influence, error_variables
from symdmc.task.task import Task

FAR = "it does not influence the error condition"
LAST = "nothing else is left"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeOfInfluence(SelectionOptions):
    """The variables near the error condition.

    Layer t + 1 has the variables that are read where one of layer t is written. Variables that never change are left
    out. Source: Qian and Nymeyer, as described in [KHL08] section 4.

    depth: through how many transitions they may influence it; all of them where it is left out
    """

    ARGUMENT: ClassVar[str | None] = "depth"
    EXAMPLES: ClassVar[tuple[str, ...]] = ("pdb:coi", "pdb:coi:1")

    depth: Annotated[int, Between(0, MANY)] | None = None

    def select(self, task: Task, report: Report = silent) -> Selection:
        """The variables of the layers up to the depth."""
        report("cone of influence")
        layer = cone_of_influence(task, error_variables(task), self.depth)
        constant = {number for number, domain in enumerate(task.analysis.domains) if domain.count == 1}
        kept = tuple(sorted(set(layer) - constant)) or tuple(sorted(error_variables(task))) or (0,)
        far = "it does not influence the error condition" + (
            "" if self.depth is None else f" in {counted(self.depth, 'step')} or fewer"
        )
        numbers = range(len(task.variables))
        return Selection(
            name="coi" if self.depth is None else f"coi:{self.depth}",
            patterns=(kept,),
            reasons=reasons_for(
                task,
                kept,
                {
                    n: f"layer {layer[n]} of the cone of influence" if n in layer else "nothing else is left"
                    for n in kept
                },
                {n: "it never changes" if n in constant else far for n in numbers},
            ),
            steps=tuple(f"layer {t}: {_names(task, layer, t)}" for t in sorted(set(layer.values()))),
        )


def _names(task: Task, layer: dict[int, int], chosen: int) -> str:
    return ", ".join(task.variables[number].name for number in sorted(layer) if layer[number] == chosen)
