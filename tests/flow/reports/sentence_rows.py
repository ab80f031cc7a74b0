"""A batch's rows, read without what makes the sentences, and how sentences are held against them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from annotation.marketplaces.models import VisitAssignment
from annotation.models import Assignment, Batch, Payment

NUMBER = {"One": 1, "one": 1, "once": 1, "a": 1, "no": 0}
INTERVAL = r"\[(?P<a>[-\d.]+), (?P<b>[-\d.]+)\]|interval (?P<c>[-\d.]+)(?: %)? to (?P<d>[-\d.]+)"
VALUE = re.compile(rf"(-?\d+(?:\.\d+)?)(?: %| unrounded)?(?: \((?:n = \d+; )?95 % | )(?:{INTERVAL})")
Check = Callable[["Rows", tuple[str, ...]], bool]
Units = Sequence[Mapping[Hashable, Hashable]]


def number(words: str) -> int:
    return NUMBER[words] if words in NUMBER else int(words)


class Rows:
    """A batch's rows: `answers` are those that documents may use, `counted` those that figures count."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.on = ""  # what the sentences that follow say that annotators agree on
        visits = VisitAssignment.objects.filter(assignment__batch=batch, visit__remote_state="returned")
        unused = set(visits.values_list("assignment", flat=True))
        submitted = batch.assignments.submitted().select_related("hit__item").order_by("pk")
        self.erased = [row for row in submitted if row.pk not in unused and row.current is None]
        self.answers = [row for row in submitted if row.pk not in unused and row.current is not None]
        self.counted = [row for row in self.answers if row.hit.excluded_at is None]
        self.hits = list(batch.hits.select_related("item"))
        self.there = [hit for hit in self.hits if hit.excluded_at is None]
        self.excluded = [hit for hit in self.hits if hit.excluded_at]
        paid = Payment.objects.filter(batch=batch, state=Payment.State.PAID)
        self.paid = {row.assignment_id: row.amount for row in paid}
        self.last = {row.pk: row.reviews.order_by("-pk").first() for row in self.answers}

    @property
    def workers(self) -> int:
        return len({row.worker_id for row in self.answers})

    @property
    def consented(self) -> int:
        return len({row.worker_id for row in self.answers if row.worker.consented_at and not row.response_import_id})

    @property
    def numbers(self) -> list[int]:
        """The number of responses of each HIT that counts."""
        found = Counter(row.hit_id for row in self.counted)
        return [found[hit.pk] for hit in self.there]

    def decided(self, decision: str) -> int:
        return sum(bool(self.last[row.pk]) and self.last[row.pk].decision == decision for row in self.counted)

    def composed(self, hops: int) -> list[Assignment]:
        """The answers that compose a question of so many hops."""
        of = [row for row in self.counted if len(row.hit.payload["hops"]) == hops]
        return [row for row in of if row.current and set(row.current.answer["bridges"]) == {"same"}]

    def labels(self, label: Callable[[Any], Hashable]) -> list[dict[Hashable, Hashable]]:
        """The label of each worker's answer, by HIT; HITs without an answer are left out."""
        found: dict[int, dict[Hashable, Hashable]] = {}
        for row in self.counted:
            found.setdefault(row.hit_id, {})[row.worker_id] = label(row.current.answer)  # type: ignore[union-attr]
        return list(found.values())


def wrong(result: Sequence[str], checks: Mapping[str, Check], rows: Rows) -> list[str]:
    """The sentences that nobody checks, or that do not hold, or whose interval does not contain its value."""
    return [said for said in result if not holds(said, checks, rows)]


def holds(said: str, checks: Mapping[str, Check], rows: Rows) -> bool:
    matches = [(check, match) for words, check in checks.items() if (match := re.fullmatch(words, said))]
    for found in VALUE.finditer(said):
        low, high = (float(end) for end in (found["a"] or found["c"], found["b"] or found["d"]))
        if not low <= float(found[1]) <= high:
            return False
    return len(matches) == 1 and bool(matches[0][0](rows, matches[0][1].groups()))


def missed(result: Sequence[str], checks: Mapping[str, Check], rows: Rows) -> list[str]:
    """Sentences with a planted fault that still pass, with all others as they are."""
    found = []
    for k, said in enumerate(result):
        wrong(result[:k], checks, rows)  # which says what the sentence that follows is about
        on = rows.on
        for fault in faults(said):
            rows.on = on
            found += [fault] if holds(fault, checks, rows) else []
    return found


def faults(said: str) -> Iterator[str]:
    """The sentence with one of its numbers, number words, ends of an interval, or quoted texts altered."""
    ends = [found.span(name) for found in re.finditer(INTERVAL, said) for name in "abcd" if found[name]]
    for k, (start, end) in enumerate(ends):
        yield said[:start] + ("-999" if k % 2 else "999") + said[end:]
    for found in re.finditer(r"\d+(?:\.\d+)?|\b(?:[Oo]ne|once|All|not)\b|(?<=“)\w", said):
        if any(start <= found.start() < end for start, end in ends):
            continue
        yield said[: found.start()] + _altered(found[0]) + said[found.end() :]


def _altered(part: str) -> str:
    if part.isdigit():
        return str(int(part) + 1)
    if part[0].isdigit():
        return f"{float(part) + 1.7:.{len(part.partition('.')[2])}f}"
    return {"one": "3", "One": "3", "once": "3 times", "All": "Some", "not": "surely"}.get(part, "#")


def pairs(units: Units) -> int:
    return sum(len(list(combinations(unit, 2))) for unit in units)


def agreeing(units: Units) -> float:
    """The share of pairs of a unit that agree, mean over units with a pair."""
    shares = [[a == b for a, b in combinations(unit.values(), 2)] for unit in units if len(unit) > 1]
    return fmean(fmean(each) for each in shares)


def by_chance(units: Units) -> float:
    """The share of equal ones among all pairs of labels, of units with a pair."""
    labels = [label for unit in units if len(unit) > 1 for label in unit.values()]
    return fmean(a == b for a, b in combinations(labels, 2))


def alpha(units: Units, distance: Callable[[Any, Any], float] = lambda a, b: float(a != b)) -> float:
    """Krippendorff's alpha from all pairs of labels; a unit's own weigh by its number of labels less 1."""
    kept = [list(unit.values()) for unit in units if len(unit) > 1]
    labels = [label for unit in kept for label in unit]
    observed = sum(2 * sum(distance(a, b) for a, b in combinations(unit, 2)) / (len(unit) - 1) for unit in kept)
    expected = 2 * sum(distance(a, b) for a, b in combinations(labels, 2)) / (len(labels) - 1)
    return 1 - observed / expected
