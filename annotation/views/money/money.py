"""A project's money: budget, money set aside, wages, ledger."""

import secrets

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.money import batch_funds, ledger, ledger_audit, ledger_table, spending, wages
from annotation.flow.money.ledger_table import LedgerFilter
from annotation.flow.setting_values import chosen
from annotation.forms.money import DepositForm, FloorForm
from annotation.models import Batch, Entry, Project
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.pure.reports.charts import Line, Lines
from annotation.recruitment import marketplaces
from annotation.views.access import member_action, member_form, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other


@member_page(roles.PAY)
def money(request: HttpRequest, project: Project) -> HttpResponse:
    """Balances, money set aside for batches, wages, payouts."""
    context = {
        "project": project,
        "section": "money",
        "books": ledger_audit.books(project),
        "faults": ledger_audit.audit(project),
        "form": FloorForm(initial={"wage_floor": project.wage_floor}),
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
    points = tuple((time, float(total)) for time, total in spending.over_time(project))
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
def money_move(request: HttpRequest, project: Project) -> HttpResponse:
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
def money_floor(request: HttpRequest, project: Project) -> HttpResponse:
    """Set the minimum hourly wage."""
    form = FloorForm(request.POST)
    if form.is_valid():
        wages.set_floor(project, form.cleaned_data["wage_floor"])
        messages.success(request, _("Saved."))
    else:
        messages.error(request, _("Nothing was changed. Give the wage in dollars, for example 15 or 14.50."))
    return see_other("money", project.slug)


@member_page(roles.PAY)
def money_ledger(request: HttpRequest, project: Project) -> HttpResponse:
    """The ledger, filtered by batch, kind and worker."""
    wanted = chosen(LedgerFilter, request.GET.dict())
    page = Paginator(ledger_table.entries(project, wanted), 50).get_page(request.GET.get("page"))
    kinds = sorted(set(Entry.objects.filter(project=project).values_list("kind", flat=True)))
    context = {
        "project": project,
        "section": "money",
        "breadcrumbs": section_breadcrumbs(project, "money", _("Ledger")),
        "page": page,
        "rows": list(ledger_table.display_rows(project, page)),
        "kinds": [(kind, _(ledger_table.KINDS.get(kind, kind))) for kind in kinds],
        "batches": project.batches.filter(entry__isnull=False).distinct().order_by("slug"),
        "wanted": wanted,
    }
    return render(request, "money/ledger.html", context)


@member_page(roles.PAY)
def ledger_file(request: HttpRequest, project: Project) -> HttpResponse:
    """The filtered entries as a file."""
    some = ledger_table.entries(project, chosen(LedgerFilter, request.GET.dict()))
    return logged_download(
        request, project, ledger_table.lines(project, some), name=f"{project.slug}-ledger.csv", kind=CSV
    )


@member_form(roles.PAY)
def batch_floor(request: HttpRequest, project: Project, batch: Batch) -> HttpResponse:
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
