"""Settings of a qualification round in a request: those of a batch, except what a round determines, and its own."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batches.inputs import DraftInput, launch_form
from annotation.api.examples import CLAUSE
from annotation.api.kind_field import KindField
from annotation.api.serializers import (
    JSON,
    Input,
)
from annotation.flow.errors import Refused
from annotation.flow.people import qualification_rounds, qualification_types
from annotation.models import Batch, Project, QualificationRound, QualificationType, User
from annotation.pure.people.round_rules import COMPARATORS
from annotation.registry import kinds

MONTH = 30 * 24 * 3600
SETTLED: JSON = {"assignments_per_hit": 1, "purpose": Batch.Purpose.QUALIFICATION, "unseen_only": False}
TERMS = ("per_worker", "grading", "rule", "attempts", "seconds", "closes_at", "grants")


class ClauseInput(Input):
    """A condition: a figure above, or at least, a value (0..1), over all items, of one dataset, or of `each`."""

    figure = serializers.CharField(max_length=100)
    value = serializers.FloatField(min_value=0, max_value=1)
    comparator = serializers.ChoiceField(choices=COMPARATORS, required=False, default=">=")
    dataset = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")


class RoundInput(DraftInput):
    """Settings of a round's draft. Fields left out stay unchanged; those of a new one get the task's defaults."""

    ALIASES = {"guide": "instructions", "judgment": "grading"}
    EXAMPLE = {"per_worker": 25, "attempts": 2}

    assignments_per_hit = purpose = sample = unseen_only = marketplace = checks = None

    per_worker = serializers.IntegerField(required=False, min_value=1, max_value=1000, help_text="Items per worker.")
    pool = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="Pool: so many items of each dataset, reserved for the round. null: all.",
    )
    grading = serializers.ChoiceField(choices=QualificationRound.Grading.choices, required=False)
    rule = ClauseInput(many=True, required=False, max_length=20, help_text="Conditions to pass; all must hold.")
    attempts = serializers.IntegerField(required=False, min_value=1, max_value=10)
    seconds = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=60,
        max_value=MONTH,
        help_text="From the first item on; null: no limit.",
    )
    closes_at = serializers.DateTimeField(required=False, allow_null=True, help_text="null: until it is closed.")
    grants = serializers.CharField(
        max_length=200,
        required=False,
        help_text="A qualification's id; or a name, of which one is created if it does not exist.",
    )


class NewRoundInput(RoundInput):
    """A new round."""

    EXAMPLE = {
        "title": "Readers",
        "task": "answer",
        "datasets": ["wells", "towers"],
        "per_worker": 20,
        "grants": "Reader",
        "rule": [CLAUSE],
        "attempts": 1,
        "seconds": 3600,
    }

    title = serializers.CharField(max_length=200)
    task = KindField(choices=kinds(), help_text="One of `listTasks`.")
    datasets = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=False)
    per_worker = serializers.IntegerField(min_value=1, max_value=1000, help_text="Items per worker.")
    grants = serializers.CharField(
        max_length=200, help_text="A qualification's id; or a name, of which one is created if it does not exist."
    )


@transaction.atomic
def saved(
    project: Project, data: JSON, *, user: User, draft: Batch | None = None, round: QualificationRound | None = None
) -> QualificationRound:
    """Save a round as a draft, new or changed. Raises ValidationError, naming the fields, and Refused."""
    terms = {name: data[name] for name in TERMS if name in data}
    settings = {name: value for name, value in data.items() if name not in (*TERMS, "pool")} | SETTLED
    settings |= {"sample": data["pool"]} if "pool" in data else {}
    before = draft.task if draft else ""
    batch = launch_form(project, settings, batch=draft).save_draft(user)
    whole = _proposed(batch, round, terms, before=before) | terms
    _check_rule(batch, whole)
    return qualification_rounds.set_up(
        batch,
        per_worker=whole["per_worker"],
        grants=_type(project, whole["grants"]),
        rule=whole["rule"],
        grading=whole["grading"],
        tries=whole["attempts"],
        seconds=whole["seconds"],
        closes_at=whole["closes_at"],
    )


def _proposed(batch: Batch, round: QualificationRound | None, terms: JSON, *, before: str) -> JSON:
    """The settings to store; rule and grading are proposed anew if the task or the grading changed."""
    fresh = {"grading": qualification_rounds.proposed_grading(batch.task), "rule": None}
    if round is None:
        return fresh | {"attempts": 1, "seconds": None, "closes_at": None}
    kept: JSON = {name: getattr(round, name) for name in TERMS}
    judged = terms.get("grading", round.grading)
    if before != batch.task:
        return kept | fresh
    return kept | {"rule": None} if judged != round.grading else kept


def _check_rule(batch: Batch, whole: JSON) -> None:
    if whole["rule"] is None:
        return
    slugs = sorted(batch.datasets.values_list("slug", flat=True))
    try:
        qualification_rounds.read_rule(whole["rule"], task=batch.task, grading=whole["grading"], datasets=slugs)
    except Refused as unfit:
        raise ValidationError({"rule": [str(unfit)]}) from None


def _type(project: Project, named: Any) -> QualificationType:
    if isinstance(named, QualificationType):
        return named
    found: QualificationType | None = qualification_types.types_of(project).filter(public_id=named).first()
    return found or qualification_rounds.grant_type(project, named)
