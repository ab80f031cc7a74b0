"""The report of `sufficiency`: proxies, excluded questions, and the expected drop of the human score."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.reports.tables import counted, counted_sentence
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.review.label_tables import side_by_side
from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.worker_intervals import without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import (
    about,
    as_sentence,
    by_question,
    counted_rows,
    given_labels,
    label_tables,
    percent_with_interval,
    report,
    share,
    table,
    text_cell,
    units,
    workers_of,
)

from .decisions import (
    AGREEMENT,
    FIRM,
    INSUFFICIENT,
    SPLIT,
    SUFFICIENT,
    UNDECIDED,
    UNSURE,
    VERDICT,
    VERDICTS,
    SufficiencyOptions,
    name_of,
    pair_of,
)
from .proxies import (
    EXCLUDED,
    MISSING,
    REASONS,
    Question,
    Ruled,
    by_dataset,
    drop_range,
    mean_drop,
    questions,
    rounded,
    ruled,
)

ALL = ""  # the key of all datasets together
INTERVALS = _(
    "Shares with 95 % Wilson intervals; the interval of the expected drop covers all rates of the rate's interval"
)


def sufficiency_report(hits: Iterable[HitWithResponses], options: SufficiencyOptions, *, seed: int) -> JSON:
    """Tables over pairs and over the questions that they make up."""
    hits = list(hits)
    pairs = ruled(hits, options)
    all_questions = questions(pairs)
    groups = _groups(all_questions)
    drops = [each for name, of in groups for each in _drops(name, of, options)]
    tables = [
        _proxy_table(groups),
        _drop_table(drops),
        _replaced_table(all_questions),
        _reason_table(groups),
        _pair_table(pairs),
        *_people_table(hits, options),
        *_model_table(hits, pairs, all_questions),
        *_agreement(hits, options, seed=seed),
    ]
    paragraph = [*_paragraph(all_questions, pairs, drops), *about(hits, intervals=bool(drops)), _rule(options)]
    warnings = _warnings(hits, all_questions)
    content = report(hits, tables, paragraph=paragraph, intervals=INTERVALS, warnings=warnings)
    return content | {"expected_drop": drops}


def _people_table(hits: Sequence[HitWithResponses], options: SufficiencyOptions) -> list[JSON]:
    """Dependence of the proxy rate on single workers; questions count while annotators agree on all their pairs."""

    def proxy(rows: Sequence[HitWithResponses]) -> float | None:
        complete = _counted(questions(ruled(rows, options)))
        return float(bool(complete[0].proxies())) if complete else None

    figure = without_one(units(by_question(hits), proxy))
    return people_table([(text_cell(_("Proxy rate")), None, figure)], workers_of(hits))


def _groups(question_list: Sequence[Question]) -> list[tuple[str, list[Question]]]:
    """(name, questions) of each dataset; if there are several, first (ALL, all questions)."""
    datasets = list(by_dataset(question_list).items())
    return datasets if len(datasets) < 2 else [(ALL, list(question_list)), *datasets]


def _named(name: str) -> object:
    return name or text_cell(_("all"))


def _counted(question_list: Iterable[Question]) -> list[Question]:
    return [question for question in question_list if not question.left_out()]


def _proxy_table(groups: Sequence[tuple[str, list[Question]]]) -> JSON:
    columns = (_("Dataset"), _("Questions"), _("Left out"), _("Counted"), _("With a proxy"), _("Proxy rate"))
    rows = []
    for name, of in groups:
        complete = _counted(of)
        rows.append([_named(name), len(of), len(of) - len(complete), *_proxy_cells(complete)])
    note = _(
        "The other paragraph is a proxy if it can replace a supporting paragraph: the pair is sufficient "
        "with either of them."
    )
    return table("proxies", _("Proxies"), columns, rows, note)


def _proxy_cells(complete: Sequence[Question]) -> list[Any]:
    """The number of complete questions, the number with a proxy, and its share."""
    proxies = sum(bool(question.proxies()) for question in complete)
    return [len(complete), proxies, share(proxies, len(complete))]


def _drops(name: str, of: Sequence[Question], options: SufficiencyOptions) -> list[JSON]:
    """The expected drop of one dataset at each rate that may be quoted; nothing while no question counts.

    Over questions with two supports, as the paper's formula has it. {"dataset", "others" [least, most], "n", "which",
    "p", "drop"}; at the rates as printed and unrounded, the drop also as a figure {"value", "low", "high"}.
    """
    complete = [question for question in _counted(of) if question.of == 2]
    if not complete:
        return []
    total, proxies, _share = _proxy_cells(complete)
    rate = wilson(proxies, total)
    numbers = [options.others] * total if options.others else [question.others for question in complete]
    rates = {"rounded": rounded(proxies, total), "value": rate.value, "low": rate.low, "high": rate.high}
    values = {"dataset": name, "others": [min(numbers), max(numbers)], "n": total}
    drops = {which: mean_drop(p, numbers) for which, p in rates.items() if p is not None}
    low, high = drop_range(rate.low or 0.0, rate.high or 1.0, numbers)
    ends = {"low": min(low, *drops.values()), "high": max(high, *drops.values())}
    return [
        values
        | {"which": which, "p": rates[which], "drop": drop}
        | ({"value": drop, **ends} if which in ("rounded", "value") else {})
        for which, drop in drops.items()
    ]


WHICH = {
    "rounded": _("rate as printed, three decimals"),
    "value": _("rate unrounded"),
    "low": _("lower end of its interval"),
    "high": _("upper end of its interval"),
}


def _drop_table(drops: Sequence[JSON]) -> JSON:
    columns = (_("Dataset"), _("N"), _("At"), _("p"), _("Expected drop"))
    rows = [
        [
            _named(each["dataset"]),
            "–".join(map(str, dict.fromkeys(each["others"]))),
            text_cell(WHICH[each["which"]]),
            f"{each['p']:.3f}" if each["which"] == "rounded" else f"{each['p']:.4f}",
            f"{each['drop']:.4f}",
        ]
        for each in drops
    ]
    note = _(
        "Over questions with two supporting paragraphs, with N others, each a proxy with probability p (DiRe, "
        "appendix D)."
    )
    return table("expected-drop", _("Expected drop of the human score"), columns, rows, note)


def _replaced_table(question_list: Iterable[Question]) -> JSON:
    complete = _counted(question_list)
    most = max((question.of for question in complete), default=0)
    columns = (_("Replaces"), _("Questions"), _("Share"))
    rows = []
    for support in range(1, most + 1):
        able = [question for question in complete if question.of >= support]
        times = sum(support in question.proxies() for question in able)
        rows.append([f"f{support}", times, share(times, len(able))])
    return table("replaced", _("Which supporting paragraph the proxy replaces"), columns, rows)


def _reason_table(groups: Sequence[tuple[str, list[Question]]]) -> JSON:
    columns = (_("Dataset"), _("Reason"), _("Questions"))
    rows = []
    for name, of in groups:
        counts = Counter(question.left_out() for question in of)
        rows += [
            [_named(name), text_cell(words), counts[reason]] for reason, words in REASONS.items() if counts[reason]
        ]
    note = _(
        "A question counts if annotators agree on all of its pairs. Otherwise the first applicable reason is counted."
    )
    return table("left-out", _("Excluded questions"), columns, rows, note)


def _pair_table(pairs: Iterable[Ruled]) -> JSON:
    """Decisions by pair; shares are of the pairs on which annotators agree."""
    columns = (
        _("Pair"), _("Supports"), _("Questions"), _("Too few votes"), _("No agreement"), _("Agreed"),
        _("Sufficient"), _("Not sufficient"), _("Cannot tell"),
    )  # fmt: skip
    kinds: dict[tuple[int, tuple[int, ...]], Counter[str]] = {}
    for one in pairs:
        kinds.setdefault((one.pair.of, one.pair.supports), Counter())[one.kind] += 1
    rows = []
    for (of, supports), count in sorted(kinds.items(), key=lambda item: (item[0][0], -len(item[0][1]), item[0])):
        agreed = sum(count[kind] for kind in VERDICTS)
        shares = [share(count[kind], agreed) for kind in (SUFFICIENT, INSUFFICIENT, UNSURE)]
        rows.append([name_of(supports), of, count.total(), count[UNDECIDED], count[SPLIT], agreed, *shares])
    return table("pairs", _("How the pairs were judged"), columns, rows)


def _agreement(hits: Sequence[HitWithResponses], options: SufficiencyOptions, *, seed: int) -> list[JSON]:
    """Agreement, labels by three rules, and each worker, over pairs; the dataset's labels are the gold."""
    gold = {row.hit: pair.naive for row in hits if (pair := pair_of(row.example))}
    offered = VERDICT if options.cannot_tell else FIRM
    return label_tables(counted_rows(hits), offered.labels, on=_("sufficiency"), seed=seed, gold=gold)


def _model_table(
    hits: Sequence[HitWithResponses], pairs: Sequence[Ruled], question_list: Sequence[Question]
) -> list[JSON]:
    """The proxies by annotator models instead of the batch's rule; no table if the models cannot be fitted."""
    models = side_by_side(given_labels(counted_rows(hits), VERDICT.labels))
    if models.dawid_skene is None or models.one_coin is None:
        return []
    by_rule = [
        (_("rule of this batch"), question_list),
        (_("Dawid–Skene"), questions(_relabelled(pairs, models.dawid_skene))),
        (_("one-coin model"), questions(_relabelled(pairs, models.one_coin))),
    ]
    rows = []
    for rule, of in by_rule:
        rows.append([text_cell(rule), *_proxy_cells(_counted(of))])
    columns = (_("Agreement"), _("Counted"), _("With a proxy"), _("Proxy rate"))
    note = _("The models weight annotators by their errors. They give a label to every pair that has enough votes.")
    return [table("proxies-by-rule", _("Proxies by other rules of agreement"), columns, rows, note)]


def _relabelled(pairs: Iterable[Ruled], labels: Mapping[str, str | None]) -> list[Ruled]:
    return [
        one if one.kind in (EXCLUDED, UNDECIDED) else one._replace(kind=labels[one.row.hit] or SPLIT) for one in pairs
    ]


def _lacking(pairs: Iterable[Ruled]) -> Iterator[JSON]:
    """The share of questions whose supports are agreed not to be sufficient."""
    agreed = [one.kind for one in pairs if len(one.pair.supports) == 2 == one.pair.of and one.kind in VERDICTS]
    if agreed:
        yield counted_sentence(
            len(agreed),
            _(
                "For one question, annotators agree about both supporting paragraphs together; these are not "
                "sufficient in %(lacking)s."
            ),
            _(
                "For %(n)s questions, annotators agree about both supporting paragraphs together; these are "
                "not sufficient in %(lacking)s."
            ),
            lacking=percent_with_interval(share(agreed.count(INSUFFICIENT), len(agreed))),
        )


def _paragraph(question_list: Sequence[Question], pairs: Sequence[Ruled], drops: Sequence[JSON]) -> Iterator[JSON]:
    complete = _counted(question_list)
    if not complete:
        return
    total, proxies, rate = _proxy_cells(complete)
    yield counted_sentence(
        total,
        _("Of one question with agreement on all pairs, %(proxies)s had a proxy in the other paragraph (%(rate)s)."),
        _("Of %(n)s questions with agreement on all pairs, %(proxies)s had a proxy in the other paragraph (%(rate)s)."),
        proxies=proxies,
        rate=percent_with_interval(rate),
    )
    if left := len(question_list) - total:
        yield counted_sentence(left, _("One question was excluded."), _("%(n)s questions were excluded."))
    yield from _lacking(pairs)
    if drops:
        yield _drop_sentence({each["which"]: each for each in drops if each["dataset"] == drops[0]["dataset"]})


def _drop_sentence(at: Mapping[str, JSON]) -> JSON:
    """The expected drop of all datasets together, by the rate that it is computed from."""
    low, high = at["rounded"]["others"]
    return as_sentence(
        _(
            "The expected drop of the human score with %(others)s non-supporting paragraphs is %(printed)s "
            "(p = %(p)s), or %(drop)s unrounded [%(low)s, %(high)s]."
        ),
        others=str(low) if low == high else f"{low}–{high}",
        printed=f"{at['rounded']['drop']:.4f}",
        p=f"{at['rounded']['p']:.3f}",
        drop=f"{at['value']['drop']:.4f}",
        **{end: f"{at['value'][end]:.4f}" for end in ("low", "high")},
    )


def _rule(options: SufficiencyOptions) -> JSON:
    """A sentence on the batch's settings that the paper leaves open."""
    votes = text_cell(_("as many votes as assignments"))
    if options.votes:
        votes = counted(options.votes, _("one vote"), _("%(n)s votes"))
    return as_sentence(
        _(
            "The answer was %(shown)s, and “cannot tell” %(unsure)s. A pair needed %(votes)s, and annotators "
            "agree when %(agreement)s."
        ),
        shown=text_cell(_("shown") if options.show_answer else _("not shown")),
        unsure=text_cell(_("was a separate vote") if options.cannot_tell else _("was not offered")),
        votes=votes,
        agreement=text_cell(AGREEMENT[options.agreement]),
    )


def _warnings(hits: Sequence[HitWithResponses], question_list: Sequence[Question]) -> Iterator[JSON]:
    if strange := sum(pair_of(row.example) is None for row in hits):
        yield counted_sentence(
            strange,
            _(
                "One item does not say which pair of a question it is, as the sufficiency-pairs derivation "
                "does, so it does not count as a question."
            ),
            _(
                "%(n)s items do not say which pair of a question they are, as the sufficiency-pairs "
                "derivation does, so they do not count as questions."
            ),
        )
    if torn := sum(question.left_out() == MISSING for question in question_list):
        yield counted_sentence(
            torn,
            _("One question has pairs outside this batch: include all pairs of a question."),
            _("%(n)s questions have pairs outside this batch: include all pairs of a question."),
        )
