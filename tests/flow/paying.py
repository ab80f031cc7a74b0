"""Paid work in one line: a budget, a batch that pays, answers that are approved."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, Batch, Project, Worker
from tests.flow.acting import launched, submit, take

WEEK = 7 * 24 * 3600


def paid_batch(project: Project, dataset: Any, name: str = "paid", *, budget: str = "50", **other: Any) -> Batch:
    """An open batch that pays 25 cents for one assignment a HIT, out of a budget put in for it."""
    ledger.deposit(project, Decimal(budget), key=f"budget-{name}")
    terms: dict[str, Any] = {"assignments_per_hit": 1, "reward": Decimal("0.25"), "auto_approval": WEEK}
    return launched(project, name, dataset, **(terms | other))


def worked(worker: Worker, batch: Batch, *, seconds: float | None = None, approved: bool = False) -> Assignment:
    """The worker's next answer, in so many active seconds."""
    row = take(worker, batch)
    assert row is not None
    submit(row)
    if seconds is not None:
        Assignment.objects.filter(pk=row.pk).update(active_seconds=seconds)
    if approved:
        assignment_approval.approve(row)
    row.refresh_from_db()
    return row
