"""Results of HITs of the MTurk API: numbers of responses, and the most frequent values of each field."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from annotation.pure.reports.tables import counted
from annotation.pure.reports.worker_dependence_tables import for_workers
from annotation.pure.statistics.intervals import clustered_share
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import (
    INTERVALS,
    as_sentence,
    counted_rows,
    excluded_table,
    table,
    usual_seconds,
    workers_of,
)

MOST_FIELDS, MOST_VALUES, LONGEST = 40, 5, 80


def external_report(hits: Iterable[HitWithResponses], joined: Callable[[JSON], dict[str, str]], *, seed: int) -> JSON:
    """Tables over all HITs with answers that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    fields: dict[str, list[tuple[str, str]]] = {}
    seconds = []
    for row in rows:
        for given in row.given:
            seconds.append(given.seconds)
            for name, value in joined(given.answer).items():
                fields.setdefault(name, []).append((row.hit, value))
    return {
        "n": len(rows),
        "tables": for_workers([_frequent(fields, seed), *excluded_table(hits)], workers_of(rows)),
        "paragraph": _paragraph(len(rows), seconds),
        "intervals": INTERVALS,
        "warnings": [],
    }


def _frequent(fields: dict[str, list[tuple[str, str]]], seed: int) -> JSON:
    """Values by field, given as (HIT, value) each; the answers to a HIT are resampled together."""
    columns = (_("Field"), _("Value"), _("Responses"), _("Share"))
    rows = []
    for name, given in list(fields.items())[:MOST_FIELDS]:
        for value, count in Counter(value for _hit, value in given).most_common(MOST_VALUES):
            share = clustered_share(((hit, each == value) for hit, each in given), seed, resamples=1_999)
            rows.append([name[:LONGEST], value[:LONGEST] or None, count, share.as_json()])
    note = _("The most frequent values of each field (at most five). Long values are shortened.")
    return table("values", _("Responses by field"), columns, rows, note)


def _paragraph(hits: int, seconds: Sequence[float]) -> list[JSON]:
    if not hits:
        return []
    answers = counted(len(seconds), _("One response was given"), _("%(n)s responses were given"))
    to_hits = counted(hits, _("to one HIT"), _("to %(n)s HITs"))
    sentences = [as_sentence(_("%(answers)s %(hits)s."), answers=answers, hits=to_hits)]
    if usual := usual_seconds(seconds):
        timed = sum(each > 0 for each in seconds)
        message = _("Their median active time is %(seconds)s seconds.")
        if timed < len(seconds):
            message = _("The median active time of the %(timed)s responses with measured time is %(seconds)s seconds.")
        sentences.append(as_sentence(message, seconds=usual, timed=timed))
    return sentences
