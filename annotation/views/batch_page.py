"""What every page of a batch shares: finding it, its head, its tabs."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.flow import attempts, awaiting, doubting, reviewing, watching
from annotation.models import Batch, Project
from annotation.pure import roles

TONES = {"draft": "", "launching": "running", "open": "running", "paused": "warn", "closed": "plain"}
ACTS = {"batch-settings": roles.RUN, "review": roles.REVIEW, "adjudicate": roles.REVIEW, "gold": roles.REVIEW}
EXPORTS = [("jsonl", "JSONL"), ("csv", "CSV"), ("parquet", "Parquet")]


def batch_of(project: Project, slug: str) -> Batch:
    """The batch of that name in the project; 404 otherwise."""
    batch = get_object_or_404(project.batches.select_related("project"), slug=slug)
    batch.project = project
    return batch


def batch_context(batch: Batch, here: str, *, leaf: str = "", **more: Any) -> dict[str, Any]:
    """`here` is the name of the tab's address; `leaf` what a page below a tab is called."""
    project, tabs = batch.project, _tabs(batch, here)
    return {
        "project": project,
        "section": "batches",
        "crumbs": _crumbs(batch, [tab for tab in tabs if tab["here"] and here != "batch"], leaf),
        "batch": batch,
        "tone": TONES[batch.state],
        "tabs": tabs,
        "exports": EXPORTS,
        **more,
    }


def _crumbs(batch: Batch, tabs: list[dict[str, Any]], leaf: str) -> list[dict[str, str]]:
    """The batches, the batch, its tab and the page below it, as far as there are any; the last one without address."""
    args = [batch.project.slug]
    way = [
        {"label": _("Batches"), "url": reverse("batches", args=args)},
        {"label": batch.title, "url": reverse("batch", args=[*args, batch.slug])},
        *({"label": tab["label"], "url": tab["url"]} for tab in tabs),
        *([{"label": leaf, "url": ""}] if leaf else []),
    ]
    return [*way[:-1], way[-1] | {"url": ""}]


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
        *([("round", _("Round"), None)] if batch.launched_at and attempts.round_of(batch) else []),
        ("hits", _("HITs"), batch.size),
        *_reading(batch),
        *_deciding(batch),
        ("batch-workers", _("Workers"), None),
        *([("batch-marketplace", _("Marketplace"), None)] if batch.connection_id and batch.launched_at else []),
        ("flags", _("Problems"), watching.open_flags(batch).count()),
        ("report", _("Report"), None),
        ("rehearsals", _("Rehearsal"), None),
        ("guide", _("Guide"), None),
        ("batch-settings", _("Settings"), None),
    ]
    args = [batch.project.slug, batch.slug]
    tabs = [
        {"url": reverse(name, args=args), "label": label, "here": name == here, "count": count, "act": ACTS.get(name)}
        for name, label, count in named
    ]
    return [*tabs, *_paying(batch)]


def _paying(batch: Batch) -> list[dict[str, Any]]:
    """The way to the answers of a paid batch that wait for approval; it leads to the project's page of all."""
    if batch.auto_approval is None or batch.launched_at is None:
        return []
    url = f"{reverse('approvals', args=[batch.project.slug])}?{urlencode({'batch': batch.slug})}"
    waiting = awaiting.waiting(batch.project).filter(batch=batch).count()
    return [{"url": url, "label": _("Approvals"), "here": False, "count": waiting, "act": roles.PAY}]
