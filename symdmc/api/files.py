"""Traces, certificates, databases and results in files, each read for the model that it belongs to."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from symdmc.api.results import CheckResult, ExploreResult, Subject
from symdmc.api.traces import Certificate, Trace
from symdmc.checking.checks import Model, system_of, task_for
from symdmc.checking.request import QuestionOptions
from symdmc.errors import Code
from symdmc.evidence import certificate as evidence
from symdmc.evidence.replay import replay
from symdmc.model.files import trace_format
from symdmc.model.system import System
from symdmc.spelling.suggestions import require_known
from symdmc.task import Task

if TYPE_CHECKING:
    from symdmc.patterndb.database import PatternDatabase

FilePath: TypeAlias = "str | PathLike[str]"
SUFFIX = ".schema.json"


def read_trace(path: FilePath, model: Model) -> Trace:
    """The trace in a file, which is a path of the model; only `replay` says whether it ends in an error state.

    Raises ModelError for a file that is no trace, EvidenceRefused for a trace of another model or of no path.

    >>> import symdmc
    >>> symdmc.check("arbiter_tree:height=2").trace.write("trace.json")
    >>> len(symdmc.read_trace("trace.json", "arbiter_tree:height=2"))
    28
    """
    system = known_system(model)
    trace = trace_format.read_trace(Path(path), system)
    replay(system, trace, None)
    return Trace.of(trace, system)


def read_certificate(path: FilePath, model: Model) -> Certificate:
    """The certificate in a file; only `certify` says whether it holds.

    Raises ModelError for a file that is no certificate, EvidenceRefused for a certificate of another model.

    >>> import symdmc
    >>> system = symdmc.load("arbiter_tree:height=2,faulty=false")
    >>> symdmc.check(system, certify=True).certificate.write("proof.json")
    >>> symdmc.certify(system, symdmc.read_certificate("proof.json", system)).is_safe
    True
    """
    system = known_system(model)
    return Certificate.of(evidence.read_certificate(Path(path), system), system)


def read_database(path: FilePath, model: Model, **question: Unpack[QuestionOptions]) -> PatternDatabase:
    """The pattern database in a file, for the model and the question, which is asked as in `check`.

    Raises ModelError for a file that is no database, or one for another model or question.

    >>> import symdmc
    >>> task = symdmc.task_for("arbiter_tree:height=2")
    >>> symdmc.pattern_database(task, keep="Client1,Client3").write("clients.pdb")
    >>> symdmc.read_database("clients.pdb", task).pattern
    ('Client1', 'Client3')
    """
    from symdmc.patterndb import store

    return store.read_database(Path(path), task_for(model, **question))


def read_result(path: FilePath, model: Model) -> CheckResult:
    """The result of `check` that `write`, or `symdmc check --json`, has put into a file; its trace is replayed.

    All else is what the file says: a proof of safety is a certificate, which has a file of its own.

    >>> import symdmc
    >>> symdmc.check("arbiter_tree:height=2").write("result.json")
    >>> symdmc.read_result("result.json", "arbiter_tree:height=2").length
    28
    """
    from symdmc.api.result_files import read_check

    system = known_system(model)
    return CheckResult.of(read_check(Path(path), system), _subject(model, system))


def read_exploration(path: FilePath, model: Model) -> ExploreResult:
    """The result of `explore` that `write`, or `symdmc explore --json`, has put into a file.

    >>> import symdmc
    >>> symdmc.explore("arbiter_tree:height=2").write("states.json")
    >>> symdmc.read_exploration("states.json", "arbiter_tree:height=2").depth
    45
    """
    from symdmc.api.result_files import read_explore

    system = known_system(model)
    return ExploreResult.of(read_explore(Path(path), system), _subject(model, system))


def schema(name: str) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what is written, such as `"trace"`, `"certificate"`, `"database"`, `"check"`.

    >>> import symdmc
    >>> symdmc.schema("trace")["title"]
    'symdmc-trace/1'
    """
    known = {file.name.removesuffix(SUFFIX): file for file in _schemas().glob(f"*{SUFFIX}")}
    require_known(Code.UNKNOWN_OPTION_VALUE, "schema", name, sorted(known))
    found: dict[str, Any] = json.loads(known[name].read_text(encoding="utf-8"))
    return found


def known_system(model: Model) -> System:
    """The system of a model in any form."""
    return model.system if isinstance(model, Task) else system_of(model)


def _subject(model: Model, system: System) -> Subject:
    spelling = str(model) if isinstance(model, str | PathLike) else None
    return Subject(spelling=spelling, system=system, symbolic=None)


def _schemas() -> Path:
    """Where the schemas are: inside an installed package, or with the documents of a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "schemas"
    return inside if inside.is_dir() else package.parent / "docs" / "schemas"
