"""Where a chart's marks go."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.charts import Bars
from annotation.pure.reports.quality_trend import trend
from annotation.pure.reports.svg import EDGE, LEFT, WIDTH, draw


def drawn(counts: list[int]) -> ET.Element:
    values = tuple((str(k), count) for k, count in enumerate(counts))
    return ET.fromstring(draw(Bars(values, "Counts", ("first", "last"))))


def marks(root: ET.Element, look: str) -> list[ET.Element]:
    return [each for each in root.iter() if look in each.get("class", "").split()]


@pytest.mark.parametrize(("most", "top"), [(0, 1), (1, 1), (3, 4), (5, 5), (7, 10), (11, 20), (99, 100), (401, 500)])
def test_the_axis_of_counts_ends_at_a_round_number(most: int, top: int) -> None:
    assert [label.text for label in marks(drawn([most]), "label")][:2] == ["0", str(top)]


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_bars_stay_inside_the_plot_and_grow_with_their_count(counts: list[int]) -> None:
    bars = marks(drawn(counts), "bar")
    assert len(bars) == len(counts)
    sizes = [{name: float(bar.get(name, "")) for name in ("x", "y", "width", "height")} for bar in bars]
    for size in sizes:
        assert size["x"] >= LEFT
        assert size["x"] + size["width"] <= WIDTH - EDGE + 0.1
        assert size["y"] >= EDGE - 0.1
        assert size["y"] + size["height"] <= 140
    heights = [size["height"] for _count, size in sorted(zip(counts, sizes, strict=True), key=lambda pair: pair[0])]
    assert heights == pytest.approx(sorted(heights))


def test_a_trend_tells_each_mean_with_its_interval() -> None:
    chart = trend([1.0, 0.0, 1.0])
    assert chart is not None
    root = ET.fromstring(draw(chart))
    assert [mark[0].text for mark in marks(root, "bar")] == ["1: 100 [21, 100]", "2: 50 [9, 91]", "3: 67 [21, 94]"]
    assert trend([]) is None
