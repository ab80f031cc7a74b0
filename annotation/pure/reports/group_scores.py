"""How well people do on groups of instances: twins, or all the contexts that a transform makes of one question.

A group counts as a whole, as MuSiQue-Full counts pairs (Trivedi et al. 2022, section 6.1) and DiRe the instances of a
question (Trivedi et al. 2020, section 5). Members are answered by different people, so what is scored is the majority
of each member, and where a majority is tied the expected value is taken.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from annotation.pure.reports.human_scores import Mark, Support, majority_chance, question_scores, support_scores
from annotation.pure.statistics.metrics import Scorer

NOTHING = Mark(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class GroupScores:
    """A group by people. `labels`: the chance that the majority labels of all members are right."""

    answer: Mark
    support: Mark
    labels: float


def labels_chance(members: Iterable[tuple[Sequence[Hashable], Hashable]]) -> float:
    """The chance that every member's majority label is right: (labels given, right label) of each member."""
    return math.prod(majority_chance(given, right) for given, right in members)


def group_scores(
    members: Iterable[tuple[Sequence[Hashable], Hashable]],
    attempts: Sequence[tuple[str, Support]],
    *,
    gold: Sequence[str],
    gold_support: Support,
    scorer: Scorer,
) -> GroupScores:
    """The chance that all labels are right, times the human score on the sufficient member.

    `attempts` are the (answer, support) of those who called the sufficient member sufficient; without any the group
    scores 0.
    """
    chance = labels_chance(members)
    if not attempts:
        return GroupScores(NOTHING, NOTHING, chance)
    told = question_scores([text for text, _ in attempts], gold, scorer=scorer).human_score or NOTHING
    backed = support_scores([support for _, support in attempts], gold_support, scorer=scorer).human_score or NOTHING
    return GroupScores(told.times(chance), backed.times(chance), chance)
