"""Options at random, from the tables of components; what does not fit together, the rules of symdmc refuse."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from campaigns.fuzz.drafts import Draft
from symdmc.checking.request import CHOICES, check_request
from symdmc.errors import ModelError
from symdmc.heuristics import HEURISTICS
from symdmc.search import SEARCHES
from symdmc.selection import SELECTIONS
from symdmc.spelling.parameters import Parameter
from symdmc.spelling.spelled import name_in

Options = dict[str, Any]  # Any: what `check` takes

COMPILED = {"search.explicit.explicit.REFERENCE_BUDGET": 0}
MACHINE_CODE = {"search.explicit.compiled.FIRST_SLICE": 2, "search.explicit.compiled.NATIVE_FROM": 0}
OTHERS = {
    "evidence.certify.MOST_EXPLICIT_BY_REFEREE": (-1,),
    "evidence.visiting.visiting.STATES_PER_NODE": (-1, 10**6),
    "evidence.visiting.visiting.PORTION": (7,),
    "task.values.analysis.MOST_ROWS": (0, 40),
    "task.values.analysis.GROWTHS": (0, 2),
    "task.flatten.MOST_LISTED_TEAMS": (0,),
    "encode.expressions.MOST_PAIRS": (0,),
    "encode.relation.parts.MOST_CASES": (0,),
    "encode.relation.parts.MOST_CONSTANTS": (0,),
    "encode.relation.chosen_cells.MOST_BOXES": (0,),
    "encode.relation.chosen_cells.MOST_ROWS": (0,),
    "encode.relation.lockstep.LEAST_TEAMS": (0,),
    "encode.relation.relation.MOST_ENABLED": (0,),
    "encode.value_pairs.pairs.BUDGET": (0, 30),
    "abstraction.merging.factors.MOST_ROWS": (0, 3),
    "abstraction.merging.factors.MOST_ERRORS": (1,),
    "abstraction.cartesian.preimages.MOST_COMBINATIONS": (0, 1),
    "task.relaxation.conditions.MOST_ROWS": (0, 4),
    "encode.tables.export.MOST_ENTRIES": (0, 20),
}
"""Numbers that decide how an answer is found, never which, with values that send small systems other ways."""
TRACE = "trace.json"
"""Stands in a spelling for a file with a trace, which is written when the attack is carried out."""
CHEAP = ("blind", "fsm-max", "hL", "hL,joint=false", "merge:4", "merge:20", "aa,shrink=bisimulation", "fsm-sum")
SMALL = (0, 1, 2, 3, 5, 20)


def drawn_budgets(random: Random, compiled: int = 50) -> dict[str, int]:
    """The compiled engine, forced in `compiled` of a hundred runs, half of them with machine code; seldom others."""
    found: dict[str, int] = {}
    if random.randrange(100) < compiled:
        found |= COMPILED | (MACHINE_CODE if random.random() < 0.5 else {})
    if random.random() < 0.4:
        for name in random.sample(sorted(OTHERS), random.randint(1, 5)):
            found[name] = random.choice(OTHERS[name])
    return found


def drawn_options(random: Random, draft: Draft, kind: str) -> Options:
    """Options for an attack of a kind."""
    if kind == "explore":
        return _exploring(random)
    if kind == "database":
        return _database(random, draft)
    if kind in ("evidence", "shorten"):
        return {}
    if kind == "own":
        return _own(random)
    for _ in range(50):
        options = _checking(random, draft, heuristic=kind == "estimates" or random.random() < 0.7)
        try:
            check_request(**options)
        except ModelError:
            continue
        names = list(options)
        random.shuffle(names)
        return {name: options[name] for name in names}
    return {"heuristic": ["blind"]} if kind == "estimates" else {"certify": True}


def cheap_directed_options(random: Random) -> Options:
    """A directed search with a heuristic that is made at once."""
    return {
        "heuristic": [random.choice(CHEAP)],
        "search": random.choice((*directed_searches(), "astar", "astar")),
        "certify": True,
    }


def _own(random: Random) -> Options:
    """A search with a heuristic of a user's own: what it declares, and whether its estimates are any numbers at all."""
    is_wild = random.random() < 0.3
    return {
        "search": random.choice(directed_searches()),
        "certify": random.random() < 0.5,
        "wild": is_wild,
        "admissible": not is_wild and random.random() < 0.7,
        "consistent": not is_wild and random.random() < 0.3,
    }


def directed_searches() -> list[str]:
    """Examples of all searches that follow a heuristic."""
    return [text for name in SEARCHES if SEARCHES[name].IS_DIRECTED for text in SEARCHES[name].EXAMPLES]


def _exploring(random: Random) -> Options:
    if random.random() < 0.5:
        return {}
    return {"engine": "symbolic", "order": random.choice(CHOICES["order"]), "layered": random.random() < 0.6}


def _database(random: Random, draft: Draft) -> Options:
    options: Options = {"pattern": drawn_pattern(random, draft), "complete": random.random() < 0.5}
    if random.random() < 0.3:
        options["projection"] = random.choice(CHOICES["projection"])
    if random.random() < 0.3:
        options["perimeter"] = random.randrange(4)
    return options | {"order": random.choice(CHOICES["order"])}


def _checking(random: Random, draft: Draft, *, heuristic: bool) -> Options:
    options: Options = {"certify": random.random() < 0.7}
    symbolic = random.random() < (0.12 if heuristic else 0.6)
    if symbolic:
        options["engine"] = "symbolic"
        maybe: dict[str, Callable[[], Any]] = {
            "direction": lambda: random.choice(CHOICES["direction"]),
            "order": lambda: random.choice(CHOICES["order"]),
            "seed": lambda: random.randrange(9),
            "sift": lambda: True,
            "merge_limit": lambda: random.choice((0, 10, 1000)),
            "count_layers": lambda: True,
        }
        if heuristic:
            del maybe["direction"]
        for name, value in maybe.items():
            if random.random() < (0.7 if name == "direction" else 0.2):
                options[name] = value()
    if heuristic:
        _guided(random, draft, options)
    elif not symbolic:
        names = [name for name in SEARCHES if not SEARCHES[name].IS_DIRECTED]
        options["search"] = random.choice(names)
        if SEARCHES[options["search"]].IS_RANDOM:
            options["seed"] = random.randrange(9)
    return options


def _guided(random: Random, draft: Draft, options: Options) -> None:
    """Add heuristics and all that belongs to them."""
    names = [name for name in HEURISTICS if HEURISTICS.home(name) == name]
    weights = [{"pdb": 8, "pred": 6, "merge": 3, "domain": 3}.get(name, 1) for name in names]
    count = random.choice((1, 1, 1, 2))
    options["heuristic"] = [_spelling(random, draft, name) for name in random.choices(names, weights, k=count)]
    chosen = [name_in(text) for text in options["heuristic"]]
    if "pdb" in options["heuristic"]:
        options["pattern"] = [drawn_pattern(random, draft) for _ in range(random.choice((1, 1, 2)))]
    if any(text.startswith("pred:given") for text in options["heuristic"]):
        options["predicate"] = _predicates(random, draft)
    if options.get("engine") != "symbolic" and random.random() < 0.6:
        options["search"] = random.choice(directed_searches())
    for name in ("combine", "lookup", "projection"):
        if "pdb" in chosen and random.random() < 0.25:
            options[name] = random.choice(CHOICES[name])
    if random.random() < 0.1:
        options["complete"] = True
    if "pdb" in chosen and random.random() < 0.12:
        options["perimeter"] = random.randrange(4)


def _spelling(random: Random, draft: Draft, name: str) -> str:
    """A heuristic with options at random, in any order; what cannot be read is left out."""
    component = HEURISTICS[name]
    selections = [each for each in SELECTIONS if each.startswith(f"{name}:")]
    if name == "pdb" and random.random() < 0.3:
        return "pdb"
    if name == "domain" and random.random() < 0.3:
        return _classes(random, draft)
    examples = [*component.EXAMPLES, *(text for each in selections for text in SELECTIONS[each].EXAMPLES)]
    text = random.choice(examples)
    chosen = [each for each in selections if text.startswith(each)]
    parameters = [*component.parameters(), *(each for one in chosen for each in SELECTIONS[one].parameters())]
    parameters = [each for each in parameters if each.name not in ("file", component.ARGUMENT)]
    extra = [f"{each.name}={_value(random, draft, each)}" for each in parameters if random.random() < 0.25]
    random.shuffle(extra)
    for option in extra:
        longer = f"{text},{option}"
        try:
            HEURISTICS.read(longer)
        except ModelError:
            continue
        text = longer
    return text


def _value(random: Random, draft: Draft, parameter: Parameter) -> str:
    if parameter.choices:
        return random.choice(parameter.choices)
    if parameter.type is int:
        low = parameter.bounds.low if parameter.bounds is not None else 0
        return str(low + random.choice(SMALL))
    if parameter.name == "keep":
        return drawn_pattern(random, draft).replace(",", "/")
    return random.choice(("1", "2", "all"))


def command_words(options: Options) -> list[str]:
    """The options as the command line has them."""
    found: list[str] = []
    for name, value in options.items():
        if name in ("fault", "count_layers"):  # the second is for Python only
            found += ["--error=fault"] if name == "fault" else []
            continue
        for each in value if isinstance(value, list) else [value]:
            if each is not False:
                found.append(f"--{name.replace('_', '-')}" if each is True else f"--{name.replace('_', '-')}={each}")
    return found


def _names(draft: Draft) -> list[str]:
    return [
        *(process.name for process in draft.processes),
        *(each.name for each in draft.variables if not each.constant and (each.size or 1) < 10),
        *(f"{channel.name}->length" for channel in draft.channels if channel.how == "buffered"),
    ]


def drawn_pattern(random: Random, draft: Draft) -> str:
    """Names of processes, variables and buffers."""
    names = _names(draft)
    if random.random() < 0.2:
        return "*"
    return ",".join(random.sample(names, random.randint(1, min(4, len(names)))))


def _predicates(random: Random, draft: Draft) -> list[str]:
    scalars = [each for each in draft.variables if each.size is None and not each.constant]
    found = [f"{process.name}.{random.choice(process.places).name}" for process in draft.processes]
    for each in scalars:
        low = max(each.kind[0], -2)
        found.append(f"{each.name} {random.choice(('==', '>=', '<'))} {random.randint(low, low + 4)}")
    if len(scalars) > 1:
        first, second = random.sample(scalars, 2)
        found.append(f"{first.name} {random.choice(('<', '==', '>='))} {second.name} + {random.randint(-1, 2)}")
    return random.sample(found, random.randint(1, min(4, len(found))))


def _classes(random: Random, draft: Draft) -> str:
    scalars = [each for each in draft.variables if each.size is None and not each.constant and each.kind[0] < 1]
    if not scalars:
        return "domain:auto"
    chosen = random.sample(scalars, random.randint(1, min(2, len(scalars))))
    ways = ("0/1..", "0/1/2..", "..0/1..", "..1/2..", "0..1/2..")
    return "domain:" + ",".join(f"{each.name}={random.choice(ways)}" for each in chosen)
