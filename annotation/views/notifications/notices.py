"""The viewer's notices: list, open, mark as read, choose kinds."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.notifications import notice_inbox
from annotation.models import Batch, Comment, Dataset, Notice, User
from annotation.views.access import Request, signed_in_action, signed_in_page
from annotation.views.post_handling import see_other, whole_number

PER_PAGE = 50


@signed_in_page
def notices(request: Request) -> HttpResponse:
    """All notices of the viewer, newest first; viewing the list marks none as read."""
    page = Paginator(notice_inbox.notices_of(request.user), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [{"notice": row, "text": notice_inbox.notice_text(row)} for row in page],
        "newest": max((row.pk for row in page), default=0),
        "kinds": [(kind, label, kind not in request.user.muted) for kind, label in concerning(request.user)],
    }
    return render(request, "notifications/notices.html", context)


def concerning(user: User) -> list[tuple[str, str]]:
    """The kinds of notices that the user gets: (kind, label)."""
    known = notice_inbox.kinds_for(user)
    return [(kind, str(label)) for kind, label in Notice.Kind.choices if kind in known]


def leads_to(notice: Notice) -> str:
    """The URL of the page that a notice is about."""
    slug, batch = notice.project.slug, notice.batch
    if notice.kind == Notice.Kind.WORK and batch is not None:
        return reverse("marketplace-group", args=[batch.pk]) if batch.state == Batch.State.OPEN else reverse("work")
    if notice.kind == Notice.Kind.PASSWORD:
        return reverse("account")
    if notice.comment is not None:
        return _thread_of(notice.comment)
    if notice.job is not None:
        return reverse("job", args=[slug, notice.job.public_id])
    if batch is not None:
        return reverse("batch", args=[slug, batch.slug])
    return reverse("money", args=[slug])


def _thread_of(comment: Comment) -> str:
    """The URL of a comment on the page of its HIT or item; the list of datasets if the item's is deleted."""
    slug, item = comment.project.slug, comment.item
    if comment.hit is not None:
        page = reverse("hit", args=[slug, comment.hit.batch.slug, comment.hit.public_id])
    elif item.dataset.state == Dataset.State.READY:
        page = reverse("item", args=[slug, item.dataset.slug, item.position])
    else:
        return reverse("datasets", args=[slug])
    return f"{page}#comment-{comment.pk}"


@signed_in_action
def notice_open(request: Request, pk: int) -> HttpResponse:
    """Mark a notice as read, and go to its page."""
    notice = get_object_or_404(notice_inbox.notices_of(request.user, closed=True), pk=pk)
    notice_inbox.read_one(notice)
    return HttpResponseRedirect(leads_to(notice), status=303)


@signed_in_action
def notices_read(request: Request) -> HttpResponse:
    """Mark all notices that the page showed, and older ones, as read."""
    notice_inbox.read(request.user, upto=whole_number(request.POST.get("upto", ""), None, digits=18))
    return see_other("notices")


@signed_in_action
def notices_kinds(request: Request) -> HttpResponse:
    """Save which kinds the viewer wants; kinds that the page did not offer stay unchanged."""
    offered = {kind for kind, _label in concerning(request.user)}
    unwanted = offered - set(request.POST.getlist("kind"))
    notice_inbox.mute(request.user, unwanted | (set(request.user.muted) - offered))
    messages.success(request, _("Saved."))
    return see_other("notices")
