"""What waits for a requester, in words and with where it is done: on the home and on a batch's pages."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.flow.batches import batch_moves, workers_needed
from annotation.flow.projects import overview
from annotation.models import Batch, Project, clock
from annotation.pure.batches.next_step import NextStep, in_order
from annotation.templatetags.language_tags import in_language


class Words(NamedTuple):
    """How a kind of step reads, and where it is done."""

    page: str  # URL name; "batch": with a button of the batch's pages
    label: Callable[[int], str]
    why: str = ""


WORDS: dict[str, Words] = {
    "approvals": Words("approvals", lambda n: ngettext("Approve %(n)s response", "Approve %(n)s responses", n)),
    "problem_reports": Words(
        "problem-reports", lambda n: ngettext("Read %(n)s problem report", "Read %(n)s problem reports", n)
    ),
    "messages": Words(
        "messages", lambda n: ngettext("Read %(n)s message from a worker", "Read %(n)s messages from workers", n)
    ),
    "requests": Words(
        "qualification-requests",
        lambda n: ngettext("Decide on %(n)s qualification request", "Decide on %(n)s qualification requests", n),
    ),
    "review": Words("review", lambda n: ngettext("Review %(n)s response", "Review %(n)s responses", n)),
    "adjudicate": Words("adjudicate", lambda n: ngettext("Adjudicate %(n)s HIT", "Adjudicate %(n)s HITs", n)),
    "gold": Words("gold", lambda n: ngettext("Check the gold of %(n)s item", "Check the gold of %(n)s items", n)),
    "resume": Words("batch", lambda n: _("Resume"), gettext_noop("Workers get no new HITs.")),
    "invite": Words("batch", lambda n: _("Invite %(n)s more")),
    "close": Words("batch", lambda n: _("Close the batch…"), gettext_noop("No open HITs are left.")),
    "create_dataset": Words("batch", lambda n: _("Create a dataset…"), gettext_noop("The batch is closed.")),
}
ABOUT = {  # of decisions, in lists
    "approvals": gettext_noop("Their workers wait for approval."),
    "problem_reports": gettext_noop("Workers say that something is wrong with an item."),
    "review": gettext_noop("They were drawn for review."),
    "adjudicate": gettext_noop("All responses are in, and they disagree."),
    "gold": gettext_noop("Workers agree on another answer."),
}
MINUTE = timedelta(minutes=1)
DIALOGS = {"close": "close-box", "create_dataset": "dataset-box"}


def waiting(project: Project, batch: Batch | None = None) -> list[NextStep]:
    """All that waits in the project, or in one launched batch of it."""
    return overview.waiting(project, batch) + batch_moves.batch_moves(project, batch)


def shown(project: Project, steps: Iterable[NextStep], may: Iterable[str]) -> list[dict[str, Any]]:
    """The steps that the viewer may take, most urgent first: {"kind", "label", "why", "about", "url", …}.

    On a batch's own pages `dialog` (an id) or `post` (an address) takes the step at once.
    """
    return [_shown(project, step) for step in in_order(steps, may)]


def _shown(project: Project, step: NextStep) -> dict[str, Any]:
    words, n, slug = WORDS[step.kind], step.count, step.of["slug"]
    why = _(words.why) if words.why else ""
    if step.kind == "invite":
        why = workers_needed.in_words(step.of["people"], wanted=step.of["people"] + n)
    return {
        "kind": step.kind,
        "label": words.label(n) % {"n": n},
        "why": why,
        "about": _(ABOUT[step.kind]) if step.kind in ABOUT else "",
        "of": in_language(step.of["title"]),
        "url": page_of(project, step.kind, slug),
        "dialog": DIALOGS.get(step.kind),
        "post": reverse("batch-move", args=[project.slug, slug, "resume"]) if step.kind == "resume" else "",
        "due": step.due,
        "pressing": bool(step.due and step.due - clock.now() < overview.PRESSING),
        "age": timesince(step.since, depth=1) if step.since and clock.now() - step.since >= MINUTE else "",
    }


def page_of(project: Project, kind: str, slug: str) -> str:
    """The address where a step of this kind is taken."""
    if kind == "messages" and slug:
        return reverse("worker-messages", args=[project.slug, slug])
    query = {"approvals": {"batch": slug}, "messages": {"show": "new"}}.get(kind)
    address = reverse(WORDS[kind].page, args=[project.slug] if query else [project.slug, slug])
    return (f"{address}?{urlencode(query)}" if query else address) + ("#invite-link" if kind == "invite" else "")
