"""Searches with every heuristic of the registry give the oracle's verdict, and certificates that hold."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from symdmc.checking.checks import check_task
from symdmc.checking.request import check_request
from symdmc.evidence.certify import certify
from symdmc.model.system import System
from symdmc.outcome import Verdict
from tests import oracle
from tests.components import SPELLINGS, TOGETHER, options_for
from tests.property.test_heuristics import drawn_task
from tests.strategies import systems


@pytest.mark.parametrize("texts", [*((text,) for text in SPELLINGS), *TOGETHER], ids="+".join)
@settings(max_examples=10)
@given(data=st.data(), system=systems(costs=True), search=st.sampled_from(["astar", "greedy"]), compiled=st.booleans())
def test_verdict_length_and_certificate_are_right(
    texts: tuple[str, ...], data: st.DataObject, system: System, search: str, compiled: bool
) -> None:
    task = drawn_task(data, system)
    with pytest.MonkeyPatch.context() if compiled else nullcontext() as patch:
        if patch is not None:
            patch.setattr("symdmc.search.explicit.explicit.REFERENCE_BUDGET", 0)
        request = check_request(**(options_for(task, *texts) | {"search": search, "certify": True}))
        result = check_task(task, request)
    length = oracle.explore(system).shortest(task.error)
    event(f"safe: {length is None}, dead ends: {bool(result.dead_ends)}")
    assert (result.verdict is Verdict.SAFE) == (length is None)
    assert result.length == length or not result.shortest
    assert (result.certificate is not None) == (length is None)
    if result.certificate is not None:
        assert certify(system, result.certificate, error=task.error)
