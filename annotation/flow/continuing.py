"""More of the same: a batch again as a draft, and the next items that nobody was asked about yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import attempts, batching, choosing
from annotation.flow.choosing import asked, select
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Project, Round, User
from annotation.pure.names import next_name
from annotation.registry import task_type

LAUNCHED = {  # columns that a batch of its own begins anew with
    *("id", "slug", "state", "size", "next_ticket", "picked", "gives"),
    *("created_by", "created_at", "launched_at", "removed_at"),
}


@dataclass(frozen=True, slots=True)
class Remaining:
    """Of one dataset of a batch: its items, how many were asked about in this task, how many a launch can draw.

    `held`: how many of the others are out of reach, because a qualification round or another batch holds them.
    """

    dataset: Dataset
    items: int
    asked: int
    held: int
    left: int


def free_name(project: Project, slug: str) -> str:
    """The next name after this one that no batch of the project has."""
    return next_name(slug, set(Batch.everything.filter(project=project).values_list("slug", flat=True)))


@transaction.atomic
def clone(batch: Batch, *, user: User | None = None, **other: Any) -> Batch:
    """A new draft with everything that was settled for this batch, a round's terms too; `other` settings replace them.

    Raises Refused for a batch that another program made, and for a name that is taken.
    """
    if not task_type(batch.task).launched:
        raise Refused(_("Another program made this batch, so only that program can make one like it."))
    kept = [field.attname for field in Batch._meta.concrete_fields if field.name not in LAUNCHED]
    settings = {name: getattr(batch, name) for name in kept if name not in {"project_id", "task", "options"}} | other
    draft = batching.create_batch(
        batch.project,
        settings.pop("slug", None) or free_name(batch.project, batch.slug),
        task=batch.task,
        datasets=list(batch.datasets.all()),
        user=user,
        options=batch.options,
        guide=batch.guide.text,
        workers=list(batch.workers.all()),
        **settings,
    )
    draft.checks.set(batch.checks.all())
    _copy_round(batch, draft)
    return draft


def _copy_round(batch: Batch, draft: Batch) -> None:
    """The terms of the round that the batch is; when it ends is to be said anew."""
    round = attempts.round_of(batch)
    if round is not None:
        same = ["per_worker", "attempts", "judgment", "rule", "seconds", "grants"]
        Round.objects.create(batch=draft, **{name: getattr(round, name) for name in same})


def remaining(batch: Batch) -> list[Remaining]:
    """What the next batch of its line could still ask about, by dataset; nothing of it is drawn."""
    line, datasets = _line(batch), list(batch.datasets.order_by("slug"))
    chosen, seen = select(line, datasets), Counter(where for where, _place in asked(line, datasets))
    rows = []
    for one in datasets:
        left = chosen.by_dataset[one.slug]
        out = sum(items for (slug, _why), items in chosen.left_out.items() if slug == one.slug)
        rows.append(Remaining(one, one.size, seen[one.pk], max(0, out - seen[one.pk]), left))
    return rows


def _line(batch: Batch) -> Batch:
    """The batch that would take all that is left; never stored."""
    same = ["project", "task", "options", "seed", "purpose", "disjoint"]
    return Batch(unseen_only=True, sample=None, **{name: getattr(batch, name) for name in same})


def next_items(batch: Batch, count: int, *, user: User | None = None, name: str = "") -> Batch:
    """A draft like this batch that asks about up to `count` unseen items of each dataset; which, its launch decides.

    Raises Refused where none is left, and as `clone` does.
    """
    if count < 1:
        raise Refused(_("Ask about at least one item."))
    if attempts.round_of(batch) is not None:
        raise Refused(_("A round draws its items for each worker anew. Clone it to run it again."))
    if not any(row.left for row in remaining(batch)):
        raise Refused(choosing.nothing_to_ask(select(_line(batch), list(batch.datasets.all())).left_out))
    return clone(batch, user=user, slug=name, sample=count, unseen_only=True)
