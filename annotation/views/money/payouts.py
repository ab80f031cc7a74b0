"""Payouts: creating one, its file, and importing results."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from annotation.flow.money import payouts
from annotation.models import Payout, PayoutLine, Project
from annotation.operations import uploads
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.views.access import member_action, member_page
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_as_message, see_other


@member_action(roles.PAY)
def payout_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Create a payout of everything that is owed."""
    with refusal_as_message(request, messages.warning):
        return see_other("payout", project.slug, payouts.make_payout(project, user=request.user).number)
    return see_other("money", project.slug)


@member_page(roles.PAY)
def payout(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """A payout's amounts by worker, with names, which are needed to pay them."""
    row = _payout(project, number)
    lines = payouts.lines_of(row)
    breadcrumbs = section_breadcrumbs(project, "money", _("Payout %(number)s") % {"number": row.number})
    context = {"project": project, "section": "money", "payout": row, "lines": lines, "breadcrumbs": breadcrumbs}
    return render(request, "money/payout.html", context | payouts.sums(lines))


def _payout(project: Project, number: int) -> Payout:
    return get_object_or_404(Payout.objects.filter(number__in=[number] if number < 2**31 else []), project=project)


@member_page(roles.PAY)
def payout_file(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """The payout as a file."""
    row = _payout(project, number)
    name = f"{project.slug}-payout-{row.number}.csv"
    return logged_download(request, row, payouts.as_csv(row), name=name, kind=CSV)


@member_action(roles.PAY)
def payout_line(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Record that a line was paid, or that paying it failed."""
    rows = PayoutLine.objects.select_related("payout__project", "worker")
    line = get_object_or_404(rows, pk=pk, payout__project=project)
    to = request.POST.get("state", "")
    if to in {PayoutLine.State.PAID, PayoutLine.State.FAILED}:
        reference = request.POST.get("reference", "").replace("\0", "")
        with refusal_as_message(request, messages.warning):
            payouts.decide(line, to, reference=reference, user=request.user)
    return see_other("payout", project.slug, line.payout.number)


@member_action(roles.PAY)
def payout_read(request: HttpRequest, project: Project) -> HttpResponse:
    """Import a completed payout file; errors are listed and nothing is changed."""
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request) or upload.size > payouts.LONGEST:
        messages.error(request, _("Choose the payout file with the states filled in, then send it again."))
        return see_other("money", project.slug)
    try:
        done = payouts.reconcile(project, upload.read(), user=request.user)
    except payouts.FileRefused as refused:
        context = {"project": project, "section": "money", "errors": refused.report["errors"], "name": upload.name}
        return render(request, "money/payout_file_refused.html", context, status=422)
    text = _("%(paid)s recorded as paid, %(failed)s as failed; %(unchanged)s unchanged, %(open)s still open.")
    messages.success(request, text % done)
    return see_other("money", project.slug)
