"""What the shell may complete behind the colon of a heuristic or of a model: names and values of options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from symdmc.spelling.parameters import Parameter


def options_behind(incomplete: str, parameters: Iterable[Parameter], separator: str) -> list[str]:
    """The spellings that go on from this one, which has a name: `NAME:key=`, `NAME:key=value,other=`.

    `separator` stands before the first option; before the others stands a comma.
    """
    head, last = _taken_apart(incomplete, separator)
    given = {part.partition("=")[0].strip() for part in head.replace(separator, ",").split(",")}
    known = {each.name: each for each in parameters if each.name not in given}
    return [head + each for each in _fitting(last, known)]


def _taken_apart(incomplete: str, separator: str) -> tuple[str, str]:
    """What is complete, up to the last comma or the separator, and what is not."""
    end = max(incomplete.rfind(","), incomplete.rfind(separator))
    return incomplete[: end + 1], incomplete[end + 1 :]


def _fitting(last: str, known: Mapping[str, Parameter]) -> Iterator[str]:
    key, equals, value = last.partition("=")
    if not equals:
        yield from (f"{name}=" for name in known if name.startswith(last))
    elif key in known:
        yield from (f"{key}={choice}" for choice in known[key].choices if choice.startswith(value))
