"""Workers' problem reports, and requesters' decisions on them."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.events import HitExcluded, HitRestored, emit
from annotation.flow.lists import ListFilter
from annotation.flow.money import batch_funds
from annotation.flow.people import round_attempts
from annotation.flow.projects import audit_log
from annotation.flow.rate_limits import check_hourly
from annotation.flow.work.leases import reopen_hit, return_assignment
from annotation.models import Assignment, Batch, Hit, ProblemReport, Project
from annotation.pure.setting_fields import setting

MOST_AN_HOUR = 30  # from one worker
REASONS = ["unclear", "wrong_context", "several_answers", "no_answer", "broken", "harmful", "other"]


@dataclass(frozen=True)
class ProblemReportFilter(ListFilter):
    """Filters of problem reports: decided ones latest first, the others oldest first."""

    VALUE_ALIASES = {"state": {"voided": "excluded"}}
    size = 30

    state: str = setting("", choices=dict(ProblemReport.State.choices), column="state")
    show: str = setting("", choices={"open": "open", "decided": "decided"}, help="Whether they are decided.")

    @property
    def order(self) -> tuple[str, ...]:
        return ("-decided_at", "pk") if self.show == "decided" else ("created_at", "pk")

    def narrow(self, project: Project, rows: QuerySet[ProblemReport]) -> QuerySet[ProblemReport]:
        if self.show:
            rows = rows.filter(decided_at__isnull=self.show == "open")
        return super().narrow(project, rows)


@transaction.atomic
def report_problem(assignment: Assignment, *, reason: str, text: str) -> ProblemReport:
    """Store a problem report; if the assignment is under way, return it.

    Raises Refused for one report too many in an hour.
    """
    own = ProblemReport.objects.filter(assignment__worker=assignment.worker_id)
    text_of_limit = _(
        "You have reported %(most)s problems within an hour. Please return this item without a report, or wait a while."
    )
    check_hourly(own, MOST_AN_HOUR, text_of_limit)
    noted = ProblemReport.objects.create(assignment=assignment, reason=reason, text=text)
    return_assignment(assignment)
    return noted


@transaction.atomic
def exclude(hit: Hit, *, reason: str) -> bool:
    """Exclude a HIT from results and from the queue; False if it was excluded before. Its responses stay.

    Money set aside for its free assignments goes back to the budget.
    """
    excluded = Hit.objects.filter(pk=hit.pk, excluded_at__isnull=True)
    done = excluded.update(excluded_at=Now(), exclusion_reason=reason)
    problem_reports = ProblemReport.objects.filter(assignment__hit=hit, state=ProblemReport.State.OPEN)
    problem_reports.update(state=ProblemReport.State.EXCLUDED, decided_at=Now())
    if done:
        round_attempts.recount(hit)
        batch_funds.covered(hit.batch)
        audit_log.record("voided", hit, reason=reason)
        emit(HitExcluded(hit))
    return bool(done)


@transaction.atomic
def restore(hit: Hit) -> bool:
    """Restore an excluded HIT with its reports; if it wants more assignments, it is offered again.

    Raises Overdrawn if the budget does not cover them.
    """
    Batch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)  # before the HIT: the lock order of claiming
    restored = Hit.objects.filter(pk=hit.pk, excluded_at__isnull=False).update(
        excluded_at=None, exclusion_reason="", cause=""
    )
    if restored:
        problem_reports = ProblemReport.objects.filter(assignment__hit=hit, state=ProblemReport.State.EXCLUDED)
        problem_reports.update(state=ProblemReport.State.OPEN, decided_at=None)
        reopen_hit(hit.pk)
        round_attempts.recount(hit)
        batch_funds.adjust_hold(hit.batch)
        audit_log.record("restored", hit)
        emit(HitRestored(hit))
    return bool(restored)


def keep(noted: ProblemReport) -> bool:
    """Close a report and keep the HIT; False if it was decided before."""
    row = ProblemReport.objects.filter(pk=noted.pk, state=ProblemReport.State.OPEN)
    return bool(row.update(state=ProblemReport.State.KEPT, decided_at=Now()))


@transaction.atomic
def reopen(noted: ProblemReport) -> bool:
    """Undo the decision on a report; False if it is open."""
    kept = ProblemReport.objects.filter(pk=noted.pk, state=ProblemReport.State.KEPT)
    if kept.update(state=ProblemReport.State.OPEN, decided_at=None):
        return True
    excluded = ProblemReport.objects.filter(pk=noted.pk, state=ProblemReport.State.EXCLUDED).exists()
    return excluded and restore(noted.assignment.hit)
