"""Webhooks: whom a project tells when something happens, and how that goes."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow import webhook_calls
from annotation.flow import webhooks as verbs
from annotation.flow.refusal import Refused
from annotation.models import Delivery, Project, Webhook
from annotation.pure import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.seeing import see
from annotation.webhook_forms import WebhookForm, in_short

TONES = {"due": "running", "delivered": "good", "failed": "bad"}
owner_required = member_required(roles.OWN)


def _rows(project: Project) -> QuerySet[Webhook]:
    return project.webhooks.defer("secret", "old_secret")


def _one(project: Project, public_id: str) -> Webhook:
    return get_object_or_404(_rows(project).select_related("project"), public_id=public_id)


@never_cache
@require_get_or_post
@owner_required
def webhooks(request: HttpRequest, project: Project) -> HttpResponse:
    """The project's webhooks; POST adds one, and its secret is shown this once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = verbs.add(project, **form.cleaned_data, user=request.user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return _secret(request, made, made.secret, new=True)
    failed = Count("deliveries", filter=Q(deliveries__state=Delivery.State.FAILED))
    waiting = Count("deliveries", filter=Q(deliveries__state=Delivery.State.DUE))
    rows = list(_rows(project).annotate(failed=failed, waiting=waiting).order_by("pk"))
    for row in rows:
        row.told = in_short(row.kinds)
    crumbs = [{"label": _("Settings"), "url": reverse("project-settings", args=[project.slug])}]
    context = {"project": project, "section": "settings", "crumbs": [*crumbs, {"label": _("Webhooks")}]}
    context |= {"form": form, "rows": rows}
    return render(request, "webhooks/webhooks.html", context, status=422 if form.errors else 200)


def _secret(request: HttpRequest, webhook: Webhook, secret: str, *, new: bool) -> HttpResponse:
    context = {"project": webhook.project, "section": "settings", "webhook": webhook, "secret": secret, "new": new}
    return render(request, "webhooks/secret.html", context)


@never_cache
@require_get_or_post
@owner_required
def webhook(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """One webhook with its deliveries; POST changes it."""
    row = _one(project, public_id)
    form = WebhookForm(request.POST) if request.method == "POST" else WebhookForm.of(row)
    if request.method == "POST" and form.is_valid():
        verbs.change(row, **form.cleaned_data, active=row.active)
        messages.success(request, _("Saved."))
        return see("webhook", project.slug, row.public_id)
    context = {"form": form, "page": _deliveries(request, row), **_around(row)}
    return render(request, "webhooks/webhook.html", context, status=422 if form.errors else 200)


def _around(row: Webhook) -> dict[str, Any]:
    crumbs = [
        {"label": _("Settings"), "url": reverse("project-settings", args=[row.project.slug])},
        {"label": _("Webhooks"), "url": reverse("webhooks", args=[row.project.slug])},
        {"label": row.note or row.url},
    ]
    return {"project": row.project, "section": "settings", "crumbs": crumbs, "webhook": row}


def _deliveries(request: HttpRequest, row: Webhook) -> Any:
    """A page of the webhook's deliveries, the newest first."""
    page = Paginator(row.deliveries.select_related("event").order_by("-pk"), 25).get_page(request.GET.get("page"))
    for delivery in page:
        delivery.type, delivery.tone = delivery.event.content["type"], TONES[delivery.state]
    return page


@require_POST
@owner_required
def webhook_test(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Send a delivery that says nothing, and tell what came back."""
    row = _one(project, public_id)
    delivery = webhook_calls.test(row)
    if delivery.state == Delivery.State.DELIVERED:
        messages.success(request, _("It was taken: the answer was %(status)s.") % {"status": delivery.status})
    else:
        messages.error(request, _("It was not taken: %(trouble)s.") % {"trouble": delivery.trouble})
    return see("webhook", project.slug, row.public_id)


@require_POST
@owner_required
def webhook_active(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Pause a webhook, or take it up again; what waits for it is kept."""
    row = _one(project, public_id)
    verbs.change(row, url=row.url, kinds=row.kinds, note=row.note, active="active" in request.POST)
    told = _("Deliveries go out again.") if row.active else _("Paused. What waits is kept for two weeks.")
    messages.success(request, told)
    return see("webhook", project.slug, row.public_id)


@never_cache
@require_POST
@owner_required
def webhook_rotate(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Make another secret, and show it this once."""
    row = _one(project, public_id)
    return _secret(request, row, verbs.rotate(row), new=False)


@require_POST
@owner_required
def webhook_remove(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Forget a webhook and its deliveries."""
    verbs.remove(_one(project, public_id))
    messages.success(request, _("The webhook is removed. Nothing more is sent there."))
    return see("webhooks", project.slug)


@require_POST
@owner_required
def delivery_again(request: HttpRequest, project: Project, public_id: str, pk: int) -> HttpResponse:
    """Send a delivery again that failed or waits."""
    row = _one(project, public_id)
    verbs.try_again(get_object_or_404(row.deliveries, pk=pk))
    messages.success(request, _("It is sent again within a minute."))
    return see("webhook", project.slug, row.public_id)
