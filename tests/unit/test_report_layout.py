"""Where the boxes of a drawing are put."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from symdmc.report.pictures.layout import place_boxes

SIZE = (70.0, 24.0)


def ring(count: int) -> list[tuple[int, int]]:
    return [(number, (number + 1) % count) for number in range(count)]


def tree(count: int) -> list[tuple[int, int]]:
    return [((number - 1) // 2, number) for number in range(1, count)]


def complete(count: int) -> list[tuple[int, int]]:
    return [(one, other) for other in range(count) for one in range(other)]


SHAPES = {
    "nothing": (1, []),
    "two parts": (10, [*ring(6), (7, 8)]),
    "ring": (24, ring(24)),
    "tree": (63, tree(63)),
    "star": (40, [(0, number) for number in range(1, 40)]),
    "complete": (20, complete(20)),
    "no links": (17, []),
}


def overlaps(places: NDArray[np.float64], sizes: list[tuple[float, float]]) -> int:
    boxes = np.array(sizes)
    apart = np.abs(places[:, None] - places[None])
    both = (apart < (boxes[:, None] + boxes[None]) / 2).all(axis=2)
    return int(both.sum() - len(places)) // 2


@pytest.mark.parametrize("shape", SHAPES)
def test_no_two_boxes_overlap(shape: str) -> None:
    count, links = SHAPES[shape]
    sizes = [(40.0 + 11 * (number % 9), 24.0) for number in range(count)]
    places = place_boxes(sizes, links)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()
    assert overlaps(places, sizes) == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_the_drawing_starts_at_the_corner(shape: str) -> None:
    count, links = SHAPES[shape]
    places = place_boxes([SIZE] * count, links)
    assert (places - np.array(SIZE) / 2).min(axis=0) == pytest.approx([0, 0], abs=1e-6)


def test_linked_boxes_are_nearer_than_others() -> None:
    places = place_boxes([SIZE] * 24, ring(24))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    linked = np.array([distance[one, other] for one, other in ring(24)])
    far = distance[~np.eye(24, dtype=bool)]
    assert linked.max() < np.median(far)


def test_the_same_graph_is_drawn_the_same() -> None:
    assert np.array_equal(place_boxes([SIZE] * 63, tree(63)), place_boxes([SIZE] * 63, tree(63)))


def test_an_empty_graph_has_no_places() -> None:
    assert place_boxes([], []).shape == (0, 2)
