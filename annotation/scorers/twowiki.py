"""2WikiMultihopQA's official figures (2wikimultihop_evaluate_v1.1.py): HotpotQA's, and the reasoning path as triples.

In percent with two decimals. The aliases of the answer, and of subjects and objects of the triples, come from the
authors' `id_aliases.json` by their ids; an answer's also from `answer_aliases` of the record, as our export has it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats.base import Unreadable
from annotation.formats.fields import is_texts
from annotation.formats.twowiki import Aliases, aliases_of, read_aliases
from annotation.pure.statistics.metrics import TWOWIKI, Score
from annotation.pure.text.normalization import normalise_words
from annotation.scorers.base import BadGold, Fact, Figures, Prediction, Source, gold_file, predictions_file
from annotation.scorers.hotpotqa import HotpotQA, Predicted, Scored, against, gold_answer, gold_facts, means

Triple = tuple[str, str, str]

_TRIPLE = "Give three texts each: subject, relation, object"
_DECIMALS = 2


class TwoWiki(HotpotQA):
    """Predictions are HotpotQA's with `"evidence": {id: [[subject, relation, object], ...]}`."""

    name = "2wikimultihopqa"
    rank = 4
    options: tuple[str, ...] = ("aliases",)

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        return (replace(prediction, caseless=True) for prediction in super().read_predictions(path))

    def evaluate(self, gold: Path, predictions: Path, *, aliases: Path | None = None) -> Figures:
        """The official figures. Raises BadGold, also for an invalid file of aliases, and BadPredictions."""
        predicted = Predicted(predictions_file(predictions), ("answer", "sp", "evidence"))
        source, known = gold_file(gold), _aliases(aliases)

        def scored() -> Iterator[Scored]:
            for place, record in source.objects():
                item_id, right = gold_answer(source, record, place=place)
                answer = predicted.answer(item_id)
                rights = (right, *aliases_of(record, known))
                answer_score = None if answer is None else TWOWIKI.answer(answer, rights)
                facts = gold_facts(source, record, place, item_id)
                triples = _gold_triples(source, record, place, item_id, known=known)
                predicted_triples = _triples(predicted.source, predicted.parts["evidence"], item_id, place="evidence")
                backed = against(facts, predicted.facts(item_id), _support)
                yield place, item_id, (answer_score, backed, against(triples, predicted_triples, _evidence))

        parts = {"": "answer", "sp_": "supporting_facts", "evi_": "evidences"}
        return {key: round(value * 100, _DECIMALS) for key, value in means(source, scored(), parts).items()}


def _aliases(path: Path | None) -> Aliases:
    try:
        return read_aliases(path) if path else {}
    except Unreadable as error:
        raise BadGold(Path(path or ""), error.flaw) from error


def _support(marked: Sequence[Fact], right: Sequence[Fact]) -> Score:
    """HotpotQA's score with lower-case titles; titles that differ only in case count twice, as in the official one."""
    predicted = [(title.lower(), number) for title, number in set(marked)]
    gold = [(title.lower(), number) for title, number in set(right)]
    hits, missed = sum(fact in gold for fact in predicted), sum(fact not in predicted for fact in gold)
    return _score(hits, len(predicted), hits + missed, exact=hits == len(predicted) and not missed)


def _evidence(predicted: Sequence[Triple], gold: Sequence[frozenset[Triple]]) -> Score:
    """A predicted triple is right if it is a variant of any gold triple."""
    distinct = {_normal(triple) for triple in predicted}
    hits = sum(any(triple in variants for variants in gold) for triple in distinct)
    return _score(hits, len(distinct), len(gold), exact=hits == len(distinct) == len(gold))


def _score(hits: int, predicted: int, gold: int, *, exact: bool) -> Score:
    precision, recall = hits / predicted if predicted else 0.0, hits / gold if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Score(1.0 if exact else 0.0, f1, precision, recall)


def _gold_triples(
    source: Source, record: Mapping[str, Any], place: str, item_id: str, *, known: Aliases
) -> list[frozenset[Triple]] | None:
    """The variants of each triple: all combinations of the names of its subject and its object."""
    triples = _triples(source, record, "evidences", place=place, record_id=item_id)
    if triples is None:
        return None
    ids = _triples(source, record, "evidences_id", place=place, record_id=item_id) or [("", "", "")] * len(triples)
    if len(ids) != len(triples):
        wrong = f"{len(ids)} members for {len(triples)} evidences"
        raise source.bad(place, item_id, field="evidences_id", wrong=wrong, fix="Give one for each, or none")
    return [
        frozenset(
            _normal((first, relation, last))
            for first in (subject, *known.get(subject_id, ()))
            for last in (object_, *known.get(object_id, ()))
        )
        for (subject, relation, object_), (subject_id, _relation, object_id) in zip(triples, ids, strict=True)
    ]


def _triples(
    source: Source, record: Mapping[str, Any], key: str, *, place: str, record_id: str = ""
) -> list[Triple] | None:
    if record.get(key) is None:
        return None
    triples = source.items(record, key, place=place, record_id=record_id or key)
    for position, triple in enumerate(triples):
        if not is_texts(triple) or len(triple) != 3:
            wrong = f"number {position + 1} is not a triple"
            raise source.bad(place, record_id or key, field=key, wrong=wrong, fix=_TRIPLE)
    return [(subject, relation, object_) for subject, relation, object_ in triples]


def _normal(triple: Triple) -> Triple:
    subject, relation, object_ = map(normalise_words, triple)
    return subject, relation, object_


SCORER = TwoWiki()
