"""What DVE text leaves open: the values of untyped channels, and where the property of all assertions stands."""

from __future__ import annotations

from pathlib import Path

from symdmc.model.system import Range
from symdmc.reader.load import load

TEXT = """\
int x = 0;
channel c[2];
process A {
  state p, q;
  init p;
  assert q : x == 0, p : x < 9;
  trans p -> q { sync c!{x, 2}; effect x = 1; };
}
process B {
  int a, b;
  state r;
  init r;
  assert r : a < 2;
  trans r -> r { sync c?{a, b}; };
}
system async;
"""


def test_an_untyped_channel_passes_every_integer_of_32_bits(tmp_path: Path) -> None:
    file = tmp_path / "m.dve"
    file.write_text(TEXT)
    (channel,) = load(file).channels
    assert channel.types == (Range(-(2**31), 2**31 - 1, wraps=True),) * 2
    assert channel.capacity == 2


def test_the_property_of_all_assertions_stands_where_the_first_of_them_does(tmp_path: Path) -> None:
    file = tmp_path / "m.dve"
    file.write_text(TEXT)
    (asserted,) = load(file).properties
    assert asserted.span is not None
    assert asserted.span.line == 6
