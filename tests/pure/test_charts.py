"""Where a chart's marks go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.charts import bar_chart, interval_chart, round_top


@pytest.mark.parametrize(("most", "top"), [(0, 1), (1, 1), (3, 4), (5, 5), (7, 10), (11, 20), (99, 100), (401, 500)])
def test_the_axis_of_counts_ends_at_a_round_number(most: int, top: int) -> None:
    assert round_top(most) == top


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_bars_stay_inside_the_plot_and_grow_with_their_count(counts: list[int]) -> None:
    chart = bar_chart([(str(k), count) for k, count in enumerate(counts)])
    for bar in chart.bars:
        assert chart.left <= bar.x
        assert bar.x + bar.width <= chart.right + 0.1
        assert chart.top - 0.1 <= bar.y <= chart.bottom
    by_count = sorted(chart.bars, key=lambda bar: bar.value)
    heights = [bar.height for bar in by_count]
    assert heights == sorted(heights)


unit = st.floats(0, 1)


@given(st.lists(st.tuples(unit, unit, unit).map(sorted), min_size=1, max_size=6))
def test_every_interval_holds_its_value_and_lies_inside_the_plot(sorted_triples: list[list[float]]) -> None:
    chart = interval_chart({"all": [(value, low, high) for low, value, high in sorted_triples]})
    for mark in chart.groups[0].marks:
        assert chart.top <= mark.high_y <= mark.y <= mark.low_y <= chart.bottom


def test_a_figure_without_an_interval_has_no_whisker() -> None:
    mark = interval_chart({"all": [(0.5, None, None)]}).groups[0].marks[0]
    assert mark.high_y == mark.y == mark.low_y


def test_a_missing_figure_leaves_its_place_empty() -> None:
    marks = interval_chart({"all": [(0.9, 0.8, 1.0), None, (0.7, 0.6, 0.8)]}).groups[0].marks
    assert [mark.series for mark in marks] == [0, 2]


def test_the_axis_begins_below_the_lowest_interval() -> None:
    chart = interval_chart({"all": [(0.9, 0.83, 0.95)]})
    assert [tick.label for tick in chart.ticks] == ["80", "90", "100"]
