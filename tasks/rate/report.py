"""The report of ratings: how often each value was given, by criterion."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from annotation.pure.ratings.responses import cells
from annotation.pure.ratings.results import key_of
from annotation.pure.ratings.rubric import MARK, TEXT, worded
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import about, counted_rows, report, share, table


def rate_report(hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
    """Tables over the HITs with answers that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    counts: dict[str, Counter[str]] = {each.name: Counter() for each in options.parsed.criteria}
    for row in rows:
        for given in row.given:
            for criterion, _k, value in cells(row.payload, given.answer):
                if criterion["kind"] not in (TEXT, MARK) and value is not None:
                    counts[criterion["name"]][key_of(criterion, value)] += 1
    columns = (_("Value"), _("Responses"), _("Share"))
    tables = [
        table(
            f"values-{each.name}",
            worded(each.ask),
            columns,
            [[value, n, share(n, counts[each.name].total())] for value, n in sorted(counts[each.name].items())],
        )
        for each in options.parsed.criteria
        if counts[each.name]
    ]
    return report(hits, tables, paragraph=about(rows))
