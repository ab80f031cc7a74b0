"""Where a marketplace delivers its events."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.marketplaces.base import Denied
from annotation.marketplaces.flow import study_events
from annotation.marketplaces.models import Connection

MOST_BYTES = 65_536


@csrf_exempt
@require_POST
def receive(request: HttpRequest, pk: int) -> HttpResponse:
    """Take in a signed event; 204 also for one that came before, 403 for one that the marketplace did not sign."""
    connection = get_object_or_404(Connection, pk=pk)
    if not connection.subscriptions.exists():
        raise Http404
    if len(request.body) > MOST_BYTES:
        return HttpResponse(status=413)
    try:
        study_events.receive(connection, request.headers, request.body)
    except Denied as refused:
        return HttpResponse(str(refused), status=403, content_type="text/plain")
    return HttpResponse(status=204)
