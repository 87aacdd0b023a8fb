"""Model families and models in Python: find the file, load it, call its `build(...)`.

A family is a file in the folder `encodings` with a documented function `build(...)` that returns a System; a user's
model in Python is the same at any other place. The folder is no package: the standard library has one of that name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, ModuleType
from typing import NoReturn

from symdmc.errors import Code, Complaint, ModelError, SymdmcError
from symdmc.model.files.text_file import read_text_file
from symdmc.model.system import System
from symdmc.spelling.parameters import Parameter, arguments_for, parameters_of
from symdmc.spelling.suggestions import did_you_mean

WANTED = "a Python file with a function build(...) that returns a System"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A model with parameters that comes with symdmc."""

    name: str
    summary: str
    """One line."""
    description: str
    """The rest of its documentation, with a drawing of its processes."""
    parameters: tuple[Parameter, ...]
    path: Path


def families() -> tuple[Family, ...]:
    """All families, by name."""
    return tuple(_family(path) for path in _family_files())


def family_named(name: str) -> Family:
    """One family; raises ModelError with the nearest name when there is none of that name."""
    return _family(_family_file(name))


def load_family(name: str, parameters: Mapping[str, str]) -> System:
    """The system that a family builds; parameters not given have their defaults."""
    return _build(_family_file(name), parameters, name)


def load_python_model(path: Path, parameters: Mapping[str, str]) -> System:
    """The system that the `build(...)` of a Python file returns; whatever goes wrong in it is a ModelError."""
    return _build(path, parameters, str(path))


def _folder() -> Path:
    """Where the families are: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "encodings"
    return inside if inside.is_dir() else package.parent / "encodings"


def _family_files() -> list[Path]:
    return sorted(_folder().glob("[!_]*.py"))


def _family_file(name: str) -> Path:
    files = {path.stem: path for path in _family_files()}
    if name not in files:
        remedy = did_you_mean(name, files, f"the families are {', '.join(files)}")
        raise ModelError(Complaint(Code.UNKNOWN_MODEL, f"there is no family {name!r}", remedy))
    return files[name]


def _family(path: Path) -> Family:
    module = _load_module(path)
    summary, _, rest = (inspect.getdoc(module) or "").partition("\n")
    parameters = parameters_of(_build_function(module, path))
    return Family(name=path.stem, summary=summary, description=rest.strip("\n"), parameters=parameters, path=path)


def _build(path: Path, given: Mapping[str, str], where: str) -> System:
    """The system that a file builds from the given texts; complaints name the file `where`."""
    build = _build_function(_load_module(path), path)
    place = f"{path}:{build.__code__.co_firstlineno}"
    try:
        parameters = parameters_of(build)
    except Exception as problem:  # evaluating an annotation may raise anything
        raise ModelError(Complaint(Code.MODEL_FILE_FAILS, _described(problem), "", place)) from problem
    arguments = arguments_for(parameters, given, where)
    try:
        system = build(**arguments)
    except SymdmcError:
        raise
    except (Exception, SystemExit) as problem:
        _blame(path, problem)
    if not isinstance(system, System):
        what = f"build returns a value of type {type(system).__name__}, not a System"
        raise ModelError(Complaint(Code.NO_BUILD_FUNCTION, what, "return Builder(...).build()", place))
    return system


class _FreshLoader(SourceFileLoader):
    """Reads the source each time and writes no compiled files, since a model may change within a second."""

    def path_stats(self, path: str) -> NoReturn:
        raise OSError(f"no compiled form of {path} is kept")


def _load_module(path: Path) -> ModuleType:
    read_text_file(path, WANTED)
    name = f"_symdmc_model_{path.stem}"
    spec = spec_from_file_location(name, path, loader=_FreshLoader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and type hints look their module up here
    try:
        spec.loader.exec_module(module)
    except SymdmcError:
        raise
    except (Exception, SystemExit) as problem:
        _blame(path, problem)
    return module


def _build_function(module: ModuleType, path: Path) -> FunctionType:
    build = getattr(module, "build", None)
    if not isinstance(build, FunctionType):
        raise ModelError(Complaint(Code.NO_BUILD_FUNCTION, "has no function build", f"give {WANTED}", str(path)))
    return build


def _blame(path: Path, problem: BaseException) -> NoReturn:
    """Raise a ModelError that says where in the file the exception was raised."""
    line = _line_within(path, problem)
    where = str(path) if line is None else f"{path}:{line}"
    raise ModelError(Complaint(Code.MODEL_FILE_FAILS, _described(problem), "correct the file", where)) from problem


def _line_within(path: Path, problem: BaseException) -> int | None:
    """The last line of the file that was running when the exception was raised."""
    if isinstance(problem, SyntaxError) and problem.filename == str(path):
        return problem.lineno
    line, trail = None, problem.__traceback__
    while trail is not None:
        if trail.tb_frame.f_code.co_filename == str(path):
            line = trail.tb_lineno
        trail = trail.tb_next
    return line


def _described(problem: BaseException) -> str:
    """The exception as one line."""
    text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return f"{type(problem).__name__}: {' '.join(text.split())}" if text else type(problem).__name__
