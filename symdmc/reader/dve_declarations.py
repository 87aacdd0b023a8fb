"""The variables, constants and channels that a DVE model declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from lark import Token

    from symdmc.model.parsing.syntax import Syntax

UNCUT = Range(-(2**31), 2**31 - 1, wraps=True)
"""The type of a value passed by an untyped channel: whatever an expression can yield."""

_TYPES = {"byte": BYTE, "int": SHORT}
WORDS = RESERVED_WORDS.union(
    ("byte", "int", "const", "channel", "process", "state", "init", "commit", "accept"),
    ("assert", "trans", "guard", "sync", "effect", "system", "async", "property"),
)


def copy_name(name: str, number: int) -> str:
    """The name of one of the processes or channels that are declared together."""
    return f"{name}_{number}"


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
        self.enumerations: dict[str, Range] = {}
        """The types of variables that are declared by a name."""
        self.value_names: dict[str, tuple[tuple[int, str], ...]] = {}
        """The constants of each enumeration, as names of the values of its variables."""
        self.families: dict[str, int] = {}
        """How many channels there are of a name that has an index."""
        self.miscounted = False
        """Whether there are fewer processes or channels than the text declares, because of faults."""
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
        self.check_word(token)
        if token in self.locations or token in self.variables or token in self.channels:
            self.complain(
                Code.DUPLICATE_NAME, token, f"{str(token)!r} is declared twice", "rename or remove one of them"
            )
        known: dict[str, Token] = {}
        for location in locations:
            self.check_word(location)
            if known.setdefault(str(location), location) is not location:
                self.complain(
                    Code.DUPLICATE_NAME, location, f"location {str(location)!r} is declared twice", "remove one of them"
                )
        self.locations[str(token)] = tuple(known)

    def add_variables(self, tree: Syntax, owner: str | None = None) -> None:
        """Declare the variables of one declaration, shared ones or those of a process."""
        words = tokens(tree)
        kind = self.type_of(words[-1], owner)
        for declarator in trees(tree):
            variable = self._variable(declarator, kind, words[0] == "const", owner)
            if words[-1].type == "NAME":
                known = self.value_names
                value_names = known.get(qualified(owner, words[-1]), known.get(words[-1], ()))
                variable = replace(variable, value_names=value_names)
            self.add_variable(names(declarator)[0], variable)

    def add_variable(self, token: Token, variable: Variable) -> None:
        """Declare a variable, whose own name is a token."""
        self.check_word(token)
        if variable.name in self.variables:
            self.complain(
                Code.DUPLICATE_NAME,
                token,
                f"variable {variable.name!r} is declared twice",
                "rename or remove one of them",
            )
        else:
            self.variables[variable.name] = variable

    def type_of(self, word: Token, owner: str | None) -> Range:
        """The type that a word or the name of an enumeration means."""
        if word.type != "NAME":
            return _TYPES[word]
        kind = self.enumerations.get(qualified(owner, str(word)), self.enumerations.get(str(word)))
        if kind is None:
            known = [each for each in self.enumerations if "->" not in each]
            remedy = did_you_mean(word, known, "declare it before, as in 'enum NAME { FIRST, SECOND };'")
            self.complain(Code.UNKNOWN_NAME, word, f"there is no enumeration {str(word)!r}", remedy)
        return BYTE if kind is None else kind

    def add_enumeration(self, tree: Syntax, owner: str | None = None) -> None:
        """Declare the constants of an enumeration, shared ones or those of a process, and its type if it has a name."""
        value, kind = -1, BYTE
        value_names: list[tuple[int, str]] = []
        for enumerator in trees(tree):
            token = names(enumerator)[0]
            given = [self._constant(trees(part)[0], token, owner) for part in trees(enumerator)]
            value = value + 1 if not given else given[0] or 0
            if not SHORT.low <= value <= SHORT.high:
                self.complain(
                    Code.VALUE_OUT_OF_RANGE,
                    token,
                    f"{str(token)!r} is {value}, outside {SHORT.interval}",
                    "choose another value",
                )
                value = 0
            own = BYTE if BYTE.low <= value <= BYTE.high else SHORT
            kind = SHORT if own is SHORT else kind
            value_names.append((value, str(token)))
            name, span = qualified(owner, str(token)), self.origin.of(token)
            if self.sizes.fits_variable(name, 1, 1, 1, span):
                self.add_variable(token, Variable(name=name, type=own, initial=((value,),), constant=True, span=span))
        for token in names(tree):
            name = qualified(owner, str(token))
            if name in self.enumerations:
                self.complain(
                    Code.DUPLICATE_NAME,
                    token,
                    f"enumeration {str(token)!r} is declared twice",
                    "rename or remove one of them",
                )
            self.enumerations[name] = kind
            self.value_names[name] = tuple(value_names)

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
                types = tuple(self.type_of(word, None) for word in tokens(part) if word.type != "ENUM")
                continue
            token = names(part)[0]
            sizes = trees(part)
            capacity = self._size(sizes[-1], token, None, at_least=0) if sizes else 0
            self.check_word(token)
            for copy in self._family(token, sizes[0]) if len(sizes) > 1 else [token]:
                self._add_channel(copy, capacity, types, passed.get(copy, passed.get(token, 0)))

    def _family(self, token: Token, size: Syntax) -> list[Token]:
        """The names of channels that are declared together."""
        copies = self.copies(token, size, len(f"channel {token}[0];"))
        self.families[str(token)] = len(copies)
        return copies

    def copies(self, token: Token, size: Syntax, letters: int) -> list[Token]:
        """The names of processes or channels that are declared together; the text of each has `letters` letters."""
        before = len(self.complaints)
        count = self._size(size, token, None, at_least=1)
        if not self.sizes.fits_copies(count, letters, self.origin.of(token)) or len(self.complaints) > before:
            self.miscounted = True
            count = 1
        return [token.update(value=copy_name(token, number)) for number in range(count)]

    def copy_of(self, token: Token, families: Mapping[str, int], index: Syntax, scope: Scope) -> Token | None:
        """The name of one of the processes or channels that are declared together; None where it has a fault."""
        number = self.constant(index, token, scope, f"the index of {str(token)!r}")
        count = families.get(token)
        if count is None:
            several = "declare several of it, or remove the index"
            if token in self.channels:
                several = f"'channel {token}[N][0]' declares several; a single size is that of a buffer"
            remedy = did_you_mean(token, families, several)
            self.complain(Code.NOT_AN_ARRAY, token, f"{str(token)!r} is not declared with an index", remedy)
        elif number is not None and 0 <= number < count:
            return token.update(value=copy_name(token, number))
        elif number is not None:
            self.complain(
                Code.VALUE_OUT_OF_RANGE, token, f"there is no {token!s}[{number}]", f"the index is in 0..{count - 1}"
            )
        return None

    def _add_channel(self, token: Token, capacity: int, types: tuple[Range, ...] | None, passed: int) -> None:
        if token in self.channels:
            self.complain(
                Code.DUPLICATE_NAME, token, f"channel {str(token)!r} is declared twice", "rename or remove one of them"
            )
            return
        passes, span = (UNCUT,) * passed if types is None else types, self.origin.of(token)
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
        """The value of an expression in the declaration of a name."""
        return self.constant(tree, token, self.constants_of(owner), f"the declaration of {str(token)!r}")

    def constants_of(self, owner: str | None) -> Scope:
        """What an expression over constants can name, in a process or outside of all."""
        return self._scope.within(owner)

    def constant(self, tree: Syntax, token: Token, scope: Scope, about: str) -> int | None:
        """The value of an expression over constants, None where it has none; complaints are `about` it."""
        before = len(self.complaints)
        expression = Resolver(scope, self.origin, self.complaints).expression(tree)
        if len(self.complaints) > before:
            return None
        if isinstance(expression, Literal):
            return expression.value
        for name in self._changing(expression):
            self.complain(
                Code.NOT_CONSTANT, token, f"{about} depends on {name}", "use only constants declared before it"
            )
            return None
        arrays = sorted({part.array for part in walk(expression) if isinstance(part, Cell)})
        constants = tuple(self.variables[name] for name in arrays)
        semantics = Semantics(System(name="constants", processes=(), variables=constants))
        try:
            return semantics.evaluate(expression, next(semantics.initial_states()))
        except ArithmeticFault as fault:
            self.complain(Code.NOT_CONSTANT, token, f"{about} has no value: {fault}", "mend the expression")
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

    def check_word(self, token: Token) -> None:
        """Complain about a name that is a word of the language."""
        if token in WORDS:
            self.complain(Code.RESERVED_WORD, token, f"{str(token)!r} is a word of the language", "choose another name")
