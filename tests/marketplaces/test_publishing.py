"""HITs on a marketplace: each once, with its address, its reward and its terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F

from annotation.flow.batches import batch_launch, estimates
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.marketplaces.flow import arrivals, publications
from annotation.marketplaces.models import Connection, Publication
from annotation.models import Batch
from tests.batches import create_batch
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk, No

FORGETFUL = replace(QUICK, memory=timedelta(0))  # as if every token were forgotten at once
pytestmark = pytest.mark.django_db


def make_old(lease: timedelta = timedelta(minutes=5)) -> None:
    """As if every try so far had been made long ago."""
    long_ago = {"first_try_at": F("first_try_at") - timedelta(days=2), "lease_until": None, "due_at": F("first_try_at")}
    Publication.objects.filter(first_try_at__isnull=False).update(**long_ago)
    Publication.objects.filter(last_try_at__isnull=False).update(last_try_at=F("last_try_at") - lease)


def lose_reply(elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marketplace does as it is told, and the next answer breaks."""
    real, broken = elsewhere.answer, iter([True])

    def answer(operation: str, wish: dict[str, Any]) -> dict[str, Any]:
        result = real(operation, wish)
        if operation == "CreateHITWithHITType" and next(broken, False):
            return {"oops": True}
        return result

    monkeypatch.setattr(elsewhere, "answer", answer)


def test_every_hit_is_there_once_with_our_address_and_mark(published: Any, elsewhere: FakeMTurk) -> None:
    rows = {row.annotation: row for row in publications.of_batch(published)}
    assert publications.counts(published) == {"waiting": 0, "sending": 0, "published": 4, "failed": 0, "all": 4}
    assert elsewhere.calls.count("CreateHITType") == 1, "their terms are the same"
    assert sorted(hit["RequesterAnnotation"] for hit in elsewhere.hits.values()) == sorted(rows)
    for hit in elsewhere.hits.values():
        row = rows[hit["RequesterAnnotation"]]
        url = unescape(re.findall(r"<ExternalURL>(.*)</ExternalURL>", hit["Question"])[0])
        assert url == settings.PUBLIC_URL + arrivals.frame_path(row.hit)
        assert (row.external_id, hit["MaxAssignments"]) == (hit["HITId"], 2)


def test_nothing_is_called_while_the_batch_is_launched(abroad: Any, elsewhere: FakeMTurk) -> None:
    assert elsewhere.calls == []
    assert publications.counts(abroad)["waiting"] == 4


def test_sending_again_sends_nothing(published: Any, connection: Any, elsewhere: FakeMTurk) -> None:
    before = list(elsewhere.calls)
    assert publications.send_due(connection, patience=QUICK) == 0
    assert elsewhere.calls == before


def test_the_hits_of_a_batch_are_of_one_type(published: Any, elsewhere: FakeMTurk) -> None:
    assert len(elsewhere.types) == 1
    result = next(iter(elsewhere.types.values()))
    assert (result["Reward"], result["AutoApprovalDelayInSeconds"]) == ("0.40", 604800)


def test_a_batch_on_a_marketplace_is_approved_in_time_and_its_cost_is_set_aside(abroad: Any) -> None:
    abroad.refresh_from_db()
    assert abroad.auto_approval == 604800
    assert ledger.balance(abroad.project, ledger.held_for(abroad)) == Decimal("3.20")


def test_a_budget_that_does_not_cover_it_refuses_the_launch(launched: Callable[..., Any]) -> None:
    with pytest.raises(Refused):
        launched(reward=Decimal(900))
    assert not Publication.objects.exists()


def test_nothing_is_launched_where_amazon_closed(launched: Callable[..., Any], connection: Any) -> None:
    Connection.objects.update(preset="aws")
    connection.refresh_from_db()
    with pytest.raises(Refused, match="closed Mechanical Turk"):
        launched()
    assert Batch.objects.get(slug="abroad").state == "draft"


def test_a_lost_reply_is_made_good_by_the_same_token(
    abroad: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_reply(elsewhere, monkeypatch)
    while publications.send_due(connection, patience=QUICK):
        pass
    assert publications.counts(abroad)["published"] == len(elsewhere.hits) == 4
    assert elsewhere.calls.count("CreateHITWithHITType") == 5


def test_a_hit_whose_token_is_forgotten_is_looked_for_and_adopted(
    abroad: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_reply(elsewhere, monkeypatch)
    publications.send_due(connection, patience=replace(QUICK, longest_delay=1e6, first_delay=1e6))
    assert publications.counts(abroad)["published"] == 3
    elsewhere.memory = 0.0
    make_old()
    assert publications.send_due(connection, patience=QUICK) == 1
    assert len(elsewhere.hits) == 4


def test_a_hit_that_is_not_there_is_sent_again_only_after_two_looks(
    abroad: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(wish: dict[str, Any]) -> dict[str, Any]:
        raise No("Rate exceeded", code="ThrottlingException")

    monkeypatch.setattr(elsewhere, "do_CreateHITWithHITType", break_down)
    publications.send_due(connection, patience=replace(QUICK, longest_delay=1e6, first_delay=1e6, most_failures=99))
    monkeypatch.undo()
    elsewhere.memory = 0.0
    make_old()
    Publication.objects.update(state="sending")
    patience = replace(QUICK, lag=timedelta(seconds=30))
    assert publications.send_due(connection, patience=patience) == 0
    assert Publication.objects.filter(missed_at__isnull=False).count() == 4
    assert not elsewhere.hits
    Publication.objects.update(missed_at=F("missed_at") - timedelta(minutes=1), due_at=F("missed_at"))
    assert publications.send_due(connection, patience=patience) == 4
    assert len(elsewhere.hits) == 4


def test_a_lookout_waits_until_no_earlier_call_can_be_under_way(
    abroad: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    one = publications.take(connection, patience=FORGETFUL)
    assert one is not None
    Publication.objects.update(last_try_at=F("first_try_at"), lease_until=None)
    publications.send_due(connection, patience=FORGETFUL)
    assert "ListHITs" not in elsewhere.calls
    assert len(elsewhere.hits) == 3, "the one that was tried must wait; the others were never sent"


def test_a_definite_refusal_is_shown_and_tried_again_on_demand(
    abroad: Any, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(wish: dict[str, Any]) -> dict[str, Any]:
        raise No("This Requester has insufficient funds in their account to complete this transaction.")

    monkeypatch.setattr(elsewhere, "do_CreateHITWithHITType", refuse)
    publications.send_due(connection, patience=QUICK)
    assert publications.counts(abroad)["failed"] == 4
    assert "insufficient funds" in publications.of_batch(abroad).first().error
    monkeypatch.undo()
    assert publications.try_again(abroad) == 4
    assert publications.send_due(connection, patience=QUICK) == 4


def test_a_marketplace_that_fails_is_left_in_peace_for_a_while(
    abroad: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    elsewhere.__exit__()
    tired = replace(QUICK, rest=timedelta(minutes=1))
    publications.send_due(connection, patience=tired)
    connection.refresh_from_db()
    assert connection.failures == 5
    assert connection.rests_until is not None
    assert connection.trouble
    publications.sweep()
    connection.refresh_from_db()
    assert connection.failures == 5
    assert publications.counts(abroad)["failed"] == 0


def test_a_paused_batch_is_not_sent_until_it_is_resumed(abroad: Any, connection: Any, elsewhere: FakeMTurk) -> None:
    batch_launch.pause(abroad)
    assert publications.send_due(connection, patience=QUICK) == 0
    batch_launch.resume(abroad)
    assert publications.send_due(connection, patience=QUICK) == 4


def test_two_senders_do_not_take_the_same_hit(abroad: Any, connection: Any) -> None:
    taken = [publications.take(connection, patience=QUICK) for _n in range(5)]
    assert len({one.pk for one in taken if one}) == 4
    assert taken[4] is None


def test_what_pays_by_the_answer_promises_the_least_and_says_the_most(
    project: Any, dataset: Any, connection: Any, elsewhere: FakeMTurk
) -> None:
    batch = create_batch(
        project, "questions", task="compose", datasets=[dataset], instructions="Compose.", marketplace=connection
    )
    batch_launch.launch(batch)
    publications.send_due(connection, patience=QUICK)
    most = max(hit.reward for hit in batch.hits.all())
    assert 0 < max(row.reward for row in publications.of_batch(batch)) < most
    assert any(f"up to ${most}" in result["Title"] for result in elsewhere.types.values())


def test_the_quote_of_a_draft_there_is_what_its_launch_sets_aside(
    project: Any, dataset: Any, connection: Connection
) -> None:
    draft = create_batch(
        project,
        "abroad",
        task="answer",
        datasets=[dataset],
        instructions="Read.",
        marketplace=connection,
        reward=Decimal(1),
    )
    quoted = estimates.estimate(draft).quote.total
    batch_launch.launch(draft)
    assert ledger.balance(project, ledger.held_for(draft)) == quoted > 0


def test_a_batch_of_ratings_is_published_as_any_other(
    launched: Callable[..., Any], connection: Any, elsewhere: FakeMTurk
) -> None:
    rubric = {"show": ["question"], "criteria": [{"name": "clear", "ask": "Clear?", "choice": ["yes", "no"]}]}
    rated = launched(task="rate", options={"rubric": rubric}, instructions="Rate.")
    publications.send_due(connection, patience=QUICK)
    assert publications.counts(rated)["published"] == len(elsewhere.hits) == 4
