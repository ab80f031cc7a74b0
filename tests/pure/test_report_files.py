"""Tables and charts that leave the page: LaTeX, Markdown, CSV, SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest

from annotation.flow.batches.hit_filters import BatchPart
from annotation.pure.reports import table_files
from annotation.pure.reports.charts import Dots, Grid, Line, Lines, Plot, Series
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.report_values import drilldown_filters
from annotation.pure.reports.svg import COLOURS, as_file, draw
from annotation.pure.reports.table_files import as_csv, as_latex, as_markdown

TABLE = {
    "name": "by-hops",
    "title": "By hops",
    "note": "100% of a_b.",
    "columns": ["Hops", "Score", "Agreement", "Why"],
    "spans": [["", 1], ["F1 & EM", 2], ["", 1]],
    "rows": [
        [2, {"value": 0.78, "low": 0.719, "high": 0.836, "n": 50}, -0.25, "=1+1 | [a]"],
        [3, {"value": None, "low": None, "high": None, "n": 0}, None, "78.0 ± 6.1"],
    ],
}


def test_latex_is_a_captioned_booktabs_float_with_everything_escaped() -> None:
    assert as_latex(TABLE).splitlines() == [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        r"\begin{tabular}{rrrl}",
        r"\toprule",
        r" & \multicolumn{2}{c}{F1 \& EM} &  \\",
        r"\cmidrule(lr){2-3}",
        r"Hops & Score & Agreement & Why \\",
        r"\midrule",
        r"2 & 78.0 [71.9, 83.6] & $-$0.25 & =1+1 \textbar{} [a] \\",
        r"3 & -- & -- & $78.0 \pm 6.1$ \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\caption{By hops. 100\% of a\_b.}",
        r"\label{tab:by-hops}",
        r"\end{table}",
    ]


def test_a_row_of_latex_that_begins_with_a_bracket_is_no_length() -> None:
    assert r"{}[x] & 1 \\" in table_files.latex(["a", "b"], [["[x]", "1"]])


def test_csv_keeps_every_digit() -> None:
    table = TABLE | {"rows": [[2, {"value": 1 / 3, "low": 0.07, "high": 0.29, "n": 1234}, 0.125, ""]]}
    assert as_csv(table).splitlines()[1] == "2,33.3333333333,7.0,29.0,1234,0.125,"


def test_csv_has_a_column_for_each_number_and_nothing_that_a_spreadsheet_runs() -> None:
    head, first, second = as_csv(TABLE).splitlines()
    assert head.startswith("Hops,F1 & EM: Score (%),F1 & EM: Score low,F1 & EM: Score high,F1 & EM: Score n,")
    assert first == "2,78.0,71.9,83.6,50,-0.25,'=1+1 | [a]"
    assert second == "3,,,,0,,78.0 ± 6.1"
    assert as_markdown(TABLE).splitlines()[1] == "| ---: | ---: | ---: | --- |"


DAYS = ((datetime(2026, 1, 1, tzinfo=UTC), 1), (datetime(2026, 1, 2, tzinfo=UTC), 5))


@pytest.mark.parametrize(
    "plot",
    [
        Dots("a", "A", "%", ("模型 $1$ <b>", "y\x01"), (Series("s", ((50.0, 40.0, 60.0), None)),)),
        Dots("b", "B", "%", ("x",), (Series("s", ((50.0, None, None),)), Series("t", ((1.0, 0.0, 2.0),))), across=True),
        Grid("c", "C", "said", "is", ("x", "y"), ("x", "y"), ((0, 0), (3, 1))),
        Grid("d", "D", "who", "item", ("1", "2"), tuple("abcdefgh"), ((None, *range(7)), (100, *range(7))), dense=True),
        Lines("e", "E", "n", (Line("f", DAYS), Line("g", DAYS, dashed=True, stepped=False))),
    ],
)
def test_a_chart_is_the_same_svg_every_time_without_styles_or_dates(plot: Plot) -> None:
    drawn = as_file(plot)
    assert as_file(plot) == drawn
    root = ET.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert not [element for element in root.iter() if "style" in element.attrib or element.tag.endswith("}style")]
    assert b"dc:date" not in drawn
    assert plot.as_text().startswith(f"{plot.title}. ")


@pytest.mark.parametrize("across", [False, True])
def test_every_known_point_of_a_chart_is_drawn(across: bool) -> None:
    def drawn(*points: tuple[float, float, float] | None) -> int:
        return draw(Dots("a", "A", "%", ("x", "y"), (Series("s", points),), across=across)).count('class="point"')

    point = (50.0, 40.0, 60.0)
    assert drawn(point, point) > drawn(point, None) > drawn(None, None)


def _places(plot: Dots) -> list[tuple[str, str]]:
    """Where the markers of the first series are."""
    groups = [each for each in ET.fromstring(draw(plot)).iter() if each.get("class") == "point"]
    first = [group[-1].get("transform", "") for group in groups if group.get("fill") == COLOURS[0]]
    return [found.groups() for text in first if (found := re.match(r"translate\(([\d.]+) ([\d.]+)\)", text))]


def test_a_chart_across_has_its_groups_one_below_the_other() -> None:
    series = (Series("s", ((9.0, 1.0, 60.0), (50.0, 40.0, 60.0))),)
    upright, across = (set(_places(Dots("a", "A", "%", ("x", "y"), series, across=way))) for way in (False, True))
    assert upright
    assert not upright & across


def test_a_chart_across_has_equal_values_one_below_the_other() -> None:
    series = (Series("s", ((50.0, None, None), (50.0, None, None))),)
    points = _places(Dots("a", "A", "%", ("x", "y"), series, across=True))
    assert len({x for x, _y in points}) == 1
    assert len({y for _x, y in points}) == 2


def test_a_report_with_tables_has_their_shares_and_the_confusion_of_all_as_charts_but_none_of_one_group() -> None:
    figure = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 8}
    rows = [["w1", {"text": "yes"}, 3, 1], ["w2", {"text": "yes"}, 2, 0], ["w2", {"text": "no"}, 0, 4]]
    confusion = {"name": "confusion", "title": "C", "columns": ["Worker", "It is", "yes", "no"], "rows": rows}
    confusion["of_columns"] = [{}, {}, {"label": "yes"}, {"label": "no"}]
    shares = {
        "name": "shares",
        "title": "S",
        "columns": ["Who", "n", "Share"],
        "rows": [["x", 8, figure], ["y", 0, None], ["z", 5, figure | {"n": 5}]],
    }
    single = shares | {"name": "single", "rows": shares["rows"][:2]}
    progress = [["2026-01-01T00:00:00+00:00", 2], ["2026-01-01T05:00:00+00:00", 7]]
    dots, grid, steps = charts_of({"tables": [single, shares, confusion], "progress": progress})
    assert isinstance(dots, Dots)
    assert (dots.name, dots.groups, dots.n) == ("shares", ("x", "z"), "5–8")
    assert dots.series[0].points == ((50.0, 25.0, 75.0),) * 2
    assert isinstance(grid, Grid)
    assert (grid.rows, grid.counts) == (("yes", "no"), ((5, 1), (0, 4)))
    assert steps.as_text() == "Responses over time. Responses submitted: 2026-01-01 00:00 2 – 2026-01-01 05:00 7."
    assert drilldown_filters(confusion, {"w1"}) == [{"worker": "w1"}, {}, {}]


def test_a_cut_is_the_same_text_in_addresses_and_keys_and_nonsense_is_not_there() -> None:
    cut = BatchPart.of({"hops": "2", "since": "2026-01-05", "shape": "a&b", "worker": "w", "x": "y", "until": "soon"})
    assert cut.of_report.key == "hops=2&shape=a%26b&since=2026-01-05"
    assert BatchPart.of(cut.query) == cut
    assert cut.narrowed({"hops": "3"}).hops == 3
    assert BatchPart.of({"hops": "-1", "dataset": "\0"}).key == ""


def test_groups_with_long_names_stand_one_below_the_other() -> None:
    figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 3}
    part = {measure: {"f1": figure} for measure in ("human_score", "upper_bound", "agreement")}
    study = {"answer": part, "support": part, "by_worker": {}}
    by_shape = dict.fromkeys(("2hop", "3hop1", "3hop2"), study)
    content = {"datasets": {"d": {**study, "by_hops": {"2": study, "3": study}, "by_shape": by_shape}}}
    across = {plot.name: plot.across for plot in charts_of(content, str) if isinstance(plot, Dots)}
    assert across["answer-by-shape-d"]
    assert not across["answer-by-hops-d"]
