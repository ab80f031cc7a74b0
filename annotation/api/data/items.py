"""Items: edited, archived and restored. An edit is a new version; HITs keep the version that they were made with."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.data.datasets import DatasetPartViewSet, ItemSerializer
from annotation.api.examples import ITEM
from annotation.api.operations import action, operation
from annotation.api.pagination import ApiCursorPagination, SinglePage
from annotation.api.serializers import JSON, Input
from annotation.flow.data import item_editing
from annotation.flow.errors import Conflict, Refused
from annotation.flow.review import gold_looks
from annotation.formats.fields import without_gold
from annotation.models import Item

MOST_ITEMS = 10_000


class ItemInput(Input):
    """An item's next version, complete, in the format `jsonl`. `version` is the version that was edited."""

    EXAMPLE = {"version": 1, "example": ITEM, "note": "The year was wrong."}

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    example = serializers.DictField()
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="", help_text="The reason.")


class PlacesInput(Input):
    """Items, by their positions in the dataset, from 0."""

    EXAMPLE = {"positions": [3]}

    positions = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), allow_empty=False, max_length=MOST_ITEMS
    )


class ArchiveInput(PlacesInput):
    """Items to archive, and why."""

    EXAMPLE = {"positions": [3, 17], "reason": "The paragraph was cut off."}

    reason = serializers.CharField(max_length=500)


class CountSerializer(serializers.Serializer):
    """How many items changed."""

    changed = serializers.IntegerField()


class VersionSerializer(ItemSerializer):
    """A version of an item."""

    note = serializers.CharField(allow_blank=True, help_text="Why it was edited.")
    edited_at = serializers.DateTimeField(allow_null=True)


class ItemPages(ApiCursorPagination):
    """Smaller pages, because an item may contain twenty paragraphs."""

    max_page_size = 200
    page_size = 50


class DatasetItemViewSet(DatasetPartViewSet):
    """The items of a dataset."""

    serializer_class = ItemSerializer
    pagination_class = ItemPages
    lookup_field, lookup_value_converter = "position", "int"
    row: Item

    def get_queryset(self) -> Any:
        return self.dataset.items.all()

    def prepare(self, rows: list[Any]) -> list[Any]:
        """Leave out the gold that the account must not see yet."""
        hidden = gold_looks.hidden_positions(self.dataset, [row.position for row in rows], self.request.user)
        for row in rows:
            row.gold_hidden = row.position in hidden
            if row.gold_hidden:
                row.content = without_gold(row.example).as_json()
                row.hops, row.shape, row.answerable = 0, "", None
        return rows

    @operation(query=item_editing.ItemFilter)
    def list(self, wanted: item_editing.ItemFilter) -> Any:
        """List the items of a dataset in order, with their gold."""
        return wanted.narrow(self.project, self.get_queryset())

    @operation()
    def retrieve(self) -> None:
        """One item with its gold."""

    @operation(takes=ItemInput)
    def update(self, data: JSON) -> Item:
        """Edit an item: a new version in its position. HITs keep the version that they were made with.

        Refused with 409 if `version` is no longer the newest, or nothing would change.
        """
        try:
            example = item_editing.read(data["example"])
        except Refused as invalid:
            raise ValidationError({"example": [str(invalid)]}) from None
        if data["version"] != self.row.version:
            raise Conflict(_("Somebody else has edited this item in the meantime. Look at the newest version first."))
        return item_editing.edit(self.row, example, note=data["note"], user=self.request.user)

    @action("get", many=True, pages=SinglePage, gives=VersionSerializer, id="listItemVersions")
    def versions(self) -> Any:
        """Every version of an item, newest first, in one page."""
        return self.prepare(list(item_editing.versions(self.row)))

    @action(id="openItemGold")
    def open(self) -> None:
        """Open the gold of an item that the account is still to adjudicate, which is logged."""
        gold_looks.record_looks(gold_looks.hits_of(self.project, self.row), self.request.user)

    @action(detail=False, takes=ArchiveInput, gives=CountSerializer, id="archiveItems")
    def archive(self, data: JSON) -> JSON:
        """Archive items: leave them out of new batches, derivations and exports; existing batches continue."""
        self._check(data["positions"])
        return {"changed": item_editing.archive(self.dataset, data["positions"], reason=data["reason"])}

    @action(detail=False, takes=PlacesInput, gives=CountSerializer, id="restoreItems")
    def restore(self, data: JSON) -> JSON:
        """Restore archived items."""
        self._check(data["positions"])
        return {"changed": item_editing.unarchive(self.dataset, data["positions"])}

    def _check(self, positions: Sequence[int]) -> None:
        """Raise ValidationError for positions that the dataset does not have."""
        unknown = [k for k, position in enumerate(positions) if position >= self.dataset.size]
        if unknown:
            raise ValidationError(
                {f"positions.{k}": [_("The dataset has no item at this position.")] for k in unknown[:20]}
            )
