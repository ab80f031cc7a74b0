"""The picture of a decomposition."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.dag import SHAPES, Edge
from annotation.pure.data.graph_drawing import RADIUS, draw


@st.composite
def graphs(draw_: st.DrawFn) -> tuple[int, list[Edge]]:
    count = draw_(st.integers(1, 7))
    pairs = list(combinations(range(1, count + 1), 2))
    return count, sorted(draw_(st.sets(st.sampled_from(pairs)))) if pairs else []


def test_a_chain_is_one_level_line() -> None:
    drawing = draw([(1, 2), (2, 3)], 3)
    assert [circle.hop for circle in drawing.circles] == [1, 2, 3]
    assert len({circle.y for circle in drawing.circles}) == 1
    assert [circle.x for circle in drawing.circles] == sorted({circle.x for circle in drawing.circles})


def test_two_hops_meet_in_the_middle() -> None:
    one, two, three = draw([(1, 3), (2, 3)], 3).circles
    assert one.x == two.x < three.x
    assert three.y == (one.y + two.y) / 2


@pytest.mark.parametrize("shape", SHAPES)
def test_no_arrow_runs_through_another_hop(shape: str) -> None:
    edges = SHAPES[shape]
    drawing = draw(edges, max(i for _, i in edges))
    for arrow in drawing.arrows:
        for circle in drawing.circles:
            if circle.hop not in (arrow.source, arrow.target) and arrow.x1 < circle.x < arrow.x2:
                share = (circle.x - arrow.x1) / (arrow.x2 - arrow.x1)
                assert abs(arrow.y1 + share * (arrow.y2 - arrow.y1) - circle.y) > RADIUS


@given(graphs())
def test_circles_keep_apart_and_inside_and_arrows_point_right(graph: tuple[int, list[Edge]]) -> None:
    count, edges = graph
    drawing = draw(edges, count)
    places = [(circle.x, circle.y) for circle in drawing.circles]
    assert len(drawing.arrows) == len(edges)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 2 * RADIUS for a, b in combinations(places, 2))
    assert all(RADIUS < x < drawing.width - RADIUS and RADIUS < y < drawing.height - RADIUS for x, y in places)
    assert all(arrow.x1 < arrow.x2 for arrow in drawing.arrows)


def test_no_hops_make_an_empty_picture() -> None:
    assert draw([], 0).circles == ()
