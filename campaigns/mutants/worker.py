"""A process that runs tests in a copy of the project, again and again, each time on another mutant.

It stands in the copy, so that all it imports of the project comes from there. Each run is a fork of a process that has
imported what the package needs but nothing of the package, which is faster than a new interpreter. Runs are read as
JSON lines and answered as JSON lines.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

NEEDED = ("numpy", "numba", "llvmlite.binding", "lark", "dd.autoref", "dd.cudd", "z3", "sympy", "hypothesis", "pytest")
"""Imported once for all runs."""
MEMORY = 4 << 30
"""Bytes that a run may use: a mutant that asks for ever more is ended, and found, before the machine notices."""
FROM_ELSEWHERE, NOT_IMPORTED, BROKEN = 90, 91, 92
"""Exit codes of a run that says nothing about the mutant."""


def main() -> None:
    """Answer runs until there are no more."""
    copy = Path.cwd()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in NEEDED:
        try:
            importlib.import_module(name)
        except ImportError:
            if name != "dd.cudd":
                raise
    _forget_how_to_shrink()
    mine = [name for name in sys.modules if name.split(".")[0] == "symdmc"]
    assert not mine, f"{mine} are imported before the first run"
    for line in sys.stdin:
        answer(copy, json.loads(line), sys.stdout)


def _forget_how_to_shrink() -> None:
    """Random tests stop at the first failing example: nobody reads it."""
    from hypothesis import Phase, settings

    settings.register_profile(
        "first-failure", derandomize=True, deadline=None, database=None, phases=[Phase.explicit, Phase.generate]
    )


def answer(copy: Path, run: dict[str, Any], out: TextIO) -> None:
    """Run the tests on the mutant and say how it ended, how long it took and what pytest printed last."""
    began = time.monotonic()
    with _planted(copy / run["file"], run["source"]) if run["file"] else _nothing():
        ended, printed = _tested(copy, run)
    took = round(time.monotonic() - began, 1)
    out.write(json.dumps({"id": run["id"], "ended": ended, "took": took, "printed": printed}) + "\n")
    out.flush()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _planted(file: Path, source: str) -> Iterator[None]:
    """The file with another text; then again with its own and its own time, so that what is compiled of it counts."""
    kept, stat = file.read_text(encoding="utf-8"), file.stat()
    file.write_text(source, encoding="utf-8")
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 10**9))
    try:
        yield
    finally:
        file.write_text(kept, encoding="utf-8")
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _tested(copy: Path, run: dict[str, Any]) -> tuple[str, str]:
    """ "passed", "failed", "hung", or what is wrong with the run itself; and the end of what was printed."""
    log = copy.parent / "log"
    child = os.fork()
    if child == 0:
        code = BROKEN
        try:
            code = _pytest(copy, run, log)
        except BaseException:  # whatever it is, it must not come out of the fork
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    ended = _waited(child, run["limit"])
    printed = log.read_text(encoding="utf-8", errors="replace")[-1500:]
    match ended:
        case None:
            return "hung", printed
        case 0:
            return "passed", printed
        case _ if ended == FROM_ELSEWHERE:
            return "something was imported from elsewhere", printed
        case _ if ended == NOT_IMPORTED:
            return "the tests do not import the file", printed
        case code if (
            code in (1, 2, 3) or code >= 128
        ):  # a test, the import of one, or pytest failed; or a signal ended it
            return "failed", printed
        case code:
            return f"pytest ended with {code}", printed


def _waited(child: int, limit: float) -> int | None:
    """The exit code of a child, as a shell gives it; None where it took too long or grew too large."""
    last = time.monotonic() + limit
    code: int | None = None
    try:
        while time.monotonic() < last and _resident(child) < MEMORY:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status) % 256
                break
            time.sleep(0.02)
    finally:
        with suppress(ProcessLookupError):  # what the tests have started goes too
            os.killpg(child, signal.SIGKILL)
    if code is None:
        os.waitpid(child, 0)
    return code


def _resident(process: int) -> int:
    """The bytes of memory that a process uses."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    return 0


def _pytest(copy: Path, run: dict[str, Any], log: Path) -> int:
    """In the child: pytest with the tests of the run, and whether what they imported came from the copy."""
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["HYPOTHESIS_PROFILE"] = "first-failure"
    os.environ["PYTHONPATH"] = str(copy)
    sys.dont_write_bytecode = bool(run["file"])
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short", "--no-header"]
    with _kernels(copy, run["file"]):
        code = int(pytest.main([*options, *run["tests"]]))
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in ("symdmc", "tests")]
    if not all(_stands_in(copy, module) for module in modules):
        return FROM_ELSEWHERE
    if code == 0 and run["file"] and run["must_import"] and module_of(run["file"]) not in sys.modules:
        return NOT_IMPORTED
    return code


def _stands_in(copy: Path, module: types.ModuleType) -> bool:
    return module.__file__ is None or Path(module.__file__).is_relative_to(copy)


def module_of(file: str) -> str:
    """The name of the module that a file has."""
    return file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")


@contextmanager
def _kernels(copy: Path, file: str) -> Iterator[None]:
    """For a mutant of compiled code: what is compiled of the modules that do not import it is not compiled again.

    The folder of compiled kernels is named after all their texts, so that such a mutant begins with an empty folder.
    """
    from symdmc.packed.jit import ROOMS, kernel_folder

    folder, noted = kernel_folder(), copy.parent / "kernels"
    assert folder is not None
    if not any(file.startswith(f"symdmc/{room}/") for room in ROOMS):
        noted.write_text(str(folder), encoding="utf-8")
        yield
        return
    healthy = Path(noted.read_text(encoding="utf-8"))
    stale = {name.rpartition(".")[2] for name in importers(copy / "symdmc", module_of(file))}
    for kept in healthy.rglob("*.nb?"):
        if kept.name.split(".")[0] not in stale:
            place = folder / kept.relative_to(healthy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(kept, place)
    yield
    shutil.rmtree(folder)


def importers(package: Path, name: str) -> set[str]:
    """The module and all that import functions or constants of it, directly or by way of others.

    Classes do not count: what is compiled of a class is the types of its fields, which numba's cache looks at itself.
    """
    imported: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        module = module_of(str(path.relative_to(package.parent)))
        imported[module] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [alias.name for alias in node.names if not alias.name[0].isupper() or alias.name.isupper()]
                imported[module] |= (
                    {node.module or "", *(f"{node.module}.{name}" for name in names)} if names else set()
                )
    found = {name}
    while more := {module for module, used in imported.items() if used & found} - found:
        found |= more
    return found


if __name__ == "__main__":
    main()
