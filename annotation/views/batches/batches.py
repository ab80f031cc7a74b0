"""A project's batches: the list, a batch's overview, settings and instructions, pausing, closing and deleting it."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from annotation import discovery
from annotation.flow.batches import add_items, batch_launch, batch_progress, cached_figures, hidden_gold, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.people.worker_names import name_uncomposed
from annotation.flow.projects import overview
from annotation.flow.review import gold_looks
from annotation.forms.batch_terms import BatchTermsForm, InstructionsForm
from annotation.forms.projects import ConsoleForm
from annotation.forms.setting_fields import FilterForm
from annotation.models import Batch, BatchReport, Hit, Job, Project, clock
from annotation.pure.batches.next_step import KINDS
from annotation.pure.people import roles
from annotation.pure.reports.charts import Bars, Line, Lines
from annotation.registry import kinds, task_type
from annotation.templatetags.language_tags import in_language
from annotation.views import invite_links, next_steps
from annotation.views.access import Request, member_form, member_page, requester_action, requester_form
from annotation.views.batches.batch_page import DECISION_PAGES, TONES, batch_context, decision_pages, is_folded
from annotation.views.batches.fixed_settings import objects_of, settled
from annotation.views.batches.hits import hits_revealed_by_filter, part_context
from annotation.views.markdown_html import html_for_reader
from annotation.views.post_handling import enqueue_and_redirect, refusal_as_message, refusal_in_form, see_other
from annotation.views.report_opening import lead_chart, opening_figures

FORESEEN = 5  # times the past, beyond which the chart of the progress shows no forecast
SHOWS = {  # lists of a batch's assignments
    "submitted": gettext_noop("Submitted"),
    "in-work": gettext_noop("In progress"),
    "late": gettext_noop("Late"),
    "surplus": gettext_noop("Surplus"),
    "returned": gettext_noop("Returned"),
}
MOVES = {"pause": batch_launch.pause, "resume": batch_launch.resume, "close": batch_launch.close}


@member_page(roles.SEE)
def batches(request: Request, project: Project) -> HttpResponse:
    """List the batches of the project, newest first."""
    wanted = batch_progress.BatchFilter.of(request.GET)
    page = wanted.page(wanted.narrow(project, project.batches.prefetch_related("datasets")), request.GET)
    done = batch_progress.submitted_by_batch([batch.pk for batch in page])
    places = Hit.objects.filter(batch__in=[batch for batch in page if batch.launched_at]).places()
    for batch in page:
        batch.submitted, batch.tone = done.get(batch.pk, 0), TONES[batch.state]
        batch.places, batch.task_title = places.get(batch.pk), task_type(batch.task).title
    links = [entry for entry in discovery.listed("BATCHES") if entry.act in request.may and entry.shown(project)]
    filters = FilterForm(wanted, task=kinds())
    context = {"project": project, "section": "batches", "page": page, "links": links, "filters": filters}
    return render(request, "batches/list.html", context)


@member_page(roles.SEE)
def batch_overview(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """A batch's overview; a draft redirects to its form, or for a reviewer to its instructions."""
    if batch.state == Batch.State.DRAFT:
        return redirect("batch-edit" if roles.RUN in request.may else "instructions", project.slug, batch.slug)
    since, counts = cached_figures.cached_at(batch), batch_progress.counts_of(batch)
    left = batch_progress.time_left(batch, counts)
    report = None if (folded := is_folded(request, batch)) else BatchReport.objects.filter(batch=batch).first()
    chart = lead_chart(report.content)[0] if report else None
    context = batch_context(
        batch,
        "batch",
        invited=invite_links.for_batch(request, batch),
        cached_at=since,
        counts=counts,
        figures=_figures(batch, counts),
        pace=_pace(batch),
        progress=progress_chart(batch, counts, left),
        left=timeuntil(clock.now() + left, depth=1) if left else "",
        ends_at=clock.now() + left if left else None,
        report=report,
        folded=folded,
        job=_launching_job(batch),
        paused=hidden_gold.paused(batch),
        opening=opening_figures(report.content) if report else {},
        lead={"title": chart.title, "n": chart.n, "plot": chart} if chart else None,
    )
    said = {row["why"] for row in next_steps.shown(project, context["steps"], request.may)}
    doubts = batch_launch.setting_warnings(batch) if batch.state in {Batch.State.OPEN, Batch.State.PAUSED} else []
    context["doubts"] = [doubt for doubt in doubts if doubt not in said]
    return render(request, "batches/overview.html", context)


@member_page(roles.REVIEW)
def batch_decide(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """List what waits for a decision in a batch, most urgent first, and the pages where nothing does."""
    if batch.launched_at is None:
        raise Http404
    context = batch_context(batch, "batch-decide")
    context["decision_pages"] = [page for page in decision_pages(batch) if KINDS[page["kind"]] in request.may]
    decisions = [step for step in context["steps"] if step.kind in DECISION_PAGES]
    context["waiting"] = next_steps.shown(project, overview.with_ages(batch, decisions), request.may)
    return render(request, "batches/decide.html", context)


def progress_chart(batch: Batch, counts: batch_progress.Counts, left: timedelta | None) -> Lines | None:
    """The responses over time and their forecast; None if they came at one time."""
    points = batch_progress.over_time(batch)
    if len(points) < 3:
        return None
    (start, _none), (last, done), now = points[0], points[-1], timezone.localtime()
    lines = [Line(_("Submitted"), tuple(points), stepped=False)]
    if left and left < FORESEEN * max(now - start, timedelta(hours=1)):
        end = (now + left, float(done + counts.places - counts.done))
        lines.append(Line(_("Forecast"), ((min(last, now), float(done)), end), dashed=True, stepped=False))
    return Lines("progress", _("Responses over time"), _("Responses"), tuple(lines), n=str(done))


def _figures(batch: Batch, counts: batch_progress.Counts) -> list[tuple[str, int, str]]:
    """(label, number, address) of what was counted; what there is none of is left out."""
    args = [batch.project.slug, batch.slug]
    found = [
        (_(label), getattr(counts, show.replace("-", "_")), f"{reverse('batch-assignments', args=args)}?show={show}")
        for show, label in SHOWS.items()
    ]
    found.append((_("HITs excluded"), counts.excluded, f"{reverse('hits', args=args)}?show=excluded"))
    return [figure for figure in found if figure[1]]


def _pace(batch: Batch) -> Bars | None:
    hours = [(date_format(hour, "SHORT_DATETIME_FORMAT"), count) for hour, count in batch_progress.by_hour(batch)]
    text = _("Responses per hour over %(n)s hours from %(first)s")
    return Bars.of(hours, text) if hours else None


def _launching_job(batch: Batch) -> Job | None:
    if batch.state != Batch.State.LAUNCHING:
        return None
    rows = batch.project.jobs.filter(kind="launch_batch", created_at__gte=batch.created_at).order_by("-pk")
    return next((job for job in rows if job.arguments["batch"] == batch.pk), None)


@requester_action
def batch_move(request: Request, project: Project, batch: Batch, move: str) -> HttpResponse:
    """Pause, resume or close."""
    if move not in MOVES:
        raise Http404
    with refusal_as_message(request):
        if not MOVES[move](batch):
            messages.warning(request, _("The batch has changed in the meantime. This is its current state."))
    return see_other("batch", project.slug, batch.slug)


@requester_action
def batch_add_assignments(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Add one assignment to each finished HIT, or to those whose responses differ."""
    only = request.POST.get("which") == "disagreeing"
    title = _("Add assignments to %(batch)s") % {"batch": in_language(batch.title)}
    arguments = {"batch": batch.pk, "base": batch.next_ticket, "only_disagreeing": only}
    return enqueue_and_redirect(request, "add_assignments", title, arguments, project=project)


@member_page(roles.SEE)
def batch_assignments(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """List the assignments that a number on the overview counts."""
    show = batch_progress.AssignmentFilter.of({"show": request.GET.get("show", "submitted")}).show
    rows = batch_progress.AssignmentFilter(show=show).narrow(project, batch_progress.assignments_of(batch))
    filters = part_context(request, batch)
    rows = hit_filters.assignments_in(batch, filters["part"], rows)
    answered = batch.hits.filter(pk__in=rows.order_by().values("hit"))
    rows = rows.exclude(hit__in=hits_revealed_by_filter(filters["part"], answered, request.user))
    filters["cached_at"] = None
    if is_kept := show in batch_progress.SHOWS and not filters["part"].query:
        filters["cached_at"] = cached_figures.cached_at(batch)
        if batch.state == Batch.State.CLOSED and (newest := batch_progress.newest_assignment(batch)):
            rows = rows.filter(pk__lte=newest)  # or those of all younger batches would be read first
    rows = rows.select_related("hit__item", "worker__project").defer("hit__payload", "hit__item__content", "draft")
    pages = Paginator(rows.order_by("-pk"), batch_progress.AssignmentFilter.size)
    if is_kept:
        pages.count = getattr(batch_progress.counts_of(batch), show.replace("-", "_"))
    page: Page[Any] = pages.get_page(request.GET.get("page"))
    name_uncomposed(row.hit.item for row in page)
    hidden = gold_looks.hidden_keys([row.hit_id for row in page], request.user)
    for row in page:
        row.name_hidden = row.hit_id in hidden
    return render(
        request,
        "batches/assignments.html",
        batch_context(batch, "", leaf=_("Assignments"), page=page, show=show, shows=_shows(filters["part"]), **filters),
    )


def _shows(part: BatchPart) -> list[tuple[str, str, str]]:
    """The filters of the list, each with its query string; other filters are kept."""
    return [(show, _(label), urlencode({"show": show, **part.query})) for show, label in SHOWS.items()]


@requester_form
def batch_settings(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The settings that can be changed after the launch, and all other settings."""
    form = BatchTermsForm(project, request.POST if request.method == "POST" else None, batch=batch)
    if form.is_valid():
        form.save(batch, request.user)
        messages.success(request, _("Saved."))
        return see_other("batch-settings", project.slug, batch.slug)
    context = batch_context(batch, "batch-settings", form=form, settled=settled(batch), objects=objects_of(batch))
    return render(request, "batches/settings.html", context, status=422 if form.is_bound else 200)


@requester_action
def batch_discard(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Delete a draft."""
    if not batch_launch.discard_draft(batch):
        messages.warning(request, _("Only a draft can be deleted here; this batch is launched."))
        return see_other("batch", project.slug, batch.slug)
    text = _("The draft “%(title)s” is in the bin. You can restore it from there.")
    messages.success(request, text % {"title": in_language(batch.title)})
    return see_other("batches", project.slug)


@member_form(roles.SEE, posting=roles.RUN)
def instructions(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Edit the instructions, with preview and earlier versions; POST saves a new version."""
    last = batch.instructions
    form = InstructionsForm(request.POST if request.method == "POST" else None, initial={"instructions": last.text})
    if form.is_valid():
        new = batch_launch.change_instructions(batch, form.cleaned_data["instructions"], user=request.user)
        if new.version != last.version:
            text = _("Saved as version %(n)s. Workers read it before they continue.")
            messages.success(request, text % {"n": new.version})
        return see_other("instructions", project.slug, batch.slug)
    versions: list[Any] = list(batch.instructions_versions.select_related("created_by").order_by("-version"))
    for version in versions:
        version.html = html_for_reader(version.text)
    context = batch_context(
        batch,
        "instructions",
        form=form,
        instructions=last,
        instructions_html=html_for_reader(last.text),
        versions=versions,
    )
    return render(request, "batches/instructions.html", context, status=422 if form.is_bound else 200)


class NextForm(ConsoleForm):
    """The number of new items, and a name."""

    count = forms.IntegerField(
        label=gettext_lazy("Items from each dataset"),
        min_value=1,
        max_value=10**9,
        help_text=gettext_lazy("A group, such as a pair of twins, counts as one item."),
    )
    name = forms.SlugField(
        label=gettext_lazy("Name of the new batch"),
        max_length=100,
        help_text=gettext_lazy("Used in URLs, commands and exports: letters, digits, hyphens."),
    )


@requester_action
def batch_clone(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Create a copy of this batch as a draft."""
    with refusal_as_message(request):
        draft = add_items.clone(batch, user=request.user)
        messages.success(request, _("This is a draft with the same settings. Change what you like, then launch it."))
        return see_other("batch-edit", project.slug, draft.slug)
    return see_other("batch", project.slug, batch.slug)


@requester_form
def batch_next(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The number of items left for this task, and a form; POST creates a draft for more items."""
    form = NextForm(request.POST if request.method == "POST" else None)
    form.initial = {"count": batch.sample, "name": add_items.free_name(project, batch.slug)}
    if form.is_valid():
        wanted = form.cleaned_data
        with refusal_in_form(form):
            draft = add_items.next_items(batch, wanted["count"], name=wanted["name"], user=request.user)
            messages.success(request, _("This is a draft with the remaining items. Check the quote, then launch it."))
            return see_other("batch-edit", project.slug, draft.slug)
    left = add_items.remaining(batch)
    context = batch_context(
        batch, "batch-next", leaf=_("Add items"), form=form, left=left, any_left=any(row.left for row in left)
    )
    return render(request, "batches/add_items.html", context, status=422 if form.is_bound else 200)
