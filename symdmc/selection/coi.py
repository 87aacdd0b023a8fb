"""coi:d: the variables near the error condition, by the syntax of transitions."""

from __future__ import annotations

from collections.abc import Callable

from symdmc.selection.selection import Selection, reasons_for
from symdmc.task.interaction import cone_of_influence, error_variables
from symdmc.task.task import Task


def selection_coi(task: Task, *, depth: int | None = None, report: Callable[[str], None] = lambda _: None) -> Selection:
    """The variables of the error condition, and those that influence them in at most `depth` steps.

    Layer t + 1 has the variables that are read where one of layer t is written. Variables that never change are left
    out. Source: Qian and Nymeyer, as described in [KHL08] section 4.
    """
    report("cone of influence")
    layer = cone_of_influence(task, error_variables(task), depth)
    constant = {number for number, domain in enumerate(task.analysis.domains) if domain.count == 1}
    kept = tuple(sorted(set(layer) - constant)) or tuple(sorted(error_variables(task))) or (0,)
    far = "it does not influence the error condition" + ("" if depth is None else f" in {depth} steps or fewer")
    numbers = range(len(task.variables))
    return Selection(
        name="coi" if depth is None else f"coi:{depth}",
        patterns=(kept,),
        reasons=reasons_for(
            task,
            kept,
            {n: f"layer {layer[n]} of the cone of influence" if n in layer else "nothing else is left" for n in kept},
            {n: "it never changes" if n in constant else far for n in numbers},
        ),
        steps=tuple(f"layer {t}: {_names(task, layer, t)}" for t in sorted(set(layer.values()))),
    )


def _names(task: Task, layer: dict[int, int], chosen: int) -> str:
    return ", ".join(task.variables[number].name for number in sorted(layer) if layer[number] == chosen)
