"""`--engine symbolic` on `check` and `explore`: answers, options, refusals, limits, the picture of the layers."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from symdmc.checking.request import Engine
from symdmc.cli import options
from symdmc.encode.order.orders import ORDERS
from symdmc.search.symbolic.options import DIRECTIONS
from tests.cli.running import ROOT, Runner
from tests.cli.test_help import options as options_of

SYMBOLIC = ("--engine", "symbolic")
X30 = ("check", "counter.dve", "--error", "x == 30")
X31 = ("check", "counter.dve", "--error", "x == 31")
SCHEMAS: dict[str, Any] = {
    name: json.loads((ROOT / f"docs/schemas/{name}.schema.json").read_text()) for name in ("check", "explore")
}


def document(symdmc: Runner, *args: str) -> dict[str, Any]:
    """What the command prints with --json, which must follow its schema."""
    found = symdmc(*args, "--json").document
    jsonschema.Draft202012Validator(SCHEMAS[args[0]]).validate(found)
    return found


def complaint(symdmc: Runner, *args: str) -> str:
    """The one line that a wrong command gets."""
    ran = symdmc(*args)
    assert (ran.code, ran.out) == (2, "")
    (line,) = ran.err.splitlines()
    return line


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_direction_finds_a_shortest_trace(symdmc: Runner, direction: str) -> None:
    found = document(symdmc, *X30, *SYMBOLIC, "--direction", direction)
    assert (found["verdict"], found["length"], found["shortest"]) == ("error", 10, True)
    assert (found["engine"], found["direction"]) == ("symbolic", direction)
    sides = {layer["direction"] for layer in found["layers"]}
    assert sides == ({"forward", "backward"} if direction == "bidirectional" else {direction})
    assert found["peak_nodes"] > 0
    assert sorted(found["order"]) == ["Up", "x", "y"]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_direction_proves_that_there_is_no_error(symdmc: Runner, direction: str) -> None:
    ran = symdmc(*X31, *SYMBOLIC, "--direction", direction)
    assert ran.code == 0
    assert ran.out.startswith("\u2713 safe: no error state of x == 31 is reachable\n")
    assert document(symdmc, *X31, *SYMBOLIC, "--direction", direction)["lower_bound"] is None


@pytest.mark.parametrize(
    "chosen",
    [
        *(("--order", order) for order in ORDERS),
        ("--sift",),
        ("--merge-limit", "0"),
        ("--merge-limit", "1000000"),
        ("--node-limit", "1000000"),
        ("--seed", "7"),
    ],
    ids=" ".join,
)
def test_options_change_the_way_but_not_the_answer(symdmc: Runner, chosen: tuple[str, ...]) -> None:
    assert document(symdmc, *X30, *SYMBOLIC, *chosen)["length"] == 10
    found = document(symdmc, "explore", "talk.dve", *SYMBOLIC, *chosen)
    assert (found["states"], found["deadlocks"]) == (6, 1)


def test_layers_are_exact(symdmc: Runner) -> None:
    layers = document(symdmc, "explore", "talk.dve", *SYMBOLIC, "--depth")["layers"]
    assert [(layer["depth"], layer["states"]) for layer in layers] == [(depth, 1) for depth in range(6)]
    found = document(symdmc, *X30, *SYMBOLIC, "--direction", "forward")
    assert [layer["states"] for layer in found["layers"]][:3] == [1, 2, 3]


def test_the_text_names_direction_order_layers_and_nodes(symdmc: Runner) -> None:
    lines = symdmc(*X30, *SYMBOLIC, "--direction", "backward", "--order", "force", "--sift").out.splitlines()
    assert lines[:2] == ["\u2717 error reachable: x == 30", "  a shortest trace: length 10 (10 transitions)"]
    assert re.fullmatch(
        r"  symbolic backward bfs, order force, sifted: \d+ layers, at most [\d,]+ nodes, [\d.]+ s, [\d,]+ MB", lines[2]
    )


def test_a_trace_is_saved_and_replays(symdmc: Runner) -> None:
    assert symdmc(*X30, *SYMBOLIC, "--trace", "trace.json").code == 10
    assert symdmc("replay", "counter.dve", "trace.json").code == 0


def test_deadlocks_and_faults_can_be_asked_for(symdmc: Runner) -> None:
    assert document(symdmc, "check", "talk.dve", "--deadlock", *SYMBOLIC)["length"] == 5
    assert document(symdmc, "check", "divide.dve", "--error", "fault", *SYMBOLIC)["length"] == 3


def test_safe_does_not_exclude_faults_unless_value_analysis_does(symdmc: Runner) -> None:
    assert "faults not excluded" in symdmc("check", "divide.dve", "--error", "x > 3", *SYMBOLIC).out
    assert document(symdmc, "check", "divide.dve", "--error", "x > 3", *SYMBOLIC)["faults"] is None
    assert "faults not excluded" not in symdmc(*X31, *SYMBOLIC).out
    assert document(symdmc, *X31, *SYMBOLIC)["faults"] == 0


def test_exploring_counts_states_and_deadlocks(symdmc: Runner) -> None:
    found = document(symdmc, "explore", "talk.dve", *SYMBOLIC)
    assert (found["states"], found["deadlocks"], found["engine"]) == (6, 1, "symbolic")
    assert found["transitions"] is found["depth"] is found["stored"] is None
    assert symdmc("explore", "talk.dve", *SYMBOLIC).out.splitlines()[:2] == ["\u2713 6 states", "  1 deadlock"]


def test_depth_and_transitions_are_found_when_asked_for(symdmc: Runner) -> None:
    found = document(symdmc, "explore", "talk.dve", *SYMBOLIC, "--depth")
    assert (found["states"], found["transitions"], found["depth"], found["deadlocks"]) == (6, 5, 5, 1)


def test_the_explicit_engine_always_finds_them(symdmc: Runner) -> None:
    asked, unasked = (symdmc("explore", "talk.dve", *more).out.splitlines()[:2] for more in (("--depth",), ()))
    assert asked == unasked == ["\u2713 6 states", "  5 transitions, depth 5, 1 deadlock"]


def test_counts_are_exact_far_beyond_what_can_be_visited(symdmc: Runner) -> None:
    assert document(symdmc, "explore", "large.dve", *SYMBOLIC)["states"] == 256**6


REFUSED = {
    "--direction": "forward",
    "--order": "force",
    "--sift": None,
    "--merge-limit": "5",
    "--node-limit": "5",
    "--layers": "layers.svg",
}


@pytest.mark.parametrize("option", REFUSED)
@pytest.mark.parametrize("engine", [(), ("--engine", "explicit")])
def test_options_of_the_symbolic_engine_are_refused_without_it(
    symdmc: Runner, option: str, engine: tuple[str, ...]
) -> None:
    value = REFUSED[option]
    given = (option, *(() if value is None else (value,)))
    for command in [X30, *([("explore", "counter.dve")] if option != "--direction" else [])]:
        assert f"{option} is for --engine symbolic" in complaint(symdmc, *command, *engine, *given)
    assert not Path("layers.svg").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--search", "dfs"), "--search dfs is for --engine explicit"),
        (("--combine", "max"), "--combine is for --heuristic pdb"),
        (("--shorten", "trace.json"), "--shorten always searches breadth first, state by state"),
    ],
)
def test_options_of_the_explicit_engine_are_refused_without_it(
    symdmc: Runner, given: tuple[str, str], told: str
) -> None:
    assert told in complaint(symdmc, *X30, *SYMBOLIC, *given)


def test_a_seed_that_decides_nothing_is_refused(symdmc: Runner) -> None:
    wrong = "--seed is for --search rdfs and for --engine symbolic"
    assert wrong in complaint(symdmc, *X30, "--seed", "1")
    assert "--seed is for --engine symbolic" in complaint(symdmc, "explore", "counter.dve", "--seed", "1")


def test_exploring_has_no_direction(symdmc: Runner) -> None:
    assert "--direction" in complaint(symdmc, "explore", "counter.dve", *SYMBOLIC, "--direction", "backward")


@pytest.mark.parametrize("option", ["--node-limit", "--merge-limit"])
@pytest.mark.parametrize("value", ["-1", "many", "1.5"])
def test_limits_are_whole_numbers(symdmc: Runner, option: str, value: str) -> None:
    assert option in complaint(symdmc, *X30, *SYMBOLIC, option, value)


def test_the_choices_are_those_the_engine_knows() -> None:
    known = {"--order": ORDERS, "--direction": DIRECTIONS, "--engine": get_args(Engine)}
    for command in ("check", "explore"):
        choices = {option.opts[0]: option.type for option in options_of(command)}
        assert all(
            tuple(choices[name].choices) == names  # type: ignore[attr-defined]
            for name, names in known.items()
            if name in choices
        )


def test_the_defaults_in_the_help_are_those_of_the_engine(symdmc: Runner) -> None:
    shown = re.sub(r"\s+", " ", symdmc("check", "--help-all").out)
    assert re.search(rf"--direction [^-]*\[default: {options.DEFAULTS.direction}\]", shown)
    assert re.search(rf"--order [^-]*\[default: {options.DEFAULTS.order}\]", shown)


@pytest.mark.parametrize("command", [X30, ("explore", "counter.dve")], ids=["check", "explore"])
@pytest.mark.parametrize(("limit", "code"), [(("--time-limit", "0"), 21), (("--node-limit", "1"), 22)])
def test_a_limit_is_an_outcome_with_what_is_known(
    symdmc: Runner, command: tuple[str, ...], limit: tuple[str, str], code: int
) -> None:
    found = document(symdmc, *command, *SYMBOLIC, *limit)
    assert found["exit_code"] == code
    assert "limit" in found["reason"]
    assert isinstance(found["layers"], list)
    ran = symdmc(*command, *SYMBOLIC, *limit)
    assert ran.code == code
    assert ran.out.startswith("? unknown: ")


def test_the_bound_of_a_limited_search_is_told(symdmc: Runner) -> None:
    bounded = ("check", "large.dve", "--error", "a[0] + a[1] + a[2] + a[3] + a[4] + a[5] == 1500")
    found = document(symdmc, *bounded, *SYMBOLIC, "--direction", "forward", "--time-limit", "4")
    assert found["exit_code"] == 21
    assert 0 < found["lower_bound"] == len(found["layers"]) < 1500


@pytest.mark.parametrize(
    "command", [(*X30, *SYMBOLIC), ("explore", "talk.dve", *SYMBOLIC), ("explore", "talk.dve", *SYMBOLIC, "--depth")]
)
def test_layers_are_drawn(symdmc: Runner, command: tuple[str, ...]) -> None:
    assert symdmc(*command, "--layers", "layers.svg").err.count("error:") == 0
    first = Path("layers.svg").read_bytes()
    shown = ["".join(element.itertext()) for element in ElementTree.fromstring(first).iter()]
    assert command[1] in shown
    symdmc(*command, "--layers", "layers.svg")
    assert Path("layers.svg").read_bytes() == first
    assert ("round of chaining" in shown) == (command[0] == "explore" and "--depth" not in command)


def test_a_limit_leaves_a_picture_of_what_was_found(symdmc: Runner) -> None:
    assert symdmc(*X30, *SYMBOLIC, "--time-limit", "0", "--layers", "layers.svg").code == 21
    assert "no layer was finished" in Path("layers.svg").read_text()


@pytest.mark.parametrize("name", ["layers.png", "layers", "layers.SVG.txt"])
def test_only_svg_is_drawn(symdmc: Runner, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "symdmc.search.symbolic.symbolic.search", lambda *args, **settings: pytest.fail("it was searched")
    )
    assert f"'{name}' does not end in .svg" in complaint(symdmc, *X30, *SYMBOLIC, "--layers", name)


@pytest.mark.parametrize("command", [X30, ("explore", "counter.dve")], ids=["check", "explore"])
def test_a_picture_that_cannot_be_written_is_found_out_before_the_search(
    symdmc: Runner, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("search", "explore"):
        monkeypatch.setattr(
            f"symdmc.search.symbolic.symbolic.{name}", lambda *args, **settings: pytest.fail("it was searched")
        )
    ran = symdmc(*command, *SYMBOLIC, "--layers", "missing/layers.svg")
    assert (ran.code, ran.out) == (30, "")
    assert re.fullmatch(r"error: missing/layers\.svg: cannot be written: .*\n", ran.err)


# ---- symbolic A*

GUIDED = (*SYMBOLIC, "--heuristic", "pdb", "--pattern", "x")


def test_with_a_pattern_it_is_symbolic_a_star(symdmc: Runner, folder: Path) -> None:
    found = document(symdmc, *X30, *GUIDED)
    assert (found["verdict"], found["length"], found["shortest"]) == ("error", 10, True)
    assert (found["engine"], found["search"], found["heuristic"]) == ("symbolic", "astar", "pdb")
    assert (found["h_initial"], found["patterns"], found["direction"]) == (10, [["x"]], "forward")
    assert 0 < found["preprocessing_seconds"] <= found["seconds"]
    assert symdmc("patterndb", "build", *X30[1:], "--pattern", "x", "-o", "x.pdb").code == 0
    read = document(symdmc, *X30, *SYMBOLIC, "--heuristic", "pdb", "--database", "x.pdb")
    assert (read["length"], read["h_initial"], read["patterns"]) == (10, 10, [["x"]])


def test_a_dead_end_proves_safety_with_a_certificate(symdmc: Runner) -> None:
    found = document(symdmc, *X31, *GUIDED, "--certificate", "proof.json")
    assert (found["verdict"], found["h_initial"], found["layers"]) == ("safe", "dead end", [])
    assert symdmc("certify", "counter.dve", "proof.json").code == 0


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--direction", "forward"), "--direction is for searches without a heuristic"),
        (("--search", "greedy"), "--search greedy is for --engine explicit"),
        (("--combine", "sum"), "--combine is for --engine explicit"),
        (("--lookup", "layers"), "--lookup is for --engine explicit"),
    ],
)
def test_what_symbolic_a_star_does_not_have_is_refused(symdmc: Runner, args: tuple[str, ...], line: str) -> None:
    assert line in complaint(symdmc, *X30, *GUIDED, *args)


def test_symbolic_a_star_needs_databases(symdmc: Runner) -> None:
    assert "--search astar needs a heuristic" in complaint(symdmc, *X30, *SYMBOLIC, "--search", "astar")
    ran = symdmc(*X30, *SYMBOLIC, "--heuristic", "blind")
    assert (ran.code, ran.err) == (
        2,
        "error: the symbolic engine takes pattern databases only, not blind; use --heuristic pdb:dpr, for one, "
        "or leave the heuristic out; see symdmc check --help [options-conflict]\n",
    )
