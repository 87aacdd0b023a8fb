"""Heuristics of a user's own, objects or functions: what they say is looked at, what they promise is not trusted.

A search asks such a heuristic once for each state. A dead end of it is no reason to leave a state out, since nothing
proves it: states that it calls dead ends come last. So the verdict "safe" never rests on it. That a trace is a shortest
one does, if it declares itself admissible; a search looks whether what it has seen fits the declaration, and trusts
nothing that is declared once something does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import index
from typing import Annotated, Protocol, TypeAlias, overload

from symdmc.errors import Code
from symdmc.heuristics.estimates.maximum import Maximum
from symdmc.heuristics.heuristic import HeuristicOptions, Made, Making, TaskHeuristic
from symdmc.lookup.tables import TableGroup
from symdmc.model.named_state import NamedState
from symdmc.model.state import State
from symdmc.model.steps import named_values
from symdmc.model.trace import Trace
from symdmc.spelling.kinds import require_kind, wrong_kind
from symdmc.spelling.parameters import Unspelled
from symdmc.spelling.printable import printable
from symdmc.spelling.suggestions import listed
from symdmc.task.task import Task, Values

LATE = 1 << 62
"""What a search reads where the heuristic says "dead end"; larger than every estimate and every distance."""
WANTED = "a spelling such as 'pdb:cegar', a pattern database, a function of a state, or an object with `estimate`"
SHOWN = 6
"""At most this many values of a state are named in a complaint."""


class Heuristic(Protocol):
    """What estimates how far a state is from an error state, in Python: an object with these attributes.

    >>> import symdmc
    >>> class Left:
    ...     name = "left"
    ...     admissible = True
    ...     consistent = True
    ...
    ...     def estimate(self, state: symdmc.NamedState) -> int:
    ...         return 0 if state["Client1"] == "granted" else 1
    >>> result = symdmc.check("arbiter_tree:height=2", heuristic=Left())
    >>> result.length, result.shortest
    (28, True)
    """

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def admissible(self) -> bool:
        """Whether no estimate is larger than the distance, and 0 in every error state; then traces of A* are shortest.

        A search cannot prove this, so it takes the word of the heuristic unless it sees that it is not true.
        """

    @property
    def consistent(self) -> bool:
        """Whether no estimate is larger than the cost of a step plus the estimate behind the step."""

    def estimate(self, state: NamedState) -> int | None:
        """An integer that is not negative, or None where no error state can be reached, as far as it can tell."""


Estimate: TypeAlias = Callable[[NamedState], "int | None"]
"""As `Heuristic.estimate`, which is told there."""


@dataclass(frozen=True, slots=True)
class DeclaredHeuristic:
    """A function of a state with what it declares about itself."""

    name: str
    estimate: Estimate
    admissible: bool = False
    consistent: bool = False

    def __call__(self, state: NamedState) -> int | None:
        """The estimate."""
        return self.estimate(state)


@overload
def heuristic(
    function: Estimate, *, name: str | None = None, admissible: bool = False, consistent: bool = False
) -> DeclaredHeuristic: ...


@overload
def heuristic(
    *, name: str | None = None, admissible: bool = False, consistent: bool = False
) -> Callable[[Estimate], DeclaredHeuristic]: ...


def heuristic(
    function: Estimate | None = None, *, name: str | None = None, admissible: bool = False, consistent: bool = False
) -> DeclaredHeuristic | Callable[[Estimate], DeclaredHeuristic]:
    """A function of a state with what it declares about itself, for `check(heuristic=...)`; also as a decorator.

    >>> import symdmc
    >>> @symdmc.heuristic(admissible=True, consistent=True)
    ... def missing(state):
    ...     return sum(state[client] != "granted" for client in ("Client1", "Client3"))
    >>> result = symdmc.check("arbiter_tree:height=2", heuristic=missing)
    >>> result.length, result.shortest
    (28, True)
    """
    require_kind("the argument name", name, (str, type(None)), "a text")
    require_kind("the argument admissible", admissible, bool, "True or False")
    require_kind("the argument consistent", consistent, bool, "True or False")

    def declared(function: Estimate) -> DeclaredHeuristic:
        if not callable(function):
            raise wrong_kind("the argument function", function, "a function of a state")
        return DeclaredHeuristic(_name_of(function) if name is None else name, function, admissible, consistent)

    return declared if function is None else declared(function)


def _name_of(given: object) -> str:
    return str(getattr(given, "__name__", type(given).__name__))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnHeuristic(HeuristicOptions):
    """A heuristic that the user has written."""

    name: Annotated[str, Unspelled()]
    function: Annotated[Estimate, Unspelled()]
    admissible: Annotated[bool, Unspelled()]
    consistent: Annotated[bool, Unspelled()]

    def make(self, making: Making) -> Made:
        """The heuristic for the task, with nothing seen so far."""
        return Made(heuristic=Watched(self, making.task))


def own_heuristic(given: object) -> OwnHeuristic:
    """The heuristic that an object or a function is; raises ModelError if it is none.

    What it declares is read once, here. What does not declare anything promises nothing.
    """
    function = getattr(given, "estimate", given)
    if isinstance(given, type) or not callable(function):
        wanted = f"an object of it, such as {given.__name__}()" if isinstance(given, type) else WANTED
        raise wrong_kind("the argument heuristic", given, wanted)
    name = getattr(given, "name", None) or _name_of(given)
    require_kind("the attribute name of the heuristic", name, str, "a text")
    name = printable(name)
    declared = {each: getattr(given, each, False) for each in ("admissible", "consistent")}
    for each, value in declared.items():
        require_kind(f"the attribute {each} of the heuristic {name!r}", value, bool, "True or False")
    return OwnHeuristic(name=name, function=function, **declared)


class Watched:
    """A heuristic of a user's own for a task: each state is asked once, and all answers are compared."""

    groups: tuple[TableGroup, ...] | None = None
    floor = 0

    def __init__(self, own: OwnHeuristic, task: Task) -> None:
        self.name = own.name
        self.broken: str | None = None
        """What it has declared and is not true, in words; None as long as nothing was seen."""
        self._own = own
        self._task = task
        self._known: dict[Values, int | None] = {}

    @property
    def admissible(self) -> bool:
        """As declared, unless something declared is not true."""
        return self._own.admissible and self.broken is None

    @property
    def consistent(self) -> bool:
        """As declared, unless something declared is not true."""
        return self._own.consistent and self.broken is None

    def estimate(self, values: Values) -> int:
        """What the user says; LATE for a dead end, which nothing proves."""
        h = self._asked(values)
        return LATE if h is None else h

    def look_at_steps(self, values: Values, steps: Iterable[tuple[int, Values]]) -> None:
        """Compare the estimate for a state with those behind its steps, which have costs."""
        if not self.consistent:
            return
        before = self._asked(values)
        for cost, successor in steps:
            after = self._asked(successor)
            if after is not None and (before is None or before > cost + after):
                step = f"a step of cost {cost} leads from {_said(before)} to {_said(after)}"
                self._broke(f"declares itself consistent, but {step}, from {self._shown(self._task.state(values))}")
                return

    def look_along(self, trace: Trace) -> None:
        """Compare the estimates along an error trace with what is left of it."""
        left = trace.length
        for state, cost in zip(trace.states, [*(step.cost for step in trace.steps), 0], strict=True):
            h = self._asked(self._task.values(state))
            if h is None:
                self._broke(f"calls {self._shown(state)} a dead end, but an error state is {left} away from it")
            elif self._own.admissible and h > left:
                near = f"an error state is {left} away from it" if left else "it is an error state"
                self._broke(f"declares itself admissible, but it says {h} for {self._shown(state)}, and {near}")
            left -= cost

    def _broke(self, what: str) -> None:
        self.broken = self.broken or f"the heuristic {self.name!r} {what}; nothing it declares is trusted"

    def _asked(self, values: Values) -> int | None:
        if values not in self._known:
            self._known[values] = self._answer(self._task.state(values))
        return self._known[values]

    def _answer(self, state: State) -> int | None:
        try:
            said = self._own.function(NamedState.of(state, self._task.system))
        except Exception as error:
            error.add_note(f"while the heuristic {self.name!r} estimated {self._shown(state)}")
            raise
        if said is None:
            return None
        try:
            h = index(said)
        except TypeError:
            h = -1
        if not 0 <= h < LATE:
            what = f"what the heuristic {self.name!r} says for {self._shown(state)}"
            wanted = "an integer that is not negative, or None for a dead end"
            raise wrong_kind(what, said, wanted, code=Code.WRONG_ESTIMATE)
        return h

    def _shown(self, state: State) -> str:
        """A state in few words."""
        found = list(named_values(state, self._task.system))
        words = ", ".join(f"{name}={value}" for name, value in found[:SHOWN])
        return f"the state {words}{', ...' if len(found) > SHOWN else ''}"


def _said(estimate: int | None) -> str:
    return "a dead end" if estimate is None else f"estimate {estimate}"


def watched_parts(heuristic: TaskHeuristic) -> tuple[Watched, ...]:
    """The heuristics of a user's own in a heuristic."""
    parts = heuristic.parts if isinstance(heuristic, Maximum) else (heuristic,)
    return tuple(part for part in parts if isinstance(part, Watched))


def remarks_on(heuristic: TaskHeuristic, *, shortest: bool, bounded: bool) -> tuple[str, ...]:
    """What rests on the declarations of a user's own heuristics, and which of these are not true.

    `shortest` says whether a trace is called a shortest one, `bounded` whether shorter ones are limited.
    """
    parts = watched_parts(heuristic)
    broken = [part.broken for part in parts if part.broken is not None]
    if not parts or broken or not (shortest or bounded):
        return tuple(broken)
    names = listed((repr(part.name) for part in parts), "and")
    claim = "that no trace is shorter" if shortest else "how short a trace can be"
    return (f"{claim} rests on what {names} declares: no estimate is larger than the distance",)
