"""What is written fits the published schemas, and the schemas refuse what the readers refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from symdmc.model.builder import Builder
from symdmc.model.files.json_format import system_from_json, system_to_json
from symdmc.model.files.trace_format import trace_from_json, trace_to_json
from symdmc.model.fingerprint import fingerprint
from symdmc.model.question import ErrorCondition
from symdmc.model.system import System
from symdmc.model.trace import Trace
from tests.oracle import explore
from tests.strategies import systems_with_error

DOCS = Path(__file__).parents[2] / "docs"


def schema(name: str) -> jsonschema.Draft202012Validator:
    content = json.loads((DOCS / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)


MODEL, TRACE = schema("model"), schema("trace")


def written(value: object) -> Any:
    return json.loads(json.dumps(value))


@settings(max_examples=100, deadline=None)
@given(systems_with_error(costs=True))
def test_systems_and_traces_fit_their_schemas(asked: tuple[System, ErrorCondition]) -> None:
    system, error = asked
    MODEL.validate(written(system_to_json(system)))
    space = explore(system)
    for state in space.initial[:1]:
        for claim in (error, None):
            walk = Trace(
                fingerprint=fingerprint(system),
                property=error.name,
                initial=state,
                steps=tuple(space.steps[state][:1]),
                error=claim,
            )
            TRACE.validate(written(trace_to_json(walk, system)))


def test_source_positions_and_clocks_fit_the_schema() -> None:
    m = Builder("timed")
    m.clock("t")
    m.process("P", initial="s").edge("s", "s", guard="t < 3")
    m.property("end", "P.s")
    MODEL.validate(written(system_to_json(m.build())))


def test_unknown_keys_and_other_versions_do_not_fit() -> None:
    m = Builder("m")
    m.process("P", initial="s")
    document = written(system_to_json(m.build()))
    changes: list[dict[str, object]] = [{"extra": 1}, {"schema": "symdmc-model/2"}, {"processes": []}]
    for change in changes:
        with pytest.raises(jsonschema.ValidationError):
            MODEL.validate(document | change)


def test_the_examples_in_the_document_fit_and_belong_together() -> None:
    model = json.loads((DOCS.parent / "examples" / "turnstile.json").read_text(encoding="utf-8"))
    shown = re.search(r"^```json\n(.*?)^```", (DOCS / "formats" / "traces.md").read_text(encoding="utf-8"), re.M | re.S)
    assert shown is not None
    trace = json.loads(shown[1])
    MODEL.validate(model)
    TRACE.validate(trace)
    system = system_from_json(model)
    read = trace_from_json(trace, system)
    assert written(trace_to_json(read, system)) == trace
