"""Rehearsing a batch with simulated workers, on a copy."""

from __future__ import annotations

from dataclasses import asdict, fields

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs
from annotation.api.batch_base import BatchView
from annotation.api.lists import JSON, Wish, asked
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.writing import repeatable
from annotation.pure.rehearsing import Crowd
from annotation.rehearsal.rehearse import MOST_HITS, MOST_WORKERS

SHARE = {"min_value": 0, "max_value": 1}
CROWD = Crowd()


class CrowdWish(Wish):
    """What the crowd is like; shares are 0 to 1."""

    skill = serializers.FloatField(default=CROWD.skill, help_text="Right answers of the average one.", **SHARE)
    spread = serializers.FloatField(default=CROWD.spread, help_text="Standard deviation of skill.", **SHARE)
    speed = serializers.FloatField(default=CROWD.speed, min_value=0.1, max_value=10, help_text="2: half the time.")
    lazy = serializers.FloatField(default=CROWD.lazy, help_text="Who hurry and slip more.", **SHARE)
    spam = serializers.FloatField(default=CROWD.spam, help_text="Who guess.", **SHARE)
    dropout = serializers.FloatField(default=CROWD.dropout, help_text="Stop for good after an answer.", **SHARE)
    returns = serializers.FloatField(default=CROWD.returns, help_text="Return what they accepted.", **SHARE)
    abandons = serializers.FloatField(default=CROWD.abandons, help_text="Walk away from it.", **SHARE)
    hours = serializers.FloatField(default=CROWD.hours, min_value=0, max_value=1000, help_text="They come within.")

    def validate(self, wish: JSON) -> JSON:
        try:
            return asdict(Crowd(**wish))
        except ValueError as unfit:
            raise ValidationError(str(unfit)) from None


class RehearsalWish(Wish):
    """How many come, and how much of the batch they rehearse."""

    workers = serializers.IntegerField(default=40, min_value=1, max_value=MOST_WORKERS)
    hits = serializers.IntegerField(default=MOST_HITS, min_value=1, max_value=10_000, help_text="The rest is reckoned.")
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    crowd = CrowdWish(required=False)


class Rehearse(BatchView):
    """Rehearsing a batch."""

    serializer_class = QueuedSerializer

    @extend_schema(request=RehearsalWish, responses={202: QueuedSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Rehearse a batch with simulated workers by a job; its result is the forecast.

        Nothing of it touches the batch.
        """
        wish = asked(RehearsalWish, request.data)
        crowd = wish.get("crowd") or {field.name: getattr(CROWD, field.name) for field in fields(Crowd)}
        arguments = {name: wish[name] for name in ("workers", "hits", "seed")}
        title = _("Rehearse %(batch)s with %(workers)s simulated workers")
        job = jobs.enqueue_once(
            "rehearse_batch",
            project=self.project,
            title=title % {"batch": self.batch.title, "workers": wish["workers"]},
            arguments={"batch": self.batch.pk, **arguments, "crowd": crowd},
            user=request.user,
        )
        return queued(job)
