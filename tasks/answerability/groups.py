"""Labels of instances (workers', aggregated, gold), and the instances of one question as a group: completeness, score.

Twins (MuSiQue-Full) and all contexts of a transform (DiRe's T(D)) count together: with one wrong label the group
scores 0.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.reports.human_scores import GroupScores, draws, group_scores, majority_chance, mean_scores
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, HitWithResponses
from annotation.tasktype.helpers.answering import answer_text, completed, gold_support, majority, support_of

ANSWERABLE, UNANSWERABLE, TIED, UNDECIDED = "answerable", "unanswerable", "tied", "undecided"
NOT_ANSWERABLE: Mapping[str, Any] = {
    "answerable": False,
    "kind": "none",
    "text": "",
    "paragraph": None,
    "start": None,
    "end": None,
    "option": None,
    "support": [],
    "facts": [],
}  # the stored form of "not answerable"


def called(answer: JSON) -> str:
    """The label of one response."""
    return ANSWERABLE if answer["answerable"] else UNANSWERABLE


def labelled(example: Example) -> str:
    """The dataset's label; "" if it has none."""
    if example.answerable is None:
        return ""
    return ANSWERABLE if example.answerable else UNANSWERABLE


def made_elsewhere(payload: JSON, answer: Any) -> JSON:
    """The stored form of {"text", "support", "facts"}, optionally with "answerable"; text "" is "not answerable"."""
    answer = {"text": "", **answer} if isinstance(answer, Mapping) else answer
    given = completed(payload, answer)
    label = answer.get("answerable", given["kind"] != "none")
    if not isinstance(label, bool):
        raise ValueError("answerable must be true or false")
    if label and given["kind"] == "none":
        raise ValueError('what is answerable needs an answer: {"answerable": true, "text": ..., "support": [...]}')
    return {"answerable": True, **given} if label else dict(NOT_ANSWERABLE)


def together(answers: Sequence[JSON]) -> JSON:
    """The aggregated response: {"kind", "votes", "answer" (of "answerable" responses, else None), "tied", "answers"}.

    `tied`: the labels are tied, or the majority is "answerable" and its answers or supports are tied.
    """
    attempts = [answer for answer in answers if answer["answerable"]]
    votes = {ANSWERABLE: len(attempts), UNANSWERABLE: len(answers) - len(attempts)}
    chosen, tied = majority(attempts) if attempts else (None, False)
    counts = {"votes": votes, "answers": len(answers)}
    if not answers:
        return {"kind": UNDECIDED, "answer": None, "tied": False, **counts}
    if votes[ANSWERABLE] == votes[UNANSWERABLE]:
        return {"kind": TIED, "answer": None, "tied": True, **counts}
    if votes[ANSWERABLE] < votes[UNANSWERABLE]:
        return {"kind": UNANSWERABLE, "answer": None, "tied": False, **counts}
    kept = None if chosen is None else {k: v for k, v in chosen.items() if k not in ("answerable", "accepted")}
    return {"kind": ANSWERABLE, "answer": kept, "tied": tied, **counts}


SUB_IDX = "sub_idx"  # in `extra` of the instances of a transform

# Why a group is not scored, in the order in which it is looked at.
REASONS = {
    "hidden": _("the source hides the labels"),
    "none": _("no instance is answerable"),
    "several": _("more than one instance is answerable"),
    "alone": _("the other instances are not in this batch"),
    "excluded": _("an instance is excluded from scores"),
    "unanswered": _("an instance has no response yet"),
}
WHOLE = ""

By = Callable[[HitWithResponses], Sequence[GivenResponse]]


def by_people(row: HitWithResponses) -> Sequence[GivenResponse]:
    return row.given


@dataclass(frozen=True, slots=True)
class Group:
    """The instances of one question in a batch."""

    dataset: str
    rows: tuple[HitWithResponses, ...]
    count: int  # of answers an instance: k

    @property
    def sufficient(self) -> HitWithResponses:
        return next(row for row in self.rows if row.example.answerable)

    @property
    def size(self) -> int:
        """The expected number of instances: two twins, or one for each non-empty subset of the supports."""
        example = self.sufficient.example
        return 2 ** len(set(example.supports or ())) - 1 if SUB_IDX in example.extra else 2

    @property
    def hops(self) -> int:
        return max(len(row.example.hops) for row in self.rows)

    def left_out(self, by: By = by_people) -> str:
        """A key of REASONS, or WHOLE."""
        labels = [row.example.answerable for row in self.rows]
        if None in labels:
            return "hidden"
        if labels.count(True) != 1:
            return "several" if labels.count(True) else "none" if len(labels) > 1 else "alone"
        if len(self.rows) < self.size:
            return "alone"
        if any(row.excluded for row in self.rows):
            return "excluded"
        return WHOLE if all(by(row) for row in self.rows) else "unanswered"

    def scores(self, level: str, by: By = by_people) -> GroupScores:
        """The scores of a complete group: 0 unless all majority labels are right, expected over ties.

        Of instances with more than k answers the expected value over all draws of k.
        """
        whole, count = self.sufficient, self.count
        others = [row for row in self.rows if row is not whole]
        chance = math.prod(fmean(_right(some, row) for some in _drawn(by(row), count)) for row in others)
        own = [_alone(whole, some, level) for some in _drawn(by(whole), count)]
        return mean_scores(own, chance)


def _drawn(given: Sequence[GivenResponse], count: int) -> Iterable[Sequence[GivenResponse]]:
    """All draws of `count` of the answers, in an order independent of the order of submission."""
    return draws(sorted(given, key=lambda one: one.worker), min(count, len(given)))


def _right(given: Sequence[GivenResponse], row: HitWithResponses) -> float:
    return majority_chance([one.answer["answerable"] for one in given], row.example.answerable)


def _alone(whole: HitWithResponses, given: Sequence[GivenResponse], level: str) -> GroupScores:
    """The answerable instance, as if the labels of the others were right."""
    attempts = [(answer_text(one.answer), support_of(one.answer, level)) for one in given if one.answer["answerable"]]
    return group_scores(
        [([one.answer["answerable"] for one in given], True)],
        attempts,
        gold=whole.example.answers,
        gold_support=gold_support(whole.example, level) or frozenset(),
        scorer=scorer_for(whole.format),
    )


def groups(hits: Iterable[HitWithResponses], count: int) -> list[Group]:
    """The groups by dataset and group, in order of first appearance; scored at `count` answers per instance."""
    by_group: dict[tuple[str, str], list[HitWithResponses]] = {}
    for row in hits:
        by_group.setdefault((row.dataset, row.example.group or row.example.id), []).append(row)
    return [Group(dataset, tuple(rows), count) for (dataset, _key), rows in by_group.items()]


def of_model(name: str) -> By:
    """The predictions of one model."""
    return lambda row: [given for given in row.predicted if given.worker == name]


def cells(scores: GroupScores) -> list[float]:
    """Answer F1 and EM, support F1 and EM, and the chance that all labels are right."""
    return [scores.answer.f1, scores.answer.em, scores.support.f1, scores.support.em, scores.labels]
