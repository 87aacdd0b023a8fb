"""The families have the sizes and shortest traces known for them, and bad parameters or files get one clear line."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest

import symdmc
from symdmc.abstraction.cartesian.cartesian import cartesian_abstraction
from symdmc.abstraction.entailment.entailment import LayerName
from symdmc.abstraction.predicates.sources import predicates_of_syntax
from symdmc.checking.checks import task_for
from symdmc.errors import ModelError
from symdmc.model.system import System
from symdmc.outcome import Verdict
from symdmc.patterndb.predicates import CARTESIAN
from symdmc.reader.families import Family, families, family_named, load_family, load_python_model
from symdmc.selection.predicates.refinement import RefinementOptions, refined


def complaint(error: pytest.ExceptionInfo[ModelError]) -> str:
    """The only complaint, which must be one line."""
    (only,) = error.value.complaints
    assert "\n" not in str(only)
    return str(only)


def listing(system: System) -> str:
    """What a system consists of, as text."""
    edges = [(p.name, edge.source, edge.target, str(edge.sync)) for p in system.processes for edge in p.edges]
    return f"{system.properties[0].error} {edges}"


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_a_family_is_documented_and_builds_with_its_defaults(family: Family) -> None:
    assert family.summary.endswith(".")
    assert len(family.description.splitlines()) > 10
    assert all(parameter.help for parameter in family.parameters)
    assert len(load_family(family.name, {}).properties) == 1


def test_the_first_families_are_there() -> None:
    known = {"arbiter_tree", "hanoi", "random_system", "fischer", "mutex", "air_conditioning", "flow_control"}
    assert known <= {family.name for family in families()}


def test_parameters_come_from_the_signature() -> None:
    height, faulty, variant = family_named("arbiter_tree").parameters
    assert (height.name, height.default_text, height.allowed) == ("height", "3", "an integer from 2 to 10")
    assert (faulty.name, faulty.default_text, faulty.allowed) == ("faulty", "true", "true or false")
    assert (variant.name, variant.default_text, variant.allowed) == ("variant", "handshake", "handshake or seed")
    actions = next(parameter for parameter in family_named("random_system").parameters if parameter.name == "actions")
    assert actions.default_text is None


@pytest.mark.parametrize(("height", "states"), [(2, 576), (3, 180_224)])
def test_a_correct_handshake_tree_has_the_known_size_and_is_safe(height: int, states: int) -> None:
    system = load_family("arbiter_tree", {"height": str(height), "faulty": "false"})
    assert len(system.processes) == 2 ** (height + 1)
    assert symdmc.explore(system).states == states
    assert symdmc.check(system).verdict is Verdict.SAFE


@pytest.mark.parametrize(
    ("variant", "height", "length"), [("handshake", 2, 28), ("handshake", 3, 36), ("seed", 2, 25), ("seed", 3, 35)]
)
def test_a_faulty_tree_has_the_known_shortest_trace(variant: str, height: int, length: int) -> None:
    result = symdmc.check(load_family("arbiter_tree", {"height": str(height), "variant": variant}))
    assert (result.length, result.shortest) == (length, True)


def test_a_correct_seed_tree_is_safe() -> None:
    assert symdmc.check(load_family("arbiter_tree", {"variant": "seed", "faulty": "false"})).verdict is Verdict.SAFE


def test_trees_of_all_heights_are_built() -> None:
    assert len(load_family("arbiter_tree", {"height": "10"}).processes) == 2048


def test_disks_that_ask_each_other_need_the_published_number_of_steps() -> None:
    lengths = [symdmc.check(load_family("hanoi", {"disks": str(n)})).length or 0 for n in range(1, 6)]
    assert lengths == [5, 17, 45, 105, 229]
    assert all(after == 2 * before + 4 * n + 3 for n, (before, after) in enumerate(pairwise(lengths), start=1))


def test_disks_that_ask_each_other_never_get_stuck() -> None:
    assert symdmc.explore(load_family("hanoi", {"disks": "4"})).deadlocks == 0


@pytest.mark.parametrize("disks", [1, 2, 5, 8])
def test_plain_moves_solve_the_puzzle_in_the_classic_number_of_steps(disks: int) -> None:
    system = load_family("hanoi", {"disks": str(disks), "variant": "plain"})
    assert symdmc.check(system).length == 2**disks - 1
    assert symdmc.explore(system).states == 3**disks


def test_a_larger_disk_is_never_on_a_smaller_one_in_any_state_of_a_move() -> None:
    """While disk 2 is in the air, disk 1 is neither on the column it left nor on the one it goes to."""
    system = load_family("hanoi", {"disks": "3"})
    wrong = [f"Disk{n}.air_13 and not Disk{m}.holds_2" for n in (2, 3) for m in range(1, n)]
    assert symdmc.check(system, error=wrong).verdict is Verdict.SAFE


@pytest.mark.parametrize("seed", range(15))
def test_a_random_system_reaches_its_error(seed: int) -> None:
    result = symdmc.check(load_family("random_system", {"seed": str(seed)}))
    assert result.verdict is Verdict.ERROR
    assert result.length


@pytest.mark.parametrize(("processes", "actions"), [(2, 1), (5, 4), (5, 10), (10, 30)])
def test_each_random_action_joins_two_processes_and_all_are_connected(processes: int, actions: int) -> None:
    system = load_family("random_system", {"processes": str(processes), "actions": str(actions)})
    users: dict[str, set[int]] = {channel.name: set() for channel in system.channels}
    for number, process in enumerate(system.processes):
        for edge in process.edges:
            if edge.sync is not None:
                users[edge.sync.channel].add(number)
    assert len(users) == actions
    assert all(len(pair) == 2 for pair in users.values())
    met = {0}
    for _ in users:
        met = met.union(*(pair for pair in users.values() if met & pair))
    assert met == set(range(processes))


def test_random_processes_have_the_asked_for_sizes() -> None:
    system = load_family("random_system", {"processes": "20", "min_states": "4", "max_states": "6"})
    assert {len(process.locations) for process in system.processes} == {4, 5, 6}


def test_random_systems_are_the_same_everywhere() -> None:
    """The digest was computed once with each version of Python that is supported."""
    text = "".join(listing(load_family("random_system", {"seed": str(seed)})) for seed in range(20))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "e8af64e2238dd978"


def test_the_seed_chooses_the_random_system() -> None:
    texts = {listing(load_family("random_system", {"seed": str(seed)})) for seed in range(20)}
    assert len(texts) == 20


@pytest.mark.parametrize(
    ("family", "parameters", "expected"),
    [
        ("arbiter_tree", "height=0", "arbiter_tree: parameter height=0 is out of range; give an integer from 2 to 10"),
        (
            "arbiter_tree",
            "height=50",
            "arbiter_tree: parameter height=50 is out of range; give an integer from 2 to 10",
        ),
        (
            "arbiter_tree",
            "height=3.5",
            "arbiter_tree: parameter height=3.5 is no integer; give an integer from 2 to 10",
        ),
        ("arbiter_tree", "faulty=maybe", "arbiter_tree: parameter faulty=maybe is not allowed; give true or false"),
        ("arbiter_tree", "variant=foo", "arbiter_tree: parameter variant=foo is not allowed; give handshake or seed"),
        ("arbiter_tree", "hight=3", "arbiter_tree: there is no parameter 'hight'; did you mean 'height'?"),
        ("hanoi", "disks=0", "hanoi: parameter disks=0 is out of range; give an integer from 1 to 30"),
        ("hanoi", "disks=", "hanoi: parameter disks= is no integer; give an integer from 1 to 30"),
        (
            "random_system",
            "actions=3",
            "random_system: parameter actions=3 cannot connect 5 processes; give at least 4",
        ),
        (
            "random_system",
            "min_states=11",
            "random_system: parameter min_states=11 is larger than max_states=10; give an integer from 2 to 10",
        ),
    ],
)
def test_a_bad_parameter_gets_one_line(family: str, parameters: str, expected: str) -> None:
    with pytest.raises(ModelError) as error:
        load_family(family, dict(part.split("=") for part in parameters.split(",")))
    assert complaint(error) == expected


def test_all_bad_parameters_are_reported() -> None:
    with pytest.raises(ModelError) as error:
        load_family("arbiter_tree", {"height": "0", "faulty": "no", "size": "3"})
    assert len(error.value.complaints) == 3


def test_truth_values_may_be_written_in_any_case() -> None:
    assert load_family("arbiter_tree", {"faulty": "False"}) == load_family("arbiter_tree", {"faulty": "false"})


def test_an_unknown_family_names_the_nearest_one() -> None:
    for look_up in (family_named, lambda name: load_family(name, {})):
        with pytest.raises(ModelError) as error:
            look_up("hanoy")
        assert complaint(error) == "there is no family 'hanoy'; did you mean 'hanoi'?"


MODEL = """\
from typing import Literal

from symdmc.model.builder import Builder


def build(n: int, shape: Literal["ring", "star"] = "ring", text: str = "a", wide=False, top: int | None = None):
    m = Builder(f"{n} {shape} {text} {wide} {top}")
    m.process("P", initial="here")
    return m.build()
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "model.py"
    path.write_text(text)
    return path


def test_a_python_model_is_built_from_texts(tmp_path: Path) -> None:
    path = written(tmp_path, MODEL)
    assert load_python_model(path, {"n": "3"}).name == "3 ring a False None"
    given = {"n": "-1", "shape": "star", "text": "b c", "wide": "true", "top": "9"}
    assert load_python_model(path, given).name == "-1 star b c True 9"


def test_a_python_model_is_read_anew_each_time(tmp_path: Path) -> None:
    for letter in "abc":
        path = written(tmp_path, MODEL.replace('"a"', f'"{letter}"'))
        assert load_python_model(path, {"n": "1"}).name == f"1 ring {letter} False None"
    assert list(tmp_path.iterdir()) == [path]


def test_a_parameter_without_default_must_be_given(tmp_path: Path) -> None:
    path = written(tmp_path, MODEL)
    with pytest.raises(ModelError) as error:
        load_python_model(path, {})
    assert complaint(error) == f"{path}: parameter n has no default and is not given; give an integer: -p n=..."


def test_faults_of_the_model_itself_keep_their_place(tmp_path: Path) -> None:
    path = written(tmp_path, MODEL.replace('initial="here"', "initial=[]"))
    with pytest.raises(ModelError, match=r"^model\.py:8:1: "):
        load_python_model(path, {"n": "1"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def build(:\n", "model.py:1: SyntaxError: "),
        ("x = 1\nimport there_is_no_such_module\n", "model.py:2: ModuleNotFoundError: "),
        ("raise SystemExit\n", "model.py:1: SystemExit; correct the file"),
        ("def build():\n    return 1 // 0\n", "model.py:2: ZeroDivisionError: "),
        ("import json\n\n\ndef build():\n    return json.loads('{')\n", "model.py:5: JSONDecodeError: "),
        ("def build():\n    raise ValueError('one\\ntwo')\n", "model.py:2: ValueError: one two; correct the file"),
        ("def build():\n    return 3\n", "model.py:1: build returns a value of type int, not a System"),
        ("def build(x: list[int]):\n    return x\n", "model.py:1: TypeError: parameter x has a type that no text"),
        ("def build(x: 'Nope' = 1):\n    return x\n", "model.py:1: NameError: "),
        ("def biuld():\n    return 3\n", "model.py: has no function build; give a Python file with"),
        ("", "model.py: is empty"),
    ],
)
def test_whatever_is_wrong_in_a_python_model_gets_one_line_with_its_place(
    tmp_path: Path, text: str, expected: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ModelError) as error:
        load_python_model(path, {})
    assert complaint(error).startswith(f"{tmp_path}/{expected}")


def test_a_python_model_that_is_not_there_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as error:
        load_python_model(tmp_path / "none.py", {})
    assert "cannot be read" in complaint(error)


@pytest.mark.parametrize(
    "heuristic",
    ["blind", "fsm-max", "hL", "merge:50", "pdb:coi:2", "pdb:russian-doll", "pdb:dpr", "pdb:systematic:2", "pdb:cegar"],
)
def test_every_admissible_heuristic_finds_the_published_lengths(heuristic: str) -> None:
    tree = symdmc.check("arbiter_tree:height=2,variant=seed", heuristic=heuristic)
    disks = symdmc.check("hanoi:disks=4", heuristic=heuristic)
    assert [(result.length, result.shortest) for result in (tree, disks)] == [(25, True), (105, True)]


@pytest.mark.parametrize(("room", "first", "frames"), [(6, 10, 10), (12, 10, 20), (30, 1000, 50)])
def test_flow_control_overflows_after_a_third_of_its_room_and_five_steps(room: int, first: int, frames: int) -> None:
    faulty, correct = (
        symdmc.load("flow_control", room=room, first=first, frames=frames, faulty=each) for each in (True, False)
    )
    assert symdmc.check(faulty).length == room // 3 + 5
    assert symdmc.check(correct).verdict is Verdict.SAFE


def test_flow_control_is_proved_by_the_predicates_of_its_text_with_the_help_of_sympy() -> None:
    task = task_for(symdmc.load("flow_control", faulty=False))
    numbers = [task.analysis.domains[number].count for number in task.layout.first.values()]
    assert min(numbers) ** 2 > 10**6
    cubes = cartesian_abstraction(task, [each.predicate for each in predicates_of_syntax(task)])
    assert cubes.estimate(task, next(task.semantics.initial_states())) is None
    assert dict(cubes.entailment.answered)[LayerName.THEORY] > 0


@pytest.mark.parametrize(
    "spelling", ["flow_control", "flow_control:faulty=false,frames=1000", "flow_control:room=6,first=10,frames=20"]
)
def test_flow_control_leaves_sympy_a_few_per_cent_of_the_questions(spelling: str) -> None:
    task = task_for(symdmc.load(spelling))
    found = cartesian_abstraction(task, [each.predicate for each in predicates_of_syntax(task)]).entailment
    assert 0 < dict(found.answered)[LayerName.THEORY] <= found.queries / 20
    assert found.undecided == 0


@pytest.mark.slow
def test_correct_flow_control_is_proved_by_cartesian_refinement() -> None:
    task = task_for(symdmc.load("flow_control", faulty=False, frames=1000))
    options = RefinementOptions(iterations=15, until_it_stays=False, kind=CARTESIAN)
    found = refined(task, most=None, options=options)
    assert found.iterations[-1].length is None
    assert len(found.iterations) <= 15


def test_room_for_no_whole_number_of_frames_gets_one_line() -> None:
    with pytest.raises(ModelError) as error:
        symdmc.load("flow_control", room=10)
    assert complaint(error).endswith("room=10 is no multiple of 3; give 9")
