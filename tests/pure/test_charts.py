"""Where a chart's marks go."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.charts import Bars, Dots, Line, Lines, Series, trend
from annotation.pure.reports.dataset_charts import charts_of
from annotation.pure.reports.report_charts import charts_of as charts_of_report
from annotation.pure.reports.svg import EDGE, LEFT, WIDTH, draw
from annotation.pure.reports.tables import table


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


def test_a_share_without_an_interval_is_drawn_beside_those_that_have_one() -> None:
    shares = {"yes": (0.5, 0.4, 0.6), "no": (0.3, 0.2, 0.4), "partly": (0.2, None, None), "unknown": (None, None, None)}
    rows = [[label, dict(zip(("value", "low", "high"), ends, strict=True), n=20)] for label, ends in shares.items()]
    [plot] = charts_of_report({"datasets": {}, "tables": [table("values", "Values", ("Label", "Share"), rows, "")]})
    assert isinstance(plot, Dots)
    assert dict(zip(plot.groups, plot.series[0].points, strict=True)) == {
        "yes": (50, 40, 60), "no": (30, 20, 40), "partly": (20, None, None),
    }  # fmt: skip


def test_long_names_of_rows_stand_above_them_so_that_a_phone_shows_all_points() -> None:
    groups = ("composed", "not composable (bridge check)", "undecided")
    points = ((100.0, 92.0, 100.0), (0.0, 0.0, 7.7), (0.0, 0.0, 7.7))
    root = ET.fromstring(
        draw(Dots("overview", "Outcome", "share (%)", groups, (Series("share", points),), across=True))
    )
    assert root.get("class") == "chart fits"
    labels = {label.text: label for label in marks(root, "label")}
    places = [mark[-1].get("transform", "")[len("translate(") : -1].split() for mark in marks(root, "point")]
    assert [float(x) for x, _y in places] == pytest.approx([WIDTH - 2 * EDGE, 2 * EDGE, 2 * EDGE])
    for group, (_x, y) in zip(groups, places, strict=True):
        assert labels[group].get("text-anchor") == "start"
        assert 18 <= float(y) - float(labels[group].get("y", "")) <= 24, "a name is nearest to its own row"
    short = Dots("workers", "Workers", "%", ("a", "b"), (Series("share", points[:2]),), across=True)
    assert ET.fromstring(draw(short)).get("class") == "chart fits"


def test_a_chart_fits_a_phone_unless_its_larger_labels_would_overlap() -> None:
    points = ((93.8, 84.5, 97.9), (92.2, 75.5, 100.0))

    def look(groups: tuple[str, ...], *names: str) -> str | None:
        series = tuple(Series(name, (points * 2)[: len(groups)]) for name in names)
        return ET.fromstring(draw(Dots("scores", "Answer F1", "F1 (%)", groups, series))).get("class")

    assert look(("all", "2 hops"), "Human score", "Upper bound", "Agreement") == "chart fits"
    assert look(("all", "2 hops"), *(f"Model number {k} of them" for k in range(5))) == "chart"
    assert look(tuple(f"questions of {k} hops each" for k in range(4)), "Human score") == "chart"


def test_a_scale_with_a_long_label_has_a_row_for_each_value_so_that_it_fits_a_phone() -> None:
    rows = [[label, {"value": 0.5, "low": 0.4, "high": 0.6, "n": 20}] for label in ("1 (not at all)", "2", "3 (fully)")]
    scale = table("values", "Values", ("Value", "Share"), rows, "", in_order=True)
    [plot] = charts_of_report({"datasets": {}, "tables": [scale]})
    assert isinstance(plot, Dots)
    assert plot.groups == ("1 (not at all)", "2", "3 (fully)"), "in the order of the scale"
    assert ET.fromstring(draw(plot)).get("class") == "chart fits"


def time_labels(first: datetime, span: timedelta) -> list[tuple[float, str]]:
    """(x, text) of the labels of the time axis of a chart over that time."""
    line = Line("Responses", ((first, 0.0), (first + span, 9.0)))
    root = ET.fromstring(draw(Lines("progress", "Responses over time", "Responses", (line,))))
    texts = [(float(label.get("x", "")), label.text or "") for label in marks(root, "label")]
    return [(x, text) for x, text in texts if "-" in text]


@pytest.mark.parametrize(
    ("span", "texts"),
    [
        (timedelta(0), ["03-04 11:00"]),
        (timedelta(minutes=30), ["03-04 11:00"]),
        (timedelta(hours=5), ["03-04 12:00", "03-04 14:00"]),
        (timedelta(days=2), ["03-04 12:00", "03-05 00:00", "03-05 12:00", "03-06 00:00"]),
        (timedelta(days=15), ["2026-03-08", "2026-03-12", "2026-03-16"]),
        (timedelta(days=300), ["2026-05-27", "2026-08-19", "2026-11-11"]),
    ],
)
def test_a_time_axis_has_labels_at_round_times(span: timedelta, texts: list[str]) -> None:
    assert [text for _x, text in time_labels(datetime(2026, 3, 4, 10, 20, tzinfo=UTC), span)] == texts


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)), st.timedeltas(timedelta(0), timedelta(days=1500)))
def test_labels_of_a_time_axis_stay_apart_and_inside(first: datetime, span: timedelta) -> None:
    labels = time_labels(first.replace(tzinfo=UTC), span)
    places = [x for x, _text in labels]
    assert places
    assert all(LEFT < x < WIDTH - 2 * EDGE for x in places)
    halves = [6 * len(text) for _x, text in labels]  # at the size they have on a phone
    assert all(half <= x <= WIDTH - half for x, half in zip(places, halves, strict=True))
    assert all(after - before > 75 for before, after in pairwise(places))


def test_a_dataset_is_drawn_in_histograms_of_round_bins_in_the_readers_language() -> None:
    features = {
        "hops": {"0": 3, "2": 5, "10": 1},
        "question_words": {str(words): 1 for words in range(3, 33)},
        "context_words": {"300": 4},
        "answer_kinds": {"date": 2, "name": 7},
        "entities": {"other": 2, "person": 4, "place": 1},
    }
    drawn = charts_of(features, str.upper)
    charts = {title: (n, bars.values) for title, n, bars, _note in drawn}
    assert list(charts) == ["HOPS", "KINDS OF ANSWERS", "NAMED ANSWERS", "WORDS OF A QUESTION"], "one bar says nothing"
    assert charts["HOPS"] == (6, (("2", 5), ("10", 1))), "items with unknown hops are left out"
    assert charts["KINDS OF ANSWERS"] == (9, (("NAME", 7), ("DATE", 2)))
    assert charts["NAMED ANSWERS"] == (7, (("PERSON", 4), ("PLACE", 1), ("OTHER NAME", 2)))
    told = {title: note for title, _n, _bars, note in drawn if note}
    assert list(told) == ["KINDS OF ANSWERS", "NAMED ANSWERS"]
    assert "SPELLING" in told["KINDS OF ANSWERS"]
    assert "WHAT THE QUESTION, OR ITS LAST HOP, ASKS FOR" in told["NAMED ANSWERS"]
    words, count = charts["WORDS OF A QUESTION"]
    assert words == 30
    assert count == (("0", 2), ("5", 5), ("10", 5), ("15", 5), ("20", 5), ("25", 5), ("30", 3))
    assert charts_of({}) == []
