"""SubQA's figures (Tang et al. 2021): the question and its two sub-questions, separately and jointly.

The release has no evaluator; the definitions are the paper's. Gold is the three arrays of the release in a folder,
predictions are three files of the same names, each one object `{id: answer}`. A missing answer is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.pure.derivations.subquestions import failure_rate, matches_partially, shares
from annotation.pure.statistics.metrics import HOTPOTQA
from annotation.scorers.base import BadGold, BadPredictions, Source, percent

PARTS = {"q": "ori", "sub1": "sub1", "sub2": "sub2"}  # figure -> how the file's name ends
DECIMALS = {"em": 1, "f1": 2, "pm": 1}  # the paper's

Pair = tuple[str, str]  # (prediction, gold)


class SubQA:
    """`evaluate --format subqa --gold FOLDER --predictions FOLDER`."""

    name = "subqa"
    rank = 6
    options: tuple[str, ...] = ("decimals",)

    def evaluate(self, gold: Path, predictions: Path, *, decimals: int | None = None) -> dict[str, Any]:
        """`n`, then EM, F1 and PM of each part, then the eight outcomes under EM and PM; percent, as in the paper.

        `decimals` rounds all figures. Raises BadGold, BadPredictions.
        """
        answers = {part: _answers(_file(gold, end, BadGold)) for part, end in PARTS.items()}
        _same_length(gold, answers)
        pairs = {part: _pairs(_file(predictions, end, BadPredictions), answers[part]) for part, end in PARTS.items()}
        places = DECIMALS if decimals is None else dict.fromkeys(DECIMALS, decimals)
        figures: dict[str, Any] = {"n": len(answers["q"])}
        for part, answer_pairs in pairs.items():
            earned: dict[str, Sequence[float]] = {
                "em": [_exact(pair) for pair in answer_pairs],
                "f1": [HOTPOTQA.answer(prediction, (right,)).f1 for prediction, right in answer_pairs],
                "pm": [matches_partially(*pair) for pair in answer_pairs],
            }
            figures[part] = {name: percent(values, places[name]) for name, values in earned.items()}
        for name, right in (("em", _exact), ("pm", lambda pair: matches_partially(*pair))):
            figures[name] = _table(pairs, right, places[name])
        return figures


def _table(pairs: Mapping[str, Sequence[Pair]], right: Callable[[Pair], bool], places: int) -> dict[str, float | None]:
    table = shares((right(q), right(one), right(two)) for q, one, two in zip(*pairs.values(), strict=True))
    rate = failure_rate(table)
    rounded: dict[str, float | None] = {name: round(share, places) for name, share in table.items()}
    return rounded | {"failure_rate": None if rate is None else round(rate, places)}


def _exact(pair: Pair) -> bool:
    return HOTPOTQA.answer(pair[0], (pair[1],)).em == 1.0


def _file(folder: Path, end: str, error: type[BadGold] | type[BadPredictions]) -> Source:
    source = Source(folder, error)
    if not folder.is_dir():
        fix = "Give the folder that holds dev_ori.json, dev_sub1.json and dev_sub2.json"
        raise source.bad("the path", "", field="content", wrong="it is not a folder", fix=fix)
    files = sorted(path for path in folder.iterdir() if f"_{end}." in path.name and path.is_file())
    if len(files) != 1:
        wrong = f"the folder has {len(files)} files whose name ends in _{end}"
        raise source.bad("the folder", "", field="files", wrong=wrong, fix=f"Give one, such as dev_{end}.json")
    return Source(files[0], error)


def _answers(source: Source) -> list[tuple[str, str]]:
    """(id, answer) of each record, in order."""
    answers = []
    for place, record in source.objects():
        record_id = source.text(record, "_id", place=place)
        answers.append((record_id, source.text(record, "answer", place=place, record_id=record_id)))
    if not answers:
        raise source.without_questions()
    return answers


def _same_length(folder: Path, answers: Mapping[str, Sequence[Any]]) -> None:
    if len({len(members) for members in answers.values()}) > 1:
        lengths = ", ".join(f"{PARTS[part]} {len(members)}" for part, members in answers.items())
        wrong, fix = f"the arrays differ in length: {lengths}", "Row i of each array must belong together"
        raise Source(folder, BadGold).bad("the folder", "", field="files", wrong=wrong, fix=fix)


def _pairs(source: Source, gold: Sequence[tuple[str, str]]) -> list[Pair]:
    texts = source.document()
    if not any(record_id in texts for record_id, _answer in gold):
        fix = "Use the _id of the gold file's records"
        raise source.bad("the file", "", field="_id", wrong="none of the ids is in the gold file", fix=fix)
    return [
        (source.text(texts, record_id, place="prediction", record_id=record_id) if record_id in texts else "", right)
        for record_id, right in gold
    ]


SCORER = SubQA()
