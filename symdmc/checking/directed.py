"""Checks with a heuristic: what is selected and built, and the search that it guides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symdmc.checking.preparing import Prepared, Selections, Workshop, prepared, reports, selected
from symdmc.checking.request import CheckRequest
from symdmc.heuristics.estimates.database_request import DatabaseRequest
from symdmc.outcome import SearchResult, Stop, Verdict
from symdmc.running.run import LimitReached, Run
from symdmc.running.signals import stop_of
from symdmc.search.directed.options import DirectedSearch
from symdmc.spelling.plurals import counted
from symdmc.task.task import Task

PATIENCE = 1_000_000
"""States that a search expands with databases that end at the initial states, before it is worth it to add layers."""
FIRST_WORK = 300_000_000
"""Most work on the databases of a selection before the first search, in nodes: about ten seconds."""
GROWTH = 1_000_000
"""Most nodes that the layers of a database may add up to, when layers are added because of a long search."""


def check_directed(request: CheckRequest, run: Run, workshop: Workshop) -> SearchResult:
    """Make the heuristic, then search; a limit met on the way is an outcome.

    A best-first search that takes long although its databases end at the initial states, or earlier where these take
    too much work, begins anew with larger ones.
    What a selection has settled on the way is the answer, unless it has a trace and a shortest one is asked for.
    What rests on databases from files is proved before it is said.
    """
    return _with_proof(request, run, workshop, _directed)


def _with_proof(
    request: CheckRequest,
    run: Run,
    workshop: Workshop,
    answer: Callable[[CheckRequest, Run, Workshop], SearchResult],
) -> SearchResult:
    """The answer to a request, without any claim that rests on what a file says and was not proved."""
    if not request.databases.files and not request.databases.opened:
        return answer(request, run, workshop)
    from symdmc.checking.believed import proved, refusing_lies, with_files_read

    began, task = run.seconds, workshop.task
    try:
        task.analyse(run.checkpoint)
        opened = with_files_read(request, task)
    except (LimitReached, KeyboardInterrupt) as ended:
        stop = ended.stop if isinstance(ended, LimitReached) else stop_of(ended)
        return replace(_Check(request, run, workshop).stopped(stop, began), engine=request.engine)
    with refusing_lies(opened):
        found = answer(opened, run, workshop)
    result = proved(task, found, opened, run)
    return result if request.certify else replace(result, certificate=None)


def _directed(request: CheckRequest, run: Run, workshop: Workshop) -> SearchResult:
    check = _Check(request, run, workshop)
    if not _may_grow(request):
        return check.result(request.databases, None)
    first = check.result(replace(request.databases, work=FIRST_WORK), PATIENCE)
    if first.verdict is not Verdict.UNKNOWN or first.stop is not None:
        return first
    grown = replace(request.databases, complete=True, layer_work=GROWTH, work=0)
    return _accumulated(first, check.result(grown, None))


def check_symbolically(request: CheckRequest, run: Run, workshop: Workshop) -> SearchResult:
    """The databases that are asked for, and A* over state sets."""
    return _with_proof(request, run, workshop, lambda *asked: _Check(*asked).symbolic_result())


def _may_grow(request: CheckRequest) -> bool:
    """Whether a long search is worth larger databases."""
    rule = _strategy(request).rule
    builds = any(each.options.patterns and each.options.builds(request.databases) for each in request.heuristics)
    return request.lookup == "flat" and builds and rule is not None and not request.databases.complete


def _strategy(request: CheckRequest) -> DirectedSearch:
    assert isinstance(request.search, DirectedSearch)  # by the rules of a request
    return request.search


@dataclass(slots=True)
class _Check:
    """One check: selections choose once, whatever is searched after that."""

    request: CheckRequest
    run: Run
    workshop: Workshop
    selections: Selections = field(default=())
    done: Prepared | None = None
    """The last heuristic made."""

    @property
    def task(self) -> Task:
        """What is checked."""
        return self.workshop.task

    def result(self, databases: DatabaseRequest, patience: int | None) -> SearchResult:
        """What a search with these databases finds, or a selection on the way."""
        from symdmc.search.directed.directed import search

        began = self.run.seconds
        try:
            answer = self._answer_of_selection()
            if answer is None:
                self.done = prepared(self.request, self.task, self.run, self.selections, databases)
                self.workshop.keep(self.request, self.done)
        except LimitReached as reached:
            return self.stopped(reached.stop, began)
        except KeyboardInterrupt as interrupt:
            return self.stopped(stop_of(interrupt), began)
        made = self.run.seconds - began
        if answer is None and self.done is not None:
            found = search(
                self.task,
                self.done.made.heuristic,
                strategy=_strategy(self.request),
                run=self.run,
                certify=self.request.certify,
                patience=patience,
            )
            answer = replace(found, patterns=self.done.made.patterns or None)
        assert answer is not None
        return self._with_provenance(answer, made)

    def symbolic_result(self) -> SearchResult:
        """What A* over state sets finds, or a selection on the way."""
        from symdmc.heuristics.estimates.patterns import patterns_in
        from symdmc.heuristics.heuristic import Making
        from symdmc.search.symbolic.astar import search

        request, options = self.request, self.request.symbolic
        began = self.run.seconds
        try:
            self.task.analyse(self.run.checkpoint)
            answer = self._answer_of_selection()
        except LimitReached as reached:
            return _symbolically(self.stopped(reached.stop, began))
        except KeyboardInterrupt as interrupt:
            return _symbolically(self.stopped(stop_of(interrupt), began))
        made = self.run.seconds - began
        if answer is not None:
            answer = _symbolically(answer)
        else:
            parts = [
                (source, Making(task=self.task, run=self.run, databases=request.databases, selection=selection))
                for each, selection in zip(request.heuristics, self.selections, strict=True)
                if (source := each.options.patterns) is not None
            ]
            extended, patterns = patterns_in(self.task, [kept for source, own in parts for kept in source.kept(own)])
            build = parts[0][0].build_options(request.databases)
            answer = search(
                self.task,
                patterns,
                options,
                extended=extended,
                databases=[database for source, own in parts for database in source.read_files(own)],
                build=replace(build, order=options.order, seed=options.seed, work=None),
                run=self.run,
            )
        return self._with_provenance(answer, made)

    def _answer_of_selection(self) -> SearchResult | None:
        """The trace that a selection has found, where it is as good as what the search promises."""
        if not self.selections:
            self.selections = selected(self.request, self.task, self.run, self.workshop.chosen)
        for each, chosen in zip(self.request.heuristics, self.selections, strict=True):
            answer = None if chosen is None else chosen.answer
            if answer is None or answer.verdict is not Verdict.ERROR:
                continue
            if answer.shortest or not self.request.search.IS_OPTIMAL:
                return replace(answer, settled_by=each.text)
        return None

    def _with_provenance(self, result: SearchResult, made: float) -> SearchResult:
        """The result, with how its heuristic was made."""
        return replace(
            result,
            reason=_explained(result, self.task, self.request),
            heuristic=self.request.heuristic_text,
            search=self.request.search.spelling,
            seconds=round(self.run.seconds, 3),
            preprocessing_seconds=round(result.preprocessing_seconds + made, 3),
            peak_memory_mb=max(result.peak_memory_mb, self.run.peak_memory_mb()),
            selections=reports(self.request, self.task, self.selections, self.done.remarks if self.done else ()),
        )

    def stopped(self, stop: Stop, began: float) -> SearchResult:
        """The answer where a limit ended the making of the heuristic."""
        return self._with_provenance(
            SearchResult(
                verdict=Verdict.UNKNOWN,
                reason=f"{stop.words} while making the heuristic",
                property=self.task.error.name,
                stop=stop,
                lower_bound=0,
            ),
            self.run.seconds - began,
        )


def _symbolically(result: SearchResult) -> SearchResult:
    """A result from before the search that the symbolic engine was asked for."""
    return replace(result, engine="symbolic", direction="forward", layers=())


def _explained(result: SearchResult, task: Task, request: CheckRequest) -> str:
    """The reason of a result; what it means that the initial states are dead ends is said in words."""
    if result.verdict is not Verdict.SAFE or result.h_initial != "dead end" or "dead end" not in result.reason:
        return result.reason  # of a heuristic of the user's own, which says "dead end", all states were visited
    several = len(result.patterns or ())
    if not several:
        return f"{request.heuristic_text} shows that no error can be reached from the start"
    where = "in an abstraction that keeps" if several == 1 else f"in one of {several} abstractions that keep"
    return f"{where} {_kept(result, task, request)} no error can be reached from the start"


def _kept(result: SearchResult, task: Task, request: CheckRequest) -> str:
    """How much the databases keep, together."""
    kept = {name for pattern in result.patterns or () for name in pattern}
    if all(each.options.TAKES_PREDICATES or each.text.startswith("pred:") for each in request.heuristics):
        return counted(len(kept), "predicate")
    merged = len(kept - {variable.name for variable in task.variables})
    share = f"{len(kept)} of {counted(len(task.variables), 'variable')}"
    return f"{share}, {merged} of them with merged values," if merged else share


def _accumulated(before: SearchResult, result: SearchResult) -> SearchResult:
    """The result of a search that began anew with larger databases, with what the first one cost."""
    return replace(
        result,
        explored=before.explored + result.explored,
        generated=before.generated + result.generated,
        preprocessing_seconds=round(before.preprocessing_seconds + result.preprocessing_seconds, 3),
        lower_bound=None if result.lower_bound is None else max(result.lower_bound, before.lower_bound or 0),
    )
