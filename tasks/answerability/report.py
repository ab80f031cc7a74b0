"""The report of `answerability`: agreement with the labels, responses by label and worker, and scores of groups."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from annotation.pure.data.features import NOT_KNOWN
from annotation.pure.reports.answer_tables import at_k
from annotation.pure.reports.human_scores import (
    RULE,
    majority_chance,
    question_scores_by_count,
    support_scores_by_count,
)
from annotation.pure.reports.tables import counted, counted_sentence
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.review.label_tables import agreement_tables
from annotation.pure.statistics.agreement import most_said
from annotation.pure.statistics.distance_agreement import (
    ANSWER_TEXT,
    SUPPORT,
    alpha_of_answers,
    alpha_of_sets,
    text_agreement_table,
)
from annotation.pure.statistics.intervals import bootstrap_figures, clustered_mean, clustered_share
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.statistics.worker_intervals import Response, over_workers, without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.answering import answer_text, gold_support, support_of
from annotation.tasktype.helpers.report_tables import (
    about,
    alone,
    as_sentence,
    by_question,
    common_count_of,
    counted_rows,
    percent_with_interval,
    question_of,
    report,
    share_of,
    table,
    text_cell,
    units,
    usual_seconds,
    workers_of,
)

from .groups import ANSWERABLE, REASONS, UNANSWERABLE, Group, called, cells, groups, labelled, of_model

LABELS = {ANSWERABLE: _("answerable"), UNANSWERABLE: _("not answerable")}
INTERVALS = _(
    "Shares with 95 % Wilson intervals, or BCa bootstrap over questions if several instances of one question "
    "are judged; means over HITs or groups with 95 % BCa bootstrap intervals"
)
Row = TypeVar("Row", bound=HitWithResponses | Group)


def answerability_report(hits: Iterable[HitWithResponses], *, level: str, singles: bool, seed: int) -> JSON:
    """Tables over single instances and, unless the batch takes `singles`, over groups."""
    hits = list(hits)
    rows, count = counted_rows(hits), common_count_of(hits)
    labelled_rows = [row for row in rows if row.example.answerable is not None]
    whole = [] if singles else groups(hits, count)
    tables = [
        _label_table(labelled_rows, seed),
        _confusion_table(labelled_rows, seed),
        *_people_table(hits, labelled_rows, singles=singles),
        *([] if singles else [_group_table(whole, level, seed), *_left_out_table(whole)]),
        *_answer_table(rows, level, count, seed),
        *_hops_table(labelled_rows, whole, level, seed),
        *_worker_table(labelled_rows, level, seed),
        *([] if singles else _model_table(hits, whole, level, seed)),
        *_judging_tables(rows, seed),
        *_text_table(rows, level, seed),
    ]
    paragraph = [*_paragraph(labelled_rows, whole, level, seed), *about(labelled_rows)]
    warnings = _warnings(rows, labelled_rows)
    return {"rule": RULE} | report(hits, tables, paragraph=paragraph, intervals=INTERVALS, warnings=warnings)


def agreed(row: HitWithResponses) -> float:
    """The probability that the majority label is the dataset's, with ties broken at random."""
    return majority_chance([called(given.answer) for given in row.given], labelled(row.example))


def _by_dataset(rows: Sequence[Row]) -> list[tuple[object, list[Row]]]:
    """(name, rows) of each dataset; if there are several, first ("all", all rows)."""
    by_name: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.dataset].append(row)
    named: list[tuple[object, list[Row]]] = [*sorted(by_name.items())]
    return named if len(named) <= 1 else [(text_cell(_("all")), list(rows)), *named]


def _agreement(rows: Sequence[HitWithResponses], seed: int) -> JSON:
    """The share of majority labels that agree; the instances of a question are resampled together."""
    return clustered_share(((question_of(row), agreed(row)) for row in rows), seed).as_json()


def _label_table(labelled_rows: Sequence[HitWithResponses], seed: int) -> JSON:
    columns = (_("Dataset"), _("HITs"), _("Responses"), _("Majority agrees"), _("One annotator agrees"))
    rows = []
    for name, of in _by_dataset(labelled_rows):
        single = [math.fsum(_right(given, row) for given in row.given) / len(row.given) for row in of]
        answers = sum(len(row.given) for row in of)
        pairs = zip(map(question_of, of), single, strict=True)
        figure = clustered_mean(pairs, seed).as_json() if answers > len(of) else _agreement(of, seed)
        rows.append([name, len(of), answers, _agreement(of, seed), figure])
    note = _(
        "How often people agree with the label of an instance. A tied majority counts with the probability "
        "that it is correct."
    )
    return table("labels", _("Agreement with the label"), columns, rows, note)


def _right(given: GivenResponse, row: HitWithResponses) -> bool:
    return called(given.answer) == labelled(row.example)


def _confusion_table(rows: Sequence[HitWithResponses], seed: int) -> JSON:
    columns = (
        _("Label"), _("HITs"), _("Majority says answerable"), _("Tied"), _("Majority says not answerable"),
        _("Responses: answerable"), _("Responses: not answerable"), _("Agreeing responses"),
    )  # fmt: skip
    table_rows = []
    for label, words in LABELS.items():
        of = [row for row in rows if labelled(row.example) == label]
        sides = Counter(_majority(row) for row in of)
        votes = Counter(called(given.answer) for row in of for given in row.given)
        majority = [sides[ANSWERABLE], sides[None], sides[UNANSWERABLE]]
        right = clustered_share(((question_of(row), _right(given, row)) for row in of for given in row.given), seed)
        single = [votes[ANSWERABLE], votes[UNANSWERABLE], right.as_json()]
        table_rows.append([text_cell(words), len(of), *majority, *single])
    return table("said", _("Responses by label"), columns, table_rows)


def _majority(row: HitWithResponses) -> str | None:
    """The label that most give; None in a tie."""
    return most_said(called(given.answer) for given in row.given)


def _people_table(
    hits: Sequence[HitWithResponses], labelled_rows: Sequence[HitWithResponses], *, singles: bool
) -> list[JSON]:
    """Dependence of the agreement with labels, and of complete groups, on the workers who took part."""
    if not labelled_rows:
        return []
    responses = [
        Response(question_of(row), given.worker, float(_right(given, row)), 1 / len(row.given))
        for row in labelled_rows
        for given in row.given
    ]
    majority = without_one(units(([row] for row in labelled_rows), alone(agreed)))
    rows = [
        (text_cell(_("Majority agrees with the label")), None, majority),
        (text_cell(_("One annotator agrees with the label")), over_workers(responses), None),
    ]
    if not singles:
        whole = without_one(units(by_question(hits), partial(_all_right, count=common_count_of(hits))))
        rows.append((text_cell(_("All labels of a group correct")), None, whole))
    return people_table(rows, workers_of(labelled_rows))


def _all_right(rows: Sequence[HitWithResponses], count: int) -> float | None:
    """The probability that all majority labels of a group are right; None for an incomplete group."""
    complete = _complete(groups(rows, count))
    return complete[0].scores("paragraph").labels if complete else None


def _complete(group_list: Iterable[Group]) -> list[Group]:
    return [group for group in group_list if not group.left_out()]


GROUP_COLUMNS = (_("Answer F1"), _("Answer EM"), _("Support F1"), _("Support EM"), _("All labels correct"))


def _group_figures(group_list: Sequence[Group], level: str, seed: int) -> list[JSON]:
    rows = [cells(group.scores(level)) for group in _complete(group_list)]
    return [figure.as_json() for figure in bootstrap_figures(rows or [[math.nan] * len(GROUP_COLUMNS)], seed)]


def _group_table(group_list: Sequence[Group], level: str, seed: int) -> JSON:
    columns = (_("Dataset"), _("Groups"), _("Left out"), _("Instances"), *GROUP_COLUMNS)
    rows = []
    for name, of in _by_dataset(group_list):
        kept = _complete(of)
        sizes = sorted({len(group.rows) for group in kept})
        instances = ", ".join(map(str, sizes)) or None
        rows.append([name, len(kept), len(of) - len(kept), instances, *_group_figures(kept, level, seed)])
    note = _(
        "A group consists of all instances of a question. It scores 0 unless every label is correct; "
        "otherwise it gets people's score on the answerable instance. The majority counts, or its expected "
        "value if tied."
    )
    rows_of = [row for group in _complete(group_list) for row in group.rows]
    notes = [note, *_at_k(rows_of, group_list[0].count)] if group_list else note
    return table("groups", _("Answer and support with sufficiency, by group"), columns, rows, notes)


def _at_k(rows: Sequence[HitWithResponses], count: int) -> list[JSON]:
    numbers = [len(row.given) for row in rows]
    return at_k(count, len(rows), fewer=sum(n < count for n in numbers), more=sum(n > count for n in numbers))


def _left_out_table(group_list: Sequence[Group]) -> Iterator[JSON]:
    reasons = Counter(reason for group in group_list if (reason := group.left_out()))
    rows = [[text_cell(REASONS[reason]), count] for reason, count in sorted(reasons.items())]
    if rows:
        yield table("groups-left-out", _("Excluded groups"), (_("Reason"), _("Groups")), rows, leads=False)


def _answer_table(rows: Sequence[HitWithResponses], level: str, count: int, seed: int) -> Iterator[JSON]:
    """The plain human score on instances labelled answerable, for comparison; "not answerable" is a wrong answer."""
    able = [row for row in rows if _is_able(row)]
    if not able:
        return
    columns = (_("Dataset"), _("HITs"), *GROUP_COLUMNS[:-1])
    table_rows = []
    for name, of in _by_dataset(able):
        figures = bootstrap_figures([_human(row, level, count) for row in of], seed)
        table_rows.append([name, len(of), *(figure.as_json() for figure in figures)])
    note = _("The human score without regard to the other instances. “Not answerable” counts as a wrong answer.")
    yield table("answerable", _("Answers to answerable instances"), columns, table_rows, [note, *_at_k(able, count)])


def _human(row: HitWithResponses, level: str, count: int) -> list[float]:
    """F1 and EM of answer and support at `count` answers, or at all answers if there are fewer."""
    scorer, gold = scorer_for(row.format), gold_support(row.example, level)
    texts, supports = zip(*((answer_text(one.answer), support_of(one.answer, level)) for one in row.given), strict=True)
    counts = [min(count, len(texts))]
    (answers,) = question_scores_by_count(texts, row.example.answers, scorer=scorer, counts=counts)
    (backed,) = support_scores_by_count(supports, gold, scorer=scorer, counts=counts)
    marks = [answers.human_score, backed.human_score]
    return [getattr(mark, part, math.nan) for mark in marks for part in ("f1", "em")]


def _hops_table(rows: Sequence[HitWithResponses], group_list: Sequence[Group], level: str, seed: int) -> Iterator[JSON]:
    """A row for each number of hops, and one for unknown numbers; no table if all are unknown."""
    hops = sorted({len(row.example.hops) for row in rows}, key=lambda number: (not number, number))
    if hops in ([], [0]):
        return
    columns = (_("Hops"), _("HITs"), _("Majority agrees with the label"), _("Groups"), *GROUP_COLUMNS)
    table_rows = []
    for number in hops:
        of = [row for row in rows if len(row.example.hops) == number]
        kept = [group for group in _complete(group_list) if group.hops == number]
        named = number or text_cell(NOT_KNOWN)
        table_rows.append([named, len(of), _agreement(of, seed), len(kept), *_group_figures(kept, level, seed)])
    behind = [{"hops": str(number)} if number else None for number in hops]
    yield table("by-hops", _("By number of hops"), columns, table_rows, of=behind)


def _worker_table(rows: Sequence[HitWithResponses], level: str, seed: int) -> Iterator[JSON]:
    work: dict[str, list[tuple[HitWithResponses, GivenResponse]]] = {}
    for row in rows:
        for given in row.given:
            work.setdefault(given.worker, []).append((row, given))
    columns = (
        _("Worker"), _("HITs"), _("Agrees with the label"), _("Answerable instances judged answerable"),
        _("Unanswerable instances judged not answerable"), _("Answer F1 where both are “answerable”"),
        _("Support F1"), _("Median seconds"),
    )  # fmt: skip
    table_rows = []
    for worker, of in sorted(work.items()):
        right = [[_right(given, row) for row, given in of if labelled(row.example) == label] for label in LABELS]
        shares = [share_of(each) for each in ([*right[0], *right[1]], *right)]
        attempts = [
            _human(replace(row, given=(given,)), level, 1)
            for row, given in of
            if given.answer["answerable"] and _is_able(row)
        ]
        marks = bootstrap_figures(attempts or [[math.nan] * 4], seed, resamples=999)
        scores = [marks[0].as_json(), marks[2].as_json()]
        table_rows.append([worker, len(of), *shares, *scores, usual_seconds(given.seconds for _row, given in of)])
    if table_rows:
        yield table("workers", _("Labels and answers by worker"), columns, table_rows)


def _is_able(row: HitWithResponses) -> bool:
    return row.example.answerable is not False and bool(row.example.answers)


def _judging_tables(rows: Sequence[HitWithResponses], seed: int) -> list[JSON]:
    judged = [(row.hit, [(given.worker, called(given.answer)) for given in row.given]) for row in rows]
    gold = {row.hit: labelled(row.example) for row in rows if labelled(row.example)}
    categories = (ANSWERABLE, UNANSWERABLE)
    on = _("answerability")
    return agreement_tables(judged, categories=categories, labels=LABELS, on=on, seed=seed, gold=gold or None)


def _text_table(rows: Sequence[HitWithResponses], level: str, seed: int) -> list[JSON]:
    """Krippendorff's alpha of the answer and its support among the responses that call an instance answerable."""
    scorers = {scorer_for(row.format) for row in rows}
    given = [{one.worker: one.answer for one in row.given if one.answer["answerable"]} for row in rows]
    supports = [{name: support_of(answer, level) for name, answer in unit.items()} for unit in given]
    alphas = [(SUPPORT, alpha_of_sets(supports, seed))]
    if len(scorers) == 1:
        texts = [{name: answer_text(answer) for name, answer in unit.items()} for unit in given]
        alphas.insert(0, (ANSWER_TEXT, alpha_of_answers(texts, scorers.pop(), seed)))
    return text_agreement_table(alphas)


def _model_table(
    hits: Sequence[HitWithResponses], group_list: Sequence[Group], level: str, seed: int
) -> Iterator[JSON]:
    """Each model's scores, and the human scores, on the groups that both completed."""
    table_rows = []
    for name in sorted({given.worker for row in hits for given in row.predicted}):
        by = of_model(name)
        both = [group for group in _complete(group_list) if not group.left_out(by)]
        if not both:
            continue
        scored = [cells(group.scores(level, by)) for group in both]
        if not any(given.answer["support"] for row in hits for given in by(row)):  # the model was not asked for any
            scored = [[*row[:2], math.nan, math.nan, *row[4:]] for row in scored]
        own = bootstrap_figures(scored, seed)
        table_rows.append([name, len(both), *(figure.as_json() for figure in own)])
        table_rows.append([text_cell(_("people")), len(both), *_group_figures(both, level, seed)])
    if table_rows:
        columns = (_("Model"), _("Groups"), *GROUP_COLUMNS)
        note = _("Models that predict no supporting paragraphs have no support score.")
        yield table("models", _("Models on the same groups"), columns, table_rows, note)


def _paragraph(rows: Sequence[HitWithResponses], group_list: Sequence[Group], level: str, seed: int) -> Iterator[JSON]:
    if not rows:
        return
    agreeing = math.fsum(agreed(row) for row in rows)
    instances = counted(len(rows), _("of one instance"), _("of %(n)s instances"))
    message = _("By majority, people agreed with the label of %(agreed)s %(instances)s (%(share)s).")
    yield as_sentence(
        message, agreed=f"{agreeing:g}", instances=instances, share=percent_with_interval(_agreement(rows, seed))
    )
    if tied := sum(not _majority(row) for row in rows):
        yield counted_sentence(
            tied,
            _("One is tied and counts with the probability that it is correct."),
            _("%(n)s are tied and count with the probability that they are correct."),
        )
    kept = _complete(group_list)
    if kept:
        answer, _em, support, _support_em, labels = _group_figures(kept, level, seed)
        groups_ = counted(len(kept), _("On one whole group"), _("On %(n)s whole groups"))
        if answer["value"] is not None:
            message = _("%(groups)s they scored %(answer)s answer F1 with sufficiency.")
            yield as_sentence(message, groups=groups_, answer=percent_with_interval(answer))
        if support["value"] is not None:
            message = _("%(groups)s they scored %(support)s support F1 with sufficiency.")
            yield as_sentence(message, groups=groups_, support=percent_with_interval(support))
        message = _("%(groups)s all labels were correct in %(labels)s.")
        yield as_sentence(message, groups=groups_, labels=percent_with_interval(labels))
    if left := len(group_list) - len(kept):
        yield counted_sentence(left, _("One group was excluded."), _("%(n)s groups were excluded."))


def _warnings(hits: Sequence[HitWithResponses], labelled_rows: Sequence[HitWithResponses]) -> Iterator[JSON]:
    if hits and not labelled_rows:
        yield as_sentence(_("The source does not contain the labels, so agreement with them cannot be measured."))
    elif len(labelled_rows) > 1 and len({labelled(row.example) for row in labelled_rows}) == 1:
        yield as_sentence(
            _("All labels are the same, so agreement with them cannot distinguish careful from careless responses.")
        )
