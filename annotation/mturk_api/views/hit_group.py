"""The URL of a HIT group that clients of the MTurk API print."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.flow.work import built_in_marketplace
from annotation.mturk_api.models import HitType


@never_cache
@require_safe
@login_required
def preview_by_id(request: HttpRequest) -> HttpResponse:
    """/mturk/preview?groupId=: the id of a HIT group or a HIT type leads to its group."""
    wanted = request.GET.get("groupId", "")[:64].replace("\0", "")
    found = get_object_or_404(HitType, Q(group_id=wanted) | Q(public_id=wanted))
    if built_in_marketplace.group_of(request.user, found.batch_id) is None:
        raise Http404
    return redirect("marketplace-group", found.batch_id)
