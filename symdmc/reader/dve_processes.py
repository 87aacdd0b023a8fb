"""The processes of a DVE model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.expressions import At, Expr, conjunction, negation
from symdmc.model.parsing.parser import Resolver
from symdmc.model.parsing.syntax import names, tokens, trees
from symdmc.model.scope import Scope
from symdmc.model.system import Edge, Location, Process, Synchronisation
from symdmc.reader.dve_declarations import Declarations
from symdmc.reader.dve_plain import Lines, PlainReader, Runs
from symdmc.reader.dve_templates import ProcessText, inside
from symdmc.spelling.suggestions import did_you_mean

if TYPE_CHECKING:
    from lark import Token

    from symdmc.model.parsing.syntax import Syntax


class ProcessReader:
    """Reads one process, once everything that its expressions can name is declared."""

    def __init__(
        self,
        text: ProcessText,
        scope: Scope,
        declared: Declarations,
        unsupported: list[Complaint],
        runs: Runs,
        lines: Lines,
    ) -> None:
        self.tree, self.token, self.name = text.tree, text.token, text.name
        self.declared, self.origin = declared, declared.origin
        self.complain = declared.complain
        self.unsupported = unsupported
        self.locations = {str(token): self.origin.of(token) for token in self._named("states")}
        scope = text.scope(scope)
        self.resolver = Resolver(scope, self.origin, declared.complaints, declared.unindexed)
        self.runs = runs
        self.plain = PlainReader(scope, self.locations, lines)

    def process(self) -> Process:
        """The process, without its faulty parts."""
        self._check_sections()
        committed, ends = ({self._location(token) for token in self._named(section)} for section in ("commit", "ends"))
        for token in self._named("accept"):
            self._location(token)
        return Process(
            name=self.name,
            initial=tuple(self._location(token) for token in self._named("init")),
            locations=tuple(
                Location(name=name, committed=name in committed, valid_end=name in ends, span=span)
                for name, span in self.locations.items()
            ),
            edges=tuple(self._edges()),
            span=self.origin.of(self.token),
        )

    def violations(self) -> Iterator[tuple[Expr, SourceSpan]]:
        """For each assertion the states in which it does not hold, and where it stands."""
        for assertion in inside(self.tree, "assertions"):
            token = names(assertion)[0]
            location, condition = self._location(token), self.resolver.expression(trees(assertion)[0])
            yield conjunction(At(self.name, location), negation(condition)), self.origin.of(token)

    def _check_sections(self) -> None:
        if not self._named("states"):
            self.complain(
                Code.NO_LOCATION, self.token, f"process {self.name!r} has no location", "declare some with 'state'"
            )
        initial = self._named("init")
        if not initial:
            self.complain(
                Code.NO_INITIAL_LOCATION,
                self.token,
                f"process {self.name!r} has no initial location",
                "name it with 'init'",
            )
        for token in initial[1:]:
            what = f"process {self.name!r} has more than one initial location"
            self.complain(Code.DUPLICATE_CLAUSE, token, what, "name only one")

    def _edges(self) -> Iterator[Edge]:
        source: Token | None = None
        for tree in inside(self.tree, "transitions"):
            if tree.data == "ready":
                yield from self._ready(tokens(tree)[0], source)
                source = self._last_source(tokens(tree)[0], source)
                continue
            first, *_, target = (token for token in tokens(tree) if token.type in ("NAME", "ARROW"))
            if tree.data == "chances":
                where = self.origin.of(first)
                self.unsupported.append(
                    Complaint(
                        Code.UNSUPPORTED_CONSTRUCT, "probabilistic transitions are not supported", "use '->'", where
                    )
                )
                continue
            if first.type == "NAME":
                source = first
            if source is None:
                self.complain(Code.SYNTAX_ERROR, first, "the first transition has no source", "name one before '->'")
                source = target
            yield self._edge(tree, source, target, self.origin.of(first))

    def _ready(self, token: Token, source: Token | None) -> Iterator[Edge]:
        """The edges for which a token stands."""
        run = self.runs.get(token.start_pos or 0)
        if run is not None:
            yield from self.plain.edges(run, None if source is None else str(source))
        else:
            self.complain(Code.SYNTAX_ERROR, token, f"unexpected {str(token)!r}", "remove it")

    def _last_source(self, token: Token, source: Token | None) -> Token | None:
        """The source of the last of the transitions for which a token stands."""
        named = [found[1] for found in self.runs.get(token.start_pos or 0, ()) if found[1] is not None]
        return token.update(type="NAME", value=named[-1]) if named else source

    def _edge(self, tree: Syntax, source: Token, target: Token, span: SourceSpan) -> Edge:
        syncs = [self._synchronisation(part) for part in self._clauses(tree, "sync")]
        return Edge(
            source=self._location(source),
            target=self._location(target),
            guard=conjunction(*(self.resolver.expression(part) for part in self._clauses(tree, "guard"))),
            sync=syncs[0] if syncs else None,
            assignments=tuple(
                assignment for part in self._clauses(tree, "effect") for assignment in self.resolver.assignments(part)
            ),
            span=span,
        )

    def _synchronisation(self, tree: Syntax) -> Synchronisation | None:
        """What a transition does on a channel; None where an index chooses none of several."""
        token, scope = names(tree)[0], self.resolver.scope
        families = self.declared.families if token not in scope.aliases else {}
        indexes = [trees(part)[0] for part in trees(tree) if part.data == "subscript"]
        if indexes:
            copy = self.declared.copy_of(token, families, indexes[0], self.declared.constants_of(self.name))
            if copy in scope.aliases:
                self.complain(Code.DUPLICATE_NAME, token, f"{str(copy)!r} is a parameter here", "rename the parameter")
            if copy is None or copy in scope.aliases:
                return None
            tree = tree.copy()
            tree.set(tree.data, [copy, *(part for part in trees(tree) if part.data != "subscript")])
        elif token in families and token not in scope.channels:
            self.complain(
                Code.INDEX_MISSING, token, f"{str(token)!r} is not one channel", f"choose one, as in {token!s}[0]"
            )
            return None
        return self.resolver.synchronisation(tree)

    def _clauses(self, tree: Syntax, kind: str) -> list[Syntax]:
        """The content of the clause of a kind; a transition has at most one."""
        clauses = [part for part in trees(tree) if part.data == kind]
        for word in (tokens(clause)[0] for clause in clauses[1:]):
            self.complain(Code.DUPLICATE_CLAUSE, word, f"a second {kind!r} in one transition", "join them")
        return [part for clause in clauses for part in trees(clause)]

    def _location(self, token: Token) -> str:
        """The location a token names."""
        if str(token) not in self.locations:
            remedy = did_you_mean(token, self.locations, "declare it with 'state'")
            self.complain(Code.UNKNOWN_NAME, token, f"process {self.name!r} has no location {str(token)!r}", remedy)
        return str(token)

    def _named(self, section: str) -> list[Token]:
        """The names listed in all sections of a kind."""
        return [token for part in trees(self.tree) if part.data == section for token in names(part)]
