"""The addresses that pages of HITs of other programs use: their HTML, where they post, whether it arrived.

None of them knows a cookie: those pages have an origin of their own. What is posted is authorised by the assignment's
unguessable id, once (docs/marketplace.md).
"""

from __future__ import annotations

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import strangers
from annotation.flow.refusal import Refused
from annotation.models import Hit
from annotation.pure.strangers import LEAST, RESERVED, rewritten
from annotation.pure.wire_xml import Html, read_question
from annotation.templatetags.strangers import QUESTION
from annotation.views.access import own_assignment, signed_in_or_401

SANDBOX = f"sandbox {' '.join((*LEAST, 'allow-popups-to-escape-sandbox'))}; frame-ancestors 'self'"


@require_safe
@never_cache
@xframe_options_exempt
def html_question(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an HTMLQuestion, in an origin of its own whatever frame shows it; for whoever holds the address."""
    try:
        pk = signing.loads(token, salt=QUESTION)
    except signing.BadSignature:
        raise Http404 from None
    hit = get_object_or_404(Hit, pk=pk, listing__isnull=False)
    asked = read_question(hit.payload["question"])
    if not isinstance(asked, Html):
        raise Http404
    script = request.build_absolute_uri(static("js/external_hit.js"))
    page = HttpResponse(rewritten(asked.content, script=script))
    page._csp_exempt = True
    page["Content-Security-Policy"] = SANDBOX
    page["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return page


@csrf_exempt
@require_POST
@never_cache
@xframe_options_exempt
def external_submit(request: HttpRequest) -> HttpResponse:
    """Store the fields of a HIT's page and say so inside its frame; a repetition gets the same, the first one stands.

    400 for a preview or an answer that cannot be stored, 404 for an unknown assignment.
    """
    posted = request.POST.lists()
    fields = [(name, value) for name, values in posted for value in values if name not in RESERVED]
    told: dict[str, object]
    try:
        stored = strangers.submit(request.POST.get("assignmentId", "").strip(), fields)
        status, told = 200, {"stored": stored}
    except Refused as refused:
        status = 404 if isinstance(refused, strangers.Unknown) else 400
        told = {"message": str(refused), "preview": isinstance(refused, strangers.InPreview)}
    page = render(request, "marketplace/submitted.html", told, status=status)
    page._csp_replace = {"frame-ancestors": None}
    return page


@never_cache
@require_safe
@signed_in_or_401
def assignment_state(request: HttpRequest, public_id: str) -> JsonResponse:
    """{"state"} of the viewer's own assignment, for the page around a frame."""
    return JsonResponse({"state": own_assignment(request, public_id).state})
