"""What a report begins with: its figures and one chart, on its page and on the overview of the batch."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from annotation.pure.data.example import JSON
from annotation.pure.reports import tables
from annotation.pure.reports.charts import Plot
from annotation.pure.reports.disagreement_map import DIFFERING
from annotation.pure.reports.headline import Figure, headline
from annotation.pure.reports.participation_flow import PEOPLE, RESPONSES
from annotation.pure.reports.report_charts import charts_of

NEVER_FIRST = {DIFFERING, PEOPLE, RESPONSES}  # of a report's charts: they draw none of its figures


def lead_chart(content: JSON) -> tuple[Plot | None, list[Plot]]:
    """The chart to begin with, and the others."""
    plots = charts_of(content, _)
    return (plots[0], plots[1:]) if plots and plots[0].name not in NEVER_FIRST else (None, plots)


def opening_figures(content: JSON, explained: Callable[[int, Figure], Any] = lambda _k, _figure: None) -> JSON:
    """The context of `reports/_lead_figures.html`; `explained` says what stands behind the “?” of a figure."""
    return {
        "headline": [
            {
                "label": one.words,
                "value": tables.in_percent(one.figure),
                "interval": tables.interval(one.figure),
                "why": explained(k, one),
            }
            for k, one in enumerate(headline(content, _))
        ],
        "has_points": any(one["figure"].get("points") for one in content.get("headline", ())),
        "counts": content.get("counts"),
        "studies": content.get("datasets"),
    }
