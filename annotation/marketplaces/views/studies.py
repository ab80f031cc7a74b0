"""The pages of a batch that is a study on a marketplace: its settings, its course, its visits, and whom to pay."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from annotation.flow.errors import Refused
from annotation.marketplaces.flow import (
    demographics,
    studies,
    study_arms,
    visit_decisions,
    visit_pay,
    visit_states,
    visits,
)
from annotation.marketplaces.forms import (
    OUTCOMES,
    DemographicsFileForm,
    DemographicsForm,
    PlacesForm,
    RefusalForm,
    ScheduleForm,
    StudyForm,
)
from annotation.marketplaces.jobs import send_study
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.marketplaces.study_base import Status
from annotation.models import Batch, Project
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.views.access import Request, member_page, requester_action
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other, whole_number

SHOWN: dict[str, Q] = {
    "waiting": Q(decision="")
    & ~Q(state="live")
    & ~Q(outcome="no_consent")
    & ~Q(remote_state__in=["returned", "timed_out", "rejected", "screened_out"]),
    "live": Q(state="live"),
    "done": Q(state="done"),
    "ended": Q(state="ended"),
    "approved": Q(decision__in=["approved", "part"]),
    "trouble": ~Q(trouble=""),
}
STATUSES = {
    Status.RESERVED: _lazy("reserved"),
    Status.ACTIVE: _lazy("under way"),
    Status.AWAITING: _lazy("finished"),
    Status.APPROVED: _lazy("approved"),
    Status.PARTLY_APPROVED: _lazy("approved in part"),
    Status.REJECTED: _lazy("rejected"),
    Status.RETURNED: _lazy("returned"),
    Status.TIMED_OUT: _lazy("out of time"),
    Status.SCREENED_OUT: _lazy("screened out"),
    Status.UNKNOWN: _lazy("unknown"),
}
PROBLEMS = {
    visit_states.WRONG_CODE: _lazy("wrong code"),
    visit_states.BACK_EARLY: _lazy("back before the end"),
    visit_states.UNPAID: _lazy("approved there, not covered here"),
}
LABELS = {
    "waiting": _lazy("to decide"),
    "live": _lazy("under way"),
    "done": _lazy("finished"),
    "ended": _lazy("ended early"),
    "approved": _lazy("approved"),
    "trouble": _lazy("unclear"),
}
MOST = 500  # visits decided at once
REFUSALS = 5  # shown at most


def page_of_arms(batch: Batch) -> HttpResponse | None:
    """To the page of the one study of an arm, or of its experiment where not all arms are launched yet."""
    if batch.experiment is None or PanelStudy.objects.filter(batch=batch).exists():
        return None
    lead = study_arms.lead_of(batch)
    if study_arms.is_launched(batch):
        return see_other("batch-marketplace", batch.project.slug, lead.slug)
    return see_other("experiment", batch.project.slug, batch.experiment.slug)


def study_page(
    request: Request, batch: Batch, *, form: StudyForm | None = None, status: int = 200, **forms: Any
) -> HttpResponse:
    """The study of a batch, with its visits; `forms` replace others in its context."""
    study = PanelStudy.objects.select_related("connection", "batch__project").get(batch=batch)
    kind = studies.kind_of(study.connection)
    show = request.GET.get("show", "waiting")
    rows = _shown(study, show).order_by("-pk").select_related("worker__project")
    done = Count("assignments", filter=Q(assignments__assignment__state="submitted"))
    gold = Q(assignments__assignment__hit__check_item=True, assignments__assignment__grade__isnull=False)
    grades = {"gold": Count("assignments", filter=gold), "grade": Avg("assignments__assignment__grade", filter=gold)}
    page: Page[Any] = Paginator(rows.annotate(done=done, **grades), 50).get_page(request.GET.get("page"))
    for row in page:
        row.is_ticked = str(row.pk) in request.POST.getlist("visit")
        row.percent = 100 * row.grade if row.gold else None
        row.ended_as = OUTCOMES.get(row.outcome, "")
        row.there = STATUSES.get(row.remote_state, row.remote_state)
        row.problem = PROBLEMS.get(row.trouble, row.trouble)
    context: dict[str, Any] = {
        "study": study,
        "connection": study.connection,
        "url": f"{studies.arrival_url(study)}?{visits.marketplace_of(study).parameters()}",
        "is_told": studies.is_told(study),
        "is_scheduled": studies.is_scheduled(study),
        "schedule_form": ScheduleForm() if kind.offers("schedule") else None,
        "may_ask": kind.offers("request_return"),
        "pays_by_list": not kind.offers("approve"),
        "pays_parts": visit_decisions.pays_parts(study.connection),
        "form": form or StudyForm.of(study),
        "places_form": PlacesForm.of(study),
        "all_places": studies.places_for(batch, study.hits_per_visit),
        "refusal_form": RefusalForm(kind=kind),
        "numbers": _numbers(study),
        "codes": [(OUTCOMES[outcome], code) for outcome, code in study.codes.items()],
        "median": studies.median_minutes(study),
        "wage": studies.wage(study.reward, studies.median_minutes(study) or study.minutes),
        "cost": studies.cost(study),
        "screen_out_cost": studies.screen_out_cost(study, study.screen_out_places),
        "owed": visit_pay.owed(study),
        "page": page,
        "show": show,
        "demographics": demographics.tables(study),
        "demographics_file": DemographicsFileForm(),
        "demographics_columns": None,
    } | forms
    if form is not None and form.errors:
        status = 422
    return render(
        request, "marketplaces/study.html", batch_context(batch, "batch-marketplace", **context), status=status
    )


def _numbers(study: PanelStudy) -> list[tuple[str, Any, int]]:
    """(name, label, count) of the visits that may be shown by themselves."""
    counts = study.visits.aggregate(**{name: Count("pk", filter=which) for name, which in SHOWN.items()})
    return [(name, LABELS[name], counts[name]) for name in SHOWN]


def _shown(study: PanelStudy, show: str) -> QuerySet[Visit]:
    return study.visits.filter(SHOWN[show]) if show in SHOWN else study.visits.all()


@requester_action
def study_act(request: Request, project: Project, batch: Batch, act: str) -> HttpResponse:
    """Change a study or decide on visits; `act` is one of ACTS."""
    rows = PanelStudy.objects.select_related("connection", "batch__project")
    study = get_object_or_404(rows, batch=batch)
    if act not in ACTS:
        raise Http404
    answer = ACTS[act](request, study)
    return answer or see_other("batch-marketplace", project.slug, batch.slug)


def _settings(request: Request, study: PanelStudy) -> HttpResponse | None:
    form = StudyForm.of(study, request.POST)
    if not form.is_valid():
        return study_page(request, study.batch, form=form)
    with refusal_as_message(request):  # published meanwhile, it has no form to show it in
        studies.change(study, **form.columns())
        if study.external_id:
            send_study(study, user=request.user)
        messages.success(request, _("The study's settings are saved."))
    return None


def _pursue(goal: str) -> Callable[[Request, PanelStudy], None]:
    def pursue(request: Request, study: PanelStudy) -> None:
        with refusal_as_message(request):
            studies.pursue(study, goal)
            send_study(study, user=request.user)

    return pursue


def _schedule(request: Request, study: PanelStudy) -> None:
    form = ScheduleForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors.get("starts_at", []))))
        return
    with refusal_as_message(request):
        studies.pursue(study, studies.Goal.ACTIVE, starts_at=form.cleaned_data["starts_at"])
        send_study(study, user=request.user)


def _unschedule(request: Request, study: PanelStudy) -> None:
    with refusal_as_message(request):
        studies.cancel_schedule(study)
        send_study(study, user=request.user)


def _draft(request: Request, study: PanelStudy) -> None:
    studies.draft_there(study)
    send_study(study, user=request.user)


def _places(request: Request, study: PanelStudy) -> None:
    form = PlacesForm.of(study, request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(text) for texts in form.errors.values() for text in texts))
        return
    with refusal_as_message(request):
        screen_outs = form.cleaned_data.get("screen_out_places") or 0
        studies.raise_places(study, form.cleaned_data["places"], screen_outs=screen_outs)
        send_study(study, user=request.user)


def _chosen(request: Request, study: PanelStudy) -> list[Visit]:
    """The ticked visits, or with `all` every finished one that waits for a decision."""
    rows = study.visits.select_related("study__batch__project", "study__connection", "worker").order_by("pk")
    if "all" in request.POST:
        rows = rows.filter(SHOWN["waiting"], state="done", outcome="done", trouble="")
    else:
        rows = rows.filter(pk__in=[whole_number(key, 0) for key in request.POST.getlist("visit")])
    return list(rows[:MOST])


def _each(
    request: Request, study: PanelStudy, decide: Callable[[Visit], bool], done: Callable[[int], str]
) -> HttpResponse | None:
    """Decide on each of the chosen visits. Reasons of refusals are shown once; if nothing was done, with the form."""
    count, refusals = 0, dict[str, None]()
    for visit in _chosen(request, study):
        try:
            count += decide(visit)
        except Refused as refusal:
            refusals[str(refusal)] = None
    for text in list(refusals)[:REFUSALS]:
        messages.error(request, text)
    if refusals and not count:
        form = RefusalForm(kind=studies.kind_of(study.connection), initial=request.POST.dict())
        return study_page(request, study.batch, status=422, refusal_form=form)
    messages.success(request, done(count) % {"n": count})
    return None


def _approve(request: Request, study: PanelStudy) -> HttpResponse | None:
    decide = partial(visit_decisions.approve, user=request.user)
    done = partial(ngettext, "%(n)s visit was approved.", "%(n)s visits were approved.")
    return _each(request, study, decide, done)


def _reject(request: Request, study: PanelStudy) -> HttpResponse | None:
    text, category = request.POST.get("reason", ""), request.POST.get("category", "")
    decide = partial(visit_decisions.reject, text=text, category=category, user=request.user)
    done = partial(ngettext, "%(n)s visit was rejected.", "%(n)s visits were rejected.")
    return _each(request, study, decide, done)


def _return(request: Request, study: PanelStudy) -> HttpResponse | None:
    decide = partial(visit_decisions.request_return, text=request.POST.get("reason", ""), user=request.user)
    done = partial(ngettext, "%(n)s participant is asked.", "%(n)s participants are asked.")
    return _each(request, study, decide, done)


def _part(request: Request, study: PanelStudy) -> HttpResponse | None:
    text, percent = request.POST.get("reason", ""), whole_number(request.POST.get("percent", ""), 0)
    decide = partial(visit_decisions.pay_part, text=text, percent=percent, user=request.user)
    done = partial(ngettext, "A part is paid for %(n)s visit.", "A part is paid for %(n)s visits.")
    return _each(request, study, decide, done)


def _paid(request: Request, study: PanelStudy) -> None:
    count = visit_pay.note_paid_by_list(study, up_to=whole_number(request.POST.get("up_to", ""), 0, digits=12))
    text = ngettext("%(n)s payment is noted as made.", "%(n)s payments are noted as made.", count)
    messages.success(request, text % {"n": count})


def _demographics_file(request: Request, study: PanelStudy) -> HttpResponse | None:
    form = DemographicsFileForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in_form(form, "file"):
            export = demographics.read(study, form.cleaned_data["file"])
            found = ngettext("%(n)s participant was found.", "%(n)s participants were found.", export.joined)
            others = ngettext(
                "%(n)s row does not belong to a participant whose visit counts.",
                "%(n)s rows do not belong to a participant whose visit counts.",
                export.unknown,
            )
            messages.info(request, f"{found % {'n': export.joined}} {others % {'n': export.unknown}}")
            if export.strange:
                text = _("Unknown columns are left out: %(names)s.")
                messages.info(request, text % {"names": ", ".join(export.strange[:20])})
            return study_page(request, study.batch, demographics_columns=DemographicsForm.of(study, export.columns))
    return study_page(request, study.batch, status=422, demographics_file=form)


def _demographics(request: Request, study: PanelStudy) -> HttpResponse | None:
    form = DemographicsForm.posted(study, request.POST)
    if form is None:
        messages.error(request, _("Upload the file again: its columns were read too long ago."))
        return None
    if not form.is_valid():
        return study_page(request, study.batch, status=422, demographics_columns=form)
    count = demographics.store(study, form.ticked())
    text = ngettext(
        "Demographics of %(n)s participant are kept.", "Demographics of %(n)s participants are kept.", count
    )
    messages.success(request, text % {"n": count})
    return None


def _demographics_delete(request: Request, study: PanelStudy) -> None:
    demographics.forget(study)
    messages.success(request, _("The demographics are deleted."))


ACTS: dict[str, Callable[[Request, PanelStudy], HttpResponse | None]] = {
    "settings": _settings,
    "draft": _draft,
    "publish": _pursue(studies.Goal.ACTIVE),
    "schedule": _schedule,
    "unschedule": _unschedule,
    "pause": _pursue(studies.Goal.PAUSED),
    "stop": _pursue(studies.Goal.STOPPED),
    "places": _places,
    "approve": _approve,
    "reject": _reject,
    "return": _return,
    "part": _part,
    "paid": _paid,
    "demographics-file": _demographics_file,
    "demographics": _demographics,
    "demographics-delete": _demographics_delete,
}


@member_page(roles.RUN)
def study_pay_file(request: Request, project: Project, batch: Batch) -> HttpResponseBase:
    """Whom to pay how much, as CSV; downloading it changes nothing."""
    study = get_object_or_404(PanelStudy.objects.select_related("batch"), batch=batch)
    return logged_download(
        request, study.batch, visit_pay.pay_list(study), name=f"{study.batch.slug}-pay.csv", kind=CSV
    )
