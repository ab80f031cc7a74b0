"""Closing a batch that a program made on the console: its HITs expire, and what they held comes back."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.flow import auditing, batching, catching_up, holding, ledger, relisting
from annotation.flow.joining import project_named
from annotation.models import Listing
from tests.views.strangers import hit_of, hit_type

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind() -> Any:
    return hit_type(project_named("default"))


def test_the_hits_of_a_closed_batch_expire_and_cost_nothing_any_more(kind: Any) -> None:
    project = kind.project
    hits = [hit_of(kind, places=2) for _hit in range(2)]
    assert ledger.balance(project, ledger.AVAILABLE) == Decimal(999)
    batch = hits[0].batch
    assert batching.close(batch)
    catching_up.catch_up(project)
    assert ledger.balance(project, ledger.AVAILABLE) == Decimal(1000)
    for row in Listing.objects.all():
        assert relisting.status_of(holding.standing(Listing.objects.filter(pk=row.pk)).get()) == "Reviewable"
    assert auditing.audit(project) == []
