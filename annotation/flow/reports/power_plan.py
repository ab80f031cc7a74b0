"""The power of a planned study, from assumptions or from the responses of a batch as a pilot."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.db.models import F
from django.utils.translation import gettext as _

from annotation.flow.batches import hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.errors import Refused
from annotation.flow.reports import score_looks
from annotation.flow.review import results_dataset
from annotation.models import Batch, WorkerResponse
from annotation.pure.data.example import JSON
from annotation.pure.reports import tables
from annotation.pure.reports.power_plan import Pilot, assumptions_table, budget_table, offers, pilot_of, plan_sentences
from annotation.pure.statistics.power import Design, Impossible, power
from annotation.pure.statistics.worker_intervals import Response
from annotation.registry import task_type

MOST = 20_000  # responses of a pilot that are read
FIRST = 0.8  # rate, if neither the plan nor a pilot says any
APART = 0.05  # of the second rate below the first, if the plan says none


def plan(given: JSON, *, pilot: Batch | None = None) -> JSON:
    """The power of a plan: figures, tables and sentences.

    `given` has fields of Design, and may have "seed" and, together, "price" (of a response, with fees) and "budget".
    A first rate or shares that are missing come from the pilot, as far as it tells them; a second rate that is missing
    is APART less than the first. "counts" is an expression about the pilot's ratings: a response that fulfils it is
    right, in place of one that is as gold has it. Raises Refused for a plan or a pilot that cannot be.
    """
    counts = given.get("counts") or ""
    if counts and pilot is None:
        raise Refused(_("%(counts)s: It is about the ratings of a pilot. Choose one.") % {"counts": counts})
    seed = int(given.get("seed") or 0)
    fields = {name: value for name, value in given.items() if name in Design.__slots__ and value is not None}
    try:
        found_in_pilot = pilot_of(_graded(pilot, counts)) if pilot else None
        fields = _from_pilot(found_in_pilot) | fields
        design = Design(**{"second": max(0.01, round(fields["first"] - APART, 10))} | fields)
        found = power(design, seed)
        ways = None
        if (budget := given.get("budget")) is not None:
            ways = offers(design, each=given.get("price"), budget=budget, seed=seed)
    except Impossible as why:
        raise Refused(tables.sentence({"message": why.message, "values": why.values}, _)) from None
    if pilot:
        score_looks.record_look(pilot)
    about = {"batch": pilot.slug, "counts": counts, **asdict(found_in_pilot)} if pilot and found_in_pilot else None
    return {
        **found.as_json(),
        "pilot": about,
        "paragraph": plan_sentences(found, about),
        "tables": [*([budget_table(ways)] if ways is not None else []), assumptions_table(found)],
    }


def _from_pilot(pilot: Pilot | None) -> dict[str, Any]:
    """The first rate, and the shares that a pilot tells."""
    if pilot is None:
        return {"first": FIRST}
    known = {"first": pilot.rate, "by_item": pilot.by_item, "by_worker": pilot.by_worker}
    return {name: share for name, share in known.items() if share is not None}


def _graded(batch: Batch, counts: str) -> Iterator[Response]:
    """The responses that the batch's report counts, as far as its task grades them; a grade of 1 is right.

    Of ratings that are to fulfil the expression `counts`, all.
    """
    task, fulfils = task_type(batch.task), results_dataset.selector_of(batch, counts)
    counted = hit_filters.assignments_in(batch, BatchPart(counted=True), batch.assignments.submitted())
    rows = WorkerResponse.objects.filter(assignment__in=counted, revision=F("assignment__revision")).order_by("pk")
    for row in rows.select_related("assignment__hit__item__dataset")[:MOST]:
        hit = row.assignment.hit
        gold = hit.item.example
        if counts:
            fulfilled = fulfils(task.aggregate(hit.payload, [row.answer | {"accepted": True}]))  # however many agree
            yield Response(hit.item_id, str(row.assignment.worker_id), float(fulfilled))
        elif task.gradable(hit.payload, gold):
            grade = task.grade(hit.payload, row.answer, gold)
            yield Response(hit.item_id, str(row.assignment.worker_id), grade)
