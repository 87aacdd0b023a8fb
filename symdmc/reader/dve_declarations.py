"""The variables, constants and channels that a DVE model declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.arithmetic import ArithmeticFault
from symdmc.model.expressions import At, Cell, Expr, Literal, Ref, walk
from symdmc.model.parsing.parser import Resolver
from symdmc.model.parsing.syntax import Origin, names, tokens, trees
from symdmc.model.scope import RESERVED_WORDS, Scope, qualified
from symdmc.model.semantics import Semantics
from symdmc.model.sizes import MOST_CELLS, Sizes
from symdmc.model.system import BYTE, SHORT, Channel, ChannelKind, Range, System, Variable

if TYPE_CHECKING:
    from lark import Token

    from symdmc.model.parsing.syntax import Syntax

UNCUT = Range(-(2**31), 2**31 - 1, wraps=True)
"""The type of a value passed by an untyped channel: whatever an expression can yield."""

_TYPES = {"byte": BYTE, "int": SHORT}
_WORDS = RESERVED_WORDS.union(
    ("byte", "int", "const", "channel", "process", "state", "init", "commit", "accept"),
    ("assert", "trans", "guard", "sync", "effect", "system", "async", "property"),
)


class Declarations:
    """The declarations of a model read so far; faults are added to `complaints`."""

    def __init__(self, origin: Origin, complaints: list[Complaint]) -> None:
        self.origin = origin
        self.complaints = complaints
        self.variables: dict[str, Variable] = {}
        self.channels: dict[str, Channel] = {}
        self.locations: dict[str, tuple[str, ...]] = {}
        self.notes: list[str] = []
        self.unindexed: list[tuple[str, SourceSpan]] = []
        """Arrays that stand without an index where a value is expected."""
        self.sizes = Sizes(complaints)
        self._scope = Scope(variables=self.variables)

    def scope(self) -> Scope:
        """What the expressions of the model can name, once everything is declared."""
        return Scope.declaring(
            variables=self.variables.values(), locations=self.locations, channels=self.channels.values()
        )

    def complain(self, code: Code, token: Token, what: str, remedy: str) -> None:
        """Add a complaint about the place of a token."""
        self.complaints.append(Complaint(code, what, remedy, self.origin.of(token)))

    def add_process(self, token: Token, locations: list[Token]) -> None:
        """Declare a process and its locations."""
        self._check_word(token)
        if token in self.locations or token in self.variables or token in self.channels:
            self.complain(
                Code.DUPLICATE_NAME, token, f"{str(token)!r} is declared twice", "rename or remove one of them"
            )
        known: dict[str, Token] = {}
        for location in locations:
            self._check_word(location)
            if known.setdefault(str(location), location) is not location:
                self.complain(
                    Code.DUPLICATE_NAME, location, f"location {str(location)!r} is declared twice", "remove one of them"
                )
        self.locations[str(token)] = tuple(known)

    def add_variables(self, tree: Syntax, owner: str | None = None) -> None:
        """Declare the variables of one declaration, shared ones or those of a process."""
        words = tokens(tree)
        for declarator in trees(tree):
            variable = self._variable(declarator, _TYPES[words[-1]], words[0] == "const", owner)
            token = names(declarator)[0]
            self._check_word(token)
            if variable.name in self.variables:
                self.complain(
                    Code.DUPLICATE_NAME,
                    token,
                    f"variable {variable.name!r} is declared twice",
                    "rename or remove one of them",
                )
            else:
                self.variables[variable.name] = variable

    def _variable(self, tree: Syntax, kind: Range, constant: bool, owner: str | None) -> Variable:
        token = names(tree)[0]
        parts = {str(part.data): part for part in trees(tree)}
        size = None
        if "size" in parts:
            size = self._size(parts["size"], token, owner, at_least=1)
        given = parts.get("initials") or parts.get("initial")
        values = [] if given is None else [self._constant(part, token, owner) or 0 for part in trees(given)]
        for value in values:
            if kind.store(value) != value:
                what = f"{qualified(owner, str(token))} starts with {value}, which is outside {kind.interval}"
                self.notes.append(f"{what}: {kind.store(value)} is stored.")
        values = list(map(kind.store, values))
        if given is not None and (given.data == "initials") != (size is not None):
            values = []
            remedy = "write one value without braces" if size is None else "write the values of its cells in braces"
            self.complain(
                Code.WRONG_INITIAL_VALUES, token, f"{str(token)!r} is {'not ' * (size is None)}an array", remedy
            )
        cells = 1 if size is None else size
        if len(values) > cells:
            what = f"Array {qualified(owner, str(token))} has {cells} cells but {len(values)} initial values"
            self.notes.append(f"{what}: those left over are not used.")  # some BEEM models are like this
        name, span = qualified(owner, str(token)), self.origin.of(token)
        initial: tuple[tuple[int, ...], ...] = ()
        if self.sizes.fits_variable(name, cells, 1, cells, span):
            initial = tuple((value,) for value in values[:cells]) + ((0,),) * (cells - len(values))
        return Variable(name=name, type=kind, initial=initial, size=size, constant=constant, span=span)

    def add_channels(self, tree: Syntax, passed: dict[str, int]) -> None:
        """Declare the channels of one declaration; an untyped one passes as many values as it is used with."""
        types: tuple[Range, ...] | None = None
        for part in trees(tree):
            if part.data == "types":
                types = tuple(_TYPES[word] for word in tokens(part))
                continue
            token = names(part)[0]
            capacity = sum(self._size(size, token, None, at_least=0) for size in trees(part))
            self._check_word(token)
            if token in self.channels:
                self.complain(
                    Code.DUPLICATE_NAME,
                    token,
                    f"channel {str(token)!r} is declared twice",
                    "rename or remove one of them",
                )
                continue
            passes, span = (UNCUT,) * passed.get(token, 0) if types is None else types, self.origin.of(token)
            fits = self.sizes.fits_channel(str(token), capacity, len(passes), span)
            self.channels[str(token)] = Channel(
                name=str(token),
                kind=ChannelKind.BUFFERED if capacity else ChannelKind.RENDEZVOUS,
                types=passes,
                capacity=capacity if fits else min(capacity, 1),
                span=span,
            )

    def _size(self, tree: Syntax, token: Token, owner: str | None, *, at_least: int) -> int:
        """The size of an array or buffer; the smallest one where it has a fault."""
        size = self._constant(trees(tree)[0], token, owner)
        if size is None:
            return at_least
        if at_least <= size <= MOST_CELLS:
            return size
        code = Code.TOO_LARGE if size > MOST_CELLS else Code.WRONG_SIZE
        self.complain(code, token, f"{str(token)!r} has the size {size}", f"choose one in {at_least}..{MOST_CELLS}")
        return at_least

    def _constant(self, tree: Syntax, token: Token, owner: str | None) -> int | None:
        """The value of an expression over constants, None where it has none."""
        before = len(self.complaints)
        expression = Resolver(self._scope.within(owner), self.origin, self.complaints).expression(tree)
        if len(self.complaints) > before:
            return None
        if isinstance(expression, Literal):
            return expression.value
        for name in self._changing(expression):
            what = f"the declaration of {str(token)!r} depends on {name}"
            self.complain(Code.NOT_CONSTANT, token, what, "use only constants declared before it")
            return None
        arrays = sorted({part.array for part in walk(expression) if isinstance(part, Cell)})
        constants = tuple(self.variables[name] for name in arrays)
        semantics = Semantics(System(name="constants", processes=(), variables=constants))
        try:
            return semantics.evaluate(expression, next(semantics.initial_states()))
        except ArithmeticFault as fault:
            self.complain(
                Code.NOT_CONSTANT,
                token,
                f"the declaration of {str(token)!r} has no value: {fault}",
                "mend the expression",
            )
            return None

    def _changing(self, expression: Expr) -> Iterator[str]:
        """The parts of the expression that are not constant."""
        for part in walk(expression):
            match part:
                case Ref(name) | Cell(name, _) if name in self.variables and not self.variables[name].constant:
                    yield name
                case At():
                    yield str(part)
                case _:
                    pass

    def _check_word(self, token: Token) -> None:
        if token in _WORDS:
            self.complain(Code.RESERVED_WORD, token, f"{str(token)!r} is a word of the language", "choose another name")
