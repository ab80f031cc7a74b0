"""What the viewer was told: the list, opening one, that they are read, and of what they want to hear."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import notified
from annotation.models import Batch, Notice, User
from annotation.views.seeing import see

PER_PAGE = 50
MOST_DIGITS = 18


@never_cache
@require_safe
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """Everything that the viewer was told, newest first. Looking marks nothing as read."""
    page = Paginator(notified.of(request.user), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [{"notice": row, "text": notified.told(row)} for row in page],
        "newest": max((row.pk for row in page), default=0),
        "kinds": [(kind, label, kind not in request.user.muted) for kind, label in concerning(request.user)],
    }
    return render(request, "accounts/notices.html", context)


def concerning(user: User) -> list[tuple[str, str]]:
    """The kinds of notices that somebody like the viewer gets: (kind, in words)."""
    known = notified.kinds_for(user)
    return [(kind, label) for kind, label in Notice.Kind.choices if kind in known]


def leads_to(notice: Notice) -> str:
    """The page that a notice is about."""
    slug, batch = notice.project.slug, notice.batch
    if notice.kind == Notice.Kind.WORK and batch is not None:
        return reverse("marketplace-group", args=[batch.pk]) if batch.state == Batch.State.OPEN else reverse("work")
    if notice.job is not None:
        return reverse("job", args=[slug, notice.job.public_id])
    if batch is not None:
        return reverse("batch", args=[slug, batch.slug])
    return reverse("money", args=[slug])


@require_POST
@login_required
def notice_open(request: HttpRequest, pk: int) -> HttpResponse:
    """Note that one is read, and go to what it is about."""
    notice = get_object_or_404(notified.of(request.user), pk=pk)
    notified.read_one(notice)
    return HttpResponseRedirect(leads_to(notice), status=303)


@require_POST
@login_required
def notices_read(request: HttpRequest) -> HttpResponse:
    """Note that everything is read that the page showed, and what is older."""
    upto = request.POST.get("upto", "")
    known = upto.isascii() and upto.isdigit() and len(upto) <= MOST_DIGITS
    notified.read(request.user, upto=int(upto) if known else None)
    return see("notices")


@require_POST
@login_required
def notices_kinds(request: HttpRequest) -> HttpResponse:
    """Keep of which kinds the viewer wants to hear; those that the page did not offer stay as they are."""
    offered = {kind for kind, _label in concerning(request.user)}
    unwanted = offered - set(request.POST.getlist("kind"))
    notified.mute(request.user, unwanted | (set(request.user.muted) - offered))
    messages.success(request, _("Saved."))
    return see("notices")
