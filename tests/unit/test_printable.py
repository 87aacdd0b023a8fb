"""What would steer a terminal is spelled out, and all else stays as it is."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from rich.table import Table

from symdmc.report.console import console_for, print_block, print_line
from symdmc.spelling.printable import printable, printable_lines

DIRECTIONS = frozenset({"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"})


def test_every_control_character_and_separator_is_spelled_out() -> None:
    for code in range(0x10000):
        character = chr(code)
        steers = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or code >= 0xFFFE  # no characters in XML
        steers = steers or unicodedata.bidirectional(character) in DIRECTIONS
        steers = steers or unicodedata.name(character, "") in (
            "LEFT-TO-RIGHT MARK",
            "RIGHT-TO-LEFT MARK",
            "ARABIC LETTER MARK",
        )
        assert printable(character) == (f"\\u{code:04x}" if steers else character)


def test_what_is_spelled_out_is_how_json_spells_it() -> None:
    text = "\x1b[2J\x9b1m\x7f\u2028\u202e\ud800 \u2713 \N{EARTH GLOBE EUROPE-AFRICA}"
    assert json.loads(printable(json.dumps(text, ensure_ascii=False))) == text


def test_ends_of_lines_are_kept_on_request() -> None:
    assert (printable("a\nb\tc"), printable_lines("a\nb\tc")) == ("a\\u000ab\\u0009c", "a\nb\\u0009c")


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\x9b2J", "\x1b]0;title\x07", "\u202e", "\x7f"])
def test_a_console_prints_no_character_that_steers(hostile: str) -> None:
    stream = io.StringIO()
    console, table = console_for(stream), Table(title=hostile)
    table.add_column(f"heading {hostile}")
    table.add_row(f"cell {hostile}")
    console.print(f"plain {hostile}")
    print_line(console, f"line {hostile}")
    print_block(console, table)
    assert all(character == "\n" or character.isprintable() for character in stream.getvalue())
    shown = printable(hostile.rstrip("\x07"))  # rich drops a bell
    assert stream.getvalue().startswith(f"plain {shown}\nline {printable(hostile)}\n")
