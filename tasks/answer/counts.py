"""Figures at an equal number of responses per item (k): the choice of k, and figures with 1, 2, ... responses."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from annotation.pure.data.example import Example
from annotation.pure.reports.human_scores import (
    MEASURES,
    PARTS,
    Mark,
    question_scores_by_count,
    random_human_score,
    random_support_score,
    support_scores_by_count,
)
from annotation.pure.statistics.metrics import Scorer
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.answering import answer_text, gold_support, support_of

Row = list[float]
HALF = len(MEASURES) * len(PARTS)  # the cells of the answer, before those of the support
HUMAN = MEASURES.index("human_score") * len(PARTS)


def slim(row: HitWithResponses) -> HitWithResponses:
    """The row without its texts, so that all rows of a large batch fit into memory."""
    payload = {"paragraphs": [None] * len(row.payload["paragraphs"])}
    return replace(row, payload=payload, example=replace(row.example, paragraphs=()))


def cells_by_count(
    example: Example,
    answers: Sequence[JSON],
    *,
    scorer: Scorer,
    level: str,
    ties: int | None,
    counts: Sequence[int] = (),
) -> list[Row]:
    """EM and F1 of each measure, of answer and support, with 1, 2, ... or `counts` of the answers.

    With `ties`, a seed, the human score is that of one of the tied majorities, drawn at random as in the paper.
    """
    gold, right = scorer.gold(example.answers, example.answerable), gold_support(example, level)
    texts, supports = [answer_text(a) for a in answers], [support_of(a, level) for a in answers]
    counts = counts or range(1, len(answers) + 1)
    answer_scores = question_scores_by_count(texts, gold, scorer=scorer, counts=counts)
    backed = support_scores_by_count(supports, right, scorer=scorer, counts=counts)
    rows = [one.cells() + other.cells() for one, other in zip(answer_scores, backed, strict=True)]
    if ties is None:
        return rows
    for count, row in zip(counts, rows, strict=True):
        rng = Random(f"{ties}/{example.id}/{count}")
        if gold is not None:
            some = rng.sample(sorted(texts), count)
            row[HUMAN : HUMAN + 2] = _pair(random_human_score(some, gold, scorer=scorer, rng=rng))
        if right is not None:
            ticked = rng.sample(sorted(supports, key=lambda one: sorted(map(repr, one))), count)
            row[HALF + HUMAN : HALF + HUMAN + 2] = _pair(random_support_score(ticked, right, scorer=scorer, rng=rng))
    return rows


def _pair(mark: Mark) -> Row:
    return [mark.em, mark.f1]
