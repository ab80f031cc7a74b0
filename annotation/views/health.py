"""Liveness, readiness and metrics."""

from ipaddress import ip_address, ip_network

from django.conf import settings
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.operations import prometheus, readiness


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 once the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The state of each part, "ok" or its problem; 503 if there is one."""
    parts = dict(readiness.examine())
    if not settings.EMBEDDED_JOBS:
        from annotation.celery import broker_trouble  # slow to load, and not needed without a broker

        parts["broker"] = "does not answer" if broker_trouble(seconds=2) else readiness.WELL
    ready = all(state == readiness.WELL for state in parts.values())
    return JsonResponse({"ready": ready, "checks": parts}, status=200 if ready else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus; 404 for everybody else."""
    if not _may_watch(request):
        raise Http404
    return HttpResponse(prometheus.exposition(), content_type=prometheus.CONTENT_TYPE)


def _may_watch(request: HttpRequest) -> bool:
    """Whether the caller has METRICS_TOKEN, or is in METRICS_ALLOW and not behind a proxy, which may forward anyone."""
    token = settings.METRICS_TOKEN
    if token and constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {token}"):
        return True
    if any(name in request.META for name in ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA")):
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", "").partition("%")[0])
        return any(address in ip_network(place, strict=False) for place in settings.METRICS_ALLOW)
    except ValueError:
        return False
