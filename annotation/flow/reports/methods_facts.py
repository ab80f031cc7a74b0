"""Facts on a batch for the methods paragraph (annotation/pure/reports/methods.py)."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from statistics import median
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext

from annotation import recruitment
from annotation.flow.batches import cached_figures, experiments, hidden_gold
from annotation.flow.money import wages
from annotation.flow.money.batch_funds import undecided_of
from annotation.flow.reports import preregistration, score_looks
from annotation.flow.review import double_adjudication, review_decisions
from annotation.flow.work import eligibility
from annotation.models import Assignment, Attempt, Batch, Experiment, Payment, QualificationRound, Worker
from annotation.pure.people import requirements
from annotation.pure.reports.methods import Facts
from annotation.pure.review import review_state
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.registry import task_type
from annotation.tasktype import capabilities


def facts_of(batch: Batch, report: Mapping[str, Any] | None) -> Facts:
    """All facts from the batch's rows; agreement comes from its report, if that is current."""
    return _facts(batch, report, count_facts(batch))


def kept_facts(batch: Batch, report: Mapping[str, Any] | None) -> Facts:
    """As `facts_of`, with what is kept of a large batch."""
    return _facts(batch, report, _kept_facts(batch))


def _facts(batch: Batch, report: Mapping[str, Any] | None, counted: Mapping[str, Any]) -> Facts:
    first_look, extended, stopped = score_looks.early_looks(batch)
    excluded = batch.hits.filter(check_item=False, excluded_at__isnull=False)
    return Facts(
        first_look=first_look,
        extended=extended,
        stopped=stopped,
        question=capabilities.asked(task_type(batch.task), batch.options),
        chosen=batch.workers.count(),
        marketplace=recruitment.name_of(batch),
        requirements=tuple(_requirements(batch)),
        rounds=tuple(_rounds(batch)),
        check_share=batch.check_share,
        agreements=tuple(_agreements(report or {})),
        excluded=tuple(
            (reason or gettext("no reason given"), n) for reason, n in _counted(excluded, "exclusion_reason")
        ),
        **counted,
        **_decided_twice(batch),
        **_arms(batch),
        **_registration(batch),
    )


def _registration(batch: Batch) -> dict[str, Any]:
    """The batch's preregistration and what differs from it; nothing without one."""
    made = preregistration.registered(batch)
    if made is None:
        return {}
    return {
        "registered": day_of(made.created_at),
        "registered_sha256": made.sha256,
        "registered_late": preregistration.is_late(made),
        "departures": tuple(preregistration.deviations(made)),
    }


def _arms(batch: Batch) -> dict[str, Any]:
    """How workers came to the batch as an arm, and how many began and submitted in each arm."""
    if batch.experiment is None:
        return {}
    rows, in_order = experiments.balance(batch.experiment), batch.experiment.each == Experiment.Each.ORDER
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        began, submitted = counts.get(row.arm.slug, (0, 0))
        counts[row.arm.slug] = began + row.began, submitted + row.submitted
    own = [(row.began, row.submitted) for row in rows if row.arm.pk == batch.pk]
    return {
        "arm": batch.slug,
        "in_order": in_order,
        "arms": tuple((name, *numbers) for name, numbers in counts.items()),
        "positions": tuple(own) if in_order else (),
    }


def count_facts(batch: Batch) -> dict[str, Any]:
    """The facts that are counted over all HITs or responses, as JSON."""
    work = batch.hits.filter(check_item=False)
    answers = recruitment.used(batch, hidden_gold.rows_without_checks(batch, batch.assignments.submitted()))
    there = work.filter(excluded_at__isnull=True)
    wanted = there.aggregate(few=Min("wanted"), most=Max("wanted"))
    return {
        "hits": work.count(),
        "datasets": _counted(work, "item__dataset__slug"),
        "hops": [[hops or 0, count] for hops, count in _counted(work, "item__hops")],
        "per_hit": [wanted["few"] or 0, wanted["most"] or 0],
        # of those without a counted response only, by index: surplus ones are answered too
        "unanswered": there.filter(~Exists(answers.filter(hit=OuterRef("pk"))), done=0).count(),
        **_given(batch, answers),
        **_timed(answers),
        **_decided(batch),
        **_pay(batch),
    }


_kept_facts = cached_figures.cached_figure("facts")(count_facts)


def _given(batch: Batch, answers: QuerySet[Assignment]) -> dict[str, Any]:
    """What is counted of the responses, from one sum for each worker and version of the instructions."""
    here = Q(response_import__isnull=True)
    rows = list(
        answers.order_by()
        .values("worker", "instructions_version")
        .annotate(
            n=Count("pk"),
            here=Count("pk", filter=here),
            first=Min("submitted_at", filter=here),
            last=Max("submitted_at", filter=here),
        )
    )
    out = answers.filter(hit__in=batch.hits.filter(excluded_at__isnull=False)).order_by().values("worker")
    excluded = dict(out.annotate(n=Count("pk")).values_list("worker", "n"))
    by_worker: Counter[int] = Counter()
    for row in rows:
        by_worker[row["worker"]] += row["n"]
    local = [row["worker"] for row in rows if row["here"]] if batch.project.consent else []
    return {
        "answers": sum(by_worker.values()),
        "workers": len(by_worker),
        "counted_workers": sum(n > excluded.get(worker, 0) for worker, n in by_worker.items()),
        "imported": sum(row["n"] - row["here"] for row in rows),
        "consented": Worker.objects.filter(pk__in=local, consented_at__isnull=False).count(),
        "instructions_versions": sorted({row["instructions_version"] for row in rows} - {0}),
        "unversioned": sum(row["n"] for row in rows if not row["instructions_version"]),
        "excluded_responses": sum(excluded.values()),
        "first": day_of(min((row["first"] for row in rows if row["first"]), default=None)),
        "last": day_of(max((row["last"] for row in rows if row["last"]), default=None)),
    }


def _timed(answers: QuerySet[Assignment]) -> dict[str, Any]:
    measured = answers.order_by().filter(active_seconds__gt=0).values_list("active_seconds", flat=True)
    seconds = array("d", measured.iterator())
    return {"seconds": median(seconds) if seconds else None, "timed": len(seconds)}


def _counted(rows: Any, column: str) -> list[list[Any]]:
    found = rows.order_by().values(column).annotate(count=Count("pk")).order_by(column)
    return [[row[column], row["count"]] for row in found]


def day_of(moment: datetime | None) -> str:
    """The day in UTC, as text; "" without a time."""
    return moment.astimezone(UTC).date().isoformat() if moment else ""


def _requirements(batch: Batch) -> Iterator[str]:
    names = eligibility.names_of(batch.project)
    for requirement in requirements.read_all(batch.requirements):
        yield eligibility.requirement_text(requirement, names.get(requirement.type, requirement.type))


def _rounds(batch: Batch) -> Iterator[tuple[str, int, int]]:
    """(title, workers who finished, workers who passed) of the rounds that grant the batch's requirements."""
    types = {requirement.type for requirement in requirements.read_all(batch.requirements)}
    rounds = QualificationRound.objects.filter(grants__public_id__in=types, batch__project=batch.project_id)
    for found in rounds.select_related("batch").order_by("batch__launched_at", "pk"):
        done = Attempt.objects.filter(round=found, passed__isnull=False)
        took = done.aggregate(took=Count("worker", distinct=True))["took"]
        passed = done.filter(passed=True).aggregate(passed=Count("worker", distinct=True))["passed"]
        if took:
            yield found.batch.title, took, passed


def _pay(batch: Batch) -> dict[str, Any]:
    """Dollars paid, and the number of responses not paid yet; empty for unpaid work."""
    payments = Payment.objects.filter(batch=batch)
    paid = payments.filter(state=Payment.State.PAID).aggregate(sum=Sum("amount"))["sum"]
    if not paid:
        return {}
    unsettled = payments.exclude(state=Payment.State.PAID).values("assignment").distinct().count()
    waiting = undecided_of(batch.assignments.submitted()).count() + unsettled
    earned = wages.summary(wages.of_batch(batch))
    hourly = {} if earned.median is None else {"wage": f"{earned.median:.2f}", "tenth": f"{earned.tenth:.2f}"}
    return {"paid": f"{paid:.2f}", "unpaid": waiting, "earners": earned.workers, **hourly}


def _decided(batch: Batch) -> dict[str, int]:
    """Requesters' decisions: adjudicated HITs, edited and excluded responses."""
    rows = batch.assignments.submitted().filter(reviews__isnull=False, hit__check_item=False).distinct()
    standings = review_decisions.responses_with_reviews(rows.select_related("hit").defer("draft"))
    refused = sum(not one.takes_part for one in standings)
    standing = [one for one in standings if one.assignment.hit.excluded_at is None]
    if review_decisions.is_reviewed(batch):
        return {"refused": refused, "edited": sum(one.state == review_state.EDITED for one in standing)}
    taken: defaultdict[int, list[str]] = defaultdict(list)
    for one in standing:
        if one.state in review_state.TAKEN:
            taken[one.assignment.hit_id].append(one.state)
    alone = Counter(states[0] for states in taken.values() if len(states) == 1)
    return {"refused": refused, "picked": alone[review_state.ACCEPTED], "reworded": alone[review_state.EDITED]}


def _decided_twice(batch: Batch) -> dict[str, int]:
    """HITs on which two requesters decided independently, and on how many they agreed."""
    agreed, twice = double_adjudication.agreement(batch)
    return {"twice": twice, "agreed": agreed}


ALPHAS = {
    "answer": _("Krippendorff's alpha of the answer (distance 1 − F1)"),
    "support": _("Krippendorff's alpha of the support (MASI distance)"),
}


def _agreements(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    datasets = report.get("datasets") or {}
    for study in datasets.values() if len(datasets) == 1 else ():
        for part, words in (("answer", _("Agreement on the answer (F1)")), ("support", _("Agreement on support (F1)"))):
            yield words, study[part]["agreement"]["f1"] | {"share": True}
        for part, words in ALPHAS.items():
            yield words, (study.get("alpha") or {}).get(part) or {}
    for table in report.get("tables") or ():
        if table["name"] == "agreement":
            for label, value, low, high, *_n in table["rows"]:
                yield label["text"], {"value": value, "low": low, "high": high}
