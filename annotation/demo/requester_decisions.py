"""What the demo's requester has done so far: approvals, a payout, a link for more workers, and the reports."""

from datetime import timedelta

from annotation.demo.project_setup import SIMULATED
from annotation.flow.money import payouts
from annotation.flow.notifications import worker_messages
from annotation.flow.people import members
from annotation.flow.projects import overview
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, Batch, Invite, Message, Payout, User, Worker, clock

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
