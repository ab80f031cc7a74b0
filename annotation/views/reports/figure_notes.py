"""What is behind the “?” beside a figure: its explanation in the reader's language, with a link to its rows.

The page on what each figure means is made of the same entries.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.batches.hit_filters import BatchPart
from annotation.models import Batch
from annotation.pure.data.example import JSON
from annotation.pure.reports.exclusion_tables import WITH_EXCLUDED
from annotation.pure.reports.explanations import ROWS, WHOM, Chapter, chapter, found, key_of, sections, table_key
from annotation.pure.reports.participation_flow import PEOPLE, RESPONSES
from annotation.registry import explanations_of, task_type, task_types
from annotation.views.reports.drilldown_links import DrilldownLinks

RowsOf = Callable[[str, str], Sequence[JSON]]  # from the kind of rows and a dataset ("": all) to [{"text", "url"}]


def report_chapters(content: Mapping[str, Any], kind: str) -> tuple[Chapter, ...]:
    """Where the explanations of a report's figures are looked up, in this order."""
    return (
        explanations_of(task_type(kind)),
        chapter("answers" if content.get("datasets") else "labels"),
        chapter("batch"),
        chapter("models"),
    )


@dataclass
class FigureNotes:
    """The explanations of one page; each method gives the context of `reports/_why.html`, or None without an entry."""

    chapters: tuple[Chapter, ...]
    rows_of: RowsOf
    is_linked: bool = True  # to the guide; else in a file
    prefix: str = ""  # of the ids of this page, if it has several tables of a name
    _keys: dict[str, str] = field(default_factory=dict)  # of the tables explained so far

    def of_table(self, table: Mapping[str, Any]) -> JSON | None:
        self._keys[table["name"]] = table_key(table)
        return self.of_figure(table["name"], table_key(table), table.get("study", ""))

    def of_columns(self, table: Mapping[str, Any]) -> dict[int, JSON | None]:
        """By the positions of columns that have an explanation of their own; of equal ones the first."""
        entry = found(self.chapters, table_key(table))
        known = entry[1].columns.items() if entry else ()
        places = {table["columns"].index(name): key for name, key in known if name in table["columns"]}
        return {k: self.of_figure(f"{table['name']}-{k}", key, table.get("study", "")) for k, key in places.items()}

    def of_chart(self, name: str, study: str = "") -> JSON | None:
        return self.of_figure(f"chart-{name}", self._keys.get(name) or key_of(name, study), study)

    def of_figure(self, place: str, key: str, study: str = "") -> JSON | None:
        """`place` is where on the page it stands: a name that no other figure has."""
        entry = found(self.chapters, key)
        if entry is None:
            return None
        chapter, one = entry
        return {
            "id": f"why-{self.prefix}{place}",
            "whom": _(WHOM[one.whom]),
            "how": _(one.how),
            "source": one.source,
            "rows": self.rows_of("answered" if place.startswith(WITH_EXCLUDED) else one.rows, study),
            "changes": _(one.changes),
            "index": f"{reverse('figures')}#{chapter.anchor(key)}" if self.is_linked else "",
        }


def in_words(kind: str, n: int | None) -> str:
    """Rows of this kind with their number, if it is known."""
    one, many, words = ROWS[kind]
    return _(words) if n is None else (_(one) if n == 1 else _(many)) % {"n": n}


def rows_of_batches(batches: Mapping[str, Batch]) -> list[JSON]:
    """The HITs that count in each batch, by its name."""
    return [{"text": name, "url": DrilldownLinks(batch, BatchPart()).to({})} for name, batch in batches.items()]


FILTERS: dict[str, dict[str, str]] = {
    "items": {},
    "several": {"only": "several"},
    "labelled": {"only": "labelled"},
    "answerable": {"only": "answerable"},
}


class ReportRows:
    """The rows behind a report's figures; their links, without `links` none, lead to lists of as many rows."""

    def __init__(self, content: Mapping[str, Any], links: DrilldownLinks | None) -> None:
        self._content, self._links = content, links

    def __call__(self, kind: str, study: str) -> list[JSON]:
        counts = self._counts(study)
        n = counts.get(kind)
        return [{"text": in_words(kind, n), "url": self._url(kind, counts, study) if self._links else ""}]

    def _counts(self, study: str) -> Mapping[str, int]:
        """The numbers of rows by kind, of a dataset or of all; {} of a report that was stored without them."""
        by_dataset = self._content.get("rows") or {}
        counts: Counter[str] = Counter()
        for dataset, known in by_dataset.items():
            counts.update(known if study in ("", dataset) else {})
        scored = {name: one["n"] for name, one in (self._content.get("datasets") or {}).items()}
        if scored:
            counts["scored"] = scored.get(study, 0) if study else sum(scored.values())
        steps = {name: {step: n for step, n, _lost in own} for name, own in _flows(self._content)}
        if steps:
            counts["accepted"], counts["began"] = steps[RESPONSES]["accepted"], steps[PEOPLE]["began"]
        return counts

    def _url(self, kind: str, counts: Mapping[str, int], study: str) -> str:
        """ "" if no list has exactly these rows."""
        links, of = self._links, {"dataset": study} if study else {}
        if links is None:
            return ""
        if kind in FILTERS:
            return links.to(of | FILTERS[kind])
        same = [name for name in ("items", "answerable", "responses") if counts.get(name, -1) == counts.get(kind)]
        if kind in ("scored", "answers"):
            return next((links.to(of | FILTERS[name]) for name in same if name in FILTERS), "")
        if kind in ("responses", "placed", "blocked"):
            return links.to(of | {"answers": "1"}) if "responses" in same else ""
        return links.to_all(kind, of)


def _flows(content: Mapping[str, Any]) -> list[tuple[str, Any]]:
    flow = content.get("flow") or {}
    return [(name, flow[name]) for name in (PEOPLE, RESPONSES) if name in flow]


@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Show every explanation."""
    tasks = map(explanations_of, task_types().values())
    return render(request, "reports/figures.html", {"sections": sections(tasks, _)})
