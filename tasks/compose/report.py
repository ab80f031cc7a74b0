"""The report of composing: compositions and discarded items, time and pay, and workers who stand out."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Any

from annotation.pure.reports.worker_dependence_tables import for_workers
from annotation.pure.setting_fields import settings_of
from annotation.pure.statistics.intervals import clustered_share
from annotation.pure.statistics.significance import Q, at_least, benjamini_hochberg, chance_text
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import as_sentence, share, share_of, table, text_cell

from .batch_counts import Bridge, Tally, Worker, by_edge, overall, percent, rate, tally
from .options import SECONDS, ComposeOptions
from .report_text import paragraph

TESTED = _(
    "“High”: significantly above the expected %(expected)s %%, by one-sided exact binomial tests of %(n)s "
    "workers, with Benjamini and Hochberg's adjustment at q = .05: of the marked workers, at most one in "
    "twenty is expected to be marked by chance."
)
REASONS = 3  # shown of a check
ENOUGH = 3  # answers of either kind before a worker's pay for a "no" is compared

INTERVALS = _("95 % intervals: Wilson, or bootstrap over graphs if a rate covers several judgments of a graph")

Row = list[Any]


def compose_report(hits: Iterable[HitWithResponses], *, expected_no: float, seed: int) -> JSON:
    """{"task", "n", "tables", "paragraph", "flags", "intervals"} for the generic page of a report."""
    counted = tally(hits)
    chances = _chances(counted, expected_no)
    tables = [
        _overview(counted),
        overall(counted, seed),
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


def _median(values: Sequence[float], digits: int = 1) -> float | None:
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
        [text_cell(text), counted.kinds[kind], share(counted.kinds[kind], of)] for kind, text in kinds.items()
    ]
    disputed = text_cell(_("of these: workers disagreed whether it is composable"))
    rows += [
        [disputed, counted.disputed, share(counted.disputed, of)],
        [text_cell(_("with a bridge that is known not to hold")), counted.traps, None],
        [text_cell(_("excluded from these tables")), counted.excluded, None],
    ]
    return table("overview", _("Outcome of the HITs"), columns, rows, leads=False)


def _by_hops(counted: Tally) -> JSON:
    """The table of compositions by hops; with columns of pay only if a response of the batch was paid."""
    columns = [
        _("hops"), _("composed"), _("median seconds"), _("expected seconds"),
        *([_("paid"), _("US dollars per hour for these")] if counted.paid else []),
        _("median words"), _("words in the single-hop questions"), _("length ratio"),
    ]  # fmt: skip
    rows = [
        [
            count, hops.composed, _median(hops.seconds), SECONDS[count],
            *([len(hops.pay.cents), hops.pay.hourly] if counted.paid else []),
            _median(hops.words), _median(hops.single_words), _median(hops.ratios, 2),
        ]
        for count, hops in sorted(counted.hops.items())
    ]  # fmt: skip
    if not counted.paid:
        note = _(
            "Seconds are active work, including the bridge check. The words of a graph's single-hop "
            "questions are counted together; the last column is the median of the ratios."
        )
        return table("by-hops", _("Time and length by the number of hops"), columns, rows, note)
    note = _(
        "Seconds are active work, including the bridge check. Dollars per hour are the pay for compositions, "
        "without bonuses, over their measured time. The words of a graph's single-hop questions are counted "
        "together; the last column is the median of the ratios."
    )
    return table("by-hops", _("Time, pay and length by the number of hops"), columns, rows, note)


def _overridden(counted: Tally, seed: int) -> JSON:
    columns = [_("check"), _("warnings overridden"), _("share of compositions"), _("reasons (the first few)")]
    rows: list[Row] = []
    for check, reasons in sorted(counted.reasons.items()):
        label = settings_of(ComposeOptions)[check].label
        examples = " · ".join(list(dict.fromkeys(reasons))[:REASONS])
        overridden = clustered_share(((hit, check in checks) for hit, checks in counted.overriding), seed)
        rows.append([text_cell(label), len(reasons), overridden.as_json(), examples])
    return table("overridden", _("Warnings overridden by workers"), columns, rows)


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
        warning = text_cell(_("high")) if _is_high(name, chances) else ""
        known = share_of(worker.known)
        pasted = percent(fmean(worker.pasted)) if worker.pasted else None
        above = percent(worker.ended / worker.judged - expected_no) if worker.judged else None
        chance = chance_text(chances[name]) if name in chances else None
        rates = [rate(said_by[name], seed).as_json(), above, chance, warning]
        rows.append([name, worker.submitted, worker.composed, worker.judged, *rates, known, pasted])
    tested = text_cell(TESTED, expected=percent(expected_no), n=len(chances))
    note = [
        _("The rate covers judged bridges whose truth was not known."), tested,
        _("“Pasted” is the mean share of a composition's characters."),
    ]  # fmt: skip
    return table("by-worker", _("By worker"), columns, rows, note)


def _chances(counted: Tally, expected_no: float) -> dict[str, float]:
    """The p value of each worker's rate, adjusted by Benjamini and Hochberg's procedure."""
    judging = {name: worker for name, worker in sorted(counted.workers.items()) if worker.judged}
    each = [at_least(worker.ended, worker.judged, expected_no) for worker in judging.values()]
    return dict(zip(judging, benjamini_hochberg(each), strict=True))


def _pay_by_worker(counted: Tally) -> JSON:
    """The time of both kinds of responses by worker; with pay only if a response of the batch was paid."""
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
        return table("pay-by-worker", _("Time by worker"), columns, rows, _("Responses with measured time."))
    note = _(
        "Responses with measured time. Dollars per hour are the pay for them, without bonuses, over the time "
        "of the paid ones."
    )
    return table("pay-by-worker", _("Time and pay by worker"), columns, rows, note)


def _timed(seconds: Sequence[float]) -> Row:
    return [len(seconds), _median(seconds)]


def _is_high(name: str, chances: dict[str, float]) -> bool:
    return chances.get(name, 1.0) <= Q


def _no_pays_more(worker: Worker) -> bool:
    """Whether a "no" earned more per hour than composing; False with fewer than ENOUGH paid answers of either kind."""
    if min(len(worker.no_pay.cents), len(worker.pay.cents)) < ENOUGH:
        return False
    no, composing = worker.no_pay.hourly, worker.pay.hourly
    return no is not None and composing is not None and no > composing


def _warnings(counted: Tally, chances: dict[str, float], expected_no: float) -> list[JSON]:
    warnings: list[JSON] = []
    for name, worker in sorted(counted.workers.items()):
        if _is_high(name, chances):
            message = _(
                "%(worker)s judged %(rate)s %% of %(n)s bridges “not the same” or “cannot tell”: "
                "significantly more than the expected %(expected)s %% (Benjamini and Hochberg, q = .05)."
            )
            ended, n = round(100 * worker.ended / worker.judged), worker.judged
            warnings.append(as_sentence(message, worker=name, rate=ended, n=n, expected=percent(expected_no)))
        if _no_pays_more(worker):
            message = _("Marking items as not composable paid %(worker)s more per minute than composing.")
            warnings.append(as_sentence(message, worker=name))
    return warnings
