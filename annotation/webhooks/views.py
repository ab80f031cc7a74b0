"""Pages of webhooks and their deliveries."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.forms.setting_fields import FilterForm
from annotation.models import Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_form, member_required
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_in_form, see_other
from annotation.webhooks import deliveries, subscriptions
from annotation.webhooks.forms import WebhookForm, in_short
from annotation.webhooks.models import Delivery, Webhook

TONES = {"due": "running", "delivered": "good", "failed": "bad"}
owner_required = member_required(roles.OWN)


def _rows(project: Project) -> QuerySet[Webhook]:
    return project.webhooks.defer("secret", "old_secret")


def _get_or_404(project: Project, public_id: str) -> Webhook:
    return get_object_or_404(_rows(project).select_related("project"), public_id=public_id)


@member_form(roles.OWN)
def webhooks(request: Request, project: Project) -> HttpResponse:
    """The project's webhooks; POST adds one, whose secret is shown only once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusal_in_form(form):
            made = subscriptions.add(project, **form.cleaned_data, user=request.user)
            return _secret(request, made, made.secret, new=True)
    failed = Count("deliveries", filter=Q(deliveries__state=Delivery.State.FAILED))
    waiting = Count("deliveries", filter=Q(deliveries__state=Delivery.State.DUE))
    rows: list[Any] = list(_rows(project).annotate(failed=failed, waiting=waiting).order_by("pk"))
    for row in rows:
        row.kind_names = in_short(row.kinds)
    breadcrumbs = section_breadcrumbs(project, "settings", _("Webhooks"))
    context = {"project": project, "section": "settings", "breadcrumbs": breadcrumbs, "form": form, "rows": rows}
    return render(request, "webhooks/webhooks.html", context, status=422 if form.errors else 200)


def _secret(request: Request, webhook: Webhook, secret: str, *, new: bool) -> HttpResponse:
    context = {"project": webhook.project, "section": "settings", "webhook": webhook, "secret": secret, "new": new}
    return render(request, "webhooks/secret.html", context)


@member_form(roles.OWN)
def webhook(request: Request, project: Project, public_id: str) -> HttpResponse:
    """One webhook with its deliveries; POST changes it."""
    row = _get_or_404(project, public_id)
    form = WebhookForm(request.POST) if request.method == "POST" else WebhookForm.of(row)
    if request.method == "POST" and form.is_valid():
        subscriptions.change(row, **form.cleaned_data, active=row.active)
        messages.success(request, _("Saved."))
        return see_other("webhook", project.slug, row.public_id)
    filters = FilterForm(deliveries.DeliveryFilter.of(request.GET))
    context = {"form": form, "page": _deliveries(request, row), "filters": filters, **_around(row)}
    return render(request, "webhooks/webhook.html", context, status=422 if form.errors else 200)


def _around(row: Webhook) -> dict[str, Any]:
    breadcrumbs = [
        {"label": _("Settings"), "url": reverse("project-settings", args=[row.project.slug])},
        {"label": _("Webhooks"), "url": reverse("webhooks", args=[row.project.slug])},
        {"label": row.note or row.url},
    ]
    return {"project": row.project, "section": "settings", "breadcrumbs": breadcrumbs, "webhook": row}


def _deliveries(request: Request, row: Webhook) -> Any:
    """A page of the webhook's deliveries, newest first."""
    wanted = deliveries.DeliveryFilter.of(request.GET)
    page = wanted.page(wanted.narrow(row.project, row.deliveries.select_related("event")), request.GET)
    for delivery in page:
        delivery.type, delivery.tone = delivery.event.content["type"], TONES[delivery.state]
    return page


@member_action(roles.OWN)
def webhook_test(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Send a test delivery, and show the result."""
    row = _get_or_404(project, public_id)
    delivery = deliveries.test(row)
    if delivery.state == Delivery.State.DELIVERED:
        messages.success(request, _("Delivered: the response was %(status)s.") % {"status": delivery.status})
    else:
        messages.error(request, _("Not delivered: %(trouble)s.") % {"trouble": delivery.trouble})
    return see_other("webhook", project.slug, row.public_id)


@member_action(roles.OWN)
def webhook_active(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Pause or resume a webhook; waiting deliveries are kept."""
    row = _get_or_404(project, public_id)
    subscriptions.change(row, url=row.url, kinds=row.kinds, note=row.note, active="active" in request.POST)
    text = _("Deliveries continue.") if row.active else _("Paused. Waiting deliveries are kept for two weeks.")
    messages.success(request, text)
    return see_other("webhook", project.slug, row.public_id)


@never_cache
@require_POST
@owner_required
def webhook_rotate(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Replace the secret, and show the new one once."""
    row = _get_or_404(project, public_id)
    return _secret(request, row, subscriptions.rotate(row), new=False)


@member_action(roles.OWN)
def webhook_remove(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Remove a webhook with its deliveries."""
    subscriptions.remove(_get_or_404(project, public_id))
    messages.success(request, _("The webhook was deleted. Nothing more is sent to it."))
    return see_other("webhooks", project.slug)


@member_action(roles.OWN)
def delivery_again(request: Request, project: Project, public_id: str, pk: int) -> HttpResponse:
    """Retry a delivery that failed or waits."""
    row = _get_or_404(project, public_id)
    subscriptions.try_again(get_object_or_404(row.deliveries, pk=pk))
    messages.success(request, _("The delivery will be repeated within a minute."))
    return see_other("webhook", project.slug, row.public_id)
