"""The charts of a report as values: intervals by group, counts in a grid, answers over time.

They are read off the report as it is kept, like its tables; annotation/pure/reports/svg.py draws them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.pure.data.shape_words import NOT_KNOWN, shape_words
from annotation.pure.reports import tables
from annotation.pure.reports.answer_tables import MEASURES, PARTS, TABLE4
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import Translate
from annotation.pure.text.translation_marks import gettext_noop as _

MOST_GROUPS = 30  # groups of a chart; with more, only the table is shown
SERIES = 3  # figures beside each other
LONGEST = 600  # characters of a description
LONG = 12  # characters of a group's name; with a longer one each group has a row of its own
Point = tuple[float, float | None, float | None] | None  # value, low, high


@dataclass(frozen=True, slots=True)
class Series:
    """A series of a chart: a point for each group, None if it is undefined."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """Values with 95 % bars, grouped. `across`: a row a group, since their names are long or many."""

    name: str
    title: str
    axis: str
    groups: tuple[str, ...]
    series: tuple[Series, ...]
    across: bool = False
    study: str = ""

    def as_text(self) -> str:
        """The numbers as text, for readers who cannot see the chart."""

        def line(one: Series) -> str:
            return ", ".join(
                f"{group} {point_text(point)}" for group, point in zip(self.groups, one.points, strict=True)
            )

        parts = [f"{one.label}: {line(one)}" for one in self.series]
        return _cut(f"{self.title}. {'; '.join(parts)}.")


@dataclass(frozen=True, slots=True)
class Grid:
    """Counts of each (row, column) pair."""

    name: str
    title: str
    axis: str  # label of the columns
    side: str  # label of the rows
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    study: str = ""

    def as_text(self) -> str:
        parts = [
            f"{row}: {', '.join(f'{column} {count}' for column, count in zip(self.columns, counts, strict=True))}"
            for row, counts in zip(self.rows, self.counts, strict=True)
        ]
        return _cut(f"{self.title}. {'; '.join(parts)}.")


@dataclass(frozen=True, slots=True)
class Steps:
    """A count that grows with time."""

    name: str
    title: str
    axis: str
    points: tuple[tuple[datetime, int], ...]
    study: str = ""

    def as_text(self) -> str:
        (first, _few), (last, most) = self.points[0], self.points[-1]
        return f"{self.title}. {first:%Y-%m-%d %H:%M} – {last:%Y-%m-%d %H:%M} UTC: {most}."


Plot = Dots | Grid | Steps


def plots_of(content: Mapping[str, Any], translate: Translate = str) -> list[Plot]:
    """Every chart of a report; [] if there is nothing to draw."""
    plots = list(_of_studies(content.get("datasets") or {}, translate))
    if not content.get("datasets"):
        plots += _of_tables(content, translate)
    return [*plots, *_progress(content.get("progress") or [], translate)]


def plot_of(content: Mapping[str, Any], name: str, translate: Translate = str) -> Plot | None:
    """The chart of that name, or None."""
    return next((plot for plot in plots_of(content, translate) if plot.name == name), None)


def _of_studies(datasets: Mapping[str, Any], translate: Translate) -> Iterator[Plot]:
    for name, study in datasets.items():
        for part, word in PARTS.items():
            titles = {"hops": _("%(part)s F1 by number of hops"), "shape": _("%(part)s F1 by shape")}
            hops = {_hops(hops, translate): row for hops, row in study.get("by_hops", {}).items()}
            shapes = {_short(translate(shape_words(shape))): row for shape, row in study.get("by_shape", {}).items()}
            for key, cut in (("hops", hops), ("shape", shapes)):
                groups = {translate(_("all")): study, **cut}
                if len(cut) > 1:
                    title = translate(titles[key]) % {"part": translate(word)}
                    yield from _measured(f"{part}-by-{key}-{name}", title, groups, part, translate, name)
            yield from _curve(study, part, translate, name)
        yield from _workers(study, translate, name)
        yield from _models(study, translate, name)


def _hops(number: str, translate: Translate) -> str:
    if not number:
        return translate(NOT_KNOWN)
    return translate(_("1 hop")) if number == "1" else translate(_("%(n)s hops")) % {"n": number}


def _measured(
    name: str, title: str, groups: Mapping[str, Any], part: str, translate: Translate, study: str
) -> Iterator[Dots]:
    series = [
        Series(translate(MEASURES[measure]), tuple(_point(row[part][measure]["f1"]) for row in groups.values()))
        for measure in TABLE4
    ]
    across = max(map(len, groups)) > LONG
    yield from _drawn(Dots(name, title, "F1 (%)", tuple(groups), tuple(series), across=across, study=study))


def _curve(study: Mapping[str, Any], part: str, translate: Translate, name: str) -> Iterator[Dots]:
    """Figures with 1, 2, ... responses per item."""
    rows = study.get("by_count", {})
    if len(rows) > 1:
        title = translate(_("%(part)s F1 by number of responses per item (k)")) % {"part": translate(PARTS[part])}
        groups = {f"k = {count}": row for count, row in rows.items()}
        yield from _measured(f"{part}-by-count-{name}", title, groups, part, translate, name)


def _workers(study: Mapping[str, Any], translate: Translate, name: str) -> Iterator[Dots]:
    rows = {worker[:8]: row["answer"] for worker, row in study["by_worker"].items()}
    named = {"average": translate(_("Answer F1")), "agreement": translate(MEASURES["agreement"])}
    series = [Series(word, tuple(_point(row[key]["f1"]) for row in rows.values())) for key, word in named.items()]
    title = translate(_("Score by worker"))
    yield from _drawn(Dots(f"workers-{name}", title, "F1 (%)", tuple(rows), tuple(series), across=True, study=name))


def _models(study: Mapping[str, Any], translate: Translate, name: str) -> Iterator[Dots]:
    """Each model's score and the human score on the same items, for answer and support."""
    if not study.get("models"):
        return
    rows = {translate(_("people")): {part: study[part]["human_score"]["f1"] for part in PARTS}}
    for model, row in study["models"].items():
        if row["n"] < study["n"] and "people" in row:
            same = translate(_("people on the items of %(model)s")) % {"model": model}
            rows[same] = {part: row["people"][part]["f1"] for part in PARTS}
        rows[model] = {part: row[part]["f1"] for part in PARTS}
    series = [Series(f"{translate(word)} F1", tuple(_point(row[part]) for row in rows.values()))
              for part, word in PARTS.items()]  # fmt: skip
    title = translate(_("Models compared with people"))
    yield from _drawn(Dots(f"models-{name}", title, "F1 (%)", tuple(rows), tuple(series), across=True, study=name))


def _of_tables(content: Mapping[str, Any], translate: Translate) -> Iterator[Plot]:
    for table in tables_of(content):
        if not table.get("variant") and table.get("bars", True):
            confusion = table.get("of_columns") and table["name"].endswith("confusion")
            yield from _confusion(table, translate) if confusion else _figures(table, translate)


def _figures(table: Mapping[str, Any], translate: Translate) -> Iterator[Dots]:
    """The shares of a table, a row a group."""
    rows = [row for row in table["rows"] if any(map(_is_known, row))]
    places = [k for k in range(len(table["columns"])) if any(_is_known(row[k]) for row in rows)][:SERIES]
    head = tables.head_of(table, translate)
    groups = tuple(_name(row, translate) for row in rows)
    series = [Series(head[k], tuple(_point(row[k]) if _is_known(row[k]) else None for row in rows)) for k in places]
    title = translate(table["title"])
    yield from _drawn(Dots(table["name"], title, "%", groups, tuple(series), across=True))


def _is_known(cell: Any) -> bool:
    """A share with its interval."""
    return tables.is_figure(cell) and None not in (cell["value"], cell.get("low"))


def _name(row: Sequence[Any], translate: Translate) -> str:
    """A row's label: its words before the first number."""
    words = []
    for k, cell in enumerate(row):
        if k and tables.is_number(cell):
            break
        words.append(tables.cell_text(cell, translate))
    return _short(", ".join(words))


def _short(text: str) -> str:
    return text if len(text) <= 42 else f"{text[:40]}…"


def _confusion(table: Mapping[str, Any], translate: Translate) -> Iterator[Grid]:
    """Confusion of all workers' labels with the right ones."""
    columns = tables.head_of(table, translate)
    counts: dict[str, list[int]] = {}
    for _worker, right, *votes in table["rows"]:
        own = counts.setdefault(tables.cell_text(right, translate), [0] * len(votes))
        for k, count in enumerate(votes):
            own[k] += count
    if counts:
        values = tuple(tuple(row) for row in counts.values())
        title, side = translate(_("Labels given, by true label, over all annotators")), columns[1]
        yield Grid(table["name"], title, translate(_("Label given")), side, tuple(counts), tuple(columns[2:]), values)


def _progress(points: Sequence[Sequence[Any]], translate: Translate) -> Iterator[Steps]:
    if len(points) > 1:
        drawn = tuple((datetime.fromisoformat(hour), count) for hour, count in points)
        yield Steps("progress", translate(_("Responses over time")), translate(_("Responses submitted")), drawn)


def _drawn(plot: Dots) -> Iterator[Dots]:
    """The chart, unless it would be empty or too full to read."""
    if 0 < len(plot.groups) <= MOST_GROUPS and any(point for one in plot.series for point in one.points):
        yield plot


def _point(figure: Mapping[str, Any]) -> Point:
    if figure["value"] is None:
        return None
    low, high = (None if figure.get(end) is None else 100 * figure[end] for end in ("low", "high"))
    return 100 * figure["value"], low, high


def point_text(point: Point) -> str:
    """A value with its interval."""
    if point is None:
        return tables.UNKNOWN
    value, low, high = point
    return f"{value:.1f}" if low is None or high is None else f"{value:.1f} [{low:.1f}, {high:.1f}]"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
