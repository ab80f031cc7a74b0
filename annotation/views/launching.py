"""Making a batch: one page that grows downwards, saved as a draft, looked at, launched."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation import jobs
from annotation.batch_forms import LaunchForm
from annotation.flow import attempts, choosing, drafting, estimating, ledger, timing
from annotation.flow.hit_counts import look
from annotation.flow.refusal import Refused
from annotation.models import Batch, Job, Project
from annotation.registry import default_guide
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.batch_page import batch_of
from annotation.views.costs_exhibit import costs_exhibit
from annotation.views.prose import html_of
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@requester_required
def batch_new(request: HttpRequest, project: Project) -> HttpResponse:
    """The launching page, empty; POST saves a draft and shows it again with its previews."""
    return _page(request, project, None)


@never_cache
@require_get_or_post
@requester_required
def batch_edit(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The launching page of a draft; POST saves it, and launches it when asked to."""
    draft = batch_of(project, batch)
    if draft.state != Batch.State.DRAFT:
        return redirect("batch", project.slug, draft.slug)
    if attempts.round_of(draft) is not None:
        return redirect("round-edit", project.slug, draft.slug)
    return _page(request, project, draft)


def _page(request: HttpRequest, project: Project, draft: Batch | None) -> HttpResponse:
    again = failed_launch_of(request, project) if draft is None else None
    posted = request.POST if request.method == "POST" else wish_of(again)
    form = LaunchForm(project, posted, batch=draft)
    if "suggest" in request.POST:
        form.renew_proposals()
    if not form.is_bound and draft is None:
        form.propose(request.GET.get("dataset", ""))
    valid = form.is_valid()
    if valid and "launch" in request.POST and (why := hindrance(form)):
        form.add_error(None, why)
        valid = False
    if again is not None and request.method != "POST":
        form.add_error(None, again.error)
        valid = False
    if request.method == "POST" and "suggest" in request.POST:
        form.options = form.suggested()
    elif valid:
        try:
            saved = form.save_draft(request.user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return _saved(request, saved, new=draft is None)
    context = _context(project, draft, form)
    return render(request, "batches/edit.html", context, status=422 if request.method == "POST" else 200)


def hindrance(form: LaunchForm) -> str:
    """Why a launch with these settings would be refused, as far as that is known before; "": it is not."""
    count = form.count()
    if count is None or not count.exact:
        return ""
    if not count.hits:
        return choosing.nothing_to_ask(count.left_out)
    quoted = estimating.estimate_of(form.stated, count)
    if quoted.lacking and not form.is_round:
        return str(ledger.Overdrawn(quoted.quote.total, quoted.available))
    return ""


def failed_launch_of(request: HttpRequest, project: Project) -> Job | None:
    """The launch that left nothing and is taken up again, as `?again=` names it."""
    again = request.GET.get("again")
    jobs_of = project.jobs.filter(kind="launch_batch", state=Job.State.FAILED)
    return get_object_or_404(jobs_of, public_id=again) if again else None


def wish_of(job: Job | None) -> QueryDict | None:
    """What was filled in before a launch failed."""
    if job is None:
        return None
    wish = QueryDict(mutable=True)
    for name, values in job.arguments.get("wish", {}).items():
        wish.setlist(name, values)
    return wish


def _saved(request: HttpRequest, draft: Batch, *, new: bool) -> HttpResponse:
    if "launch" in request.POST:
        return launch_now(request, draft, new=new)
    if "look" in request.POST:
        return _look(request, draft)
    messages.success(request, _("Saved as a draft. Look at the previews, then launch it."))
    return see("batch-edit", draft.project.slug, draft.slug)


def _look(request: HttpRequest, draft: Batch) -> HttpResponse:
    """To the page of an item as annotators will see it; back to the draft where none can be asked about."""
    args, wanted = [draft.project.slug, draft.slug], request.POST.get("look", "")
    if not drafting.samples(draft, 1):
        messages.warning(request, _("None of the items can be asked about with these options."))
        return see("batch-edit", *args)
    number = wanted if wanted in {"1", "2", "3"} else "1"
    return HttpResponseRedirect(f"{reverse('batch-preview', args=args)}?n={number}", status=303)


def _context(project: Project, draft: Batch | None, form: LaunchForm) -> dict[str, Any]:
    label = draft.title if draft else _("New batch")
    context = {
        "project": project,
        "section": "batches",
        "crumbs": [{"label": _("Batches"), "url": reverse("batches", args=[project.slug])}, {"label": label}],
        "batch": draft,
        "form": form,
        "samples": drafting.samples(draft) if draft else [],
        "guide_html": _html(str(form["guide"].value() or "")),
    }
    if form.is_bound:
        return context | _consequences(form)
    if draft is None:
        return context | {"plan": None}
    held = draft.datasets.order_by("slug")
    told = timing.told_seconds(held, draft.task, draft.options)
    count = look(draft)
    costs = costs_exhibit(estimating.estimate_of(draft, count), draft)
    plan = drafting.plan(draft, count, workers=list(draft.workers.all()))
    return context | {"plan": plan} | costs | _proposed(told, timing.reading_seconds(held))


def _consequences(form: LaunchForm) -> dict[str, Any]:
    chosen = form.cleaned_data.get("datasets")
    if not chosen:
        return {"plan": None}
    proposed = _proposed(form.told_seconds(), timing.reading_seconds(chosen))
    if (count := form.count()) is None:
        return {"plan": None} | proposed
    estimate = estimating.estimate_of(form.stated, count)
    costs = costs_exhibit(estimate if form.priced else None, form.stated, wished=form.cleaned_data.get("wished"))
    return {"plan": form.plan(count)} | costs | proposed


def _proposed(told: int | None, reading: int) -> dict[str, Any]:
    """The time that is proposed for one HIT, in minutes, and whether the task knows it."""
    return {"proposed": (told or reading) / 60, "told": told is not None}


@require_POST
@requester_required
def batch_consequences(request: HttpRequest, project: Project) -> HttpResponse:
    """What the form means so far, as a fragment; with fresh options and guide when data or task changed."""
    form = LaunchForm(project, request.POST)
    renewed = [form[name] for name in form.renew_proposals()]
    form.is_valid()
    context = {"project": project, "form": form, "renewed": renewed, "samples": [], **_consequences(form)}
    if (before := request.POST.get("proposed_for", "")) != form.basis:
        context["options"] = form.suggested()
        context["other_data"] = before.partition(".")[2] != form.basis.partition(".")[2]
        if form.guide_untouched() and form.cleaned_data.get("guide") != default_guide(form.kind):
            context |= {"guide": default_guide(form.kind), "guide_html": _html(default_guide(form.kind))}
    return render(request, "batches/_consequences.html", context)


@require_POST
@requester_required
def guide_preview(request: HttpRequest, project: Project) -> HttpResponse:
    """A guide's Markdown as annotators will read it, as a fragment."""
    return render(request, "batches/_guide.html", {"guide_html": _html(request.POST.get("guide", "")[:100_000])})


def _html(markdown: str) -> str:
    return html_of(markdown)


@require_POST
@requester_required
def batch_launch(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Launch a draft as it is stored, or anew where its launch by command was killed."""
    return launch_now(request, batch_of(project, batch))


@require_POST
@requester_required
def batch_quote(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Count what a stored draft costs, every item looked at, by a job that tells how far it is."""
    draft = batch_of(project, batch)
    job = jobs.enqueue_once(
        "quote_batch",
        project=project,
        title=_("Quote of %(batch)s") % {"batch": draft.title},
        arguments={"batch": draft.pk},
        user=request.user,
    )
    return see("job", project.slug, job.public_id)


def launch_now(request: HttpRequest, draft: Batch, *, new: bool = False) -> HttpResponse:
    """Also for one whose launch stands still: the run that began last is the one that counts.

    `new`: nobody saved the draft before, so it goes where the launch is refused, and the form can be taken up again.
    """
    if draft.state not in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        messages.warning(request, _("This batch was launched before."))
        return see("batch", draft.project.slug, draft.slug)
    left = {name: values for name, values in request.POST.lists() if name not in ("csrfmiddlewaretoken", "launch")}
    job = jobs.enqueue_once(
        "launch_batch",
        project=draft.project,
        title=_("Launch %(batch)s") % {"batch": draft.title},
        arguments={"batch": draft.pk} | ({"wish": left} if new else {}),
        user=request.user,
    )
    return see("job", draft.project.slug, job.public_id)
