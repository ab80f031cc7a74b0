"""The pages of a study's participants, for members of the project: without a visit, and nothing is stored."""

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.marketplaces.flow import visits
from annotation.marketplaces.forms import OUTCOMES
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.marketplaces.study_base import Outcome, Ticket
from annotation.models import Batch, Participation, Project, Worker, clock
from annotation.pure.people import roles
from annotation.pure.people.consent_text import is_unfinished
from annotation.views.access import member_form
from annotation.views.markdown_html import html_for_reader
from annotation.views.work.task_frame import instructions_context

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
