"""Loose and strict accuracy of responses to questions with several answers (FanOutQA)."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from statistics import fmean

from annotation.pure.statistics.intervals import bootstrap_figures
from annotation.pure.statistics.metrics import Accuracy, accuracy
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.answering import answer_key, answer_text

MEASURES = ("human_score", "upper_bound", "average")
PARTS = ("loose", "strict")


@dataclass
class Sets:
    """A row a question: loose and strict accuracy of the majority (expected over ties), of the best, and on average."""

    rows: list[list[float]] = field(default_factory=list)
    models: defaultdict[str, list[list[float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: HitWithResponses) -> None:
        """Add a question with responses, if its gold is a set of answers."""
        gold = row.example.answer_set
        if not gold or not row.given:
            return
        answers = [given.answer for given in row.given]
        found = [accuracy(answer_text(answer), gold) for answer in answers]
        votes = Counter(map(answer_key, answers))
        most = [
            one for one, answer in zip(found, answers, strict=True) if votes[answer_key(answer)] == max(votes.values())
        ]
        self.rows.append([*_mean(most), *max(found), *_mean(found)])
        for predicted in row.predicted:
            self.models[predicted.worker].append([*accuracy(answer_text(predicted.answer), gold)])

    def as_json(self, seed: int) -> JSON:
        """{"n", measure: {"loose", "strict"}, "models": {name: {"loose", "strict"}}}."""
        figures = iter(bootstrap_figures(self.rows, seed))
        own = {measure: {part: next(figures).as_json() for part in PARTS} for measure in MEASURES}
        models = {
            name: dict(zip(PARTS, (one.as_json() for one in bootstrap_figures(rows, seed)), strict=True))
            for name, rows in sorted(self.models.items())
        }
        return {"n": len(self.rows), **own, "models": models}


def _mean(found: list[Accuracy]) -> tuple[float, float]:
    return fmean(one.loose for one in found), fmean(one.strict for one in found)
