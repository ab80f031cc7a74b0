"""Tables of reports on labels: shares, agreement, and labels by worker.

A unit is an edge or a HIT with one label from each of several workers.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from annotation.pure.reports.human_scores import common_count
from annotation.pure.reports.tables import as_sentence as as_sentence
from annotation.pure.reports.tables import percent_with_interval as percent_with_interval
from annotation.pure.reports.tables import table as table
from annotation.pure.reports.tables import text_cell as text_cell
from annotation.pure.reports.worker_dependence_tables import for_workers, people_table, responses_each
from annotation.pure.review.label_tables import (
    GUESSING,
    WITHOUT_ONE,
    agreed,
    agreement_columns,
    agreement_tables,
    alpha_row,
    raw_agreement_row,
)
from annotation.pure.statistics.agreement import most_said
from annotation.pure.statistics.distance_agreement import NO_INTERVAL
from annotation.pure.statistics.intervals import Figure, wilson
from annotation.pure.statistics.worker_intervals import Unit, label_units, whom, without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses, Label
from annotation.tasktype.decisions import label_of

Units = Sequence[Mapping[str, Hashable]]
INTERVALS = _("Shares with 95 % Wilson intervals; agreement with 95 % bootstrap intervals over units")
UNANSWERED = _("no response yet")


def share(count: int, total: int) -> JSON:
    """A share with its Wilson interval, as a cell."""
    return wilson(count, total).as_json()


def share_of(values: Sequence[bool]) -> JSON:
    """The share of true values with its Wilson interval, as a cell."""
    return share(sum(values), len(values))


def agreement_table(units: Units, *, on: str, seed: int, guessing: float | None = None) -> JSON:
    """Raw agreement on `on` and Krippendorff's alpha (nominal) over the units with two labels or more.

    If every unit has its own set of labels, alpha says no more than raw agreement; then `guessing`, the agreement of
    two workers who guess, is shown instead.
    """
    rows = [raw_agreement_row(text_cell(_("Raw agreement of two annotators")), units, seed)]
    if guessing is None:
        rows.append(alpha_row(units, seed))
    else:
        words = text_cell(GUESSING)
        rows.append([words, round(guessing, 3), None, None, rows[0][4], None, None])
    note = [
        _("Over units with at least two annotators; a dash where agreement is undefined."),
        NO_INTERVAL,
        WITHOUT_ONE,
    ]
    return table("agreement", _("Agreement"), agreement_columns(_("Units")), rows, note) | agreed(units, on)


def excluded_table(hits: Iterable[HitWithResponses]) -> list[JSON]:
    """The number of excluded HITs by reason; no table if there are none."""
    reasons = Counter(row.excluded or UNANSWERED for row in hits if row.excluded or not row.given)
    if not reasons:
        return []
    rows = [[text_cell(reason) if reason == UNANSWERED else reason, count] for reason, count in sorted(reasons.items())]
    # Its rows link to nothing that counts.
    return [table("not-counted", _("Left out"), (_("Reason"), _("HITs")), rows, leads=False)]


def aggregate_table(counts: Counter[Any], words: Mapping[Any, str], of: str, note: str = "") -> JSON:
    """Numbers and shares of aggregated responses by label; `of` names what is counted."""
    rows = [[text_cell(each), counts[label], share(counts[label], counts.total())] for label, each in words.items()]
    return table("verdicts", _("Aggregated labels"), (_("Label"), of, _("Share")), rows, note)


def tables_of_units(
    units: Units,
    kinds: Mapping[str, str],
    kind_of: Callable[[Sequence[Any]], str],
    *,
    of: str,
    on: str,
    seed: int,
    note: str = "",
    guessing: float | None = None,
) -> tuple[Counter[str], list[JSON]]:
    """The number of units of each kind, and tables: these, the first two without any one worker, and agreement."""

    def without(kind: str) -> Figure:
        return without_one(label_units(units, lambda labels: float(kind_of(labels) == kind)))

    counts = Counter(kind_of(list(labels.values())) for labels in units)
    ranges = [(text_cell(kinds[kind]), None, without(kind)) for kind in list(kinds)[:2]]
    workers = len({worker for labels in units for worker in labels})
    agreement = agreement_table(units, on=on, seed=seed, guessing=guessing)
    return counts, [aggregate_table(counts, kinds, of, note), *people_table(ranges, workers), agreement]


def most_or_tied(labels: Sequence[Any]) -> str:
    return most_said(labels) or "tied"


def given_labels(
    rows: Iterable[HitWithResponses], labels: Mapping[str, Label]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """The label of each response by its worker, for each HIT."""
    return [(row.hit, [(one.worker, label_of(labels, one.answer)) for one in row.given]) for row in rows]


def label_tables(
    rows: Iterable[HitWithResponses],
    labels: Mapping[str, Label],
    *,
    on: str,
    seed: int,
    gold: Mapping[str, str] | None = None,
) -> list[JSON]:
    """Agreement, labels by three rules of aggregation, and each worker's labels."""
    words = {name: label.words for name, label in labels.items()}
    given = given_labels(rows, labels)
    return agreement_tables(given, categories=list(labels), labels=words, on=on, seed=seed, gold=gold)


def usual_seconds(seconds: Iterable[float]) -> float | None:
    """The median of the known active seconds."""
    known = [each for each in seconds if each > 0]
    return round(median(known), 1) if known else None


Value = Callable[[Sequence[HitWithResponses]], float | None]


def counted_rows(hits: Iterable[HitWithResponses]) -> list[HitWithResponses]:
    """The HITs with responses that are not excluded."""
    return [row for row in hits if row.given and not row.excluded]


def common_count_of(hits: Iterable[HitWithResponses]) -> int:
    """The k of a report: at how many responses per item its figures are."""
    return common_count((len(row.given), row.wanted) for row in counted_rows(hits))


def report(
    hits: Sequence[HitWithResponses],
    tables: Sequence[JSON],
    *,
    paragraph: Iterable[JSON],
    intervals: str = INTERVALS,
    warnings: Iterable[JSON] = (),
) -> JSON:
    """A report's content: the task's tables with notes on their workers, and the number of excluded HITs."""
    rows = counted_rows(hits)
    return {
        "n": len(rows),
        "tables": for_workers([*tables, *excluded_table(hits)], workers_of(rows), responses_of(rows)),
        "paragraph": list(paragraph),
        "intervals": intervals,
        "warnings": list(warnings),
    }


def workers_of(rows: Iterable[HitWithResponses]) -> int:
    """The number of workers with responses that count."""
    return len({given.worker for row in rows if not row.excluded for given in row.given})


def responses_of(rows: Iterable[HitWithResponses]) -> list[int]:
    """The number of responses that count, by item."""
    return [len(row.given) for row in rows if row.given and not row.excluded]


def about(rows: Sequence[HitWithResponses], *, intervals: bool = True) -> list[JSON]:
    """A paragraph on all figures: responses per item, and the workers for whom the intervals hold."""
    numbers = responses_of(rows)
    cells = [responses_each(numbers)] if numbers else []
    cells += [whom(workers_of(rows))] if numbers and intervals else []
    return [as_sentence(cell["text"], **cell["values"]) for cell in cells]


def question_of(row: HitWithResponses) -> tuple[str, str]:
    """The key of a question: the dataset and the group, or the item if it has no group."""
    return row.dataset, row.example.group or row.example.id


def by_question(rows: Iterable[HitWithResponses]) -> list[list[HitWithResponses]]:
    """The rows by question, in order of first appearance."""
    groups: dict[tuple[str, str], list[HitWithResponses]] = {}
    for row in rows:
        groups.setdefault(question_of(row), []).append(row)
    return list(groups.values())


def units(groups: Iterable[Sequence[HitWithResponses]], value: Value) -> Iterator[Unit]:
    """The value of each group of rows, and its value without each worker (None: it would not count)."""
    for rows in groups:
        workers = dict.fromkeys(given.worker for row in rows for given in row.given)
        yield Unit(value(rows), {worker: value(_without(rows, worker)) for worker in workers})


def _without(rows: Sequence[HitWithResponses], worker: str) -> list[HitWithResponses]:
    return [replace(row, given=tuple(one for one in row.given if one.worker != worker)) for row in rows]


def alone(value: Callable[[HitWithResponses], float | None]) -> Value:
    """The value of a group of a single row; None without responses."""
    return lambda rows: value(rows[0]) if rows[0].given else None
