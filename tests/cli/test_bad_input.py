"""Every bad input gets a line with place, fault and remedy, the right exit code, and no traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.running import COUNTER, Ran, Runner, run_apart

X30 = ("--error", "x == 30")


def complaint(ran: Ran, code: int) -> str:
    """The only complaint of a command that failed."""
    assert ran.code == code, ran
    assert ran.out == ""
    (line,) = (line for line in ran.err.splitlines() if not line.startswith("warning: "))
    assert line.startswith("error: ")
    return line


def test_a_syntax_error_names_line_and_column(symdmc: Runner, folder: Path) -> None:
    (folder / "bad.dve").write_text(COUNTER.replace("init s;", "init s"))
    assert complaint(symdmc("check", "bad.dve", *X30), 30).startswith("error: bad.dve:6:")


def test_all_unknown_names_are_reported_at_once(symdmc: Runner, folder: Path) -> None:
    (folder / "bad.dve").write_text(COUNTER.replace("x < 30", "xx < 30").replace("effect y = 1", "effect yy = 1"))
    ran = symdmc("check", "bad.dve", *X30)
    assert ran.code == 30
    first, second = ran.err.splitlines()
    assert first.startswith("error: bad.dve:7:")
    assert "'xx'" in first
    assert "'x'" in first
    assert second.startswith("error: bad.dve:9:")
    assert "'yy'" in second


def test_an_array_used_as_a_number_is_a_type_error(symdmc: Runner, folder: Path) -> None:
    (folder / "bad.dve").write_text(COUNTER.replace("byte y = 0;", "byte y[2];"))
    line = complaint(symdmc("check", "bad.dve", *X30), 30)
    assert "bad.dve:9:" in line
    assert "array" in line


def test_an_empty_file_is_refused(symdmc: Runner, folder: Path) -> None:
    (folder / "empty.dve").write_text("\n")
    assert "empty.dve" in complaint(symdmc("check", "empty.dve"), 30)


def test_an_unreadable_file_is_refused(symdmc: Runner, folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can read every file")
    (folder / "counter.dve").chmod(0)
    assert "counter.dve" in complaint(symdmc("check", "counter.dve"), 30)


def test_a_file_that_is_no_text_is_refused(symdmc: Runner, folder: Path) -> None:
    (folder / "noise.dve").write_bytes(bytes(range(256)))
    assert "noise.dve" in complaint(symdmc("check", "noise.dve"), 30)


def test_a_directory_is_refused(symdmc: Runner, folder: Path) -> None:
    (folder / "models").mkdir()
    line = complaint(symdmc("check", "models"), 30)
    assert "directory" in line
    assert ".dve" in line


def test_a_missing_file_names_the_nearest_one(symdmc: Runner) -> None:
    assert "did you mean 'counter.dve'?" in complaint(symdmc("check", "conter.dve"), 30)


def test_an_unknown_family_names_the_nearest_one(symdmc: Runner) -> None:
    assert "did you mean 'arbiter_tree'?" in complaint(symdmc("check", "arbiter_three"), 30)


def test_an_unknown_kind_of_file_is_refused(symdmc: Runner, folder: Path) -> None:
    (folder / "model.txt").write_text(COUNTER)
    assert ".dve, .json or .py" in complaint(symdmc("check", "model.txt"), 30)


@pytest.mark.parametrize(
    "parameters", [("-p", "height=0"), ("-p", "height=many"), ("-p", "size=3"), ("-p", "faulty=perhaps")]
)
def test_a_family_refuses_bad_parameters(symdmc: Runner, parameters: tuple[str, ...]) -> None:
    key, _, value = parameters[1].partition("=")
    line = complaint(symdmc("check", "arbiter_tree", *parameters), 30)
    assert key in line
    assert value in line or key == "size"


def test_a_parameter_may_be_given_once_only(symdmc: Runner) -> None:
    assert "twice" in complaint(symdmc("check", "arbiter_tree:height=2", "-p", "height=3"), 30)
    assert "twice" in complaint(symdmc("check", "arbiter_tree", "-p", "height=2", "-p", "height=3"), 2)


def test_a_parameter_needs_a_value(symdmc: Runner) -> None:
    assert "height" in complaint(symdmc("check", "arbiter_tree:height"), 30)
    assert "KEY=VALUE" in complaint(symdmc("check", "arbiter_tree", "-p", "height"), 2)


def test_a_dve_file_takes_no_parameters(symdmc: Runner) -> None:
    assert "takes no parameters" in complaint(symdmc("check", "counter.dve", "-p", "n=1", *X30), 30)


def test_an_error_condition_over_an_unknown_name_names_the_nearest_one(symdmc: Runner) -> None:
    assert "'Up'" in complaint(symdmc("check", "counter.dve", "--error", "Upp.t"), 30)


def test_an_error_condition_with_a_syntax_error_names_the_column(symdmc: Runner) -> None:
    assert ":1:5: " in complaint(symdmc("check", "counter.dve", "--error", "x == "), 30)


def test_an_unknown_property_is_refused(symdmc: Runner) -> None:
    assert "'nobody'" in complaint(symdmc("check", "asserted.dve", "--property", "nobody"), 30)


def test_asking_nothing_gets_a_hint(symdmc: Runner) -> None:
    line = complaint(symdmc("check", "counter.dve"), 30)
    assert "--error" in line
    assert "--deadlock" in line


def test_a_bad_properties_file_is_refused_line_by_line(symdmc: Runner, folder: Path) -> None:
    (folder / "asked.txt").write_text("far; x == 30\nfarther; z == 31\n")
    assert complaint(symdmc("check", "counter.dve", "--properties", "asked.txt", "--property", "far"), 30).startswith(
        "error: asked.txt:2:"
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--time-limit", "-1"),
        ("--time-limit", "nan"),
        ("--time-limit", "soon"),
        ("--memory-limit", "-5"),
        ("--seed", "-1"),
    ],
)
def test_limits_and_seeds_out_of_range_are_wrong_option_values(symdmc: Runner, option: str, value: str) -> None:
    line = complaint(symdmc("check", "counter.dve", *X30, option, value), 2)
    assert option in line
    assert "symdmc check --help" in line


def test_steps_are_a_number_or_all(symdmc: Runner) -> None:
    for wrong in ("few", "-1", "\u00b2", "9" * 5000):
        assert "'all'" in complaint(symdmc("check", "counter.dve", *X30, "--steps", wrong), 2)


def test_an_option_that_would_do_nothing_is_refused(symdmc: Runner) -> None:
    assert "--seed" in complaint(symdmc("check", "counter.dve", *X30, "--seed", "1"), 2)
    assert "--shorten" in complaint(symdmc("check", "counter.dve", "--shorten", "t.json", "--search", "dfs"), 2)
    assert "--random" in complaint(symdmc("simulate", "counter.dve", "--steps", "3"), 2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--heuristic", "hL", "--complete"), "--complete is for heuristics that build databases"),
        (("--heuristic", "merge:50", "--perimeter", "2"), "--perimeter is for databases of patterns"),
        (("--heuristic", "pred:syntax", "--perimeter", "2"), "--perimeter is for databases of patterns"),
        (
            ("--heuristic", "fsm-max", "--projection", "syntactic"),
            "--projection is for databases of patterns",
        ),
    ],
)
def test_ways_to_build_databases_are_refused_where_none_is_built(
    symdmc: Runner, options: tuple[str, ...], told: str
) -> None:
    assert told in complaint(symdmc("check", "counter.dve", *X30, *options), 2)


def test_predicates_without_a_heuristic_name_the_one_that_takes_them(symdmc: Runner) -> None:
    line = complaint(symdmc("check", "counter.dve", *X30, "--predicate", "x >= 3"), 2)
    assert "--predicate is for --heuristic pred:given" in line


@pytest.mark.parametrize(("name", "argument"), [("hamming", "TRACE"), ("fsm-trail", "TRACE"), ("user", "EXPRESSION")])
def test_a_heuristic_that_needs_an_argument_says_how_it_is_written(symdmc: Runner, name: str, argument: str) -> None:
    line = complaint(symdmc("check", "counter.dve", *X30, "--heuristic", name), 2)
    assert f"'{name}' needs an argument; write {name}:{argument}" in line


def test_an_unwritable_trace_file_is_found_out_before_the_search(
    symdmc: Runner, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(task: object, **settings: object) -> None:
        pytest.fail("the search ran")

    monkeypatch.setattr("symdmc.search.explicit.explicit.search", never)
    line = complaint(symdmc("check", "counter.dve", *X30, "--trace", "missing/trace.json"), 30)
    assert line.startswith("error: missing/trace.json: ")
    assert "cannot be written" in complaint(symdmc("check", "counter.dve", *X30, "--trace", str(folder)), 30)


def test_an_unwritable_picture_is_found_out(symdmc: Runner) -> None:
    assert "cannot be written" in complaint(symdmc("show", "counter.dve", "--graph", "missing/tree.svg"), 30)
    assert ".svg" in complaint(symdmc("show", "counter.dve", "--graph", "tree.png"), 2)


def test_a_trace_of_another_model_is_refused(symdmc: Runner) -> None:
    assert symdmc("check", "counter.dve", *X30, "--trace", "trace.json").code == 10
    assert "another model" in complaint(symdmc("replay", "talk.dve", "trace.json"), 40)
    assert "another model" in complaint(symdmc("check", "talk.dve", "--shorten", "trace.json"), 40)


def test_a_trace_that_is_no_trace_is_a_bad_file(symdmc: Runner, folder: Path) -> None:
    (folder / "trace.json").write_text("{}")
    assert symdmc("replay", "counter.dve", "trace.json").code == 30
    (folder / "trace.json").write_text("[")
    assert complaint(symdmc("replay", "counter.dve", "trace.json"), 30).startswith("error: trace.json:1:")
    assert "missing.json" in complaint(symdmc("replay", "counter.dve", "missing.json"), 30)


def test_a_trace_that_claims_nothing_cannot_be_shortened_without_a_question(symdmc: Runner) -> None:
    assert symdmc("simulate", "counter.dve", "--random", "3", "--trace", "walk.json").code == 0
    assert "--error" in complaint(symdmc("check", "counter.dve", "--shorten", "walk.json"), 40)


def test_a_failing_python_model_names_its_file(symdmc: Runner, folder: Path) -> None:
    (folder / "broken.py").write_text("def build():\n    return 1 / 0\n")
    assert "broken.py" in complaint(symdmc("check", "broken.py"), 30)


def test_deeply_nested_text_is_refused(symdmc: Runner) -> None:
    ran = symdmc("check", "counter.dve", "--error", "(" * 5000 + "x" + ")" * 5000)
    assert ran.code in (10, 30), ran.err[:300]


def test_an_unknown_command_names_the_nearest_one(symdmc: Runner) -> None:
    assert "did you mean 'check'?" in complaint(symdmc("chek", "counter.dve"), 2)


@pytest.mark.parametrize(
    "command", [("check", "MODEL", "--error", "x"), ("show", "MODEL"), ("certify", "counter.dve", "MODEL")]
)
def test_a_pipe_a_device_and_a_link_to_itself_are_refused_at_once(
    symdmc: Runner, folder: Path, command: tuple[str, ...]
) -> None:
    os.mkfifo(folder / "pipe.dve")
    (folder / "zero.dve").symlink_to("/dev/zero")
    (folder / "loop.dve").symlink_to("loop.dve")
    for name, what in (("pipe", "is a pipe"), ("zero", "is a pipe"), ("loop", "is a link that leads back to itself")):
        ran = symdmc(*(f"{name}.dve" if word == "MODEL" else word for word in command))
        assert (ran.code, ran.out) == (30, "")
        assert ran.err.startswith(f"error: {name}.dve: {what}")
        assert len(ran.err.splitlines()) == 1


def test_results_are_not_kept_in_a_pipe(symdmc: Runner, folder: Path) -> None:
    os.mkfifo(folder / "runs.jsonl")
    ran = symdmc("compare", "counter.dve", "--error", "x == 3", "--config", "bfs", "--results", "runs.jsonl")
    assert (ran.code, ran.err) == (
        30,
        "error: runs.jsonl: is a pipe or a device, not a file; choose another file [not-a-file]\n",
    )


def test_a_certificate_may_come_through_a_pipe(symdmc: Runner, folder: Path) -> None:
    asked = ("counter.dve", "--error", "x == 31")
    assert symdmc("check", *asked, "--certificate", "proof.json").code == 0
    with (folder / "proof.json").open() as proof:
        assert run_apart("certify", *asked, "/dev/stdin", cwd=folder, stdin=proof).code == 0
    piped = run_apart("certify", *asked, "/dev/stdin", cwd=folder, input=(folder / "proof.json").read_text())
    assert (piped.code, piped.err) == (0, "")
