"""How a report's page shows what was kept: tables, charts, a paragraph for the results section, what stands out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Batch
from annotation.pure import answer_tables, tables
from annotation.pure.cuts import Cut
from annotation.pure.plots import Plot, plots_of
from annotation.pure.report_values import tables_of
from annotation.pure.svg import pixels
from annotation.pure.worker_intervals import too_few, whom
from annotation.templatetags.figures import interval, percent
from annotation.views.behind import Ways
from annotation.views.report_tables import shown_table

JSON = dict[str, Any]
LEVELS = {"paragraph": gettext_noop("paragraph"), "sentence": gettext_noop("sentence")}  # of support


def exhibit(content: JSON, batch: Batch, cut: Cut) -> JSON:
    """The context of the report's page besides its batch; nothing for a report of another layout."""
    found = tables_of(content)
    if not found:
        return {}
    ways, charts = Ways(batch, cut), [shown_chart(plot, batch, cut) for plot in plots_of(content, _)]
    shown = [shown_table(table, ways, _addresses(batch, cut)) | {"study": table.get("study", "")} for table in found]
    datasets = content.get("datasets") or {}
    return {
        "tables": [table for table in shown if not table["study"]],
        "charts": [chart for chart in charts if not chart["study"]],
        "studies": [
            {
                "name": name,
                "found": study,
                "level": _(LEVELS[study["support_level"]]),
                "tables": [table for table in shown if table["study"] == name],
                "charts": [chart for chart in charts if chart["study"] == name],
            }
            for name, study in datasets.items()
        ],
        "flags": [tables.sentence(flag, _) for flag in content.get("flags", ())],
        "paragraph": in_words(content),
        "intervals": _(content["intervals"]) if content.get("intervals") else "",
        "rule": content.get("rule", ""),
        "ties": content.get("ties", ""),
    }


def in_words(content: JSON) -> str:
    """The figures as running text."""
    if content.get("datasets"):
        studies = content["datasets"].items()
        return "\n\n".join(_paragraph(name, found, content.get("k")) for name, found in studies if found["n"])
    return " ".join(tables.sentence(told, _) for told in content.get("paragraph", ()))


def shown_chart(plot: Plot, batch: Batch, cut: Cut) -> JSON:
    """What `batches/_chart.html` takes."""
    url = reverse("report-chart", args=[batch.project.slug, batch.slug, plot.name]) + asked(cut)
    return chart_at(url, plot) | {"name": plot.name, "study": plot.study}


def chart_at(url: str, plot: Plot) -> JSON:
    """A chart and where it is drawn."""
    width, height = pixels(plot)
    return {"title": plot.title, "told": plot.told(), "url": url, "width": width, "height": height}


def asked(cut: Cut) -> str:
    """The cut as the end of an address."""
    return f"?{urlencode(cut.query)}" if cut.query else ""


def _addresses(batch: Batch, cut: Cut) -> Any:
    def address(name: str, suffix: str) -> str:
        return reverse("report-table", args=[batch.project.slug, batch.slug, name, suffix]) + asked(cut)

    return address


def _quoted(figure: JSON) -> str:
    return f"{percent(figure)} {interval(figure)}".strip()


def _paragraph(name: str, found: JSON, k: int | None) -> str:
    """A dataset's figures as a sentence of a results section."""
    answer, support = found["answer"], found["support"]
    text = _(
        "%(name)s (n = %(n)s, 95 %% intervals in brackets): the human score is %(score)s answer F1, "
        "the upper bound %(upper)s and the agreement %(agreement)s; a single annotator reaches %(average)s on average. "
        "Support F1 at %(level)s level: %(s_score)s, %(s_upper)s and %(s_agreement)s."
    )
    values = {
        "name": name,
        "n": found["n"],
        "score": _quoted(answer["human_score"]["f1"]),
        "upper": _quoted(answer["upper_bound"]["f1"]),
        "agreement": _quoted(answer["agreement"]["f1"]),
        "average": _quoted(answer["average"]["f1"]),
        "level": _(LEVELS[found["support_level"]]),
        "s_score": _quoted(support["human_score"]["f1"]),
        "s_upper": _quoted(support["upper_bound"]["f1"]),
        "s_agreement": _quoted(support["agreement"]["f1"]),
    }
    people, at = found.get("people") or {}, [tables.cell_text(answer_tables.at_k(k), _)] if k else []
    return " ".join([text % values, *at, *(_about_people(people) if people.get("workers") else ())])


def _about_people(people: JSON) -> Iterator[str]:
    """For whom the intervals hold, and what a single annotator would reach among people in general."""
    yield tables.cell_text(whom(people["workers"]), _)
    average = people["answer"]["average"]["f1"]
    if average is None:
        yield tables.cell_text(too_few(people["workers"]), _)
    elif average["low"] is not None:
        text = _("Over annotators and items the 95 %% interval of the average annotator's answer F1 is %(interval)s.")
        yield text % {"interval": interval(average)}
