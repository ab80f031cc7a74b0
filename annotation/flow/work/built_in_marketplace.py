"""The built-in marketplace: the HITs that a person finds over all projects that they are in or may join."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money.wages import pays_by_answer
from annotation.flow.people import qualification_types, sign_up
from annotation.flow.work import arm_draws, eligibility, next_assignment, open_work
from annotation.flow.work.eligibility import Missing
from annotation.flow.work.open_work import candidates
from annotation.models import Assignment, Batch, Hit, Participation, Project, User, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.people import requirements

ORDERS = ("newest", "reward", "available", "time")


@dataclass(frozen=True, slots=True)
class Group:
    """A batch as its HITs are offered to one person. `worker` is None if they would join with their first HIT."""

    batch: Batch
    worker: Worker | None
    available: int
    rewards: tuple[Decimal, Decimal] | None  # lowest and highest; None: unpaid
    missing: tuple[Missing, ...]
    of_program: bool  # created through the MTurk API

    @property
    def is_newcomer(self) -> bool:
        """Whether the person would join the project with their first HIT."""
        return self.worker is None

    @property
    def minutes(self) -> int:
        """The usual minutes for one of its HITs."""
        return max(1, round(self.batch.expected_seconds / 60))

    @property
    def most(self) -> Decimal:
        return self.rewards[1] if self.rewards else Decimal(0)


class FirstStepRequired(Refused):
    """The worker must do something else first: `step` is `consent`, or a code of `open_work.obstacle`."""

    def __init__(self, step: str, text: str) -> None:
        self.step = step
        super().__init__(text)


def groups(user: User, *, search: str = "", order: str = "newest") -> list[Group]:
    """Every group of HITs that the person may discover, in one of ORDERS, filtered by a search text."""
    workers = workers_of(user)
    batches = [batch for batch in _offered(user, workers) if _matches(batch, search)]
    stock = _stock(user, batches)
    found = [_group(batch, workers.get(batch.project_id), stock[batch.pk]) for batch in batches if batch.pk in stock]
    found = _with_experiments(found, workers)
    return sorted((group for group in found if group.available), key=_key(order))


def _with_experiments(groups: list[Group], workers: Mapping[int, Worker]) -> list[Group]:
    """The groups with one for all arms of an experiment."""
    shown = arm_draws.shown_once([group.batch for group in groups], workers.values())
    by_key = {group.batch.pk: group for group in groups}
    found = [group for group in groups if group.batch.experiment_id is None]
    for gets_all, keys in shown.values():
        if arms := [by_key[key] for key in keys if key in by_key]:
            found.append(_merged(arms, gets_all=gets_all))
    return found


def _merged(arms: Sequence[Group], *, gets_all: bool) -> Group:
    first, over = arms[0], sum if gets_all else min
    return replace(first, available=over(arm.available for arm in arms), **arm_draws.common_terms(arms))


def workers_of(user: User) -> dict[int, Worker]:
    """The person's workers, by project, including deactivated ones."""
    rows = user.workers.select_related("project", "block").filter(project__removed_at=None)
    return {worker.project_id: worker for worker in rows}


def _offered(user: User, workers: dict[int, Worker], **which: Any) -> list[Batch]:
    open_to_all = Project.objects.filter(sign_up__in=[Project.SignUp.ANY_ACCOUNT, Project.SignUp.OPEN])
    shut = [key for key, worker in workers.items() if not worker.active or hasattr(worker, "block")]
    rows = Batch.objects.filter(state=Batch.State.OPEN, on_marketplace=False, **which).exclude(project__in=shut)
    rows = rows.filter(Q(project__in=list(workers)) | Q(project__in=open_to_all))
    rows = rows.filter(Q(workers__isnull=True) | Q(workers__user=user)).select_related("project")
    return [batch for batch in rows.distinct() if may(workers.get(batch.project_id), batch, "discover")]


def may(worker: Worker | None, batch: Batch, act: str) -> bool:
    """Whether the batch's requirements allow a worker (None: without qualifications) to do `act`."""
    if not batch.requirements:
        return True
    if worker is None:
        return not requirements.lacks(requirements.read_all(batch.requirements), {}, act)
    return not qualification_types.lacks(worker, batch, act=act)


def _matches(batch: Batch, search: str) -> bool:
    text = " ".join((batch.title, batch.description, batch.keywords, batch.project.title)).casefold()
    return all(word in text for word in search.casefold().split())


def _stock(user: User, batches: Iterable[Batch]) -> dict[int, dict[str, Any]]:
    """{batch key: {"left", "low", "high"}} of the batches with HITs left for the user; two queries in total."""
    keys = [batch.pk for batch in batches]
    rows = Hit.objects.open().filter(batch__in=keys, check_item=False).order_by()
    counted = rows.values("batch").annotate(left=Count("pk"), low=Min("reward"), high=Max("reward"))
    had = rows.filter(assignments__worker__user=user).values("batch").annotate(had=Count("pk"))
    stock: dict[int, dict[str, Any]] = {row["batch"]: {**row} for row in counted}
    for row in had:
        stock[row["batch"]]["left"] -= row["had"]
    return stock


def _group(batch: Batch, worker: Worker | None, stock: dict[str, Any]) -> Group:
    paid = batch.auto_approval is not None and stock["high"]
    low = Decimal(0) if pays_by_answer(batch.task) else stock["low"]  # as in `eligibility.rewards_of`
    return Group(
        batch=batch,
        worker=worker,
        available=stock["left"],
        rewards=(_cents(low), _cents(stock["high"])) if paid else None,
        missing=tuple(missing(worker, batch)),
        of_program=batch.by_program,
    )


def _cents(amount: Decimal) -> Decimal:
    """Rounded to cents, because SQLite returns the minimum and maximum of amounts as floats."""
    return amount.quantize(Decimal("0.01"))


def missing(worker: Worker | None, batch: Batch) -> Sequence[Missing]:
    """The requirements that the person does not meet for accepting work of the batch, as text."""
    if not batch.requirements:
        return []
    if worker is not None:
        return eligibility.missing(worker, batch)
    names = eligibility.names_of(batch.project)
    lacks = requirements.lacks(requirements.read_all(batch.requirements), {})
    unnamed = _("an inactive qualification")
    return [Missing(eligibility.lack_text(lack, names.get(lack.requirement.type, unnamed))) for lack in lacks]


def _key(order: str) -> Any:
    return {
        "reward": lambda group: (-group.most, -group.batch.pk),
        "available": lambda group: (-group.available, -group.batch.pk),
        "time": lambda group: (group.batch.lease_seconds, -group.batch.pk),
    }.get(order, lambda group: -group.batch.pk)


def group_of(user: User, pk: int) -> Group | None:
    """The group of a batch, even without HITs left; None if the person may not discover it."""
    workers = workers_of(user)
    batch = next(iter(_offered(user, workers, pk=pk)), None)
    if batch is None:
        return None
    together = [batch]
    if batch.experiment_id is not None:
        together = _offered(user, workers, experiment=batch.experiment_id)
    nothing, stock = {"left": 0, "low": batch.reward, "high": batch.reward}, _stock(user, together)
    found = [_group(one, workers.get(one.project_id), stock.get(one.pk, nothing)) for one in together]
    return next(iter(_with_experiments(found, workers)), None)


def next_hit(group: Group, *, passing: int = 0) -> Hit | None:
    """The HIT that the user would get next, or after skipping `passing` HITs."""
    if group.worker is None:
        rows = Hit.objects.open().filter(batch=group.batch, check_item=False).order_by("ticket")
        return rows[passing : passing + 1].first()
    participation = Participation.objects.filter(batch=group.batch, worker=group.worker).first()
    participation = participation or Participation(batch=group.batch, worker=group.worker)
    found = next(islice(candidates(participation), passing, passing + 1), None)
    return Hit.objects.get(pk=found.hit.pk) if found else None


def hit_of_program(public_id: str) -> Hit | None:
    """A HIT that was created through the MTurk API."""
    rows = Hit.objects.filter(batch__by_program=True, public_id=public_id)
    return rows.select_related("batch__project").first()


def under_way(user: User) -> QuerySet[Assignment]:
    """The person's assignments under way, most urgent first."""
    rows = Assignment.objects.filter(worker__user=user, state=lifecycle.ACCEPTED)
    return rows.select_related("batch__project").order_by("lease_until")


def join(user: User, batch: Batch) -> Worker:
    """The user's Worker in the batch's project, created if its sign-up is open. Raises Refused or FirstStepRequired."""
    worker = workers_of(user).get(batch.project_id) or sign_up.sign_up(batch.project, user)
    if worker.active and not worker.consented:
        raise FirstStepRequired("consent", _("First read how your responses are used."))
    return worker


def accept(user: User, hit: Hit) -> Assignment:
    """Give the person this HIT. Raises FirstStepRequired if something must come first, Refused if the HIT is taken."""
    worker = join(user, hit.batch)
    hindered = open_work.obstacle(worker, hit.batch)
    if hindered:
        raise FirstStepRequired(hindered, _("You cannot accept this item right now."))
    assignment = next_assignment.accept_hit(next_assignment.join_batch(worker, hit.batch), hit)
    if assignment is None:
        raise Refused(
            _("This item is no longer available: another worker has it, you did it before, or it has expired.")
        )
    return assignment
