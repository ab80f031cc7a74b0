"""The human study's tables: human score, upper bound and agreement (MuSiQue, sections 6.1 and 7; Tables 3, 4).

All figures are 0..1, each a mean over questions with its n and 95 % interval.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from annotation.pure.data.example import Example
from annotation.pure.reports.calibration import Stated, calibration
from annotation.pure.reports.human_scores import MEASURES, PARTS, RANDOM_RULE, RULE, expected_best, pair_scores
from annotation.pure.statistics.distance_agreement import alpha, alpha_of_answers, alpha_of_sets
from annotation.pure.statistics.intervals import Figure, bootstrap_figures, method_label
from annotation.pure.statistics.metrics import MUSIQUE, Scorer, scorer_for
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.answering import Support, answer_text, gold_support, support_of
from annotation.tasktype.helpers.report_tables import common_count_of

from .counts import HALF, HUMAN, Row, cells_by_count, slim
from .sets import Sets
from .worker_dependence import People

T = TypeVar("T")
COLUMNS = [(measure, part) for measure in MEASURES for part in PARTS]
SINGLE = MEASURES.index("average") * len(PARTS)  # index of the single annotator's first cell
AGREED = MEASURES.index("agreement") * len(PARTS)
UNKNOWN = [math.nan] * len(PARTS)


@dataclass
class _Twins:
    """Responses to the two members of a MuSiQue-Full pair."""

    example: Example | None = None
    answerable: list[tuple[str, Support]] = field(default_factory=list)
    contrast: list[str] | None = None
    scorer: Scorer = MUSIQUE


@dataclass
class _Study:
    """The scores of one dataset's questions, question by question."""

    level: str
    count: int  # of answers an item: k
    supported: bool  # whether any response names a support; else none was asked for, and it has no figures
    ties: int | None = None  # the seed by which ties are broken; None: the expected value over them
    rows: list[Row] = field(default_factory=list)
    hops: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    shapes: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    workers: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    models: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    baselines: defaultdict[tuple[str, str], list[Row]] = field(default_factory=lambda: defaultdict(list))
    supporting: set[str] = field(default_factory=set)  # the models that name a support anywhere
    exclusions: Counter[str] = field(default_factory=Counter)
    twins: defaultdict[str, _Twins] = field(default_factory=lambda: defaultdict(_Twins))
    given: list[tuple[int, dict[str, JSON]]] = field(default_factory=list)  # paragraphs, and the answers by worker
    curve: defaultdict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))  # by number of answers
    single: int = 0
    fewer: int = 0  # items with fewer answers than k
    more: int = 0
    people: People = field(default_factory=People)
    sets: Sets = field(default_factory=Sets)
    stated: list[Stated] = field(default_factory=list)  # confidences of responses that can be scored
    scorers: dict[str, Scorer] = field(default_factory=dict)  # of its questions, by their labels


def answer_report(hits: Iterable[HitWithResponses], *, sentences: bool, seed: int, random_ties: bool = False) -> JSON:
    """Tables by dataset; sentence level only in a batch of one dataset whose sentences were asked for."""
    levels = ("sentence", "paragraph") if sentences else ("paragraph",)
    rows = [slim(row) for row in hits]
    count, ties = common_count_of(rows), seed if random_ties else None
    answers = [(row.dataset, given.answer) for row in rows for given in row.given]
    named = {(name, level) for name, answer in answers for level in levels if support_of(answer, level)}
    studies: dict[str, dict[str, _Study]] = {}
    for row in rows:
        if row.dataset not in studies:
            of = {level: _Study(level, count, (row.dataset, level) in named, ties) for level in levels}
            studies[row.dataset] = of
        for study in studies[row.dataset].values():
            _add(study, row)
    level = levels[0] if len(studies) == 1 else "paragraph"
    datasets = {name: _dataset_json(result[level], seed) for name, result in sorted(studies.items())}
    table = [{"dataset": name, **_table_row(result)} for name, result in datasets.items()]
    return {
        "rule": RANDOM_RULE if random_ties else RULE,
        "ties": "random" if random_ties else "expected",
        "intervals": method_label(seed),
        "k": count,
        "workers": len({worker for result in studies.values() for worker in result["paragraph"].people.workers}),
        "datasets": datasets,
        "table4": table,
    }


def _add(study: _Study, hit: HitWithResponses) -> None:
    scorer = scorer_for(hit.format)
    study.scorers[scorer.label] = scorer
    if hit.excluded or not hit.given:
        study.exclusions[hit.excluded or _("no response yet")] += 1
        return
    answers = [given.answer for given in hit.given]
    study.given.append((len(hit.payload["paragraphs"]), {given.worker: given.answer for given in hit.given}))
    if hit.example.answerable is not None:
        _add_twin(study, hit, answers)
    study.stated += _stated(hit, scorer)
    study.sets.add(hit)
    if hit.example.answerable is False and not scorer.scores_unanswerable:
        study.exclusions[_("unanswerable: scored in pairs")] += 1
        return
    study.single += len(answers) == 1
    study.fewer += len(answers) < study.count
    study.more += len(answers) > study.count
    by_count = _by_count(study, hit, answers)
    for count, cells in enumerate(by_count, 1):
        study.curve[count].append(cells)
    row = by_count[min(study.count, len(by_count)) - 1]
    study.rows.append(row)
    study.hops[str(len(hit.example.hops) or "")].append(row)
    study.shapes[hit.example.shape].append(row)
    own = {g.worker: _worker_cells(study, hit, answers, k) for k, g in enumerate(hit.given)}
    for worker, cells in own.items():
        study.workers[worker].append(cells)
    study.people.add(row, _without(study, hit, answers), own)
    for key, given in hit.baselines.items():
        study.baselines[key].append(_against(_cells(study, hit, given)[HUMAN : HUMAN + 2], row))
    for predicted in hit.predicted:
        study.models[predicted.worker].append(_model_cells(study, hit, predicted, row))
        if support_of(predicted.answer, study.level):
            study.supporting.add(predicted.worker)


def _stated(row: HitWithResponses, scorer: Scorer) -> Iterator[Stated]:
    """Confidences of responses, right by exact match, or by “no answer” to an unanswerable question."""
    gold, impossible = scorer.gold(row.example.answers), row.example.answerable is False
    for given in row.given:
        confidence = given.answer.get("confidence")
        if confidence is not None and (gold or impossible):
            none = given.answer["kind"] == "none"
            right = none if impossible else scorer.answer(answer_text(given.answer), gold or ()).em == 1
            yield Stated(row.hit, given.worker, confidence, right)


def _by_count(study: _Study, hit: HitWithResponses, answers: Sequence[JSON], counts: Sequence[int] = ()) -> list[Row]:
    scorer = scorer_for(hit.format)
    rows = cells_by_count(hit.example, answers, scorer=scorer, level=study.level, ties=study.ties, counts=counts)
    return rows if study.supported else [[*row[:HALF], *[math.nan] * HALF] for row in rows]


def _cells(study: _Study, row: HitWithResponses, answers: Sequence[JSON]) -> Row:
    """Cells at k responses, or with all if there are fewer."""
    return _by_count(study, row, answers, [min(study.count, len(answers))])[0]


def _without(study: _Study, row: HitWithResponses, answers: Sequence[JSON]) -> dict[str, Row | None]:
    """The question's cells without each of its workers; None if there is no other answer."""
    rest = {g.worker: [a for k, a in enumerate(answers) if k != place] for place, g in enumerate(row.given)}
    return {worker: _cells(study, row, others) if others else None for worker, others in rest.items()}


def _worker_cells(study: _Study, row: HitWithResponses, answers: Sequence[JSON], place: int) -> Row:
    """The worker's own mark and, as agreement, their best match among the others, among k - 1 of them."""
    alone, scorer = _cells(study, row, [answers[place]]), scorer_for(row.format)
    others = [a for k, a in enumerate(answers) if k != place]
    if not others:
        return alone
    own, drawn = answers[place], max(1, study.count - 1)
    answer_scores = [scorer.answer(answer_text(own), (answer_text(a),)) for a in others]
    backed = [scorer.support(support_of(own, study.level), support_of(a, study.level)) for a in others]
    for start, scores in ((0, answer_scores), (HALF, backed)) if study.supported else ((0, answer_scores),):
        best = [expected_best([getattr(score, part) for score in scores], drawn) for part in PARTS]
        alone[start + AGREED : start + AGREED + 2] = best
    return alone


def _model_cells(study: _Study, row: HitWithResponses, predicted: GivenResponse, human: Row) -> Row:
    """EM and F1 of answer and support: the model's, the human score on the same question, and human minus model."""
    cells = _cells(study, row, [predicted.answer])
    return _against([*cells[SINGLE : SINGLE + 2], *cells[HALF + SINGLE : HALF + SINGLE + 2]], human)


def _against(own: Sequence[float], human: Row) -> Row:
    """EM and F1 of an answer, or also of its support, the human score on the same question, and their difference."""
    own = [*own, *UNKNOWN][: 2 * len(PARTS)]
    people = [*human[HUMAN : HUMAN + 2], *human[HALF + HUMAN : HALF + HUMAN + 2]]
    return [*own, *people, *(a - b for a, b in zip(people, own, strict=True))]


def _add_twin(study: _Study, row: HitWithResponses, answers: Sequence[JSON]) -> None:
    example = row.example
    twins = study.twins[example.group or example.id]
    if example.answerable:
        twins.example, twins.scorer = example, scorer_for(row.format)
        twins.answerable += [(answer_text(a), support_of(a, study.level)) for a in answers]
    else:
        twins.contrast = (twins.contrast or []) + [answer_text(a) for a in answers]


def _dataset_json(study: _Study, seed: int) -> JSON:
    result = {
        "n": len(study.rows),
        "excluded": sum(study.exclusions.values()),
        "exclusions": dict(sorted(study.exclusions.items())),
        "one_annotation": study.single,
        "fewer": study.fewer,
        "more": study.more,
        "scorer": ", ".join(sorted(study.scorers)),
        "support_level": study.level,
        **_measures(study.rows, seed),
        "by_hops": _parts(study.hops, seed),
        "by_shape": _parts(study.shapes, seed),
        "by_count": {str(k): _part(rows, seed) for k, rows in sorted(study.curve.items())},
        "by_worker": {k: _worker_json(rows, seed) for k, rows in sorted(study.workers.items())},
        "models": {k: _model_json(rows, k in study.supporting, seed) for k, rows in sorted(study.models.items())},
        "alpha": _alphas(study, seed),
        "people": study.people.as_json(),
    }
    if study.baselines:
        result["baselines"] = [
            {"shown": shown, "model": model, **_model_json(rows, False, seed)}
            for (shown, model), rows in sorted(study.baselines.items(), key=lambda one: (one[0][1], one[0][0]))
        ]
    pairs = [twins for twins in study.twins.values() if twins.example and twins.contrast]
    result |= {"sets": study.sets.as_json(seed)} if study.sets.rows else {}
    calibrated = {"calibration": calibration(study.stated, seed)} if study.stated else {}
    return result | calibrated | ({"pairs": _pairs_json(study, pairs, seed)} if pairs else {})


def _parts(slices: Mapping[str, list[Row]], seed: int) -> JSON:
    """The figures of each slice in order, the unknown slice ("") last; {} if all are unknown."""
    known = sorted(name for name in slices if name)
    return {name: _part(slices[name], seed) for name in ([*known, ""] if known else []) if name in slices}


def _part(rows: list[Row], seed: int) -> JSON:
    return {"n": len(rows), **_measures(rows, seed)}


def _measures(rows: list[Row], seed: int) -> JSON:
    figures = bootstrap_figures(rows or [[math.nan] * 2 * len(COLUMNS)], seed)
    return {"answer": _by_measure(figures[:HALF]), "support": _by_measure(figures[HALF:])}


def _by_measure(figures: Sequence[Figure]) -> JSON:
    cells: JSON = {measure: {} for measure in MEASURES}
    for (measure, part), figure in zip(COLUMNS, figures, strict=True):
        cells[measure][part] = figure.as_json()
    return cells


def _worker_json(rows: list[Row], seed: int) -> JSON:
    measured = _part(rows, seed)
    kept = ("average", "agreement")
    return {"n": measured["n"]} | {k: {m: measured[k][m] for m in kept} for k in ("answer", "support")}


def _model_json(rows: list[Row], supporting: bool, seed: int) -> JSON:
    """The model, the human score on the same questions, and the paired gap (human minus model).

    A model without any predicted support was not asked for support: neither it nor the gap has such figures.
    """
    if not supporting:
        rows = [[*row[:2], *UNKNOWN, *row[4:10], *UNKNOWN] for row in rows]  # of the model, of people and of the gap
    figures = iter(bootstrap_figures(rows, seed))
    model, people, gap = (
        {part: {kind: next(figures).as_json() for kind in PARTS} for part in ("answer", "support")} for _who in range(3)
    )
    return {"n": len(rows), **model, "people": people, "gap": gap}


def _alphas(study: _Study, seed: int) -> JSON:
    """Krippendorff's alpha of the answer (distance 1 - F1), the support (MASI) and their binary parts (nominal).

    Without the answer's alpha if questions have different scorers.
    """
    given = [answers for _paragraphs, answers in study.given]
    scorers = list(study.scorers.values())
    answer = {"answer": alpha_of_answers(_each(given, answer_text), scorers[0], seed)} if len(scorers) == 1 else {}
    parts = answer | {
        "no_answer": alpha(_each(given, lambda answer: answer["kind"] == "none"), seed),
        "yes_no": alpha(_each(given, _closed), seed),
    }
    if study.supported:
        ticked = list(_ticked(study))
        parts |= {
            "support": alpha_of_sets(_each(given, lambda answer: support_of(answer, study.level)), seed),
            "supporting_paragraph": alpha([labels for _n, labels in ticked], seed, clusters=[n for n, _ in ticked]),
        }
    return {name: figure.as_json() for name, figure in parts.items()}


def _each(given: Iterable[dict[str, JSON]], part: Callable[[JSON], T]) -> list[dict[str, T]]:
    return [{worker: part(answer) for worker, answer in answers.items()} for answers in given]


def _closed(answer: JSON) -> str:
    return str(answer["kind"]) if answer["kind"] in {"yes", "no"} else "words"


def _ticked(study: _Study) -> Iterator[tuple[int, dict[str, bool]]]:
    """(number of the question, whether each worker ticked it) of each paragraph."""
    for number, (paragraphs, answers) in enumerate(study.given):
        for place in range(paragraphs):
            yield number, {worker: place in answer["support"] for worker, answer in answers.items()}


def _pairs_json(study: _Study, pairs: Sequence[_Twins], seed: int) -> JSON:
    """The human score on MuSiQue-Full: 0 if answerability is wrong for either twin (MuSiQue, section 6.1)."""
    rows = []
    for twins in pairs:
        if twins.example is None or twins.contrast is None or not twins.answerable:
            continue
        support = gold_support(twins.example, study.level) or frozenset()
        marks = pair_scores(
            twins.answerable,
            twins.contrast,
            gold=twins.example.answers,
            gold_support=support,
            scorer=twins.scorer,
            count=study.count,
        )
        backed = [marks.support.em, marks.support.f1] if study.supported else [math.nan] * 2
        rows.append([marks.answer.em, marks.answer.f1, *backed, marks.labels])
    figures = [figure.as_json() for figure in bootstrap_figures(rows or [[math.nan] * 5], seed)]
    answer, support_ = (dict(zip(PARTS, part, strict=True)) for part in (figures[:2], figures[2:4]))
    return {"n": len(rows), "answer": answer, "support": support_, "answerability": figures[4]}


def _table_row(figures: JSON) -> JSON:
    """A row in the layout of MuSiQue's Table 4: answer and support F1, score, upper bound, agreement."""
    measures = ("human_score", "upper_bound", "agreement")
    return {part: {m: figures[part][m]["f1"] for m in measures} for part in ("answer", "support")}
