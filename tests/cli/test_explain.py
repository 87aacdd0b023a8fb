"""`symdmc explain`, and the codes behind errors and warnings."""

from __future__ import annotations

import json
import os

import jsonschema
import pytest
from click.testing import CliRunner

from symdmc.cli.main import symdmc as group
from symdmc.errors import Code
from symdmc.report.complaints import PAGES
from tests.cli.running import ROOT, Runner

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "explain.schema.json").read_text(encoding="utf-8"))
COMPLETE = {"_SYMDMC_COMPLETE": "bash_complete"}


def test_a_code_is_explained(symdmc: Runner) -> None:
    ran = symdmc("explain", "unknown-name")
    assert ran.code == 0
    page = PAGES[Code.UNKNOWN_NAME]
    flat = " ".join(ran.out.split())
    for text in (f"unknown-name: {page.summary}", page.meaning, page.remedy, page.example.says if page.example else ""):
        assert " ".join(text.split()) in flat


def test_the_brackets_may_be_there(symdmc: Runner) -> None:
    assert symdmc("explain", "[unknown-name]").out == symdmc("explain", "unknown-name").out


def test_without_a_code_all_are_listed(symdmc: Runner) -> None:
    lines = symdmc("explain").out.splitlines()
    for code, page in PAGES.items():
        (line,) = (line for line in lines if line.split()[:1] == [code.value])
        assert page.summary[:50] in line


def test_an_unknown_code_is_wrong_usage(symdmc: Runner) -> None:
    ran = symdmc("explain", "unknwon-name")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: Invalid value for 'CODE': there is no code 'unknwon-name'; did you mean 'unknown-name'?; "
        "see symdmc explain --help [unknown-option-value]\n"
    )
    assert "`symdmc explain` lists them" in symdmc("explain", "zzz").err


@pytest.mark.parametrize(
    "words", [("explain",), ("explain", "too-large"), ("explain", "cannot-read"), ("explain", "x")]
)
def test_json_follows_its_schema(symdmc: Runner, words: tuple[str, ...]) -> None:
    document = symdmc(*words, "--json").document
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    if words == ("explain",):
        assert [each["code"] for each in document["codes"]] == [code.value for code in PAGES]


def test_codes_are_completed() -> None:
    words = {"COMP_WORDS": "symdmc explain certificate-", "COMP_CWORD": "2"}
    line = {"COMP_LINE": words["COMP_WORDS"], "COMP_POINT": str(len(words["COMP_WORDS"]))}
    told = CliRunner().invoke(group, [], prog_name="symdmc", env={**COMPLETE, **words, **line})
    found = {line.partition(",")[2] for line in told.output.split(os.linesep) if line}
    assert found == {code.value for code in Code if code.startswith("certificate-")}


def test_errors_end_with_their_codes_and_json_has_them_as_keys(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "z == 1 or w == 2", "--json")
    assert ran.err.splitlines() == [
        "error: <error>:1:1: unknown name 'z'; known: x, y [unknown-name]",
        "error: <error>:1:11: unknown name 'w'; known: x, y [unknown-name]",
    ]
    told = ran.document["complaints"]
    assert [(each["code"], each["where"]) for each in told] == [
        ("unknown-name", "<error>:1:1"),
        ("unknown-name", "<error>:1:11"),
    ]
    assert told[0]["what"] == "unknown name 'z'"
    assert "[" not in ran.document["reason"]


def test_an_answer_has_no_complaints(symdmc: Runner) -> None:
    assert symdmc("check", "counter.dve", "--error", "x == 3", "--json").document["complaints"] is None


def test_a_limit_has_no_code(symdmc: Runner) -> None:
    ran = symdmc("explore", "large.dve", "--time-limit", "0", "--json")
    assert "[" not in ran.err
    assert ran.document["complaints"] in (None, [])


def test_wrong_use_has_codes_too(symdmc: Runner) -> None:
    for words, code in {
        ("check",): Code.MISSING_ARGUMENT,
        ("check", "counter.dve", "--fast"): Code.UNKNOWN_OPTION,
        ("check", "counter.dve", "more"): Code.UNEXPECTED_ARGUMENT,
        ("check", "counter.dve", "--engine", "steam"): Code.UNKNOWN_OPTION_VALUE,
        ("check", "counter.dve", "--time-limit", "-1"): Code.WRONG_OPTION_VALUE,
        ("check", "counter.dve", "--json=1"): Code.WRONG_OPTION_VALUE,
        ("explain", "counter.dve", "--error"): Code.UNKNOWN_OPTION,
        ("fetch",): Code.UNKNOWN_COMMAND,
    }.items():
        ran = symdmc(*words)
        assert ran.code == 2
        assert ran.err.endswith(f" [{code}]\n"), ran.err
