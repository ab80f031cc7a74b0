"""What a caller wants of a qualification round: a batch's settings without those that a round settles, and its own."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batch_wishes import DraftWish, launch_form
from annotation.api.lists import JSON, Wish
from annotation.flow import qualifying, rounds
from annotation.flow.refusal import Refused
from annotation.models import Batch, Project, QualificationType, Round, User
from annotation.pure.rounds import COMPARATORS
from annotation.registry import kinds

MONTH = 30 * 24 * 3600
SETTLED: JSON = {"assignments_per_hit": 1, "purpose": Batch.Purpose.QUALIFICATION, "unseen_only": False}
TERMS = ("per_worker", "judgment", "rule", "attempts", "seconds", "closes_at", "grants")


class ClauseWish(Wish):
    """A figure that must be above, or at least, a value (0..1): over all items, of one dataset, or of `each`."""

    figure = serializers.CharField(max_length=100)
    value = serializers.FloatField(min_value=0, max_value=1)
    comparator = serializers.ChoiceField(choices=COMPARATORS, required=False, default=">=")
    dataset = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")


class RoundWish(DraftWish):
    """The settings of a round's draft. What is not named stays as it is or, of a new one, as the task proposes."""

    assignments_per_hit = purpose = sample = unseen_only = marketplace = checks = None

    per_worker = serializers.IntegerField(required=False, min_value=1, max_value=1000, help_text="Items for each.")
    pool = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="So many items of each dataset; the round draws from these and holds them. null: all.",
    )
    judgment = serializers.ChoiceField(choices=Round.Judgment.choices, required=False)
    rule = ClauseWish(many=True, required=False, max_length=20, help_text="All of it must hold to pass.")
    attempts = serializers.IntegerField(required=False, min_value=1, max_value=10)
    seconds = serializers.IntegerField(
        required=False, allow_null=True, min_value=60, max_value=MONTH, help_text="From the first item on; null: any."
    )
    closes_at = serializers.DateTimeField(required=False, allow_null=True, help_text="null: until it is closed.")
    grants = serializers.CharField(
        max_length=200, required=False, help_text="A qualification's id; or a name, of which one is made if none is."
    )


class NewRoundWish(RoundWish):
    """A new round."""

    title = serializers.CharField(max_length=200)
    task = serializers.ChoiceField(choices=kinds())
    datasets = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=False)
    per_worker = serializers.IntegerField(min_value=1, max_value=1000, help_text="Items for each.")
    grants = serializers.CharField(
        max_length=200, help_text="A qualification's id; or a name, of which one is made if none is."
    )


@transaction.atomic
def saved(project: Project, wish: JSON, *, user: User, draft: Batch | None = None, round: Round | None = None) -> Round:
    """The round as a draft, new or changed. Raises ValidationError, naming the fields, and Refused."""
    terms = {name: wish[name] for name in TERMS if name in wish}
    settings = {name: value for name, value in wish.items() if name not in (*TERMS, "pool")} | SETTLED
    settings |= {"sample": wish["pool"]} if "pool" in wish else {}
    before = draft.task if draft else ""
    batch = launch_form(project, settings, batch=draft).save_draft(user)
    whole = _proposed(batch, round, terms, before=before) | terms
    _check_rule(batch, whole)
    return rounds.set_up(
        batch,
        per_worker=whole["per_worker"],
        grants=_type(project, whole["grants"]),
        rule=whole["rule"],
        judgment=whole["judgment"],
        tries=whole["attempts"],
        seconds=whole["seconds"],
        closes_at=whole["closes_at"],
    )


def _proposed(batch: Batch, round: Round | None, terms: JSON, *, before: str) -> JSON:
    """What is stored; a rule and who judges anew where the task or the judge is another one."""
    fresh = {"judgment": rounds.proposed_judgment(batch.task), "rule": None}
    if round is None:
        return fresh | {"attempts": 1, "seconds": None, "closes_at": None}
    kept: JSON = {name: getattr(round, name) for name in TERMS}
    judged = terms.get("judgment", round.judgment)
    if before != batch.task:
        return kept | fresh
    return kept | {"rule": None} if judged != round.judgment else kept


def _check_rule(batch: Batch, whole: JSON) -> None:
    if whole["rule"] is None:
        return
    slugs = sorted(batch.datasets.values_list("slug", flat=True))
    try:
        rounds.read_rule(whole["rule"], task=batch.task, judgment=whole["judgment"], datasets=slugs)
    except Refused as unfit:
        raise ValidationError({"rule": [str(unfit)]}) from None


def _type(project: Project, named: Any) -> QualificationType:
    if isinstance(named, QualificationType):
        return named
    found: QualificationType | None = qualifying.types_of(project).filter(public_id=named).first()
    return found or rounds.grant_type(project, named)
