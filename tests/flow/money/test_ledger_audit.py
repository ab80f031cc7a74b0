"""The audit of a ledger adds up cents, also where the database adds floating-point numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.money import ledger, ledger_audit
from annotation.models import Account

pytestmark = pytest.mark.django_db


def test_many_amounts_of_cents_add_up(project: Any) -> None:
    ledger.deposit(project, Decimal("64.80"), key="budget")
    for number in range(130):
        ledger.move(project, ledger.AVAILABLE, ledger.FEES, Decimal("0.40"), kind="fee", key=f"fee/{number}")
    assert ledger.balance(project, ledger.AVAILABLE) == Decimal("12.80")
    assert ledger_audit.audit(project) == []


def test_a_balance_that_is_a_cent_off_is_found(project: Any) -> None:
    ledger.deposit(project, Decimal("64.80"), key="budget")
    Account.objects.filter(project=project, name=ledger.AVAILABLE).update(balance=Decimal("64.81"))
    assert [fault.account for fault in ledger_audit.audit(project)] == [ledger.AVAILABLE, "total"]
