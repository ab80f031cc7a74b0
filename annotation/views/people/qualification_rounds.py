"""Qualification rounds: creating, chances of passing, results with mark and grid, choosing by a mark, granting."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.estimates import quick_count
from annotation.flow.batches.item_selection import rows_of
from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants, qualification_rounds, qualification_types, round_attempts, round_results
from annotation.flow.people.round_results import Result
from annotation.forms.qualification_rounds import RoundForm
from annotation.models import Batch, Project, QualificationRound
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.pure.people import round_rules as rules
from annotation.pure.people.round_rules import Chance, Clause
from annotation.pure.reports.charts import Bars
from annotation.pure.text.spreadsheet import csv_text, guarded
from annotation.registry import kinds
from annotation.templatetags.language_tags import in_language
from annotation.views.access import (
    Request,
    member_action,
    member_page,
    open_batch,
    requester_action,
    requester_form,
    signed_in_action,
)
from annotation.views.batches.batch_page import batch_context
from annotation.views.batches.launch import failed_launch_of, hindrance, launch_now, posted_of
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.markdown_html import html_for_reader
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other, whole_number
from annotation.views.work.assignment_page import next_page


def round_of(batch: Batch) -> QualificationRound:
    """The round of that batch; 404 otherwise."""
    round = round_attempts.round_of(batch)
    if round is None:
        raise Http404
    return round


@requester_form
def round_new(request: Request, project: Project) -> HttpResponse:
    """The form of a new round, with its task in the query string; POST saves a draft, and launches it on request."""
    return _edit(request, project, None)


@requester_form
def round_edit(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The form of a round's draft."""
    draft = round_of(batch).batch
    if draft.state != Batch.State.DRAFT:
        return redirect("round", project.slug, draft.slug)
    return _edit(request, project, draft)


def _edit(request: Request, project: Project, draft: Batch | None) -> HttpResponse:
    task = request.GET.get("task", "")
    known = task if task in dict(kinds()) else ""
    again = failed_launch_of(request, project) if draft is None else None
    posted = request.POST if request.method == "POST" else posted_of(again)
    form = RoundForm(project, posted, request.FILES, batch=draft, task=known)
    if again is not None and request.method != "POST":
        form.add_error(None, again.error)
    elif form.is_bound and form.is_valid() and "launch" in request.POST and (why := hindrance(form)):
        form.add_error(None, why)
    elif form.is_bound and form.is_valid() and "look" not in request.POST:
        with refusal_in_form(form):
            return _saved(request, form.save_draft(request.user), new=draft is None)
    label = draft.title if draft else _("New qualification round")
    context = {
        "project": project,
        "section": "batches",
        "breadcrumbs": section_breadcrumbs(project, "batches", label),
        "batch": draft,
        "form": form,
        "samples": batch_drafts.samples(draft) if draft else [],
        "consent_html": html_for_reader(project.consent),
        "instructions_html": html_for_reader(str(form["instructions"].value() or "")),
        "names": list(qualification_types.types_of(project).values_list("name", flat=True)),
        **_chances(form, draft),
        **_pool(form, draft),
    }
    wrong = request.method == "POST" and not form.is_valid()
    return render(request, "people/round_edit.html", context, status=422 if wrong else 200)


def _chances(form: RoundForm, draft: Batch | None) -> dict[str, Any]:
    try:
        if form.is_bound:
            chances = form.chances()
            return describe_chances(chances, rules.read_rule(form.rule())) if chances else {}
        round = round_attempts.round_of(draft) if draft else None
        if round is None:
            return {}
        return describe_chances(qualification_rounds.chances(round), qualification_rounds.rule_of(round))
    except Refused as refusal:
        return {"impossible": str(refusal)}


def _pool(form: RoundForm, draft: Batch | None) -> dict[str, Any]:
    """The number of items of each dataset that the round would reserve, missing items, and warnings."""
    stored = None if form.is_bound else draft
    count = quick_count(stored) if stored else form.count() if form.is_bound else None
    if count is None:
        return {"pool": None}
    datasets = stored.datasets.all() if stored else form.cleaned_data["datasets"]
    sizes = {dataset.slug: dataset.items.usable().count() for dataset in datasets}
    whole = [slug for slug, held in count.by_dataset if held == sizes[slug]]
    return {"pool": count, "left_out": rows_of(count.left_out), "warnings": round_attempts.warnings_of(whole)}


def _saved(request: Request, draft: Batch, *, new: bool) -> HttpResponse:
    if "launch" in request.POST:
        return launch_now(request, draft, new=new)
    messages.success(request, _("Saved as a draft. Check the chances, then launch it."))
    return see_other("round-edit", draft.project.slug, draft.slug)


@requester_action
def round_chances(request: Request, project: Project) -> HttpResponse:
    """The chances of passing with the form so far, and which tasks fit, as a fragment."""
    form = RoundForm(project, request.POST, request.FILES)
    form.is_valid()
    context = {"project": project, "form": form, **_chances(form, None), **_pool(form, None)}
    return render(request, "people/_round_update.html", context)


@member_page(roles.SEE)
def round_page(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Workers by items, the histogram with its mark, and the mark's effect; scripts load only the latter."""
    shown = round_of(batch)
    if shown.batch.state == Batch.State.DRAFT:
        return redirect("round-edit", project.slug, shown.batch.slug)
    results = round_results.results(shown)
    mark = wanted_mark(request.GET.get("mark", ""))
    chosen = chosen_workers(shown, results, mark)
    if request.headers.get("HX-Request"):
        context = {"project": project, "batch": shown.batch, **chosen}
        return render(request, "people/_round_selection.html", context)
    at = rules.mark_of(qualification_rounds.rule_of(shown)).value if mark is None else mark
    context = batch_context(
        shown.batch,
        "round",
        **chosen,
        results=results,
        histogram=histogram(results, round_results.percent(at)),
        prospects=round_results.prospects(shown, results) if chosen["known"] else [],
        rule=qualification_rounds.rule_in_words(shown),
        facts=facts(shown),
        undoable=qualification_rounds.undoable(shown),
    )
    return render(request, "people/round.html", context)


@member_action(roles.PEOPLE)
def round_grant(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Grant the round's qualification to workers chosen by the rule or the posted mark."""
    shown = round_of(batch)
    mark = wanted_mark(request.POST.get("mark", ""))
    reason = _("Qualification round %(round)s") % {"round": in_language(shown.batch.title)}
    with refusal_as_message(request):
        done = round_results.grant(shown, round_results.grants(shown, mark), reason=reason, user=request.user)
        text = ngettext("Granted to %(n)s worker.", "Granted to %(n)s workers.", done)
        messages.success(request, text % {"n": done})
    return see_other("round", project.slug, shown.batch.slug)


@member_action(roles.PEOPLE)
def round_undo(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Take the round's last grants back."""
    shown = round_of(batch)
    step = whole_number(request.POST.get("through", ""), 0, digits=18)
    with refusal_as_message(request):
        done = bulk_grants.undo(shown.grants, through=step, user=request.user)
        messages.success(request, ngettext("Undone for %(n)s worker.", "Undone for %(n)s workers.", done) % {"n": done})
    return see_other("round", project.slug, shown.batch.slug)


@member_page(roles.SEE)
def round_file(request: Request, project: Project, batch: Batch) -> HttpResponseBase:
    """The results as CSV."""
    shown = round_of(batch)
    table = results_csv(shown)
    return logged_download(request, shown.batch, table, name=f"{shown.batch.slug}-round.csv", kind=CSV)


@signed_in_action
def round_again(request: Request, pk: int) -> HttpResponse:
    """Begin the worker's next attempt, if they have one."""
    batch, worker = open_batch(request, pk)
    round = round_of(batch)
    if round_attempts.is_open(round):
        round_attempts.begin_again(round, worker)
    return next_page(worker, batch)


BINS = 20
GOOD_BY = 0.1  # a worker so far above the mark counts as good


def describe_chances(chances: Sequence[Chance], rule: Sequence[Clause]) -> dict[str, Any]:
    """The chances for the page: a sentence on a good worker, and whether most of them would fail."""
    mark = rules.mark_of(rule).value
    good = next((chance for chance in chances if chance.skill >= mark + GOOD_BY - rules.SLACK), chances[-1])
    text = _("A worker whose long-run figures are %(skill)s percent passes in %(least)s of 100 cases")
    sentence = text % {"skill": f"{100 * good.skill:g}", "least": f"{100 * good.value:.0f}"}
    if good.most - good.value > 0.005:
        text = _("%(sentence)s, and in %(most)s of 100 if the figures rise and fall together.")
        sentence = text % {"sentence": sentence, "most": f"{100 * good.most:.0f}"}
    else:
        sentence += "."
    return {"chances": chances, "sentence": sentence, "strict": good.most < 0.5, "spread": good.value < 0.5}


def histogram(results: Sequence[Result], mark: int) -> Bars:
    """The best known score of each worker, in steps of five percent."""
    counts = [0] * BINS
    for result in round_results.best(results):
        counts[min(BINS - 1, round_results.percent(result.score or 0) * BINS // 100)] += 1
    labels = [f"{100 * k // BINS}–{100 * (k + 1) // BINS}" for k in range(BINS)]
    values = tuple(zip(labels, counts, strict=True))
    return Bars(values, _("Workers by score"), ("0", "100"), height=180.0, mark=mark)


def wanted_mark(text: str) -> float | None:
    """A mark from the query string, 0..1; None: the rule."""
    try:
        percent = float(text)
    except ValueError:
        return None
    return percent / 100 if 0 <= percent <= 100 else None


def chosen_workers(round: QualificationRound, results: Sequence[Result], mark: float | None) -> dict[str, Any]:
    """The workers chosen by mark or rule, and their expected quality."""
    rule = qualification_rounds.rule_of(round)
    at = rules.mark_of(rule).value if mark is None else mark
    figures = qualification_rounds.figures_for(round.batch.task, round.grading)
    names = [_(figures[name].label) for name in dict.fromkeys(clause.figure for clause in rule)]
    prospect = round_results.prospects(round, results, [at])[0]
    people = [
        (each, round_results.percent(each.score or 0)) for each in round_results.chosen_attempts(round, results, mark)
    ]
    return {
        "round": round,
        "mark": mark,
        "percent": f"{100 * at:g}",
        "people": people,
        "ungranted": len(bulk_grants.plan(round.grants, {result.worker: score for result, score in people})),
        "figures": names,
        "known": len(round_results.best(results)),
        "expected": list(zip(names, prospect.figures, strict=True)) if mark is not None else [],
        "strict": rules.mark_of(rule).comparator == ">",
    }


def facts(round: QualificationRound) -> list[tuple[str, str]]:
    """The round's settings."""
    minutes = _("%(n)s minutes, starting with the first item")
    limit = minutes % {"n": round.seconds // 60} if round.seconds else _("none")
    shares = rules.shares(round.per_worker, round_attempts.datasets_of(round))
    pool = round_attempts.pool_of(round.batch)
    return [
        (_("Pool"), _("%(n)s items (%(items)s)") % {"n": sum(pool.values()), "items": _counted(pool)}),
        (_("Items for each worker"), f"{round.per_worker} ({_counted(shares)})"),
        (_("Attempts"), str(round.attempts)),
        (_("Time limit"), limit),
        (_("Graded by"), str(round.get_grading_display())),
    ]


def _counted(by_dataset: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {slug}" for slug, count in by_dataset.items())


def results_csv(round: QualificationRound) -> Iterator[str]:
    """The results as CSV: a line per attempt with its figures, and the value of every item."""
    found = round_results.results(round)
    figures = sorted({name for result in found for name in result.figures})
    items = max((len(result.cells) for result in found), default=0)
    head = ["worker", "attempt", "answered", "score", "passed", *figures, *(f"item_{k + 1}" for k in range(items))]
    yield csv_text([map(guarded, head)])
    for result in found:
        known = [_number(result.figures.get(name)) for name in figures]
        cells = [_number(cell.value) for cell in result.cells]
        passed = "" if result.passed is None else str(result.passed).lower()
        plain = [result.worker.pseudonym, str(result.attempt.number), str(result.answered), _number(result.score)]
        yield csv_text([map(guarded, [*plain, passed, *known, *cells])])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
