"""More items like a batch's: copies of a batch as drafts, and drafts for items that were not asked about yet."""

import re
from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts, item_selection
from annotation.flow.batches.item_selection import select, used_places
from annotation.flow.batches.parsing import name_taken
from annotation.flow.batches.settings import BatchSettings, stored
from annotation.flow.errors import Refused
from annotation.flow.people import round_attempts
from annotation.flow.setting_values import NAMES_OF_PAGES
from annotation.models import Batch, Dataset, Project, QualificationRound, User
from annotation.registry import task_type

KEPT = ("description", "keywords", "duration")  # columns of a copy that are no settings


@dataclass(frozen=True, slots=True)
class Remaining:
    """Numbers of items of a batch's dataset: all, already asked about in this task, and left for a launch to draw.

    `held`: items that a qualification round or another batch reserves.
    """

    dataset: Dataset
    items: int
    asked: int
    held: int
    left: int


def free_name(project: Project, slug: str) -> str:
    """The next name after this one that is free in the project."""
    return next_name(slug, set(Batch.everything.filter(project=project).values_list("slug", flat=True)))


@transaction.atomic
def clone(batch: Batch, *, user: User | None = None, **other: Any) -> Batch:
    """Create a draft with all settings of this batch, including those of a round; `other` settings replace them.

    Raises Refused for a batch of the MTurk API, and for a name that is taken.
    """
    if not task_type(batch.task).launched:
        text = _("Another program created this batch through the MTurk API. Only that program can create one like it.")
        raise Refused(text)
    settings = stored(batch) | {"suggest": ""} | other  # the draft has no predictions
    settings["name"] = other.get("name") or free_name(batch.project, batch.slug)
    if settings["name"] in NAMES_OF_PAGES:
        raise Refused(name_taken(settings["name"]))
    draft = batch_drafts.create_batch(batch.project, BatchSettings(**settings), user=user)
    Batch.objects.filter(pk=draft.pk).update(**{name: getattr(batch, name) for name in KEPT})
    draft.refresh_from_db()
    if round := round_attempts.round_of(batch):
        same = ["per_worker", "attempts", "grading", "rule", "seconds", "grants"]  # not its end
        QualificationRound.objects.create(batch=draft, **{name: getattr(round, name) for name in same})
    return draft


def remaining(batch: Batch) -> list[Remaining]:
    """Count the items left for a next batch, by dataset; nothing is drawn."""
    line, datasets = _line(batch), list(batch.datasets.order_by("slug"))
    chosen, seen = select(line, datasets), Counter(where for where, _place in used_places(line, datasets))
    rows = []
    for one in datasets:
        left = chosen.by_dataset[one.slug]
        out = sum(items for (slug, _why), items in chosen.left_out.items() if slug == one.slug)
        rows.append(Remaining(one, one.size, seen[one.pk], max(0, out - seen[one.pk]), left))
    return rows


def _line(batch: Batch) -> Batch:
    """An unsaved batch that would take all remaining items."""
    same = ["project", "task", "options", "seed", "purpose", "disjoint"]
    return Batch(unseen_only=True, sample=None, **{name: getattr(batch, name) for name in same})


def next_items(batch: Batch, count: int, *, user: User | None = None, name: str = "") -> Batch:
    """Create a draft like this batch for up to `count` new items of each dataset, which its launch draws.

    Raises Refused if there are none, and like `clone`.
    """
    if count < 1:
        raise Refused(_("Choose at least one item."))
    if round_attempts.round_of(batch) is not None:
        raise Refused(_("A qualification round draws new items for each worker. Clone it to run it again."))
    if not any(row.left for row in remaining(batch)):
        raise Refused(item_selection.nothing_to_ask(select(_line(batch), list(batch.datasets.all())).left_out))
    return clone(batch, user=user, name=name, sample=count, sample_by=Batch.SampleBy.UNIFORM, unseen_only=True)


LONGEST = 100


def next_name(name: str, taken: Container[str]) -> str:
    """The name with the next free number as its suffix, at most 100 characters long."""
    match = re.fullmatch(r"(.+?)-([1-9][0-9]{0,5})", name)
    stem, number = (match[1], int(match[2])) if match else (name, 1)
    tails = (f"-{following}" for following in count(number + 1))
    return next(found for tail in tails if (found := stem[: LONGEST - len(tail)] + tail) not in taken)
