"""Reserving HITs for chosen workers, the list of reservations, and cancelling them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.flow.batches import reserved_hits
from annotation.flow.errors import Refused
from annotation.flow.money.ledger import Overdrawn
from annotation.models import Batch, Hit, Project
from annotation.pure.batches.hit_filters import Cut
from annotation.views.access import requester_action, requester_form
from annotation.views.batches.batch_page import batch_context, batch_of
from annotation.views.batches.hits import listed
from annotation.views.redirects import see

MOST = 500  # HITs in one request
SKIPPED = {
    reserved_hits.HAD: gettext_lazy("they had it before"),
    reserved_hits.MET: gettext_lazy("they saw another member of its group"),
    reserved_hits.EXCLUDED: gettext_lazy("the HIT is excluded"),
    reserved_hits.ALREADY: gettext_lazy("it was already assigned to them"),
}


@requester_form
def reserve_hits(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The HITs of the query string, the workers to choose from, and reservations; POST reserves."""
    shown = batch_of(project, batch)
    hits = _chosen(request, shown)
    people = list(reserved_hits.people(shown))
    ticked = {int(key) for key in request.POST.getlist("to") if key.isascii() and key.isdigit() and len(key) < 19}
    problem = ""
    if request.method == "POST":
        try:
            _add_messages(
                request,
                reserved_hits.reserve(shown, hits, [one for one in people if one.pk in ticked], user=request.user),
            )
            return see("batch-reserve", project.slug, shown.slug)
        except (Refused, Overdrawn) as refusal:
            problem = str(refusal)
    context = batch_context(
        shown,
        "hits",
        leaf=_("Assign HITs to workers"),
        hits=hits,
        people=[(one, one.pk in ticked) for one in people],
        problem=problem,
        **_reservations(shown),
    )
    return render(request, "batches/assign_hits.html", context, status=422 if problem else 200)


def _chosen(request: HttpRequest, batch: Batch) -> list[Hit]:
    """The checked HITs, or with `all` those of the whole filtered list, in order."""
    if "all" in request.GET:
        rows = listed(request, batch, Cut.of(request.GET))
    else:
        rows = batch.hits.filter(public_id__in=request.GET.getlist("hit")[:MOST]).order_by("ticket")
    return list(rows.select_related("item").defer("payload", "item__content")[:MOST])


def _reservations(batch: Batch) -> dict[str, Any]:
    some = list(reserved_hits.rows(batch)[:200])
    states = reserved_hits.states(some)
    return {"reserved": [(row, states[row.pk]) for row in some]}


def _add_messages(request: HttpRequest, outcome: reserved_hits.Outcome) -> None:
    if outcome.reserved:
        text = ngettext("%(n)s HIT was assigned.", "%(n)s HITs were assigned.", outcome.reserved)
        messages.success(
            request, text % {"n": outcome.reserved} + " " + _("It comes first when they take their next HIT.")
        )
    for reason, count in outcome.skipped.items():
        messages.warning(request, _("Not assigned (%(n)s): %(reason)s") % {"n": count, "reason": SKIPPED[reason]})


@requester_action
def release_hits(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Cancel reservations that were not taken yet."""
    shown = batch_of(project, batch)
    keys = [int(key) for key in request.POST.getlist("reserved") if key.isascii() and key.isdigit() and len(key) < 19]
    if gone := reserved_hits.release(shown, keys):
        messages.success(
            request, ngettext("%(n)s HIT was unassigned.", "%(n)s HITs were unassigned.", gone) % {"n": gone}
        )
    else:
        messages.warning(request, _("Nothing was changed: they have accepted it already."))
    return see("batch-reserve", project.slug, shown.slug)
