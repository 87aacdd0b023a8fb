"""Places for the nodes of a drawing: a spring between each two nodes, as long as their distance in the graph.

The places minimise the stress (the squared misfit of the springs, each weighted by the inverse square of its length) by
majorisation, starting from classical scaling. Nothing is random: equal graphs have equal drawings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

ITERATIONS = 120
SPRING = 95.0
"""The drawn length of a spring between two neighbours."""
GAP = 14.0
"""The least free space between two boxes."""


def place_boxes(sizes: Sequence[tuple[float, float]], edges: Iterable[tuple[int, int]]) -> Floats:
    """The centre of every box, such that linked boxes are near and no two boxes overlap."""
    count = len(sizes)
    if count == 0:
        return np.zeros((0, 2))
    boxes = np.array(sizes, dtype=np.float64).reshape(count, 2)
    distances = _graph_distances(count, edges)
    places = np.zeros((count, 2))
    parts = _components(distances)
    for part in parts:
        local = _least_stress(distances[np.ix_(part, part)]) * SPRING
        places[part] = _pushed_apart(_stretched(local, boxes[part]), boxes[part])
    return _side_by_side(places, boxes, parts)


def _graph_distances(count: int, edges: Iterable[tuple[int, int]]) -> Floats:
    """The number of edges between any two nodes, infinite where there is no path."""
    linked = np.zeros((count, count), dtype=bool)
    for one, other in edges:
        linked[one, other] = linked[other, one] = True
    distances = np.full((count, count), np.inf)
    reached = np.eye(count, dtype=bool)
    frontier, length = reached, 0.0
    while frontier.any():
        distances[frontier] = length
        frontier = (frontier.astype(np.float64) @ linked > 0) & ~reached
        reached = reached | frontier
        length += 1
    return distances


def _components(distances: Floats) -> list[NDArray[np.intp]]:
    """The nodes of each connected part, the largest part first."""
    first = np.isfinite(distances).argmax(axis=1)
    parts = [np.flatnonzero(first == root) for root in np.unique(first)]
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def _least_stress(distances: Floats) -> Floats:
    """Places whose distances fit the given ones."""
    count = len(distances)
    if count == 1:
        return np.zeros((1, 2))
    weights = np.zeros_like(distances)
    apart = distances > 0
    weights[apart] = distances[apart] ** -2
    inverse = np.linalg.pinv(_laplacian(weights))
    places = _classical_scaling(distances)
    for _ in range(ITERATIONS):
        drawn = np.linalg.norm(places[:, None] - places[None], axis=2)
        ratio = np.divide(weights * distances, drawn, out=np.zeros_like(drawn), where=drawn > 1e-9)
        places = inverse @ (_laplacian(ratio) @ places)
    return places


def _laplacian(weights: Floats) -> Floats:
    matrix: Floats = np.diag(weights.sum(axis=1)) - weights
    return matrix


def _classical_scaling(distances: Floats) -> Floats:
    """The plane that shows most of the distances, slightly bent so that no two nodes fall together."""
    count = len(distances)
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    plane = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-6))
    angles = np.arange(count) * 2.39996  # the golden angle: no two directions agree
    bend = 0.05 * np.column_stack((np.cos(angles), np.sin(angles))) * np.sqrt(np.arange(1, count + 1))[:, None]
    bent: Floats = plane + bend
    return bent


def _stretched(places: Floats, boxes: Floats) -> Floats:
    """The places scaled up to about twice the size, until few boxes overlap: pushing many apart spoils the shape."""
    for _ in range(5):
        if _overlapping(places, boxes).sum() <= len(places) / 2:
            break
        places = places * 1.15
    return places


def _overlapping(places: Floats, boxes: Floats) -> NDArray[np.bool_]:
    """Which pairs of boxes are too close."""
    need = (boxes[:, None] + boxes[None]) / 2 + GAP
    overlap: NDArray[np.bool_] = np.all(np.abs(places[:, None] - places[None]) < need, axis=2)
    np.fill_diagonal(overlap, False)
    return overlap


def _pushed_apart(places: Floats, boxes: Floats) -> Floats:
    """The places after moving overlapping boxes away from each other, along the axis that needs less."""
    places = places.copy()
    need = (boxes[:, None] + boxes[None]) / 2 + GAP
    for _ in range(400):
        apart = places[:, None] - places[None]
        missing = need - np.abs(apart)
        overlap = _overlapping(places, boxes)
        if not overlap.any():
            break
        sideways = missing[..., 0] <= missing[..., 1]
        sign = np.where(apart >= 0, 1.0, -1.0)
        sign[(apart == 0) & np.triu(np.ones(overlap.shape, dtype=bool))[..., None]] = -1.0
        push = 0.5 * sign * missing * overlap[..., None]
        push[..., 0] *= sideways
        push[..., 1] *= ~sideways
        crowd = np.maximum(overlap.sum(axis=1), 1)[:, None]
        places += push.sum(axis=1) / np.sqrt(crowd)
    return places


def _side_by_side(places: Floats, boxes: Floats, parts: Sequence[NDArray[np.intp]]) -> Floats:
    """The places with the connected parts arranged in rows, so that the drawing is about as wide as it is high."""
    corners = [(_low(places[part], boxes[part]), _high(places[part], boxes[part])) for part in parts]
    area = sum(float(np.prod(high - low + 2 * GAP)) for low, high in corners)
    row_width = max(1.4 * area**0.5, max((float((high - low)[0]) for low, high in corners), default=0.0))
    result = places.copy()
    x = y = height = 0.0
    for part, (low, high) in zip(parts, corners, strict=True):
        wide, tall = (float(side) for side in high - low)
        if x > 0 and x + wide > row_width:
            x, y, height = 0.0, y + height + 2 * GAP, 0.0
        result[part] = places[part] - low + (x, y)
        x, height = x + wide + 2 * GAP, max(height, tall)
    return result


def _low(places: Floats, boxes: Floats) -> Floats:
    corner: Floats = (places - boxes / 2).min(axis=0)
    return corner


def _high(places: Floats, boxes: Floats) -> Floats:
    corner: Floats = (places + boxes / 2).max(axis=0)
    return corner
