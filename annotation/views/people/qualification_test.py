"""Taking a qualification's test: description, start, answers, submission."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import qualification_tests, sign_up
from annotation.flow.work import eligibility
from annotation.models import QualificationRequest, QualificationType, Worker
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON
from annotation.views.access import Request, signed_in_form
from annotation.views.people.sign_up import safe_next
from annotation.views.work.task_frame import translated

TASK = "external"  # a test is a QuestionForm, which this task renders and checks


@signed_in_form
def qualification_test(request: Request, public_id: str) -> HttpResponse:
    """The test's description, or the test under way; POST begins it, and then submits it."""
    known = QualificationType.objects.filter(deleted_at__isnull=True, project__removed_at=None)
    type = get_object_or_404(known.select_related("project"), public_id=public_id)
    worker = Worker.objects.select_related("project").filter(project=type.project, user=request.user).first()
    if worker is None:
        return _join_first(request, type)
    try:
        if request.method == "POST" and "begin" in request.POST:
            qualification_tests.begin(type, worker)
            return HttpResponseRedirect(request.get_full_path(), status=303)
        if request.method == "POST":
            return _hand_in(request, type, worker)
    except Refused as refused:
        messages.warning(request, str(refused))
        return _onward(request)
    context = _shown(type, worker) | {"onward": safe_next(request, "my-qualifications")}
    return render(request, "people/qualification_test.html", context)


def _hand_in(request: Request, type: QualificationType, worker: Worker) -> HttpResponse:
    attempt = qualification_tests.under_way(type, worker)
    answer: JSON = {"fields": []}
    if attempt is not None:
        payload = {"question": attempt.test}
        answer = form_class(TASK)(payload, request.POST).answer()
        if problems := task_type(TASK).check(payload, answer):
            context = _shown(type, worker, answer=answer) | {"problems": translated(problems)}
            return render(request, "people/qualification_test.html", context, status=422)
    stored = qualification_tests.submit_test(type, worker, answer["fields"])
    if stored.state == QualificationRequest.State.GRANTED:
        text = _("Thank you. Your score in “%(name)s” is %(value)s.") % {"name": type.name, "value": stored.value}
    elif stored.state == QualificationRequest.State.REJECTED:
        text = stored.reason or _("This attempt is over.")
    else:
        text = _("Thank you. The requester will review your test for “%(name)s”.") % {"name": type.name}
    messages.info(request, text)
    return _onward(request)


def _join_first(request: Request, type: QualificationType) -> HttpResponse:
    """Redirect to the project's open page if it admits the viewer, and from there back here; else 404."""
    if not sign_up.may_sign_up(type.project, request.user):
        raise Http404
    join = reverse("open-join", args=[type.project.slug])
    return HttpResponseRedirect(f"{join}?{urlencode({'next': request.get_full_path()})}")


def _onward(request: Request) -> HttpResponse:
    """Redirect to the work that requires the qualification, else to the viewer's qualifications."""
    return HttpResponseRedirect(safe_next(request, "my-qualifications"), status=303)


def _shown(type: QualificationType, worker: Worker, *, answer: JSON | None = None) -> dict[str, Any]:
    """The test under way for the page, or only its description."""
    attempt = qualification_tests.under_way(type, worker)
    context: dict[str, Any] = {
        "type": type,
        "attempt": attempt,
        "way": eligibility.way_to(type, worker),
        "takeable": qualification_tests.form_of(type) is not None,
        "minutes": max(1, round((type.test_seconds or 0) / 60)),
        "frame": {},
    }
    if attempt is not None:
        attempt.type = type
        context |= {
            "draft": form_class(TASK)({"question": attempt.test}).shown(answer),
            "ends_at": qualification_tests.ends_at(attempt),
        }
    return context
