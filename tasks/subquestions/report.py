"""The report of `subquestions`: discarded questions with reasons, negative judgments, and corrections."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from annotation.pure.reports.tables import counted, counted_sentence
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.review.label_tables import agreement_tables
from annotation.pure.statistics.distance_agreement import alpha_of_answers, text_agreement_table
from annotation.pure.statistics.intervals import Figure, clustered_share
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.statistics.worker_intervals import Response, over_workers, without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import (
    about,
    alone,
    as_sentence,
    counted_rows,
    percent_with_interval,
    report,
    share,
    table,
    text_cell,
    units,
    usual_seconds,
    workers_of,
)

from .aggregation import DISCARDED, KEPT, TIED, aggregate
from .rules import DISCARDS, JUDGMENTS, KEEP, MEANING, SINGLE_HOP, VALID, WELL_FORMED, WRONG_ANSWER
from .rules import corrected as changes_of

INTERVALS = _("Shares with 95 % Wilson intervals, or bootstrap over items if several judgments of an item are counted")
OUTCOMES = {
    (KEPT, ""): _("kept"),
    (DISCARDED, SINGLE_HOP): _("discarded: needs no multihop reasoning"),
    (DISCARDED, WRONG_ANSWER): _("discarded: the answer is wrong"),
    (DISCARDED, "both"): _("discarded: tied between the two reasons"),
    (TIED, ""): _("tied"),
}
SAID = {KEEP: _("keep"), SINGLE_HOP: _("needs no multihop reasoning"), WRONG_ANSWER: _("the answer is wrong")}
FAULTS = {WELL_FORMED: _("not well-formed"), MEANING: _("asks for something else"), VALID: _("answer not valid")}
NEGATIVE = {
    WELL_FORMED: _("Judgments: not well-formed"),
    MEANING: _("Judgments: asks for something else"),
    VALID: _("Judgments: answer not valid"),
}
TEXTS = {"question": _("sub-questions (distance 1 − F1)"), "answer": _("their answers (distance 1 − F1)")}
RIGHT, WRONG = "right", "wrong"


def subquestions_report(hits: Iterable[HitWithResponses], *, seed: int) -> JSON:
    """Tables over all HITs with answers that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    aggregates = [aggregate(row.payload, [given.answer for given in row.given]) for row in rows]
    tables = [
        _outcome_table(aggregates),
        _judgment_table(rows, seed),
        _correction_table(rows, aggregates),
        *_people_table(rows),
        _worker_table(rows),
        *_agreement(rows, seed=seed),
        *_wording_table(rows, seed),
    ]
    paragraph = [*_paragraph(aggregates, rows), *about(rows)]
    return report(hits, tables, paragraph=paragraph, intervals=INTERVALS, warnings=_warnings(aggregates))


def _outcome_table(aggregates: Sequence[JSON]) -> JSON:
    counts = Counter((one["kind"], one["discard"]) for one in aggregates)
    rows = [[text_cell(words), counts[key], share(counts[key], len(aggregates))] for key, words in OUTCOMES.items()]
    note = _("By majority of the annotators of each item. A text is tied if another one was given equally often.")
    return table("verdicts", _("Kept and discarded"), (_("Label"), _("Items"), _("Share")), rows, note, kind="outcomes")


def _kept(rows: Iterable[HitWithResponses]) -> Iterator[tuple[HitWithResponses, str, list[JSON]]]:
    """(HIT, worker, hops) of every answer that keeps its question."""
    for row in rows:
        for given in row.given:
            if given.answer["discard"] == KEEP:
                yield row, given.worker, given.answer["hops"]


def _judgment_table(rows: Sequence[HitWithResponses], seed: int) -> JSON:
    """The share of negative judgments by hop, over the responses that keep the question."""
    hops: dict[int, list[tuple[str, JSON]]] = {}
    for row, _worker, own in _kept(rows):
        for number, hop in enumerate(own, 1):
            hops.setdefault(number, []).append((row.hit, hop))
    table_rows = [
        [number, len(own), *(_negative_share(own, name, seed) for name in JUDGMENTS)]
        for number, own in sorted(hops.items())
    ]
    columns = (_("Hop"), _("Responses"), *FAULTS.values())
    note = _("Over the responses that keep the question.")
    return table("judgments", _("Negative judgments"), columns, table_rows, note)


def _negative_share(pairs: Iterable[tuple[str, JSON]], name: str, seed: int) -> JSON:
    """The share of negative (HIT, judged hop) pairs; the judgments of an item are resampled together."""
    return clustered_share(((hit, hop[name] is False) for hit, hop in pairs), seed, resamples=1_999).as_json()


def _correction_table(rows: Sequence[HitWithResponses], aggregates: Sequence[JSON]) -> JSON:
    """Changes to kept questions; one that only follows an earlier answer does not count as a correction."""
    kept: Counter[int] = Counter()
    changed: dict[str, Counter[int]] = {"question": Counter(), "answer": Counter()}
    for row, decided in zip(rows, aggregates, strict=True):
        if decided["kind"] != KEPT:
            continue
        for number, change in enumerate(changes_of(row.payload, decided["hops"]), 1):
            kept[number] += 1
            for part, count in changed.items():
                count[number] += change[part]
    table_rows = []
    for number, total in sorted(kept.items()):
        counts = [count[number] for count in changed.values()]
        table_rows.append([number, total, *(cell for n in counts for cell in (n, share(n, total)))])
    columns = (
        _("Hop"), _("Kept items"), _("Questions corrected"), _("Share of questions"), _("Answers corrected"),
        _("Share of answers"),
    )  # fmt: skip
    note = _("In the sub-questions by majority, for items that most annotators keep.")
    return table("corrections", _("Corrections"), columns, table_rows, note)


def _people_table(rows: Sequence[HitWithResponses]) -> list[JSON]:
    """Dependence of the shares of kept questions and of negative judgments on the workers who took part."""
    kept = without_one(units(([row] for row in rows), alone(_is_kept)))
    figures: list[tuple[JSON, Figure | None, Figure | None]] = [(text_cell(_("Kept")), None, kept)]
    for name, words in NEGATIVE.items():
        responses = [
            Response(row.hit, worker, float(hop[name] is False)) for row, worker, hops in _kept(rows) for hop in hops
        ]
        figures.append((text_cell(words), over_workers(responses), None))
    return people_table(figures, workers_of(rows))


def _is_kept(row: HitWithResponses) -> float:
    return float(aggregate(row.payload, [given.answer for given in row.given])["kind"] == KEPT)


def _wording_table(rows: Sequence[HitWithResponses], seed: int) -> list[JSON]:
    """Krippendorff's alpha of the hops' texts, corrected or not, in responses that keep the question."""
    texts: dict[str, list[dict[str, str]]] = {"question": [], "answer": []}
    for row in rows:
        kept = {worker: hops for _row, worker, hops in _kept([row])}
        for hop in range(len(row.payload["hops"])):
            for part, by_hop in texts.items():
                by_hop.append({worker: str(hops[hop][part]) for worker, hops in kept.items()})
    return text_agreement_table(
        [(words, alpha_of_answers(texts[part], MUSIQUE, seed)) for part, words in TEXTS.items()]
    )


def _worker_table(rows: Sequence[HitWithResponses]) -> JSON:
    discards: dict[str, Counter[str]] = {}
    seconds: dict[str, list[float]] = {}
    corrections: Counter[str] = Counter()
    for row in rows:
        for given in row.given:
            discards.setdefault(given.worker, Counter())[given.answer["discard"]] += 1
            seconds.setdefault(given.worker, []).append(given.seconds)
    for row, worker, hops in _kept(rows):
        corrections[worker] += sum(sum(change.values()) for change in changes_of(row.payload, hops))
    table_rows = []
    for worker, votes in sorted(discards.items()):
        rates = [share(votes[name], votes.total()) for name in (SINGLE_HOP, WRONG_ANSWER)]
        table_rows.append([worker, votes.total(), *rates, corrections[worker], usual_seconds(seconds[worker])])
    columns = (
        _("Worker"), _("Items"), _("“Needs no multihop reasoning”"), _("“The answer is wrong”"), _("Texts corrected"),
        _("Median seconds per HIT"),
    )  # fmt: skip
    return table("workers", _("By worker"), columns, table_rows)


def _agreement(rows: Sequence[HitWithResponses], *, seed: int) -> Iterator[JSON]:
    """Agreement on keeping questions, then on the judgments of the hops; tables of one kind differ in name."""
    whole = [(row.hit, [(given.worker, given.answer["discard"]) for given in row.given]) for row in rows]
    parts: dict[str, list[tuple[str, str]]] = {}
    for row, worker, hops in _kept(rows):
        for number, hop in enumerate(hops, 1):
            for name in JUDGMENTS:
                label = RIGHT if hop[name] else WRONG
                parts.setdefault(f"{row.hit}/{number}/{name}", []).append((worker, label))
    labels = {RIGHT: _("correct"), WRONG: _("not right")}
    keeping = agreement_tables(whole, categories=DISCARDS, labels=SAID, on=_("keeping the question"), seed=seed)
    on = _("the judgments of hops")
    judging = agreement_tables(list(parts.items()), categories=(RIGHT, WRONG), labels=labels, on=on, seed=seed)
    about = (("keeping", keeping, _("On keeping or discarding.")), ("hops", judging, _("On the judgments of hops.")))
    for prefix, tables, note in about:
        for one in tables:
            told = {"note": one["note"] or note, "about": note, "kind": one["name"]}
            yield one | {"name": f"{prefix}-{one['name']}"} | told


def _paragraph(aggregates: Sequence[JSON], rows: Sequence[HitWithResponses]) -> list[JSON]:
    if not aggregates:
        return []
    kinds = Counter(one["kind"] for one in aggregates)
    workers = counted(workers_of(rows), _("One annotator checked"), _("%(n)s annotators checked"))
    items = counted(
        len(aggregates), _("one question with its sub-questions"), _("%(n)s questions with their sub-questions")
    )
    kept, discarded, tied = (
        percent_with_interval(share(kinds[kind], len(aggregates))) for kind in (KEPT, DISCARDED, TIED)
    )
    message = _("By majority, %(kept)s were kept and %(discarded)s discarded.")
    sentences = [
        as_sentence(_("%(workers)s %(items)s."), workers=workers, items=items),
        as_sentence(message, kept=kept, discarded=discarded),
    ]
    if kinds[TIED]:
        message = _("On %(tied)s, annotators are tied on keeping the question or on a text.")
        sentences.append(as_sentence(message, tied=tied))
    return sentences


def _warnings(aggregates: Sequence[JSON]) -> Iterator[JSON]:
    if tied := sum(one["kind"] == TIED for one in aggregates):
        yield counted_sentence(tied, _("Workers are tied on one item."), _("Workers are tied on %(n)s items."))
