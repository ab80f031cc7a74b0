"""The hours sheet of a project, for staff paid by the hour."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.flow.people import timesheet as flow
from annotation.models import Project
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import periods, roles
from annotation.views.access import member_page

SPANS = [
    (periods.THIS_WEEK, _("This week")),
    (periods.LAST_WEEK, _("Last week")),
    (periods.THIS_MONTH, _("This month")),
    (periods.LAST_MONTH, _("Last month")),
]
DAY = forms.DateInput(attrs={"type": "date"})
LONGEST = 400  # days
WORKERS = 25  # on a page
ZONES = sorted(available_timezones())


class HoursForm(forms.Form):
    """Period and time zone."""

    first = forms.DateField(label=_("From"), widget=DAY)
    last = forms.DateField(label=_("To"), widget=DAY)
    zone = forms.CharField(
        label=_("Time zone"), max_length=60, widget=forms.TextInput(attrs={"list": "zones", "size": 18})
    )

    def clean_zone(self) -> ZoneInfo:
        if self.cleaned_data["zone"] not in ZONES:
            raise ValidationError(_("Name a time zone such as Europe/Berlin or UTC."))
        return ZoneInfo(self.cleaned_data["zone"])

    def clean(self) -> dict[str, Any]:
        first, last = self.cleaned_data.get("first"), self.cleaned_data.get("last")
        if first and last and not 0 <= (last - first).days <= LONGEST:
            self.add_error("last", _("Choose a day after the first one, at most 400 days later."))
        return self.cleaned_data


def _form(request: HttpRequest) -> HoursForm:
    """The form from the query string; this week by default."""
    query = request.GET
    zone = query.get("zone") or timezone.get_current_timezone_name()
    if "first" in query or "last" in query:
        return HoursForm({"first": query.get("first"), "last": query.get("last"), "zone": zone})
    today = datetime.now(ZoneInfo(zone if zone in ZONES else "UTC")).date()
    name = query.get("span", periods.THIS_WEEK)
    first, last = periods.span(name if name in dict(SPANS) else periods.THIS_WEEK, today)
    return HoursForm({"first": first.isoformat(), "last": last.isoformat(), "zone": zone})


@member_page(roles.PEOPLE)
def hours(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Active time by worker, day and batch, some workers on a page; with ?file all of it as CSV."""
    form, sheet, page = _form(request), None, None
    if form.is_valid():
        period = form.cleaned_data
        if "file" in request.GET:
            sheet = flow.sheet(project, **period)
            name = f"{project.slug}-hours-{period['first']}-{period['last']}.csv"
            return logged_download(request, project, flow.as_csv(sheet, names=True), name=name, kind=CSV)
        page = Paginator(flow.workers_of(project, **period), WORKERS).get_page(request.GET.get("page"))
        sheet = flow.sheet(project, **period, workers=list(page)) if page.object_list else flow.Timesheet([], [])
    here = "" if "first" in request.GET else request.GET.get("span", periods.THIS_WEEK)
    context = {
        "project": project,
        "section": "people",
        "form": form,
        "sheet": sheet,
        "page": page,
        "spans": [(name, label, name == here) for name, label in SPANS],
        "zones": ZONES,
    }
    return render(request, "money/hours.html", context, status=200 if form.is_valid() else 422)
