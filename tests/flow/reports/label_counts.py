"""What sentences of `hops`, `answerability` and `sufficiency` say, computed a second time from rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod
from statistics import fmean
from typing import Any

from annotation.models import Hit
from annotation.pure.derivations.subquestions import matches_partially
from annotation.pure.statistics.metrics import scored_as, scorer_for

JSON = dict[str, Any]
KINDS = {1: "one"}  # by the number of hops; more are several


def is_right(text: str, golds: Iterable[str]) -> bool:
    return any(matches_partially(text, gold) for gold in golds)


def marks(hit: Hit, answer: JSON) -> list[bool]:
    """Whether each step's answer is right; the whole question is the first in `single`, and else the last."""
    example, arm = hit.item.example, hit.payload["arm"]
    whole, parts = list(example.answers), [[hop.answer] for hop in example.hops]
    right = {"single": [whole, *parts], "guided": [*parts[:-1], whole + parts[-1]]}.get(arm, [whole])
    hops = answer["hops"][-1:] if arm in ("free", "integrate") else answer["hops"]
    return [is_right(hop["text"], golds) for hop, golds in zip(hops, right, strict=True)]


def wholes(said: dict[Hit, list[JSON]]) -> list[bool]:
    place = {hit: 0 if hit.payload["arm"] == "single" else -1 for hit in said}
    return [marks(hit, answer)[place[hit]] for hit, answers in said.items() for answer in answers]


def failures(said: dict[Hit, list[JSON]]) -> list[bool]:
    """Of each response that is right on the whole question, whether it is wrong on a part."""
    each = [marks(hit, answer) for hit, answers in said.items() for answer in answers]
    return [not all(one[1:]) for one in each if one[0]]


def kinds(said: dict[Hit, list[JSON]]) -> list[bool]:
    return [
        answer["kind"] == KINDS.get(len(hit.item.example.hops), "several")
        for hit, answers in said.items()
        for answer in answers
    ]


def statuses(said: dict[Hit, list[JSON]]) -> list[str]:
    """Right with all gold paragraphs cited, right with fewer, or neither, of each question by majority."""
    return [_status(hit, answers) for hit, answers in said.items()]


def _status(hit: Hit, answers: list[JSON]) -> str:
    scorer = scorer_for("musique")
    last = [scorer.key(answer["hops"][-1]["text"]) for answer in answers]
    [(text, votes), *others] = Counter(last).most_common()
    if any(count == votes for _text, count in others) or not is_right(text, hit.item.example.answers):
        return "neither"
    own = [answer for answer, given in zip(answers, last, strict=True) if given == text]
    cited = Counter(place for answer in own for place in {p for hop in answer["hops"] for p in hop["support"]})
    gold = {*(hop.support for hop in hit.item.example.hops), *(hit.item.example.supports or ())}
    return "cited" if all(2 * cited[place] > len(own) for place in gold) else "fewer"


def chance(labels: Sequence[bool], right: bool) -> float:
    """That the majority is right, with ties at random."""
    count = sum(label == right for label in labels)
    return 0.5 if 2 * count == len(labels) else float(2 * count > len(labels))


def group_score(hits: Sequence[Hit], said: dict[Hit, list[JSON]], k: int, part: str) -> float:
    """Of a group of instances: the chance of all labels, times the score of those who call the one answerable so."""
    values = []
    for hit in hits:
        able = hit.item.example.answerable
        draws = list(combinations(said[hit], min(k, len(said[hit]))))
        each = [chance([answer["answerable"] for answer in some], able) for some in draws]
        if able and part != "labels":
            each = [a * _human(hit, some, part) for a, some in zip(each, draws, strict=True)]
        values.append(fmean(each))
    return prod(values)


def _human(hit: Hit, answers: Sequence[JSON], part: str) -> float:
    """F1 of the majority's answer or support among those who call the instance answerable, expected over ties."""
    example = hit.item.example
    scorer = scorer_for(scored_as(example, hit.item.dataset.format))
    given = [answer for answer in answers if answer["answerable"]]
    if not given:
        return 0.0
    if part == "answer":
        keys = {scorer.key(answer["text"]): answer["text"] for answer in given}
        counts = Counter(scorer.key(answer["text"]) for answer in given)
        return fmean(scorer.answer(keys[one], example.answers).f1 for one in _leading(counts))
    supports = Counter(frozenset(answer["support"]) for answer in given)
    return fmean(scorer.support(one, frozenset(example.supports or ())).f1 for one in _leading(supports))


def _leading(counts: Counter[Any]) -> list[Any]:
    return [one for one, count in counts.items() if count == max(counts.values())]


def expected_drop(p: float, others: int) -> float:
    """DiRe's formula (appendix D) in closed form."""
    return (1 - (1 - p) ** (others + 1)) / ((others + 1) * p) - (1 - p) ** others if p else 0.0
