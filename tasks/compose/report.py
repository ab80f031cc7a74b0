"""The report of composing: compositions and discarded items, time and pay, and workers who stand out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any

from annotation.pure.reports.people_tables import for_workers
from annotation.pure.statistics.cluster_intervals import clustered_share
from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.significance import Q, at_least, benjamini_hochberg, chance_text
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged

from .in_words import paragraph
from .money import SECONDS
from .options import Options
from .rates import by_edge, ended_rate, percent
from .tally import Bridge, Tally, Worker, tally

TESTED = _(
    "“High”: significantly above the expected %(expected)s %%, by one-sided exact binomial tests of %(n)s "
    "workers, with Benjamini and Hochberg's adjustment at q = .05: of the marked workers, at most one in "
    "twenty is expected to be marked by chance."
)
REASONS = 3  # shown of a check
ENOUGH = 3  # answers of either kind before a worker's pay for a "no" is compared

INTERVALS = _("95 % intervals: Wilson, or bootstrap over graphs if a rate covers several judgments of a graph")

Row = list[Any]


def compose_report(judged: Iterable[Judged], *, expected_no: float, seed: int) -> JSON:
    """{"task", "n", "tables", "paragraph", "flags", "intervals"} for the generic page of a report."""
    counted = tally(judged)
    chances = _chances(counted, expected_no)
    tables = [
        _overview(counted),
        by_edge(counted, seed),
        _by_hops(counted),
        _overridden(counted, seed),
        _by_worker(counted, chances, expected_no, seed),
        _pay_by_worker(counted),
    ]
    return {
        "n": counted.hits,
        "tables": for_workers(tables, len(counted.workers)),
        "paragraph": list(paragraph(counted, seed)),
        "warnings": _warnings(counted, chances, expected_no),
        "intervals": INTERVALS,
    }


def _table(name: str, title: str, note: str, columns: Sequence[str], rows: list[Row]) -> JSON:
    return {"name": name, "title": title, "note": note, "columns": list(columns), "rows": rows}


def _text_cell(message: str) -> JSON:
    return {"text": message, "values": {}}


def _share(part: int, of: int) -> JSON:
    return wilson(part, of).as_json()


def _middle(values: Sequence[float], digits: int = 0) -> float | None:
    return round(median(values), digits) if values else None


def _overview(counted: Tally) -> JSON:
    columns = [_("HITs"), _("count"), _("share")]
    kinds = {
        "composed": _("composed"),
        "several": _("several compositions to choose from"),
        "discarded": _("not composable (bridge check)"),
        "undecided": _("undecided"),
    }
    of = counted.kinds.total()
    rows: list[Row] = [
        [_text_cell(text), counted.kinds[kind], _share(counted.kinds[kind], of)] for kind, text in kinds.items()
    ]
    rows += [
        [
            _text_cell(_("of these: workers disagreed whether it is composable")),
            counted.disputed,
            _share(counted.disputed, of),
        ],
        [_text_cell(_("with a bridge that is known not to hold")), counted.traps, None],
        [_text_cell(_("excluded from these tables")), counted.excluded, None],
    ]
    return _table("overview", _("Outcome of the HITs"), "", columns, rows) | {"leads": False}


def _by_hops(counted: Tally) -> JSON:
    """Every composition; the columns of pay stand only where the ledger paid for some answer of the batch."""
    columns = [
        _("hops"), _("composed"), _("median seconds"), _("expected seconds"),
        *([_("paid"), _("US dollars per hour for these")] if counted.paid else []),
        _("median words"), _("words in the single-hop questions"), _("length ratio"),
    ]  # fmt: skip
    rows = [
        [
            count, hops.composed, _middle(hops.seconds, 1), SECONDS[count],
            *([len(hops.pay.cents), hops.pay.hourly] if counted.paid else []),
            _middle(hops.words, 1), _middle(hops.single_words, 1), _middle(hops.ratios, 2),
        ]
        for count, hops in sorted(counted.hops.items())
    ]  # fmt: skip
    if not counted.paid:
        note = _(
            "Seconds are active work, including the bridge check. The words of a graph's single-hop "
            "questions are counted together; the last column is the median of the ratios."
        )
        return _table("by-hops", _("Time and length by the number of hops"), note, columns, rows)
    note = _(
        "Seconds are active work, including the bridge check. Dollars per hour are the pay for compositions, "
        "without bonuses, over their measured time. The words of a graph's single-hop questions are counted "
        "together; the last column is the median of the ratios."
    )
    return _table("by-hops", _("Time, pay and length by the number of hops"), note, columns, rows)


def _overridden(counted: Tally, seed: int) -> JSON:
    columns = [_("check"), _("warnings overridden"), _("share of compositions"), _("reasons (the first few)")]
    rows: list[Row] = []
    for check, reasons in sorted(counted.reasons.items()):
        label = Options.__dataclass_fields__[check].metadata["label"]
        examples = " · ".join(list(dict.fromkeys(reasons))[:REASONS])
        rate = clustered_share(((hit, check in checks) for hit, checks in counted.overriding), seed)
        rows.append([_text_cell(label), len(reasons), rate.as_json(), examples])
    return _table("overridden", _("Warnings overridden by workers"), "", columns, rows)


def _by_worker(counted: Tally, chances: dict[str, float], expected_no: float, seed: int) -> JSON:
    columns = [
        _("worker"), _("submitted"), _("composed"), _("bridges judged"), _("not the same or cannot tell"),
        _("above the expected rate, in points"), _("p, adjusted"), _("mark"), _("correct on known bridges"),
        _("pasted, percent"),
    ]  # fmt: skip
    rows: list[Row] = []
    said_by: defaultdict[str, list[Bridge]] = defaultdict(list)
    for bridge in counted.bridges:
        said_by[bridge.worker].append(bridge)
    for name, worker in sorted(counted.workers.items()):
        warning = _text_cell(_("high")) if _is_high(name, chances) else ""
        known = _share(sum(worker.known), len(worker.known))
        pasted = percent(fmean(worker.pasted)) if worker.pasted else None
        above = percent(worker.ended / worker.judged - expected_no) if worker.judged else None
        rate = ended_rate(said_by[name], seed).as_json()
        rates = [rate, above, chance_text(chances[name]) if name in chances else None, warning]
        rows.append([name, worker.submitted, worker.composed, worker.judged, *rates, known, pasted])
    tested: JSON = {"text": TESTED, "values": {"expected": round(100 * expected_no, 1), "n": len(chances)}}
    note = [
        _("The rate covers judged bridges whose truth was not known."), tested,
        _("“Pasted” is the mean share of a composition's characters."),
    ]  # fmt: skip
    return _table("by-worker", _("By worker"), "", columns, rows) | {"note": note}


def _chances(counted: Tally, expected_no: float) -> dict[str, float]:
    """How likely a rate as high as each worker's is by chance, adjusted for all of them."""
    judging = {name: worker for name, worker in sorted(counted.workers.items()) if worker.judged}
    each = [at_least(worker.ended, worker.judged, expected_no) for worker in judging.values()]
    return dict(zip(judging, benjamini_hochberg(each), strict=True))


def _pay_by_worker(counted: Tally) -> JSON:
    """The time of both kinds of answers; their pay only where the ledger paid for some answer of the batch."""
    hourly = [_("US dollars per hour for these")] if counted.paid else []
    columns = [
        _("worker"), _("not composable"), _("median seconds for these"), *hourly,
        _("composed"), _("median seconds for these"), *hourly,
    ]  # fmt: skip
    rows = [
        [
            name,
            *_timed(worker.no_seconds), *([worker.no_pay.hourly] if counted.paid else []),
            *_timed(worker.seconds), *([worker.pay.hourly] if counted.paid else []),
        ]
        for name, worker in sorted(counted.workers.items())
    ]  # fmt: skip
    if not counted.paid:
        return _table("pay-by-worker", _("Time by worker"), _("Responses with measured time."), columns, rows)
    note = _(
        "Responses with measured time. Dollars per hour are the pay for them, without bonuses, over the time "
        "of the paid ones."
    )
    return _table("pay-by-worker", _("Time and pay by worker"), note, columns, rows)


def _timed(seconds: Sequence[float]) -> Row:
    return [len(seconds), _middle(seconds, 1)]


def _is_high(name: str, chances: dict[str, float]) -> bool:
    return chances.get(name, 1.0) <= Q


def _no_pays_more(worker: Worker) -> bool:
    """Whether a "no" earned more a minute than composing, told by enough answers of either kind."""
    if min(len(worker.no_pay.cents), len(worker.pay.cents)) < ENOUGH:
        return False
    no, composing = worker.no_pay.hourly, worker.pay.hourly
    return no is not None and composing is not None and no > composing


def _warnings(counted: Tally, chances: dict[str, float], expected_no: float) -> list[JSON]:
    warnings: list[JSON] = []
    for name, worker in sorted(counted.workers.items()):
        if _is_high(name, chances):
            rate = round(100 * worker.ended / worker.judged)
            message = _(
                "%(worker)s judged %(rate)s %% of %(n)s bridges “not the same” or “cannot tell”: "
                "significantly more than the expected %(expected)s %% (Benjamini and Hochberg, q = .05)."
            )
            values = {"worker": name, "rate": rate, "n": worker.judged, "expected": round(100 * expected_no, 1)}
            warnings.append({"message": message, "values": values})
        if _no_pays_more(worker):
            message = _("Marking items as not composable paid %(worker)s more per minute than composing.")
            warnings.append({"message": message, "values": {"worker": name}})
    return warnings
