"""Deposits: what page and command say of them and refuse alike."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.money.ledger import DEPOSIT
from annotation.forms.money import DepositForm
from annotation.models import Entry
from tests.flow.setting_doors import check_form, check_options
from tests.management.conftest import Run, run  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def test_page_and_command_know_a_deposit_in_the_same_words_with_the_same_limits() -> None:
    check_form(DepositForm().fields, {"amount": DEPOSIT["dollars"], "note": DEPOSIT["note"]})
    check_options("put_money", DEPOSIT.values())


@pytest.mark.parametrize(
    ("amount", "note"), [("0", ""), ("-1", ""), ("0.001", ""), ("1000000", ""), ("NaN", ""), ("1", "n" * 301)]
)
def test_what_is_wrong_is_refused_by_both(
    amount: str,
    note: str,
    alice: Any,
    project: Any,
    run: Run,  # noqa: F811
) -> None:
    ended = run("put_money", "--project", "wells", "--note", note, "--", amount)
    assert ended.code == 2
    client = Client()
    client.force_login(alice)
    wish = {"way": "in", "amount": amount, "note": note, "key": "abc", "confirm": "1"}
    page = client.post(reverse("money-move", args=["wells"]), wish)
    assert page.status_code == 422
    [problems] = page.context["form"].errors.values()
    assert note or all(problem in ended.err for problem in problems)
    assert not Entry.objects.exists()
