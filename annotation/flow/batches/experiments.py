"""Experiments: joining batches as arms, taking them apart, and how balanced their workers are."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Assignment, Batch, Experiment, Project, User
from annotation.pure.batches import lifecycle
from annotation.recruitment import marketplaces


def candidates(project: Project) -> list[Batch]:
    """The batches that can be arms, newest first."""
    rows = project.batches.filter(experiment=None, purpose=Batch.Purpose.PRODUCTION, assignments=None)
    rows = rows.exclude(state=Batch.State.CLOSED).select_related("project").order_by("-created_at", "-pk")
    return [batch for batch in marketplaces().joined(rows) if not _obstacle(batch)]


@transaction.atomic
def join(
    project: Project,
    slug: str,
    batches: Sequence[Batch],
    *,
    each: str = Experiment.Each.ONE,
    title: str = "",
    user: User | None = None,
) -> Experiment:
    """Make batches the arms of a new experiment, under whose title workers see all of them.

    Without a `title` it is that of the first batch. Raises Refused for batches that cannot be arms of one.
    """
    keys = sorted({batch.pk for batch in batches})
    # Lock: two experiments made at once must not both take a batch.
    arms = list(Batch.objects.select_for_update(no_key=True).filter(project=project, pk__in=keys).order_by("pk"))
    if len(arms) < 2 or len(arms) < len(keys):
        raise Refused(_("Choose at least two batches of this project."))
    for arm in arms:
        if reason := _obstacle(arm):
            raise Refused(reason)
    if len({marketplaces().of(arm).pk if arm.on_marketplace else None for arm in arms}) > 1:
        raise Refused(_("All arms must be on the same marketplace."))
    terms = {"title": title or batches[0].title, "each": each, "created_by": user}
    try:
        with transaction.atomic():
            made = Experiment.objects.create(project=project, slug=slug, **terms)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        raise Refused(_("There is an experiment %(name)s already. Choose another name.") % {"name": slug}) from None
    titles = {arm.slug: arm.title for arm in arms}
    Batch.objects.filter(pk__in=keys).update(experiment=made, title=made.title)
    audit_log.record("created", made, arms=titles, each=each)
    return made


def _obstacle(batch: Batch) -> str:
    """The reason why the batch cannot be an arm, or ""."""
    name = {"name": batch.slug}
    if batch.experiment_id is not None:
        return _("%(name)s is an arm of another experiment.") % name
    if batch.purpose != Batch.Purpose.PRODUCTION:
        return _("%(name)s is a qualification round, which cannot be an arm.") % name
    if batch.is_by_confidence:
        return _("The items of %(name)s are drawn by confidence, and scores of arms need a uniform sample.") % name
    if batch.by_program or (batch.on_marketplace and marketplaces().assigns_hits(batch)):
        text = _("Workers choose the HITs of %(name)s themselves on Mechanical Turk, so its arm cannot be drawn.")
        return text % name
    if batch.on_marketplace and batch.state != Batch.State.DRAFT:
        return _("%(name)s is launched on a marketplace. Make arms of batches before you launch them there.") % name
    if batch.state == Batch.State.CLOSED:
        return _("%(name)s is closed.") % name
    if batch.assignments.exists():
        return _("Workers have had HITs of %(name)s already.") % name
    return ""


@transaction.atomic
def take_apart(experiment: Experiment) -> None:
    """Remove an experiment: its arms are ordinary batches again. Raises Refused once a worker drew."""
    audit_log.record("removed", experiment)
    try:
        with transaction.atomic():
            experiment.delete()
    except ProtectedError:
        text = _("A worker has drawn an arm already, so the experiment stays. Close its batches to end it.")
        raise Refused(text) from None


def terms(experiment: Experiment) -> dict[str, Any]:
    """What a preregistration says of an experiment: name, what each worker gets, the arms' names."""
    arms = Batch.everything.filter(experiment=experiment).order_by("pk").values_list("slug", flat=True)
    return {"name": experiment.slug, "each": experiment.each, "arms": list(arms)}


@dataclass(frozen=True, slots=True)
class ArmCount:
    """Workers of an arm at a position (from 1): who drew it there, who accepted a HIT, who submitted a response."""

    arm: Batch
    position: int
    drawn: int
    began: int
    submitted: int


def balance(experiment: Experiment) -> list[ArmCount]:
    """The counts of every arm, at every position that a worker drew it."""
    arms = {arm.pk: arm for arm in Batch.everything.filter(experiment=experiment).order_by("pk")}
    had = Assignment.objects.filter(batch__in=arms).order_by()
    began = set(had.values_list("worker", "batch").distinct())
    submitted = set(had.filter(state=lifecycle.SUBMITTED).values_list("worker", "batch").distinct())
    counts: Counter[tuple[int, int, str]] = Counter()
    for worker, order in experiment.draws.values_list("worker", "order"):
        for position, arm in enumerate(order, start=1):
            counts[arm, position, "drawn"] += 1
            counts[arm, position, "began"] += (worker, arm) in began
            counts[arm, position, "submitted"] += (worker, arm) in submitted
    most = len(arms) if experiment.each == Experiment.Each.ORDER else 1
    return list(_counts(arms.values(), most, counts))


def _counts(arms: Iterable[Batch], most: int, counts: Counter[tuple[int, int, str]]) -> Iterator[ArmCount]:
    for arm in arms:
        for position in range(1, most + 1):
            numbers = (counts[arm.pk, position, what] for what in ("drawn", "began", "submitted"))
            yield ArmCount(arm, position, *numbers)
