"""How large the variables and buffers of a model may be; every way to make one asks before it makes them."""

from __future__ import annotations

from collections.abc import Iterable

from symdmc.errors import Code, Complaint, SourceSpan
from symdmc.model.system import Channel, ChannelKind, Variable
from symdmc.spelling.printable import number_text

MOST_CELLS = 1 << 16
"""The most cells of an array, items in a buffer, and copies that one declaration makes of a process or a channel."""
MOST_CHOICES = 1 << 16
"""The most values a cell may start with."""
MOST_PASSED = 1 << 10
"""The most values a channel passes at once."""
MOST_ALTOGETHER = 1 << 20
"""The most cells of a model, the items of buffers and further initial values of a cell counted too."""
MOST_COPIED = 1 << 25
"""The most letters that the text of a model may grow by, were the copies that its declarations make written out."""
LETTERS_BESIDE = 250
"""What a copy counts beside the letters of its text."""


class Sizes:
    """What a model declares, counted; what does not fit is complained about, and must not be made."""

    def __init__(self, complaints: list[Complaint]) -> None:
        self._complaints = complaints
        self._counted = 0
        self._copied = 0

    def fits_variable(self, name: str, cells: int, most: int, choices: int, where: SourceSpan | str | None) -> bool:
        """Whether there is room for a variable; `most` initial values has one of its cells, `choices` all of them."""
        if cells > MOST_CELLS:
            return self._refuse(f"array {name!r} has {number_text(cells)} cells", MOST_CELLS, where)
        if most > MOST_CHOICES:
            what = f"variable {name!r} has a cell with {number_text(most)} initial values"
            return self._refuse(what, MOST_CHOICES, where)
        return self._fits(f"variable {name!r}", max(cells, choices), where)

    def fits_channel(self, name: str, capacity: int, passed: int, where: SourceSpan | str | None) -> bool:
        """Whether there is room for a channel, with its buffer if it has any capacity."""
        if passed > MOST_PASSED:
            return self._refuse(f"channel {name!r} passes {number_text(passed)} values", MOST_PASSED, where)
        if capacity > MOST_CELLS:
            what = f"the buffer of channel {name!r} has room for {number_text(capacity)} items"
            return self._refuse(what, MOST_CELLS, where)
        return self._fits(f"channel {name!r}", max(capacity, 0) * passed, where)

    def fits_copies(self, count: int, letters: int, where: SourceSpan | str | None) -> bool:
        """Whether there is room for copies of a text with this number of letters; the shortest text takes some room."""
        room = count * (letters + LETTERS_BESIDE)
        before, self._copied = self._copied, min(self._copied + room, MOST_COPIED + 1)
        if self._copied > MOST_COPIED >= before:
            what = f"with these {count:,} copies the model would grow by more than {MOST_COPIED:,} letters"
            self._complaints.append(Complaint(Code.TOO_LARGE, what, "make fewer, or make their text shorter", where))
        return self._copied <= MOST_COPIED

    def _fits(self, what: str, count: int, where: SourceSpan | str | None) -> bool:
        before, self._counted = self._counted, min(self._counted + count, MOST_ALTOGETHER + 1)
        if self._counted <= MOST_ALTOGETHER:
            return True
        if before <= MOST_ALTOGETHER:
            remedy = "make arrays, buffers or sets of initial values smaller"
            text = f"with {what} the model has more than {MOST_ALTOGETHER:,} cells and initial values"
            self._complaints.append(Complaint(Code.TOO_LARGE, text, remedy, where))
        return False

    def _refuse(self, what: str, most: int, where: SourceSpan | str | None) -> bool:
        self._complaints.append(Complaint(Code.TOO_LARGE, what, f"{most:,} is the most", where))
        return False


def size_faults(
    variables: Iterable[Variable], channels: Iterable[Channel], where: SourceSpan | str | None
) -> list[Complaint]:
    """A complaint about each variable and channel that is too large; `where` is for those without a place."""
    complaints: list[Complaint] = []
    sizes = Sizes(complaints)
    for variable in variables:
        counts = [len(choices) for choices in variable.initial]
        sizes.fits_variable(variable.name, variable.cells, max(counts, default=0), sum(counts), variable.span or where)
    for channel in channels:
        capacity = channel.capacity if channel.kind is ChannelKind.BUFFERED else 0
        sizes.fits_channel(channel.name, capacity, len(channel.types), channel.span or where)
    return complaints
