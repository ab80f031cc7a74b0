"""What is only ever added: the database itself refuses to change or remove it, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.db.models import F, QuerySet

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger_audit
from annotation.flow.people import worker_erasure
from annotation.flow.projects import recycle_bin
from annotation.models import AuditEntry, Entry, User, WorkerResponse
from annotation.models.project import OnlyAdded
from tests.flow import triggers
from tests.flow.acting import draft
from tests.flow.paying import paid_batch, worked

pytestmark = pytest.mark.postgresql(reason="triggers are written anew for each database")


@pytest.fixture(autouse=True)
def kept(db: None) -> None:
    triggers.make()


def rows(model: Any) -> Any:
    """Every row, without what the model itself refuses."""
    return QuerySet(model)


def refused(act: Callable[[], object], why: str) -> None:
    with pytest.raises(DatabaseError, match=why), transaction.atomic():
        act()


def test_a_line_of_the_log_is_neither_changed_nor_removed(project: Any, batch: Any) -> None:
    line = AuditEntry.objects.first()
    assert line is not None
    for change in (line.save, line.delete, AuditEntry.objects.all().delete, lambda: AuditEntry.objects.update(act="x")):
        with pytest.raises(OnlyAdded):
            change()
    for column in ("act", "at", "via", "kind", "key", "name", "batch", "project_id"):
        refused(lambda column=column: rows(AuditEntry).update(**{column: F(column)}), "cannot be changed")  # type: ignore[misc]
    refused(rows(AuditEntry).delete, "cannot be removed")
    rows(AuditEntry).filter(pk=line.pk).update(user=None)


def test_a_move_of_money_is_neither_changed_nor_removed(project: Any, dataset: Any, bob: Any) -> None:
    worked(bob, paid_batch(project, dataset), approved=True)
    changes: dict[str, Any] = {
        "amount": Decimal(9),
        "kind": "x",
        "key": F("kind"),
        "note": "x",
        "source": F("target_id"),
    }
    for column, value in changes.items():
        refused(lambda change={column: value}: rows(Entry).update(**change), "cannot be changed")  # type: ignore[misc]
    refused(rows(Entry).delete, "cannot be removed")
    assert ledger_audit.audit(project) == []


def test_what_a_move_names_may_go(alice: Any, project: Any, dataset: Any) -> None:
    thrown = draft(project, "rough", dataset)
    batch_launch.discard_draft(thrown)
    paid = paid_batch(project, dataset)
    Entry.objects.filter(batch=paid).update(batch=thrown, created_by=alice)
    before = Entry.objects.count()
    recycle_bin.erase_batch(thrown)
    User.objects.filter(pk=alice.pk).delete()
    assert Entry.objects.filter(batch=None, created_by=None).count() == before


def test_an_answer_is_never_changed(project: Any, dataset: Any, bob: Any) -> None:
    row = worked(bob, paid_batch(project, dataset))
    refused(lambda: rows(WorkerResponse).update(answer={}), "cannot be changed")
    assert row.responses.count() == 1


def test_a_person_who_leaves_breaks_none_of_it(alice: Any, project: Any, dataset: Any, bob: Any) -> None:
    worked(bob, paid_batch(project, dataset), approved=True)
    worker_erasure.delete_account(bob.user)
    bob.refresh_from_db()
    assert bob.user is None
    assert ledger_audit.audit(project) == []
