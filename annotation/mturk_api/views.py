"""Pages of the MTurk API: its HITs' content and submit URL, and a project's access keys."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.core import signing
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.db import DatabaseError, InterfaceError
from django.db.models import F, Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from annotation.flow.errors import Refused, is_database_unavailable
from annotation.flow.work import built_in_marketplace
from annotation.models import AccessKey, Hit, Project
from annotation.mturk_api.flow import access_keys, external_submission
from annotation.mturk_api.models import HitType
from annotation.pure.mturk.external_question import LEAST, TwoAssignments, rewritten
from annotation.pure.mturk.external_question import sent as read_sent
from annotation.pure.mturk.mturk_xml import Html, read_question
from annotation.pure.people import roles
from annotation.templatetags.external_question_tags import QUESTION
from annotation.views.access import (
    Request,
    member_action,
    member_form,
    own_assignment,
    signed_in_or_401,
    signed_in_page,
)
from annotation.views.error_pages import frameable
from annotation.views.post_handling import see_other

View = Callable[[HttpRequest], HttpResponse]

SANDBOX = f"sandbox {' '.join((*LEAST, 'allow-popups-to-escape-sandbox'))}; frame-ancestors 'self'"


@require_safe
@never_cache
@xframe_options_exempt
def html_question(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an HTMLQuestion, sandboxed into a separate origin; authorised by the signed URL."""
    try:
        pk = signing.loads(token, salt=QUESTION)
    except signing.BadSignature:
        raise Http404 from None
    hit = get_object_or_404(Hit, pk=pk, listing__isnull=False)
    question = read_question(hit.payload["question"])
    if not isinstance(question, Html):
        raise Http404
    scripts = {"script": "external_hit", "crowd": "crowd_elements", "first": "html_question"}
    script_urls = {name: request.build_absolute_uri(static(f"js/{file}.js")) for name, file in scripts.items()}
    page = HttpResponse(rewritten(question.content, **script_urls))
    page._csp_exempt = True  # type: ignore[attr-defined]  # what django-csp looks for
    page["Content-Security-Policy"] = SANDBOX
    page["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return page


def framed_anywhere(view: View) -> View:
    """A decorator that allows framing of every response, errors included, because the posting page is in a frame."""

    @wraps(view)
    def framed(request: HttpRequest) -> HttpResponse:
        request.framed_anywhere = True  # type: ignore[attr-defined]  # for handler500
        try:
            page = view(request)
        except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent, MultiPartParserError):
            page = _render_outcome(
                request, 413, message=_("This response is too large or not readable. Nothing was stored.")
            )
        return frameable(page)

    return framed


@csrf_exempt
@never_cache
@framed_anywhere
@require_http_methods(["GET", "POST"])  # GET because some libraries navigate there instead of posting (jsPsych 6)
def external_submit(request: HttpRequest) -> HttpResponse:
    """Store the fields of a HIT's page and confirm inside its frame; repetitions get the same, the first one counts.

    400 for a preview or an invalid response, 404 for an unknown assignment, 413 for one that is too large.
    """
    files = [(field, one.name or "") for field, ones in request.FILES.lists() for one in ones]
    # a form that is not multipart sends the names of files in their place
    posted = [*((name, value) for name, values in request.POST.lists() for value in values), *files]
    try:
        sent = read_sent(request.META.get("QUERY_STRING", ""), posted)
        stored = external_submission.submit(sent.assignment, sent.fields)
        return _render_outcome(request, 200, stored=stored, files=[name for _field, name in files])
    except TwoAssignments:
        message = _("The page names two different assignments, so nothing was stored. Open the item again and resend.")
        return _render_outcome(request, 400, message=message)
    except Refused as refused:
        status = 404 if isinstance(refused, external_submission.Unknown) else 400
        return _render_outcome(
            request, status, message=str(refused), preview=isinstance(refused, external_submission.InPreview)
        )
    except (DatabaseError, InterfaceError) as error:
        if not is_database_unavailable(error):
            raise
        again = [*sent.fields, ("assignmentId", sent.assignment)]
        page = _render_outcome(request, 503, message=_("The server cannot store anything right now."), again=again)
        page["Retry-After"] = "2"
        return page


def _render_outcome(request: HttpRequest, status: int, **context: object) -> HttpResponse:
    return render(request, "mturk_api/submitted.html", context, status=status)


@never_cache
@require_safe
@signed_in_or_401
def assignment_state(request: Request, public_id: str) -> JsonResponse:
    """{"state"} of the viewer's own assignment, for the page around a frame."""
    return JsonResponse({"state": own_assignment(request, public_id).state})


@signed_in_page
def preview_by_id(request: Request) -> HttpResponse:
    """/mturk/preview?groupId=: the id of a HIT group or a HIT type leads to its group."""
    wanted = request.GET.get("groupId", "")[:64].replace("\0", "")
    found = get_object_or_404(HitType, Q(group_id=wanted) | Q(public_id=wanted))
    if built_in_marketplace.group_of(request.user, found.batch_id) is None:
        raise Http404
    return redirect("marketplace-group", found.batch_id)


def _endpoint(request: Request) -> str:
    return request.build_absolute_uri(reverse("mturk-api"))


@member_form(roles.OWN)
def key_list(request: Request, project: Project) -> HttpResponse:
    """The project's keys; POST creates one, whose secret is shown only once."""
    if request.method == "POST":
        made = access_keys.make(project, request.user)
        context = {"project": project, "section": "settings", "key": made, "endpoint": _endpoint(request)}
        return render(request, "mturk_api/access_key.html", context)
    rows = project.access_keys.select_related("user").order_by(F("revoked_at").asc(nulls_first=True), "-created_at")
    context = {"project": project, "section": "settings", "keys": rows[:100], "endpoint": _endpoint(request)}
    return render(request, "mturk_api/access_keys.html", context)


@member_action(roles.OWN)
def revoke(request: Request, project: Project, pk: int) -> HttpResponse:
    """Revoke a key."""
    access_keys.revoke(get_object_or_404(AccessKey, project=project, pk=pk))
    messages.success(request, _("The key is revoked. Scripts that use it are refused from now on."))
    return see_other("access-keys", project.slug)
