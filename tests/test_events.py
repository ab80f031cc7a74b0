"""Events: who listens to what and in which order, and that a plain batch pays nothing for those who listen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation import events
from annotation.flow.batches import add_assignments, batch_launch
from annotation.flow.errors import Refused
from annotation.flow.projects import job_queue
from annotation.flow.review import assignment_approval, problem_reports, review_decisions
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.flow.work import leases
from annotation.models import Assignment, Hit, ProblemReport
from tests.flow.acting import submit, take
from tests.flow.paying import paid_batch

MTURK, WEBHOOKS, MARKETPLACES, BRIDGES = "mturk_api", "webhooks", "marketplaces", "bridges"

pytestmark = pytest.mark.app(MTURK, WEBHOOKS, MARKETPLACES, BRIDGES)


def test_who_listens_to_what_and_in_which_order() -> None:
    found = {
        event.__name__: [listener.__module__.split(".")[1] for _order, listener in rows]
        for event, rows in events.listeners().items()
    }
    assert found == {
        "AssignmentAccepted": [MTURK, MARKETPLACES],
        "AssignmentReturned": [MTURK],
        "ResponseSubmitted": [MTURK, WEBHOOKS, MARKETPLACES, BRIDGES],
        "ResponseReviewed": [WEBHOOKS],
        "PayDecisionBegun": [MTURK],
        "AssignmentApproved": [MTURK, WEBHOOKS, MARKETPLACES],
        "AssignmentRejected": [MTURK, WEBHOOKS, MARKETPLACES],
        "PayDecided": [MTURK],
        "BonusPaid": [WEBHOOKS],
        "HitExcluded": [MTURK, WEBHOOKS],
        "HitRestored": [MTURK, WEBHOOKS],
        "BatchLaunching": [MARKETPLACES],
        "HitsCreated": [MARKETPLACES],
        "BatchLaunched": [WEBHOOKS, MARKETPLACES],
        "BatchPaused": [WEBHOOKS, MARKETPLACES],
        "BatchResumed": [WEBHOOKS, MARKETPLACES],
        "BatchClosed": [MTURK, WEBHOOKS, MARKETPLACES],
        "AssignmentsAdded": [MARKETPLACES],
        "ResultsDatasetCreated": [WEBHOOKS],
        "JobEnded": [WEBHOOKS],
    }


def test_every_event_has_a_listener() -> None:
    named = {
        name for name, value in vars(events).items() if isinstance(value, type) and issubclass(value, events.Event)
    }
    assert {event.__name__ for event, rows in events.listeners().items() if rows} == named - {"Event"}


@dataclass(frozen=True, slots=True)
class Rang(events.Event):
    """An event of these tests."""

    log: list[str]


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(events._listeners, Rang, [])
    return events.listen


def test_listeners_run_by_their_order_and_not_by_when_they_came(rung: Any) -> None:
    rung(Rang, lambda event: event.log.append("second"), order=20)
    rung(Rang, lambda event: event.log.append("first"), order=10)
    log: list[str] = []
    events.emit(Rang(log))
    assert log == ["first", "second"]
    with pytest.raises(ValueError, match="order 20"):
        rung(Rang, lambda event: None, order=20)


def test_an_event_that_nobody_listens_to_does_nothing(rung: Any) -> None:
    events.emit(Rang([]))


def test_what_a_listener_raises_undoes_the_act(batch: Any, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(event: events.ResponseSubmitted) -> None:
        raise Refused("not today")

    row = take(bob, batch)
    assert row is not None
    monkeypatch.setitem(events._listeners, events.ResponseSubmitted, [(1, refuse)])
    with pytest.raises(Refused, match="not today"):
        submit(row)
    row.refresh_from_db()
    assert (row.state, row.responses.count()) == ("accepted", 0)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """(listener, what it asked the database) of every listener that is called."""
    heard: list[tuple[str, list[str]]] = []

    def counted(listener: Callable[[Any], object]) -> Callable[[Any], object]:
        def listen(event: Any) -> None:
            assert connection.in_atomic_block
            with CaptureQueriesContext(connection) as asked:
                listener(event)
            heard.append((listener.__module__, [query["sql"] for query in asked.captured_queries]))

        return listen

    for event, rows in events.listeners().items():
        monkeypatch.setitem(events._listeners, event, [(order, counted(listener)) for order, listener in rows])
    return heard


def test_a_plain_batch_pays_no_query_for_those_who_listen(
    project: Any, dataset: Any, bob: Any, carol: Any, alice: Any, queries: list[tuple[str, list[str]]], tmp_path: Path
) -> None:
    batch = paid_batch(project, dataset)
    first, second = take(bob, batch), take(carol, batch)
    assert first is not None
    assert second is not None
    submit(first)
    submit(first, key="1.form", base=1)
    leases.return_assignment(second)
    second = take(carol, batch)
    assert second is not None
    submit(second)
    assignment_approval.approve(first)
    assignment_approval.add_payment(first, "bonus", assignment_approval.earned(first), key="thanks")
    assignment_approval.reject(second, text="Not read.")
    wish = review_decisions.Decision("accepted", {})
    with transaction.atomic():
        review_decisions._add(Assignment.objects.select_related("batch__project").get(pk=first.pk), wish, alice)
    hit = Hit.objects.select_related("batch__project").get(pk=second.hit_id)
    ProblemReport.objects.create(assignment=second, reason="broken")
    assert problem_reports.exclude(hit, reason="broken")
    assert problem_reports.restore(hit)
    assert batch_launch.pause(batch)
    assert batch_launch.resume(batch)
    add_assignments.add_assignments(batch, base=batch.next_ticket)
    create_results_dataset(batch, name="results", least=0, user=alice)
    assert batch_launch.close(batch)
    job = job_queue.post("score_batch", project=project, title="Score", arguments={})
    job_queue.run(job_queue.take() or job, {"score_batch": lambda job, progress: {}})
    assert {name.split(".")[1] for name, _asked in queries} == {MTURK, WEBHOOKS, MARKETPLACES, BRIDGES}
    assert [(name, asked) for name, asked in queries if asked] == []
