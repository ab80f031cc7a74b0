"""The human DiRe row: from the responses of five arms to the scores of people and of models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation.flow.reports.batch_scores import MODEL_CONFIDENCE
from annotation.pure.data.example import Example, with_distinct_titles
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.studies import human_dire_report
from annotation.pure.studies.human_dire import ARMS, CLOSED_BOOK, ORIGINAL, PROBE, Instance, Question, Response, paired
from annotation.tasktype import GivenResponse, HitWithResponses
from annotation.tasktype.helpers.answering import answer_text

__all__ = ["ARMS", "analyse"]

Rows = Mapping[str, Mapping[str, list[HitWithResponses]]]  # by question and arm
By = Callable[[HitWithResponses], Sequence[GivenResponse]]


def analyse(hits: Mapping[str, Iterable[HitWithResponses]], *, seed: int) -> dict[str, Any]:
    """The report of people and of each model with predictions (pure/studies/human_dire_report).

    Excluded HITs leave their arm of the question out; a question without gold has no scores.
    """
    rows: defaultdict[str, defaultdict[str, list[HitWithResponses]]] = defaultdict(lambda: defaultdict(list))
    for arm in ARMS:
        for row in hits[arm]:
            rows[row.example.group or row.example.id][arm].append(row)
    models = {one.worker for arms in rows.values() for some in arms.values() for row in some for one in row.predicted}
    shown = {key: {arm: some for arm, some in arms.items() if arm != CLOSED_BOOK} for key, arms in rows.items()}
    by_model = {name: _questions(shown, _of_model(name)) for name in models}  # their predictions saw the paragraphs
    return human_dire_report.report(_questions(rows, lambda row: row.given), by_model, seed)


def _of_model(name: str) -> By:
    return lambda row: [given for given in row.predicted if given.worker == name]


def _questions(rows: Rows, by: By) -> list[Question]:
    found = []
    for key in sorted(rows):
        originals = rows[key].get(ORIGINAL)
        if originals and originals[0].example.answers and originals[0].example.supports:
            found.append(_question(key, originals[0], rows[key], by))
    return found


def _question(key: str, original: HitWithResponses, arms: Mapping[str, list[HitWithResponses]], by: By) -> Question:
    example = original.example
    named = _titles(example)
    support = [named[k] for k in sorted(set(example.supports or ()))]
    instances = {
        # in an order that is the same in every run
        arm: tuple(_instance(row, by) for row in sorted(some, key=lambda row: _titles(row.example)) if not row.excluded)
        for arm, some in arms.items()
    }
    instances[PROBE] = paired(instances.get(PROBE, ()), support)
    return Question(key, example.answers, frozenset(support), scorer_for(original.format), instances)


def _instance(row: HitWithResponses, by: By) -> Instance:
    named = _titles(row.example)
    kept = frozenset(named[k] for k in row.example.supports or ())
    given = sorted(by(row), key=lambda one: one.worker)
    return Instance(kept, tuple(_response(one, named) for one in given), row.example.answerable)


def _response(given: GivenResponse, named: Sequence[str]) -> Response:
    said = given.answer
    sure = said.get(MODEL_CONFIDENCE, said.get("confidence"))
    if said.get("answerable") is False:
        return Response(given.worker, "", sufficient=False)
    support = frozenset(named[k] for k in said["support"])
    return Response(given.worker, answer_text(said), support, float(sure or 0), sufficient=said.get("answerable"))


def _titles(example: Example) -> list[str]:
    return [paragraph.title for paragraph in with_distinct_titles(example.paragraphs)]
