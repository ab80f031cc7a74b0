"""Editing and retiring items, archiving datasets. Nothing is overwritten: an edit is a new version of the item.

A HIT points to the version from which it was made. New batches, derivations and exports use the newest version of each
item that is not archived.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.data.item_writer import item_of
from annotation.flow.errors import Refused
from annotation.flow.lists import ListFilter
from annotation.flow.projects import audit_log
from annotation.formats.fields import Inspection
from annotation.formats.jsonl import Jsonl
from annotation.models import Dataset, Item, Project, User
from annotation.models.fields import to_text
from annotation.pure.data.example import Example
from annotation.pure.data.features import replaced
from annotation.pure.setting_fields import setting

LONGEST = 2_000_000  # characters of an item as JSON

STATED = ("licence", "source", "ethics", "consent")  # about a dataset, as texts


@dataclass(frozen=True)
class ItemFilter(ListFilter):
    """Filters of items."""

    order = ("position",)
    ALIASES = {"retired": "archived"}

    q: str = setting(
        "", label=gettext_noop("Search"), help=gettext_noop("Text in the question, or an exact id."), length=500
    )
    hops: int | None = setting(None, least=0, most=100, column="hops")
    shape: str = setting("", length=60, column="shape")
    answerable: bool | None = setting(None, column="answerable")
    archived: bool | None = setting(
        None,
        label=gettext_noop("Archived"),
        help="Only archived items, or only the others.",
        column="archived_at__isnull",
    )

    def narrow(self, project: Project, rows: Any) -> QuerySet[Any]:
        return super().narrow(project, rows.holding(self.q) if self.q else rows)


def read(content: Any) -> Example:
    """The example of a JSON object. Raises Refused, naming each invalid field."""
    if not isinstance(content, dict):
        raise Refused(_("An item must be one JSON object."))
    inspection = Inspection("")
    example = Jsonl().example(content, inspection)
    if inspection.failed:
        sentences = [f"{flaw.field}: {flaw.wrong}. {flaw.fix}." for flaw in inspection.reportable()]
        raise Refused(" ".join(sentences))
    return example


def changed(
    example: Example, *, question: str, answers: Collection[str], supports: Collection[int], answerable: bool | None
) -> Example:
    """The example with another question and gold. Facts in paragraphs that no longer support are dropped."""
    chosen = tuple(sorted(set(supports)))
    facts = None if example.facts is None else tuple(fact for fact in example.facts if fact[0] in chosen)
    known = None if example.supports is None and not chosen else chosen
    return replace(
        example, question=question, answers=tuple(answers), supports=known, facts=facts, answerable=answerable
    )


@transaction.atomic
def edit(item: Item, example: Example, *, note: str = "", user: User | None = None) -> Item:
    """Create a new version of the item, which must be the newest one.

    Raises Refused if nothing changes, the id changes, or somebody else edited the item meanwhile.
    """
    content = read(example.as_json()).as_json()
    if content == item.content:
        raise Refused(_("Nothing has changed, so there is no new version."))
    if example.id != item.example.id:
        raise Refused(_("The id of an item cannot change: predictions and other files refer to it."))
    # Lock: the dataset's digest is computed from all changes, so they go one by one.
    dataset = Dataset.objects.select_for_update(no_key=True).get(pk=item.dataset_id)
    newest = Item.every.filter(pk=item.pk, superseded_at__isnull=True)
    if not newest.update(superseded_at=Now()):
        raise Refused(_("Somebody else has edited this item in the meantime. Look at the newest version first."))
    item.refresh_from_db(fields=["archived_at", "archive_reason"])  # it may have been archived since it was read
    made = item_of(dataset, item.position, Example.from_json(content))
    made.group_key, made.version = item.group_key, item.version + 1
    made.note, made.edited_by = note.strip()[:500], user
    made.archived_at, made.archive_reason = item.archived_at, item.archive_reason
    made.save()
    Item.every.filter(pk=made.pk).update(edited_at=Now())
    made.refresh_from_db()
    features = replaced(dataset.features, item.example, made.example)
    Dataset.objects.filter(pk=dataset.pk).update(features=features)
    _update_digest(dataset)
    audit_log.record("edited", dataset, item=item.position, version=made.version)
    return made


def restore(old: Item, *, user: User | None = None) -> Item:
    """Create a new version with the content of an old one. Raises Refused like `edit`."""
    newest = Item.objects.get(dataset=old.dataset_id, position=old.position)
    return edit(newest, old.example, note=_("Version %(n)s restored") % {"n": old.version}, user=user)


def versions(item: Item) -> QuerySet[Item]:
    """Every version of the item, newest first."""
    rows = Item.every.filter(dataset=item.dataset_id, position=item.position)
    return rows.select_related("edited_by").order_by("-version")


@transaction.atomic
def archive(dataset: Dataset, positions: Collection[int], *, reason: str) -> int:
    """Archive items: out of new batches, derivations and exports; returns how many were not archived before.

    Raises Refused without a reason.
    """
    if not reason.strip():
        raise Refused(_("Say why you archive the item."))
    # Lock: the dataset's digest is computed from all changes, so they go one by one.
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    rows = dataset.items.filter(position__in=positions, archived_at__isnull=True)
    gone = rows.update(archived_at=Now(), archive_reason=reason.strip()[:500])
    if gone:
        _update_digest(dataset)
        audit_log.record("retired", dataset, items=sorted(positions)[:100], reason=reason.strip()[:500])
    return gone


@transaction.atomic
def unarchive(dataset: Dataset, positions: Collection[int]) -> int:
    """Restore archived items; returns how many were archived."""
    # Lock: the dataset's digest is computed from all changes, so they go one by one.
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    back = dataset.items.filter(position__in=positions, archived_at__isnull=False)
    count = back.update(archived_at=None, archive_reason="")
    if count:
        _update_digest(dataset)
        audit_log.record("brought back", dataset, items=sorted(positions)[:100])
    return count


@transaction.atomic
def archive_dataset(dataset: Dataset, *, out: bool) -> bool:
    """Archive a dataset, or restore it; False if it is so already."""
    rows = Dataset.objects.filter(pk=dataset.pk, archived_at__isnull=out)
    if not rows.update(archived_at=Now() if out else None):
        return False
    audit_log.record("retired" if out else "brought back", dataset)
    return True


@transaction.atomic
def describe(dataset: Dataset, **values: str | None) -> bool:
    """Change what is stated about a dataset (STATED); None leaves a value. False if nothing changes."""
    if unknown := values.keys() - set(STATED):
        raise TypeError(f"a dataset states no {', '.join(sorted(unknown))}")
    # Lock: the log names exactly what this request changed.
    row = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    anew: dict[str, Any] = {name: text.strip() for name, text in values.items() if text is not None}
    anew = {name: text for name, text in anew.items() if text != getattr(row, name)}
    if not anew:
        return False
    Dataset.objects.filter(pk=dataset.pk).update(**anew)
    audit_log.record("settings changed", dataset, **anew)
    return True


def change_counts(dataset: Dataset) -> dict[str, int]:
    """{"edited", "archived"}: how many items were edited and archived since the import; {} if none."""
    if not dataset.stand:
        return {}
    rows = dataset.items.filter(_touched())
    first = _firsts(dataset)
    edited = sum(row.content != first[row.position] for row in rows.filter(version__gt=1))
    return {"edited": edited, "archived": rows.filter(archived_at__isnull=False).count()}


def _touched() -> Q:
    return Q(version__gt=1) | Q(archived_at__isnull=False)


def _firsts(dataset: Dataset) -> dict[int, Mapping[str, Any]]:
    """The original content of edited items, by position."""
    edited = dataset.items.filter(version__gt=1).values("position")
    rows = Item.every.filter(dataset=dataset, version=1, position__in=edited)
    return dict(rows.values_list("position", "content"))


def _update_digest(dataset: Dataset) -> None:
    """Update the digest of the dataset's current content: from its file's digest and all changes, in order."""
    differing, first = [], _firsts(dataset)
    for row in dataset.items.filter(_touched()).order_by("position"):
        if row.archived_at is not None:
            differing.append([row.position, None])
        elif row.content != first[row.position]:
            differing.append([row.position, row.content])
    digest = hashlib.sha256(to_text([dataset.sha256, differing]).encode("utf-8", "surrogatepass")).hexdigest()
    dataset.stand = digest if differing else ""
    Dataset.objects.filter(pk=dataset.pk).update(stand=dataset.stand)
