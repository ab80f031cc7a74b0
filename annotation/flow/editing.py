"""Editing and retiring items, and retiring datasets. Nothing is overwritten: an edit is a new version of the item.

What a HIT asked stays as it was asked: it points to the version from which it was made. New batches, derivations and
exports take the newest version of each item that is not retired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.filling import item_of
from annotation.flow.refusal import Refused
from annotation.formats.fields import Inspection
from annotation.formats.jsonl import Jsonl
from annotation.models import Dataset, Item, User
from annotation.models.fields import to_text
from annotation.pure.example import Example
from annotation.pure.features import replaced

LONGEST = 2_000_000  # characters of an item as JSON


def read(content: Any) -> Example:
    """The example that JSON from outside stands for. Raises Refused, naming each field that is wrong."""
    if not isinstance(content, dict):
        raise Refused(_("An item is one JSON object."))
    inspection = Inspection("")
    example = Jsonl().example(content, inspection)
    if inspection.failed:
        told = [f"{flaw.field}: {flaw.wrong}. {flaw.fix}." for flaw in inspection.verdict()]
        raise Refused(" ".join(told))
    return example


def changed(
    example: Example, *, question: str, answers: Collection[str], supports: Collection[int], answerable: bool | None
) -> Example:
    """The example with another question and gold. Facts of paragraphs that no longer support fall away."""
    chosen = tuple(sorted(set(supports)))
    facts = None if example.facts is None else tuple(fact for fact in example.facts if fact[0] in chosen)
    known = None if example.supports is None and not chosen else chosen
    return replace(
        example, question=question, answers=tuple(answers), supports=known, facts=facts, answerable=answerable
    )


@transaction.atomic
def edit(item: Item, example: Example, *, note: str = "", user: User | None = None) -> Item:
    """A new version of the item, in the place of this one, which must be the newest.

    Raises Refused where nothing would change, the id would, or somebody else edited the item meanwhile.
    """
    content = read(example.as_json()).as_json()
    if content == item.content:
        raise Refused(_("Nothing was changed, so there is no new version."))
    if example.id != item.example.id:
        raise Refused(_("The id of an item stays: predictions and other files know it by that."))
    dataset = Dataset.objects.select_for_update(no_key=True).get(pk=item.dataset_id)
    newest = Item.every.filter(pk=item.pk, superseded_at__isnull=True)
    if not newest.update(superseded_at=Now()):
        raise Refused(_("Somebody else edited this item meanwhile. Look at the newest version first."))
    item.refresh_from_db(fields=["retired_at", "retired_reason"])  # somebody may have retired it since it was read
    made = item_of(dataset, item.position, Example.from_json(content))
    made.group_key, made.version = item.group_key, item.version + 1
    made.note, made.edited_by = note.strip()[:500], user
    made.retired_at, made.retired_reason = item.retired_at, item.retired_reason
    made.save()
    Item.every.filter(pk=made.pk).update(edited_at=Now())
    made.refresh_from_db()
    features = replaced(dataset.features, item.example, made.example)
    Dataset.objects.filter(pk=dataset.pk).update(features=features)
    _stand_anew(dataset)
    recording.record("edited", dataset, item=item.position, version=made.version)
    return made


def restore(old: Item, *, user: User | None = None) -> Item:
    """A new version with the content of an old one. Raises Refused as `edit` does."""
    newest = Item.objects.get(dataset=old.dataset_id, position=old.position)
    return edit(newest, old.example, note=_("Version %(n)s again") % {"n": old.version}, user=user)


def versions(item: Item) -> QuerySet[Item]:
    """Every version of the item, the newest first."""
    rows = Item.every.filter(dataset=item.dataset_id, position=item.position)
    return rows.select_related("edited_by").order_by("-version")


@transaction.atomic
def retire(dataset: Dataset, positions: Collection[int], *, reason: str) -> int:
    """Take items out of new batches, derivations and exports; returns how many were not out before.

    Raises Refused without a reason.
    """
    if not reason.strip():
        raise Refused(_("Say why the item is to be used no more."))
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    rows = dataset.items.filter(position__in=positions, retired_at__isnull=True)
    gone = rows.update(retired_at=Now(), retired_reason=reason.strip()[:500])
    if gone:
        _stand_anew(dataset)
        recording.record("retired", dataset, items=sorted(positions)[:100], reason=reason.strip()[:500])
    return gone


@transaction.atomic
def bring_back(dataset: Dataset, positions: Collection[int]) -> int:
    """Undo `retire`; returns how many were out."""
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    back = dataset.items.filter(position__in=positions, retired_at__isnull=False)
    count = back.update(retired_at=None, retired_reason="")
    if count:
        _stand_anew(dataset)
        recording.record("brought back", dataset, items=sorted(positions)[:100])
    return count


@transaction.atomic
def retire_dataset(dataset: Dataset, *, out: bool) -> bool:
    """Offer a dataset for new batches no more, or again; False where that changes nothing. It stays where it is."""
    rows = Dataset.objects.filter(pk=dataset.pk, retired_at__isnull=out)
    if not rows.update(retired_at=Now() if out else None):
        return False
    recording.record("retired" if out else "brought back", dataset)
    return True


@transaction.atomic
def describe(dataset: Dataset, *, licence: str | None = None, source: str | None = None) -> bool:
    """Correct what is said of a dataset's licence and of where it comes from; False where that changes nothing."""
    said = {"licence": licence, "source": source}
    row = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    anew = {name: text.strip() for name, text in said.items() if text is not None}
    anew = {name: text for name, text in anew.items() if text != getattr(row, name)}
    if not anew:
        return False
    Dataset.objects.filter(pk=dataset.pk).update(**anew)
    recording.record("settings changed", dataset, **anew)
    return True


def told(dataset: Dataset) -> dict[str, int]:
    """{"edited", "retired"}: how many items differ from what the dataset came with; {} where none does."""
    if not dataset.stand:
        return {}
    rows = dataset.items.filter(_touched())
    first = _firsts(dataset)
    edited = sum(row.content != first[row.position] for row in rows.filter(version__gt=1))
    return {"edited": edited, "retired": rows.filter(retired_at__isnull=False).count()}


def _touched() -> Q:
    return Q(version__gt=1) | Q(retired_at__isnull=False)


def _firsts(dataset: Dataset) -> dict[int, Mapping[str, Any]]:
    """What the edited items held as they came, by position."""
    edited = dataset.items.filter(version__gt=1).values("position")
    rows = Item.every.filter(dataset=dataset, version=1, position__in=edited)
    return dict(rows.values_list("position", "content"))


def _stand_anew(dataset: Dataset) -> None:
    """Note what the dataset holds now: the digest of its file and of what was changed since, in order."""
    differing, first = [], _firsts(dataset)
    for row in dataset.items.filter(_touched()).order_by("position"):
        if row.retired_at is not None:
            differing.append([row.position, None])
        elif row.content != first[row.position]:
            differing.append([row.position, row.content])
    digest = hashlib.sha256(to_text([dataset.sha256, differing]).encode("utf-8", "surrogatepass")).hexdigest()
    dataset.stand = digest if differing else ""
    Dataset.objects.filter(pk=dataset.pk).update(stand=dataset.stand)
