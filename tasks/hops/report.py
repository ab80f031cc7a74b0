"""The report of `hops`: statuses by shape, hops found against gold, and right and wrong steps beside models'."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from annotation.pure.data.features import shape_words
from annotation.pure.reports.tables import counted
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.statistics.intervals import clustered_share
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.statistics.worker_intervals import Response, over_workers
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.answering import answer_text
from annotation.tasktype.helpers.report_tables import (
    about,
    as_sentence,
    counted_rows,
    percent_with_interval,
    report,
    share,
    table,
    text_cell,
    usual_seconds,
    workers_of,
)

from .aggregation import (
    FULLY_CITED,
    KNOWN,
    SHORTCUT,
    STATUSES,
    UNDECIDED,
    UNDER_CITED,
    WRONG,
    aggregate,
    aligned,
    is_right,
    status,
)
from .steps import FREE, KIND, KINDS, SINGLE, final, golds

INTERVALS = _("Shares with 95 % Wilson intervals, or bootstrap over items if several responses of an item are counted")
STATUS_WORDS = {
    FULLY_CITED: _("fully cited"),
    UNDER_CITED: _("under-cited"),
    SHORTCUT: _("shortcut"),
    KNOWN: _("known"),
    WRONG: _("wrong"),
    UNDECIDED: _("undecided"),
}
ALL = _("all")
COUNTS = {2: _("2 hops"), 3: _("3 hops"), 4: _("4 hops")}
MODELS = {"DFGN": (0.604, 0.489), "DecompRC": (0.504, 0.384), "CogQA": (0.498, 0.389)}  # Tang et al. 2021, Figure 2


class Marks(NamedTuple):
    """One response: for each step with gold whether its answer is right, exactly and partially."""

    hit: str
    worker: str
    exact: tuple[bool, ...]
    partial: tuple[bool, ...]


def hops_report(hits: Iterable[HitWithResponses], arm: str, *, seed: int) -> JSON:
    """Tables over all HITs with responses that scores do not leave out."""
    hits = list(hits)
    rows = counted_rows(hits)
    if arm == KIND:
        kinds = _kinds(rows)
        tables, paragraph = _kind_tables(kinds, seed), [*_kind_words(kinds, seed)]
    else:
        marks, found = list(_marks(rows, arm)), _statuses(rows) if arm == FREE else []
        own = [*_free_tables(rows, found, seed)] if arm == FREE else _step_tables(marks, arm, seed)
        responses = [Response(mark.hit, mark.worker, float(mark.partial[_whole(arm)])) for mark in marks]
        people = people_table([(text_cell(_("Right answers (PM)")), over_workers(responses), None)], workers_of(rows))
        tables = [*own, *people]
        paragraph = [*_free_words(rows, found)] if arm == FREE else [*_step_words(marks, arm, seed)]
    tables = [*tables, _worker_table(rows, arm)]
    return report(hits, tables, paragraph=[*paragraph, *about(rows)], intervals=INTERVALS)


def _responses(rows: Iterable[HitWithResponses]) -> Iterator[tuple[HitWithResponses, GivenResponse]]:
    return ((row, given) for row in rows for given in row.given)


def _shape(row: HitWithResponses) -> str:
    return row.example.shape or ""


def _statuses(rows: Sequence[HitWithResponses]) -> list[tuple[str, str]]:
    """(shape, status) of each question."""
    found = [(row, aggregate(row.payload, [given.answer for given in row.given])) for row in rows]
    return [(_shape(row), status(row.example, one, row.elsewhere)) for row, one in found]


def _free_tables(rows: Sequence[HitWithResponses], statuses: Sequence[tuple[str, str]], seed: int) -> Iterator[JSON]:
    shapes = sorted({shape for shape, _status in statuses})
    cells = [_status_row(text_cell(shape_words(shape)), [s for own, s in statuses if own == shape]) for shape in shapes]
    if len(shapes) != 1:
        cells.append(_status_row(text_cell(ALL), [s for _shape, s in statuses]))
    columns = (_("Shape"), _("Questions"), *STATUS_WORDS.values())
    note = [
        _(
            "Fully cited: the majority's answer is right (PM), and each gold paragraph is cited by most who gave it; "
            "whether the steps build on each other is not looked at."
        ),
        _("Under-cited: some gold paragraph is not. Shortcut: workers are right without these, but not closed-book."),
        _("Known: right, and workers who were asked closed-book are right too, whatever is cited."),
        _(
            "Undecided: answers are tied. Batches that show the hops have no statuses. PM: partial match, F1 above "
            "0.8, or above 0.6 if one answer contains the other."
        ),
    ]
    yield table("statuses", _("Questions by status"), columns, cells, note)
    yield _found_table(rows, seed)


def _status_row(words: JSON, statuses: Sequence[str]) -> list[JSON | int]:
    return [words, len(statuses), *(share(statuses.count(name), len(statuses)) for name in STATUSES)]


def _found_table(rows: Sequence[HitWithResponses], seed: int) -> JSON:
    """Written hops aligned with gold's, by the number of gold hops."""
    by_count: defaultdict[int, list[tuple[str, int, list[JSON | None], HitWithResponses]]] = defaultdict(list)
    for row, given in _responses(rows):
        hops = given.answer["hops"]
        by_count[len(row.example.hops)].append((row.hit, len(hops), aligned(hops, row.example.hops), row))
    cells = []
    for count, own in sorted(by_count.items()):
        found = [(hit, float(hop is not None)) for hit, _written, hops, _row in own for hop in hops]
        right = [
            (hit, float(is_right(answer_text(hop), [gold.answer])))
            for hit, _written, hops, row in own
            for hop, gold in zip(hops, row.example.hops, strict=True)
            if hop is not None
        ]
        alike = [(hit, float(written == count)) for hit, written, _hops, _row in own]
        means = round(fmean(written for _hit, written, _hops, _row in own), 2)
        shares = [clustered_share(each, seed, resamples=1_999).as_json() for each in (alike, found, right)]
        cells.append([count, len(own), means, *shares])
    columns = (
        _("Hops in gold"), _("Responses"), _("Steps written, mean"), _("As many as in gold"), _("Gold hops found"),
        _("Right among found (PM)"),
    )  # fmt: skip
    note = _(
        "A gold hop is found if a step cites its paragraph or, failing that, has its answer. Each step counts once."
    )
    return table("found", _("Hops found"), columns, cells, note)


def _marks(rows: Sequence[HitWithResponses], arm: str) -> Iterator[Marks]:
    """Each response with an answer to every step."""
    for row, given in _responses(rows):
        right = golds(row.example, arm)
        hop = final(row.payload, given.answer)
        hops = [hop] if arm == FREE and hop else given.answer["hops"]
        if len(hops) != len(right) or not all(right):
            continue
        pairs = [(answer_text(hop), answers) for hop, answers in zip(hops, right, strict=True)]
        scorer = scorer_for(row.format)
        exact = tuple(any(scorer.answer(text, (gold,)).em == 1 for gold in answers) for text, answers in pairs)
        yield Marks(row.hit, given.worker, exact, tuple(is_right(*pair) for pair in pairs))


def _whole(arm: str) -> int:
    """The position of the whole question among the steps."""
    return 0 if arm == SINGLE else -1


def _step_tables(marks: Sequence[Marks], arm: str, seed: int) -> list[JSON]:
    tables = [_accuracy_table(marks, arm, seed)]
    if arm == SINGLE:
        counts = sorted({len(mark.exact) - 1 for mark in marks})
        tables += [_outcome_table([m for m in marks if len(m.exact) == n + 1], n, seed) for n in counts]
        tables.append(_failure_table(marks, seed))
    return tables


def _accuracy_table(marks: Sequence[Marks], arm: str, seed: int) -> JSON:
    """Right answers by step; in `single` the first is the whole question."""
    longest = max((len(mark.exact) for mark in marks), default=0)
    cells = []
    for step in range(longest):
        own = [mark for mark in marks if step < len(mark.exact)]
        shares = [_shares(own, seed, step, part) for part in ("exact", "partial")]
        is_whole = longest == 1 or (arm == SINGLE and step == 0)
        hop = step if arm == SINGLE else step + 1
        words = text_cell(_("whole question")) if is_whole else text_cell(_("hop %(hop)s"), hop=hop)
        cells.append([words, len(own), *shares])
    columns = (_("Step"), _("Responses"), _("Right (EM)"), _("Right (PM)"))
    note = _("The last hop's answer is that of the question, with its aliases.") if arm != SINGLE else ""
    return table("steps", _("Right answers by step"), columns, cells, note)


def _shares(marks: Sequence[Marks], seed: int, step: int, part: str) -> JSON:
    pairs = ((mark.hit, float(getattr(mark, part)[step])) for mark in marks)
    return clustered_share(pairs, seed, resamples=1_999).as_json()


def _outcome_table(marks: Sequence[Marks], hops: int, seed: int) -> JSON:
    """The 2^(n+1) ways in which the question and its n sub-questions are right (c) or wrong (w)."""
    cells = []
    for outcome in product((True, False), repeat=hops + 1):
        words = " ".join("c" if right else "w" for right in outcome)
        own = [[(mark.hit, float(getattr(mark, part) == outcome)) for mark in marks] for part in ("exact", "partial")]
        cells.append([words, *(clustered_share(each, seed, resamples=1_999).as_json() for each in own)])
    columns = (_("q and its sub-questions"), _("Responses (EM)"), _("Responses (PM)"))
    note = _("c: correct, w: wrong; the question, then its sub-questions in order (Tang et al. 2021, Tables 3 and 4).")
    return table(
        f"outcomes-{hops}",
        _("Right and wrong answers"),
        columns,
        cells,
        note,
        variant=COUNTS.get(hops, str(hops)),
        kind="outcomes",
    )


def _failure_rate(marks: Sequence[Marks], part: str, seed: int) -> JSON:
    """The share of responses with a wrong sub-answer among those that are right on the question."""
    told = [(mark.hit, getattr(mark, part)) for mark in marks if getattr(mark, part)[0]]
    return clustered_share(((hit, float(not all(own[1:]))) for hit, own in told), seed, resamples=1_999).as_json()


def _failure_table(marks: Sequence[Marks], seed: int) -> JSON:
    people = [_failure_rate(marks, part, seed) for part in ("exact", "partial")]
    cells: list[list[JSON | str]] = [[text_cell(_("people, this batch")), *people]]
    for name, rates in MODELS.items():
        cells.append([name, *({"value": rate, "low": None, "high": None, "n": None} for rate in rates)])
    note = _(
        "Of the responses with a right answer to the question, those with a wrong answer to a sub-question. Models: "
        "Tang et al. 2021 (Figure 2; 1,000 bridge questions of HotpotQA), with right answers filled into the "
        "sub-questions."
    )
    return table("failures", _("Failure rate"), (_("Who"), _("EM"), _("PM")), cells, note)


def _kinds(rows: Iterable[HitWithResponses]) -> list[tuple[str, str, str]]:
    """(HIT, kind in gold, kind chosen) of each response to a question with hops."""
    told = [(row, given) for row, given in _responses(rows) if row.example.hops]
    return [(row.hit, KINDS[len(row.example.hops) > 1], given.answer["kind"]) for row, given in told]


def _kind_tables(kinds: Sequence[tuple[str, str, str]], seed: int) -> list[JSON]:
    cells = []
    for words, gold in zip((_("one step"), _("several steps")), KINDS, strict=True):
        own = [(hit, chosen) for hit, right, chosen in kinds if right == gold]
        shares = [
            clustered_share([(hit, float(chosen == kind)) for hit, chosen in own], seed, resamples=1_999).as_json()
            for kind in KINDS
        ]
        cells.append([text_cell(words), len(own), *shares])
    columns = (_("In gold"), _("Responses"), _("“One step”"), _("“Several steps”"))
    return [table("kinds", _("One step or several"), columns, cells, _("Questions without hops are left out."))]


def _kind_words(kinds: Sequence[tuple[str, str, str]], seed: int) -> Iterator[JSON]:
    if kinds:
        told = ((hit, float(chosen == gold)) for hit, gold, chosen in kinds)
        right = clustered_share(told, seed, resamples=1_999).as_json()
        text = _("Workers were right on one step or several in %(right)s of their responses.")
        yield as_sentence(text, right=percent_with_interval(right))


def _free_words(rows: Sequence[HitWithResponses], statuses: Sequence[tuple[str, str]]) -> Iterator[JSON]:
    if not statuses:
        return
    workers = counted(workers_of(rows), _("One annotator decomposed"), _("%(n)s annotators decomposed"))
    items = counted(len(statuses), _("one question"), _("%(n)s questions"))
    yield as_sentence(_("%(workers)s %(items)s."), workers=workers, items=items)
    cited, under, known = (
        percent_with_interval(share(sum(own in names for _shape, own in statuses), len(statuses)))
        for names in ((FULLY_CITED,), (UNDER_CITED, SHORTCUT), (KNOWN,))
    )
    text = _("By majority, %(cited)s were answered right citing all gold paragraphs, %(under)s citing fewer.")
    yield as_sentence(text, cited=cited, under=under)
    if any(own == KNOWN for _shape, own in statuses):
        yield as_sentence(_("Another %(known)s were answered right closed-book too."), known=known)


def _step_words(marks: Sequence[Marks], arm: str, seed: int) -> Iterator[JSON]:
    if not marks:
        return
    right = percent_with_interval(_shares(marks, seed, _whole(arm), "partial"))
    yield as_sentence(_("%(right)s of the answers to the question are right (PM)."), right=right)
    if arm == SINGLE and any(mark.partial[0] for mark in marks):
        failed = percent_with_interval(_failure_rate(marks, "partial", seed))
        yield as_sentence(_("Of these, %(failed)s come with a wrong answer to a sub-question."), failed=failed)


def _worker_table(rows: Sequence[HitWithResponses], arm: str) -> JSON:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    steps: defaultdict[str, list[int]] = defaultdict(list)
    for _row, given in _responses(rows):
        seconds[given.worker].append(given.seconds)
        steps[given.worker].append(len(given.answer["hops"]))
    cells = [
        [worker, len(own), *([round(fmean(steps[worker]), 2)] if arm == FREE else []), usual_seconds(own)]
        for worker, own in sorted(seconds.items())
    ]
    columns = (
        _("Worker"), _("Items"), *([_("Steps written, mean")] if arm == FREE else []), _("Median seconds per HIT"),
    )  # fmt: skip
    return table("workers", _("By worker"), columns, cells)
