"""Reserving HITs for chosen workers, the list of reservations, and cancelling them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.flow.batches import reserved_hits
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.errors import Refused
from annotation.models import Batch, Hit, Project
from annotation.views.access import Request, requester_action, requester_form
from annotation.views.batches.batch_page import batch_context
from annotation.views.batches.hits import listed
from annotation.views.post_handling import see_other, whole_number

MOST_HITS = 500  # in one request
SKIPPED = {
    reserved_hits.HAD: gettext_lazy("they had it before"),
    reserved_hits.MET: gettext_lazy("they saw another member of its group"),
    reserved_hits.EXCLUDED: gettext_lazy("the HIT is excluded"),
    reserved_hits.ALREADY: gettext_lazy("it was already assigned to them"),
}


@requester_form
def reserve_hits(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The HITs of the query string, the workers to choose from, and reservations; POST reserves."""
    hits = _chosen(request, batch)
    people = list(reserved_hits.people(batch))
    ticked = {whole_number(key, 0, digits=18) for key in request.POST.getlist("to")}
    problem = ""
    if request.method == "POST":
        chosen = [worker for worker in people if worker.pk in ticked]
        try:
            _add_messages(request, reserved_hits.reserve(batch, hits, chosen, user=request.user))
            return see_other("batch-reserve", project.slug, batch.slug)
        except Refused as refusal:
            problem = str(refusal)
    reserved = list(reserved_hits.rows(batch)[:200])
    states = reserved_hits.states(reserved)
    context = batch_context(
        batch,
        "hits",
        leaf=_("Assign HITs to workers"),
        hits=hits,
        people=[(worker, worker.pk in ticked) for worker in people],
        problem=problem,
        reserved=[(row, states[row.pk]) for row in reserved],
    )
    return render(request, "batches/assign_hits.html", context, status=422 if problem else 200)


def _chosen(request: Request, batch: Batch) -> list[Hit]:
    """The checked HITs, or with `all` the HITs of the whole filtered list, in order."""
    if "all" in request.GET:
        rows = listed(request, batch, BatchPart.of(request.GET))
    else:
        rows = batch.hits.filter(public_id__in=request.GET.getlist("hit")[:MOST_HITS]).order_by("ticket")
    return list(rows.select_related("item").defer("payload", "item__content")[:MOST_HITS])


def _add_messages(request: Request, outcome: reserved_hits.Outcome) -> None:
    if outcome.reserved:
        text = ngettext("%(n)s HIT was assigned.", "%(n)s HITs were assigned.", outcome.reserved)
        first = _("It comes first when they take their next HIT.")
        messages.success(request, f"{text % {'n': outcome.reserved}} {first}")
    for reason, count in outcome.skipped.items():
        messages.warning(request, _("Not assigned (%(n)s): %(reason)s") % {"n": count, "reason": SKIPPED[reason]})


@requester_action
def release_hits(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Cancel reservations that were not taken yet."""
    keys = [whole_number(key, 0, digits=18) for key in request.POST.getlist("reserved")]
    if gone := reserved_hits.release(batch, keys):
        text = ngettext("%(n)s HIT was unassigned.", "%(n)s HITs were unassigned.", gone)
        messages.success(request, text % {"n": gone})
    else:
        messages.warning(request, _("Nothing was changed: they have accepted it already."))
    return see_other("batch-reserve", project.slug, batch.slug)
