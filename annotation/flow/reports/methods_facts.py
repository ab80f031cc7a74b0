"""Facts on a batch for the methods paragraph (annotation/pure/reports/methods.py)."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from statistics import median
from typing import Any

from django.db.models import Case, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Sum, When
from django.utils.translation import gettext

from annotation import recruitment
from annotation.derivations import DERIVATIONS
from annotation.derivations.base import Derivation
from annotation.flow.batches import cached_figures, experiments, hidden_gold
from annotation.flow.batches.confidence_draw import frame_of
from annotation.flow.data.lineage import sources_of
from annotation.flow.money import wages
from annotation.flow.reports import preregistration, score_looks
from annotation.flow.reports.participation import unpaid_of
from annotation.flow.reports.preregistration import LABELS
from annotation.flow.review import adjudication, review_decisions
from annotation.flow.work import eligibility
from annotation.models import (
    Assignment,
    Attempt,
    Batch,
    Dataset,
    Experiment,
    Hit,
    Payment,
    QualificationRound,
    Worker,
    WorkerResponse,
)
from annotation.pure.people import requirements
from annotation.pure.reports.methods_facts import Agreement, Derived, Facts
from annotation.pure.reports.tables import text_cell
from annotation.pure.review import review_state
from annotation.pure.review.label_tables import BY_CHANCE
from annotation.pure.setting_fields import digests, settings_of
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.registry import default_instructions, task_type
from annotation.tasktype import capabilities

GIVEN = Exists(WorkerResponse.objects.filter(assignment=OuterRef("pk"), revision=OuterRef("revision")))
QUALIFICATION = Batch.Purpose.QUALIFICATION  # its HITs get assignments on demand, so that none are planned


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
        asked=tuple((report or {}).get("asked", ())),
        rubric_sha256=digests(task_type(batch.task).Options, batch.options).get("rubric_sha256", ""),
        drawn_by=frame_of(batch)[0] if batch.is_by_confidence and batch.launched_at else "",
        suggest=batch.suggest,
        derived=tuple(_derived(batch)),
        preface=preface_of(batch),
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
        "departures": tuple((LABELS[name], was, now) for name, was, now in preregistration.deviations(made)),
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
    submitted, answers = _submitted(batch), responses_of(batch)
    decided_on = _every(batch).filter(GIVEN) if batch.suggest else answers  # suggested ones are paid and reviewed, too
    there = work.filter(excluded_at__isnull=True)
    shown = Case(When(suggestion__isnull=False, then=batch.assignments_per_hit), default=0)
    blind = F("wanted") - shown  # those that start with a suggestion come on top
    wanted = there.aggregate(few=Min(blind), most=Max(blind))
    return {
        "hits": work.count(),
        "datasets": _counted(work, "item__dataset__slug"),
        "hops": [[hops or 0, count] for hops, count in _counted(work, "item__hops")],
        "per_hit": [0, 0] if batch.purpose == QUALIFICATION else [wanted["few"] or 0, wanted["most"] or 0],
        "suggested": _every(batch).filter(GIVEN, suggested=True).count(),
        "erased": submitted.exclude(GIVEN).count(),
        "rejected": decided_on.filter(approval=Assignment.Approved.REJECTED).count(),
        **_by_item(there, answers),
        **_given(batch, answers),
        **_timed(answers),
        **_decided(batch, answers),
        **_pay(batch, decided_on),
    }


def responses_of(batch: Batch) -> QuerySet[Assignment]:
    """The responses that the batch's documents count, also to excluded HITs: without erased ones and hidden gold."""
    return _submitted(batch).filter(GIVEN)


def _submitted(batch: Batch) -> QuerySet[Assignment]:
    return recruitment.used(batch, _every(batch))


def _every(batch: Batch) -> QuerySet[Assignment]:
    """Also those that figures leave out, as they started with a suggestion."""
    return hidden_gold.rows_without_checks(batch, batch.assignments.submitted())


def _by_item(there: QuerySet[Hit], answers: QuerySet[Assignment]) -> dict[str, Any]:
    """How many responses the HITs that count have, and how many of them have none."""
    counts = answers.filter(hit__in=there).order_by().values("hit").annotate(n=Count("pk"))
    found = counts.aggregate(few=Min("n"), most=Max("n"), hits=Count("hit"))
    unanswered = there.count() - found["hits"]
    return {"responses": [0 if unanswered else found["few"] or 0, found["most"] or 0], "unanswered": unanswered}


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


def _pay(batch: Batch, answers: QuerySet[Assignment]) -> dict[str, Any]:
    """Dollars paid, and the number of responses not paid yet; empty for unpaid work."""
    payments = Payment.objects.filter(batch=batch)
    paid = payments.filter(state=Payment.State.PAID).aggregate(sum=Sum("amount"))["sum"]
    waiting = unpaid_of(answers)
    if not paid:
        return {"unpaid": waiting}
    earned = wages.summary(wages.of_batch(batch))
    hourly = {} if earned.median is None else {"wage": f"{earned.median:.2f}", "tenth": f"{earned.tenth:.2f}"}
    return {"paid": f"{paid:.2f}", "unpaid": waiting, "earners": earned.workers, **hourly}


def _decided(batch: Batch, answers: QuerySet[Assignment]) -> dict[str, int]:
    """Requesters' decisions on HITs that count: adjudicated HITs, edited and excluded responses."""
    rows = answers.filter(reviews__isnull=False, hit__check_item=False, hit__excluded_at__isnull=True).distinct()
    standing = review_decisions.responses_with_reviews(rows.defer("draft"))
    refused = sum(not one.takes_part for one in standing)
    if review_decisions.is_reviewed(batch):
        return {"refused": refused, "edited": sum(one.state == review_state.EDITED for one in standing)}
    taken: defaultdict[int, list[str]] = defaultdict(list)
    for one in standing:
        if one.state in review_state.TAKEN:
            taken[one.assignment.hit_id].append(one.state)
    alone = Counter(states[0] for states in taken.values() if len(states) == 1)
    return {"refused": refused, "picked": alone[review_state.ACCEPTED], "reworded": alone[review_state.EDITED]}


def _decided_twice(batch: Batch) -> dict[str, Any]:
    """HITs on which two requesters decided independently, and on how many they agreed."""
    agreed, twice = adjudication.agreement(batch)
    return {"twice": twice, "agreed": agreed}


ALPHAS = {
    "answer": _("Krippendorff's alpha of the answer (distance 1 − F1)"),
    "support": _("Krippendorff's alpha of the support (MASI distance)"),
}


def _agreements(report: Mapping[str, Any]) -> Iterator[Agreement]:
    datasets = report.get("datasets") or {}
    for study in datasets.values() if len(datasets) == 1 else ():
        for part, words in (("answer", _("Agreement on the answer (F1)")), ("support", _("Agreement on support (F1)"))):
            yield _measured(words, study[part]["agreement"]["f1"], share=True)
        for part, words in ALPHAS.items():
            yield _measured(words, (study.get("alpha") or {}).get(part) or {})
    for table in report.get("tables") or ():
        if table.get("pairs"):
            rows = [row for row in table["rows"] if row[1] is not None]
            for k, (label, value, low, high, n, *_ends) in enumerate(rows):
                words = label["text"]
                about = None if k else (table["on"], table["pairs"])
                yield Agreement(words, value, low, high, n, by_chance=words in BY_CHANCE, about=about)


def _measured(words: str, figure: Mapping[str, Any], *, share: bool = False) -> Agreement:
    value, low, high = (figure.get(end) for end in ("value", "low", "high"))
    return Agreement(words, value, low, high, figure.get("n") or 0, share=share)


def _derived(batch: Batch) -> Iterator[Derived]:
    """The steps by which the batch's items differ from those of the datasets that they were made of, oldest first."""
    rows = {row.slug: row for row in Dataset.objects.whole().filter(project=batch.project_id)}
    for dataset in batch.datasets.order_by("slug"):
        line: list[Derived] = []
        name = dataset.slug
        while name in rows and (sources := sources_of(rows[name])):
            step = DERIVATIONS.get(rows[name].lineage["how"])
            if step and step.alters:
                line.insert(0, _step(name, sources[0], step, rows[name].lineage["options"]))
            name = sources[0]
        yield from line


def _step(name: str, source: str, step: Derivation, options: Mapping[str, Any]) -> Derived:
    """A step with those of its options that are numbers other than 0, or ticked."""
    known = {one.label: options.get(one.name) for one in settings_of(step.Options).values()}
    told: dict[str, Any] = {label: value for label, value in known.items() if isinstance(value, int) and value}
    told = {label: text_cell(_("yes")) if value is True else value for label, value in told.items()}
    return Derived(name, source, step.title, step.does, tuple(told.items()))


def preface_of(batch: Batch) -> str:
    """What stands in the newest instructions before those of the task itself, without Markdown; "" for nothing."""
    own = default_instructions(batch.task, capabilities.variant(task_type(batch.task), batch.options)).strip()
    text = batch.instructions.text.strip()
    before = text.removesuffix(own) if text.endswith(own) else ""
    return " ".join(re.sub(r"^#+ |[*`]", "", before, flags=re.MULTILINE).split())
