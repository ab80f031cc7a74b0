"""Pages of a dataset's items by position instead of number, so that page 2,000 costs no more than page 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from annotation.models import Dataset, Item

PAGE = 50
ANSWERABLE = {"yes": True, "no": False}


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """The request from the query string; invalid values are ignored."""

    text: str = ""
    hops: int | None = None
    shape: str = ""
    answerable: str = ""
    after: int | None = None
    before: int | None = None

    @classmethod
    def of(cls, query: QueryDict) -> ItemQuery:
        answerable = query.get("answerable", "")
        return cls(
            text=query.get("q", "").replace("\0", "").strip()[:500],
            hops=_number(query.get("hops")),
            shape=query.get("shape", "").replace("\0", "")[:60],
            answerable=answerable if answerable in ANSWERABLE else "",
            after=_number(query.get("after")),
            before=_number(query.get("before")),
        )

    @property
    def narrows(self) -> bool:
        return bool(self.text or self.hops is not None or self.shape or self.answerable)


@dataclass(frozen=True, slots=True)
class Slice:
    """A page of items in order; `previous` and `next`: positions to continue from."""

    items: list[Item]
    previous: int | None
    next: int | None


def browse(dataset: Dataset, item_query: ItemQuery) -> Slice:
    """The requested page."""
    rows = _narrowed(dataset, item_query)
    if item_query.before is not None:
        found = list(rows.filter(position__lt=item_query.before).order_by("-position")[: PAGE + 1])
        items = found[:PAGE][::-1]
        return _slice(items, earlier=len(found) > PAGE, later=bool(items))
    after = -1 if item_query.after is None else item_query.after
    found = list(rows.filter(position__gt=after).order_by("position")[: PAGE + 1])
    return _slice(found[:PAGE], earlier=after >= 0, later=len(found) > PAGE)


def _slice(items: list[Item], *, earlier: bool, later: bool) -> Slice:
    if not items:
        return Slice([], None, None)
    return Slice(items, items[0].position if earlier else None, items[-1].position if later else None)


def _narrowed(dataset: Dataset, item_query: ItemQuery) -> Any:
    rows = dataset.items.holding(item_query.text) if item_query.text else dataset.items.all()
    if item_query.hops is not None:
        rows = rows.filter(hops=item_query.hops)
    if item_query.shape:
        rows = rows.filter(shape=item_query.shape)
    if item_query.answerable:
        rows = rows.filter(answerable=ANSWERABLE[item_query.answerable])
    return rows
