"""Gold of a criterion grades rounds and hidden gold, as requesters' pages say, and workers' pages never do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.people import qualification_rounds, round_results
from annotation.flow.review.response_import import import_responses
from annotation.jobs import run_due_work
from annotation.models import Dataset, QualificationRound
from tests.batches import create_batch, create_round
from tests.one_line import one_line
from tests.tasks.html_form import read_form
from tests.tasks.test_rate_doors import come_in
from tests.views.batches import test_launch as forms_of_batches
from tests.views.crawler import Canaries, Crawler
from tests.views.people import test_rounds as forms_of_rounds

pytestmark = pytest.mark.django_db
RUBRIC: dict[str, Any] = {
    "show": ["question"],
    "criteria": [
        {"name": "natural", "ask": "Does it sound natural?", "scale": [1, 5], "gold": "points"},
        {"name": "comment", "ask": "Anything else?", "text": "short"},
    ],
}


@pytest.fixture
def mark() -> Canaries:
    return Canaries()


def made(project: Any, folder: Path, name: str, size: int, **more: Any) -> Dataset:
    rows = [{"id": f"{name}{k}", "question": f"Who dug well {size}.{k}?", **more} for k in range(size)]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_dataset(project, folder / name, format="jsonl", name=name)
    return project.datasets.get(slug=name)


def rate_all(site: Crawler, batch: Any, worker: Any, natural: int) -> int:
    """Give every item the same points, and read what is said meanwhile; returns how many items there were."""
    come_in(site, batch)
    count = 0
    while (place := site.post("batch-start", batch.pk)["Location"]).startswith(("/assignments/", "/feedback/")):
        if place.startswith("/feedback/"):
            told = worker.feedback.get(acknowledged_at=None)
            site.get("feedback", told.pk)
            site.post("feedback", told.pk, batch=str(batch.pk))
            continue
        row = worker.assignments.get(batch=batch, state="accepted")
        _action, fields = read_form(site.get("assignment", row.public_id).content.decode(), "decide")
        answered = {**fields, "r-natural": str(natural), "r-comment": ""}
        assert site.post("submit", row.public_id, **answered).status_code == 303
        count += 1
    for name in ("work", "history", "my-messages", "my-qualifications"):
        site.get(name)
    site.get("batch-done", batch.pk)
    return count


def test_a_round_of_ratings_is_graded_by_distance(
    project: Any, alice: Any, bob: Any, carol: Any, client: Any, mark: Canaries, tmp_path: Path
) -> None:
    pool = made(project, tmp_path, "wells", 4, points=5, note=mark.text("note"))
    terms = {"per_worker": 3, "instructions": "Read.", "grants": qualification_rounds.grant_type(project, "Raters")}
    rule = [{"figure": "grade", "comparator": ">=", "value": 0.75}]
    found = create_round(project, "round", task="rate", datasets=[pool], options={"rubric": RUBRIC}, rule=rule, **terms)
    batch_launch.launch(found.batch)
    for worker, natural in ((bob, 4), (carol, 2)):
        site = Crawler(worker.user)
        assert rate_all(site, found.batch, worker, natural) == 3
        assert site.betrayals(mark.made) == []
    passed = {one.attempt.worker_id: one.passed for one in round_results.results(found)}
    assert passed == {bob.pk: True, carol.pk: False}
    client.force_login(alice)
    page = client.get(reverse("round", args=[project.slug, found.batch.slug])).content.decode()
    assert all(bar in page for bar in ("25–30: 1", "75–80: 1"))


def test_hidden_gold_among_ratings_is_graded_by_distance(
    project: Any, alice: Any, bob: Any, client: Any, mark: Canaries, tmp_path: Path
) -> None:
    asked = made(project, tmp_path, "asked", 8, points=None)
    known = made(project, tmp_path, mark.text("known"), 5, points=5)
    batch = create_batch(
        project, "mixed", task="rate", datasets=[asked], options={"rubric": RUBRIC}, instructions="Read.",
        check_share=0.4, check_rule={"after": 2, "warn_below": 0.5, "pause_below": 0.1},
    )  # fmt: skip
    batch.checks.set([known])
    batch_launch.launch(batch)
    site = Crawler(bob.user)
    assert rate_all(site, batch, bob, 2) > 8
    assert site.betrayals(mark.made) == []
    graded = bob.assignments.filter(batch=batch, hit__check_item=True)
    assert {row.grade for row in graded} == {0.25}
    assert "scored 25 percent" in " ".join(text for name, _status, text in site.sent if name == "feedback")
    client.force_login(alice)
    for name, more in (("batch", []), ("batch-worker", [bob.pk]), ("report", [])):
        assert client.get(reverse(name, args=[project.slug, batch.slug, *more])).status_code == 200
    page = client.get(reverse("batch-worker", args=[project.slug, batch.slug, bob.pk])).content.decode()
    assert "25 percent over 5 responses" in " ".join(re.sub("<[^>]+>", " ", page).split())


def test_a_hit_has_a_column_of_gold_only_where_a_criterion_has_gold(
    project: Any, alice: Any, client: Any, tmp_path: Path
) -> None:
    pool = made(project, tmp_path, "wells", 1, points=5)
    scale = {name: value for name, value in RUBRIC["criteria"][0].items() if name != "gold"}
    plain = {**RUBRIC, "criteria": [scale]}
    client.force_login(alice)
    for slug, rubric, columns in (("graded", RUBRIC, 1), ("plain", plain, 0)):
        batch = create_batch(project, slug, task="rate", datasets=[pool], options={"rubric": rubric})
        batch_launch.launch(batch)
        rows = [{"dataset": "wells", "item": 0, "worker": "ada", "answer": {"natural": 4}}]
        (tmp_path / slug).write_text("".join(json.dumps(row) + "\n" for row in rows))
        import_responses(batch, tmp_path / slug)
        page = client.get(reverse("hit", args=[project.slug, slug, batch.hits.get().public_id])).content.decode()
        assert page.count('class="mark-gold"') == columns


GRADED = {"rule-0-figure": "grade", "rule-0-comparator": ">=", "rule-0-percent": "75", "rule-0-dataset": ""}


def round_form(pool: Dataset, **other: Any) -> dict[str, Any]:
    """What the page of a new round of ratings posts."""
    posted = forms_of_rounds.form(pool, task="rate", per_worker="3", qualification="Raters")
    posted = {name: value for name, value in posted.items() if not name.startswith("rule-")}
    return posted | GRADED | {"option-rubric": json.dumps(RUBRIC), "option-agree": "0", "option-by": ""} | other


def test_a_round_with_gold_criteria_is_launched_on_its_page_and_passes_who_is_near_it(
    project: Any, alice: Any, bob: Any, carol: Any, client: Any, mark: Canaries, tmp_path: Path
) -> None:
    pool = made(project, tmp_path, "wells", 4, points=5, note=mark.text("note"))
    client.force_login(alice)
    new = reverse("round-new", args=[project.slug])
    proposed = one_line(client.get(new, {"task": "rate"}).content.decode())
    assert '<option value="grade" selected>' in proposed
    posted = round_form(pool)
    saved = client.post(new, posted)
    assert saved.status_code == 303
    found = QualificationRound.objects.get()
    assert (found.rule, found.batch.options["rubric"]) == (
        [{"figure": "grade", "comparator": ">=", "value": 0.75, "dataset": ""}],
        RUBRIC,
    )
    assert "&quot;gold&quot;: &quot;points&quot;" in client.get(saved.url).content.decode()
    assert client.post(saved.url, posted | {"launch": "1"}).status_code == 303
    run_due_work()
    found.batch.refresh_from_db()
    assert found.batch.state == "open"
    for worker, natural in ((bob, 4), (carol, 2)):
        site = Crawler(worker.user)
        assert rate_all(site, found.batch, worker, natural) == 3
        assert site.betrayals(mark.made) == []
    assert {one.attempt.worker_id: one.passed for one in round_results.results(found)} == {
        bob.pk: True,
        carol.pk: False,
    }


def test_a_round_whose_rubric_has_no_gold_is_refused_with_a_remedy(
    project: Any, alice: Any, client: Any, tmp_path: Path
) -> None:
    pool = made(project, tmp_path, "wells", 4, points=5)
    scale = {name: value for name, value in RUBRIC["criteria"][0].items() if name != "gold"}
    client.force_login(alice)
    posted = round_form(pool, launch="1", **{"option-rubric": json.dumps({**RUBRIC, "criteria": [scale]})})
    shown = client.post(reverse("round-new", args=[project.slug]), posted)
    run_due_work()
    assert "none of the fields that criteria of the rubric name as “gold”" in client.get(shown.url).content.decode()
    assert not project.batches.exists()


def test_hidden_gold_among_ratings_is_set_up_on_the_page_of_a_new_batch(
    project: Any, alice: Any, bob: Any, client: Any, mark: Canaries, tmp_path: Path
) -> None:
    asked = made(project, tmp_path, "asked", 8, points=None)
    known = made(project, tmp_path, mark.text("known"), 5, points=5)
    client.force_login(alice)
    posted = forms_of_batches.form(
        asked, task="rate", sample="", checks=[known.pk], check_percent="40", launch="1",
        check_after="2", check_warn="50", check_pause="10", **{"option-rubric": json.dumps(RUBRIC)},
    )  # fmt: skip
    made_now = client.post(reverse("batch-new", args=[project.slug]), posted)
    assert made_now.status_code == 303
    run_due_work()
    batch = project.batches.get()
    site = Crawler(bob.user)
    assert rate_all(site, batch, bob, 2) > 8
    assert site.betrayals(mark.made) == []
    assert {row.grade for row in bob.assignments.filter(batch=batch, hit__check_item=True)} == {0.25}
    assert "scored 25 percent" in " ".join(text for name, _status, text in site.sent if name == "feedback")
