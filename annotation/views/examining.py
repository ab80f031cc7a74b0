"""Taking the test of a qualification: read what it is about, start the clock, answer, hand in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotation.flow import eligibility, examining
from annotation.flow.listing import TASK
from annotation.flow.refusal import Refused
from annotation.models import QualificationRequest, QualificationType, Worker
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON
from annotation.views.access import require_get_or_post
from annotation.views.frame import translated
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@login_required
def qualification_test(request: HttpRequest, public_id: str) -> HttpResponse:
    """What the test is about, or the test once it was begun; POST begins it, and then hands it in."""
    mine = QualificationType.objects.filter(project__workers__user=request.user, deleted_at__isnull=True)
    type = get_object_or_404(mine.select_related("project"), public_id=public_id, project__removed_at=None)
    worker = Worker.objects.select_related("project").get(project=type.project, user=request.user)
    try:
        if request.method == "POST" and "begin" in request.POST:
            examining.begin(type, worker)
            return see("qualification-test", type.public_id)
        if request.method == "POST":
            return _hand_in(request, type, worker)
    except Refused as refused:
        messages.warning(request, str(refused))
        return see("my-qualifications")
    return render(request, "marketplace/test.html", _shown(type, worker))


def _hand_in(request: HttpRequest, type: QualificationType, worker: Worker) -> HttpResponse:
    asked = examining.under_way(type, worker)
    answer: JSON = {"fields": []}
    if asked is not None:
        payload = {"question": asked.test}
        answer = form_class(TASK)(payload, request.POST).answer()
        if problems := task_type(TASK).check(payload, answer):
            context = _shown(type, worker, answer=answer) | {"problems": translated(problems)}
            return render(request, "marketplace/test.html", context, status=422)
    stored = examining.hand_in(type, worker, answer["fields"])
    if stored.state == QualificationRequest.State.GRANTED:
        text = _("Thank you. Your score in “%(name)s” is %(value)s.") % {"name": type.name, "value": stored.value}
    elif stored.state == QualificationRequest.State.REJECTED:
        text = stored.reason or _("This try is over.")
    else:
        text = _("Thank you. The requester reads your answers to “%(name)s”.") % {"name": type.name}
    messages.info(request, text)
    return see("my-qualifications")


def _shown(type: QualificationType, worker: Worker, *, answer: JSON | None = None) -> dict[str, Any]:
    """The test under way as the page shows it, or only what there is to know before."""
    asked = examining.under_way(type, worker)
    context: dict[str, Any] = {
        "type": type,
        "asked": asked,
        "way": eligibility.way_to(type, worker),
        "takeable": examining.form_of(type) is not None,
        "minutes": max(1, round((type.test_seconds or 0) / 60)),
        "frame": {},
    }
    if asked is not None:
        asked.type = type
        context |= {
            "draft": form_class(TASK)({"question": asked.test}).shown(answer),
            "ends_at": examining.ends_at(asked),
        }
    return context
