"""The report's tables of suggestions, beside a second implementation from the stored responses."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from statistics import fmean, geometric_mean, median
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger
from annotation.flow.reports import batch_scores, dataset_documents, methods_facts
from annotation.flow.review import assignment_approval, gold_looks, problem_reports
from annotation.flow.work import submissions
from annotation.models import Batch
from annotation.pure.reports.methods import in_words
from annotation.pure.reports.participation_flow import flow_tables
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.tables import cell_text, note_of
from tests.flow.acting import newcomer, take
from tests.flow.suggesting import MODEL, consented, suggesting
from tests.replaying import replayed

pytestmark = pytest.mark.django_db
near = pytest.approx
ITEMS, K, PEOPLE = 32, 2, 8


@pytest.fixture
def batch(project: Any, tmp_path: Path) -> Batch:
    """The model always says yes; people mostly say no where they see nothing, and follow it half of the time."""
    consented(project)

    def make() -> Batch:
        made = suggesting(project, tmp_path, size=ITEMS, k=K)
        rng = random.Random(5)
        workers = [newcomer(project, f"worker-{k}") for k in range(PEOPLE)]
        while taken := [row for worker in workers if (row := take(worker, made))]:
            for row in taken:
                yes = rng.random() < (0.65 if row.suggested else 0.3)
                seconds = rng.uniform(4, 9) * (0.5 if row.suggested else 1)
                said = {"sound": "yes" if yes else "no"}
                submissions.submit(row, said, key="0.form", base=0, active_seconds=seconds)
        return made

    return replayed("suggestions followed", make, project)


def rows_of(content: Any, name: str) -> list[dict[str, Any]]:
    found = table_of(content, name)
    assert found, name
    return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]


def test_pull_and_shares_are_those_of_a_second_implementation(batch: Batch) -> None:
    content = batch_scores.score_batch(batch)
    given: dict[int, dict[bool, list[bool]]] = {}
    for row in batch.assignments.all():
        assert row.current is not None
        given.setdefault(row.hit_id, {True: [], False: []})[bool(row.suggested)].append(
            row.current.answer["sound"] == "yes"
        )
    every, right, wrong = rows_of(content, "suggestions-sound")
    shown = fmean(fmean(of[True]) for of in given.values())
    blind = fmean(fmean(of[False]) for of in given.values())
    assert (every["Same when shown"]["value"], every["Same when blind"]["value"]) == near((shown, blind))
    assert every["Pull"]["value"] == near(shown - blind)
    assert every["Pull"]["low"] < shown - blind < every["Pull"]["high"]
    assert (every["Items"], every["Responses with it"], every["Responses without"]) == (ITEMS, ITEMS * K, ITEMS * K)
    # two blind responses: neither has two others, and there is no gold
    assert [(row["Items"], row["Pull"]["value"]) for row in (right, wrong)] == [(0, None)] * 2
    arms = rows_of(content, "suggestion-arms")
    times = [
        [row.current.active_seconds for row in batch.assignments.all() if row.suggested is arm and row.current]
        for arm in (False, True)
    ]
    assert [row["Median seconds"] for row in arms] == near([median(one) for one in times], abs=0.05)
    assert arms[1]["Left unchanged"]["value"] == near(shown)
    assert [row["Responses"] for row in arms] == [ITEMS * K] * 2
    ratio = geometric_mean(times[1]) / geometric_mean(times[0])
    note = note_of(table_of(content, "suggestion-arms") or {})
    assert f"On the 32 items with responses of both kinds, the mean time with a suggestion is {ratio:.2f} [" in note


def test_headline_agreement_and_models_are_of_blind_responses_alone(batch: Batch) -> None:
    content = batch_scores.score_batch(batch)
    blind = [row.current.answer["sound"] for row in batch.assignments.filter(suggested=False) if row.current]
    assert content["counts"] == {"items": ITEMS, "responses": ITEMS * K, "workers": PEOPLE}
    alone = next(row for row in rows_of(content, "people-and-model-sound") if "People alone" in str(row["Figure"]))
    assert alone["Share"]["value"] == near(fmean(said == "yes" for said in blind))
    assert alone["Items used, judged by people"] == ITEMS


def test_excluded_items_are_left_out_and_few_have_no_figure(batch: Batch) -> None:
    for hit in batch.hits.all()[:3]:
        problem_reports.exclude(hit, reason="Two questions")
    every = rows_of(batch_scores.score_batch(batch), "suggestions-sound")[0]
    assert (every["Items"], every["Responses with it"]) == (ITEMS - 3, K * (ITEMS - 3))
    assert not {"Pull", "Same when shown", "Same when blind"} & set(every), "no column of what nobody knows"


def test_the_page_has_the_tables_and_pools_only_where_it_is_chosen(batch: Batch, alice: Any, client: Any) -> None:
    batch_launch.close(batch)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    address = reverse("report", args=[batch.project.slug, batch.slug])
    html = client.get(address).content.decode()
    assert "Suggestions followed" in html
    assert "Work with and without suggestions" in html
    assert "Pool with responses that started with a suggestion" in html
    assert "These figures pool" not in html
    batch_scores.score_batch(batch, part=batch_scores.BatchPart(pooled=True))
    pooled = client.get(address, {"pooled": "1"}).content.decode()
    assert f"These figures pool {ITEMS * K} blind responses with {ITEMS * K} that started" in pooled
    assert "These figures cover only part of the batch." not in pooled


def test_a_report_is_out_of_date_once_a_suggested_response_comes(project: Any, tmp_path: Path) -> None:
    batch = suggesting(project, tmp_path, size=1, k=1)
    batch_scores.score_batch(batch)
    for name in ("ann", "ben"):
        row = take(newcomer(project, name), batch)
        assert row is not None
        batch_scores.score_batch(batch)
        submissions.submit(row, {"sound": "no"}, key="0.a", base=0, active_seconds=1)
        assert batch_scores.cached_report(batch) is None, row.suggested


def test_rejected_responses_that_started_with_a_suggestion_are_counted_and_lost_to_no_visit(
    project: Any, tmp_path: Path
) -> None:
    ledger.deposit(project, Decimal(9), key="test")
    batch = suggesting(project, tmp_path, size=2, k=1, auto_approval=86_400, reward=Decimal("0.10"))
    workers = [newcomer(project, name) for name in ("ann", "ben")]
    while taken := [row for worker in workers if (row := take(worker, batch))]:
        for row in taken:
            submissions.submit(row, {"sound": "no"}, key="0.a", base=0, active_seconds=1)
    for row in batch.assignments.all():
        assert assignment_approval.reject(row, text="Not read")
    assert "4 responses were rejected and not paid" in in_words(methods_facts.facts_of(batch, None))
    content = batch_scores.score_batch(batch)
    _of_people, of_responses = flow_tables(content["flow"])  # one may have had suggestions alone, by the draw
    lost = [row for row in of_responses["rows"] if row[0] is None]
    assert [(cell_text(why), number) for _step, why, number in lost] == [
        ("Started with a suggestion: counted apart", 2)
    ]


def test_documents_and_pages_say_which_responses_started_with_a_suggestion(
    batch: Batch, client: Client, alice: Any
) -> None:
    shown = batch.assignments.filter(suggested=True).count()
    facts = methods_facts.facts_of(batch, None)
    assert (facts.answers, facts.suggested, *facts.per_hit, *facts.responses) == (ITEMS * K, shown, K, K, K, K)
    words = in_words(facts)
    assert f"the model {MODEL}, marked as a suggestion" in words
    assert f"started with one ({shown})" in words
    sheet = dataset_documents.datasheet_of(batch.datasets.get())
    assert f"Responses that started with a suggestion: {shown}, of the model `{MODEL}`" in sheet
    client.force_login(alice)
    batch_scores.score_batch(batch)
    hit = batch.hits.get(pk=min(gold_looks.hidden_keys(list(batch.hits.values_list("pk", flat=True)), alice)))
    where = [batch.project.slug, batch.slug]
    mark = ">with suggestion</span>"
    address = reverse("hit", args=[*where, hit.public_id])
    assert mark not in client.get(address).content.decode()  # still to be adjudicated by this requester
    client.post(reverse("hit-open", args=[*where, hit.public_id]))
    assert client.get(address).content.decode().count(mark) == K
    url = reverse("batch-assignments", args=where)
    page = client.get(url, {"show": "submitted"})
    rows = page.context["page"].object_list
    assert page.content.decode().count(mark) == sum(row.suggested and not row.name_hidden for row in rows) > 0
    assert reverse("model-predictions", args=where) in client.get(reverse("report", args=where)).content.decode()
    assert "Workers see only those of" in client.get(reverse("model-predictions", args=where)).content.decode()
