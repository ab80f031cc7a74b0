"""A worker's own scores: in a closed batch, if the requester shows them, and never anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import worker_scores
from annotation.flow.review import problem_reports
from annotation.models import Batch, Project, Worker
from tests.conftest import answer_to, records
from tests.flow.acting import answer_all, launched, newcomer, submit, take
from tests.flow.review.test_response_import import lines

SHOWN, LINK = "Your scores</h2>", "Your scores</a>"


@pytest.fixture
def closed(batch: Batch, bob: Worker) -> Batch:
    """A closed batch that shows scores; bob's first response is wrong, the other three are right."""
    first = take(bob, batch)
    assert first is not None
    submit(first, answer_to(first) | {"kind": "typed", "text": "Farrow"})
    answer_all(bob, batch)
    Batch.objects.filter(pk=batch.pk).update(shows_scores=True, state=Batch.State.CLOSED)
    batch.refresh_from_db()
    return batch


def pages(worker: Worker, batch: Batch) -> tuple[str, str]:
    """The batch's page and “Your responses”, as the worker sees them."""
    client = Client()
    client.force_login(worker.user)
    done = client.get(reverse("batch-done", args=[batch.pk])).content.decode()
    return done, client.get(reverse("history")).content.decode()


def figures(batch: Batch, worker: Worker) -> dict[str, tuple[int, float, float | None]]:
    return {row.label: (row.n, row.mean, row.median) for row in worker_scores.own_scores(batch, worker)}


def test_a_worker_sees_their_scores_once_the_batch_is_closed(closed: Batch, bob: Worker) -> None:
    done, history = pages(bob, closed)
    assert SHOWN in done
    assert "75 %" in done
    assert figures(closed, bob)["Answers that are exactly right"] == (4, 0.75, None)
    assert figures(closed, bob)["Supporting paragraphs, with credit for some of them"] == (4, 1.0, None)
    assert "Median" not in done
    assert history.count(LINK) == 1
    assert f'href="{reverse("batch-done", args=[closed.pk])}"' in history


def test_no_gold_is_on_the_page(closed: Batch, bob: Worker) -> None:
    done, _history = pages(bob, closed)
    assert "Tower" not in done
    assert "Ana Brook" not in done


@pytest.mark.parametrize("change", [{"state": "open"}, {"state": "paused"}, {"shows_scores": False}])
def test_nothing_is_shown_while_it_runs_or_without_the_setting(
    closed: Batch, bob: Worker, change: dict[str, Any]
) -> None:
    Batch.objects.filter(pk=closed.pk).update(**change)
    done, history = pages(bob, closed)
    assert SHOWN not in done
    assert LINK not in history


def test_it_is_off_by_default(batch: Batch, bob: Worker) -> None:
    answer_all(bob, batch)
    batch.move(Batch.State.CLOSED)
    assert not batch.shows_scores
    assert figures(batch, bob) == {}


def test_a_batch_without_gold_has_none(project: Project, bob: Worker, tmp_path: Path) -> None:
    bare = [record | {"answers": None, "supports": None, "hops": []} for record in records(2)]
    import_dataset(project, lines(tmp_path / "bare.jsonl", bare), format="jsonl", name="bare")
    batch = launched(project, "bare", project.datasets.get(slug="bare"), shows_scores=True)
    answer_all(bob, batch)
    batch.move(Batch.State.CLOSED)
    done, history = pages(bob, batch)
    assert SHOWN not in done
    assert LINK not in history


def test_excluded_items_do_not_count(closed: Batch, bob: Worker) -> None:
    assert figures(closed, bob)["Answers that are exactly right"][:2] == (4, 0.75)
    wrong = closed.assignments.order_by("submitted_at").first()
    assert wrong is not None
    problem_reports.exclude(wrong.hit, reason="two towers")
    assert figures(closed, bob)["Answers that are exactly right"][:2] == (3, 1.0)


def test_others_only_as_a_median_of_at_least_five(project: Project, dataset: Any) -> None:
    batch = launched(project, "many", dataset, shows_scores=True, assignments_per_hit=5)
    workers = [newcomer(project, f"worker-{k}") for k in range(worker_scores.LEAST)]
    for worker in workers[:-1]:
        answer_all(worker, batch)
    Batch.objects.update(state=Batch.State.CLOSED)
    batch.refresh_from_db()
    assert figures(batch, workers[0])["Answers, with credit for partly right ones"] == (4, 1.0, None)
    Batch.objects.update(state=Batch.State.OPEN)
    answer_all(workers[-1], batch)
    Batch.objects.update(state=Batch.State.CLOSED)
    assert figures(batch, workers[0])["Answers, with credit for partly right ones"] == (4, 1.0, 1.0)
    assert "The median is that of 5 workers." in pages(workers[0], batch)[0]


def test_a_worker_without_responses_sees_none(closed: Batch, carol: Worker) -> None:
    assert SHOWN not in pages(carol, closed)[0]


def test_requesters_switch_it_in_the_settings_of_a_batch(client: Client, alice: Any, batch: Batch) -> None:
    client.force_login(alice)
    page = reverse("batch-settings", args=["wells", batch.slug])
    terms = {"title": batch.title, "who": "all"}
    assert "Show each worker their own scores" in client.get(page).content.decode()
    for posted, wanted in (({"shows_scores": "on"}, True), ({}, False)):
        client.post(page, terms | posted)
        batch.refresh_from_db()
        assert batch.shows_scores is wanted
