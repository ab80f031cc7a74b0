"""The pages of a participant who came by link: arriving, where they stand, and the end with its code.

In between they are on the ordinary pages of work, as a guest of an ordinary session.
"""

from typing import Any
from urllib.parse import urlsplit

from csp.constants import SELF
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.marketplaces.flow import visits
from annotation.marketplaces.flow.visits import TurnedAway, Unreachable
from annotation.marketplaces.models import PanelStudy, Visit
from annotation.marketplaces.study_base import Ticket
from annotation.models import Member
from annotation.views.post_handling import see_other

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
