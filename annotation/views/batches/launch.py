"""The launch page, a form that is saved as a draft and launched, and previews of a batch as workers see it."""

import secrets
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts, estimates, item_selection
from annotation.flow.batches.estimates import Estimate, pays, quick_count
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.people import consent, round_attempts
from annotation.forms.batches import LaunchForm
from annotation.forms.rubric_builder import BUILD, DOWNLOAD
from annotation.models import Batch, Job, Project
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, requester_action, requester_form
from annotation.views.batches.preview import SHOWN, checklist, first_item
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.markdown_html import html_for_reader
from annotation.views.post_handling import enqueue_and_redirect, refusal_in_form, see_other, whole_number

KEY = "key"  # of a page of a new batch
MADE = "batches_made"  # in the session: {key: the batch that the page made}


@requester_form
def batch_new(request: Request, project: Project) -> HttpResponse:
    """The empty launch page; POST saves a draft and shows it with its previews.

    The page's `key` stands in its form and, once something is chosen, in its URL. So whoever comes back to it, goes on
    with the batch that it made.
    """
    key = request.POST.get(KEY) or request.GET.get(KEY) or secrets.token_urlsafe(6)
    made = project.batches.filter(pk=request.session.get(MADE, {}).get(key)).first()
    if made is None:
        return _page(request, project, None, key=key)
    made.project = project
    if request.method == "POST" and made.state == Batch.State.DRAFT:
        return _page(request, project, made)
    return see_other("batch-edit", project.slug, made.slug)


@requester_form
def batch_edit(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The launch page of a draft; POST saves it, and launches it on request."""
    if batch.state != Batch.State.DRAFT:
        return redirect("batch", project.slug, batch.slug)
    if round_attempts.round_of(batch) is not None:
        return redirect("round-edit", project.slug, batch.slug)
    return _page(request, project, batch)


def _page(request: Request, project: Project, draft: Batch | None, *, key: str = "") -> HttpResponse:
    again = failed_launch_of(request, project) if draft is None else None
    posted = request.POST if request.method == "POST" else posted_of(again)
    if "fit_options" in request.POST:
        form, _changed = _proposed_anew(project, request.POST, request.FILES, draft)
    else:
        form = LaunchForm(project, posted, request.FILES, batch=draft)
    if not form.is_bound and draft is None:
        form.propose(request.GET.get("dataset", ""), by=request.user)
    valid = form.is_valid()
    if posted and posted.get(BUILD) == DOWNLOAD and form.builder:
        name = {"Content-Disposition": 'attachment; filename="rubric.json"'}
        return HttpResponse(form.builder["of"].file, content_type="application/json; charset=utf-8", headers=name)
    if valid and "launch" in request.POST and (why := hindrance(form)):
        form.add_error(None, why)
        valid = False
    if again is not None and request.method != "POST":
        form.add_error(None, again.error)
        valid = False
    if "fit_options" in request.POST:
        form.options = form.suggested()
    elif valid and BUILD not in request.POST:
        with refusal_in_form(form):
            saved = form.save_draft(request.user)
            if draft is None:
                request.session[MADE] = request.session.get(MADE, {}) | {key: saved.pk}
            return _saved(request, saved, new=draft is None)
    context = _context(request, project, draft, form) | {"key": key}
    return render(request, "batches/launch.html", context, status=422 if request.method == "POST" else 200)


def _proposed_anew(
    project: Project, posted: QueryDict, files: Any, draft: Batch | None = None
) -> tuple[LaunchForm, list[str]]:
    """The posted form, with what was only proposed for other datasets or another task renewed; the fields renewed."""
    form = LaunchForm(project, posted, files, batch=draft)
    if (kind := form.task_for_other_datasets()) != form.kind:
        posted = posted.copy()
        posted["task"] = kind
        form = LaunchForm(project, posted, files, batch=draft)
    return form, form.renew_proposals()


def hindrance(form: LaunchForm) -> str:
    """The reason why a launch with these settings would be refused, if it can be known before; else ""."""
    draft, count = form.stated, form.count()
    if draft is None or count is None or count.problem or not count.exact:
        return count.problem if count else ""
    if not count.hits:
        return item_selection.nothing_to_ask(count.left_out)
    quoted = estimates.estimate_of(draft, count)
    if quoted.lacking and not form.is_round:
        return str(ledger.Overdrawn(quoted.quote.total, quoted.available))
    return ""


def failed_launch_of(request: Request, project: Project) -> Job | None:
    """The failed launch that `?again=` names, to start from."""
    again = request.GET.get("again")
    jobs_of = project.jobs.filter(kind="launch_batch", state=Job.State.FAILED)
    return get_object_or_404(jobs_of, public_id=again) if again else None


def posted_of(job: Job | None) -> QueryDict | None:
    """The form's content before a launch failed."""
    if job is None:
        return None
    posted = QueryDict(mutable=True)
    for name, values in job.arguments.get("posted", {}).items():
        posted.setlist(name, values)
    return posted


def _saved(request: Request, draft: Batch, *, new: bool) -> HttpResponse:
    if "launch" in request.POST:
        return launch_now(request, draft, new=new)
    if "look" in request.POST:
        return _look(request, draft)
    messages.success(request, _("Saved as a draft. Check the previews, then launch it."))
    return see_other("batch-edit", draft.project.slug, draft.slug)


def _look(request: Request, draft: Batch) -> HttpResponse:
    """Redirect to the preview of an item; back to the draft if no item can be used."""
    args, wanted = [draft.project.slug, draft.slug], request.POST.get("look", "")
    found = len(batch_drafts.samples(draft, SHOWN))
    if not found:
        messages.warning(request, _("None of the items can be used with these options."))
        return see_other("batch-edit", *args)
    number = whole_number(wanted, 1)
    shown = number if 1 <= number <= found else 1
    return HttpResponseRedirect(f"{reverse('batch-preview', args=args)}?n={shown}", status=303)


def _context(request: Request, project: Project, draft: Batch | None, form: LaunchForm) -> dict[str, Any]:
    label = in_language(draft.title) if draft else _("New batch")
    samples = batch_drafts.samples(draft, SHOWN) if draft else []
    context = {
        "project": project,
        "section": "batches",
        "breadcrumbs": section_breadcrumbs(project, "batches", label),
        "batch": draft,
        "form": form,
        "samples": samples,
        "instructions_html": html_for_reader(str(form["instructions"].value() or "")),
        "consent_html": html_for_reader(project.consent),
        "checklist": checklist(request, project, draft, len(samples)),
    }
    if form.is_bound:
        return context | _consequences(request, form)
    if draft is None:
        return context | {"plan": None}
    held = draft.datasets.order_by("slug")
    task_seconds = estimates.task_seconds(held, draft.task, draft.options)
    count = quick_count(draft)
    costs = costs_exhibit(estimates.estimate_of(draft, count), draft)
    plan = batch_drafts.plan(draft, count, workers=list(draft.workers.all()))
    proposed = _proposed(task_seconds, estimates.reading_seconds(held))
    form.fields["expected_minutes"].initial = round(proposed["proposed"], 1)
    return context | {"plan": plan, "first_item": first_item(request, draft, total=count.hits)} | costs | proposed


def _consequences(request: Request, form: LaunchForm) -> dict[str, Any]:
    chosen = form.cleaned_data.get("datasets")
    if not chosen:
        return {"plan": None}
    proposed = _proposed(form.task_seconds(), estimates.reading_seconds(chosen))
    draft, count = form.stated, form.count()
    if draft is None or count is None:
        return {"plan": None} | proposed
    estimate = estimates.estimate_of(draft, count)
    costs = costs_exhibit(estimate if form.priced else None, draft, margin=form.cleaned_data.get("wished"))
    number = whole_number(request.POST.get("step") or request.POST.get("shown", ""), 1)
    first = first_item(request, draft, chosen, total=count.hits, number=number)
    return {"plan": form.plan(draft, count), "first_item": first} | costs | proposed


def _proposed(task_seconds: int | None, reading: int) -> dict[str, Any]:
    """The proposed minutes for one HIT, and whether the task estimated them."""
    return {"proposed": (task_seconds or reading) / 60, "estimated": task_seconds is not None}


@requester_action
def batch_consequences(request: Request, project: Project) -> HttpResponse:
    """The effects of the form so far, as a fragment; with new options and instructions if data or task changed."""
    posted = request.POST.copy()
    if request.headers.get("HX-Trigger") == "launch":  # htmx repeats the button that was pressed last
        posted.pop(BUILD, None)
    form, changed = _proposed_anew(project, posted, request.FILES)
    renewed = [form[name] for name in changed]
    form.is_valid()
    context = {"project": project, "form": form, "renewed": renewed, "samples": [], **_consequences(request, form)}
    context["renew_first_item"] = request.POST.get("first_item") != context.get("first_item", {}).get("digest", "")
    if (before := request.POST.get("proposed_for", "")) != form.basis or form.is_filled:
        context["options"] = form.options = form.suggested()  # which the lines of "More settings" are about, too
        context["other_data"] = before.partition(".")[2] != form.basis.partition(".")[2]
        context["renew_first_item"] |= context["other_data"]  # which may say that there is none yet
    default = form.default_instructions(context.get("options"))
    if form.instructions_untouched() and form.cleaned_data.get("instructions", "").strip() != default.strip():
        context |= {"instructions": default, "instructions_html": html_for_reader(default)}
    page = render(request, "batches/_launch_update.html", context)
    if KEY in request.POST:
        query = QueryDict(urlsplit(request.headers.get("HX-Current-URL", "")).query, mutable=True)
        query[KEY] = request.POST[KEY]
        page["HX-Replace-Url"] = f"{reverse('batch-new', args=[project.slug])}?{query.urlencode()}"
    return page


@requester_action
def instructions_preview(request: Request, project: Project) -> HttpResponse:
    """Instructions rendered from Markdown, as a fragment."""
    html = html_for_reader(request.POST.get("instructions", "")[:100_000])
    return render(request, "batches/_instructions.html", {"instructions_html": html})


@requester_action
def batch_launch(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Launch a stored draft, or one whose launch on the command line was killed."""
    return launch_now(request, batch)


@requester_action
def batch_quote(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Compute the exact cost of a stored draft, in a job with progress."""
    title = _("Quote for %(batch)s") % {"batch": in_language(batch.title)}
    return enqueue_and_redirect(request, "quote_batch", title, {"batch": batch.pk}, project=project)


def launch_now(request: Request, draft: Batch, *, new: bool = False) -> HttpResponse:
    """Launch a draft, even if a former launch was killed: the newest run takes over.

    `new`: the draft was not saved before, so it is deleted if the launch is refused, and the form can be filled in
    again.
    """
    if draft.state not in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        messages.warning(request, _("This batch is already launched."))
        return see_other("batch", draft.project.slug, draft.slug)
    try:
        consent.check_finished(draft.project)
        consent.check_paragraphs(draft)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return see_other("batch-edit", draft.project.slug, draft.slug)
    left = {name: values for name, values in request.POST.lists() if name not in ("csrfmiddlewaretoken", "launch")}
    arguments = {"batch": draft.pk} | ({"posted": left} if new else {})
    title = _("Launch %(batch)s") % {"batch": in_language(draft.title)}
    return enqueue_and_redirect(request, "launch_batch", title, arguments, project=draft.project)


def costs_exhibit(estimate: Estimate | None, batch: Batch | None, *, margin: float | None = None) -> dict[str, Any]:
    """Context of `money/_cost_estimate.html`; `margin` is the target margin of error, in points."""
    if estimate is None or batch is None:
        return {"estimate": None}
    return {
        "estimate": estimate,
        "paid": pays(batch),
        "annotators": batch.assignments_per_hit,
        "points": 100 * estimate.half if estimate.half is not None else None,
        "wished": margin,
        "wished_items": estimate.items_for(margin / 100, batch.assignments_per_hit) if margin else None,
    }
