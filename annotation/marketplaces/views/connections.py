"""Pages of a project's marketplaces, and of a batch on one."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.marketplaces.base import HitMarketplace
from annotation.marketplaces.flow import connections, hit_sync, payments, publications
from annotation.marketplaces.flow.studies import is_study
from annotation.marketplaces.forms import ConnectionForm, CredentialsForm, KeepOpenForm
from annotation.marketplaces.jobs import send_batch
from annotation.marketplaces.kinds import kinds
from annotation.marketplaces.models import Connection, Publication
from annotation.marketplaces.views.studies import page_of_arms, study_page
from annotation.models import Batch, Job, Payment, Project
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, member_action, member_form, member_page, requester_action
from annotation.views.batches.batch_page import batch_context
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import enqueue_and_redirect, refusal_in_form, see_other

TONES = {"waiting": "", "sending": "running", "published": "good", "failed": "bad"}


@member_form(roles.OWN)
def marketplaces(request: Request, project: Project) -> HttpResponse:
    """The project's marketplaces; POST adds one."""
    form = ConnectionForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusal_in_form(form):
            made = connections.add(project, **form.columns())
            text = _("%(name)s was added.")
            if kinds()[made.kind].offers("balance"):
                text = _("%(name)s was added. Test it before you launch a batch there.")
            messages.success(request, text % {"name": made.name})
            return see_other("marketplaces", project.slug)
    rows: list[Any] = list(project.connections.annotate(held=Count("batches")).order_by("name"))
    for row in rows:
        row.pays_twice, row.closed = connections.pays_twice(row), row.preset in connections.AMAZON
        row.is_called, row.has_region = (
            kinds()[row.kind].offers("balance"),
            issubclass(kinds()[row.kind], HitMarketplace),
        )
    breadcrumbs = section_breadcrumbs(project, "settings", _("Marketplaces"))
    context = {"project": project, "section": "settings", "breadcrumbs": breadcrumbs}
    context |= {"form": form, "rows": rows, "here": connections.presets()[Connection.Preset.HERE]["endpoint_url"]}
    return render(request, "marketplaces/list.html", context, status=422 if form.errors else 200)


@member_form(roles.OWN)
def marketplace_keys(request: Request, project: Project, pk: int) -> HttpResponse:
    """Change a marketplace's keys; the old secret is not shown."""
    row = get_object_or_404(project.connections, pk=pk)
    form = CredentialsForm(request.POST if request.method == "POST" else None, initial={"key_id": row.key_id})
    if form.is_valid():
        with transaction.atomic():
            form.save(row)
            audit_log.record("keys changed", row)
        messages.success(request, _("The new keys of %(name)s are in use.") % {"name": row.name})
        return see_other("marketplaces", project.slug)
    breadcrumbs = [
        {"label": _("Settings"), "url": reverse("project-settings", args=[project.slug])},
        {"label": _("Marketplaces"), "url": reverse("marketplaces", args=[project.slug])},
        {"label": row.name},
    ]
    context = {"project": project, "section": "settings", "breadcrumbs": breadcrumbs, "form": form, "connection": row}
    return render(request, "marketplaces/keys.html", context, status=422 if form.errors else 200)


@member_action(roles.OWN)
def marketplace_test(request: Request, project: Project, pk: int) -> HttpResponse:
    """Test a marketplace by its balance."""
    row = get_object_or_404(project.connections, pk=pk)
    try:
        funds = connections.check(row)
    except Refused as refusal:
        messages.error(request, f"{row.name}: {refusal}")
    else:
        values = {"name": row.name, "available": funds.available}
        messages.success(request, _("%(name)s responded. Its balance is $%(available)s.") % values)
    return see_other("marketplaces", project.slug)


@member_action(roles.OWN)
def marketplace_remove(request: Request, project: Project, pk: int) -> HttpResponse:
    """Remove a marketplace without batches."""
    row = get_object_or_404(project.connections, pk=pk)
    try:
        connections.remove(row)
    except Refused as refusal:
        messages.error(request, f"{row.name}: {refusal}")
    else:
        messages.success(request, _("%(name)s and its keys were deleted.") % {"name": row.name})
    return see_other("marketplaces", project.slug)


def _abroad(batch: Batch) -> Batch:
    """A launched batch on a marketplace; 404 for any other."""
    if not batch.on_marketplace or batch.launched_at is None:
        raise Http404
    return batch


@member_page(roles.SEE)
def batch_marketplace(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The publications of a batch, and problems; for htmx only the polled numbers."""
    shown = _abroad(batch)
    if is_study(shown):
        return page_of_arms(shown) or study_page(request, shown)
    if request.htmx:
        return render(request, "marketplaces/_state.html", {"project": project, "batch": shown, **_standing(shown)})
    show = request.GET.get("show", "")
    rows = publications.of_batch(shown).select_related("hit__item").defer("hit__payload", "hit__item__content")
    rows = rows.filter(state=show) if show in TONES else rows
    page: Page[Any] = Paginator(rows.order_by("pk"), 50).get_page(request.GET.get("page"))
    for row in page:
        row.tone = TONES[row.state]
    more = {"page": page, "show": show, "form": KeepOpenForm(), **_standing(shown), **_amiss(shown)}
    return render(request, "marketplaces/batch.html", batch_context(shown, "batch-marketplace", **more))


def _standing(batch: Batch) -> dict[str, Any]:
    counts = publications.counts(batch)
    under_way = bool(counts["waiting"] + counts["sending"]) and batch.state == Batch.State.OPEN
    return {
        "counts": counts,
        "payments": payments.counts(batch),
        "under_way": under_way,
        "connection": batch.marketplace.connection,
    }


def _amiss(batch: Batch) -> dict[str, Any]:
    """Problems for somebody to look at: failed payments, failed syncs, orphans of the last search."""
    last = batch.project.jobs.filter(kind="sync_batch", arguments={"batch": batch.pk}, state=Job.State.DONE).last()
    orphans = last.result.get("orphans", []) if last else []
    adopted = Publication.objects.filter(external_id__in=[one["id"] for one in orphans])
    known = adopted.values_list("external_id", flat=True)
    return {
        "failed_payments": payments.of_batch(batch)
        .filter(state=Payment.State.FAILED)
        .select_related("worker__project")[:50],
        "troubles": hit_sync.troubles(batch.marketplace.connection, batch=batch)[:50],
        "orphans": [one for one in orphans if one["id"] not in known],
    }


@requester_action
def batch_marketplace_act(request: Request, project: Project, batch: Batch, act: str) -> HttpResponse:
    """`check`: synchronise now; `again`: retry failures; `until`: change the expiry; `end`: end an orphan."""
    shown = _abroad(batch)
    if act not in ACTS:
        raise Http404
    return ACTS[act](request, shown)


def _check(request: Request, batch: Batch) -> HttpResponse:
    title = _("Check %(batch)s") % {"batch": in_language(batch.title)}
    return enqueue_and_redirect(request, "sync_batch", title, {"batch": batch.pk}, project=batch.project)


def _again(request: Request, batch: Batch) -> HttpResponse:
    publications.try_again(batch)
    payments.try_again(batch)
    return see_other("job", batch.project.slug, send_batch(batch, user=request.user).public_id)


def _until(request: Request, batch: Batch) -> HttpResponse:
    form = KeepOpenForm(request.POST)
    if form.is_valid():
        hit_sync.keep_open(batch, form.cleaned_data["until"])
        messages.success(request, _("The HITs stay available until then. The marketplace is informed within a minute."))
    else:
        messages.error(request, " ".join(map(str, form.errors.get("until", []))))
    return see_other("batch-marketplace", batch.project.slug, batch.slug)


def _end(request: Request, batch: Batch) -> HttpResponse:
    try:
        ended = hit_sync.end_stray(batch, request.POST.get("hit", ""))
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        unknown = _("This HIT is not in the list of unknown HITs, so nothing was done.")
        messages.success(request, _("The HIT was closed on the marketplace.") if ended else unknown)
    return see_other("batch-marketplace", batch.project.slug, batch.slug)


ACTS = {"check": _check, "again": _again, "until": _until, "end": _end}
