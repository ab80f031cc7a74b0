"""The charts of a report as values: intervals by group, counts in a grid, answers over time.

They are read off the report as it is kept, like its tables; annotation/pure/reports/svg.py draws them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from annotation.pure.data.features import NOT_KNOWN, shape_words
from annotation.pure.reports import tables
from annotation.pure.reports.answer_tables import MEASURES, PARTS, TABLE4
from annotation.pure.reports.calibration import calibration_chart
from annotation.pure.reports.charts import Dots, Grid, Line, Lines, Plot, Point, Series
from annotation.pure.reports.disagreement_map import DIFFERING
from annotation.pure.reports.participation_flow import flow_charts
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import Translate
from annotation.pure.text.translation_marks import gettext_noop as _

MOST_GROUPS = 30  # groups of a chart; with more, only the table is shown
SERIES = 3  # figures beside each other
LONG = 12  # characters of a group's name; with a longer one each group has a row of its own


def charts_of(content: Mapping[str, Any], translate: Translate = str) -> list[Plot]:
    """Every chart of a report, the most telling first; [] if there is nothing to draw."""
    datasets = content.get("datasets") or {}
    plots = [*_by_dataset(datasets, translate), *_of_studies(datasets, translate)]
    plots += _of_tables(content.get("by_position", ()) if datasets else tables_of(content), translate)
    plots += _progress(content.get("progress") or [], translate)
    plots += flow_charts(content["flow"], translate) if content.get("flow") else []
    return [*plots, *(plot for table in content.get(DIFFERING, ()) for plot in _differing(table, translate))]


def chart_named(content: Mapping[str, Any], name: str, translate: Translate = str) -> Plot | None:
    """The chart of that name, or None."""
    return next((plot for plot in charts_of(content, translate) if plot.name == name), None)


def _by_dataset(datasets: Mapping[str, Any], translate: Translate) -> Iterator[Dots]:
    for part, word in PARTS.items():
        title = translate(_("%(part)s F1 by dataset")) % {"part": translate(word)}
        yield from _measured(f"{part}-by-dataset", title, datasets, part, translate, "")


def _of_studies(datasets: Mapping[str, Any], translate: Translate) -> Iterator[Plot]:
    for name, study in datasets.items():
        if len(datasets) == 1 and len(study.get("by_hops", {})) < 2:
            yield from _figures_of(study, translate, name)
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
        if study.get("calibration"):
            yield from _drawn(calibration_chart(name, study["calibration"], translate))
        yield from _workers(study, translate, name)
        yield from _models(study, translate, name)


def _figures_of(study: Mapping[str, Any], translate: Translate, name: str) -> Iterator[Dots]:
    """All measures of answer and support beside each other."""
    series = [
        Series(f"{translate(word)} F1", tuple(_point(study[part][measure]["f1"]) for measure in MEASURES))
        for part, word in PARTS.items()
    ]
    groups = tuple(translate(words) for words in MEASURES.values())
    title = translate(_("Human performance"))
    n = _span([study])
    yield from _drawn(Dots(f"measures-{name}", title, "F1 (%)", groups, tuple(series), across=True, study=name, n=n))


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
    across, n = max(map(len, groups), default=0) > LONG, _span(groups.values())
    yield from _drawn(Dots(name, title, "F1 (%)", tuple(groups), tuple(series), across=across, study=study, n=n))


def _curve(study: Mapping[str, Any], part: str, translate: Translate, name: str) -> Iterator[Dots]:
    """Figures with 1, 2, ... responses per item."""
    rows = study.get("by_count", {})
    if len(rows) > 1:
        title = translate(_("%(part)s F1 by number of responses per item (k)")) % {"part": translate(PARTS[part])}
        groups = {f"k = {count}": row for count, row in rows.items()}
        yield from _measured(f"{part}-by-count-{name}", title, groups, part, translate, name)


def _workers(study: Mapping[str, Any], translate: Translate, name: str) -> Iterator[Dots]:
    workers = study["by_worker"]
    named = {"average": translate(_("Answer F1")), "agreement": translate(MEASURES["agreement"])}
    answers = {worker[:8]: row["answer"] for worker, row in workers.items()}
    rows = {worker: row for worker, row in answers.items() if any(row[key]["f1"]["value"] is not None for key in named)}
    if len(rows) > MOST_GROUPS:
        return
    series = [Series(word, tuple(_point(row[key]["f1"]) for row in rows.values())) for key, word in named.items()]
    title = translate(_("Score by worker"))
    n = _span(workers.values())
    yield from _drawn(
        Dots(f"workers-{name}", title, "F1 (%)", tuple(rows), tuple(series), across=True, study=name, n=n)
    )


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
    n = _span([study, *study["models"].values()])
    yield from _drawn(Dots(f"models-{name}", title, "F1 (%)", tuple(rows), tuple(series), across=True, study=name, n=n))


def _of_tables(found: Iterable[Mapping[str, Any]], translate: Translate) -> Iterator[Plot]:
    for table in found:
        if not table.get("variant") and table.get("bars", True):
            confusion = table.get("of_columns") and table["name"].endswith("confusion")
            yield from _confusion(table, translate) if confusion else _figures(table, translate)


def _differing(table: Mapping[str, Any], translate: Translate) -> Iterator[Grid]:
    """The items on which workers differ most, by worker."""
    head = tables.head_of(table, translate)
    rows = tuple(tables.cell_text(row[0], translate) for row in table["rows"])
    values = tuple(tuple(row[1:]) for row in table["rows"])
    columns = tuple(worker[:8] for worker in head[1:])
    title, axis, n = translate(table["title"]), translate(_("Worker")), str(len(rows))
    yield Grid(DIFFERING, title, axis, head[0], rows, columns, values, n=n, dense=True)


def _figures(table: Mapping[str, Any], translate: Translate) -> Iterator[Dots]:
    """The shares of a table, a row a group."""
    places = [k for k in range(len(table["columns"])) if any(_has_interval(row[k]) for row in table["rows"])][:SERIES]
    rows = [row for row in table["rows"] if any(_is_known(row[k]) for k in places)]
    head = tables.head_of(table, translate)
    groups = tuple(_name(row, translate) for row in rows)
    series = [Series(head[k], tuple(_point(row[k]) if _is_known(row[k]) else None for row in rows)) for k in places]
    title = tables.title_of(table, translate)
    n = _span(row[k] for row in rows for k in places if _is_known(row[k]))
    across = not table.get("in_order") or max(map(len, groups), default=0) > LONG
    axis = f"{head[places[0]]} (%)" if len(places) == 1 else "%"
    yield from _drawn(Dots(table["name"], title, axis, groups, tuple(series), across=across, n=n))


def _is_known(cell: Any) -> bool:
    """A share, with an interval or without."""
    return tables.is_figure(cell) and cell["value"] is not None


def _has_interval(cell: Any) -> bool:
    return _is_known(cell) and cell.get("low") is not None


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
    if len(counts) > 1:
        values = tuple(tuple(row) for row in counts.values())
        title, side = translate(_("Labels given, by true label, over all annotators")), columns[1]
        n = str(sum(map(sum, values)))
        axis = translate(_("Label given"))
        yield Grid(table["name"], title, axis, side, tuple(counts), tuple(columns[2:]), values, n=n)


def _progress(points: Sequence[Sequence[Any]], translate: Translate) -> Iterator[Lines]:
    if len(points) > 1:
        drawn = tuple((datetime.fromisoformat(hour), count) for hour, count in points)
        label = translate(_("Responses submitted"))
        yield Lines("progress", translate(_("Responses over time")), label, (Line(label, drawn),), n=str(points[-1][1]))


def _drawn(plot: Dots) -> Iterator[Dots]:
    """The chart of the groups and series with values, unless there are fewer than two groups or too many to read."""
    kept = [k for k in range(len(plot.groups)) if any(one.points[k] for one in plot.series)]
    series = [replace(one, points=tuple(one.points[k] for k in kept)) for one in plot.series if any(one.points)]
    if 1 < len(kept) <= MOST_GROUPS:
        yield replace(plot, groups=tuple(plot.groups[k] for k in kept), series=tuple(series))


def _span(rows: Iterable[Mapping[str, Any]]) -> str:
    """The smallest and largest `n` of figures: "54", "12–54"."""
    numbers = sorted({row["n"] for row in rows if row.get("n")})
    return "–".join(str(n) for n in dict.fromkeys([*numbers[:1], *numbers[-1:]]))


def _point(figure: Mapping[str, Any]) -> Point:
    if figure["value"] is None:
        return None
    low, high = (None if figure.get(end) is None else 100 * figure[end] for end in ("low", "high"))
    return 100 * figure["value"], low, high
