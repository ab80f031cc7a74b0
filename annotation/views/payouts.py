"""Payouts: what is owed taken together, as a file for whoever pays, and read back from it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import uploads
from annotation.downloads import CSV, sent
from annotation.flow import paying_out
from annotation.flow.refusal import Refused
from annotation.models import Payout, PayoutLine, Project
from annotation.pure import roles
from annotation.views.access import member_required
from annotation.views.seeing import see


@require_POST
@member_required(roles.PAY)
def payout_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Take together everything that is owed."""
    try:
        made = paying_out.make_payout(project, user=request.user)
    except Refused as refusal:
        messages.warning(request, str(refusal))
        return see("money", project.slug)
    return see("payout", project.slug, made.number)


@never_cache
@require_safe
@member_required(roles.PAY)
def payout(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Whom to pay how much; names stand here, because whoever pays needs them."""
    return _page(request, project, _payout(project, number))


def _payout(project: Project, number: int) -> Payout:
    return get_object_or_404(Payout.objects.filter(number__in=[number] if number < 2**31 else []), project=project)


def _page(request: HttpRequest, project: Project, row: Payout) -> HttpResponse:
    lines = paying_out.lines_of(row)
    crumbs = [
        {"label": _("Money"), "url": reverse("money", args=[project.slug])},
        {"label": _("Payout %(number)s") % {"number": row.number}, "url": ""},
    ]
    context = {"project": project, "section": "money", "payout": row, "lines": lines, "crumbs": crumbs}
    context |= paying_out.sums(lines)
    return render(request, "money/payout.html", context)


@never_cache
@require_safe
@member_required(roles.PAY)
def payout_file(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """The payout as a file."""
    row = _payout(project, number)
    name = f"{project.slug}-payout-{row.number}.csv"
    return sent(request, row, paying_out.as_csv(row), name=name, kind=CSV)


@require_POST
@member_required(roles.PAY)
def payout_line(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Note of one line that it was paid, or that paying failed."""
    rows = PayoutLine.objects.select_related("payout__project", "worker")
    line = get_object_or_404(rows, pk=pk, payout__project=project)
    to = request.POST.get("state", "")
    if to in {PayoutLine.State.PAID, PayoutLine.State.FAILED}:
        reference = request.POST.get("reference", "").replace("\0", "")
        try:
            paying_out.decide(line, to, reference=reference, user=request.user)
        except Refused as refusal:
            messages.warning(request, str(refusal))
    return see("payout", project.slug, line.payout.number)


@require_POST
@member_required(roles.PAY)
def payout_read(request: HttpRequest, project: Project) -> HttpResponse:
    """Read a payout's file back; wrong lines are named and nothing is changed."""
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request) or upload.size > paying_out.LONGEST:
        messages.error(request, _("Choose the payout's file, with its states filled in, then send it again."))
        return see("money", project.slug)
    try:
        done = paying_out.reconcile(project, upload.read(), user=request.user)
    except paying_out.FileRefused as refused:
        context = {"project": project, "section": "money", "errors": refused.report["errors"], "name": upload.name}
        return render(request, "money/refused.html", context, status=422)
    text = _("%(paid)s noted as paid, %(failed)s as failed; %(unchanged)s were noted before, %(open)s are still open.")
    messages.success(request, text % done)
    return see("money", project.slug)
