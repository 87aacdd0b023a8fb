"""Wrong calls from Python are told at the call, in one line that names the argument and says what to give."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import symdmc
from symdmc.errors import ModelError

SYMBOLIC = {"engine": "symbolic"}
PDB = {"heuristic": "pdb", "pattern": "x"}
TEXT, NUMBER = "give a text", "give an integer"

CHECKS: tuple[tuple[dict[str, Any], str, str], ...] = (
    # ---- what is asked
    *(
        ({"error": error}, "error", "give a text such as 'x == 3'")
        for error in (b"x == 3", bytearray(b"x"), 3, True, 1.5, [1], [b"x"], [None], {"x == 3": 1}, lambda state: True)
    ),
    *(({"property": value}, "property", "give the name of a property") for value in (3, b"p", ["p"], True)),
    ({"property": "endd"}, "property", "did you mean 'end'?"),
    *(
        ({"properties_file": value}, "properties_file", "give a path")
        for value in (3, b"p.txt", True, ["p.txt"], "a\0b")
    ),
    *(({name: "no"}, name, "give True or False") for name in ("deadlock", "assertions", "fault", "certify")),
    *(({name: 1}, name, "give True or False") for name in ("deadlock", "assertions", "fault", "certify")),
    ({"deadlock": None}, "deadlock", "give True or False"),
    # ---- the engine and the search
    *(({"engine": value}, "engine", TEXT) for value in (None, 3, b"explicit", True)),
    ({"engine": "symbolik"}, "engine", "did you mean 'symbolic'?"),
    *(({"search": value}, "search", TEXT) for value in (3, None, b"bfs", ["bfs"])),
    ({"search": "bsf"}, "search", "did you mean 'bfs'?"),
    ({"search": "astar"}, "search", "heuristic='pdb:cegar'"),
    ({"search": "bfs", "heuristic": "hL"}, "search", "leave one of them out"),
    *(({"seed": value, "search": "rdfs"}, "seed", NUMBER) for value in ("1", 1.5, None, True, b"1")),
    ({"seed": 1}, "seed", "leave it out"),
    *(({"direction": value, **SYMBOLIC}, "direction", TEXT) for value in (3, None, b"forward")),
    ({"direction": "forwards", **SYMBOLIC}, "direction", "did you mean 'forward'?"),
    ({"direction": "forward"}, "direction", "leave it out"),
    *(({"order": value, **SYMBOLIC}, "order", TEXT) for value in (3, None, b"local")),
    ({"order": "locale", **SYMBOLIC}, "order", "did you mean 'local'?"),
    *(({name: "x", **SYMBOLIC}, name, "give True or False") for name in ("sift", "count_layers")),
    *(
        ({name: value, **SYMBOLIC}, name, NUMBER)
        for name in ("node_limit", "merge_limit")
        for value in ("5", 1.5, True)
    ),
    *(({name: -1, **SYMBOLIC}, name, "give 0 or more") for name in ("node_limit", "merge_limit")),
    # ---- the heuristic and its databases
    *(
        ({"heuristic": value}, "heuristic", "give a spelling such as 'pdb:cegar', a pattern database, a function")
        for value in (7, None, b"hL", 1.5, True, [7], [None], object(), {"hL": 1})
    ),
    ({"heuristic": "hl"}, "heuristic", "did you mean 'hL'?"),
    ({"heuristic": ""}, "heuristic", ""),
    ({"heuristic": "pdb:cegra"}, "selection", "did you mean 'cegar'?"),
    ({"heuristic": "pdb"}, "pattern", "name what it keeps with pattern"),
    ({"heuristic": "pdb,keep=zzz"}, "pattern", "lists the names"),
    *(({"heuristic": "pdb", "pattern": value}, "pattern", TEXT) for value in (3, None, b"x", [3], [["x"]], {"x": 1})),
    ({"heuristic": "pdb", "pattern": "zzz"}, "pattern", "lists the names"),
    *(
        ({"heuristic": "pdb", "database": value}, "database", "give a path")
        for value in (3, None, b"x", [3], True, "a\0")
    ),
    ({"heuristic": "pdb", "database": "nope.json"}, "nope.json", ""),
    *(({"heuristic": "pred:given", "predicate": value}, "predicate", TEXT) for value in (3, None, b"x > 1", [3])),
    *(({"heuristic": "pred:given", "predicates_file": value}, "predicates_file", "give a path") for value in (3, b"x")),
    ({"heuristic": "pred:given", "predicates_file": "nope.txt"}, "nope.txt", ""),
    *(({**PDB, "complete": value}, "complete", "give True or False") for value in ("no", 1, None)),
    *(({**PDB, "projection": value}, "projection", TEXT) for value in (3, None)),
    ({**PDB, "projection": "exakt"}, "projection", "did you mean 'exact'?"),
    *(({**PDB, "perimeter": value}, "perimeter", NUMBER) for value in ("a", 1.5, True)),
    ({**PDB, "perimeter": -1}, "perimeter", "give 0 or more"),
    *(({**PDB, "combine": value}, "combine", TEXT) for value in (3, None, b"max")),
    ({**PDB, "combine": "mux"}, "combine", "did you mean 'max'?"),
    *(({**PDB, "lookup": value}, "lookup", TEXT) for value in (3, None)),
    ({**PDB, "lookup": "flatt"}, "lookup", "did you mean 'flat'?"),
    # ---- limits, and what there is not
    *(
        ({name: value}, name, "give ")
        for name in ("time_limit", "memory_limit")
        for value in (-1, "60", math.nan, True, b"5", [5], -0.5)
    ),
    ({"memory_limit": 1.5}, "memory_limit", "give megabytes as an integer"),
    *(({"progress": value}, "progress", "give a function") for value in (3, "print", True)),
    ({"tiem_limit": 3}, "tiem_limit", "did you mean 'time_limit'?"),
    ({"heurisitc": "hL"}, "heurisitc", "did you mean 'heuristic'?"),
    ({"modell": 3}, "modell", ""),
    ({"layered": True}, "layered", ""),
)

api: Any = symdmc
"""What a type checker would complain about is called here."""
Call = Callable[[Any, Any], object]

BUILDING: tuple[tuple[Call, str, str], ...] = (
    *((lambda m, p, v=v: m.integer(v, 0, 3), "name", TEXT) for v in (None, 3, b"y", True)),
    *((lambda m, p, v=v: m.integer("y", v, 3), "low", NUMBER) for v in ("0", 0.5, None, False, b"0")),
    *((lambda m, p, v=v: m.integer("y", 0, v), "high", NUMBER) for v in ("3", 3.5, None, True, math.inf)),
    *((lambda m, p, v=v: m.byte("y", size=v), "size", NUMBER) for v in ("a", 1.5, True, [3])),
    *(
        (lambda m, p, v=v: m.byte("y", initial=v), "initial", NUMBER)
        for v in ("a", "", b"ab", 1.5, {"a": 1}, {1: 2}, bytearray(b"a"))
    ),
    *((lambda m, p, v=v: m.byte("y", size=1, initial=v), "initial", NUMBER) for v in ([1.5], ["a"], [b"a"], [None])),
    (lambda m, p: m.integer("y", 0, 3, wraps="no"), "wraps", "give True or False"),
    *((lambda m, p, v=v: m.digital_clock("y", v), "bound", NUMBER) for v in (2.5, "2", None)),
    *((lambda m, p, v=v: m.constant("k", v), "value", NUMBER) for v in ("a", 1.5, None, [1.5], b"a")),
    *((lambda m, p, v=v: m.channel("c", values=v), "values", "give ") for v in (-1, "a", b"a", 1.5, True, None)),
    *(
        (lambda m, p, v=v: m.channel("c", values=v), "values", "give a pair such as (0, 3)")
        for v in ([3], ["a"], [(0,)], [(0, 1, 2)], (0, 2), [None])
    ),
    *((lambda m, p, v=v: m.channel("c", values=[v]), "values", NUMBER) for v in ((0, "2"), (0.5, 1), (True, 2))),
    *((lambda m, p, v=v: m.channel(v), "name", TEXT) for v in (3, None)),
    *((lambda m, p, v=v: m.buffered("c", capacity=v), "capacity", NUMBER) for v in (2.5, "2", None, True)),
    (lambda m, p: m.channel("c", urgent="no"), "urgent", "give True or False"),
    (lambda m, p: m.lockstep(3), "name", TEXT),
    (lambda m, p: m.clock(3), "name", TEXT),
    (lambda m, p: m.tick(3), "process", TEXT),
    *((lambda m, p, v=v: m.property(v, "P.s"), "name", TEXT) for v in (3, None)),
    *((lambda m, p, v=v: m.property("p", v), "error", TEXT) for v in (None, 3, True, b"P.s", lambda: 1, ["P.s"])),
    *((lambda m, p, v=v: p.edge("s", "t", guard=v), "guard", TEXT) for v in (True, None, 3, b"x", lambda: 1, ["x"])),
    *((lambda m, p, v=v: p.edge("s", "t", sync=v), "sync", TEXT) for v in (3, b"c!", ["c!"])),
    *((lambda m, p, v=v: p.edge("s", "t", do=v), "do", "give ") for v in (3, None, {"x": 1}, ["x = 1"], b"x = 1")),
    *((lambda m, p, v=v: p.edge("s", "t", cost=v), "cost", "give 0 or 1") for v in ("1", 1.0, None, True)),
    (lambda m, p: p.edge(None, "t"), "source", TEXT),
    (lambda m, p: p.edge("s", 3), "target", TEXT),
    (lambda m, p: p.location(3), "name", TEXT),
    *((lambda m, p, v=v: p.location("u", committed=v), "committed", "give True or False") for v in ("no", 1)),
    (lambda m, p: p.location("u", urgent="no"), "urgent", "give True or False"),
    *((lambda m, p, v=v: p.location("u", invariant=v), "invariant", TEXT) for v in (3, True, None)),
    (lambda m, p: m.process(3, "s"), "name", TEXT),
    *((lambda m, p, v=v: m.process("Q", v), "initial", "give ") for v in (3, None, [3], b"s", {"s"})),
    (lambda m, p: api.Builder(None), "name", TEXT),
    (lambda m, p: api.Builder("m", 3), "rules", "give a value of type Rules"),
    # what Python itself says of a keyword that there is not
    (lambda m, p: m.integer("y", 0, 3, intial=1), "intial", ""),
    (lambda m, p: p.edge("s", "t", gaurd="x"), "gaurd", ""),
)

OTHERS: tuple[tuple[Callable[[Any], object], str, str], ...] = (
    *((lambda s, v=v: api.check(v), "model", "give a path") for v in (None, 3, b"f.dve", True, [], 1.5)),  # type: ignore[var-annotated]
    *((lambda s, v=v: api.load(v), "model", "give a path") for v in (None, 3, b"f.dve", [])),  # type: ignore[var-annotated]
    *((lambda s, v=v: api.explore(v), "model", "give a path") for v in (None, 3, b"f.dve")),
    *((lambda s, v=v: api.task_for(v), "model", "give a path") for v in (None, 3)),
    *((lambda s, v=v: api.pattern_database(v, keep="x"), "model", "give a path") for v in (None, 3)),
    (lambda s: api.check("a\0b"), "a", ""),
    (lambda s: api.load("arbiter_tree", heigt=2), "heigt", "did you mean 'height'?"),
    (lambda s: api.load("arbiter_tree", height="a"), "height", ""),
    (lambda s: api.load("arbiter_tre"), "arbiter_tre", "did you mean 'arbiter_tree'?"),
    (lambda s: api.explore(s, error="x == 3"), "error", ""),
    (lambda s: api.explore(s, layered="no"), "layered", "give True or False"),
    (lambda s: api.explore(s, enginee="symbolic"), "enginee", "did you mean 'engine'?"),
    (lambda s: api.explore(s, time_limit="60"), "time_limit", "give "),
    (lambda s: api.task_for(s, eror="x == 3"), "eror", "did you mean 'error'?"),
    (lambda s: api.task_for(s, error=3), "error", TEXT),
    (lambda s: api.pattern_database(s, kep="x"), "kep", "did you mean 'keep'?"),
    (lambda s: api.pattern_database(s), "keep", "give keep, predicates or classes"),
    *((lambda s, v=v: api.pattern_database(s, keep=v), "keep", TEXT) for v in (3, None, b"x", [3], {"x": 1})),
    *((lambda s, v=v: api.pattern_database(s, predicates=v), "predicates", TEXT) for v in (3, None, b"x", [3])),
    *(
        (lambda s, v=v: api.pattern_database(s, classes=v), "classes", "give a mapping such as")
        for v in (3, "x=0/1", ["x=0/1"], {"x": 3}, {3: "0/1"}, {"x": ["0", "1"]})
    ),
    (lambda s: api.pattern_database(s, keep="x", complete="no"), "complete", "give True or False"),
    (lambda s: api.pattern_database(s, keep="x", order="locale"), "order", "did you mean 'local'?"),
    (lambda s: api.pattern_database(s, keep="x", projection=3), "projection", TEXT),
    (lambda s: api.pattern_database(s, keep="x", perimeter=-1), "perimeter", "give 0 or more"),
    (lambda s: api.pattern_database(s, keep="x", seed="a"), "seed", NUMBER),
    (lambda s: api.pattern_database(s, keep="x", time_limit=-1), "time_limit", "give "),
    *((lambda s, v=v: api.select_patterns(s, v), "selection", TEXT) for v in (3, None, b"dpr", ["dpr"])),
    (lambda s: api.select_patterns(s, "cegra"), "selection", "did you mean 'cegar'?"),
    (lambda s: api.select_patterns(s, "cegar", eror="x"), "eror", "did you mean 'error'?"),
    *((lambda s, v=v: api.heuristic(v), "function", "give a function") for v in (3, "hL", b"hL", [])),  # type: ignore[var-annotated]
    (lambda s: api.heuristic(len, name=3), "name", TEXT),
    (lambda s: api.heuristic(len, admissible="yes"), "admissible", "give True or False"),
    (lambda s: api.heuristic(len, consistent=1), "consistent", "give True or False"),
    (lambda s: api.heuristic(len, admissable=True), "admissable", ""),
    (lambda s: api.check(s, heuristic=_Odd), "heuristic", "give an object of it, such as _Odd()"),
    (lambda s: api.check(s, heuristic=_Odd()), "admissible", "give True or False"),
)


class _Odd:
    """A heuristic that declares a text."""

    name = "odd"
    admissible = "yes"

    def estimate(self, state: symdmc.NamedState) -> int:
        """Nothing."""
        return 0


@cache
def _counter() -> symdmc.System:
    m = symdmc.Builder("m")
    m.byte("x")
    m.process("P", initial="s").edge("s", "s", guard="x < 5", do="x = x + 1")
    m.property("end", "x == 3")
    return m.build()


def _require_told(call: Callable[[], object], argument: str, remedy: str) -> None:
    with pytest.raises((TypeError, ModelError)) as refused:
        call()
    told = str(refused.value)
    assert len(told.splitlines()) == 1
    assert argument in told
    assert remedy in told
    if type(refused.value) is TypeError:
        assert "unexpected keyword argument" in told


def test_there_are_as_many_as_were_ever_found() -> None:
    assert len(CHECKS) + len(BUILDING) + len(OTHERS) >= 132


@pytest.mark.parametrize(("options", "argument", "remedy"), CHECKS, ids=map(str, range(len(CHECKS))))
def test_a_wrong_argument_of_check_is_told(options: dict[str, Any], argument: str, remedy: str) -> None:
    _require_told(lambda: symdmc.check(_counter(), **options), argument, remedy)


@pytest.mark.parametrize("number", range(len(BUILDING)))
def test_a_wrong_argument_of_a_builder_is_told_where_it_is_given(number: int) -> None:
    call, argument, remedy = BUILDING[number]
    m = symdmc.Builder("m")
    p = m.process("P", initial="s")
    _require_told(lambda: call(m, p), argument, remedy)


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_a_wrong_argument_of_the_other_functions_is_told(number: int) -> None:
    call, argument, remedy = OTHERS[number]
    _require_told(lambda: call(_counter()), argument, remedy)


def test_what_looks_wrong_and_is_right_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    m = symdmc.Builder("m")
    m.integer("x", 0, 5)
    m.channel("c", values=[(0, 2), symdmc.Range(0, 3)])
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 5", do="x = x + 1")
    m.property("end", "x == 3")
    assert m.build().channels[0].types == (symdmc.Range(0, 2), symdmc.Range(0, 3))
    assert symdmc.check(m).length == 3
    assert symdmc.explore(m).states == 6
    assert symdmc.task_for(m).system == m.build()
    assert symdmc.check(m, error=("x == 2", "x == 4"), time_limit=60, memory_limit=None).length == 2
    monkeypatch.chdir(tmp_path)
    Path("asked.txt").write_text("two; x == 2\n")
    for path in ("asked.txt", Path("asked.txt")):
        assert symdmc.check(m, properties_file=path).length == 2
    Path("told.txt").write_text("x >= 2\n")
    for path in ("told.txt", Path("told.txt")):
        assert symdmc.check(m, heuristic="pred:given", predicates_file=path).length == 3


def test_a_database_is_a_file_by_any_name_of_it(tmp_path: Path) -> None:
    from symdmc.patterndb.store import write_database

    write_database(tmp_path / "x.pdb", symdmc.pattern_database(_counter(), keep="x"))
    for path in (str(tmp_path / "x.pdb"), tmp_path / "x.pdb", [str(tmp_path / "x.pdb")]):
        assert symdmc.check(_counter(), heuristic="pdb", database=path).length == 3
