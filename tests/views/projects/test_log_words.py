"""How the log is read: in whose language, in which zone, and where its lines lead."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.flow.money import ledger
from annotation.flow.people import members, sign_up
from annotation.flow.projects import audit_log_table
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.models import AuditEntry
from tests.views.console import answer, at


def test_details_are_said_in_the_readers_language(client: Any, alice: Any, batch: Any, bob: Any) -> None:
    review_decisions.decide(answer(bob, batch), 1, Decision("discarded", {}, reason="A guess."), reviewer=alice)
    ledger.deposit(batch.project, Decimal(1000), key="budget")
    members.invite(batch.project, role="worker", by=alice, places=2)
    client.force_login(alice)
    html = client.get(reverse("log", args=["wells"]), headers={"Accept-Language": "de"}).content.decode()
    for words in (
        "Entscheidung: verworfen",
        "Dollar: 1000.00",
        "Rolle: annotierende Person",
        "Aufgabe: Fragen beantworten",
    ):
        assert words in html


def test_times_are_said_in_utc_whatever_the_readers_zone(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    client.cookies["tz"] = "Pacific/Kiritimati"
    html = client.get(reverse("log", args=["wells"])).content.decode()
    result = re.search(r'<time datetime="([^"]+)">([^<]+)</time>', html)
    assert result is not None
    assert f"{datetime.fromisoformat(result[1]).astimezone(UTC):%H:%M}" == result[2][-5:]


def test_lines_lead_to_what_they_are_about(client: Any, alice: Any, batch: Any, bob: Any) -> None:
    assignment = answer(bob, batch)
    review_decisions.decide(assignment, 1, Decision("discarded", {}, reason="A guess."), reviewer=alice)
    sign_up.set_active(bob, active=False)
    client.force_login(alice)
    html = client.get(reverse("log", args=["wells"])).content.decode()
    assert f'href="{at("hit", assignment.hit.public_id)}"' in html
    assert f'href="{reverse("annotator", args=["wells", bob.pk])}"' in html


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Honolulu"])
def test_days_of_the_log_are_those_of_reports(batch: Any, zone: str) -> None:
    line = AuditEntry.objects.filter(kind="batch").latest("pk")
    with timezone.override(zone):
        found = audit_log_table.entries(
            batch.project, audit_log_table.LogFilter(since=line.at.date(), until=line.at.date())
        )
        assert line in found
