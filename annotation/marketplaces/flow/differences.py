"""Differences between a marketplace's books and ours, by study: found by each sync, and kept until they are gone."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.projects import audit_log
from annotation.marketplaces.models import Difference, PanelStudy, Visit, VisitBonus
from annotation.marketplaces.study_base import Status, StudyState, StudyStatus, Submission
from annotation.models import Batch
from annotation.pure.batches import lifecycle

Kind = Difference.Kind
LEFT = {Status.RETURNED, Status.TIMED_OUT}  # without pay
OF_LISTS = {Kind.NEVER_HERE, Kind.NO_WORK, Kind.OTHER_CODE, Kind.NOT_BACK, Kind.DECIDED_THERE, Kind.DECIDED_HERE,
            Kind.STUDY_STATE, Kind.PLACES, Kind.BONUS_UNCLEAR}  # fmt: skip
OF_BONUSES = {Kind.BONUS_UNKNOWN}  # which only submissions read one by one show


@dataclass(frozen=True)
class FoundDifference:
    """One difference: `about` is the submission's id, or "" for the study."""

    kind: str
    theirs: str
    ours: str
    about: str = ""
    visit: Visit | None = None
    action: str = ""
    more: dict[str, Any] = field(default_factory=dict)


def of_study(study: PanelStudy, theirs: StudyState) -> Iterator[FoundDifference]:
    """What differs of the study itself, once our wishes were sent."""
    if study.state != PanelStudy.State.SETTLED:
        return
    wanted = {
        PanelStudy.Goal.DRAFT: {StudyStatus.DRAFT},
        PanelStudy.Goal.ACTIVE: {StudyStatus.ACTIVE, StudyStatus.SCHEDULED},
        PanelStudy.Goal.PAUSED: {StudyStatus.PAUSED, StudyStatus.DRAFT},
        PanelStudy.Goal.STOPPED: {StudyStatus.STOPPED, StudyStatus.DRAFT},
    }[PanelStudy.Goal(study.goal)]
    is_full = theirs.status == StudyStatus.STOPPED and theirs.taken >= theirs.places
    if theirs.status not in wanted and not is_full:
        yield FoundDifference(Kind.STUDY_STATE, str(theirs.status), study.get_goal_display())
    if theirs.places != study.places:
        yield FoundDifference(Kind.PLACES, str(theirs.places), str(study.places))


def of_submission(study: PanelStudy, theirs: Submission, visit: Visit | None) -> Iterator[FoundDifference]:
    """What differs of one submission."""
    about: dict[str, Any] = {"about": theirs.external_id, "visit": visit}
    status, waits = str(theirs.status), theirs.status == Status.AWAITING
    if visit is None:
        if theirs.status in {Status.AWAITING, Status.APPROVED, Status.PARTLY_APPROVED, Status.SCREENED_OUT}:
            yield FoundDifference(Kind.NEVER_HERE, f"{status}, {theirs.code or '–'}", "–", **about)
        return
    shown = study.codes.get(visit.outcome, "")
    if waits and visit.state == Visit.State.LIVE:
        yield FoundDifference(Kind.NO_WORK, f"{status}, {theirs.code or '–'}", visit.get_state_display(), **about)
    elif waits and not visit.decision and theirs.code != shown:
        yield FoundDifference(Kind.OTHER_CODE, theirs.code or "–", shown or "–", **about)
    if theirs.status in LEFT and visit.state == Visit.State.DONE and _is_unsettled(study, theirs, visit):
        yield FoundDifference(Kind.NOT_BACK, status, visit.get_state_display(), **about)
    yield from _decisions(theirs, visit, about)


def _is_unsettled(study: PanelStudy, theirs: Submission, visit: Visit) -> bool:
    """Whether responses of a visit that does not count still wait to be asked for again."""
    if theirs.status == Status.TIMED_OUT and study.use_timed_out:
        return False
    return visit.assignments.filter(freed_at=None, assignment__state=lifecycle.SUBMITTED).exists()


def _decisions(theirs: Submission, visit: Visit, about: dict[str, Any]) -> Iterator[FoundDifference]:
    in_part = Visit.Decision.PART if visit.part_percent else Visit.Decision.APPROVED
    there = {Status.APPROVED: Visit.Decision.APPROVED, Status.PARTLY_APPROVED: in_part,
             Status.REJECTED: Visit.Decision.REJECTED}.get(theirs.status, "")  # fmt: skip
    ours = visit.decision if visit.decision != Visit.Decision.RETURN else ""
    if there and there != ours:
        yield FoundDifference(Kind.DECIDED_THERE, str(theirs.status), visit.get_decision_display() or "–", **about)
    elif ours and not there and (theirs.status in LEFT or _is_ignored(theirs, visit)):
        yield FoundDifference(Kind.DECIDED_HERE, str(theirs.status), visit.get_decision_display(), **about)


def _is_ignored(theirs: Submission, visit: Visit) -> bool:
    """Whether the marketplace has our decision, and nothing came of it. Approvals are carried out a little later."""
    if visit.decision == Visit.Decision.APPROVED and theirs.status == Status.AWAITING:
        return visit.tries > 0
    return visit.sent_at is not None


def of_bonuses(visit: Visit, theirs: Sequence[Decimal]) -> Iterator[FoundDifference]:
    """Bonuses there that we did not pay, or the other way round; not while one of the visit is in flight."""
    rows = list(visit.bonuses.all())
    if any(row.state in VisitBonus.IN_FLIGHT for row in rows):
        return
    ours = Counter(row.amount for row in rows if row.state == VisitBonus.State.PAID)
    if Counter(theirs) != ours:
        listed = [", ".join(str(amount) for amount in sorted(amounts)) or "–" for amounts in (theirs, ours.elements())]
        yield FoundDifference(Kind.BONUS_UNKNOWN, listed[0], listed[1], visit.external_id, visit)


def unclear_bonuses(study: PanelStudy) -> Iterator[FoundDifference]:
    """Bonuses that a person must decide, with the facts."""
    for row in VisitBonus.objects.filter(visit__study=study, state=VisitBonus.State.UNCLEAR).select_related("visit"):
        listed = [", ".join(amounts) or "–" for amounts in (row.before, row.seen)]
        theirs = _("before: %(before)s; now: %(now)s") % {"before": listed[0], "now": listed[1]}
        called = row.called_at and f"{row.called_at:%Y-%m-%d %H:%M} UTC"
        more = {"bonus": row.pk, "called_at": called, "taken": row.was_taken}
        yield FoundDifference(Kind.BONUS_UNCLEAR, theirs, str(row.amount), row.visit.external_id, row.visit, more=more)


@transaction.atomic
def record(study: PanelStudy, found: Collection[FoundDifference], *, kinds: Collection[str]) -> int:
    """Store what was found of these kinds, and close what is no longer there; returns how many are open."""
    rows = Difference.objects.filter(study=study, gone_at__isnull=True, kind__in=kinds)
    known = {(row.kind, row.about): row for row in rows}
    for one in found:
        facts = {"theirs": one.theirs, "ours": one.ours, **one.more}
        row = known.pop((one.kind, one.about), None)
        if row is None:
            _open(study, one, facts)
        elif row.facts != facts:
            Difference.objects.filter(pk=row.pk).update(facts=facts)
    for row in known.values():
        Difference.objects.filter(pk=row.pk, gone_at__isnull=True).update(gone_at=Now(), action=_what_was_done(row))
    return open_ones(study).count()


def _open(study: PanelStudy, one: FoundDifference, facts: dict[str, Any]) -> None:
    try:
        with transaction.atomic():
            Difference.objects.create(study=study, visit=one.visit, kind=one.kind, about=one.about, facts=facts)
    except IntegrityError:  # another sync found it at the same time
        return


def _what_was_done(row: Difference) -> str:
    """What became of a difference that is gone, from the visit as it is now."""
    visit = Visit.objects.filter(pk=row.visit_id or 0).first()
    if row.action:
        return row.action
    if visit is not None and visit.assignments.filter(freed_at__isnull=False).exists():
        return _("Its HITs were given to other participants.")
    if visit is not None and visit.decision:
        return _("The visit was decided: %(decision)s.") % {"decision": visit.get_decision_display()}
    return _("Both sides agree again.")


def open_ones(study: PanelStudy) -> QuerySet[Difference]:
    """Differences that are neither gone nor noted by a person."""
    return Difference.objects.filter(study=study, gone_at__isnull=True, noted_at__isnull=True)


def of_batch(batch: Batch) -> QuerySet[Difference]:
    """All differences of the batch, open ones first, then the newest."""
    rows = Difference.objects.filter(study__batch=batch).select_related("visit__worker")
    return rows.order_by(F("gone_at").desc(nulls_first=True), "-pk")


def note(row: Difference, text: str) -> bool:
    """Record what a person did about a difference that stays; False if it is gone or noted."""
    with transaction.atomic():
        if not open_ones(row.study).filter(pk=row.pk).update(noted_at=Now(), action=text):
            return False
        audit_log.record("noted", row.study.batch, difference=row.get_kind_display(), text=text)
    return True
