"""DiRe's and NMF's official figures: answer, supporting paragraphs and sentences, and both jointly, in percent.

The rows of a question are scored as one group (Trivedi et al. 2020, sections 3 and 4; NMF, sections 3 and 5):
the probes by the better-scored answer and the union of the supports, the transforms only if every sufficiency
label is right. If a question has several bi-partitions, the best one counts, separately for each figure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from annotation.pure.derivations.support_removal import SUFFICIENT
from annotation.pure.statistics.metrics import FULL, HOTPOTQA, ZERO, Score
from annotation.scorers.base import Prediction, Source, gold_file, percent, predictions_file
from annotation.scorers.dire_files import Group, Row, RowPrediction, groups_of, predictions_of

DECIMALS = 1  # as the authors' evaluation prints
BLOCKS = ("answer", "supporting_paragraphs", "supporting_sentences")
JOINT = {"joint_paragraphs": "supporting_paragraphs", "joint_sentences": "supporting_sentences"}

Scores = dict[str, Score]  # by block
NOTHING: Scores = dict.fromkeys(BLOCKS, ZERO)
Rule = Callable[[Group], list[Scores]]  # one for each bi-partition


def _of_row(row: Row, prediction: RowPrediction, gold: Row) -> Scores:
    """The scores of one prediction against the labels of `gold`."""
    return {
        "answer": HOTPOTQA.answer(prediction.answer, (gold.answer,)),
        "supporting_paragraphs": HOTPOTQA.support(prediction.paragraphs, gold.paragraphs),
        "supporting_sentences": HOTPOTQA.support(prediction.sentences, gold.sentences),
    }


def _all_right(pairs: Sequence[tuple[Row, RowPrediction]]) -> bool:
    return all(row.sufficiency == prediction.sufficiency for row, prediction in pairs)


def _combined(pairs: Sequence[tuple[Row, RowPrediction]]) -> Scores:
    """The better-scored of two answers (equal: the second) and the union of two supports."""
    (one, first), (two, second) = pairs
    answer = first.answer if first.confidence > second.confidence else second.answer
    prediction = RowPrediction(
        answer, paragraphs=first.paragraphs | second.paragraphs, sentences=first.sentences | second.sentences
    )
    gold = Row(one.answer, one.paragraphs | two.paragraphs, one.sentences | two.sentences)
    return _of_row(one, prediction, gold)


def _original(group: Group) -> list[Scores]:
    return [_of_row(row, prediction, row) for row, prediction in group.pairs[:1]]


def _transform(group: Group) -> list[Scores]:
    """The sufficient row's scores, nothing when any sufficiency is wrong."""
    if not _all_right(group.pairs):
        return [NOTHING]
    return [_of_row(row, prediction, row) for row, prediction in group.pairs if row.sufficiency == 1]


def _probe(group: Group) -> list[Scores]:
    return [_combined(group.pairs[k : k + 2]) for k in range(0, len(group.pairs), 2)]


def _probe_of_transform(group: Group) -> list[Scores]:
    """Three rows per bi-partition: the two rows with a part are scored if all three sufficiency labels are right."""
    parts = [group.pairs[k : k + 3] for k in range(0, len(group.pairs), 3)]
    return [_combined([p for p in part if p[0].sufficiency == 0]) if _all_right(part) else NOTHING for part in parts]


def _nmf_probe_of_transform(group: Group) -> list[Scores]:
    """Four rows a bi-partition (three with two supports); each part's support must be exact by itself."""
    width = 3 if len(group.pairs) == 3 else 4
    scores = []
    for start in range(0, len(group.pairs), width):
        part = group.pairs[start : start + width]
        held = [pair for pair in part if pair[0].sufficiency == 0]
        scores.append(_exact(_combined(held), held) if _all_right(part) else NOTHING)
    return scores


def _exact(scores: Scores, held: Sequence[tuple[Row, RowPrediction]]) -> Scores:
    exact = {
        "supporting_paragraphs": all(prediction.paragraphs == row.paragraphs for row, prediction in held),
        "supporting_sentences": all(prediction.sentences == row.sentences for row, prediction in held),
    }
    return {**scores, **{name: scores[name]._replace(em=float(right)) for name, right in exact.items()}}


def _trivial(group: Group) -> list[Scores]:
    """All copies must be right: for each figure the worst."""
    worst = dict.fromkeys(BLOCKS, FULL)
    for row, prediction in group.pairs:
        worst = _lower(worst, _of_row(row, prediction, row))
    return [worst]


def _lower(one: Mapping[str, Score], other: Mapping[str, Score]) -> Scores:
    """Figure by figure the smaller one."""
    return {name: Score(*map(min, one[name], other[name])) for name in BLOCKS}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: the rule that scores a group, its number of rows, its labels, and whether it is conditional."""

    name: str
    rule: Rule
    labels: tuple[int, ...] = ()  # in turn, of one bi-partition; () without sufficiency
    rows: int = 1  # per bi-partition, if there are no labels
    conditional: bool = False

    def fits(self, group: Group) -> bool:
        """Whether a question's rows have this kind's labels and number, in the order of its files."""
        labels = [row.sufficiency for row in group.rows]
        if not self.labels:
            whole = len(labels) == self.rows if self.name in {"dire-original", "dire-trivial"} else len(labels) % 2 == 0
            return bool(labels) and set(labels) == {None} and whole
        if self.rule is _transform:
            return len(labels) > 2 and sorted(map(str, labels)) == sorted(["1", *["0"] * (len(labels) - 1)])
        if self.name == "nmf-probe-of-transform" and len(labels) == 3:
            return labels == [0, -1, 0]
        return bool(labels) and labels == list(self.labels) * (len(labels) // len(self.labels))


KINDS = (
    Kind("dire-original", _original),
    Kind("dire-probe", _probe, rows=2, conditional=True),
    Kind("dire-transform", _transform, labels=(1, 0, 0)),
    Kind("dire-probe-of-transform", _probe_of_transform, labels=(-1, 0, 0)),
    Kind("dire-trivial", _trivial, rows=3),
    Kind("nmf-transform", _transform, labels=(1, 0, 0)),
    Kind("nmf-probe", _probe, rows=2, conditional=True),
    Kind("nmf-probe-of-transform", _nmf_probe_of_transform, labels=(0, -1, 0, -1)),
)


@dataclass(frozen=True, slots=True)
class DiRe:
    """`evaluate --format KIND`: gold is a file of the format `dire`, predictions are JSON lines."""

    kind: Kind
    rank: ClassVar[int] = 5

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def options(self) -> tuple[str, ...]:
        return ("decimals", "original_gold", "original_predictions") if self.kind.conditional else ("decimals",)

    def evaluate(
        self,
        gold: Path,
        predictions: Path,
        *,
        original_gold: Path | None = None,
        original_predictions: Path | None = None,
        decimals: int | None = None,
    ) -> dict[str, Any]:
        """The blocks of figures in percent, with one decimal by default, and `n` questions.

        With `original_predictions` (predictions for the original questions), a probe's figures take each question's
        smaller value of the two (eq. 7), `unconditional` holds the plain figures, and for NMF `nmf_percent` their
        percentages of the original's. The gold of the originals is the probe's, or `original_gold`.
        Raises BadGold, BadPredictions.
        """
        groups = list(self._groups(gold_file(gold), predictions_file(predictions)))
        plain = [self.kind.rule(group) for group in groups]
        places = DECIMALS if decimals is None else decimals
        if original_predictions is None:
            return _figures(plain, places)
        before = _originals(groups, original_gold, original_predictions)
        lower = [[_lower(part, base) for part in parts] for parts, base in zip(plain, before, strict=True)]
        figures = _figures(lower, places) | {"unconditional": _figures(plain, places)}
        if self.name.startswith("nmf"):
            originals = _figures([[base] for base in before], places)
            figures["nmf_percent"] = _shares(_figures(plain, places), originals, places)
        return figures

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        """The lines of a prediction file; of a question without `sub_idx` in the order of the gold file's rows."""
        found = predictions_of(predictions_file(path), sufficiency=bool(self.kind.labels))
        for question, rows in found.lines.items():
            for occurrence, row in enumerate(rows):
                yield Prediction(
                    question,
                    occurrence,
                    row.answer,
                    titles=tuple(sorted(row.paragraphs)),
                    facts=tuple(sorted(row.sentences)),
                    answerable=None if row.sufficiency is None else row.sufficiency == SUFFICIENT,
                    confidence=row.confidence,
                    number=row.sub_idx,
                )

    def _groups(self, gold: Source, predictions: Source) -> Iterator[Group]:
        predicted = predictions_of(predictions, sufficiency=bool(self.kind.labels))
        for group in groups_of(gold):
            if not self.kind.fits(group):
                rows = ", ".join("-" if r.sufficiency is None else str(r.sufficiency) for r in group.rows)
                wrong = f"the question has rows of the sufficiencies {rows}"
                fix = f"Give the file that derive_dataset --how {self.name} makes, with all rows of a question"
                raise gold.bad(group.place, group.id, field="sufficiency", wrong=wrong, fix=fix)
            yield predicted.joined(group)


def _originals(groups: Sequence[Group], gold: Path | None, predictions: Path) -> list[Scores]:
    """The model's scores on the original question of each group."""
    predicted = predictions_of(predictions_file(predictions), sufficiency=False)
    labels = {group.id: group.rows[0] for group in groups_of(gold_file(gold))} if gold else {}
    scores = []
    for group in groups:
        if gold and group.id not in labels:
            fix = "Give the file with the originals of all questions"
            raise gold_file(gold).bad("the file", group.id, field="_id", wrong="the question is not there", fix=fix)
        row = labels.get(group.id) or group.union()
        scores.append(_of_row(row, predicted.only_prediction(group.id), row))
    return scores


def _figures(groups: Sequence[Sequence[Scores]], places: int) -> dict[str, Any]:
    """Means over questions of the best bi-partition, for each figure by itself; percent."""
    result: dict[str, Any] = {}
    for block in BLOCKS:
        parts = [[part[block] for part in group] for group in groups]
        result[block] = {
            name: percent([max(getattr(score, name) for score in scores) for scores in parts], places)
            for name in ("f1", "em", "precision", "recall")
        }
    for block, support in JOINT.items():
        both = [[_jointly(part["answer"], part[support]) for part in group] for group in groups]
        result[block] = {
            "f1": percent([max(f1 for f1, _em in pairs) for pairs in both], places),
            "em": percent([max(em for _f1, em in pairs) for pairs in both], places),
        }
    return result | {"n": len(groups)}


def _jointly(answer: Score, support: Score) -> tuple[float, float]:
    """(F1, EM): of the products of precision and recall, and the smaller EM."""
    precision, recall = answer.precision * support.precision, answer.recall * support.recall
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return f1, min(answer.em, support.em)


def _shares(probe: Mapping[str, Any], original: Mapping[str, Any], places: int) -> dict[str, Any]:
    """NMF %: the probe's figures as percentages of the original's; None where the original's is 0."""
    return {
        block: {
            name: round(100 * value / original[block][name], places) if original[block][name] else None
            for name, value in probe[block].items()
        }
        for block in (*BLOCKS, *JOINT)
    }


SCORER = tuple(DiRe(kind) for kind in KINDS)
