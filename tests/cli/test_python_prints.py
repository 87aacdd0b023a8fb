"""What Python prints of a result is what the command line prints, and what it writes is what the commands write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import symdmc
from symdmc.api.shown import Printed
from symdmc.spelling.speech import speaking_options
from tests.cli.docs_sessions import MASKS
from tests.cli.running import Runner, environment

CHECKS: list[tuple[list[str], str, dict[str, Any]]] = [
    ([], "asserted.dve", {}),
    (["--error", "x == 30"], "counter.dve", {"error": "x == 30"}),
    (["--error", "x == 31", "--error", "y == 2"], "counter.dve", {"error": ["x == 31", "y == 2"]}),
    (["--error", "got == 9"], "talk.dve", {"error": "got == 9"}),
    (["--deadlock", "--search", "rdfs", "--seed", "3"], "talk.dve", {"deadlock": True, "search": "rdfs", "seed": 3}),
    (["--error", "x == 9"], "divide.dve", {"error": "x == 9"}),
    (["--error", "fault"], "divide.dve", {"fault": True}),
    (["--error", "got == 2", "--heuristic", "pdb:cegar"], "talk.dve", {"error": "got == 2", "heuristic": "pdb:cegar"}),
    (
        ["--error", "got == 2", "--engine", "symbolic", "--order", "force", "--seed", "2", "--sift"],
        "talk.dve",
        {"error": "got == 2", "engine": "symbolic", "order": "force", "seed": 2, "sift": True, "count_layers": True},
    ),
    (["--time-limit", "0", "--error", "x == 30"], "counter.dve", {"time_limit": 0, "error": "x == 30"}),
]
EXPLORATIONS: list[tuple[list[str], str, dict[str, Any]]] = [
    ([], "talk.dve", {}),
    ([], "divide.dve", {}),
    (["--engine", "symbolic"], "talk.dve", {"engine": "symbolic", "count_layers": True}),
    (["--engine", "symbolic", "--depth"], "talk.dve", {"engine": "symbolic", "layered": True, "count_layers": True}),
]


def masked(text: str) -> list[str]:
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text.splitlines()


def plain(document: dict[str, object]) -> dict[str, object]:
    """What does not depend on time and memory; seconds of layers neither."""
    content: dict[str, object] = json.loads(json.dumps(document))
    layers = content.get("layers")
    for each in (content, *(layers if isinstance(layers, list) else [])):
        for key in ("seconds", "peak_memory_mb", "preprocessing_seconds"):
            each.pop(key, None)
    return content


def validated(value: dict[str, object], name: str) -> dict[str, object]:
    written: dict[str, object] = json.loads(json.dumps(value))
    jsonschema.Draft202012Validator(symdmc.schema(name)).validate(written)
    return written


def same(result: Printed, shown: str) -> bool:
    with speaking_options():
        return masked(str(result)) == masked(shown.rstrip("\n"))


def test_python_says_how_python_shows_more(folder: Path) -> None:
    from symdmc import check, explore

    result = check("counter.dve", error="x == 30")
    assert result.trace is not None
    assert "... 8 steps (text(steps=None))" in result.text(steps=2)
    assert "... 8 steps (text(steps=None))" in result.trace.text(steps=2)
    assert "steps=None" not in result.text(steps=None)
    assert "check('divide.dve', fault=True) shows a way there" in str(explore("divide.dve"))
    assert "check('talk.dve', deadlock=True) shows the way" in str(explore("talk.dve"))


@pytest.mark.parametrize(("options", "model", "keywords"), CHECKS, ids=lambda value: None)
def test_a_check_prints_and_writes_the_same(
    options: list[str], model: str, keywords: dict[str, Any], symdmc: Runner, folder: Path
) -> None:
    from symdmc import check, read_result

    result = check(model, **keywords)
    assert same(result, symdmc("check", model, *options).out)
    document = validated(result.to_json(), "check")
    assert plain(document) == plain(symdmc("check", model, *options, "--json").document)
    result.write("result.json")
    read = read_result("result.json", model)
    assert read.to_json() == document
    assert read.trace == result.trace
    (folder / "printed.json").write_text(symdmc("check", model, *options, "--json").out)
    assert plain(read_result("printed.json", model).to_json()) == plain(document)
    if result.engine == "explicit":
        assert masked(str(read)) == masked(str(result))


@pytest.mark.parametrize(("options", "model", "keywords"), EXPLORATIONS, ids=lambda value: None)
def test_an_exploration_prints_and_writes_the_same(
    options: list[str], model: str, keywords: dict[str, Any], symdmc: Runner, folder: Path
) -> None:
    from symdmc import explore, read_exploration

    found = explore(model, **keywords)
    assert same(found, symdmc("explore", model, *options).out)
    document = validated(found.to_json(), "explore")
    assert plain(document) == plain(symdmc("explore", model, *options, "--json").document)
    found.write("found.json")
    assert read_exploration("found.json", model).to_json() == document


def test_certificates_and_traces_print_and_are_written_the_same(symdmc: Runner, folder: Path) -> None:
    from symdmc import certify, check, load, read_certificate, read_trace, replay

    system = load("talk.dve")
    safe, wrong = check(system, error="got == 9", certify=True), check(system, error="got == 2")
    assert safe.certificate is not None
    assert wrong.trace is not None
    safe.certificate.write("proof.json")
    wrong.trace.write("trace.json")
    assert same(certify(system, "proof.json"), symdmc("certify", "talk.dve", "proof.json").out)
    assert same(replay(system, "trace.json"), symdmc("replay", "talk.dve", "trace.json").out)
    assert read_certificate("proof.json", system) == safe.certificate
    assert read_trace("trace.json", system) == wrong.trace
    validated(json.loads((folder / "proof.json").read_text()), "certificate")
    validated(wrong.trace.to_json(), "trace")
    validated(certify("talk.dve", "proof.json").to_json(), "certify")
    symdmc("check", "talk.dve", "--error", "got == 9", "--certificate", "other.json")
    symdmc("check", "talk.dve", "--error", "got == 2", "--trace", "path.json")
    assert (folder / "other.json").read_bytes() == (folder / "proof.json").read_bytes()
    assert (folder / "path.json").read_bytes() == (folder / "trace.json").read_bytes()


def test_a_database_is_written_and_read(symdmc: Runner, folder: Path) -> None:
    from symdmc import ModelError, pattern_database, read_database, task_for

    task = task_for("talk.dve", error="got == 2")
    database = pattern_database(task, keep="got", complete=True)
    database.write("got.pdb")
    validated(json.loads((folder / "got.pdb").read_text()), "database")
    read = read_database("got.pdb", "talk.dve", error="got == 2")
    state = next(iter(task.semantics.initial_states()))
    assert read.distance(state) == database.distance(state)
    assert symdmc("patterndb", "lookup", "got.pdb", "talk.dve", "--error", "got == 2").code == 0
    with pytest.raises(ModelError, match="another model or error condition"):
        read_database("got.pdb", "talk.dve", error="got == 1")


def test_a_result_can_be_printed_where_there_is_only_ascii(folder: Path) -> None:
    script = "import symdmc; print(symdmc.check('talk.dve', error='got == 2'))"
    only_ascii = environment() | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", script], env=only_ascii, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("x error reachable: got == 2\n")


def test_a_result_explains_what_the_command_explains(symdmc: Runner, folder: Path) -> None:
    from symdmc import check

    shown = symdmc(
        "check", "talk.dve", "--error", "got == 2", "--heuristic", "pdb:coi:1", "--explain", "--steps", "1"
    ).out
    result = check("talk.dve", error="got == 2", heuristic="pdb:coi:1")
    with speaking_options():
        assert masked(result.text(steps=1, explain=True)) == masked(shown.rstrip("\n"))
    assert result.text(steps=1) != result.text(steps=1, explain=True)


def test_a_schema_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(symdmc.ModelError, match="did you mean 'trace'"):
        symdmc.schema("traces")


DAMAGE: list[tuple[str, object, str]] = [
    ("verdict", "safe", "the verdict and the trace do not fit"),
    ("verdict", None, "null stands where"),
    ("length", 9, "length does not follow"),
    ("exit_code", 0, "exit_code does not follow"),
    ("explored", -1, "-1 is negative"),
    ("explored", "many", "stands where an integer is expected"),
    ("seconds", "long", "a number that is not negative"),
    ("layers", [{}], "key 'depth' is missing"),
    ("selections", [3], "stands where an object is expected"),
    ("schema", "symdmc-check/2", "reads 'symdmc-check/1' here"),
    ("extra", 1, "key 'extra' is not known"),
]


@pytest.mark.parametrize(("key", "value", "complaint"), DAMAGE)
def test_every_fault_of_a_damaged_result_is_a_line(folder: Path, key: str, value: object, complaint: str) -> None:
    document = symdmc.check("talk.dve", error="got == 2").to_json()
    (folder / "damaged.json").write_text(json.dumps(document | {key: value}))
    with pytest.raises(symdmc.ModelError, match=complaint) as refusal:
        symdmc.read_result("damaged.json", "talk.dve")
    assert all(line.startswith("damaged.json: ") for line in str(refusal.value).splitlines())


def test_a_result_of_another_model_or_with_a_forged_trace_is_refused(folder: Path) -> None:
    result = symdmc.check("talk.dve", error="got == 2")
    result.write("result.json")
    with pytest.raises(symdmc.EvidenceRefused, match="another model"):
        symdmc.read_result("result.json", "counter.dve")
    document = json.loads((folder / "result.json").read_text())
    document["trace"]["error"]["expression"] = "got == 3"
    (folder / "forged.json").write_text(json.dumps(document))
    with pytest.raises(symdmc.EvidenceRefused, match="no error state"):
        symdmc.read_result("forged.json", "talk.dve")
    document["trace"]["error"] = None
    (folder / "silent.json").write_text(json.dumps(document))
    with pytest.raises(symdmc.ModelError, match="does not say what its last state is"):
        symdmc.read_result("silent.json", "talk.dve")


def test_a_trace_file_that_is_no_path_is_refused(folder: Path) -> None:
    result = symdmc.check("talk.dve", error="got == 2")
    assert result.trace is not None
    document: Any = result.trace.to_json()
    document["initial"]["got"] = 7
    (folder / "forged.json").write_text(json.dumps(document))
    with pytest.raises(symdmc.EvidenceRefused):
        symdmc.read_trace("forged.json", "talk.dve")
