"""The built-in marketplace: finding HITs of all projects, and previewing and accepting HITs of the MTurk API."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.work import arm_draws, built_in_marketplace
from annotation.flow.work.built_in_marketplace import FirstStepRequired, Group
from annotation.models import Batch, Experiment, Hit
from annotation.templatetags.external_question_tags import AUTOMATIC
from annotation.views.access import Request, signed_in_action, signed_in_form, signed_in_page
from annotation.views.people.sign_up import safe_next
from annotation.views.post_handling import see_other, whole_number
from annotation.views.work.assignment_page import begin_experiment, next_page, with_next_of
from annotation.views.work.task_frame import preview_of, with_frames
from annotation.views.work.worker_home import worker_tabs

ON_A_PAGE = 30
MOST_PASSED = 1000


@signed_in_page
def marketplace(request: Request) -> HttpResponse:
    """All HITs that the viewer may discover, filtered by `q`, in the order `sort`."""
    search, order = request.GET.get("q", "")[:200], request.GET.get("sort", "newest")
    found = built_in_marketplace.groups(request.user, search=search, order=order)
    context = {
        "page": Paginator(found, ON_A_PAGE).get_page(request.GET.get("page")),
        "under_way": built_in_marketplace.under_way(request.user)[:50],
        "q": search,
        "sort": order if order in built_in_marketplace.ORDERS else "newest",
        "orders": [
            ("newest", _("Newest first")),
            ("reward", _("Highest reward first")),
            ("available", _("Most items first")),
            ("time", _("Shortest time first")),
        ],
    }
    return render(request, "work/marketplace.html", context | worker_tabs(request, "marketplace"))


@signed_in_page
def group(request: Request, pk: int) -> HttpResponse:
    """A group of HITs: a preview of the next one from the MTurk API, or the description of a batch."""
    found = _group(request, pk)
    passing = min(whole_number(request.GET.get("passing", ""), 0, digits=4), MOST_PASSED)
    if not found.of_program or not built_in_marketplace.may(found.worker, found.batch, "preview"):
        return render(request, "work/hit_group.html", {"group": found})
    hit = built_in_marketplace.next_hit(found, passing=passing)
    if hit is None and passing:
        return redirect("marketplace-group", pk)
    if hit is None:
        return render(request, "work/hit_group.html", {"group": found, "gone": True})
    return _preview(request, found, hit, passing=passing)


@signed_in_page
def hit(request: Request, public_id: str) -> HttpResponse:
    """A HIT of the MTurk API by its id: its preview, or the viewer's own assignment."""
    shown = _hit(public_id)
    own = shown.assignments.filter(worker__user=request.user, state__in=["accepted", "submitted"]).first()
    if own is not None:
        return redirect("assignment", own.public_id)
    found = _group(request, shown.batch_id)
    is_open = Hit.objects.open().filter(pk=shown.pk).exists()
    if not is_open or not built_in_marketplace.may(found.worker, found.batch, "preview"):
        return render(request, "work/hit_group.html", {"group": found, "gone": not is_open, "single": True})
    return _preview(request, found, shown)


def _group(request: Request, pk: int) -> Group:
    found = built_in_marketplace.group_of(request.user, pk)
    if found is None:
        raise Http404
    return found


def _hit(public_id: str) -> Hit:
    found = built_in_marketplace.hit_of_program(public_id)
    if found is None:
        raise Http404
    return found


def _preview(request: Request, group: Group, hit: Hit, *, passing: int = 0) -> HttpResponse:
    """The HIT's page as a preview, with its reward and the URL to accept it."""
    hit.batch = group.batch
    offer = {
        "group": group,
        "accept_url": reverse("marketplace-accept", args=[hit.public_id]),
        "other_url": f"{reverse('marketplace-group', args=[group.batch.pk])}?passing={passing + 1}",
        "automatic": bool(request.session.get(AUTOMATIC)),
    }
    context: dict[str, Any] = preview_of(request, hit, seed=0, live="search/")
    context["frame"] |= {"offer": offer, "total": group.available or 1, "home_url": reverse("marketplace")}
    page = render(request, f"{group.batch.task}/page.html", context)
    return with_frames(page, group.batch.task, hit.payload)


@signed_in_action
def accept(request: Request, public_id: str) -> HttpResponse:
    """Accept a HIT of the MTurk API; consent comes first, and a taken HIT leads to the next of its group."""
    wanted = _hit(public_id)
    _group(request, wanted.batch_id)
    request.session[AUTOMATIC] = "automatic" in request.POST
    here = reverse("marketplace-hit", args=[wanted.public_id])
    try:
        return see_other("assignment", built_in_marketplace.accept(request.user, wanted).public_id)
    except FirstStepRequired as before:
        if before.step == "consent":
            return with_next_of(reverse("consent", args=[wanted.batch.project.slug]), here)
        messages.warning(request, str(before))
    except Refused as gone:
        messages.warning(request, str(gone))
    return see_other("marketplace-group", wanted.batch_id)


@signed_in_action
def group_start(request: Request, pk: int) -> HttpResponse:
    """Start a batch, joining its project if that is open to all."""
    found = _group(request, pk)
    return _start(request, found.batch, reverse("marketplace-group", args=[pk]))


@signed_in_form
def experiment(request: Request, token: str) -> HttpResponse:
    """The one link of an experiment: what it offers; POST begins or continues it."""
    found = get_object_or_404(Experiment.objects.filter(project__removed_at=None), token=token)
    arms = arm_draws.arms_of(found)
    group = next(filter(None, (built_in_marketplace.group_of(request.user, arm.pk) for arm in arms)), None)
    if group is None and not found.project.workers.filter(user=request.user).exists():
        raise Http404
    if request.method == "POST":
        return _start(request, arms[0], request.path)
    if group is None:
        return see_other("work")
    return render(request, "work/hit_group.html", {"group": group, "gone": not group.available})


def _start(request: Request, batch: Batch, here: str) -> HttpResponse:
    try:
        worker = built_in_marketplace.join(request.user, batch)
        if batch.experiment is not None:
            return begin_experiment(request, worker, batch.experiment)
        return next_page(worker, batch)
    except FirstStepRequired:
        return with_next_of(reverse("consent", args=[batch.project.slug]), here)
    except Refused as refused:
        messages.warning(request, str(refused))
    return see_other("marketplace")


@signed_in_action
def automatic(request: Request) -> HttpResponse:
    """Save whether the next HIT is accepted automatically after a submission."""
    request.session[AUTOMATIC] = request.POST.get("on") == "1"
    return HttpResponseRedirect(safe_next(request))
