"""Adjudication, HIT by HIT: choose a response, write one, or exclude the HIT; and the cause of the disagreement."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.batches.hit_headings import heading
from annotation.flow.errors import Conflict, Refused
from annotation.flow.projects import overview
from annotation.flow.review import adjudication, comments, conclusions, review_decisions
from annotation.models import Adjudication, Batch, Hit, Project
from annotation.pure.people import roles
from annotation.pure.review import review_state
from annotation.pure.review.disagreement_causes import CAUSES
from annotation.pure.statistics.intervals import wilson
from annotation.registry import form_class, task_type
from annotation.tasktype import JSON, TaskType, capabilities
from annotation.views.access import Request, member_action, member_form, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.batches.hits import blind_responses, hit_of, side_by_side
from annotation.views.post_handling import posted_text, refusal_as_message, see_other, whole_number
from annotation.views.response_words import with_words
from annotation.views.review.comments import Subject, shown_comments
from annotation.views.work.task_frame import PROBLEM_REASONS, shortcut_context

KINDS = {
    "tied": gettext_noop("tied"),
    "several": gettext_noop("several to choose from"),
    "discarded": gettext_noop("no question"),
    "undecided": gettext_noop("undecided"),
    "split": gettext_noop("no agreement"),
    "shortcut": gettext_noop("possible shortcut"),
}

DONE = {
    "accepted": gettext_noop("one answer chosen"),
    "edited": gettext_noop("an answer of your own"),
    "excluded": gettext_noop("excluded"),
}


@member_page(roles.REVIEW)
def adjudicate(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The HITs of a batch to adjudicate; with `?first` the first of them."""
    shown = _launched(batch)
    fresh = conclusions.fresh(shown, most=conclusions.AT_ONCE)
    waiting = adjudication.waiting(shown, request.user, fresh=fresh)
    first = waiting.first()
    if first and "first" in request.GET:
        return redirect("adjudicate-hit", project.slug, shown.slug, first.public_id)
    rows = waiting.select_related("item__dataset").defer("item__content", "item__dataset__report")
    page: Page[Any] = Paginator(rows, 50).get_page(request.GET.get("page"))
    for hit in page.object_list:
        fresh.put_into(hit)
    page.object_list = [
        {"hit": hit, "heading": heading(shown, hit), "kind": kind_words(hit.open_kind)} for hit in page.object_list
    ]
    everybody = adjudication.waiting(shown, fresh=fresh).count() if shown.two_adjudicators else page.paginator.count
    context: dict[str, Any] = {"page": page, "first": first, "is_complete": fresh.complete}
    context["undone"] = _undoable(request, shown)
    context |= {"elsewhere": everybody - page.paginator.count, "agreement": _agreement(shown)}
    context["counted"] = {"adjudicate": everybody}
    return render(request, "review/adjudicate.html", batch_context(shown, "adjudicate", **context))


def _agreement(batch: Batch) -> dict[str, Any] | None:
    """Of two adjudicators: {"agreed", "n", "figure"}; None: no HIT has two decisions."""
    agreed, n = adjudication.agreement(batch)
    return {"agreed": agreed, "n": n, "figure": wilson(agreed, n).as_json()} if n else None


def _launched(batch: Batch) -> Batch:
    if batch.launched_at is None:
        raise Http404
    return batch


def kind_words(kind: str) -> str:
    """The kind of a result as text; a task's own kinds unchanged."""
    return _(KINDS[kind]) if kind in KINDS else kind


@member_form(roles.REVIEW)
def adjudicate_hit(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """One HIT, blind: without gold, names and scores; POST chooses or writes a response, or excludes the HIT."""
    shown = _launched(batch)
    row = hit_of(shown, public_id)
    if request.method != "POST":
        return _page(request, shown, row)
    made = Adjudication(hit=row, adjudicator=request.user, cause=request.POST.get("cause", ""))
    if made.cause not in ("", *CAUSES):
        raise Http404
    if "pick" in request.POST:
        _choose(made, request.POST["pick"])
        return _decide(request, shown, made)
    if "write" in request.POST and capabilities.writes(task_type(shown.task)):
        base = request.POST.get("base", "")
        _choose(made, base, text=posted_text(request, "text"))
        typed: dict[str, Any] = {"base": base.partition(".")[0], "text": made.text, "problem": ""}
        before = made.assignment.current if made.assignment else None
        if before and (wanted := _filled_in(request, made)) is not None:
            made.text = capabilities.change(task_type(shown.task), row.payload, before.answer, wanted)
            typed["wanted"] = wanted
        return _decide(request, shown, made, typed=typed)
    made.decision = Adjudication.Decision.EXCLUDED
    made.reason = request.POST.get("reason", "").strip().replace("\0", "")[:500]
    if not made.reason:
        return _page(request, shown, row, problem=_("Say why this HIT is excluded."), status=422)
    return _decide(request, shown, made)


def _choose(made: Adjudication, base: str, *, text: str | None = None) -> None:
    """Make it a choice of the response `base` ("ID.REVISION"), in the requester's own wording if `text` is given."""
    public_id, _dot, revision = base.replace("\0", "").partition(".")
    made.assignment = made.hit.assignments.submitted().filter(public_id=public_id).first()
    number = whole_number(revision, None)
    if made.assignment is None or number is None:
        raise Http404
    made.revision, made.text = number, text or ""
    made.decision = Adjudication.Decision.ACCEPTED if text is None else Adjudication.Decision.EDITED


def _filled_in(request: Request, made: Adjudication) -> JSON | None:
    """The answer that was posted by controls of the task's form; None: a text was."""
    kind, payload = made.hit.batch.task, made.hit.payload
    is_form = capabilities.start(task_type(kind), payload, []) is not None
    return form_class(kind)(payload, request.POST).answer() if is_form else None


def _decide(request: Request, batch: Batch, made: Adjudication, *, typed: dict[str, Any] | None = None) -> HttpResponse:
    """Carry out the decision and go on; what was typed stays on the page until it is saved."""
    try:
        is_decided = adjudication.decide(made, saw_both="saw_both" in request.POST)
    except Conflict as conflict:
        return _page(request, batch, made.hit, problem=str(conflict), typed=typed, status=409)
    except Refused as refused:
        if typed is None:
            return _page(request, batch, made.hit, problem=str(refused), status=422)
        return _page(request, batch, made.hit, typed=typed | {"problem": str(refused)}, status=422)
    if is_decided:
        overview.decided(batch, "to_adjudicate")
    elif len(adjudication.decisions_on([made.hit_id])[made.hit_id]) >= 2:
        text = _("Another requester has decided differently on the last HIT. It stays here for a final decision.")
        messages.info(request, text)
    return _on(request, batch, made.hit)


def _on(request: Request, batch: Batch, row: Hit) -> HttpResponse:
    """Redirect to the next HIT, with an undo link; to the list if there is none."""
    following = adjudication.following(batch, row, request.user)
    args = [batch.project.slug, batch.slug, *([following.public_id] if following else [])]
    address = reverse("adjudicate-hit" if following else "adjudicate", args=args)
    return HttpResponseRedirect(f"{address}?undo={row.public_id}", status=303)


def _undoable(request: Request, batch: Batch) -> dict[str, Any] | None:
    """The last decision, for the undo notice: {"public_id", "label", "waits" (for another requester's)}."""
    public_id = request.GET.get("undo", "").replace("\0", "")
    row = batch.hits.filter(public_id=public_id).first() if public_id else None
    if row is None:
        return None
    if row.excluded_at:
        return {"public_id": row.public_id, "label": _("excluded"), "waits": False}
    states = {standing.state for standing in adjudication.accepted(row)}
    waits = not states and batch.two_adjudicators
    mine = _own(request, adjudication.decisions_on([row.pk])[row.pk]) if waits else None
    if state := max(states, default=mine.decision if mine else ""):  # "edited" comes after "accepted"
        return {"public_id": row.public_id, "label": _(DONE[state]), "waits": waits}
    return None


def _own(request: Request, decisions: list[Adjudication]) -> Adjudication | None:
    """The viewer's decision while the other one is missing."""
    return adjudication.own(decisions, request.user) if len(decisions) < 2 else None


def _page(
    request: Request,
    batch: Batch,
    row: Hit,
    *,
    problem: str = "",
    typed: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    mixed = blind_responses(row)
    standings = {
        s.assignment.pk: s for s in review_decisions.responses_with_reviews([each["assignment"] for each in mixed])
    }
    responses = [
        each | {"number": k, "key": str(k), "standing": standings[each["assignment"].pk]}
        for k, each in enumerate(mixed, 1)
    ]
    picks = [each for each in responses if each["standing"].takes_part]
    taken = [each for each in picks if each["standing"].state in review_state.TAKEN]
    decided = bool(row.excluded_at) or len(taken) == 1
    decisions = adjudication.decisions_on([row.pk] if batch.two_adjudicators else ())[row.pk]
    mine = None if decided else _own(request, decisions)
    for each in picks:
        each["pick"] = f"{each['assignment'].public_id}.{each['assignment'].revision}"
        each["chosen"] = decided and each["standing"].state == review_state.ACCEPTED
        each["chosen"] |= mine is not None and mine.assignment_id == each["assignment"].pk
    fresh = conclusions.fresh(batch, most=conclusions.AT_ONCE)
    context = batch_context(
        batch,
        "adjudicate",
        leaf="",
        hit=row,
        heading=heading(batch, row),
        problem=problem,
        picks=picks,
        write=_to_write(batch, row, picks, mine, typed),
        decided=decided,
        mine=mine,
        causes=[{"name": name, **cause._asdict()} for name, cause in CAUSES.items()],
        cause=request.POST.get("cause", mine.cause if mine else row.cause if decided else ""),
        both=_both(row, decisions, responses) if len(decisions) >= 2 else [],
        left=adjudication.waiting(batch, request.user, fresh=fresh).count(),
        next=adjudication.following(batch, row, request.user, fresh=fresh),
        undone=_undoable(request, batch),
        **_thread(request, row, responses if decided or len(decisions) >= 2 else None),
        reasons=[_(text) for text in PROBLEM_REASONS.values()],
        **shortcut_context(request),
        **side_by_side(batch, row, responses, blind=True),
    )
    return render(request, "review/adjudicate_hit.html", context, status=status)


def _both(hit: Hit, decisions: list[Adjudication], responses: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two requesters' decisions without their names: [{"decision", "letter", "text", "reason"}]."""
    task, known = task_type(hit.batch.task), {each["assignment"].pk: each for each in responses}
    shown = []
    for row in decisions:
        of, text = known.get(row.assignment_id, {"letter": ""}), row.text
        if "answer" in of:
            text = capabilities.edited_words(task, with_words(hit.payload), of["answer"].answer, text)
        shown.append({"decision": row.decision, "letter": of["letter"], "text": text, "reason": row.reason})
    return sorted(shown, key=lambda one: (one["letter"], one["text"], one["reason"]))


def _thread(request: Request, row: Hit, responses: list[dict[str, Any]] | None) -> dict[str, Any]:
    """The comments, by the letters of this page; none before the decision (`responses` is None), which is blind."""
    if responses is None:
        return {"comments": []}
    letters = {each["assignment"].pk: each["letter"] for each in responses}
    subject = Subject.of(row.batch.project, row)
    return {"comments": shown_comments(request, subject, comments.about_hit(row), letters)}


def _to_write(
    batch: Batch,
    row: Hit,
    picks: list[dict[str, Any]],
    mine: Adjudication | None,
    typed: dict[str, Any] | None,
) -> dict[str, Any] | None:
    """The field for an own wording, or None: {"how", "bases" (usable responses), "base", "text", "problem", "open"}."""
    task = task_type(batch.task)
    bases = []
    for pick in picks if capabilities.writes(task) else []:
        wording = capabilities.review(task, row.payload, pick["answer"].answer)["text"]
        if wording:
            own = pick["standing"].review if pick["standing"].state == review_state.EDITED else None
            if mine and mine.assignment_id == pick["assignment"].pk and mine.text:
                own = mine
            bases.append(pick | {"wording": own.text if own else wording, "edited": own is not None})
    if not bases:
        return None
    first = next((each for each in bases if each["edited"]), bases[0])
    filled = {"base": first["assignment"].public_id, "text": first["wording"], "problem": ""}
    how = {"how": _(capabilities.writes(task)), "bases": bases, "open": typed is not None}
    return how | filled | _form_of(task, row, bases, first, typed) | (typed or {})


def _form_of(
    task: TaskType, row: Hit, bases: list[dict[str, Any]], first: dict[str, Any], typed: dict[str, Any] | None
) -> dict[str, Any]:
    """Of a task whose answer is filled in: {"form": its template, "draft", "given"}, from what was typed before."""
    start = capabilities.start(task, row.payload, [each["answer"].answer for each in bases])
    if start is None:
        return {}
    for each in bases:
        if each["edited"]:
            each["wanted"] = capabilities.edited(task, row.payload, each["answer"].answer, each["wording"])
            each["wording"] = task.brief(with_words(row.payload), each["wanted"])
    wanted = typed["wanted"] if typed else first.get("wanted", start)
    form = form_class(task.kind)(row.payload)
    given = [{"letter": each["letter"], "fields": form.shown(each["answer"].answer)["fields"]} for each in bases]
    return {"form": f"{task.kind}/_write.html", "draft": form.shown(wanted), "given": given}


@member_action(roles.REVIEW)
def adjudicate_undo(request: Request, project: Project, batch: Batch, public_id: str) -> HttpResponse:
    """Undo the decision on a HIT, and show it again."""
    row = hit_of(_launched(batch), public_id)
    with refusal_as_message(request):
        if undone := adjudication.undo(row, reviewer=request.user):
            if undone == "reopened":
                overview.decided(row.batch, "to_adjudicate", by=-1)
            messages.success(request, _("Undone. Please decide on this HIT again."))
        else:
            messages.warning(request, _("There is nothing to undo on this HIT."))
    return see_other("adjudicate-hit", project.slug, batch.slug, public_id)
