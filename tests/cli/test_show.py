"""`symdmc show`: the description and the picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.encode.order.orders import ORDERS
from tests.cli.running import ROOT, Runner

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/show.schema.json").read_text())


def test_variables_are_shown_with_the_values_they_can_take(symdmc: Runner) -> None:
    rows = [re.split(r"\s{2,}", line) for line in symdmc("show", "talk.dve").out.splitlines()]
    assert ["a[1]", "array cell", "0..255 wrapping", "0, 2", "1"] in rows
    assert ["Receiver", "location", "2 locations", "wait", "0"] in rows


def test_processes_transitions_and_channels_are_listed(symdmc: Runner) -> None:
    out = symdmc("show", "talk.dve").out
    assert "2 processes, 7 variables in 9 bits, 2 transitions, 1 channel, 0 properties" in out
    assert re.search(r"^Sender +idle +idle, busy +2$", out, re.MULTILINE)
    assert re.search(r"^ +Sender: busy -> idle +Sender->n < 3$", out, re.MULTILINE)
    assert re.search(r"^c +rendezvous +any integer$", out, re.MULTILINE)


def test_it_says_whether_faults_are_excluded(symdmc: Runner) -> None:
    assert "value analysis excludes all faults" in symdmc("show", "counter.dve").out
    assert "value analysis does not exclude faults" in symdmc("show", "divide.dve").out


def test_properties_are_listed(symdmc: Runner) -> None:
    assert symdmc("show", "asserted.dve", "--json").document["properties"] == [
        {"name": "assert", "error": "P.t and not (x == 0)"}
    ]


def test_long_lists_are_cut_unless_all_is_asked(symdmc: Runner, folder: Path) -> None:
    (folder / "wide.dve").write_text(
        "byte a[50];\nprocess P { state s; init s; trans s -> s { effect a[3] = 1; }; }\nsystem async;\n"
    )
    assert "... 31 more (--all)" in symdmc("show", "wide.dve").out
    assert "more (--all)" not in symdmc("show", "wide.dve", "--all").out
    assert "a[49]" in symdmc("show", "wide.dve", "--all").out


def test_an_order_is_listed_with_its_cost_and_the_costs_of_the_others(symdmc: Runner) -> None:
    out = symdmc("show", "talk.dve", "--order", "force").out
    line = r"^order force: cost ([\d,]+) \(declared ([\d,]+), local ([\d,]+), hubs ([\d,]+)\)$"
    (costs,) = re.findall(line, out, re.MULTILINE)
    force, declared, local, hubs = (int(cost.replace(",", "")) for cost in costs)
    assert 0 < local <= min(force, declared, hubs)
    rows = [line.split() for line in out.partition("order force")[2].splitlines()[3:]]
    assert [row[0] for row in rows] == [str(position) for position in range(1, 8)]
    assert {row[1]: int(row[2]) for row in rows}["a[1]"] == 1
    assert rows[-1] == ["7", "Receiver", "0"]


def test_json_has_the_order_only_when_it_is_asked_for(symdmc: Runner) -> None:
    assert symdmc("show", "talk.dve", "--json").document["order"] is None
    document = symdmc("show", "talk.dve", "--json", "--order").document
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    order = document["order"]
    assert order["name"] == "local"
    assert order["cost"] <= min(order["others"].values())
    assert sorted(order["variables"]) == sorted(variable["name"] for variable in document["variables"])


def test_every_order_can_be_shown_and_no_other(symdmc: Runner) -> None:
    for name in ORDERS:
        assert symdmc("show", "counter.dve", "--json", "--order", name).document["order"]["name"] == name
    ran = symdmc("show", "counter.dve", "--order", "best")
    assert ran.code == 2
    assert all(repr(name) in ran.err for name in ORDERS)


def test_a_long_order_is_cut_unless_all_is_asked(symdmc: Runner) -> None:
    end = re.compile(r"^ +128   \w+ +\d$", re.MULTILINE)
    assert not end.search(symdmc("show", "arbiter_tree:height=6", "--order").out)
    assert end.search(symdmc("show", "arbiter_tree:height=6", "--order", "--all").out)


def test_predicates_are_listed_with_their_sources_and_what_entailment_was_asked(symdmc: Runner) -> None:
    out = symdmc("show", "counter.dve", "--predicates", "--error", "x == 30").out
    assert re.search(r"^x == 30 +linear +guard Up: s -> s and 2 more$", out, re.MULTILINE)
    assert re.search(r"^Up\.t +location +location Up\.s and 1 more$", out, re.MULTILINE)
    assert re.search(r"^\d+ cubes in \d+ layers, complete; the error is at least \d+ away$", out, re.MULTILINE)
    assert re.search(r"^entailment: [\d,]+ questions, 0 problems for sympy$", out, re.MULTILINE)


def test_json_has_the_predicates_only_when_they_are_asked_for(symdmc: Runner) -> None:
    assert symdmc("show", "counter.dve", "--json").document["predicates"] is None
    told = symdmc("show", "counter.dve", "--json", "--predicates", "--error", "x == 30")
    jsonschema.Draft202012Validator(SCHEMA).validate(told.document)
    predicates = told.document["predicates"]
    assert {"predicate": "x >= 28", "kind": "linear", "sources": ["guard Up: s -> s"]} in predicates["found"]
    entailment = predicates["entailment"]
    assert entailment["queries"] == sum(entailment["answered"].values()) + entailment["undecided"]
    assert predicates["complete"]
    cut = symdmc("show", "counter.dve", "--json", "--predicates", "--error", "x == 30", "--cubes", "1")
    assert not cut.document["predicates"]["complete"]


def test_a_question_is_for_predicates_only(symdmc: Runner) -> None:
    for options in (("--error", "x == 30"), ("--deadlock",), ("--cubes", "3")):
        ran = symdmc("show", "counter.dve", *options)
        assert ran.code == 2
        assert f"{options[0]} is for --predicates" in ran.err
    assert symdmc("show", "counter.dve", "--predicates").code == 30


def test_warnings_go_to_stderr_and_into_the_json(symdmc: Runner) -> None:
    ran = symdmc("show", "talk.dve", "--json")
    (warning,) = ran.document["warnings"]
    assert "'done'" in warning["what"]
    assert warning["code"] == "unreachable-location"
    assert ran.err == f"warning: {warning['where']}: {warning['what']}; {warning['remedy']} [unreachable-location]\n"


@pytest.mark.parametrize("model", ["talk.dve", "divide.dve", "asserted.dve", "counter.dve", "timed.py", "missing.dve"])
def test_json_follows_its_schema(symdmc: Runner, model: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(symdmc("show", model, "--json").document)


def test_the_graph_as_svg_has_a_box_for_every_variable(symdmc: Runner, folder: Path) -> None:
    assert symdmc("show", "talk.dve", "--graph", "talk.svg").code == 0
    root = ElementTree.parse(folder / "talk.svg").getroot()
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Sender", "Receiver", "got", "a[0]", "a[1]", "a[2]", "Sender->n"} <= texts


def test_the_graph_as_dot_links_what_shares_transitions(symdmc: Runner, folder: Path) -> None:
    assert symdmc("show", "counter.dve", "--graph", "counter.dot").code == 0
    text = (folder / "counter.dot").read_text()
    assert text.startswith("graph ")
    nodes = dict(re.findall(r'(n\d+) \[label="([^"]+)"', text))
    links = {frozenset((nodes[one], nodes[other])) for one, other in re.findall(r"(n\d+) -- (n\d+)", text)}
    assert links == {frozenset(("Up", "x")), frozenset(("Up", "y")), frozenset(("x", "y"))}


def test_what_a_property_reads_is_marked(symdmc: Runner, folder: Path) -> None:
    symdmc("show", "asserted.dve", "--graph", "asserted.svg")
    assert "in the error condition" in (folder / "asserted.svg").read_text()


def test_a_large_graph_has_one_node_for_an_array(symdmc: Runner, folder: Path) -> None:
    (folder / "wide.dve").write_text(
        "byte a[90];\nprocess P { state s; init s; trans s -> s { effect a[3] = 1; }; }\nsystem async;\n"
    )
    symdmc("show", "wide.dve", "--graph", "wide.dot")
    assert re.findall(r'label="([^"]+)"', (folder / "wide.dot").read_text()) == ["P", "a[]"]


RING = """\
enum role { relaxed, active = 5 };
channel pass[2][0];
template Node(channel in, channel out) {
  enum role mine;
  state idle, holding; init idle;
  trans idle -> holding { sync in?; effect mine = active; }, holding -> idle { sync out!; effect mine = relaxed; };
}
process P[2] = Node(pass[i], pass[1 - i]);
process Starter { state s, t; init s; trans s -> t { sync pass[1]!; }; }
system async;
"""


def test_a_model_is_written_in_plain_dve(symdmc: Runner, folder: Path) -> None:
    (folder / "ring.dve").write_text(RING)
    ran = symdmc("show", "ring.dve", "--dve", "plain/ring.dve")
    assert (ran.code, ran.err) == (
        30,
        "error: plain/ring.dve: cannot be written: No such file or directory; choose another file [cannot-write]\n",
    )
    (folder / "plain").mkdir()
    shown = symdmc("show", "ring.dve", "--dve", "plain/ring.dve")
    assert (shown.code, shown.err) == (0, "")
    assert not re.search("template|enum", (folder / "plain/ring.dve").read_text())
    assert symdmc("show", "plain/ring.dve").out == shown.out


def test_a_model_that_dve_cannot_say_is_not_written(symdmc: Runner, folder: Path) -> None:
    ran = symdmc("show", "hanoi:disks=2", "--dve", "hanoi.dve")
    assert (ran.code, ran.out) == (31, "")
    assert "DVE cannot say that" in ran.err
    assert not (folder / "hanoi.dve").exists()
