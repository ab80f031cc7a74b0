"""The human study's tables: human score, upper bound and agreement (MuSiQue, sections 6.1 and 7; Tables 3, 4).

All figures are 0..1, each a mean over questions with its n and 95 % interval.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from annotation.pure.distance_agreement import alpha, alpha_of_answers, alpha_of_sets
from annotation.pure.example import Example
from annotation.pure.human_scores import (
    MEASURES,
    PARTS,
    RULE,
    QuestionScores,
    pair_scores,
    question_scores,
    support_scores,
)
from annotation.pure.intervals import Figure, bootstrap_figures, method_label
from annotation.pure.metrics import Scorer, scorer_for
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Given, Judged
from tasks._answering import Support, gold_support, said, support_of
from tasks.answer.people import People

Row = list[float]
T = TypeVar("T")
COLUMNS = [(measure, part) for measure in MEASURES for part in PARTS]
SINGLE = MEASURES.index("average") * len(PARTS)  # where the cells of the single annotator begin
AGREED = MEASURES.index("agreement") * len(PARTS)


@dataclass
class _Twins:
    """What people said of the two members of a MuSiQue-Full pair."""

    example: Example | None = None
    answerable: list[tuple[str, Support]] = field(default_factory=list)
    contrast: list[str] | None = None


@dataclass
class _Study:
    """What one dataset's questions gave, question by question."""

    scorer: Scorer
    level: str
    rows: list[Row] = field(default_factory=list)
    hops: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    shapes: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    workers: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    models: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    exclusions: Counter[str] = field(default_factory=Counter)
    twins: defaultdict[str, _Twins] = field(default_factory=lambda: defaultdict(_Twins))
    given: list[tuple[int, dict[str, JSON]]] = field(default_factory=list)  # paragraphs, and the answers by worker
    single: int = 0
    people: People = field(default_factory=People)


def answer_report(judged: Iterable[Judged], *, sentences: bool, seed: int) -> JSON:
    """Tables by dataset; sentence level only in a batch of one dataset whose sentences were asked for."""
    levels = ("sentence", "paragraph") if sentences else ("paragraph",)
    studies: dict[str, dict[str, _Study]] = {}
    for row in judged:
        if row.dataset not in studies:
            studies[row.dataset] = {level: _Study(scorer_for(row.format), level) for level in levels}
        for study in studies[row.dataset].values():
            _add(study, row)
    level = levels[0] if len(studies) == 1 else "paragraph"
    datasets = {name: _dataset_json(found[level], seed) for name, found in sorted(studies.items())}
    table = [{"dataset": name, **_table_row(found)} for name, found in datasets.items()]
    return {
        "task": "answer",
        "rule": RULE,
        "intervals": method_label(seed),
        "workers": len({worker for found in studies.values() for worker in found["paragraph"].people.workers}),
        "datasets": datasets,
        "table4": table,
    }


def _add(study: _Study, judged: Judged) -> None:
    if judged.excluded or not judged.given:
        study.exclusions[judged.excluded or _("no answer yet")] += 1
        return
    answers = [given.answer for given in judged.given]
    study.given.append((len(judged.payload["paragraphs"]), {given.worker: given.answer for given in judged.given}))
    if judged.example.answerable is not None:
        _add_twin(study, judged.example, answers)
    if judged.example.answerable is False and not study.scorer.scores_unanswerable:
        study.exclusions[_("unanswerable: scored in pairs")] += 1
        return
    study.single += len(answers) == 1
    row = _cells(study, judged.example, answers)
    study.rows.append(row)
    if judged.example.hops:
        study.hops[str(len(judged.example.hops))].append(row)
    if judged.example.shape:
        study.shapes[judged.example.shape].append(row)
    own = {g.worker: _worker_cells(study, judged.example, answers, k) for k, g in enumerate(judged.given)}
    for worker, cells in own.items():
        study.workers[worker].append(cells)
    study.people.add(row, _without(study, judged, answers), own)
    for predicted in judged.predicted:
        study.models[predicted.worker].append(_model_cells(study, judged.example, predicted, row))


def _scores(study: _Study, example: Example, answers: Sequence[JSON]) -> tuple[QuestionScores, QuestionScores]:
    gold = study.scorer.gold(example.answers, example.answerable)
    told = question_scores([said(a) for a in answers], gold, scorer=study.scorer)
    supports = [support_of(a, study.level) for a in answers]
    return told, support_scores(supports, gold_support(example, study.level), scorer=study.scorer)


def _cells(study: _Study, example: Example, answers: Sequence[JSON]) -> Row:
    told, backed = _scores(study, example, answers)
    return told.cells() + backed.cells()


def _without(study: _Study, judged: Judged, answers: Sequence[JSON]) -> dict[str, Row | None]:
    """The question's cells without each of its workers; None where nobody else answered."""
    rest = {g.worker: [a for k, a in enumerate(answers) if k != place] for place, g in enumerate(judged.given)}
    return {worker: _cells(study, judged.example, others) if others else None for worker, others in rest.items()}


def _worker_cells(study: _Study, example: Example, answers: Sequence[JSON], place: int) -> Row:
    """The worker's own mark and, as agreement, their best match among the others."""
    alone = _cells(study, example, [answers[place]])
    others = [a for k, a in enumerate(answers) if k != place]
    if not others:
        return alone
    mine = answers[place]
    texts = tuple(said(a) for a in others)
    told = study.scorer.answer(said(mine), texts)
    scores = [study.scorer.support(support_of(mine, study.level), support_of(a, study.level)) for a in others]
    half = len(COLUMNS)
    alone[AGREED : AGREED + 2] = [told.em, told.f1]
    alone[half + AGREED : half + AGREED + 2] = [max(s.em for s in scores), max(s.f1 for s in scores)]
    return alone


def _model_cells(study: _Study, example: Example, predicted: Given, human: Row) -> Row:
    """EM and F1 of the model's answer and support, then people's human score less each of them."""
    cells = _cells(study, example, [predicted.answer])
    half = len(COLUMNS)
    own = [*cells[SINGLE : SINGLE + 2], *cells[half + SINGLE : half + SINGLE + 2]]
    people = [*human[0:2], *human[half : half + 2]]
    return own + [a - b for a, b in zip(people, own, strict=True)]


def _add_twin(study: _Study, example: Example, answers: Sequence[JSON]) -> None:
    twins = study.twins[example.group or example.id]
    if example.answerable:
        twins.example = example
        twins.answerable += [(said(a), support_of(a, study.level)) for a in answers]
    else:
        twins.contrast = (twins.contrast or []) + [said(a) for a in answers]


def _dataset_json(study: _Study, seed: int) -> JSON:
    found = {
        "n": len(study.rows),
        "excluded": sum(study.exclusions.values()),
        "exclusions": dict(sorted(study.exclusions.items())),
        "one_annotation": study.single,
        "scorer": study.scorer.label,
        "support_level": study.level,
        **_measures(study.rows, seed),
        "by_hops": {k: _part(rows, seed) for k, rows in sorted(study.hops.items())},
        "by_shape": {k: _part(rows, seed) for k, rows in sorted(study.shapes.items())},
        "by_worker": {k: _worker_json(rows, seed) for k, rows in sorted(study.workers.items())},
        "models": {k: _model_json(rows, seed) for k, rows in sorted(study.models.items())},
        "alpha": _alphas(study, seed),
        "people": study.people.as_json(),
    }
    pairs = [twins for twins in study.twins.values() if twins.example and twins.contrast]
    return found | ({"pairs": _pairs_json(study, pairs, seed)} if pairs else {})


def _part(rows: list[Row], seed: int) -> JSON:
    return {"n": len(rows), **_measures(rows, seed)}


def _measures(rows: list[Row], seed: int) -> JSON:
    figures = bootstrap_figures(rows or [[math.nan] * 2 * len(COLUMNS)], seed)
    half = len(COLUMNS)
    return {"answer": _by_measure(figures[:half]), "support": _by_measure(figures[half:])}


def _by_measure(figures: Sequence[Figure]) -> JSON:
    cells: JSON = {measure: {} for measure in MEASURES}
    for (measure, part), figure in zip(COLUMNS, figures, strict=True):
        cells[measure][part] = figure_json(figure)
    return cells


def figure_json(figure: Figure) -> JSON:
    return {"value": figure.value, "low": figure.low, "high": figure.high, "n": figure.n}


def _worker_json(rows: list[Row], seed: int) -> JSON:
    measured = _part(rows, seed)
    kept = ("average", "agreement")
    return {"n": measured["n"]} | {k: {m: measured[k][m] for m in kept} for k in ("answer", "support")}


def _model_json(rows: list[Row], seed: int) -> JSON:
    """The model on the same questions as people, and the paired gap: human score less the model's."""
    figures = [figure_json(f) for f in bootstrap_figures(rows, seed)]
    own, gap = figures[:4], figures[4:]
    named = [dict(zip(PARTS, part, strict=True)) for part in (own[:2], own[2:], gap[:2], gap[2:])]
    return {
        "n": len(rows),
        "answer": named[0],
        "support": named[1],
        "gap": {"answer": named[2], "support": named[3]},
    }


def _alphas(study: _Study, seed: int) -> JSON:
    """Krippendorff's alpha of the answer (1 - F1), the support (MASI), and nominal of their yes/no-like parts."""
    given = [answers for _paragraphs, answers in study.given]
    parts = {
        "answer": alpha_of_answers(_each(given, said), study.scorer, seed),
        "support": alpha_of_sets(_each(given, lambda answer: support_of(answer, study.level)), seed),
        "no_answer": alpha(_each(given, lambda answer: answer["kind"] == "none"), seed),
        "yes_no": alpha(_each(given, _closed), seed),
        "supporting_paragraph": alpha(_ticked(study), seed),
    }
    return {name: found.as_json() for name, found in parts.items()}


def _each(given: Iterable[dict[str, JSON]], part: Callable[[JSON], T]) -> list[dict[str, T]]:
    return [{worker: part(answer) for worker, answer in answers.items()} for answers in given]


def _closed(answer: JSON) -> str:
    return str(answer["kind"]) if answer["kind"] in {"yes", "no"} else "words"


def _ticked(study: _Study) -> Iterator[dict[str, bool]]:
    """Whether each paragraph of each question was ticked."""
    for paragraphs, answers in study.given:
        for place in range(paragraphs):
            yield {worker: place in answer["support"] for worker, answer in answers.items()}


def _pairs_json(study: _Study, pairs: Sequence[_Twins], seed: int) -> JSON:
    """MuSiQue-Full by people: 0 where answerability is wrong for either twin (MuSiQue, section 6.1)."""
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
            scorer=study.scorer,
        )
        rows.append([marks.answer.em, marks.answer.f1, marks.support.em, marks.support.f1, marks.answerability])
    figures = [figure_json(f) for f in bootstrap_figures(rows or [[math.nan] * 5], seed)]
    answer, support_ = (dict(zip(PARTS, part, strict=True)) for part in (figures[:2], figures[2:4]))
    return {"n": len(rows), "answer": answer, "support": support_, "answerability": figures[4]}


def _table_row(found: JSON) -> JSON:
    """A row in the layout of MuSiQue's Table 4: answer and support F1, score, upper bound, agreement."""
    measures = ("human_score", "upper_bound", "agreement")
    return {part: {m: found[part][m]["f1"] for m in measures} for part in ("answer", "support")}
