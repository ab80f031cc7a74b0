"""HITs that people leave open, one after the other: pick an answer by its number, write one, leave the HIT out."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import adjudicating, flagging, overseeing, reviewing
from annotation.flow.naming import name_uncomposed
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Batch, Hit, Project
from annotation.pure import reading, roles
from annotation.registry import task_type
from annotation.views.access import member_required, require_get_or_post
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.frame import FLAG_REASONS
from annotation.views.hits import hit_of, judgments_of, side_by_side
from annotation.views.seeing import see, unless_overdrawn

KINDS = {
    "tied": gettext_noop("tied"),
    "several": gettext_noop("several to choose from"),
    "discarded": gettext_noop("discarded"),
    "undecided": gettext_noop("undecided"),
    "split": gettext_noop("no agreement"),
}
HIDDEN = "names_hidden"  # in the viewer's session


@never_cache
@require_safe
@member_required(roles.REVIEW)
def adjudicate(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The HITs of a batch that wait for a requester."""
    shown = _launched(project, batch)
    waiting = adjudicating.queue(shown)
    page = Paginator(waiting, 50).get_page(request.GET.get("page"))
    rows = Hit.objects.select_related("item__dataset").defer("payload", "item__content", "item__dataset__report")
    found = rows.in_bulk([one.pk for one in page])
    name_uncomposed(hit.item for hit in found.values())
    page.object_list = [
        {"hit": found[one.pk], "answers": one.answers, "kind": kind_words(one.kind)} for one in page.object_list
    ]
    context = {"page": page, "first": waiting[0] if waiting else None, "undone": _undoable(request, shown)}
    return render(request, "batches/adjudicate.html", batch_context(shown, "adjudicate", **context))


def _launched(project: Project, slug: str) -> Batch:
    batch = batch_of(project, slug)
    if batch.launched_at is None:
        raise Http404
    return batch


def kind_words(kind: str) -> str:
    """The kind of a verdict as requesters read it; a kind that only its task knows stands as it is."""
    return _(KINDS[kind]) if kind in KINDS else kind


@never_cache
@require_get_or_post
@member_required(roles.REVIEW)
def adjudicate_hit(request: HttpRequest, project: Project, batch: str, public_id: str) -> HttpResponse:
    """One HIT; POST picks or writes an answer, leaves the HIT out, or shows or hides who the annotators are."""
    shown = _launched(project, batch)
    row = hit_of(shown, public_id)
    if request.method != "POST":
        return _page(request, shown, row)
    if names := request.POST.get("names"):
        request.session[HIDDEN] = names == "hide"
        return see("adjudicate-hit", project.slug, batch, public_id)
    if "pick" in request.POST:
        return _picked(request, shown, row, request.POST["pick"], request.POST.get("revision", ""))
    if "write" in request.POST and task_type(shown.task).writes:
        return _written(request, shown, row)
    reason = request.POST.get("reason", "").strip().replace("\0", "")[:500]
    if not reason:
        return _page(request, shown, row, problem=_("Say why this HIT is left out."), status=422)
    flagging.void(row, reason=reason)
    return _on(request, shown, row)


def _written(request: HttpRequest, batch: Batch, row: Hit) -> HttpResponse:
    """Take the requester's own wording of the answer that it began from; what was typed stays until it is kept."""
    text = request.POST.get("text", "").replace("\r\n", "\n").replace("\0", "")
    base, _dot, revision = request.POST.get("base", "").partition(".")
    return _picked(request, batch, row, base, revision, text=text)


def _picked(
    request: HttpRequest, batch: Batch, row: Hit, base: str, revision: str, *, text: str | None = None
) -> HttpResponse:
    chosen = row.assignments.submitted().filter(public_id=base.replace("\0", "")).first()
    if chosen is None or not (revision.isascii() and revision.isdigit() and len(revision) < 10):
        raise Http404
    typed = None if text is None else {"base": base, "text": text, "problem": ""}
    try:
        reviewing.choose(chosen, int(revision), reviewer=request.user, text=text)
    except Conflict as conflict:
        return _page(request, batch, row, problem=str(conflict), typed=typed, status=409)
    except Refused as refused:
        return _page(request, batch, row, typed=(typed or {}) | {"problem": str(refused)}, status=422)
    unless_overdrawn(request, lambda: flagging.restore(row))
    return _on(request, batch, row)


def _on(request: HttpRequest, batch: Batch, row: Hit) -> HttpResponse:
    """To the next HIT that waits, with the way back; to the list where none does."""
    overseeing.decided(batch, "to_adjudicate")
    following = adjudicating.following(batch, row)
    args = [batch.project.slug, batch.slug]
    if following is None:
        messages.success(request, _("Nothing is left to adjudicate."))
        address = reverse("adjudicate", args=args)
    else:
        address = reverse("adjudicate-hit", args=[*args, following.public_id])
    return HttpResponseRedirect(f"{address}?undo={row.public_id}", status=303)


def _undoable(request: HttpRequest, batch: Batch) -> dict[str, str] | None:
    """What was just decided, as the notice shows it: {"public_id", "label"}."""
    public_id = request.GET.get("undo", "").replace("\0", "")
    row = batch.hits.filter(public_id=public_id).first() if public_id else None
    if row is None:
        return None
    if row.voided_at:
        return {"public_id": row.public_id, "label": _("left out")}
    taken = {one.state for one in adjudicating.accepted(row)}
    label = _("an answer of your own") if reading.EDITED in taken else _("one answer picked")
    return {"public_id": row.public_id, "label": label} if taken else None


def _page(
    request: HttpRequest,
    batch: Batch,
    row: Hit,
    *,
    problem: str = "",
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    hidden = bool(request.session.get(HIDDEN))
    mixed = adjudicating.shuffled(judgments_of(row), viewer=request.user.pk or 0, hit=row.public_id)
    standings = {one.assignment.pk: one for one in reviewing.standings([each["assignment"] for each in mixed])}
    judgments = [_lettered(k, each, standings, hidden=hidden) for k, each in enumerate(mixed)]
    picks = [each for each in judgments if each["standing"].takes_part]
    waiting = adjudicating.queue(batch)
    here = next((one for one in waiting if one.pk == row.pk), None)
    address = [batch.project.slug, batch.slug]
    context = batch_context(
        batch,
        "adjudicate",
        hit=row,
        hidden=hidden,
        problem=problem,
        picks=picks,
        write=_to_write(batch, row, picks, typed),
        kind=kind_words(here.kind) if here else "",
        left=len(waiting),
        next=adjudicating.following(batch, row),
        undone=_undoable(request, batch),
        reasons=[_(text) for text in FLAG_REASONS.values()],
        shortcuts=request.user.shortcuts or {"off": False, "keys": {}},
        preferences_url=reverse("preferences"),
        **side_by_side(batch, row, judgments),
    )
    context["crumbs"] = [
        {"label": _("Batches"), "url": reverse("batches", args=address[:1])},
        {"label": batch.title, "url": reverse("batch", args=address)},
        {"label": _("Adjudicate"), "url": reverse("adjudicate", args=address)},
    ]
    return render(request, "batches/adjudicate_hit.html", context, status=status)


def _to_write(
    batch: Batch, row: Hit, picks: list[dict[str, Any]], typed: dict[str, str] | None
) -> dict[str, Any] | None:
    """The field to write in: {"how", "bases" (picks with a wording), "base", "text", "problem", "open"}; None: none."""
    task = task_type(batch.task)
    bases = []
    for pick in picks if task.writes else []:
        wording = task.review(row.payload, pick["answer"].answer)["text"]
        if wording:
            edited = pick["standing"].state == reading.EDITED
            bases.append(pick | {"wording": pick["standing"].review.text if edited else wording, "edited": edited})
    if not bases:
        return None
    first = next((each for each in bases if each["edited"]), bases[0])
    filled = {"base": first["assignment"].public_id, "text": first["wording"], "problem": ""}
    return {"how": _(task.writes), "bases": bases, "open": typed is not None, **filled, **(typed or {})}


def _lettered(number: int, judgment: dict[str, Any], standings: dict[int, Any], *, hidden: bool) -> dict[str, Any]:
    """A judgment under the letter of its place, without its worker where names are hidden."""
    worker = {"pseudonym": _("hidden")} if hidden else judgment["worker"]
    standing = standings[judgment["assignment"].pk]
    return judgment | {
        "letter": chr(65 + number % 26),
        "number": number + 1,
        "key": str(number + 1),
        "worker": worker,
        "standing": standing,
    }


@require_POST
@member_required(roles.REVIEW)
def adjudicate_undo(request: HttpRequest, project: Project, batch: str, public_id: str) -> HttpResponse:
    """Take back what was decided on a HIT, and show it again."""
    row = hit_of(_launched(project, batch), public_id)
    undone = unless_overdrawn(request, lambda: adjudicating.undo(row, reviewer=request.user))
    if undone:
        overseeing.decided(row.batch, "to_adjudicate", by=-1)
        messages.success(request, _("Undone: this HIT is to be decided on again."))
    elif undone is False:
        messages.warning(request, _("There is nothing to undo on this HIT."))
    return see("adjudicate-hit", project.slug, batch, public_id)
