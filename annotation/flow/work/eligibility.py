"""Requirements of batches: which ones a worker may discover, what they lack for them, and how many workers qualify."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Exists, Max, OuterRef, Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.flow.errors import Refused
from annotation.flow.money.wages import pays_by_answer
from annotation.flow.people import qualification_types
from annotation.models import (
    Batch,
    Hit,
    Project,
    Qualification,
    QualificationRequest,
    QualificationRound,
    QualificationType,
    Worker,
    clock,
)
from annotation.pure.batches import lifecycle
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Held, Lack, Locale, Requirement

SYSTEM_NAMES = {
    requirements.APPROVED_COUNT: gettext_lazy("approved assignments"),
    requirements.APPROVED_SHARE: gettext_lazy("percentage of approved assignments"),
    requirements.LOCALE: gettext_lazy("country"),
    requirements.ADULT: gettext_lazy("adult content"),
    requirements.MASTERS: gettext_lazy("Masters"),
    requirements.MASTERS_SANDBOX: gettext_lazy("Masters (sandbox)"),
}
TYPES_BY_WORD = {
    "approved": requirements.APPROVED_COUNT,
    "approval": requirements.APPROVED_SHARE,
    "country": requirements.LOCALE,
    "adult": requirements.ADULT,
}  # names of MTurk's own qualifications in commands
WANTED = {
    "LessThan": gettext_lazy("less than %(value)s in “%(name)s”"),
    "LessThanOrEqualTo": gettext_lazy("at most %(value)s in “%(name)s”"),
    "GreaterThan": gettext_lazy("more than %(value)s in “%(name)s”"),
    "GreaterThanOrEqualTo": gettext_lazy("%(value)s in “%(name)s”"),
    "EqualTo": gettext_lazy("exactly %(value)s in “%(name)s”"),
    "NotEqualTo": gettext_lazy("anything but %(value)s in “%(name)s”"),
    "In": gettext_lazy("one of %(value)s in “%(name)s”"),
    "NotIn": gettext_lazy("none of %(value)s in “%(name)s”"),
    "Exists": gettext_lazy("“%(name)s”"),
}


def require(batch: Batch, conditions: Sequence[Requirement]) -> None:
    """Set a batch's requirements; workers with assignments finish them. Raises Refused."""
    batch.requirements = column(batch.project, conditions, kept={one["type"] for one in batch.requirements})
    Batch.objects.filter(pk=batch.pk).update(requirements=batch.requirements)


def column(project: Project, conditions: Sequence[Requirement], *, kept: Collection[str] = ()) -> list[dict[str, Any]]:
    """Requirements as a batch stores them; `kept` are types that may have been deleted. Raises Refused."""
    try:
        requirements.check(conditions)
    except requirements.InvalidRequirement as invalid:
        raise Refused(str(invalid)) from None
    known = {*qualification_types.types_of(project).values_list("public_id", flat=True), *requirements.SYSTEM, *kept}
    if any(one.type not in known for one in conditions):
        raise Refused(_("A required qualification no longer exists. Choose again."))
    return [one.written() for one in conditions]


def type_named(project: Project, name: str) -> QualificationType:
    """The project's type of that name or id. Raises Refused, naming the existing ones."""
    types = qualification_types.types_of(project)
    found = types.filter(Q(name=name) | Q(public_id=name)).first()
    if found is None:
        known = ", ".join(types.values_list("name", flat=True)) or _("none")
        raise Refused(_("There is no qualification %(name)s. There are: %(known)s.") % {"name": name, "known": known})
    return found


def from_words(project: Project, phrase: str, *, guard: str = "Accept") -> Requirement:
    """Parse a requirement in one line: "Round 2 >= 80", "country in US-CA, DE". Raises Refused."""
    try:
        name, comparator, words = requirements.read_phrase(phrase)
        type = TYPES_BY_WORD.get(name.lower()) or type_named(project, name).public_id
        values, places = requirements.read_values(words, places=type == requirements.LOCALE)
    except ValueError as unread:
        raise Refused(_("“%(phrase)s” is not a requirement: %(why)s") % {"phrase": phrase, "why": unread}) from None
    return Requirement(type, comparator, values, places, guard)


@dataclass(frozen=True, slots=True)
class Missing:
    """A requirement that a worker does not meet, and the `way` to meet it: ask, test, round, details or "".

    `type` is the project's own type, None for one of MTurk's.
    """

    text: str
    type: QualificationType | None = None
    way: str = ""


def requirement_text(requirement: Requirement, name: str) -> str:
    """A requirement as text: "80 in “Round 2”", "people in US (CA), DE", "not “Seen it”"."""
    places = ", ".join(_place(at) for at in requirement.locales)
    if requirement.comparator == "DoesNotExist":
        return _("not “%(name)s”") % {"name": name}
    if places:
        outside = requirement.comparator in ("NotEqualTo", "NotIn")
        return (_("workers outside %(places)s") if outside else _("workers in %(places)s")) % {"places": places}
    value = ", ".join(map(str, requirement.values))
    return str(WANTED[requirement.comparator]) % {"value": value, "name": name}


def _place(at: Locale) -> str:
    return f"{at.country} ({at.subdivision})" if at.subdivision else at.country


def lack_text(lack: Lack, name: str) -> str:
    """The reason why the worker does not qualify, for display: "needs 80 in “Round 2”; you have 71"."""
    required = requirement_text(lack.requirement, name)
    if lack.requirement.type == requirements.ADULT:
        return _("contains adult content; you have not confirmed that you are of age and willing to see it")
    if lack.requirement.comparator == "DoesNotExist":
        return _("requires that you do not have “%(name)s”; you have it") % {"name": name}
    if lack.requirement.locales:
        here = _place(lack.held.locale) if lack.held and lack.held.locale else _("nothing")
        return _("is for %(wanted)s; your details say %(here)s") % {"wanted": required, "here": here}
    if lack.held is None:
        return _("requires %(wanted)s; you do not have it yet") % {"wanted": required}
    return _("requires %(wanted)s; you have %(value)s") % {"wanted": required, "value": lack.held.value}


def names_of(project: Project) -> dict[str, str]:
    """Names of all types that a requirement may use, by public id; the project's own first."""
    own = qualification_types.types_of(project).values_list("public_id", "name")
    return dict(own) | {type: str(name) for type, name in SYSTEM_NAMES.items()}


def missing(worker: Worker, batch: Batch) -> tuple[Missing, ...]:
    """The batch's requirements that the worker does not meet, each with a way to meet it."""
    return _missing([(worker, qualification_types.lacks(worker, batch))])[0]


def discovered(pairs: Sequence[tuple[Worker, Batch]]) -> dict[int, tuple[Missing, ...]]:
    """For each batch, by key, that its worker may discover: what they lack to accept work. A few queries for all."""
    required = {batch.pk: requirements.read_all(batch.requirements) for _worker, batch in pairs}
    types = {one.type for conditions in required.values() for one in conditions}
    held = held_by({worker.pk: worker for worker, _batch in pairs}.values(), types) if types else {}
    found: dict[int, tuple[Missing, ...]] = {}
    lacking = []
    for worker, batch in pairs:
        if not required[batch.pk]:
            found[batch.pk] = ()
        elif not requirements.lacks(required[batch.pk], held[worker.pk], "discover"):
            lacking.append((batch.pk, worker, requirements.lacks(required[batch.pk], held[worker.pk])))
    missing = _missing([(worker, lacks) for _pk, worker, lacks in lacking])
    return found | {pk: each for (pk, _worker, _lacks), each in zip(lacking, missing, strict=True)}


def _missing(lacking: Sequence[tuple[Worker, list[Lack]]]) -> list[tuple[Missing, ...]]:
    """What each worker lacks, in words; two queries."""
    wanted = {lack.requirement.type for _worker, lacks in lacking for lack in lacks}
    if not wanted:
        return [() for _ in lacking]
    in_rounds = QualificationRound.objects.filter(grants=OuterRef("pk"))
    rows = QualificationType.objects.filter(public_id__in=wanted)
    rows = rows.annotate(has_round=Exists(in_rounds), opened=Exists(in_rounds.filter(batch__state=Batch.State.OPEN)))
    types = {type.public_id: type for type in rows}
    asked = QualificationRequest.objects.filter(worker__in={worker.pk for worker, _lacks in lacking})
    requests = list(asked.filter(type__in=types.values()).order_by("-started_at", "-pk")) if types else []

    def describe(worker: Worker, lack: Lack) -> Missing:
        type = types.get(lack.requirement.type)
        name = type.name if type else str(SYSTEM_NAMES.get(lack.requirement.type, _("an inactive qualification")))
        own = [row for row in requests if type and row.type_id == type.pk and row.worker_id == worker.pk]
        return Missing(lack_text(lack, name), type, _way(lack, type, worker, own))

    return [tuple(describe(worker, lack) for lack in lacks) for worker, lacks in lacking]


def _way(lack: Lack, type: Any, worker: Worker, requests: Sequence[QualificationRequest]) -> str:
    if type is None:
        return "details" if lack.requirement.type in (requirements.LOCALE, requirements.ADULT) else ""
    if lack.requirement.comparator in ("DoesNotExist", "LessThan", "LessThanOrEqualTo"):
        return ""
    return _way_to(type, worker, requests, has_round=type.has_round) or ("round" if type.opened else "")


def way_to(type: QualificationType, worker: Worker) -> str:
    """The way to get a qualification: "ask" for it, take its "test", "waiting" for a decision, or ""."""
    requests = QualificationRequest.objects.filter(type=type, worker=worker).order_by("-started_at", "-pk")
    return _way_to(type, worker, requests, has_round=type.rounds.exists())


def _way_to(
    type: QualificationType, worker: Worker, requests: Iterable[QualificationRequest], *, has_round: bool
) -> str:
    """`requests`: the worker's of that type, the newest first."""
    asked = list(requests)
    under_way = {row.state for row in asked} & {QualificationRequest.State.TESTING, QualificationRequest.State.PENDING}
    if under_way:  # at most one
        return "test" if QualificationRequest.State.TESTING in under_way else "waiting"
    if not qualification_types.requestable(type) or has_round:
        return ""
    again_at = qualification_types.next_try(type, worker, asked[0] if asked else None)
    if again_at is None or again_at > clock.now():
        return ""
    return "test" if type.test else "ask"


@dataclass(frozen=True, slots=True)
class Offer:
    """A batch that strangers may see. `rewards`: see `rewards_of`."""

    batch: Batch
    rewards: tuple[Any, Any] | None


def advertised(project: Project, *, most: int = 10) -> list[Offer]:
    """Open batches for workers without any qualification, as the project's open page lists them."""
    shown = project.batches.filter(state=Batch.State.OPEN, on_marketplace=False, workers__isnull=True)
    found: list[Batch] = []
    for batch in shown.order_by("-launched_at")[: 5 * most]:
        if batch.experiment_id is not None and batch.experiment_id in {one.experiment_id for one in found}:
            continue  # workers see one line for all of its arms
        if not requirements.lacks(requirements.read_all(batch.requirements), {}, "discover"):
            found.append(batch)
    rewards = rewards_of(found[:most])
    return [Offer(batch, rewards[batch.pk]) for batch in found[:most]]


def rewards_of(batches: Sequence[Batch]) -> dict[int, tuple[Decimal, Decimal] | None]:
    """The lowest and highest reward of each batch's assignments in dollars, by its key; None if it is unpaid.

    If pay depends on the response the lowest is 0, shown as "up to". Then the highest is that of the HITs, which never
    changes after the launch but by items added, so it is kept in the cache.
    """
    paid = [batch for batch in batches if batch.auto_approval is not None]
    keys = {f"highest-reward/{b.pk}/{b.created_at.timestamp()}/{b.size}": b.pk for b in paid if pays_by_answer(b.task)}
    kept = cache.get_many(keys)
    if unknown := {key: pk for key, pk in keys.items() if key not in kept}:
        rows = Hit.objects.filter(batch__in=unknown.values(), excluded_at__isnull=True).order_by().values("batch")
        highest = dict(rows.values_list("batch", Max("reward")))
        fresh = {key: highest.get(pk, Decimal(0)) for key, pk in unknown.items()}
        cache.set_many(fresh, 3600)
        kept |= fresh
    by_answer = {pk: (Decimal(0), kept[key]) for key, pk in keys.items()}
    found = {batch.pk: by_answer.get(batch.pk, (batch.reward, batch.reward)) for batch in paid}
    return {batch.pk: found[batch.pk] if found.get(batch.pk, (0, 0))[1] else None for batch in batches}


def reach(project: Project, conditions: Sequence[Requirement]) -> tuple[int, int]:
    """(number of active workers who meet the conditions, number of active workers)."""
    people = list(project.workers.with_account().filter(block__isnull=True))
    return len(able(people, conditions)), len(people)


def able(people: Iterable[Worker], conditions: Sequence[Requirement]) -> list[Worker]:
    """The workers who meet these requirements for accepting work."""
    found = list(people)
    by_worker = held_by(found, {one.type for one in conditions}) if conditions else {}
    return [worker for worker in found if not conditions or not requirements.lacks(conditions, by_worker[worker.pk])]


def held_by(people: Iterable[Worker], types: set[str]) -> dict[int, dict[str, Held]]:
    """`qualification_types.held` for many, in few queries unless a requirement needs counts."""
    if types & {requirements.APPROVED_COUNT, requirements.APPROVED_SHARE}:
        return {worker.pk: qualification_types.held(worker, types=types) for worker in people}
    found = {worker.pk: qualification_types.own_statements(worker) for worker in people}
    rows = Qualification.objects.filter(
        worker__in=list(found), state=Qualification.State.GRANTED, type__public_id__in=types, type__deleted_at=None
    )
    for worker, type, value in rows.values_list("worker", "type__public_id", "value"):
        found[worker][type] = Held(value)
    return found


def reckoned(held: dict[str, Held]) -> list[tuple[str, int]]:
    """MTurk's computed figures of a worker that requirements may use: (name, value)."""
    shown = (requirements.APPROVED_COUNT, requirements.APPROVED_SHARE)
    return [(str(SYSTEM_NAMES[type]), held[type].value) for type in shown]


def earned_by_batch(worker: Worker) -> list[dict[str, Any]]:
    """By paid batch: {"batch", "submitted", "waiting", "approved", "rejected", "paid"}, newest first."""
    rows = worker.assignments.filter(state=lifecycle.SUBMITTED, auto_approve_at__isnull=False).order_by()
    counted = rows.values("batch").annotate(
        submitted=Count("pk"),
        waiting=Count("pk", filter=Q(approval="")),
        approved=Count("pk", filter=Q(approval="approved")),
        rejected=Count("pk", filter=Q(approval="rejected")),
    )
    sums = worker.payments.order_by().values("batch").annotate(sum=Sum("amount"))
    paid = dict(sums.values_list("batch", "sum"))
    batches = Batch.everything.in_bulk([row["batch"] for row in counted])
    found = [row | {"batch": batches[row["batch"]], "paid": paid.get(row["batch"], Decimal(0))} for row in counted]
    return sorted(found, key=lambda row: -row["batch"].pk)
