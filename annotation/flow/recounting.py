"""What is recorded of a batch, for the paragraph of a methods section (annotation/pure/methods.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from statistics import median
from typing import Any

from django.db.models import Count, Max, Min, Sum

from annotation.flow import eligibility, reviewing, wages
from annotation.models import Attempt, Batch, Payment, Round
from annotation.pure import reading, requirements
from annotation.pure.methods import Facts
from annotation.pure.words import gettext_noop as _
from annotation.registry import task_type


def facts_of(batch: Batch, report: Mapping[str, Any] | None) -> Facts:
    """Everything that its rows say; how far annotators agree is in the report, where it stands for these judgments."""
    work = batch.hits.filter(check_item=False)
    answers = batch.assignments.submitted().filter(hit__check_item=False)
    counted = answers.aggregate(
        answers=Count("pk"), workers=Count("worker", distinct=True), first=Min("submitted_at"), last=Max("submitted_at")
    )
    seconds = list(answers.filter(active_seconds__gt=0).values_list("active_seconds", flat=True))
    guides = answers.filter(guide_version__gt=0).order_by().values_list("guide_version", flat=True).distinct()
    adjudicated, refused = _decided(batch)
    there = work.filter(voided_at__isnull=True)
    wanted = there.aggregate(few=Min("wanted"), most=Max("wanted"))
    return Facts(
        question=task_type(batch.task).question,
        hits=work.count(),
        datasets=_counted(work, "item__dataset__slug"),
        hops=tuple((hops, count) for hops, count in _counted(work, "item__hops") if hops),
        per_hit=(wanted["few"] or 0, wanted["most"] or 0),
        unanswered=there.exclude(pk__in=answers.order_by().values("hit")).count(),
        answers=counted["answers"],
        workers=counted["workers"],
        first=_day(counted["first"]),
        last=_day(counted["last"]),
        chosen=batch.workers.count(),
        marketplace=str(batch.connection) if batch.connection else "",
        requirements=tuple(_requirements(batch)),
        rounds=tuple(_rounds(batch)),
        guides=tuple(sorted(guides)),
        check_share=batch.check_share,
        seconds=median(seconds) if seconds else None,
        agreements=tuple(_agreements(report or {})),
        adjudicated=adjudicated,
        refused=refused,
        voided=_counted(work.filter(voided_at__isnull=False), "void_reason"),
        **_pay(batch),
    )


def _counted(rows: Any, column: str) -> tuple[tuple[Any, int], ...]:
    found = rows.order_by().values(column).annotate(count=Count("pk")).order_by(column)
    return tuple((row[column], row["count"]) for row in found)


def _day(moment: datetime | None) -> str:
    return moment.astimezone(UTC).date().isoformat() if moment else ""


def _requirements(batch: Batch) -> Iterator[str]:
    names = eligibility.names_of(batch.project)
    for asked in requirements.read_all(batch.requirements):
        yield eligibility.asked_for(asked, names.get(asked.type, asked.type))


def _rounds(batch: Batch) -> Iterator[tuple[str, int, int]]:
    """The rounds that grant what the batch requires: who took one to its end, and who passed."""
    types = {asked.type for asked in requirements.read_all(batch.requirements)}
    rounds = Round.objects.filter(grants__public_id__in=types, batch__project=batch.project_id)
    for found in rounds.select_related("batch").order_by("batch__launched_at", "pk"):
        done = Attempt.objects.filter(round=found, passed__isnull=False)
        took = done.aggregate(took=Count("worker", distinct=True))["took"]
        passed = done.filter(passed=True).aggregate(passed=Count("worker", distinct=True))["passed"]
        if took:
            yield found.batch.title, took, passed


def _pay(batch: Batch) -> dict[str, str]:
    """Sums in dollars; nothing for what nobody was paid."""
    paid = Payment.objects.filter(batch=batch, state=Payment.State.PAID).aggregate(sum=Sum("amount"))["sum"]
    earned = wages.summary(wages.of_batch(batch))
    known = {"paid": paid, "wage": earned.median, "tenth": earned.tenth}
    return {name: f"{amount:.2f}" for name, amount in known.items() if amount}


def _decided(batch: Batch) -> tuple[int, int]:
    """HITs that a requester settled by accepting an answer, and answers that were refused."""
    rows = batch.assignments.submitted().filter(reviews__isnull=False, hit__check_item=False).distinct()
    standings = reviewing.standings(rows.defer("draft"))
    taken = Counter(one.assignment.hit_id for one in standings if one.state in reading.TAKEN)
    settled = 0 if reviewing.is_reviewed(batch) else sum(count == 1 for count in taken.values())
    return settled, sum(not one.takes_part for one in standings)


def _agreements(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    datasets = report.get("datasets") or {}
    for study in datasets.values() if len(datasets) == 1 else ():
        for part, words in (("answer", _("Agreement on the answer (F1)")), ("support", _("Agreement on support (F1)"))):
            yield words, study[part]["agreement"]["f1"] | {"share": True}
    for table in report.get("tables") or ():
        if table["name"] == "agreement":
            for label, value, low, high, *_n in table["rows"]:
                yield label["text"], {"value": value, "low": low, "high": high}
