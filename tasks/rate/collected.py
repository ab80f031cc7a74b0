"""What was asked and given of each criterion, in the forms that figures need."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from annotation.pure.ratings.responses import candidates_of, cells, parts_of, places, value_at
from annotation.pure.ratings.results import WORD, aggregated, gold_of, likeness, rating_of
from annotation.pure.ratings.rubric import BEST, CHOICE, MARK, NUMBER, ORDER, SCALE, TEXT, TIE, Criterion
from annotation.pure.ratings.showing import arranged
from annotation.pure.statistics.preferences import Preference, ranks_of_best, ranks_of_order
from annotation.pure.statistics.ratings import Rating, Row
from annotation.tasktype import JSON, HitWithResponses

Element = tuple[Hashable, int | None]


@dataclass(slots=True)
class Collected:
    """One criterion: `asked` counts responses (and elements) that it was put to; what is not asked is in no figure."""

    criterion: Criterion
    asked: int = 0
    given: int = 0
    items: set[str] = field(default_factory=set)
    workers: set[str] = field(default_factory=set)
    ratings: list[Rating] = field(default_factory=list)  # all that was given, but texts
    preferences: list[Preference] = field(default_factory=list)
    words: dict[Element, int] = field(default_factory=dict)  # of the texts in which words could be marked
    scores: list[Row] = field(default_factory=list)  # of responses against gold
    aggregate_scores: list[Row] = field(default_factory=list)

    @property
    def is_numeric(self) -> bool:
        """Whether its values have a mean."""
        return self.criterion.kind in (SCALE, NUMBER)

    @property
    def numbers(self) -> list[Rating] | None:
        """The ratings as numbers; None if its values have no order."""
        values = self.criterion.values
        if self.criterion.kind == CHOICE and self.criterion.ordered:
            return [one._replace(value=values.index(one.value)) for one in self.ratings]
        return self.ratings if self.is_numeric else None

    def add(self, row: HitWithResponses, worker: str, asked: JSON, k: int | None, value: Any, shown: Any) -> None:
        self.asked += 1
        self.items.add(row.hit)
        self.workers.add(worker)
        if value is None or (asked["kind"] == TEXT and not value.strip()):
            return
        self.given += 1
        if asked["kind"] in (BEST, ORDER):
            self.ratings.append(Rating(row.hit, worker, self._preferred(row, worker, asked, value, shown), k))
        elif asked["kind"] != TEXT:
            self.ratings.append(Rating(row.hit, worker, rating_of(row.payload, asked, k, value), k))
        if asked["kind"] == MARK and (row.hit, k) not in self.words:
            texts = parts_of(row.payload, asked, k).values()
            self.words[row.hit, k] = sum(len(WORD.findall(text)) for text in texts) * max(1, len(asked.get("of", ())))

    def _preferred(self, row: HitWithResponses, worker: str, asked: JSON, value: Any, shown: Any) -> Any:
        """The system that is best, or all in order; elements of a list are numbered from 1."""
        known = candidates_of(row.payload, asked)
        named = {each: str(each + 1) if isinstance(each, int) else each for each in known}
        if asked["kind"] == ORDER:
            rating: Any = tuple(named[each] for each in value)
            ranks = ranks_of_order(rating)
        else:
            rating = named.get(value, TIE)
            ranks = ranks_of_best(None if value == TIE else rating, named.values())
        order = [named[known[place]] for place in shown.get(asked["name"], ())]
        self.preferences.append(Preference(row.hit, worker, ranks, order))
        return rating


def collected(rows: Iterable[HitWithResponses], criteria: Sequence[Criterion]) -> list[Collected]:
    """What the rows have of each criterion."""
    found = {each.name: Collected(each) for each in criteria}
    for row in rows:
        gold = gold_of(row.payload, row.example)
        for given in row.given:
            is_shuffled = row.payload["candidates"] and given.seed is not None
            shown = arranged(row.payload, Random(given.seed))["ranked"] if is_shuffled else {}
            for asked, k, value in cells(row.payload, given.answer):
                own = found[asked["name"]]
                own.add(row, given.worker, asked, k, value, shown)
                own.scores += _score(row, given.worker, asked, k, value, gold)
        ratings = aggregated(row.payload, [given.answer for given in row.given])["ratings"] if gold else {}
        for asked, k in places(row.payload) if gold else ():
            if (cell := value_at(ratings, asked, k)) and asked["kind"] != TEXT:
                found[asked["name"]].aggregate_scores += _score(row, "", asked, k, cell["value"], gold)
    return list(found.values())


def _score(row: HitWithResponses, worker: str, asked: JSON, k: int | None, value: Any, gold: JSON) -> list[Row]:
    """How alike a value is to gold, where there are both."""
    right = value_at(gold, asked, k)
    known = value is not None and right is not None
    return [(row.hit, worker, [likeness(row.payload, asked, k, value, right)], [1.0])] if known else []
