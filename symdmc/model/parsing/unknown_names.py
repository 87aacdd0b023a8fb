"""Complaints about names in expressions that mean no variable, with what the author may have meant."""

from __future__ import annotations

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.scope import RESERVED_WORDS, Scope, qualified
from symdmc.spelling.suggestions import did_you_mean


def unknown_name(name: str, scope: Scope, where: SourceSpan) -> Complaint:
    """The complaint about a plain name that means no variable."""
    if name.lower() in RESERVED_WORDS:
        return Complaint(Code.UNKNOWN_NAME, f"unknown name {name!r}", f"write {name.lower()!r}", where)
    if name in scope.locations:
        return Complaint(
            Code.WRONG_KIND_OF_NAME,
            f"{name!r} is a process, not a variable",
            f"name a location, as in {name}.LOCATION",
            where,
        )
    if name in scope.channels:
        remedy = f"{name}->length is the number of its items" if scope.member(name, "length") else "name a variable"
        return Complaint(Code.WRONG_KIND_OF_NAME, f"{name!r} is a channel, not a variable", remedy, where)
    if scope.process is not None and name in scope.locations.get(scope.process, ()):
        return Complaint(
            Code.WRONG_KIND_OF_NAME, f"{name!r} is a location, not a variable", f"write {scope.process}.{name}", where
        )
    elsewhere = next((each for each in scope.variables if each.endswith(qualified("", name))), None)
    if elsewhere is not None:
        remedy = f"did you mean {elsewhere!r}?"
    elif scope.visible():
        remedy = did_you_mean(name, scope.visible())
    else:
        located = "there are no variables; a location is written PROCESS.LOCATION"
        remedy = located if scope.locations else "declare it first"
    return Complaint(Code.UNKNOWN_NAME, f"unknown name {name!r}", remedy, where)


def unknown_owner(owner: str, scope: Scope, where: SourceSpan) -> Complaint:
    """The complaint about `P` in `P.x` or `P->x` that is neither process nor channel."""
    if scope.find(owner) is not None:
        remedy = "'.' and '->' stand behind a process; an implication is written 'imply'"
        return Complaint(Code.WRONG_KIND_OF_NAME, f"{owner!r} is a variable, not a process", remedy, where)
    return Complaint(
        Code.UNKNOWN_NAME, f"unknown process {owner!r}", did_you_mean(owner, (*scope.locations, *scope.channels)), where
    )


def unknown_member(owner: str, name: str, scope: Scope, where: SourceSpan, *, dotted: bool) -> Complaint:
    """The complaint about `x` in `P.x` (`dotted`) or `P->x` that P, a process or channel, does not have."""
    locations = scope.locations.get(owner)
    if locations is None:
        remedy = did_you_mean(name, scope.members(owner), "only buffered channels can be looked into")
        return Complaint(Code.UNKNOWN_NAME, f"channel {owner!r} has no {name!r}", remedy, where)
    if name in locations:
        return Complaint(
            Code.WRONG_KIND_OF_NAME,
            f"{name!r} is a location of {owner}, not a variable",
            f"write {owner}.{name}",
            where,
        )
    if dotted:
        remedy = did_you_mean(name, (*locations, *scope.members(owner)))
        return Complaint(Code.UNKNOWN_NAME, f"process {owner!r} has no location {name!r}", remedy, where)
    return Complaint(
        Code.UNKNOWN_NAME,
        f"process {owner!r} has no variable {name!r}",
        did_you_mean(name, scope.members(owner)),
        where,
    )
