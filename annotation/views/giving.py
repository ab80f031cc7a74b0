"""Giving HITs to chosen annotators: which, to whom, what was given, and taking it back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow import giving
from annotation.flow.ledger import Overdrawn
from annotation.flow.refusal import Refused
from annotation.models import Batch, Hit, Project
from annotation.pure.cuts import Cut
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.hits import listed
from annotation.views.seeing import see

MOST = 500  # HITs at once
SKIPPED = {
    giving.HAD: gettext_lazy("they had it before"),
    giving.MET: gettext_lazy("they met a member of its group"),
    giving.VOIDED: gettext_lazy("the HIT is voided"),
    giving.ALREADY: gettext_lazy("it was given to them before"),
}


@never_cache
@require_get_or_post
@requester_required
def batch_give(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The HITs that the address names, the people who may get them, and what was given; POST gives."""
    shown = batch_of(project, batch)
    hits = _chosen(request, shown)
    people = list(giving.people(shown))
    ticked = {int(key) for key in request.POST.getlist("to") if key.isascii() and key.isdigit() and len(key) < 19}
    problem = ""
    if request.method == "POST":
        try:
            _tell(request, giving.give(shown, hits, [one for one in people if one.pk in ticked], user=request.user))
            return see("batch-give", project.slug, shown.slug)
        except (Refused, Overdrawn) as refusal:
            problem = str(refusal)
    context = batch_context(
        shown,
        "hits",
        leaf=_("HITs for chosen workers"),
        hits=hits,
        people=[(one, one.pk in ticked) for one in people],
        problem=problem,
        **_given(shown),
    )
    return render(request, "batches/give.html", context, status=422 if problem else 200)


def _chosen(request: HttpRequest, batch: Batch) -> list[Hit]:
    """The HITs ticked in the list, or with `all` those of the whole list under its filters, in their order."""
    if "all" in request.GET:
        rows = listed(request, batch, Cut.of(request.GET))
    else:
        rows = batch.hits.filter(public_id__in=request.GET.getlist("hit")[:MOST]).order_by("ticket")
    return list(rows.select_related("item").defer("payload", "item__content")[:MOST])


def _given(batch: Batch) -> dict[str, Any]:
    some = list(giving.rows(batch)[:200])
    states = giving.states(some)
    return {"given": [(row, states[row.pk]) for row in some]}


def _tell(request: HttpRequest, outcome: giving.Outcome) -> None:
    if outcome.given:
        text = ngettext("%(n)s HIT is given.", "%(n)s HITs are given.", outcome.given)
        messages.success(
            request, text % {"n": outcome.given} + " " + _("It comes first when they take their next one.")
        )
    for reason, count in outcome.skipped.items():
        messages.warning(request, _("Not given (%(n)s): %(reason)s") % {"n": count, "reason": SKIPPED[reason]})


@require_POST
@requester_required
def batch_take_back(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Undo what was given and not taken yet."""
    shown = batch_of(project, batch)
    keys = [int(key) for key in request.POST.getlist("given") if key.isascii() and key.isdigit() and len(key) < 19]
    if gone := giving.take_back(shown, keys):
        messages.success(request, ngettext("Taken back: %(n)s HIT.", "Taken back: %(n)s HITs.", gone) % {"n": gone})
    else:
        messages.warning(request, _("Nothing was taken back: they have it already."))
    return see("batch-give", project.slug, shown.slug)
