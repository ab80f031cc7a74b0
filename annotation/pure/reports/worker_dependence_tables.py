"""Dependence of figures on the workers who took part: notes below tables, and a table of ranges.

Tables are JSON as in annotation/pure/reports/tables.py; titles, notes and columns are gettext ids.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import counted, is_figure, table, text_cell
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, too_few, whom
from annotation.pure.text.translation_marks import gettext_noop as _

NAME = "people"
TITLE = _("How the figures depend on the annotators")
HOW = _(
    "Over annotators and items: a mean over single responses with its 95 % interval for people in general "
    "(Student's t, variance by items and by annotators). With one annotator left out: the lowest and the "
    "highest of the figure itself and of the values that it would have if one annotator had not taken part. Their "
    "items then have one response fewer, so figures that grow with the number of responses fall: this is no interval."
)
ITEMS_ONLY = _(
    "Where all responses are equal, the interval over annotators and items is Wilson's with the number of items as n: "
    "it is about items only."
)
ENDS = (_("95 % low"), _("95 % high"))
LEFT_OUT = (_("Lowest with one annotator left out"), _("Highest with one annotator left out"))


def for_workers(tables: Iterable[JSON], workers: int, responses: Sequence[int] = ()) -> list[JSON]:
    """The tables; those with intervals get a note about the workers for whom these hold.

    The note begins with `responses` (per item), if given, where figures depend on their number.
    """
    about = [*([responses_each(responses)] if responses else []), whom(workers)] if workers else []
    return [with_notes(each, about) if about and _has_intervals(each) else each for each in tables]


def responses_each(numbers: Sequence[int]) -> JSON:
    """A text cell with the minimum and maximum number of responses per item."""
    few, most = min(numbers), max(numbers)
    if few == most:
        return counted(most, _("Each item has one response (k = 1)."), _("Each item has %(n)s responses (k = %(n)s)."))
    message = _("Items have %(few)s to %(most)s responses; figures use all of them unless a k is given.")
    return text_cell(message, few=few, most=most)


def _has_intervals(figures: JSON) -> bool:
    if figures["name"].startswith(NAME):
        return False
    return bool(set(ENDS) & set(figures["columns"])) or any(is_figure(cell) for row in figures["rows"] for cell in row)


def with_notes(figures: JSON, notes: Sequence[JSON]) -> JSON:
    """A table with more notes below it."""
    before = figures.get("note") or []
    return figures | {"note": [*(before if isinstance(before, list) else [before]), *notes]}


def notes(workers: int, rows: Iterable[Sequence[Any]] = ()) -> list[Any]:
    """The notes below a table by `people_table` with these rows."""
    known = [HOW] if workers >= LEAST_WORKERS else [HOW, too_few(workers)]
    about_items = any(is_figure(cell) and cell.get("items_only") for row in rows for cell in row)
    return [*known, ITEMS_ONLY] if about_items else known


def people_table(figures: Sequence[tuple[JSON, Figure | None, Figure | None]], workers: int) -> list[JSON]:
    """A row a figure: its words, over workers and items, without any one worker; None: not defined for it.

    No table without workers.
    """
    if not workers:
        return []
    enough = workers >= LEAST_WORKERS
    rows = [
        [words, over.as_json() if over and enough else None, *_ends(without.as_json() if without else None)]
        for words, over, without in figures
    ]
    columns = (_("Figure"), _("Over annotators and items"), *LEFT_OUT)
    return [table(NAME, TITLE, columns, rows, notes(workers, rows), bars=False, leads=False)]


def answer_people_table(name: str, study: Mapping[str, Any], measures: Mapping[str, str]) -> JSON:
    """Each measure of answer and support at its extremes, and the average over workers and items, for one dataset."""
    people, rows = study["people"], []
    for measure, words in measures.items():
        figures = [people[part][measure][kind] for part in ("answer", "support") for kind in ("em", "f1")]
        if measure != "average":
            for which, cells in zip(LEFT_OUT, zip(*map(_ends, figures), strict=True), strict=True):
                rows.append([text_cell(words), text_cell(which), *cells])
        elif any(figures):
            rows.append([text_cell(words), text_cell(_("95 % over annotators and items")), *figures])
    columns = [_("Measure"), _("Values"), _("Answer EM"), _("Answer F1"), _("Support EM"), _("Support F1")]
    of = [{"dataset": name}] * len(rows)
    return table(f"{NAME}-{name}", TITLE, columns, rows, notes(people["workers"], rows), of=of, bars=False)


def _ends(figure: JSON | None) -> list[JSON | None]:
    """The lowest and the highest value as two figures: side by side they would pass for the interval of a third."""
    alone = {"low": None, "high": None}
    return [figure and figure | alone | {"value": figure[end]} for end in alone]
