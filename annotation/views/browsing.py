"""A dataset's items page by page: by place and not by number, so that page 2,000 costs no more than page 1."""

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
class Wish:
    """What the page's address asks for; nonsense in it is as if it were not there."""

    text: str = ""
    hops: int | None = None
    shape: str = ""
    answerable: str = ""
    after: int | None = None
    before: int | None = None

    @classmethod
    def of(cls, query: QueryDict) -> Wish:
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
    """A page of items in their order; `previous` and `next` are the positions to go on from, if any."""

    items: list[Item]
    previous: int | None
    next: int | None


def browse(dataset: Dataset, wish: Wish) -> Slice:
    """The page that the wish asks for."""
    rows = _narrowed(dataset, wish)
    if wish.before is not None:
        found = list(rows.filter(position__lt=wish.before).order_by("-position")[: PAGE + 1])
        items = found[:PAGE][::-1]
        return _slice(items, earlier=len(found) > PAGE, later=bool(items))
    after = -1 if wish.after is None else wish.after
    found = list(rows.filter(position__gt=after).order_by("position")[: PAGE + 1])
    return _slice(found[:PAGE], earlier=after >= 0, later=len(found) > PAGE)


def _slice(items: list[Item], *, earlier: bool, later: bool) -> Slice:
    if not items:
        return Slice([], None, None)
    return Slice(items, items[0].position if earlier else None, items[-1].position if later else None)


def _narrowed(dataset: Dataset, wish: Wish) -> Any:
    rows = dataset.items.holding(wish.text) if wish.text else dataset.items.all()
    if wish.hops is not None:
        rows = rows.filter(hops=wish.hops)
    if wish.shape:
        rows = rows.filter(shape=wish.shape)
    if wish.answerable:
        rows = rows.filter(answerable=ANSWERABLE[wish.answerable])
    return rows
