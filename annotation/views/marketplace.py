"""The house marketplace: finding work of all projects, previewing HITs of other programs, accepting them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import discovering
from annotation.flow.discovering import Elsewhere, Group
from annotation.flow.refusal import Refused
from annotation.models import Hit, HitType
from annotation.templatetags.strangers import AUTOMATIC
from annotation.views.accounts import safe_next
from annotation.views.frame import preview_of, with_frames
from annotation.views.seeing import see
from annotation.views.standing import places
from annotation.views.worker import next_page, with_next_of

ON_A_PAGE = 30
MOST_PASSED = 1000


@never_cache
@require_safe
@login_required
def marketplace(request: HttpRequest) -> HttpResponse:
    """All work that the viewer may discover, narrowed by `q`, in the order `sort`."""
    search, order = request.GET.get("q", "")[:200], request.GET.get("sort", "newest")
    found = discovering.groups(request.user, search=search, order=order)
    context = {
        "page": Paginator(found, ON_A_PAGE).get_page(request.GET.get("page")),
        "under_way": discovering.under_way(request.user)[:50],
        "q": search,
        "sort": order if order in discovering.ORDERS else "newest",
        "orders": [
            ("newest", _("Newest first")),
            ("reward", _("Highest reward first")),
            ("available", _("Most HITs first")),
            ("time", _("Shortest time first")),
        ],
    }
    return render(request, "marketplace/list.html", context | places(request, "marketplace"))


@never_cache
@require_safe
@login_required
def group(request: HttpRequest, pk: int) -> HttpResponse:
    """A group of HITs: the next one of another program as a preview, or what a batch of the house is about."""
    found = _group(request, pk)
    passing = _passing(request)
    if not found.of_program or not discovering.may(found.worker, found.batch, "preview"):
        return render(request, "marketplace/group.html", {"group": found})
    hit = discovering.next_hit(found, passing=passing)
    if hit is None and passing:
        return redirect("marketplace-group", pk)
    if hit is None:
        return render(request, "marketplace/group.html", {"group": found, "gone": True})
    return _preview(request, found, hit, passing=passing)


@never_cache
@require_safe
@login_required
def hit(request: HttpRequest, public_id: str) -> HttpResponse:
    """One HIT of another program by its id: its preview, or the viewer's own assignment on it."""
    shown = _hit(public_id)
    mine = shown.assignments.filter(worker__user=request.user, state__in=["accepted", "submitted"]).first()
    if mine is not None:
        return redirect("assignment", mine.public_id)
    found = _group(request, shown.batch_id)
    lasting = Hit.objects.open().filter(pk=shown.pk).exists()
    if not lasting or not discovering.may(found.worker, found.batch, "preview"):
        return render(request, "marketplace/group.html", {"group": found, "gone": not lasting, "single": True})
    return _preview(request, found, shown)


def _group(request: HttpRequest, pk: int) -> Group:
    found = discovering.group_of(request.user, pk)
    if found is None:
        raise Http404
    return found


def _hit(public_id: str) -> Hit:
    found = discovering.hit_of_program(public_id)
    if found is None:
        raise Http404
    return found


def _passing(request: HttpRequest) -> int:
    text = request.GET.get("passing", "")
    return min(int(text), MOST_PASSED) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _preview(request: HttpRequest, found: Group, hit: Hit, *, passing: int = 0) -> HttpResponse:
    """The HIT's page as a preview, with what it pays and the way to accept it."""
    hit.batch = found.batch
    offer = {
        "group": found,
        "accept_url": reverse("marketplace-accept", args=[hit.public_id]),
        "other_url": f"{reverse('marketplace-group', args=[found.batch.pk])}?passing={passing + 1}",
        "automatic": bool(request.session.get(AUTOMATIC)),
    }
    context: dict[str, Any] = preview_of(request, hit, seed=0, live="search/")
    context["frame"] |= {"offer": offer, "total": found.available or 1, "home_url": reverse("marketplace")}
    page = render(request, f"{found.batch.task}/page.html", context)
    return with_frames(page, found.batch.task, hit.payload)


@require_POST
@login_required
def accept(request: HttpRequest, public_id: str) -> HttpResponse:
    """Accept a HIT of another program; consent comes first, and what is gone leads to the next of its group."""
    wanted = _hit(public_id)
    _group(request, wanted.batch_id)
    request.session[AUTOMATIC] = "automatic" in request.POST
    here = reverse("marketplace-hit", args=[wanted.public_id])
    try:
        return see("assignment", discovering.accept(request.user, wanted).public_id)
    except Elsewhere as before:
        if before.step == "consent":
            return with_next_of(reverse("consent", args=[wanted.batch.project.slug]), here)
        messages.warning(request, str(before))
    except Refused as gone:
        messages.warning(request, str(gone))
    return see("marketplace-group", wanted.batch_id)


@require_POST
@login_required
def group_start(request: HttpRequest, pk: int) -> HttpResponse:
    """Begin with a batch of the house, joining its project where that is open to all."""
    found = _group(request, pk)
    try:
        return next_page(request, discovering.join(request.user, found.batch), found.batch)
    except Elsewhere:
        here = reverse("marketplace-group", args=[pk])
        return with_next_of(reverse("consent", args=[found.batch.project.slug]), here)
    except Refused as refused:
        messages.warning(request, str(refused))
    return see("marketplace")


@require_POST
@login_required
def automatic(request: HttpRequest) -> HttpResponse:
    """Whether the next HIT is accepted by itself once one was submitted: `on`, or not."""
    request.session[AUTOMATIC] = request.POST.get("on") == "1"
    return HttpResponseRedirect(safe_next(request))


@never_cache
@require_safe
@login_required
def preview_by_id(request: HttpRequest) -> HttpResponse:
    """The address that clients print, /mturk/preview?groupId=: a HIT group's or a HIT type's id leads to its group."""
    wanted = request.GET.get("groupId", "")[:64].replace("\0", "")
    found = get_object_or_404(HitType, Q(group_id=wanted) | Q(public_id=wanted))
    _group(request, found.batch_id)
    return redirect("marketplace-group", found.batch_id)
