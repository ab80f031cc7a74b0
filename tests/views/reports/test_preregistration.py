"""Preregistration: registered once, before the first response, by any way; the report says what differs."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import add_assignments
from annotation.flow.errors import Refused
from annotation.flow.reports import methods_facts, preregistration
from annotation.flow.review import problem_reports
from annotation.models import AuditEntry, Preregistration
from annotation.pure.reports.methods import in_words
from tests.api.calling import caller, fields_at_fault
from tests.views.console import answer

TEXTS = {"hypotheses": "People do better <b>.", "analysis": "McNemar, two-sided.", "design": "", "exclusions": "Typos."}


def address(name: str, batch: Any) -> str:
    return reverse(name, args=["wells", batch.slug])


def test_what_the_page_registers_is_a_file_with_texts_settings_time_and_hash(
    client: Any, alice: Any, batch: Any
) -> None:
    client.force_login(alice)
    assert address("preregistration", batch) in client.get(address("batch-settings", batch)).content.decode()
    assert client.get(address("preregistration-file", batch)).status_code == 404
    assert client.post(address("preregistration", batch), TEXTS | {"analysis": " "}).status_code == 422
    assert client.post(address("preregistration", batch), TEXTS).status_code == 303
    page = client.get(address("preregistration", batch))
    assert "People do better &lt;b&gt;." in page.content.decode()
    assert page.context["differences"] == []
    file = client.get(address("preregistration-file", batch))
    data = b"".join(file) if file.streaming else file.content
    made = Preregistration.objects.get()
    assert hashlib.sha256(data).hexdigest() == made.sha256
    kept = json.loads(data)
    assert {name: kept[name] for name in TEXTS} == TEXTS
    assert (kept["settings"]["hits"], kept["settings"]["assignments"], kept["batch"]) == (4, 8, batch.slug)
    assert kept["settings"]["datasets"] == {"wells": batch.datasets.get().digest}
    assert AuditEntry.objects.get(act="preregistered").details == {"sha256": made.sha256}


def test_it_is_refused_twice_and_after_the_first_response(client: Any, alice: Any, batch: Any, bob: Any) -> None:
    preregistration.register(batch, TEXTS)
    with pytest.raises(Refused, match="already"):
        preregistration.register(batch, TEXTS)
    Preregistration.objects.all().delete()
    answer(bob, batch)
    client.force_login(alice)
    late = client.get(address("preregistration", batch)).content.decode()
    assert ("responses already" in late, 'name="analysis"' in late) == (True, False)
    page = client.post(address("preregistration", batch), TEXTS)
    assert (page.status_code, "responses already" in page.content.decode()) == (422, True)
    assert not Preregistration.objects.exists()


def test_a_response_to_hidden_gold_is_a_response(batch: Any, bob: Any) -> None:
    row = answer(bob, batch)
    type(row.hit).objects.filter(pk=row.hit.pk).update(check_item=True)
    with pytest.raises(Refused, match="responses already"):
        preregistration.register(batch, TEXTS)


def test_the_report_says_what_differs(batch: Any, bob: Any, carol: Any) -> None:
    made = preregistration.register(batch, TEXTS)
    row = answer(bob, batch)
    answer(bob, batch)
    answer(carol, batch)
    answer(carol, batch)

    def said() -> str:
        return in_words(methods_facts.facts_of(batch, None))

    assert f"(SHA-256 {made.sha256}), before the first response was stored. No setting differs" in said()
    problem_reports.exclude(row.hit, reason="Typo")
    batch.refresh_from_db()
    assert add_assignments.add_assignments(batch, base=batch.next_ticket) == {"hits": 1}
    assert [name for name, _was, _now in preregistration.deviations(made)] == ["assignments", "excluded_hits"]
    assert "The setting “Excluded HITs” differs from the preregistration: it was 0 and is now 1." in said()
    Preregistration.objects.update(created_at=row.submitted_at)
    assert "when a response had already come in" in said()


def test_what_was_not_known_before_the_launch_does_not_differ(batch: Any) -> None:
    batch.launched_at = None
    type(batch).objects.filter(pk=batch.pk).update(launched_at=None)
    made = preregistration.register(batch, TEXTS)
    assert json.loads(made.document)["settings"]["hits"] is None
    type(batch).objects.filter(pk=batch.pk).update(launched_at=made.created_at)
    made.batch.refresh_from_db()
    assert preregistration.deviations(made) == []


def test_the_api_registers_and_tells_the_same(alice: Any, batch: Any) -> None:
    api = caller(alice)
    where = f"batches/{batch.slug}/preregistration/"
    assert api.get(where).status_code == 404
    assert fields_at_fault(api.post(f"{where}register/", hypotheses="x")) == {"analysis"}
    made = api.post(f"{where}register/", **TEXTS).json()
    assert made == api.get(where).json()
    assert (made["late"], made["differences"], made["document"]["exclusions"]) == (False, [], "Typos.")
    assert api.post(f"{where}register/", **TEXTS).status_code == 409
