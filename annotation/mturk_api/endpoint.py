"""The endpoint of the MTurk API: one URL, one operation per POST, all requests signed.

Cookies, sessions and CSRF tokens are ignored: only the signature authenticates.
"""

import json
import logging
import time
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db.models import F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.flow.errors import Refused, is_busy
from annotation.flow.money.ledger import Overdrawn
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.models import AccessKey, clock
from annotation.models.compiled import compiled
from annotation.models.sealed import Unsealable
from annotation.mturk_api import (
    assignments,
    hits,
    qualification_types,
    qualifications,
    queues,
    service,
    signing,
    workers,
)
from annotation.mturk_api.calls import JSON, OPERATIONS, Caller, RequestError
from annotation.mturk_api.flow.hit_expiry import catch_up, is_behind
from annotation.pure.people import roles

MOST_BYTES = 1_000_000
SEEN_EVERY = timedelta(minutes=5)  # precision of a key's last use
MODULES = (assignments, hits, qualification_types, qualifications, workers)  # importing one registers its operations
PREFIX = "MTurkRequesterServiceV20170117."
CONTENT_TYPE = "application/x-amz-json-1.1"
POOR = (
    "This Requester has insufficient funds in their account to complete this transaction. Please visit the "
    "project's budget page to add the money that is missing: {lacking} USD."
)
BUSY = RequestError("Rate exceeded", kind="ThrottlingException")  # clients send the request again by themselves
log = logging.getLogger(__name__)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, name: str = "") -> HttpResponse:
    """POST carries out an operation; GET describes this URL. A queue accepts POST only."""
    if request.method != "POST" and name:
        raise Http404
    if request.method != "POST" and request.path != "/" and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())  # as on all pages of the site, visitors must sign in
    if request.method != "POST":
        address = request.build_absolute_uri(request.path)
        return render(request, "mturk_api/endpoint.html", {"address": address.rstrip("/") + "/"})
    request_id = str(uuid.uuid4())
    try:
        status, body = 200, _answer(request)
    except RequestError as error:
        status, body = error.status, _stamped(error)
    except Exception as problem:
        if is_busy(problem):  # clients send again by themselves what was throttled
            log.warning("request %s to the MTurk endpoint is to be sent again: %s", request_id, problem)
            return _response(request_id, 400, _stamped(BUSY))
        log.exception("request %s to the MTurk endpoint failed", request_id)
        fault = RequestError("The service could not carry out the request. It may be sent again.", kind="ServiceFault")
        status, body = 500, _stamped(fault)
    return _response(request_id, status, body)


def _response(request_id: str, status: int, body: JSON) -> HttpResponse:
    response = HttpResponse(json.dumps(body), content_type=CONTENT_TYPE, status=status)
    response["x-amzn-RequestId"] = request_id
    return response


def _stamped(error: RequestError) -> JSON:
    """The error's JSON, with the time in ms that MTurk appends to every message."""
    return error.body | {"Message": f"{error.message} ({int(time.time() * 1000)})"}


def _answer(request: HttpRequest) -> JSON:
    """Carry out the operation. Raises RequestError for any problem with the request."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise RequestError("The request is larger than 1 MB.", kind="RequestEntityTooLargeException", status=413)
    target = request.headers.get("X-Amz-Target", "")
    if target.startswith(queues.PREFIX):
        key = _signer(request, queues.SERVICE)
        caller = Caller(key.project, key, settings.PUBLIC_URL)
        return queues.answer(caller, target.removeprefix(queues.PREFIX), _body(request))
    key = _signer(request, signing.SERVICE)
    name = target.removeprefix(PREFIX)
    operation = service.operation_model(name)
    if operation is None or name not in OPERATIONS or not target.startswith(PREFIX):
        raise RequestError(f"There is no operation {name[:60]}.", kind="UnknownOperationException")
    members = service.read(operation, _body(request))
    caller = Caller(key.project, key, settings.PUBLIC_URL)
    checked = settings.DEBUG or settings.CHECK_MTURK_OUTPUT
    if key.is_behind:
        catch_up(key.project)
    try:
        with acting(audit_log.Via.MTURK_API, lambda: key.user):
            return service.write(operation, OPERATIONS[name](caller, members), checked=checked)
    except Overdrawn as short:
        raise RequestError(POOR.format(lacking=short.lacking), code="InsufficientFunds") from None
    except Refused as refusal:
        raise RequestError(str(refusal)) from None


def _body(request: HttpRequest) -> JSON:
    try:
        found = json.loads(request.body or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RequestError("The body is not a JSON object.", kind="SerializationException")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _signer(request: HttpRequest, service_name: str) -> AccessKey:
    """The key that signed the request. Raises RequestError."""
    now = clock.now()
    sent = signing.Signed(
        method=request.method or "",
        path=request.path,
        query=request.META.get("QUERY_STRING", ""),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=request.body,
    )
    claimed = signing.claim(sent, now=now, service=service_name)
    key = _key(claimed.key_id)
    signing.verify(sent, claimed, key.secret)
    if key.last_used_at is None or clock.now() - key.last_used_at > SEEN_EVERY:
        AccessKey.objects.filter(pk=key.pk).update(last_used_at=Now())
    return key


def _key(key_id: str) -> AccessKey:
    """A valid key whose owner is still a member of its project, with two-factor authentication if required.

    `is_behind`: whether `catch_up` has something to do in the project.
    """
    try:
        for key in _usable(key_id):
            return key
    except Unsealable:
        log.exception("access key %s cannot be read", key_id)
    raise RequestError("The security token included in the request is invalid.", kind="UnrecognizedClientException")


@compiled
def _usable(key_id: str) -> QuerySet[AccessKey]:
    keys = AccessKey.objects.select_related("project", "user")
    rows = keys.annotate(is_behind=is_behind(OuterRef("project")))  # type: ignore[no-redef]  # the model declares it
    return rows.filter(
        Q(project__two_factor=False) | Q(user__second_factor__isnull=False),
        user__is_active=True,
        project__removed_at__isnull=True,
        project__members__user=F("user"),
        project__members__role__in=roles.who_may(roles.RUN) & roles.who_may(roles.PAY),
        revoked_at__isnull=True,
        key_id=key_id,
    )
