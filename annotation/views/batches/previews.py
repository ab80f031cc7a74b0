"""A batch as workers see it, before and after its launch. Nothing can be submitted here."""

from random import Random

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.batches import batch_drafts
from annotation.models import Batch, Project
from annotation.pure.people import roles
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.views.access import member_page, member_required
from annotation.views.batches.batch_page import batch_of
from annotation.views.post_handling import whole_number
from annotation.views.work.assignment_page import live_fragment
from annotation.views.work.task_frame import preview_of, with_frames

SHOWN = 3
MOST_DIGITS = 18  # of a number in a URL


@member_page(roles.SEE)
def batch_preview(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The worker's page of item `n` (1 to 3), shuffled by `seed`."""
    shown = batch_of(project, batch)
    number = whole_number(request.GET.get("n", ""), 1, digits=MOST_DIGITS)
    seed = whole_number(request.GET.get("seed", ""), 0, digits=MOST_DIGITS)
    hits = batch_drafts.samples(shown, SHOWN)
    if not 1 <= number <= len(hits):
        raise Http404
    hit = hits[number - 1]
    live = reverse("preview-live", args=[project.slug, shown.slug, hit.item_id, seed, "search"])
    context = preview_of(request, hit, seed=seed, live=live)
    end = reverse("batch", args=[project.slug, shown.slug])
    total = shown.size or batch_drafts.plan_of(shown).hits
    context["frame"] |= {"number": number, "total": total, "home_url": end}
    context |= {"previews": _links(shown, len(hits), number), "preview_end": end}
    page = render(request, f"{shown.task}/page.html", context)
    return with_frames(page, shown.task, context["payload"])


def _links(batch: Batch, count: int, here: int) -> list[dict[str, object]]:
    url = reverse("batch-preview", args=[batch.project.slug, batch.slug])
    numbers = range(1, count + 1)
    return [{"url": f"{url}?n={n}", "label": _("Item %(n)s") % {"n": n}, "here": n == here} for n in numbers]


@require_safe
@member_required(roles.SEE)
def preview_live(request: HttpRequest, project: Project, batch: str, item: int, seed: int, name: str) -> HttpResponse:
    """A fragment of the previewed page, shuffled by `seed`."""
    shown = batch_of(project, batch)
    hit = batch_drafts.sample_of(shown, item)
    if hit is None or seed >= 10**MOST_DIGITS:
        raise Http404
    payload = capabilities.arrange(task_type(shown.task), hit.payload, Random(seed))
    return live_fragment(request, shown, payload, name)
