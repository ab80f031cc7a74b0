"""Where a chart's marks go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.charts import bar_chart, round_top


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
