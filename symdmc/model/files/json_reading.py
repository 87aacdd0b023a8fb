"""Reading JSON from outside: every fault is noted with its path, and reading goes on with a neutral value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeVar

from symdmc.errors import Code, Complaint, ModelError, SourceSpan
from symdmc.model.files.text_file import read_text_file
from symdmc.spelling.suggestions import did_you_mean, listed

MOST_DIGITS = 1_000
"""The most digits of a number, which is far more than any that means something."""

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
Context = TypeVar("Context")


def load_json(path: Path) -> object:
    """The JSON value in a file; raises ModelError with one line where there is none."""
    return parse_json(read_text_file(path, "a JSON file"), str(path))


def parse_json(text: str, file: str) -> object:
    """The JSON value of a text; complaints name it `file`. Raises ModelError with one line where there is none."""
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_int=_integer)
    except json.JSONDecodeError as problem:
        where = SourceSpan(file, problem.lineno, problem.colno)
        raise ModelError(Complaint(Code.NOT_JSON, f"is not JSON: {problem.msg}", "mend the syntax", where)) from None
    except _RepeatedKey as problem:
        raise ModelError(
            Complaint(Code.DUPLICATE_KEY, f"an object has the key {problem.args[0]!r} twice", "remove one", file)
        ) from None
    except _LongNumber as problem:
        what = f"has a number of {problem.args[0]:,} digits"
        raise ModelError(Complaint(Code.NUMBER_TOO_LONG, what, f"use at most {MOST_DIGITS:,}", file)) from None
    except RecursionError:
        raise ModelError(Complaint(Code.NESTED_TOO_DEEPLY, "is nested too deeply", "use fewer levels", file)) from None


class _RepeatedKey(Exception):
    pass


class _LongNumber(Exception):
    pass


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _RepeatedKey(next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1))
    return members


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _LongNumber(len(digits.lstrip("-")))
    return int(digits)


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A JSON value being read, with the faults found in it so far."""

    file: str
    complaints: list[Complaint] = field(default_factory=list)

    def check(self) -> None:
        """Raise ModelError if any fault was noted."""
        if self.complaints:
            raise ModelError(self.complaints)


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One value inside a document. Asked for another kind of value, it notes the fault and gives a neutral one."""

    value: object
    document: JsonDocument
    path: str = "$"

    @property
    def where(self) -> str:
        """The place for messages: the file and the path inside it."""
        return f"{self.document.file}: {self.path}"

    def complain(self, code: Code, what: str, remedy: str = "") -> None:
        """Note a fault at this place."""
        self.document.complaints.append(Complaint(code, what, remedy, self.where))

    def parsed(self, parse: Callable[[str, Context], T], context: Context, neutral: T) -> T:
        """What the text that stands here means; `neutral` where there is no text or it has faults, which are noted."""
        if not isinstance(self.value, str):
            return self._wrong("a string", neutral)
        try:
            return parse(self.value, context)
        except ModelError as error:
            for complaint in error.complaints:
                column = f" at column {complaint.where.column}" if isinstance(complaint.where, SourceSpan) else ""
                self.complain(complaint.code, f"{complaint.what}{column}", complaint.remedy)
            return neutral

    def text(self) -> str:
        """The string that stands here."""
        return self.value if isinstance(self.value, str) else self._wrong("a string", "")

    def integer(self) -> int:
        """The integer that stands here."""
        is_integer = isinstance(self.value, int) and not isinstance(self.value, bool)
        return self.value if is_integer and isinstance(self.value, int) else self._wrong("an integer", 0)

    def flag(self) -> bool:
        """The truth value that stands here."""
        return self.value if isinstance(self.value, bool) else self._wrong("true or false", False)

    def choice(self, kinds: type[E]) -> E:
        """The member of an enumeration that is named here."""
        names = {member.value: member for member in kinds}
        if isinstance(self.value, str) and self.value in names:
            return names[self.value]
        return self._wrong(listed(repr(name) for name in names), next(iter(kinds)))

    def items(self) -> list[JsonNode]:
        """The elements of the list that stands here."""
        return [JsonNode(item, self.document, f"{self.path}[{i}]") for i, item in enumerate(self.elements())]

    def elements(self) -> list[object]:
        """The values in the list that stands here, which may be very long."""
        return self.value if isinstance(self.value, list) else self._wrong("a list", [])

    def members(self) -> dict[str, JsonNode]:
        """The members of the object that stands here."""
        if not isinstance(self.value, dict):
            return self._wrong("an object", {})
        return {key: JsonNode(item, self.document, f"{self.path}.{key}") for key, item in self.value.items()}

    def fields(self, required: Iterable[str], optional: Iterable[str] = ()) -> JsonFields:
        """The members of an object with known keys; missing and unknown ones are noted."""
        required, members, known = tuple(required), self.members(), (*required, *optional)
        for key in required if isinstance(self.value, dict) else ():
            if key not in members:
                self.complain(Code.MISSING_KEY, f"key {key!r} is missing", "add it")
        for key, member in members.items():
            if key not in known:
                member.complain(
                    Code.UNKNOWN_KEY, f"key {key!r} is not known here", did_you_mean(key, known, "remove it")
                )
        return JsonFields(self, members)

    def _wrong(self, expected: str, neutral: T) -> T:
        self.complain(Code.WRONG_TYPE, f"{excerpt(self.value)} stands where {expected} is expected", "change it")
        return neutral


def excerpt(value: object) -> str:
    """A JSON value in a few words."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            text = json.dumps(value)
            return text if len(text) <= 40 else f"{text[:37]}..."


@dataclass(frozen=True, slots=True)
class JsonFields:
    """The members of one object, by key; an absent one has a default value."""

    node: JsonNode
    members: Mapping[str, JsonNode]

    def get(self, key: str) -> JsonNode | None:
        """The member with this key, if there is one."""
        return self.members.get(key)

    def text(self, key: str, default: str = "") -> str:
        """The string under a key."""
        return self.members[key].text() if key in self.members else default

    def integer(self, key: str, default: int = 0) -> int:
        """The integer under a key."""
        return self.members[key].integer() if key in self.members else default

    def flag(self, key: str, default: bool = False) -> bool:
        """The truth value under a key."""
        return self.members[key].flag() if key in self.members else default

    def choice(self, key: str, default: E) -> E:
        """The member of the enumeration of `default` under a key."""
        return self.members[key].choice(type(default)) if key in self.members else default

    def items(self, key: str) -> list[JsonNode]:
        """The elements of the list under a key."""
        return self.members[key].items() if key in self.members else []

    def elements(self, key: str) -> list[object]:
        """The values in the list under a key; none, without noting a fault, where there is no list."""
        value = self.members[key].value if key in self.members else []
        return value if isinstance(value, list) else []


def check_schema(node: JsonNode, schema: str) -> None:
    """Raise ModelError when a document is of another kind or version than this program reads."""
    members = node.members()
    found = members["schema"].value if "schema" in members else None
    if isinstance(node.value, dict) and found != schema:
        node.complain(
            Code.WRONG_SCHEMA,
            f"the key 'schema' says {excerpt(found)}",
            f"this version of symdmc reads {schema!r} here",
        )
    node.document.check()
