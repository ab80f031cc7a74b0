"""Items edited and retired: an edit is a new version, and what was asked of people stays as it was asked."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.dataset_base import DatasetList, DatasetView, ItemSerializer
from annotation.api.lists import Whole, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import editing
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Item

MOST = 10_000


class ItemWish(Wish):
    """An item's next version, whole, as the format `jsonl` has it. `version` is the one that was read."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    example = serializers.DictField()
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="", help_text="Why.")


class PlacesWish(Wish):
    """Which items, by their places in the dataset, from 0."""

    positions = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1), allow_empty=False, max_length=MOST
    )


class RetireWish(PlacesWish):
    """Which items are to be used no more, and why."""

    reason = serializers.CharField(max_length=500)


class CountSerializer(serializers.Serializer):
    """How many it changed something for."""

    changed = serializers.IntegerField()


class VersionSerializer(ItemSerializer):
    """An item as it was for a while."""

    note = serializers.CharField(allow_blank=True, help_text="why it was edited")
    edited_at = serializers.DateTimeField(allow_null=True)


class OneItem(DatasetView):
    """One item: `item` stands before a method runs."""

    serializer_class = ItemSerializer
    item: Item

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        self.item = get_object_or_404(self.dataset.items, position=kwargs["position"])

    @extend_schema(responses=ItemSerializer)
    def get(self, request: Request, slug: str, name: str, position: int) -> Response:
        """One item with its gold."""
        return Response(ItemSerializer(self.item).data)

    @extend_schema(operation_id="editDatasetItem", request=ItemWish, responses=ItemSerializer)
    @repeatable
    def put(self, request: Request, slug: str, name: str, position: int) -> Response:
        """Edit an item: a new version in its place, while HITs keep the one that they asked about.

        Refused with 409 where `version` is not the newest any more, or nothing would change.
        """
        wish = asked(ItemWish, request.data)
        try:
            example = editing.read(wish["example"])
        except Refused as unfit:
            raise ValidationError({"example": [str(unfit)]}) from None
        if wish["version"] != self.item.version:
            raise Conflict(_("Somebody else edited this item meanwhile. Look at the newest version first."))
        made = editing.edit(self.item, example, note=wish["note"], user=request.user)
        return Response(ItemSerializer(made).data)


class Versions(DatasetList):
    """The versions of an item."""

    serializer_class = VersionSerializer
    pagination_class = Whole

    @extend_schema(operation_id="listItemVersions", responses=VersionSerializer(many=True))
    def get(self, request: Request, slug: str, name: str, position: int) -> Response:
        """Every version of an item, the newest first, all in one page."""
        return self.whole(editing.versions(get_object_or_404(self.dataset.items, position=position)))


class Retire(DatasetView):
    """Taking items out."""

    serializer_class = CountSerializer

    @extend_schema(operation_id="retireItems", request=RetireWish, responses=CountSerializer)
    @repeatable
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Take items out of new batches, derivations and exports; batches that ask about them go on."""
        wish = asked(RetireWish, request.data)
        there(self, wish["positions"])
        return Response({"changed": editing.retire(self.dataset, wish["positions"], reason=wish["reason"])})


class BringBack(DatasetView):
    """Letting items in again."""

    serializer_class = CountSerializer

    @extend_schema(operation_id="restoreItems", request=PlacesWish, responses=CountSerializer)
    @repeatable
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Let retired items be used again."""
        wish = asked(PlacesWish, request.data)
        there(self, wish["positions"])
        return Response({"changed": editing.bring_back(self.dataset, wish["positions"])})


def there(view: DatasetView, positions: list[int]) -> None:
    """Raises ValidationError for places that the dataset does not have."""
    unknown = [k for k, position in enumerate(positions) if position >= view.dataset.size]
    if unknown:
        raise ValidationError({f"positions.{k}": [_("The dataset has no item there.")] for k in unknown[:20]})
