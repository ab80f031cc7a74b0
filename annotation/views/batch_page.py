"""What every page of a batch shares: finding it, its head, its tabs."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow import doubting, reviewing, watching
from annotation.models import Batch, Project

TONES = {"draft": "", "launching": "running", "open": "running", "paused": "warn", "closed": "plain"}
EXPORTS = [("jsonl", "JSONL"), ("csv", "CSV"), ("parquet", "Parquet")]


def batch_of(project: Project, slug: str) -> Batch:
    """The batch of that name in the project; 404 otherwise."""
    batch = get_object_or_404(project.batches.select_related("project"), slug=slug)
    batch.project = project
    return batch


def batch_context(batch: Batch, here: str, **more: Any) -> dict[str, Any]:
    """`here` is the name of the tab's address."""
    project = batch.project
    crumbs = [
        {"label": _("Batches"), "url": reverse("batches", args=[project.slug])},
        {"label": batch.title, "url": ""},
    ]
    return {
        "project": project,
        "section": "batches",
        "crumbs": crumbs,
        "batch": batch,
        "tone": TONES[batch.state],
        "tabs": _tabs(batch, here),
        "exports": EXPORTS,
        **more,
    }


def _reading(batch: Batch) -> list[tuple[str, str, None]]:
    """The tab for reading answers, where the task type has them read."""
    return [("review", _("Review"), None)] if batch.launched_at and reviewing.is_reviewed(batch) else []


def _deciding(batch: Batch) -> list[tuple[str, str, None]]:
    """The tabs for what people leave open and, where the task can tell, for gold that they contradict."""
    if batch.launched_at is None:
        return []
    doubting_gold = [("gold", _("Gold in doubt"), None)] if doubting.can_tell(batch) else []
    return [("adjudicate", _("Adjudicate"), None), *doubting_gold]


def _tabs(batch: Batch, here: str) -> list[dict[str, Any]]:
    named = [
        ("batch", _("Overview"), None),
        ("hits", _("HITs"), batch.size),
        *_reading(batch),
        *_deciding(batch),
        ("batch-workers", _("Workers"), None),
        ("flags", _("Flags"), watching.open_flags(batch).count()),
        ("report", _("Report"), None),
        ("guide", _("Guide"), None),
        ("batch-settings", _("Settings"), None),
    ]
    args = [batch.project.slug, batch.slug]
    return [
        {"url": reverse(name, args=args), "label": label, "here": name == here, "count": count}
        for name, label, count in named
    ]
