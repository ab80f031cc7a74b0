"""Closing a batch that a program made on the console: its HITs expire, and what they held comes back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger, ledger_audit
from annotation.flow.projects.projects import project_named
from annotation.mturk_api.flow import hit_changes, hit_expiry, hit_funds
from annotation.mturk_api.models import Listing
from tests.mturk_api.external_hits import hit_of, hit_type

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> Any:
    return hit_type(project_named("default"))


def test_the_hits_of_a_closed_batch_expire_and_cost_nothing_any_more(kind: Any) -> None:
    project = kind.project
    hits = [hit_of(kind, places=2) for _hit in range(2)]
    assert ledger.balance(project, ledger.AVAILABLE) == Decimal(999)
    batch = hits[0].batch
    assert batch_launch.close(batch)
    hit_expiry.catch_up(project)
    assert ledger.balance(project, ledger.AVAILABLE) == Decimal(1000)
    for row in Listing.objects.all():
        assert hit_changes.status_of(hit_funds.with_hit_state(Listing.objects.filter(pk=row.pk)).get()) == "Reviewable"
    assert ledger_audit.audit(project) == []
