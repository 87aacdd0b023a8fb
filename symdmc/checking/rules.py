"""What fits together in a request: all rules, as a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from symdmc.errors import Code, Complaint, ModelError
from symdmc.spelling.speech import option_in_python

if TYPE_CHECKING:
    from symdmc.checking.request import CheckRequest

Speech: TypeAlias = Callable[[str, str | None], str]
"""How an option is written, by its name in Python and its value; None where no value matters."""


class RefusedRequest(ModelError):
    """Options are wrong, or do not fit together; names of options are in braces: `{heuristic:pdb}`, `{pattern}`."""

    def __init__(self, told: tuple[Complaint, ...], option: str | None = None) -> None:
        self.option = option
        """The one that is wrong by itself; None where several do not fit together."""
        self.told = told
        super().__init__(self.complaints_in(option_in_python))

    def complaints_in(self, speech: Speech) -> list[Complaint]:
        """The complaints, with options written as the user writes them."""
        if self.option is not None:
            return list(self.told)
        return [
            replace(each, what=_spoken(each.what, speech), remedy=_spoken(each.remedy, speech)) for each in self.told
        ]


def _spoken(text: str, speech: Speech) -> str:
    return re.sub(r"\{(\w+)(?::([^{}]*))?\}", lambda found: speech(found[1], found[2]), text)


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that a request must not be."""

    code: Code
    what: str
    """The complaint; SEARCH, HEURISTIC and OPTION stand for those of the request."""
    remedy: str
    breaks: Callable[[CheckRequest], bool]
    options: tuple[str, ...] = ()
    """The rule is for requests in which one of these is given; none: for all requests."""


def _some(r: CheckRequest, attribute: str) -> bool:
    """Whether a heuristic of the request says yes."""
    return any(getattr(each.options, attribute) for each in r.heuristics)


def _all_have_patterns(r: CheckRequest) -> bool:
    return all(each.options.patterns is not None for each in r.heuristics)


def _spell(r: CheckRequest, attribute: str) -> bool:
    """Whether some database of patterns has a value of its own spelled."""
    found = (each.options.patterns for each in r.heuristics)
    return any(each is not None and getattr(each, attribute) is not None for each in found)


ONLY_SYMBOLIC = Rule(
    Code.OPTION_WITHOUT_EFFECT,
    "OPTION is for {engine:symbolic}",
    "leave it out",
    lambda r: not r.is_symbolic,
    ("direction", "order", "sift", "merge_limit", "node_limit", "count_layers"),
)
RULES: tuple[Rule, ...] = (
    # ---- the search, the engine and the heuristic
    Rule(
        Code.NEEDS_ANOTHER_OPTION,
        "{search:SEARCH} needs a heuristic",
        "give one, such as {heuristic:pdb:cegar}",
        lambda r: r.search.IS_DIRECTED and not r.heuristics,
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{search:SEARCH} takes no heuristic",
        "leave one of them out",
        lambda r: bool(r.heuristics) and not r.search.IS_DIRECTED,
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{search:SEARCH} is for {engine:explicit}",
        "leave it out",
        lambda r: r.is_symbolic and not r.search.IS_SYMBOLIC,
    ),
    ONLY_SYMBOLIC,
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for {search:rdfs} and for {engine:symbolic}",
        "leave it out",
        lambda r: not r.is_symbolic and not r.search.IS_RANDOM,
        ("seed",),
    ),
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for searches without a heuristic",
        "leave it out: symbolic A* always goes forward",
        lambda r: bool(r.heuristics),
        ("direction",),
    ),
    # ---- what databases keep
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for {heuristic:pdb} without a selection",
        "leave it out, or use {heuristic:pdb}",
        lambda r: not _some(r, "needs_pattern"),
        ("pattern", "database"),
    ),
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for {heuristic:pred:given}",
        "leave it out, or use {heuristic:pred:given}",
        lambda r: not _some(r, "TAKES_PREDICATES"),
        ("predicate", "predicates_file"),
    ),
    Rule(
        Code.NEEDS_ANOTHER_OPTION,
        "a pattern database needs a pattern",
        "name what it keeps with {pattern}, or a selection, as in {heuristic:pdb:dpr}",
        lambda r: _some(r, "needs_pattern") and not (r.databases.patterns or r.databases.files or r.databases.opened),
    ),
    Rule(
        Code.NEEDS_ANOTHER_OPTION,
        "there is no predicate",
        "give one with {predicate}, or a file with {predicates_file} or pred:given,file=FILE",
        lambda r: _some(r, "needs_predicates") and not (r.databases.predicates or r.databases.predicate_files),
    ),
    # ---- how databases are built
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for heuristics that build databases, such as {heuristic:pdb}",
        "leave it out",
        lambda r: not _some(r, "BUILDS_DATABASES"),
        ("complete",),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "predicates and merged values are projected exactly",
        "leave {projection} out",
        lambda r: r.databases.projection != "exact" and _some(r, "IS_PROJECTED_EXACTLY"),
    ),
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for databases of patterns, such as those of {heuristic:pdb}",
        "leave it out",
        lambda r: not _some(r, "patterns"),
        ("perimeter", "projection"),
    ),
    # ---- how databases are combined and asked
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for {heuristic:pdb}",
        "leave it out",
        lambda r: not r.heuristics,
        ("combine", "lookup"),
    ),
    Rule(
        Code.OPTION_WITHOUT_EFFECT,
        "OPTION is for {engine:explicit}",
        "leave it out",
        lambda r: r.is_symbolic,
        ("combine", "lookup"),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "only pattern databases can share costs",
        "leave {combine:sum} out",
        lambda r: r.combine == "sum" and not _all_have_patterns(r),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{lookup:layers} is for pattern databases",
        "leave it out",
        lambda r: r.lookup == "layers" and not _all_have_patterns(r),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{lookup:layers} has no sum",
        "leave {combine:sum} or {lookup:layers} out",
        lambda r: r.combine == "sum" and r.lookup == "layers",
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "databases with a perimeter cannot share costs",
        "leave {combine:sum} or {perimeter} out",
        lambda r: r.databases.perimeter is not None and r.combine == "sum",
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{lookup:layers} has no perimeter",
        "leave {lookup:layers} or {perimeter} out",
        lambda r: r.databases.perimeter is not None and r.lookup == "layers",
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "{lookup:layers} needs databases that are built for it",
        "give {pattern} instead of a database",
        lambda r: bool(r.databases.files or r.databases.opened) and r.lookup == "layers",
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "'work' is for the maximum of flat look-up tables",
        "leave it out of HEURISTIC",
        lambda r: (r.combine == "sum" or r.lookup == "layers") and _spell(r, "work"),
    ),
    # ---- the symbolic engine
    Rule(
        Code.OPTIONS_CONFLICT,
        "the symbolic engine takes pattern databases only, not HEURISTIC",
        "use {heuristic:pdb:dpr}, for one, or leave the heuristic out",
        lambda r: r.is_symbolic and not _all_have_patterns(r),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "the symbolic engine has one order for the search and all databases",
        "name it with {order}, not in HEURISTIC",
        lambda r: r.is_symbolic and _spell(r, "order"),
    ),
    Rule(
        Code.OPTIONS_CONFLICT,
        "the symbolic engine has no 'work'",
        "leave it out of HEURISTIC",
        lambda r: r.is_symbolic and _spell(r, "work"),
    ),
)
"""Of a check, in the order in which they are looked at; the first that is broken is told."""
RULES_OF_EXPLORING = (replace(ONLY_SYMBOLIC, options=(*ONLY_SYMBOLIC.options, "seed")),)


def require_fitting(request: CheckRequest, given: Iterable[str], rules: Sequence[Rule] = RULES) -> None:
    """Raise RefusedRequest for the first rule that a request breaks; `given` has the options that the user gave."""
    asked = frozenset(given)
    for rule in rules:
        concerned = [option for option in rule.options if option in asked]
        if (rule.options and not concerned) or not rule.breaks(request):
            continue
        words = {
            "SEARCH": request.search.spelling,
            "HEURISTIC": request.heuristic_text,
            "OPTION": f"{{{concerned[0]}}}" if concerned else "",
        }
        raise RefusedRequest((Complaint(rule.code, _filled(rule.what, words), _filled(rule.remedy, words)),))


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub("|".join(words), lambda found: words[found[0]], text)
