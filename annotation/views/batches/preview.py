"""Previews of a batch as workers see it, test answers that are never stored, and the checklist of a first launch."""

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.batches import batch_drafts
from annotation.models import Batch, Dataset, Hit, Project
from annotation.pure.people import roles
from annotation.pure.people.consent_text import is_unfinished
from annotation.pure.text import structured
from annotation.registry import all_default_instructions, form_class, task_type
from annotation.tasktype import capabilities
from annotation.views.access import member_form, member_required
from annotation.views.post_handling import whole_number
from annotation.views.work.assignment_page import live_fragment
from annotation.views.work.task_frame import preview_of, translated, with_frames

SHOWN = 3  # items that the checklist asks to look at
HIGHEST = 10**9  # number of an item in a URL
MOST_DIGITS = 18  # of a number in a URL
TRIED = "tried"  # in the session: {key of a draft: numbers of the items looked at, and TESTED}
TESTED = 0
SCRIPTS = re.compile(r"<script\b.*?</script>|<link\b[^>]*modulepreload[^>]*>", re.DOTALL)


@member_form(roles.SEE)
def batch_preview(request: HttpRequest, project: Project, batch: Batch) -> HttpResponse:
    """The worker's page of item `n`, shuffled by `seed`; POST checks a test answer and stores nothing."""
    number = whole_number(request.GET.get("n", ""), 1, digits=MOST_DIGITS)
    seed = whole_number(request.GET.get("seed", ""), 0, digits=MOST_DIGITS)
    hits = batch_drafts.samples(batch, 2, start=number - 1) if 1 <= number <= HIGHEST else []
    if not hits:
        raise Http404
    hit = hits[0]
    live = reverse("preview-live", args=[project.slug, batch.slug, hit.item_id, seed, "search"])
    context = preview_of(request, hit, seed=seed, live=live)
    end = reverse("batch", args=[project.slug, batch.slug])
    total = batch.size or batch_drafts.plan_of(batch).hits
    context["frame"] |= {"number": number, "total": total, "home_url": end}
    context |= {"previews": _links(batch, number, last=len(hits) == 1), "preview_end": end}
    context["in_place"] = not capabilities.origins(task_type(batch.task), context["payload"])
    if task_type(batch.task).launched:
        context["frame"] |= {"test": True, "submit_url": f"{request.path}?n={number}&seed={seed}"}
    tried = {number} if number <= SHOWN else set()
    if request.method == "POST" and context["frame"].get("test"):
        context |= _tested(request, hit, context["payload"])
        if not context["problems"]:
            tried.add(TESTED)
    _note(request, batch, tried)
    page = render(request, f"{batch.task}/page.html", context, status=422 if context["problems"] else 200)
    return with_frames(page, batch.task, context["payload"])


def first_item(
    request: HttpRequest, batch: Batch, datasets: Sequence[Dataset] | None = None, *, total: int, number: int = 1
) -> dict[str, Any]:
    """One of the first SHOWN of `total` items as workers will see it; empty without any.

    {"html" (a whole page), "digest", "number", "last" (the number of the last), "steps" (buttons)}. `datasets`: those
    of a batch that is not saved.
    """
    samples = batch_drafts.samples(batch, SHOWN, datasets=datasets)
    number = min(max(number, 1), len(samples))
    for hit in samples[number - 1 : number]:
        context = preview_of(request, hit, seed=0, live="")
        context["frame"] |= {"preview_bar": "", "inert": True, "number": number, "total": total}
        html = render_to_string(f"{batch.task}/page.html", context, request)
        still = SCRIPTS.sub("", html)  # the sandbox runs none
        digest = structured.digest([batch.task, batch.options, hit.item_id, hit.payload, len(samples)])
        return {"html": still, "digest": digest, "number": number, "last": len(samples)} | _steps(number, len(samples))
    return {}


def _steps(number: int, last: int) -> dict[str, Any]:
    """The buttons to the items before and after one: {"to" (0: there is none), "label", "sign"}."""
    before = {"to": number - 1, "label": _("Previous item"), "sign": "‹"}
    after = {"to": number + 1 if number < last else 0, "label": _("Next item"), "sign": "›"}
    return {"steps": [before, after]}


def _tested(request: HttpRequest, hit: Hit, payload: Any) -> dict[str, Any]:
    """A test answer as the page shows it again, with its problems, or `tested`, the response that would be stored."""
    task, kind = task_type(hit.batch.task), hit.batch.task
    answer = form_class(kind)(payload, request.POST).answer()
    following = capabilities.with_next_step(task, hit.payload, None, answer)
    problems = [] if following else task.check(hit.payload, answer)
    draft = form_class(kind)(payload).shown(following or answer) | {"active_seconds": 0}
    stored = None if problems or following else capabilities.stored(task, hit.payload, answer)
    tested = None if stored is None else json.dumps(stored, ensure_ascii=False, indent=2)
    graded = None if stored is None else _graded(hit, stored)
    return {"draft": draft, "problems": translated(problems), "tested": tested, "graded": graded}


def _graded(hit: Hit, answer: Any) -> dict[str, Any] | None:
    """Score and gold of a test answer; of a launched batch none, since its adjudicators work blind."""
    task, gold = task_type(hit.batch.task), hit.item.example
    if hit.batch.state != Batch.State.DRAFT or not task.gradable(hit.payload, gold):
        return None
    return {"score": task.grade(hit.payload, answer, gold), "gold": gold.answers}


def _links(batch: Batch, here: int, *, last: bool) -> list[dict[str, str]]:
    """Links to the items before and after this one, and the actions of their keys."""
    url = reverse("batch-preview", args=[batch.project.slug, batch.slug])
    before = {"url": f"{url}?n={here - 1}", "label": _("Previous item"), "action": "previous-item"}
    after = {"url": f"{url}?n={here + 1}", "label": _("Next item"), "action": "next-item"}
    return [*([before] if here > 1 else []), *([] if last else [after])]


@require_safe
@member_required(roles.SEE)
def preview_live(request: HttpRequest, project: Project, batch: Batch, item: int, seed: int, name: str) -> HttpResponse:
    """A fragment of the previewed page, shuffled by `seed`."""
    hit = batch_drafts.sample_of(batch, item)
    if hit is None or seed >= 10**MOST_DIGITS:
        raise Http404
    payload = capabilities.arrange(task_type(batch.task), hit.payload, Random(seed))
    return live_fragment(request, batch, payload, name)


def _key(batch: Batch) -> str:
    """What was tried holds for: a draft with this task and these datasets."""
    return ".".join(map(str, [batch.pk, batch.task, *sorted(batch.datasets.values_list("pk", flat=True))]))


def _note(request: HttpRequest, batch: Batch, tried: set[int]) -> None:
    if batch.state != Batch.State.DRAFT:
        return
    key, noted = _key(batch), request.session.get(TRIED, {})
    request.session[TRIED] = noted | {key: sorted({*noted.get(key, []), *tried})}


def checklist(request: HttpRequest, project: Project, draft: Batch | None, previews: int) -> list[dict[str, Any]]:
    """What to do before a project's first launch: {"text", "done", "anchor"}; empty after it.

    `previews`: the number of items of the draft that can be looked at, at most SHOWN; 0 without a draft. What was
    looked at and tried is what this person did since they signed in.
    """
    if project.batches.filter(launched_at__isnull=False).exists():
        return []
    tried = set(request.session.get(TRIED, {}).get(_key(draft), [])) if draft else set()
    looked = len(tried & {*range(1, previews + 1)})
    items = _("Items looked at: %(n)s of %(previews)s") if previews else _("Items looked at: none yet")
    own = draft is not None and draft.instructions.text.strip() not in all_default_instructions()
    instructions = _("Instructions: your own text") if own else _("Instructions: the task's standard text")
    return [
        {"text": _("Consent text finished"), "done": not is_unfinished(project.consent), "anchor": "consent-fields"},
        {"text": instructions, "done": draft is not None, "anchor": "instructions-fold"},
        {"text": items % {"n": looked, "previews": previews}, "done": 0 < previews == looked, "anchor": "look"},
        {"text": _("One item answered as a test"), "done": TESTED in tried, "anchor": "look"},
    ]
