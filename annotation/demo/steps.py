"""The steps by which the demo gets its work and decisions; each may run again, and completes what was interrupted."""

from datetime import timedelta

from annotation.demo import compose_batch, project_setup, qualification_round, rating_batch, timeline
from annotation.demo.project_setup import SIMULATED
from annotation.demo.simulated_worker import SimulatedWorker
from annotation.flow.batches.batch_launch import close
from annotation.flow.data.item_writer import OnProgress
from annotation.flow.money import payouts
from annotation.flow.notifications import worker_messages
from annotation.flow.people import members
from annotation.flow.projects import overview
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review import assignment_approval
from annotation.models import (
    Assignment,
    Batch,
    Invite,
    Message,
    Payout,
    Project,
    QualificationRound,
    User,
    Worker,
    clock,
)

REVIEWED = timedelta(hours=30)  # older responses are approved, later ones wait
QUESTION = (
    "Two ships of that name",
    "The question asks for “the ship”, but two paragraphs are about ships of nearly the same name. I took the older "
    "one. Is that what you want?",
)


def approve_and_pay(batch: Batch) -> None:
    """Approve the earlier responses to a paid batch, and make a payout of which the first transfer is done."""
    requester = User.objects.get(username="requester")
    before = clock.now() - REVIEWED
    due = Assignment.objects.submitted().filter(batch=batch, approval="", auto_approve_at__isnull=False)
    for row in due.filter(submitted_at__lt=before, worker__user__username__in=SIMULATED).order_by("submitted_at"):
        assignment_approval.approve(row, user=requester)
    if Payout.objects.filter(project=batch.project).exists() or not batch.payments.exists():
        return
    payout = payouts.make_payout(batch.project, user=requester)
    payouts.decide(payouts.lines_of(payout)[0], payouts.PAID, reference="bank transfer", user=requester)


def correspond(batch: Batch) -> None:
    """A worker's question about a response, which waits for an answer, and a link for more workers."""
    worker = Worker.objects.get(project=batch.project, user__username=next(iter(SIMULATED)))
    if not Message.objects.filter(worker=worker).exists():
        row = Assignment.objects.submitted().filter(batch=batch, worker=worker).order_by("-submitted_at").first()
        worker_messages.ask(worker, *QUESTION, assignment=row)
    if not batch.project.invites.exists():
        requester = User.objects.get(username="requester")
        members.invite(batch.project, role=Invite.Role.WORKER, by=requester, places=3, note="Reading group")


def report(batches: list[Batch]) -> None:
    """Compute the reports, and count what waits for the requester."""
    for batch in batches:
        score_batch(batch)
        overview.count_open(batch)


class Steps:
    """The methods in `names` are to run in that order, with a function that shows progress.

    `workers` must be signed in before.
    """

    names = {
        "qualified": "Simulated workers take a qualification round",
        "answered": "Simulated workers answer",
        "composed": "Simulated workers compose questions",
        "rated": "Simulated workers rate questions that a model might have written",
        "dated": "Their work is spread over the last three days",
        "decided": "A requester approves, pays, reviews and grants the qualification",
        "reported": "Reports are computed",
    }

    def __init__(
        self, project: Project, held: QualificationRound, studies: list[Batch], graphs: Batch, written: Batch
    ) -> None:
        self.project, self.held, self.graphs, self.written = project, held, graphs, written
        self.study, self.second = studies
        self.workers: list[SimulatedWorker] = []

    def qualified(self, progress: OnProgress) -> None:
        qualification_round.take_round(self.workers, self.held.batch, progress)

    def answered(self, progress: OnProgress) -> None:
        project_setup.answer(self._simulated, self.study, progress)
        project_setup.answer(self._simulated, self.second, progress, left=project_setup.LEFT_OPEN)

    def composed(self, progress: OnProgress) -> None:
        compose_batch.compose_most(self._simulated, self.graphs, progress)

    def rated(self, progress: OnProgress) -> None:
        rating_batch.rate(self._simulated, self.written, progress)

    def dated(self, _progress: OnProgress) -> None:
        names = [worker.username for worker in self.workers]
        timeline.spread(self.project, [self.held.batch, self.study, self.second, self.graphs, self.written], names)

    def decided(self, _progress: OnProgress) -> None:
        qualification_round.grant(self.held)
        approve_and_pay(self.study)
        compose_batch.review_some(self.graphs)
        correspond(self.study)
        close(self.study)
        close(self.written)

    def reported(self, _progress: OnProgress) -> None:
        report([self.study, self.second, self.graphs, self.written])

    @property
    def _simulated(self) -> list[SimulatedWorker]:
        return [worker for worker in self.workers if worker.username in project_setup.SIMULATED]
