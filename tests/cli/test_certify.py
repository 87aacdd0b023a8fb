"""`symdmc certify`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from symdmc.evidence.certificate import Piece, write_certificate
from symdmc.model.question import ask
from symdmc.registry.models import load
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


def test_other_commands_do_not_load_z3() -> None:
    script = (
        "import sys\n"
        "from symdmc.cli.main import run\n"
        "run(['check', 'arbiter_tree:height=2', '--quiet']); run(['certify', '--help'])\n"
        "sys.exit('z3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
