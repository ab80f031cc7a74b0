"""The pages of a participant who came by link: arriving, where they stand, the end; and as members preview them."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from csp.constants import SELF
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.marketplaces.flow import visits
from annotation.marketplaces.flow.visits import TurnedAway, Unreachable
from annotation.marketplaces.forms import OUTCOMES
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.marketplaces.study_base import Outcome, Ticket
from annotation.models import Batch, Member, Participation, Project, Worker, clock
from annotation.pure.people import roles
from annotation.pure.people.consent_text import is_unfinished
from annotation.views.access import member_form
from annotation.views.markdown_html import html_for_reader
from annotation.views.post_handling import see_other
from annotation.views.work.task_frame import instructions_context

BACKEND = "annotation.operations.sessions.UserBackend"
VISIT, HOME = "visit", "guest_home"  # of a guest's session


@never_cache
@require_safe
def arrival(request: HttpRequest, token: str) -> HttpResponse:
    """A participant arrives, or comes back on any device: sign them in as a guest, and show where they stand."""
    study = visits.study_of(token)
    if study is None:
        raise Http404
    if request.user.is_authenticated and HOME not in request.session:
        is_member = Member.objects.filter(project=study.batch.project, user=request.user).exists()
        return render(request, "marketplaces/visit_member.html", {"study": study, "is_member": is_member})
    try:
        visit = visits.arrive(study, request.GET.dict(), request.user)
    except TurnedAway as refused:
        return _no_way(request, str(refused), status=403)
    except Unreachable as failed:
        return _no_way(request, str(failed), status=503, again=request.get_full_path())
    if visit.worker.user is None:  # erased
        return _no_way(request, _("This visit is over."), status=403)
    if request.user != visit.worker.user:
        login(request, visit.worker.user, backend=BACKEND)
    request.session[VISIT], request.session[HOME] = visit.pk, reverse("visit")
    return see_other("visit")


def _no_way(request: HttpRequest, message: str, *, status: int, again: str = "") -> HttpResponse:
    context = {"message": message, "again": again}
    page = render(request, "marketplaces/visit_refused.html", context, status=status)
    if again:
        page["Retry-After"] = "5"
    return page


def _own(request: HttpRequest) -> Visit:
    """The guest's visit; 404 for everybody else."""
    rows = Visit.objects.select_related("study__batch__project", "study__connection", "worker__project")
    key = request.session.get(VISIT) if request.user.is_authenticated else None
    found = rows.filter(pk=key, worker__user=request.user.pk).first() if key else None
    if found is None:
        raise Http404
    return found


@never_cache
@require_safe
def visit(request: HttpRequest) -> HttpResponse:
    """Where the participant stands: on with the work, or the end with its code."""
    own = _own(request)
    progress = visits.visit_progress(own)
    if own.state == Visit.State.LIVE:
        return render(request, "marketplaces/visit.html", _context(own, progress))
    code = own.study.codes.get(own.outcome, "")
    ticket = Ticket(own.participant, own.external_id, own.study.external_id or "")
    url = visits.marketplace_of(own.study).return_url(own.outcome, code, ticket) if code else ""
    page = render(request, "marketplaces/visit_end.html", _context(own, progress) | {"code": code, "return_url": url})
    if url:
        parts = urlsplit(url)
        page._csp_update = {"form-action": [SELF, f"{parts.scheme}://{parts.netloc}"]}  # type: ignore[attr-defined]  # for django-csp
    return page


def _context(own: Visit, progress: visits.VisitProgress) -> dict[str, Any]:
    study: PanelStudy = own.study
    batch = study.batch
    token = batch.experiment.token if batch.experiment else ""
    return {
        "start_url": reverse("experiment-start", args=[token]) if token else reverse("batch-start", args=[batch.pk]),
        "visit": own,
        "progress": progress,
        "study": study,
        "batch": study.batch,
        "project": study.batch.project,
        "consented": own.worker.consented,
        "leave_url": reverse("visit-leave"),
        "consent_url": f"{reverse('consent', args=[study.batch.project.slug])}?next={reverse('visit')}",
    }


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """The participant stops before the end, does not agree to the consent text, or cannot work on their device."""
    (visits.leave_for_device if "device" in request.POST else visits.leave)(_own(request))
    return see_other("visit")


STEPS = {
    "welcome": "marketplaces/visit.html",
    "consent": "people/consent.html",
    "instructions": "work/instructions.html",
}


@member_form(roles.SEE)
def visit_preview(request: HttpRequest, project: Project, batch: Batch, step: str) -> HttpResponse:
    """A page as participants see it: a step before the work, or the end with this outcome. POST leads to the next."""
    rows = PanelStudy.objects.select_related("connection", "batch__project")
    study = get_object_or_404(rows, batch=batch)
    if step not in STEPS and step not in study.codes:
        raise Http404
    if request.method == "POST":
        return HttpResponseRedirect(_after(study, step), status=303)
    context = _of_visit(study, step) | _of_texts(study, step)
    context |= {"shown": STEPS.get(step, "marketplaces/visit_end.html"), "previews": _links(study, step)}
    return render(request, "marketplaces/visit_preview.html", context)


def _after(study: PanelStudy, step: str) -> str:
    following = {"welcome": str(Outcome.NO_CONSENT), "consent": "instructions"}  # the only form of the welcome leaves
    return _url(study, following[step]) if following.get(step) in {*STEPS, *study.codes} else _hits_url(study)


def _hits_url(study: PanelStudy) -> str:
    return reverse("batch-preview", args=[study.batch.project.slug, study.batch.slug])


def _of_visit(study: PanelStudy, step: str) -> dict[str, Any]:
    """The context of a visit that does not exist."""
    outcome = step if step in study.codes else ""
    agreed = bool(outcome) and outcome != Outcome.NO_CONSENT
    done = study.hits_per_visit if outcome in {Outcome.DONE, Outcome.FAILED_CHECKS} else 0
    worker = Worker(project=study.batch.project)
    worker.consented_version = study.batch.project.consent_version if agreed else 0
    until = clock.now() + timedelta(minutes=study.max_minutes)
    visit = Visit(study=study, worker=worker, outcome=outcome, deadline=until)
    progress = visits.VisitProgress(visit, done, study.hits_per_visit, may_continue=not outcome)
    code = study.codes.get(outcome, "")
    leads_back = code and visits.marketplace_of(study).return_url(outcome, code, Ticket("–", "–"))
    url = "#code" if leads_back else ""
    return {"visit": visit, "worker": worker, "progress": progress, "code": code, "return_url": url, "consented": False}


def _of_texts(study: PanelStudy, step: str) -> dict[str, Any]:
    batch, project = study.batch, study.batch.project
    participation = Participation(batch=batch)
    texts = instructions_context(batch, batch.instructions, participation) | {"study": study, "project": project}
    consent = {
        "consent_html": html_for_reader(project.consent),
        "unfinished": is_unfinished(project.consent),
        "is_guest": True,
    }
    here = _url(study, step)
    return texts | consent | {"consent_url": _url(study, "consent"), "leave_url": here, "instructions_url": here}


def _url(study: PanelStudy, step: str) -> str:
    return reverse("batch-visit-preview", args=[study.batch.project.slug, study.batch.slug, step])


def _links(study: PanelStudy, here: str) -> list[dict[str, Any]]:
    labels = {"welcome": _("Welcome"), "consent": _("Consent text"), "instructions": _("Instructions")}
    ends = {outcome: _("End: %(outcome)s") % {"outcome": OUTCOMES[outcome]} for outcome in study.codes}
    found = [
        {"url": _url(study, step), "label": label, "here": step == here} for step, label in (labels | ends).items()
    ]
    hits = {"url": _hits_url(study), "label": _("HITs")}
    return [*found[: len(labels)], hits | {"here": False}, *found[len(labels) :]]
