"""What the registries have: each heuristic and selection with its options, for listing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from symdmc.checking.derived import DOMAIN_SELECTIONS
from symdmc.checking.heuristics import HEURISTICS
from symdmc.checking.names import require_known
from symdmc.checking.predicates import PREDICATE_SELECTIONS
from symdmc.checking.selections import SELECTIONS
from symdmc.spelling.parameters import Parameter, parameters_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """A heuristic or a selection as a user sees it."""

    name: str
    argument: str | None
    """The option that may stand behind the colon."""
    summary: str
    parameters: tuple[Parameter, ...]

    @property
    def spelling(self) -> str:
        """How it is written, with a word for its argument."""
        return self.name if self.argument is None else f"{self.name}:{self.argument.upper()}"


def heuristic_entries() -> list[CatalogueEntry]:
    """All heuristics."""
    return [_entry(name, entry.recipe, entry.argument) for name, entry in HEURISTICS.items()]


def selection_entries() -> list[CatalogueEntry]:
    """All selections of patterns, of classes of values, and of predicates, as they are written."""
    chosen = [_entry(f"pdb:{name}", recipe, recipe.ARGUMENT) for name, recipe in SELECTIONS.items()]
    chosen += [_entry(f"domain:{name}", recipe, None) for name, recipe in DOMAIN_SELECTIONS.items()]
    return [*chosen, *(_entry(f"pred:{name}", recipe, None) for name, recipe in PREDICATE_SELECTIONS.items())]


def entry_named(name: str) -> CatalogueEntry:
    """The entry of a name; selections are known with and without `pdb:`. Raises ModelError where there is none."""
    entries = {entry.name: entry for entry in (*heuristic_entries(), *selection_entries())}
    wanted = f"pdb:{name}" if name in SELECTIONS else name
    require_known("heuristic", wanted, list(entries))
    return entries[wanted]


def _entry(name: str, recipe: Callable[..., object], argument: str | None) -> CatalogueEntry:
    summary = (inspect.getdoc(recipe) or "").split("\n\n", maxsplit=1)[0]
    return CatalogueEntry(
        name=name, argument=argument, summary=" ".join(summary.split()), parameters=parameters_of(recipe)
    )
