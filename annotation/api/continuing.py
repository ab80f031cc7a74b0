"""More of a batch: the same again as a draft, its next unseen items, and chosen HITs for chosen workers."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_base import BatchList, BatchView, OneBatchSerializer, batch_named
from annotation.api.batches import whole
from annotation.api.dataset_base import no_page
from annotation.api.lists import JSON, Newest, Whole, Wish, asked
from annotation.api.writing import repeatable
from annotation.flow import continuing, giving, naming
from annotation.models import Assignment, Batch, Hit, Worker

MOST = 500


class CloneWish(Wish):
    """What the new draft is called; the next free name after the batch's unless given."""

    name = serializers.SlugField(max_length=100, required=False, validators=[no_page])
    title = serializers.CharField(max_length=200, required=False)


class NextWish(Wish):
    """How many unseen items to ask about."""

    count = serializers.IntegerField(min_value=1, max_value=10**9, help_text="From each dataset, at most.")
    name = serializers.SlugField(max_length=100, required=False, validators=[no_page])


class RemainingSerializer(serializers.Serializer):
    """Of one dataset of a batch, what its task was asked about, and what is left."""

    dataset = serializers.CharField(source="dataset.slug")
    items = serializers.IntegerField()
    asked = serializers.IntegerField()
    held = serializers.IntegerField(help_text="How many others a qualification round or another batch holds.")
    left = serializers.IntegerField(help_text="How many a next batch could draw.")


class GiveWish(Wish):
    """Which HITs, to whom."""

    hits = serializers.ListField(child=serializers.CharField(max_length=32), allow_empty=False, max_length=MOST)
    workers = serializers.ListField(
        child=serializers.CharField(max_length=64), allow_empty=False, max_length=MOST, help_text="Pseudonyms or ids."
    )


class TakeBackWish(Wish):
    """What was given, by its ids."""

    given = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**62), allow_empty=False, max_length=5000
    )


class GivingSerializer(serializers.Serializer):
    """How many HITs were given; `skipped` says why others were not, and how many each."""

    given = serializers.IntegerField()
    skipped = serializers.DictField(
        child=serializers.IntegerField(), help_text="`had`, `met` (its group), `voided`, `already` (given)"
    )


class TakenBackSerializer(serializers.Serializer):
    """How many were taken back; those that were begun stay."""

    changed = serializers.IntegerField()


class GivenSerializer(serializers.Serializer):
    """A HIT that a worker gets before any other."""

    id = serializers.IntegerField(source="pk")
    hit = serializers.CharField(source="hit.public_id")
    worker = serializers.CharField(source="worker.pseudonym", help_text="The worker's pseudonym.")
    state = serializers.ChoiceField(choices=["waiting", *Assignment.State.values])
    created_at = serializers.DateTimeField()
    taken_at = serializers.DateTimeField(allow_null=True)


def _drafted(slug: str, draft: Batch) -> Response:
    where = reverse("api-batch", args=[slug, draft.slug])
    return Response(whole(draft), status=201, headers={"Location": where})


class Clone(BatchView):
    """The same again."""

    serializer_class = OneBatchSerializer

    @extend_schema(operation_id="cloneBatch", request=CloneWish, responses={201: OneBatchSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Write a draft with everything that was settled for this batch, a round's terms too."""
        wish = asked(CloneWish, request.data)
        other = {"slug": wish["name"]} if "name" in wish else {}
        other |= {"title": wish["title"]} if "title" in wish else {}
        draft = continuing.clone(self.batch, user=request.user, **other)
        return _drafted(slug, batch_named(self.project, draft.slug))


class Next(BatchList):
    """The next items."""

    serializer_class = RemainingSerializer
    pagination_class = Whole

    @extend_schema(operation_id="listRemainingItems", responses=RemainingSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """How many items of each dataset were asked about in the batch's task, and how many are left."""
        return self.whole(continuing.remaining(self.batch))

    @extend_schema(operation_id="continueBatch", request=NextWish, responses={201: OneBatchSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Write a draft like this batch that asks about items that nobody was asked about; its launch draws them."""
        wish = asked(NextWish, request.data)
        draft = continuing.next_items(self.batch, wish["count"], name=wish.get("name", ""), user=request.user)
        return _drafted(slug, batch_named(self.project, draft.slug))


class GivenHits(BatchList):
    """What was given."""

    serializer_class = GivenSerializer
    pagination_class = Newest

    def rows(self) -> Any:
        return giving.rows(self.batch)

    def told(self, rows: list[Any]) -> list[Any]:
        states = giving.states(rows)
        for row in rows:
            row.state, row.worker.project = states[row.pk], self.project
        return rows

    @extend_schema(operation_id="listGivenHits", responses=GivenSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """Which HITs were given to whom, the last first."""
        return self.listed()

    @extend_schema(operation_id="giveHits", request=GiveWish, responses=GivingSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Let workers get these HITs before any other, in this order; each asks for one answer more then."""
        wish = asked(GiveWish, request.data)
        hits, workers = self._hits(wish["hits"]), self._workers(wish["workers"])
        outcome = giving.give(self.batch, hits, workers, user=request.user)
        told: JSON = {"given": outcome.given, "skipped": dict(outcome.skipped)}
        return Response(told)

    def _hits(self, names: list[str]) -> list[Hit]:
        rows = self.batch.hits.filter(public_id__in=names).select_related("item").defer("payload", "item__content")
        found = {hit.public_id: hit for hit in rows}
        _none_missing("hits", names, found, _("There is no such HIT in this batch."))
        return [found[name] for name in dict.fromkeys(names)]

    def _workers(self, names: list[str]) -> list[Worker]:
        able = set(giving.people(self.batch).values_list("pk", flat=True))
        found = {name: one for name, one in naming.workers_named(self.project, names).items() if one.pk in able}
        _none_missing("workers", names, found, _("Nobody of that name may work on this batch."))
        return list({found[name].pk: found[name] for name in names}.values())


class TakeBack(BatchView):
    """Giving undone."""

    serializer_class = TakenBackSerializer

    @extend_schema(operation_id="takeBackHits", request=TakeBackWish, responses=TakenBackSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Take back HITs that were given and not begun yet, and free their money."""
        return Response({"changed": giving.take_back(self.batch, asked(TakeBackWish, request.data)["given"])})


def _none_missing(field: str, names: list[str], found: Any, text: str) -> None:
    """Raises ValidationError at each name that was not found."""
    missing = {f"{field}.{k}": [text] for k, name in enumerate(names) if name not in found}
    if missing:
        raise ValidationError(missing)
