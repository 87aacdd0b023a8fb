"""Layers of a symbolic search as a picture, as JSON and in words."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from symdmc.model.builder import Builder
from symdmc.outcome import Exploration, Layer, Progress, SearchResult, Stop, Verdict
from symdmc.report.console import console_for
from symdmc.report.documents import check_document, explore_document
from symdmc.report.pictures.layer_plot import HEIGHT, LEFT, MOST_MARKS, PANELS, RIGHT, WIDTH, layers_svg
from symdmc.report.progress import ProgressLine
from symdmc.report.results import print_exploration, print_result
from symdmc.search.symbolic.options import SymbolicOptions

SVG = "{http://www.w3.org/2000/svg}"


def layer(depth: int, states: int | None, nodes: int = 10, *, backward: bool = False) -> Layer:
    return Layer(depth=depth, states=states, nodes=nodes, seconds=0.25, backward=backward)


FORWARD = tuple(layer(depth, 3**depth, 10 + depth * depth) for depth in range(9))
BACKWARD = tuple(layer(depth, 7**depth, 40 + depth, backward=True) for depth in range(5))
HUGE = tuple(layer(depth, 10 ** (100 * depth) + depth) for depth in range(12))
PICTURES = {
    "forward": FORWARD,
    "backward": BACKWARD,
    "both": FORWARD + BACKWARD,
    "beyond floating point": HUGE,
    "with an empty layer": (layer(0, 4), layer(1, 900), layer(2, 0, 1)),
    "huge with an empty layer": (*HUGE, layer(12, 0, 1)),
    "one": (layer(0, 1),),
    "one empty": (layer(0, 0, 1, backward=True),),
    "not counted": tuple(layer(depth, None) for depth in range(4)),
    "partly counted": (layer(0, 1), layer(1, None), layer(2, 5)),
    "none": (),
    "many": tuple(layer(depth, depth + 1, 5) for depth in range(2000)),
}


def drawn(layers: Sequence[Layer], title: str = "some model", *, rounds: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(layers_svg(title, layers, rounds=rounds))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def lines(root: ElementTree.Element) -> list[list[tuple[float, float]]]:
    """The points of every line through layers: of the states, forward then backward, then the same of the nodes."""
    found = (element.attrib["points"].split() for element in root.iter(f"{SVG}polyline"))
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in points)] for points in found]


def rises(points: list[tuple[float, float]]) -> list[float]:
    """How much higher each point is drawn than the one before."""
    return [one[1] - other[1] for one, other in pairwise(points)]


@pytest.mark.parametrize("name", PICTURES)
def test_everything_is_drawn_inside_its_frame(name: str) -> None:
    root = drawn(PICTURES[name])
    assert (root.attrib["width"], root.attrib["height"]) == (str(WIDTH), str(HEIGHT))
    frames = PANELS.values()
    for points in lines(root):
        assert all(LEFT <= x <= RIGHT for x, _ in points)
        assert any(all(top <= y <= bottom for _, y in points) for top, bottom in frames)
    for line in root.iter(f"{SVG}line"):
        y1, y2 = float(line.attrib["y1"]), float(line.attrib["y2"])
        assert any(top <= min(y1, y2) <= max(y1, y2) <= bottom for top, bottom in frames)


@pytest.mark.parametrize("name", PICTURES)
def test_every_axis_has_a_label_and_a_few_numbers(name: str) -> None:
    shown = texts(drawn(PICTURES[name]))
    assert {"states", "nodes"} <= set(shown)
    assert 1 <= sum(text.isdecimal() and not text.startswith("10") for text in shown) <= 15
    assert 4 <= sum(bool(re.fullmatch(r"10\d+", text)) for text in shown) <= 24


def test_equal_factors_are_equal_distances() -> None:
    (points, _) = lines(drawn(FORWARD))
    assert max(rises(points)) - min(rises(points)) <= 0.21
    assert min(rises(points)) > 5


def test_counts_beyond_floating_point_keep_their_places() -> None:
    (points, _) = lines(drawn(HUGE))
    assert max(rises(points)) - min(rises(points)) <= 0.21
    assert "most states in one: 1.00e1100" in texts(drawn(HUGE))[1]


def test_an_empty_layer_lies_below_all_others() -> None:
    root = drawn(PICTURES["with an empty layer"])
    heights = [y for _, y in lines(root)[0]]
    assert heights[2] == PANELS["states"][1] > max(heights[:2])
    assert "0" in texts(root)


def test_both_directions_are_told_apart() -> None:
    root = drawn(FORWARD + BACKWARD)
    assert len(lines(root)) == 4
    assert {"forward", "backward"} <= set(texts(root))
    assert len({element.attrib["stroke"] for element in root.iter(f"{SVG}polyline")}) == 2
    assert {"forward", "backward"}.isdisjoint(texts(drawn(FORWARD)))


@pytest.mark.parametrize(
    ("name", "rounds", "label"),
    [
        ("forward", False, "distance from the initial states"),
        ("backward", False, "distance to the error states"),
        ("both", False, "distance: forward from the initial states, backward to the error states"),
        ("forward", True, "round of chaining"),
    ],
)
def test_the_axis_says_what_it_counts(name: str, rounds: bool, label: str) -> None:
    assert label in texts(drawn(PICTURES[name], rounds=rounds))


def test_layers_that_were_not_counted_are_left_out() -> None:
    assert len(lines(drawn(PICTURES["not counted"]))) == 1
    states, nodes = lines(drawn(PICTURES["partly counted"]))
    assert (len(states), len(nodes)) == (2, 3)
    assert states[-1][0] == nodes[-1][0]


def test_each_layer_tells_its_size_where_there_is_room() -> None:
    told = [element.text for element in drawn(FORWARD).iter(f"{SVG}title")]
    assert "forward 8: 6,561 states" in told
    assert "forward 8: 74 nodes" in told
    assert len(PICTURES["many"]) > MOST_MARKS
    assert not list(drawn(PICTURES["many"]).iter(f"{SVG}circle"))


def test_the_title_names_the_model_whatever_it_is_called() -> None:
    assert texts(drawn(FORWARD, 'a "model" <1> & more'))[0] == 'a "model" <1> & more'
    long = texts(drawn(FORWARD, "m" * 300))[0]
    assert 40 < len(long) <= 80


def test_a_search_that_finished_no_layer_is_drawn_and_says_so() -> None:
    assert texts(drawn(()))[1] == "no layer was finished"
    assert texts(drawn((), rounds=True))[1] == "no round was finished"
    assert texts(drawn((layer(0, 1),)))[1].startswith("1 layer;")


def test_measured_times_do_not_change_the_picture() -> None:
    slower = [replace(each, seconds=each.seconds + 1.5) for each in FORWARD]
    assert layers_svg("m", slower) == layers_svg("m", FORWARD)


def test_progress_counts_layers_no_faster_than_the_eye_can_follow() -> None:
    stream = io.StringIO()
    with ProgressLine(stream, enabled=True) as line:
        for number, text in enumerate(("building", "layer: 1", "layer: 2", "layer: 3", "layer: 9")):
            seconds = 0.05 * number if number < 4 else 1.0
            line(Progress(explored=0, generated=0, stored=0, depth=number, seconds=seconds, phase=text))
    assert stream.getvalue().split("\r\x1b[K")[1:] == ["building", "layer: 1", "layer: 9", ""]


m = Builder("m")
m.process("P", initial="s")
SYSTEM = m.build()
UNKNOWN = SearchResult(
    verdict=Verdict.UNKNOWN,
    reason="time limit reached",
    property="p",
    stop=Stop.TIME,
    lower_bound=14,
    seconds=2.0,
    peak_memory_mb=60.0,
    engine="symbolic",
    direction="bidirectional",
    peak_nodes=1234,
    order=("x", "P"),
    layers=FORWARD + BACKWARD,
)
COUNTED = Exploration(
    states=10**400,
    transitions=None,
    depth=None,
    deadlocks=0,
    faults=None,
    engine="symbolic",
    peak_nodes=1,
    layers=HUGE[:1],
    reason="all reachable states counted",
)


def test_a_limit_leaves_the_layers_and_the_bound_in_the_document() -> None:
    document = check_document("m.dve", SYSTEM, UNKNOWN, 21)
    assert (document["lower_bound"], document["peak_nodes"], document["order"]) == (14, 1234, ["x", "P"])
    layers = document["layers"]
    assert isinstance(layers, list)
    assert layers[8] == {"depth": 8, "states": 6561, "nodes": 74, "seconds": 0.25, "direction": "forward"}
    assert [each["direction"] for each in layers] == ["forward"] * 9 + ["backward"] * 5
    assert document["explored"] is document["generated"] is document["stored"] is None


def test_states_are_exact_in_the_document() -> None:
    document = explore_document("m.dve", SYSTEM, replace(COUNTED, layers=HUGE))
    layers = document["layers"]
    assert isinstance(layers, list)
    assert [each["states"] for each in layers] == [each.states for each in HUGE]
    assert document["states"] == 10**400


def printed(result: SearchResult | Exploration, options: SymbolicOptions) -> list[str]:
    stream = io.StringIO()
    if isinstance(result, SearchResult):
        print_result(console_for(stream), "m.dve", SYSTEM, result, options, steps=None, quiet=False)
    else:
        print_exploration(console_for(stream), "m.dve", None, result, options, quiet=False)
    return stream.getvalue().splitlines()


def test_the_text_says_what_is_known_after_a_limit() -> None:
    assert printed(UNKNOWN, SymbolicOptions()) == [
        "? unknown: time limit reached",
        "  whether an error state of p is reachable is open; no error trace is shorter than 14",
        "  symbolic bidirectional bfs, order local: 14 layers, at most 1,234 nodes, 2.00 s, 60 MB",
    ]


def test_safe_from_layers_does_not_speak_of_faults_it_did_not_look_for() -> None:
    safe = replace(UNKNOWN, verdict=Verdict.SAFE, stop=None, lower_bound=None, reason="all seen", direction="backward")
    assert printed(safe, SymbolicOptions(order="force", seed=3, sift=True)) == [
        "\u2713 safe: no error state of p is reachable",
        "  all seen",
        "  symbolic backward bfs, order force with seed 3, sifted: 14 layers, at most 1,234 nodes, 2.00 s, 60 MB",
        "  faults not excluded: this search does not look for them",
    ]


@pytest.mark.parametrize(("layered", "word"), [(False, "1 round,"), (True, "1 layer,")])
def test_an_exploration_tells_its_layers_or_rounds(layered: bool, word: str) -> None:
    costs = printed(COUNTED, SymbolicOptions(layered=layered))[2]
    assert costs.startswith(f"  symbolic, order local: all reachable states counted, {word} at most 1 node, ")
