"""Models and certificates with texts that would rewrite what a terminal shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.cli.running import Ran, Runner

FORGED = "safe\x1b[2J\r\x1b]0;title\x07\x9b1m\x7f\u2028\u202e"


def _model(**members: Any) -> str:
    place = {"name": "s"}
    process = {"name": "P", "initial": ["s"], "locations": [place], "edges": []}
    model = {"schema": "symdmc-model/1", "name": "m", "processes": [process], **members}
    return json.dumps(model | {"properties": [{"name": "p", "error": "P.s"}, *members.get("properties", ())]})


def _nothing_steers(ran: Ran) -> None:
    assert all(character == "\n" or character.isprintable() for character in ran.out + ran.err), ran


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"name": FORGED}, 0),
        ({"notes": [FORGED]}, 0),
        ({FORGED: 1}, 30),
        ({"schema": FORGED}, 30),
        ({"properties": [{"name": FORGED, "error": "P.s"}]}, 30),
        ({"properties": [{"name": "q", "error": FORGED}]}, 30),
        ({"variables": [{"name": FORGED, "low": 0, "high": 1, "initial": [0]}]}, 30),
        ({"channels": [{"name": FORGED, "kind": "rendezvous"}]}, 30),
        ({"clocks": [{"name": FORGED}]}, 30),
        ({"processes": [{"name": FORGED, "initial": ["s"], "locations": [{"name": "s"}], "edges": []}]}, 30),
        ({"processes": [{"name": "P", "initial": [FORGED], "locations": [{"name": FORGED}], "edges": []}]}, 30),
        ({"clocks": [{"name": "1", "at": f"{FORGED}:1:1"}]}, 30),
    ],
)
def test_no_text_of_a_model_steers_the_terminal(
    symdmc: Runner, folder: Path, members: dict[str, Any], code: int
) -> None:
    (folder / "hostile.json").write_text(_model(**members))
    for options in ((), ("--json",)):
        shown = symdmc("show", "hostile.json", *options)
        assert shown.code == code
        _nothing_steers(shown)
        checked = symdmc("check", "hostile.json", "--property", "p", *options)
        assert checked.code == (code or 10)
        _nothing_steers(checked)


@pytest.mark.parametrize("members", [{"name": "m\n✓ safe"}, {"notes": ["n\n✓ safe"]}])
def test_no_text_of_a_model_makes_a_line_of_its_own(symdmc: Runner, folder: Path, members: dict[str, Any]) -> None:
    (folder / "hostile.json").write_text(_model(**members))
    for command in ("show", "explore", "check"):
        ran = symdmc(command, "hostile.json", *(("--property", "p") if command == "check" else ()))
        assert not any(line.startswith("✓ safe") for line in (ran.out + ran.err).splitlines()), ran


@pytest.mark.parametrize("comment", ["/*\n✓ safe\n*/", "// or x == 41", "\n"])
def test_what_evidence_calls_its_question_says_no_more_than_it_means(
    symdmc: Runner, folder: Path, comment: str
) -> None:
    symdmc("check", "counter.dve", "--error", "x == 40", "--certificate", "proof.json", "--quiet")
    symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json", "--quiet")
    for command, file in (("certify", "proof.json"), ("replay", "trace.json")):
        evidence = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps({**evidence, "property": f"{evidence['property']} {comment}"}))
        ran = symdmc(command, "counter.dve", file)
        assert ran.code == 0
        assert not any(line.startswith("✓ safe") for line in ran.out.splitlines())
        assert "41" not in ran.out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names of files are UTF-8")
@pytest.mark.parametrize("name", ["\ud800", "\x1b[2J\x08", "\ufffe", "</title><script>1</script>"])
def test_a_picture_of_any_model_can_be_written_and_read(symdmc: Runner, folder: Path, name: str) -> None:
    (folder / "hostile.json").write_text(_model(name=name))
    path = "b\udcff.json"  # as Python spells a name that is not UTF-8
    (folder / path).write_text(_model(name=name))
    question = ("--property", "p")
    for model in ("hostile.json", path):
        for ran in (
            symdmc("show", model, "--graph", "graph.svg"),
            symdmc("show", model, "--graph", "graph.dot"),
            symdmc("check", model, *question, "--engine", "symbolic", "--layers", "layers.svg"),
        ):
            assert ran.code in (0, 10), ran
            _nothing_steers(ran)
        for picture in ("graph.svg", "layers.svg"):
            assert b"<script" not in (folder / picture).read_bytes()
            ElementTree.parse(folder / picture)
            (folder / picture).unlink()


def test_a_json_answer_keeps_the_text_itself(symdmc: Runner, folder: Path) -> None:
    (folder / "hostile.json").write_text(_model(notes=[FORGED]))
    assert symdmc("show", "hostile.json", "--json").document["notes"] == [FORGED]


@pytest.mark.parametrize("key", ["fingerprint", "property", "schema", "unknown\x1b[2J"])
def test_no_text_of_a_certificate_steers_the_terminal(symdmc: Runner, folder: Path, key: str) -> None:
    symdmc("check", "counter.dve", "--error", "x == 40", "--certificate", "proof.json", "--quiet")
    certificate = json.loads((folder / "proof.json").read_text())
    (folder / "proof.json").write_text(json.dumps({**certificate, key: FORGED}))
    for options in ((), ("--json",)):
        _nothing_steers(symdmc("certify", "counter.dve", "proof.json", *options))


def test_names_of_properties_are_identifiers(symdmc: Runner, folder: Path) -> None:
    (folder / "hostile.json").write_text(_model(properties=[{"name": "a b", "error": "P.s"}]))
    ran = symdmc("check", "hostile.json", "--property", "p")
    assert ran.code == 30
    assert "property name 'a b' is not an identifier" in ran.err


def _with_text(content: Any, key: str) -> Any:
    """JSON in which every text is the forged one, or that of one key."""
    if isinstance(content, dict):
        return {
            each: FORGED if key in ("*", each) and isinstance(value, str) else _with_text(value, key)
            for each, value in content.items()
        }
    return [_with_text(each, key) for each in content] if isinstance(content, list) else content


X40 = ("counter.dve", "--error", "x == 30")
WRITTEN = {
    "replay": (("check", *X40, "--trace", "file.json"), ("replay", "counter.dve", "file.json")),
    "shorten": (("check", *X40, "--trace", "file.json"), ("check", *X40, "--shorten", "file.json")),
    "show a database": (
        ("patterndb", "build", *X40, "--pattern", "x", "-o", "file.json"),
        ("patterndb", "show", "file.json", *X40),
    ),
    "check with a database": (
        ("patterndb", "build", *X40, "--pattern", "x", "-o", "file.json"),
        ("check", *X40, "--heuristic", "pdb", "--database", "file.json"),
    ),
}


@pytest.mark.parametrize("key", ["*", "schema", "fingerprint", "property", "error", "label"])
@pytest.mark.parametrize("what", WRITTEN)
def test_no_text_of_a_file_that_was_written_steers_the_terminal(
    symdmc: Runner, folder: Path, what: str, key: str
) -> None:
    write, read = WRITTEN[what]
    symdmc(*write, "--quiet")
    content = json.loads((folder / "file.json").read_text())
    (folder / "file.json").write_text(json.dumps(_with_text(content, key)))
    _nothing_steers(symdmc(*read))


@pytest.mark.parametrize("text", ["models = ['{}']", "configs = ['{}']", "'{}' = 3", "rows = {{'{}' = 3}}"])
def test_no_text_of_a_suite_steers_the_terminal(symdmc: Runner, folder: Path, text: str) -> None:
    for suite in (text.format(FORGED), text.replace("'", '"').format(json.dumps(FORGED)[1:-1])):
        (folder / "suite.toml").write_text(suite)
        ran = symdmc("compare", "suite.toml", "--config", "bfs")
        assert ran.code in (2, 30)
        _nothing_steers(ran)
