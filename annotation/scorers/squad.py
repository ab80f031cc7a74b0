"""SQuAD's official figures in percent: version 1.1 and, by the file's `version`, 2.0 with unanswerable
questions.

A question without a prediction scores 0 in 1.1. In 2.0 the official script stops with an error; here the file is
refused, unless missing predictions are to count as "no answer".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.formats.storable import shown
from annotation.pure.statistics.metrics import SQUAD, SQUAD_1, Score
from annotation.scorers.base import BadRecords, Figures, Prediction, Source, gold_file, predictions_file

NAMED = 3  # of the questions without a prediction, in the message


class Squad:
    """SQuAD's scorer. Predictions are one object `{id: text}`; "" means no answer."""

    name = "squad"
    rank = 3
    options: tuple[str, ...] = ("missing",)

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        source = predictions_file(path)
        predicted = source.document()
        for item_id in predicted:
            answer = source.text(predicted, item_id, place="prediction", record_id=item_id)
            yield Prediction(item_id, answer=answer, answerable=bool(answer))

    def evaluate(self, gold: Path, predictions: Path, *, missing: str = "") -> Figures:
        """With `missing` "empty", 2.0 reads a missing prediction as "no answer"; otherwise it is refused."""
        rights, guesses = gold_file(gold), predictions_file(predictions)
        document, predicted = rights.document(), guesses.document()
        questions = list(_questions(rights, document))
        if not questions:
            raise rights.bad("the file", "", field="data", wrong="it has no questions", fix="Give some")
        if _is_second(document, questions):
            return _second(questions, predicted, guesses=guesses, empty=missing == "empty")
        return _first(questions, predicted, guesses=guesses, rights=rights)


@dataclass(frozen=True, slots=True)
class _Question:
    item_id: str
    answers: tuple[str, ...]
    flagged: bool  # the record says whether it is impossible


def _questions(source: Source, document: Mapping[str, Any]) -> Iterator[_Question]:
    try:
        for article in document["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    if "answers" not in question:
                        fix = "Give the answers; a file for testing has none, so it cannot be scored against"
                        item_id = str(question["id"])
                        raise source.bad("the file", item_id, field="answers", wrong="the field is missing", fix=fix)
                    answers = tuple(str(answer["text"]) for answer in question["answers"])
                    yield _Question(str(question["id"]), answers, "is_impossible" in question)
    except (KeyError, TypeError) as error:
        wrong = f"not the layout of SQuAD ({type(error).__name__}: {error})"
        fix = "Give data > paragraphs > qas > id, answers > text"
        raise source.bad("the file", "", field="data", wrong=wrong, fix=fix) from error


def _is_second(document: Mapping[str, Any], questions: list[_Question]) -> bool:
    version = document.get("version")
    if isinstance(version, str) and version.strip():
        return version.strip().lstrip("vV").startswith("2")
    return any(question.flagged for question in questions)


def _first(questions: list[_Question], predicted: Mapping[str, Any], *, guesses: Source, rights: Source) -> Figures:
    em = f1 = 0.0
    for question in questions:
        if not question.answers:
            fix = "Give an answer, or the version 2.0"
            raise rights.bad("the file", question.item_id, field="answers", wrong="there is none", fix=fix)
        if question.item_id in predicted:
            answer = guesses.text(predicted, question.item_id, place="prediction", record_id=question.item_id)
            score = SQUAD_1.answer(answer, question.answers)
            em += score.em
            f1 += score.f1
    return {"exact_match": 100.0 * em / len(questions), "f1": 100.0 * f1 / len(questions)}


def _second(questions: list[_Question], predicted: Mapping[str, Any], *, guesses: Source, empty: bool) -> Figures:
    lacking = [question.item_id for question in questions if question.item_id not in predicted]
    if len(lacking) == len(questions):
        wrong = "none of the ids is in the gold file"
        raise guesses.bad("the file", "", field="id", wrong=wrong, fix="Give predictions of these questions")
    if lacking and not empty:
        raise _missing(lacking, len(questions), guesses)
    scores: dict[str, Score] = {}
    for question in questions:
        gold = SQUAD.gold(question.answers, answerable=bool(question.answers)) or ("",)
        answer = ""
        if question.item_id in predicted:
            answer = guesses.text(predicted, question.item_id, place="prediction", record_id=question.item_id)
        scores[question.item_id] = SQUAD.answer(answer, gold)
    answerable = {question.item_id: bool(question.answers) for question in questions}
    return {
        **_percents("", list(scores.values())),
        **_percents("HasAns_", [score for item, score in scores.items() if answerable[item]]),
        **_percents("NoAns_", [score for item, score in scores.items() if not answerable[item]]),
    }


def _missing(lacking: list[str], questions: int, guesses: Source) -> BadRecords:
    some = ", ".join(map(shown, lacking[:NAMED])) + (" and others" if len(lacking) > NAMED else "")
    wrong = f"{len(lacking)} of {questions} questions have no prediction: {some}"
    fix = 'Give one for each, "" where there is no answer, or use --missing empty to take them as ""'
    return guesses.bad("the file", "", field="id", wrong=wrong, fix=fix)


def _percents(prefix: str, scores: list[Score]) -> Figures:
    """Nothing for no scores, as in the official output."""
    n = len(scores)
    if not n:
        return {}
    exact, f1 = sum(score.em for score in scores), sum(score.f1 for score in scores)
    return {f"{prefix}exact": 100.0 * exact / n, f"{prefix}f1": 100.0 * f1 / n, f"{prefix}total": n}


SCORER = Squad()
