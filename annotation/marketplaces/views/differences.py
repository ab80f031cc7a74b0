"""Where the books of a marketplace and ours are compared, and where it delivers its events."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.flow.errors import Refused
from annotation.marketplaces.base import Denied
from annotation.marketplaces.flow import bonuses, differences, payments, study_events, study_sync
from annotation.marketplaces.models import Connection, Difference, PanelStudy
from annotation.models import Batch, Payment, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_page, requester_action
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import enqueue_and_redirect, refusal_as_message, see_other

LONGEST = 500


def _study(batch: Batch) -> PanelStudy:
    return get_object_or_404(PanelStudy.objects.select_related("connection"), batch=batch)


@member_page(roles.SEE)
def batch_differences(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Every difference between the marketplace's books and ours, and what was done about it."""
    study = _study(batch)
    page = Paginator(differences.of_batch(study.batch), 50).get_page(request.GET.get("page"))
    context: dict[str, Any] = {"study": study, "page": page, "open": differences.open_ones(study).count()}
    failed = Payment.objects.filter(batch=study.batch, state=Payment.State.FAILED).select_related("worker__project")
    context |= {"failed": failed.order_by("pk")[:50], "connection": study.connection}
    return render(request, "marketplaces/differences.html", batch_context(study.batch, "batch-marketplace", **context))


@requester_action
def batch_difference_act(request: Request, project: Project, batch: Batch, pk: int) -> HttpResponse:
    """`paid`, `unpaid`: what a person found about an unclear bonus; `noted`: what they did about a difference."""
    study = _study(batch)
    row = get_object_or_404(Difference, pk=pk, study=study)
    act = ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Http404
    act(request, row)
    return see_other("batch-differences", project.slug, study.batch.slug)


@requester_action
def batch_compare(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Compare the books in a job; with `again`, also retry payments that failed."""
    found = _study(batch).batch
    if request.POST.get("again"):
        payments.try_again(found)
    title = _("Compare %(batch)s") % {"batch": found.title}
    return enqueue_and_redirect(request, "sync_study", title, {"batch": found.pk}, project=project)


def _note(request: Request, row: Difference) -> None:
    text = request.POST.get("text", "").strip()[:LONGEST]
    if not text:
        messages.error(request, _("Say what was done about it."))
    elif differences.note(row, text):
        messages.success(request, _("Noted."))


def _decide(was_paid: bool) -> Any:
    def decide(request: Request, row: Difference) -> None:
        bonus = bonuses.unclear(row.study.batch).filter(pk=row.facts.get("bonus")).first()
        with refusal_as_message(request):
            if bonus is None or not study_sync.decide_bonus(bonus, was_paid=was_paid):
                raise Refused(_("This bonus is no longer unclear."))
            said = (
                _("Recorded as paid.") if was_paid else _("Recorded as not paid. The payment will be sent once more.")
            )
            differences.note(row, said)
            messages.success(request, said)

    return decide


ACTS = {"noted": _note, "paid": _decide(True), "unpaid": _decide(False)}


MOST_BYTES = 65_536


@csrf_exempt
@require_POST
def receive(request: HttpRequest, pk: int) -> HttpResponse:
    """Take in a signed event; 204 also for one that came before, 403 for one that the marketplace did not sign."""
    connection = get_object_or_404(Connection, pk=pk)
    if not connection.subscriptions.exists():
        raise Http404
    if len(request.body) > MOST_BYTES:
        return HttpResponse(status=413)
    try:
        study_events.receive(connection, request.headers, request.body)
    except Denied as refused:
        return HttpResponse(str(refused), status=403, content_type="text/plain")
    return HttpResponse(status=204)
