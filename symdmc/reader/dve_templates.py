"""The processes of a DVE model: those written out, and those made from templates."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from symdmc.errors import Code, Complaint
from symdmc.model.parsing.syntax import names, tokens, trees
from symdmc.model.scope import Scope, qualified
from symdmc.model.system import Range, Variable
from symdmc.reader.dve_declarations import UNCUT, Declarations
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from lark import Token

    from symdmc.model.parsing.syntax import Syntax

INDEX = "i"
"""The number of a copy, in the arguments of copies that are declared together."""
_CONSTANT, _CHANNEL, _PROCESS = "constant_parameter", "channel_parameter", "process_parameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessText:
    """What a model says about one process, in a text of its own or in that of a template."""

    token: Token
    """Its name, where it is declared."""
    tree: Syntax
    template: str | None = None
    constants: Sequence[tuple[Token, Variable]] = ()
    """What the parameters of the template are that are values, with their own names."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """What the parameters are that are channels and processes."""

    @property
    def name(self) -> str:
        """The name of the process."""
        return str(self.token)

    def about(self, complaint: Complaint) -> Complaint:
        """A complaint that says of which process it is."""
        if self.template is None or repr(self.name) in complaint.what:
            return complaint
        return replace(complaint, what=f"{complaint.what}, in process {self.name!r}")

    def scope(self, shared: Scope) -> Scope:
        """What the expressions of the process can name."""
        return replace(shared, process=self.name, aliases=self.aliases)


def inside(tree: Syntax, kind: str, *kinds: str) -> Iterator[Syntax]:
    """The trees that are reached through trees of these kinds, one inside the other."""
    for part in trees(tree):
        if part.data == kind:
            yield from inside(part, *kinds) if kinds else trees(part)


def values_passed(parts: Iterable[Syntax], templates: Mapping[str, Template]) -> dict[str, int]:
    """How many values each channel passes at its first use; channels that are declared together pass the same."""
    passed: dict[str, int] = {}
    used = {name: _values_used(template.tree) for name, template in templates.items()}
    for part in parts:
        if part.data == "process":
            uses, meant = _values_used(part), dict[str, str]()
        elif part.data == "instances" and (name := names(part)[1]) in templates:
            uses, meant = used[name], {}
            for parameter, argument in zip(templates[name].parameters, _arguments(part), strict=False):
                if parameter.kind == _CHANNEL and argument.data == "name":
                    meant[parameter.name] = str(names(argument)[0])
        else:
            continue
        for channel, count in uses.items():
            passed.setdefault(meant.get(channel, channel), count)
    return passed


def _values_used(tree: Syntax) -> dict[str, int]:
    """The channels that a process or template names, and how many values they pass there at first."""
    used: dict[str, int] = {}
    for use in inside(tree, "transitions", "transition", "sync"):
        used.setdefault(str(names(use)[0]), sum(part.data != "subscript" for part in trees(use)))
    return used


def _arguments(instances: Syntax) -> list[Syntax]:
    return [part for part in trees(instances) if part.data != "size"]


def _first_token(tree: Syntax) -> Token:
    """The first word of a part of the text; no part is empty."""
    return next(token for token in tree.scan_values(lambda _: True))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a template; only one for a constant has a type, which a word names."""

    token: Token
    kind: str
    word: Token

    @property
    def name(self) -> str:
        """What the template calls it."""
        return str(self.token)


@dataclass(frozen=True, slots=True)
class Template:
    """A text for many processes; `letters` is its length."""

    token: Token
    tree: Syntax
    parameters: tuple[Parameter, ...]
    letters: int


class Templates:
    """The templates of a model, and the processes that are made from them."""

    def __init__(self, parts: Sequence[Syntax], end: Syntax, declared: Declarations) -> None:
        self.declared = declared
        self.templates: dict[str, Template] = {}
        self.types: dict[str, dict[str, Range]] = {}
        """The types of the constants among the parameters of each template."""
        self.used: set[str] = set()
        self.names: set[str] = set()
        """The names of all processes."""
        self.families: dict[str, int] = {}
        """How many processes there are of a name that has an index."""
        for part, following in pairwise((*parts, end)):
            if part.data == "template":
                letters = (_first_token(following).start_pos or 0) - (_first_token(part).start_pos or 0)
                self._declare(part, letters)

    def _declare(self, tree: Syntax, letters: int) -> None:
        token = names(tree)[0]
        self.declared.check_word(token)
        if token in self.templates:
            self.declared.complain(
                Code.DUPLICATE_NAME, token, f"template {str(token)!r} is declared twice", "rename or remove one of them"
            )
        parameters: dict[str, Parameter] = {}
        for part in trees(tree):
            if part.data in (_CONSTANT, _CHANNEL, _PROCESS):
                name = names(part)[-1]
                self.declared.check_word(name)
                if name in parameters:
                    what = f"template {str(token)!r} has two parameters {str(name)!r}"
                    self.declared.complain(Code.DUPLICATE_NAME, name, what, "rename or remove one of them")
                parameters[str(name)] = Parameter(name, part.data, tokens(part)[-2:][0])
        self.templates[str(token)] = Template(token, tree, tuple(parameters.values()), letters)

    def unused(self) -> Iterator[str]:
        """A note about each template from which no process is made."""
        for name, template in self.templates.items():
            if name not in self.used:
                place = self.declared.origin.of(template.token)
                yield f"{place}: template {name!r} is not used; of its text only the grammar is checked."

    def processes(self, parts: Iterable[Syntax]) -> list[ProcessText]:
        """The processes that are declared, in the order of the text."""
        declared = [(part, self._named(part)) for part in parts if part.data in ("process", "instances")]
        for template in self.templates.values():
            self.types[str(template.token)] = {
                each.name: self.declared.type_of(each.word, None)
                for each in template.parameters
                if each.kind == _CONSTANT
            }
        if self.declared.miscounted:
            return []
        self.names.update(str(token) for _, copies in declared for token in copies)
        texts: list[ProcessText] = []
        for part, copies in declared:
            if part.data == "process":
                texts.append(ProcessText(token=copies[0], tree=part))
            else:
                texts += self._instances(part, copies)
        return texts

    def _named(self, part: Syntax) -> list[Token]:
        """The names of the processes that one declaration makes; none where it has a fault."""
        token, *rest = names(part)
        if part.data == "process":
            return [token]
        template = self.templates.get(rest[0])
        if template is None:
            remedy = did_you_mean(rest[0], self.templates, "declare it, as in 'template NAME() { ... }'")
            self.declared.complain(Code.UNKNOWN_NAME, rest[0], f"there is no template {str(rest[0])!r}", remedy)
            return []
        self.used.add(str(rest[0]))
        given, wanted = len(_arguments(part)), len(template.parameters)
        if given != wanted:
            what = f"template {str(rest[0])!r} takes {wanted} argument{'s' * (wanted != 1)}, not {given}"
            self.declared.complain(Code.WRONG_TEMPLATE_ARGUMENT, token, what, "give one for each parameter")
            return []
        sizes = [size for size in trees(part) if size.data == "size"]
        if not sizes:
            return [token]
        copies = self.declared.copies(token, sizes[0], template.letters + len(f"process {token}"))
        self.families[str(token)] = len(copies)
        return copies

    def _instances(self, part: Syntax, copies: Sequence[Token]) -> Iterator[ProcessText]:
        """The processes that one declaration makes, up to the first with a fault."""
        complaints = self.declared.complaints
        several = any(size.data == "size" for size in trees(part))
        for number, token in enumerate(copies):
            before = len(complaints)
            text = self._instance(part, token, number if several else None)
            if len(complaints) > before:
                complaints[before:] = [text.about(each) for each in complaints[before:]]
                return
            yield text

    def _instance(self, part: Syntax, token: Token, number: int | None) -> ProcessText:
        template = self.templates[names(part)[1]]
        scope = self.declared.constants_of(None)
        if number is not None:
            index = Variable(name=INDEX, type=UNCUT, initial=((number,),), constant=True)
            scope = replace(scope, variables=ChainMap({INDEX: index}, self.declared.variables))
        constants: list[tuple[Token, Variable]] = []
        aliases: dict[str, str] = {}
        types = self.types[str(template.token)]
        for parameter, argument in zip(template.parameters, _arguments(part), strict=True):
            if parameter.kind == _CONSTANT:
                kind = types[parameter.name]
                constants.append((parameter.token, self._constant(token, parameter, kind, argument, scope)))
            else:
                aliases[parameter.name] = self._meant(parameter, argument, scope)
        return ProcessText(
            token=token, tree=template.tree, template=str(template.token), constants=constants, aliases=aliases
        )

    def _constant(self, owner: Token, parameter: Parameter, kind: Range, argument: Syntax, scope: Scope) -> Variable:
        """The constant that a parameter is in a process."""
        place = _first_token(argument)
        value = self.declared.constant(argument, place, scope, f"the argument for {parameter.name!r}") or 0
        if not kind.low <= value <= kind.high:
            what = f"{value} does not fit into the parameter {parameter.name!r}, which holds {kind.interval}"
            self.declared.complain(Code.WRONG_TEMPLATE_ARGUMENT, place, what, "choose another argument or type")
        return Variable(
            name=qualified(str(owner), parameter.name),
            type=kind,
            initial=((value,),),
            constant=True,
            span=self.declared.origin.of(parameter.token),
        )

    def _meant(self, parameter: Parameter, argument: Syntax, scope: Scope) -> str:
        """The name of the channel or process that an argument names."""
        known: Collection[str]
        if parameter.kind == _CHANNEL:
            what, known, families = "channel", self.declared.channels, self.declared.families
        else:
            what, known, families = "process", self.names, self.families
        token = _first_token(argument)
        if argument.data != "name":
            remedy = f"name a {what}, or one of several with an index, as in c[i]"
            self.declared.complain(
                Code.WRONG_TEMPLATE_ARGUMENT, token, f"the argument for {parameter.name!r} is no {what}", remedy
            )
        elif subscripts := trees(argument):
            return str(self.declared.copy_of(token, families, trees(subscripts[0])[0], scope) or token)
        elif token not in known:
            remedy = did_you_mean(token, (*known, *families), "declare it")
            if token in families:
                remedy = f"choose one of them, as in {token}[i]"
            self.declared.complain(
                Code.WRONG_TEMPLATE_ARGUMENT,
                token,
                f"the argument for {parameter.name!r}, {str(token)!r}, is no {what}",
                remedy,
            )
        return str(token)
