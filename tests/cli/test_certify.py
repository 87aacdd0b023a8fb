"""`symdmc certify`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.evidence.certificate import Piece, write_certificate
from symdmc.model.question import ask
from symdmc.reader.load import load
from tests.certificates import certificate, diagram_of
from tests.cli.running import ROOT, Runner, environment
from tests.oracle import explore

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs/schemas/certify.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def proof(folder: Path) -> Path:
    """That x never exceeds 30 in counter.dve."""
    system = load("counter.dve")
    states = list(explore(system).steps)
    written = certificate(system, ask(system, error="x > 30"), [Piece(diagrams=(diagram_of(states, system),))])
    write_certificate(folder / "proof.json", written, system)
    return folder / "proof.json"


def test_a_certificate_that_holds_names_what_it_proves(symdmc: Runner, proof: Path) -> None:
    ran = symdmc("certify", "counter.dve", "proof.json")
    assert (ran.code, ran.err) == (0, "")
    first, second, third = ran.out.splitlines()
    assert first.endswith("the certificate holds: no error state of x > 30 is reachable")
    assert second == "  error states: x > 30"
    assert third.startswith("  3 transitions, 0 queries of z3, 32 states visited, ")
    assert symdmc("certify", "counter.dve", "proof.json", "--error", "x > 30", "--quiet").out == f"{first}\n"


@pytest.mark.parametrize(
    ("args", "code", "reason"),
    [
        (("counter.dve", "proof.json"), 0, "the certificate holds"),
        (("counter.dve", "proof.json", "--error", "x > 29"), 40, "asked is: x > 29"),
        (("talk.dve", "proof.json"), 40, "belongs to another model"),
        (("counter.dve", "forged.json"), 40, "it does not hold that no state"),
        (("counter.dve", "broken.json"), 30, "is not JSON"),
        (("counter.dve", "missing.json"), 30, "cannot be read"),
        (("missing.dve", "proof.json"), 30, "missing.dve"),
        (("counter.dve", "proof.json", "--error", "z"), 30, "unknown name 'z'"),
        (("timed.py", "proof.json"), 40, "belongs to another model"),
        (("counter.dve",), 2, "CERTIFICATE"),
    ],
)
def test_every_outcome_has_its_exit_code_and_fits_the_schema(
    symdmc: Runner, proof: Path, args: tuple[str, ...], code: int, reason: str
) -> None:
    text = proof.read_text(encoding="utf-8")
    Path("forged.json").write_text(text.replace('"x == 7"', '"x == 77"'), encoding="utf-8")
    Path("broken.json").write_text(text[:-5], encoding="utf-8")
    ran = symdmc("certify", *args, "--json")
    assert (ran.code, ran.document["exit_code"]) == (code, code)
    assert reason in ran.document["reason"]
    assert ran.document["verdict"] == ("safe" if code == 0 else None)
    jsonschema.Draft202012Validator(SCHEMA).validate(ran.document)
    assert "Traceback" not in ran.err
    if code != 2:
        assert symdmc("certify", *args).code == code


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (("none.json",), 30, "none.json: cannot be read: No such file or directory; give the path of a JSON file"),
        ((".",), 30, ".: cannot be read: Is a directory; give the path of a JSON file"),
        (("half.json",), 30, r"half.json:\d+:\d+: is not JSON: .*; mend the syntax"),
        (("empty.json",), 30, "empty.json: is empty; give a JSON file"),
        (("counter.dve",), 30, "counter.dve:1:1: is not JSON: Expecting value; mend the syntax"),
        (
            ("newer.json",),
            30,
            r"newer.json: \$: the key 'schema' says \"symdmc-certificate/2\"; "
            "this version of symdmc reads 'symdmc-certificate/1' here",
        ),
        (
            ("trace.json",),
            30,
            r"trace.json: \$: the key 'schema' says \"symdmc-trace/1\"; "
            "this version of symdmc reads 'symdmc-certificate/1' here",
        ),
        (
            ("other.json",),
            40,
            r"other.json: the certificate belongs to another model: "
            r"its fingerprint is 0{32}, that of 'counter' is [0-9a-f]{32}",
        ),
        (
            ("proof.json", "--error", "x > 29"),
            40,
            "the certificate is about other error states: x > 30; asked is: x > 29",
        ),
        (
            ("proof.json", "--deadlock"),
            40,
            "the certificate is about other error states: x > 30; asked is: no step exists",
        ),
        (
            ("lacking.json",),
            40,
            "it does not hold that every step from the set stays in it: this one does not: "
            r"Up: s -> s \(x: \d+ -> 7\) from Up = s, x = \d+, y = 0",
        ),
        (("proof.json", "--property", "safe"), 30, "model counter: there is no property 'safe'; .*"),
        ((), 2, "Missing argument 'CERTIFICATE'; see symdmc certify --help"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    symdmc: Runner, proof: Path, args: tuple[str, ...], code: int, line: str
) -> None:
    text = proof.read_text(encoding="utf-8")
    own = json.loads(text)["fingerprint"]
    Path("half.json").write_text(text[: len(text) // 2], encoding="utf-8")
    Path("empty.json").write_text("", encoding="utf-8")
    Path("newer.json").write_text(text.replace("symdmc-certificate/1", "symdmc-certificate/2"), encoding="utf-8")
    Path("other.json").write_text(text.replace(own, "0" * 32), encoding="utf-8")
    Path("lacking.json").write_text(text.replace('"x == 7"', '"x == 6"'), encoding="utf-8")
    assert symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "trace.json").code == 10
    ran = symdmc("certify", "counter.dve", *args)
    assert (ran.code, ran.out) == (code, "")
    assert re.fullmatch(rf"error: {line} \[[a-z0-9-]+\]\n", ran.err), ran.err


def test_a_proof_by_search_is_written_and_certified(symdmc: Runner) -> None:
    question = ("arbiter_tree:height=2,faulty=false", "--error", "false")
    assert symdmc("check", *question, "--certificate", "few.json", "--quiet").code == 0
    few = json.loads(Path("few.json").read_text(encoding="utf-8"))
    assert (few["pieces"], len(few["states"]["rows"])) == ([], 576)
    question = ("hanoi:disks=3,variant=requests", "--error", "false")
    assert symdmc("check", *question, "--certificate", "many.json", "--quiet").code == 0
    many = json.loads(Path("many.json").read_text(encoding="utf-8"))
    assert (len(many["pieces"]), many["states"]["rows"]) == (1, [])
    ran = symdmc("certify", *question, "many.json", "--json")
    assert (ran.code, ran.document["states"], ran.document["queries"]) == (0, 1692, 0)


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("x == 30", "there is no proof, so proof.json is not written"),
        ("x == 31", "the limits left no room to write the proof down, so proof.json is not written"),
    ],
)
def test_a_certificate_that_is_not_written_is_spoken_of(
    symdmc: Runner, monkeypatch: pytest.MonkeyPatch, question: str, note: str
) -> None:
    monkeypatch.setattr("symdmc.search.explicit.explicit.certificate_of_walk", lambda *args: None)
    ran = symdmc("check", "counter.dve", "--error", question, "--certificate", "proof.json")
    assert ran.err == f"note: {note}\n"
    assert not Path("proof.json").exists()
    assert symdmc("check", "counter.dve", "--error", question, "--certificate", "proof.json", "--quiet").err == ""


def test_other_commands_do_not_load_z3() -> None:
    script = (
        "import sys\n"
        "from symdmc.cli.main import run\n"
        "run(['check', 'arbiter_tree:height=2', '--quiet']); run(['certify', '--help'])\n"
        "sys.exit('z3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


EVERYTHING = [[{"atoms": [], "nodes": [], "root": 1}]]


@pytest.mark.parametrize(
    ("model", "name"), [("counter.dve", "x == 30"), ("counter.dve", "deadlock"), ("asserted.dve", "assert")]
)
def test_a_certificate_that_names_what_it_does_not_prove_is_refused(symdmc: Runner, model: str, name: str) -> None:
    assert symdmc("check", model, "--error", "x == 200", "--certificate", "forged.json").code == 0
    forged = json.loads(Path("forged.json").read_text(encoding="utf-8"))
    forged |= {"property": name, "error": forged["error"] | {"expression": "0"}, "pieces": EVERYTHING}
    Path("forged.json").write_text(json.dumps(forged), encoding="utf-8")
    ran = symdmc("certify", model, "forged.json", "--json")
    assert (ran.code, ran.document["verdict"]) == (40, None)
    assert f"it names {name!r}, which means: " in ran.document["reason"]


def test_a_certificate_with_a_name_of_its_own_is_printed_with_the_condition(symdmc: Runner, proof: Path) -> None:
    proof.write_text(proof.read_text(encoding="utf-8").replace('"property": "x > 30"', '"property": "all is well"'))
    ran = symdmc("certify", "counter.dve", "proof.json", "--json")
    assert (ran.code, ran.document["property"], ran.document["vacuous"]) == (0, "x > 30", False)


def test_a_condition_that_no_state_satisfies_is_told(symdmc: Runner) -> None:
    asked = ("counter.dve", "--error", "x > 255")
    assert symdmc("check", *asked, "--certificate", "vacuous.json").code == 0
    told = "no error state of x > 255 is reachable; no state at all satisfies this condition\n"
    for args in (asked, asked[:1]):
        assert symdmc("certify", *args, "vacuous.json", "--quiet").out.endswith(told)
    assert symdmc("certify", *asked, "vacuous.json", "--json").document["vacuous"] is True


def test_a_trace_that_names_what_it_does_not_show_is_refused(symdmc: Runner) -> None:
    assert symdmc("check", "counter.dve", "--error", "x == 30", "--trace", "forged.json").code == 10
    text = Path("forged.json").read_text(encoding="utf-8").replace('"property": "x == 30"', '"property": "x == 31"')
    Path("forged.json").write_text(text, encoding="utf-8")
    ran = symdmc("replay", "counter.dve", "forged.json")
    assert (ran.code, ran.out) == (40, "")
    assert (
        ran.err
        == "error: it names 'x == 31', which means: x == 31; its error states are others: x == 30 [other-question]\n"
    )
