"""Lists that a page and the API share: one filter, whose values both know."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.money.ledger_table import LedgerFilter
from annotation.flow.projects.audit_log_table import LogFilter
from annotation.flow.review.approval_queue import ApprovalFilter
from annotation.flow.setting_values import chosen
from annotation.pure.setting_fields import settings_of
from tests.api.calling import caller, fields_at_fault

pytestmark = pytest.mark.django_db
LISTS = [
    (ApprovalFilter, "approvals", "approvals/"),
    (LedgerFilter, "money-ledger", "ledger/"),
    (LogFilter, "log", "log/"),
]


@pytest.mark.parametrize(("kind", "page", "path"), LISTS, ids=lambda each: str(each))
def test_a_page_and_the_api_take_the_same_filters(kind: Any, page: str, path: str, alice: Any, project: Any) -> None:
    api, client = caller(alice), Client()
    client.force_login(alice)
    for name, one in settings_of(kind).items():
        value = next(iter(one.choices)) if one.choices else "2026-11-28" if name in ("since", "until") else "x"
        assert api.get(path, **{name: value}).status_code == 200, name
        assert client.get(reverse(page, args=[project.slug]), {name: value}).status_code == 200, name
        wrong = "x" * 200 if name not in ("since", "until") else "yesterday"
        assert fields_at_fault(api.get(path, **{name: wrong})) == {name}
        assert chosen(kind, {name: wrong}) == kind()  # a page narrows nothing
    assert api.get(path, other="x").status_code == 422
