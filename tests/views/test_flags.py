"""What annotators report, and deciding on it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow import flagging
from annotation.models import Flag
from tests.views.console import at, take


@pytest.fixture
def flag(bob: Any, batch: Any) -> Flag:
    return flagging.flag(take(bob, batch), reason="several_answers", text="Two <towers> stand there")


def test_the_queue_shows_reason_text_and_item(client: Any, alice: Any, flag: Flag) -> None:
    client.force_login(alice)
    html = client.get(at("flags")).content.decode()
    assert "Several answers are right" in html
    assert "Two &lt;towers&gt; stand there" in html
    assert at("hit", flag.assignment.hit.public_id) in html


def test_keeping_closes_the_report_and_leaves_the_item(client: Any, alice: Any, flag: Flag) -> None:
    client.force_login(alice)
    client.post(at("flag-keep", flag.pk))
    flag.refresh_from_db()
    assert flag.state == "kept"
    assert flag.assignment.hit.voided_at is None
    assert client.get(at("flags")).context["page"].paginator.count == 0
    assert client.get(at("flags") + "?show=decided").context["page"].paginator.count == 1


def test_voiding_takes_the_item_out_for_the_reported_reason(client: Any, alice: Any, flag: Flag) -> None:
    client.force_login(alice)
    client.post(at("flag-void", flag.pk))
    flag.refresh_from_db()
    hit = flag.assignment.hit
    assert flag.state == "voided"
    assert hit.void_reason == "Several answers are right: Two <towers> stand there"


@pytest.mark.parametrize("decision", ["flag-keep", "flag-void"])
def test_a_decision_can_be_undone(client: Any, alice: Any, flag: Flag, decision: str) -> None:
    client.force_login(alice)
    client.post(at(decision, flag.pk))
    client.post(at("flag-reopen", flag.pk))
    flag.refresh_from_db()
    assert (flag.state, flag.decided_at) == ("open", None)
    assert flag.assignment.hit.voided_at is None


def test_a_decided_report_is_not_decided_again(client: Any, alice: Any, flag: Flag) -> None:
    client.force_login(alice)
    client.post(at("flag-keep", flag.pk))
    client.post(at("flag-void", flag.pk))
    flag.refresh_from_db()
    assert flag.state == "kept"
    assert flag.assignment.hit.voided_at is None


@pytest.mark.parametrize("decision", ["flag-keep", "flag-void", "flag-reopen"])
def test_only_requesters_decide_and_only_by_posting(
    client: Any, alice: Any, bob: Any, flag: Flag, decision: str
) -> None:
    client.force_login(bob.user)
    assert client.post(at(decision, flag.pk)).status_code == 404
    client.force_login(alice)
    assert client.get(at(decision, flag.pk)).status_code == 405
