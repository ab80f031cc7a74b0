"""Shared parts of a batch's pages: look-up, heading, tabs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation import discovery
from annotation.discovery import BatchTab
from annotation.flow.batches import workers_needed
from annotation.flow.people import round_attempts
from annotation.flow.projects import overview
from annotation.flow.reports import score_looks
from annotation.flow.review import gold_in_doubt, review_decisions
from annotation.models import Batch, Hit, Project
from annotation.pure.batches.next_step import Situation
from annotation.pure.people import roles
from annotation.registry import task_type
from annotation.tasktype import Rated

TONES = {"draft": "", "launching": "running", "open": "running", "paused": "warn", "closed": "plain"}
ACTS = {"batch-settings": roles.RUN, "review": roles.REVIEW, "adjudicate": roles.REVIEW, "gold": roles.REVIEW}
OPENED = "scores_opened"  # in the session: {batch: number of responses at the look}
DECISIONS = ("problem_reports", "review", "approvals", "adjudicate", "gold")  # of a Situation
EXPORTS = [("jsonl", "JSONL"), ("csv", "CSV"), ("parquet", "Parquet")]


def batch_context(
    batch: Batch, here: str, *, leaf: str | None = None, counted: Mapping[str, int] | None = None, **more: Any
) -> dict[str, Any]:
    """`here`: the URL name of the tab; `leaf`: the title of a page below a tab, "" if breadcrumbs end at the tab.

    `counted`: open decisions that the page counted itself.
    """
    project = batch.project
    waiting = (overview.open_decisions(batch) if batch.launched_at else {}) | (counted or {})
    tabs = _tabs(batch, here, waiting)
    return {
        "project": project,
        "section": "batches",
        "breadcrumbs": _breadcrumbs(batch, [tab for tab in tabs if tab["here"] and here != "batch"], leaf),
        "batch": batch,
        "tone": TONES[batch.state],
        "tabs": tabs,
        "open_decisions": waiting,
        "exports": EXPORTS,
        "is_rated": isinstance(task_type(batch.task), Rated),
        **more,
    }


def situation_of(batch: Batch, waiting: Mapping[str, int]) -> Situation:
    """What determines the next step with a launched batch; a few queries, however many HITs it has."""
    is_open = batch.state == Batch.State.OPEN
    return Situation(
        state=batch.state,
        missing_workers=workers_needed.missing_by_batch(batch.project).get(batch.pk, 0) if is_open else 0,
        has_open_places=is_open and batch.hits.open().filter(check_item=False).exists(),
        **{kind: waiting.get(kind, 0) for kind in DECISIONS},
    )


def situations_of(
    project: Project, batches: Sequence[Batch], waiting: Iterable[overview.OpenDecisions]
) -> list[Situation]:
    """As `situation_of`, for several batches in a few queries; a closed batch with its dataset leaves nothing to do.

    Missing workers are counted for the open batch that needs most of them.
    """
    decisions: dict[str, dict[str, int]] = {}
    for wait in waiting:
        if wait.of:
            decisions.setdefault(wait.of["slug"], {})[wait.kind] = wait.count
    is_open = [batch for batch in batches if batch.state == Batch.State.OPEN]
    hits = Hit.objects.open().filter(batch=OuterRef("pk"), check_item=False)
    open_rows = project.batches.filter(Exists(hits), pk__in=[batch.pk for batch in is_open])
    with_places = set(open_rows.values_list("pk", flat=True))
    with_dataset = {lineage.get("batch") for lineage in project.datasets.values_list("lineage", flat=True)}
    missing = workers_needed.missing_by_batch(project)
    neediest = max(is_open, key=lambda batch: missing.get(batch.pk, 0), default=None)
    return [
        Situation(
            state="" if batch.slug in with_dataset and batch.state == Batch.State.CLOSED else batch.state,
            missing_workers=missing.get(batch.pk, 0) if batch is neediest else 0,
            has_open_places=batch.pk in with_places,
            **{kind: decisions.get(batch.slug, {}).get(kind, 0) for kind in DECISIONS},
        )
        for batch in batches
    ]


def _breadcrumbs(batch: Batch, tabs: list[dict[str, Any]], leaf: str | None) -> list[dict[str, str]]:
    """Breadcrumbs: the batches, the batch, its tab and the page below it; the page itself has no URL."""
    args = [batch.project.slug]
    way = [
        {"label": _("Batches"), "url": reverse("batches", args=args)},
        {"label": batch.title, "url": reverse("batch", args=[*args, batch.slug])},
        *({"label": tab["label"], "url": tab["url"]} for tab in tabs),
    ]
    if leaf is None:
        way[-1]["url"] = ""
    return [*way, {"label": leaf, "url": ""}] if leaf else way


def _review_tabs(batch: Batch, waiting: Mapping[str, int]) -> list[tuple[str, str, int | None]]:
    """Review, adjudication and gold in doubt, as far as the batch's task has them."""
    if batch.launched_at is None:
        return []
    return [
        *([("review", _("Review"), waiting["review"] or None)] if review_decisions.is_reviewed(batch) else []),
        ("adjudicate", _("Adjudicate"), waiting["adjudicate"] or None),
        *([("gold", _("Gold in doubt"), waiting["gold"] or None)] if gold_in_doubt.is_detectable(batch) else []),
    ]


def _tabs_of_apps(after: str, batch: Batch) -> list[tuple[str, str, None]]:
    tabs: list[BatchTab] = discovery.listed("TABS")
    return [(tab.page, tab.label, None) for tab in tabs if tab.after == after and tab.shown(batch)]


def _tabs(batch: Batch, here: str, waiting: Mapping[str, int]) -> list[dict[str, Any]]:
    named = [
        ("batch", _("Overview"), None),
        *([("round", _("Qualification round"), None)] if batch.launched_at and round_attempts.round_of(batch) else []),
        ("hits", _("HITs"), batch.size),
        *_review_tabs(batch, waiting),
        ("batch-workers", _("Workers"), None),
        *_tabs_of_apps("batch-workers", batch),
        ("problem-reports", _("Problems"), waiting.get("problem_reports") or None),
        ("report", _("Report"), None),
        *_tabs_of_apps("report", batch),
        ("instructions", _("Instructions"), None),
        ("batch-settings", _("Settings"), None),
    ]
    args = [batch.project.slug, batch.slug]
    tabs = [
        {"url": reverse(name, args=args), "label": label, "here": name == here, "count": count, "act": ACTS.get(name)}
        for name, label, count in named
    ]
    return [*tabs, *_paying(batch, waiting)]


def _paying(batch: Batch, waiting: Mapping[str, int]) -> list[dict[str, Any]]:
    """A link to the batch's responses to approve, on the project's approval page."""
    if batch.auto_approval is None or batch.launched_at is None:
        return []
    url = f"{reverse('approvals', args=[batch.project.slug])}?{urlencode({'batch': batch.slug})}"
    return [
        {"url": url, "label": _("Approvals"), "here": False, "count": waiting["approvals"] or None, "act": roles.PAY}
    ]


def is_folded(request: HttpRequest, batch: Batch) -> bool:
    """Whether the batch's scores stay folded: responses are missing, and the viewer has not opened those so far."""
    if score_looks.is_complete(batch):
        return False
    opened: int | None = request.session.get(OPENED, {}).get(str(batch.pk))
    return opened is None or opened < score_looks.responses(batch)
