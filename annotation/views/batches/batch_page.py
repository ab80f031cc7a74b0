"""Shared parts of a batch's pages: look-up, heading, tabs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation import discovery
from annotation.discovery import BatchTab
from annotation.flow.people import round_attempts
from annotation.flow.projects import overview
from annotation.flow.reports import score_looks
from annotation.flow.review import gold_in_doubt, result_files, review_decisions
from annotation.models import Batch
from annotation.pure.batches.next_step import NextStep
from annotation.pure.people import roles
from annotation.registry import task_type
from annotation.tasktype import Rated
from annotation.templatetags.language_tags import in_language
from annotation.views import next_steps

TONES = {"draft": "", "launching": "running", "open": "running", "paused": "warn", "closed": "plain"}
ACTS = {"batch-settings": roles.RUN, "batch-decide": roles.REVIEW}
OPENED = "scores_opened"  # in the session: {batch: number of responses at the look}
DECISION_PAGES = {  # by kind of next step
    "approvals": gettext_noop("Approvals"),
    "problem_reports": gettext_noop("Problem reports"),
    "review": gettext_noop("Review"),
    "adjudicate": gettext_noop("Adjudicate"),
    "gold": gettext_noop("Gold in doubt"),
}
EXPORTS = [("jsonl", "JSONL"), ("csv", "CSV"), ("parquet", "Parquet")]


def batch_context(
    batch: Batch, here: str, *, leaf: str | None = None, counted: Mapping[str, int] | None = None, **more: Any
) -> dict[str, Any]:
    """`here`: the URL name of the tab, or of one of its pages.

    `leaf`: the title of a page below it, "" if breadcrumbs end at the tab. `counted`: next steps that the page counted
    itself, by kind.
    """
    project, known = batch.project, counted or {}
    steps = next_steps.waiting(project, batch) if batch.launched_at else []
    steps = [step for step in steps if step.kind not in known]
    steps += [NextStep(kind, n, overview.subject_of(batch)) for kind, n in known.items() if n]
    tabs, rest = _tabs(batch, here, steps), _rest(batch, here)
    return {
        "project": project,
        "section": "batches",
        "breadcrumbs": _breadcrumbs(batch, here, tabs + rest, leaf),
        "batch": batch,
        "tone": TONES[batch.state],
        "tabs": tabs,
        "more_tabs": rest,
        "more_here": any(tab["here"] for tab in rest),
        "steps": steps,
        "exports": EXPORTS,
        "rated": _criteria(batch),
        "has_qrels": result_files.has_qrels(batch),
        **more,
    }


def _criteria(batch: Batch) -> list[str]:
    """The names of the criteria of a batch of ratings."""
    task = task_type(batch.task)
    return task.criteria_of(task.options(batch.options)) if isinstance(task, Rated) else []


def decision_pages(batch: Batch) -> list[dict[str, str]]:
    """{"kind", "label", "url"} of the pages with decisions on a launched batch, as far as its task has them."""
    has = {
        "approvals": batch.auto_approval is not None,
        "review": review_decisions.is_reviewed(batch),
        "gold": gold_in_doubt.is_detectable(batch),
    }
    return [
        {"kind": kind, "label": _(label), "url": next_steps.page_of(batch.project, kind, batch.slug)}
        for kind, label in DECISION_PAGES.items()
        if has.get(kind, True)
    ]


def _breadcrumbs(batch: Batch, here: str, tabs: list[dict[str, Any]], leaf: str | None) -> list[dict[str, str]]:
    """Breadcrumbs: the batches, the batch, its tab and the pages below it; the page itself has no URL."""
    args = [batch.project.slug]
    way = [
        {"label": _("Batches"), "url": reverse("batches", args=args)},
        {"label": in_language(batch.title), "url": reverse("batch", args=[*args, batch.slug])},
        *({"label": tab["label"], "url": tab["url"]} for tab in tabs if tab["here"] and here != "batch"),
    ]
    if (kind := here.replace("-", "_")) in DECISION_PAGES:
        way.append({"label": _(DECISION_PAGES[kind]), "url": reverse(here, args=[*args, batch.slug])})
    if leaf is None:
        way[-1]["url"] = ""
    return [*way, {"label": leaf, "url": ""}] if leaf else way


def _tabs(batch: Batch, here: str, steps: Iterable[NextStep]) -> list[dict[str, Any]]:
    """The tabs that every batch has; `counts` says how many things of each kind wait under one."""
    tab = "batch-decide" if here.replace("-", "_") in DECISION_PAGES else here
    named = [
        ("batch", _("Overview"), None),
        ("hits", _("HITs"), batch.size),
        *([("batch-decide", _("Decide"), None)] if batch.launched_at else []),
        ("batch-workers", _("Workers"), None),
        ("report", _("Report"), None),
        ("batch-settings", _("Settings"), None),
    ]
    decisions = Counter({step.kind: step.count for step in steps if step.kind in DECISION_PAGES})
    return [
        _tab(batch, name, label, name == tab)
        | {"count": count, "act": ACTS.get(name), "counts": decisions if name == "batch-decide" else {}}
        for name, label, count in named
    ]


def _rest(batch: Batch, here: str) -> list[dict[str, Any]]:
    """The pages under *More*: those that only some batches have, or that are read once."""
    apps: list[BatchTab] = discovery.listed("TABS")
    has_round = batch.launched_at and round_attempts.round_of(batch)
    named = [
        *([("round", _("Qualification round"))] if has_round else []),
        *([("model-predictions", _("Models"))] if task_type(batch.task).launched else []),
        *((tab.page, tab.label) for tab in apps if tab.shown(batch)),
        ("instructions", _("Instructions")),
    ]
    return [_tab(batch, name, label, name == here) for name, label in named]


def _tab(batch: Batch, name: str, label: str, here: bool) -> dict[str, Any]:
    return {"url": reverse(name, args=[batch.project.slug, batch.slug]), "label": label, "here": here}


def is_folded(request: HttpRequest, batch: Batch) -> bool:
    """Whether the batch's scores stay folded: responses are missing, and the viewer has not opened those so far."""
    if score_looks.is_complete(batch):
        return False
    opened: int | None = request.session.get(OPENED, {}).get(str(batch.pk))
    return opened is None or opened < score_looks.responses(batch)
