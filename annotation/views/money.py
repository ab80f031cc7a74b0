"""A project's money: budget, money set aside, wages, ledger, payouts."""

import secrets

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.money import batch_funds, ledger, ledger_audit, ledger_table, payouts, wages
from annotation.flow.projects import projects
from annotation.forms.money import DepositForm, MoneyTermsForm
from annotation.forms.setting_fields import FilterForm
from annotation.models import Batch, Entry, Payout, PayoutLine, Project
from annotation.operations import uploads
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.pure.reports.charts import Line, Lines
from annotation.recruitment import marketplaces
from annotation.views.access import Request, member_action, member_form, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other


@member_page(roles.PAY)
def money(request: Request, project: Project) -> HttpResponse:
    """Balances, money set aside for batches, wages, payouts."""
    context = {
        "project": project,
        "section": "money",
        "books": ledger_audit.books(project),
        "faults": ledger_audit.audit(project),
        "form": MoneyTermsForm(request.user, project=project),
        "batches": [
            {"batch": batch, "wages": wages.summary(wages.of_batch(batch)), **batch_funds.batch_money(batch)}
            for batch in _paid(project)
        ],
        "wages": wages.summary(wages.of_project(project)),
        "spending": _spending(project),
        "payouts": project.payouts.order_by("-number")[:20],
        "entries": list(ledger_table.display_rows(project, ledger_table.entries(project)[:8])),
    }
    return render(request, "money/money.html", context)


def _spending(project: Project) -> Lines | None:
    """Dollars spent over time; None if nothing was, or all at one time."""
    points = tuple((time, float(total)) for time, total in ledger_table.over_time(project))
    if len(points) < 3 or not points[-1][1]:
        return None
    line = Line(_("To workers and in fees"), points, stepped=False)
    return Lines("spending", _("Money spent over time"), _("US dollars"), (line,), n=str(points[-1][1]))


def _paid(project: Project) -> list[Batch]:
    paid = project.batches.filter(auto_approval__isnull=False, launched_at__isnull=False, by_program=False)
    rows = list(marketplaces().joined(paid).order_by("-launched_at")[:30])
    for batch in rows:
        batch.project = project
    return rows


@member_form(roles.OWN)
def money_move(request: Request, project: Project) -> HttpResponse:
    """A deposit or withdrawal: the form, a confirmation, the transfer."""
    posted = request.POST if request.method == "POST" else None
    form = DepositForm(posted, initial={"key": secrets.token_hex(8), "way": request.GET.get("way", "in")})
    valid = form.is_valid()
    if valid and "confirm" in request.POST:
        amount, key = form.signed(), f"deposit/{form.cleaned_data['key']}"
        with refusal_in_form(form, "amount"):
            ledger.deposit(project, amount, key=key, user=request.user, note=form.cleaned_data["note"])
            messages.success(request, _("Deposited.") if amount > 0 else _("Withdrawn."))
            return see_other("money", project.slug)
    books = ledger_audit.books(project)
    confirming = valid and not form.errors and "back" not in request.POST
    context = {"project": project, "section": "money", "form": form, "books": books, "confirming": confirming}
    context["after"] = books.available + form.signed() if confirming else None
    return render(request, "money/deposit.html", context, status=422 if form.errors else 200)


@member_action(roles.OWN)
def money_floor(request: Request, project: Project) -> HttpResponse:
    """Set the minimum hourly wage and the fees."""
    form = MoneyTermsForm(request.user, request.POST, project=project)
    if form.is_valid():
        with refusal_in_form(form):
            projects.change_project(project, form.settings)
            messages.success(request, _("Saved."))
    if form.errors:
        wage = _("Nothing was changed. Give the wage in dollars, for example 15 or 14.50.")
        messages.error(request, str(form.errors["fees"][0]) if "fees" in form.errors else wage)
    return see_other("money", project.slug)


@member_page(roles.PAY)
def money_ledger(request: Request, project: Project) -> HttpResponse:
    """The ledger, filtered by batch, kind and worker."""
    wanted = ledger_table.LedgerFilter.of(request.GET)
    paid = project.batches.filter(pk__in=Entry.objects.filter(project=project).values("batch")).order_by("slug")
    page = wanted.page(ledger_table.entries(project, wanted), request.GET)
    context = {
        "project": project,
        "section": "money",
        "breadcrumbs": section_breadcrumbs(project, "money", _("Ledger")),
        "page": page,
        "rows": list(ledger_table.display_rows(project, page)),
        "filters": FilterForm(wanted, batch=[(slug, slug) for slug in paid.values_list("slug", flat=True)]),
    }
    return render(request, "money/ledger.html", context)


@member_page(roles.PAY)
def ledger_file(request: Request, project: Project) -> HttpResponseBase:
    """The filtered entries as a file."""
    some = ledger_table.entries(project, ledger_table.LedgerFilter.of(request.GET))
    return logged_download(
        request, project, ledger_table.lines(project, some), name=f"{project.slug}-ledger.csv", kind=CSV
    )


@member_form(roles.PAY)
def batch_floor(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Workers below the minimum wage with their top-ups; POST pays the top-ups shown."""
    if request.method == "POST":
        with refusal_as_message(request):
            paid = wages.top_up(batch, shown=request.POST.get("shown", ""), user=request.user)
            text = ngettext("Paid to %(n)s worker.", "Paid to %(n)s workers.", paid)
            messages.success(request, text % {"n": paid})
        return see_other("batch-floor", project.slug, batch.slug)
    due = wages.raises(batch)
    context = batch_context(
        batch,
        "batch-workers",
        leaf=_("Wage floor"),
        raises=due,
        total=wages.total(due),
        shown=wages.confirmation_digest(due),
    )
    context["budget"] = ledger.balance(project, ledger.AVAILABLE)
    return render(request, "money/pay_floor.html", context)


@member_action(roles.PAY)
def payout_new(request: Request, project: Project) -> HttpResponse:
    """Create a payout of everything that is owed."""
    with refusal_as_message(request, messages.warning):
        return see_other("payout", project.slug, payouts.make_payout(project, user=request.user).number)
    return see_other("money", project.slug)


@member_page(roles.PAY)
def payout(request: Request, project: Project, number: int) -> HttpResponse:
    """A payout's amounts by worker, with names, which are needed to pay them."""
    row = _payout(project, number)
    lines = payouts.lines_of(row)
    breadcrumbs = section_breadcrumbs(project, "money", _("Payout %(number)s") % {"number": row.number})
    context = {"project": project, "section": "money", "payout": row, "lines": lines, "breadcrumbs": breadcrumbs}
    return render(request, "money/payout.html", context | payouts.sums(lines))


def _payout(project: Project, number: int) -> Payout:
    return get_object_or_404(Payout.objects.filter(number__in=[number] if number < 2**31 else []), project=project)


@member_page(roles.PAY)
def payout_file(request: Request, project: Project, number: int) -> HttpResponseBase:
    """The payout as a file."""
    row = _payout(project, number)
    name = f"{project.slug}-payout-{row.number}.csv"
    return logged_download(request, row, payouts.as_csv(row), name=name, kind=CSV)


@member_action(roles.PAY)
def payout_line(request: Request, project: Project, pk: int) -> HttpResponse:
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
def payout_read(request: Request, project: Project) -> HttpResponse:
    """Import a completed payout file; errors are listed and nothing is changed."""
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request) or (upload.size or 0) > payouts.LONGEST:
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
