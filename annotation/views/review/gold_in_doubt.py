"""Gold in doubt, item by item, and creating a corrected dataset."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import overview
from annotation.flow.review import conclusions, gold_in_doubt
from annotation.forms.projects import ResultsDatasetForm
from annotation.models import Batch, GoldDecision, Hit, Project
from annotation.pure.people import roles
from annotation.pure.review import gold_corrections
from annotation.views.access import Request, member_action, member_form, member_page, requester_action
from annotation.views.batches.batch_page import batch_context
from annotation.views.batches.hits import hit_of
from annotation.views.post_handling import enqueue_and_redirect, posted_text, see_other
from annotation.views.review.results import add_errors
from annotation.views.work.task_frame import shortcut_context


@member_page(roles.REVIEW)
def gold(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Items with gold in doubt, the decisions, and a form to create a corrected dataset."""
    shown = _doubting(batch)
    fresh = conclusions.fresh(shown, most=conclusions.AT_ONCE)
    page: Page[Any] = Paginator(gold_in_doubt.hits_in_doubt(shown, fresh=fresh), 50).get_page(request.GET.get("page"))
    hits = {hit.pk: hit for hit in page.object_list}
    page.object_list = [
        {"doubt": doubt, "hit": hits[doubt.pk], "gold": _gold(hits[doubt.pk]), "decision": _words(doubt.decision)}
        for doubt in gold_in_doubt.doubts_about(shown, list(hits.values()))
    ]
    changed = shown.datasets.filter(items__in=gold_in_doubt.changes(shown)).distinct().order_by("slug")
    waiting = gold_in_doubt.undecided(shown, fresh=fresh)
    context: dict[str, Any] = {"page": page, "waiting": waiting.count(), "first": waiting.first(), "changed": changed}
    context["is_complete"] = fresh.complete
    return render(request, "review/gold_in_doubt.html", batch_context(shown, "gold", **context))


def _doubting(batch: Batch) -> Batch:
    if batch.launched_at is None or not gold_in_doubt.is_detectable(batch):
        raise Http404
    return batch


def _gold(hit: Hit) -> list[str]:
    example = hit.item.example
    return [] if example.answerable is False else list(example.answers)


def _words(decision: str) -> str:
    return str(GoldDecision.Decision(decision).label) if decision else ""


@member_form(roles.REVIEW)
def gold_item(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """One item: gold, responses, paragraphs; POST decides and shows the next."""
    shown = _doubting(batch)
    row = hit_of(shown, public_id)
    if request.method != "POST":
        return _page(request, shown, row)
    text = posted_text(request, "text")
    try:
        gold_in_doubt.decide(row, request.POST.get("decision", ""), text=text, reviewer=request.user)
    except Refused as refused:
        return _page(request, shown, row, problem=str(refused), status=422)
    overview.decided(shown, "in_doubt")
    following = _next(shown, row)
    if following is None:
        messages.success(request, _("No other gold is in doubt."))
        return see_other("gold", project.slug, batch.slug)
    address = reverse("gold-item", args=[project.slug, batch.slug, following.public_id])
    return HttpResponseRedirect(f"{address}?undo={row.public_id}", status=303)


def _next(batch: Batch, row: Hit) -> Hit | None:
    """The HIT of the next undecided item, wrapping around."""
    fresh = conclusions.fresh(batch, most=conclusions.AT_ONCE)
    others = gold_in_doubt.undecided(batch, fresh=fresh).exclude(pk=row.pk)
    return others.filter(item__gt=row.item_id).first() or others.first()


def _page(request: Request, batch: Batch, row: Hit, *, problem: str = "", status: int = 200) -> HttpResponse:
    doubt, example = gold_in_doubt.doubt_of(row), row.item.example
    supports = set(example.supports or ())
    rows = [{"paragraph": p, "support": k in supports} for k, p in enumerate(example.paragraphs)]
    undone = request.GET.get("undo", "").replace("\0", "")
    context = batch_context(
        batch,
        "gold",
        leaf="",
        hit=row,
        doubt=doubt,
        gold=_gold(row),
        decision=_words(doubt.decision) if doubt else "",
        may_be_alias=doubt is not None and gold_corrections.may_be_alias(example, doubt.text),
        paragraphs=sorted(rows, key=lambda row: not row["support"]),  # supporting paragraphs first
        next=_next(batch, row),
        undo=batch.hits.filter(public_id=undone, gold_decisions__isnull=False).first() if undone else None,
        problem=problem,
        **shortcut_context(request),
    )
    return render(request, "review/gold_in_doubt_item.html", context, status=status)


@member_action(roles.REVIEW)
def gold_undo(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Undo the decision on an item's gold, and show the item."""
    row = hit_of(_doubting(batch), public_id)
    if gold_in_doubt.undo(row, reviewer=request.user):
        overview.decided(row.batch, "in_doubt", by=-1)
        messages.success(request, _("Undone. Please decide on this gold answer again."))
    else:
        messages.warning(request, _("There is nothing to undo on this item."))
    return see_other("gold-item", project.slug, batch.slug, public_id)


@requester_action
def gold_correct(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Start the job that creates a corrected copy of one of the batch's datasets."""
    shown = _doubting(batch)
    form = ResultsDatasetForm(request.POST)
    if not form.is_valid():
        add_errors(request, form)
        return see_other("gold", project.slug, batch.slug)
    dataset = get_object_or_404(shown.datasets, slug=request.POST.get("dataset", "").replace("\0", ""))
    name = form.cleaned_data["name"]
    title = _("Create %(name)s, a corrected version of %(dataset)s") % {"name": name, "dataset": dataset.slug}
    arguments = {"batch": shown.pk, "dataset": dataset.slug, "name": name}
    return enqueue_and_redirect(request, "correct_gold", title, arguments, project=project)
