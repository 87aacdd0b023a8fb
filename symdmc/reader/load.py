"""From the spelling of a model to its System: a file, or a family with parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from symdmc.errors import Code, Complaint, ModelError
from symdmc.model.system import System
from symdmc.model.validation import validated
from symdmc.running.collecting import nothing_collected
from symdmc.spelling.kinds import path_of
from symdmc.spelling.suggestions import did_you_mean, listed, nearest

READERS: Mapping[str, str] = {
    ".dve": "symdmc.reader.dve:read_dve_file",
    ".json": "symdmc.model.files.json_format:read_json_file",
}
"""For each kind of file, by its suffix, the function that makes a System of it: `module:function`."""
SUFFIXES = (*READERS, ".py")
STANDARD_INPUT = "-"
"""How a model that comes through the standard input is named."""
READING = "reading the model"
"""What a run does meanwhile."""


def load(model: str | os.PathLike[str], **parameters: object) -> System:
    """The system of a model: a `.dve` or `.json` file, a `.py` file with `build(...)`, or a family by name.

    `-` is a text in DVE or JSON from the standard input.

    Parameters are given as keywords or after a colon: `load("arbiter_tree:height=4", faulty=True)`. A file has
    precedence over a family of the same name. Raises ModelError with every fault found.

    >>> import symdmc
    >>> [process.name for process in symdmc.load("arbiter_tree", height=2).processes][:3]
    ['Root', 'Node1', 'Node2']
    """
    text = str(path_of("the argument model", model)) if not isinstance(model, str) else model
    name, inline = _split(text)
    given = {key: _spelled(value) for key, value in parameters.items()}
    _reject_repeated(text, inline, given)
    try:
        with nothing_collected():
            return validated(_load(name, {**inline, **given}))
    except OSError as error:
        raise ModelError(
            Complaint(Code.CANNOT_READ, f"cannot be read ({error.strerror or error})", "", name)
        ) from error
    except UnicodeDecodeError as error:
        raise ModelError(
            Complaint(Code.NOT_TEXT, f"is no text ({error.reason})", "give a file in UTF-8", name)
        ) from error
    except RecursionError as error:
        raise ModelError(
            Complaint(Code.NESTED_TOO_DEEPLY, "is nested too deeply", "split its expressions", name)
        ) from error


@dataclass(frozen=True, slots=True)
class Spelling:
    """A model as the user named it: a text, and parameters given separately."""

    text: str
    parameters: tuple[tuple[str, str], ...] = ()

    def load(self) -> System:
        """The system it names."""
        return load(self.text, **dict(self.parameters))

    def __str__(self) -> str:
        """The whole spelling as one word that `load` accepts."""
        given = ",".join(f"{key}={value}" for key, value in self.parameters)
        if not given:
            return self.text
        return f"{self.text}{',' if _split(self.text)[1] else ':'}{given}"


def _split(text: str) -> tuple[str, dict[str, str]]:
    """The name of a file or family, and the parameters behind the colon."""
    head, colon, tail = text.partition(":")
    if not colon or os.path.exists(text):
        return text, {}
    parameters: dict[str, str] = {}
    for part in tail.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key:
            raise ModelError(
                Complaint(
                    Code.WRONG_SPELLING, f"parameter {part!r} has no value", "write NAME:key=value,key=value", text
                )
            )
        _reject_repeated(text, parameters, {key: value})
        parameters[key] = value
    return head, parameters


def _reject_repeated(text: str, first: Mapping[str, str], second: Mapping[str, str]) -> None:
    repeated = [key for key in second if key in first]
    if repeated:
        raise ModelError(
            [Complaint(Code.GIVEN_TWICE, f"parameter {key!r} is given twice", "give it once", text) for key in repeated]
        )


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _load(name: str, parameters: Mapping[str, str]) -> System:
    if name == STANDARD_INPUT:
        return _load_standard_input(parameters)
    if os.path.isfile(name):
        return _load_file(name, parameters)
    from symdmc.reader.families import families, load_family

    known = [family.name for family in families()]
    if name in known:
        return load_family(name, parameters)
    if os.path.isdir(name):
        raise ModelError(
            Complaint(Code.NOT_A_FILE, "is a directory", f"give a file that ends in {' or '.join(SUFFIXES)}", name)
        )
    if os.path.lexists(name):
        return _load_file(name, parameters)
    path = Path(name)
    if path.suffix or path.name != name:
        beside = {other.stem: other.name for other in path.parent.glob(f"*{path.suffix}")}
        guess = nearest(path.stem, beside)
        remedy = "check the path" if guess is None else f"did you mean {beside[guess]!r}?"
        raise ModelError(Complaint(Code.NO_SUCH_FILE, "there is no such file", remedy, name))
    remedy = did_you_mean(name, known, f"the families are {', '.join(known)}")
    raise ModelError(Complaint(Code.UNKNOWN_MODEL, f"there is no file and no family {name!r}", remedy))


def _load_standard_input(parameters: Mapping[str, str]) -> System:
    """The system of a text in DVE, or in JSON if it begins like that."""
    from symdmc.model.files.text_file import read_text_file

    if parameters:
        what = f"a model from standard input takes no parameters, but {', '.join(parameters)} is given"
        raise ModelError(
            Complaint(Code.UNKNOWN_PARAMETER, what, "only families and .py models have parameters", STANDARD_INPUT)
        )
    text = read_text_file(Path("/dev/stdin"), "a model in DVE or JSON through standard input")
    if text.lstrip().startswith("{"):
        from symdmc.model.files.json_format import system_from_json
        from symdmc.model.files.json_reading import parse_json

        return system_from_json(parse_json(text, "<stdin>"), file="<stdin>")
    from symdmc.reader.dve import read_dve

    return read_dve(text, name="stdin", file="<stdin>")


def _load_file(name: str, parameters: Mapping[str, str]) -> System:
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix == ".py":
        from symdmc.reader.families import load_python_model

        return load_python_model(path, parameters)
    if suffix not in SUFFIXES:
        raise ModelError(
            Complaint(Code.WRONG_SUFFIX, "is no kind of model known here", f"models end in {listed(SUFFIXES)}", name)
        )
    if parameters:
        what = f"a {suffix} file takes no parameters, but {', '.join(parameters)} is given"
        raise ModelError(Complaint(Code.UNKNOWN_PARAMETER, what, "only families and .py models have parameters", name))
    module, _, function = READERS[suffix].partition(":")
    system: System = getattr(import_module(module), function)(path)
    return system
