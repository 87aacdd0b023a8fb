"""Pictures as DOT and SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from symdmc.report.pictures.graph import Link, Node, Picture, to_dot, to_svg

AWKWARD = Picture(
    'a "title" with <marks> & more',
    (
        Node("P<1>", "location"),
        Node('x"y', "integer", asked=True),
        Node("a[0]", "array cell"),
        Node("c->length", "buffer"),
    ),
    (Link(0, 1, 5), Link(0, 2, 1), Link(1, 3, 2)),
)


def test_svg_is_well_formed_whatever_the_names() -> None:
    texts = [element.text for element in ElementTree.fromstring(to_svg(AWKWARD)).iter()]
    assert {"P<1>", 'x"y', "a[0]", "c->length", AWKWARD.title} <= set(texts)


def test_svg_stays_inside_its_frame() -> None:
    root = ElementTree.fromstring(to_svg(AWKWARD))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        if box.attrib["width"].endswith("%"):
            continue
        x, y = float(box.attrib["x"]), float(box.attrib["y"])
        assert 0 <= x <= x + float(box.attrib["width"]) <= width
        assert 0 <= y <= y + float(box.attrib["height"]) <= height


def test_svg_explains_only_the_colours_it_uses() -> None:
    plain = to_svg(Picture("one", (Node("P", "location"),), ()))
    assert ">process<" in plain
    assert ">array<" not in plain
    assert "error condition" not in plain
    assert "in the error condition" in to_svg(AWKWARD)


def test_closer_relations_are_drawn_thicker() -> None:
    lines = ElementTree.fromstring(to_svg(AWKWARD)).iter("{http://www.w3.org/2000/svg}line")
    widths = [float(line.attrib["stroke-width"]) for line in lines]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_dot_quotes_names() -> None:
    text = to_dot(AWKWARD)
    assert r'label="x\"y"' in text
    assert text.count(" -- ") == 3


@pytest.mark.parametrize("draw", [to_dot, to_svg])
def test_the_same_picture_gives_the_same_bytes(draw: object) -> None:
    assert callable(draw)
    assert draw(AWKWARD) == draw(AWKWARD)


def test_an_empty_picture_is_drawn() -> None:
    assert ElementTree.fromstring(to_svg(Picture("empty", (), ()))).tag.endswith("svg")
