"""Ratings in the rest of the product: two adjudicators, experiments, power, copies, erasure, webhooks, `call`."""

from __future__ import annotations

import json
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch, experiments
from annotation.flow.data.dataset_files import examples_of
from annotation.flow.data.dataset_import import ImportRefused, import_dataset
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.money.wages import earnings
from annotation.flow.people import worker_erasure
from annotation.flow.reports import arm_scores, batch_scores, power_plan
from annotation.flow.review import adjudication, assignment_approval, gold_in_doubt, results_dataset, worker_feedback
from annotation.flow.review.response_import import import_responses
from annotation.flow.work import arm_draws
from annotation.models import Batch, Dataset, Member, User
from annotation.pure.data.column_mapping import ColumnMapping
from annotation.pure.reports.tables import cell_text, note_of, sentence
from annotation.webhooks import subscriptions
from annotation.webhooks.models import WebhookEvent
from annotation.webhooks.protocol import KINDS
from tests.batches import create_batch
from tests.flow.acting import newcomer, submit, take
from tests.management.conftest import Run, run
from tests.tasks.html_form import read_form

pytestmark = pytest.mark.django_db
__all__ = ["run"]
JSON = dict[str, Any]
FAITHFUL = {"name": "faithful", "ask": "Faithful?", "scale": [1, 5], "gold": "points"}
STEP = {"name": "step", "ask": "Supported?", "each": "steps", "choice": ["yes", "no"]}
WHY = {"name": "why", "ask": "Why not?", "text": "short", "if": {"faithful": [1, 2]}}
RUBRIC = {"show": ["text"], "criteria": [FAITHFUL, STEP, WHY]}
HIGH: JSON = {"faithful": 5, "step": ["yes", "no"], "why": None}
LOW: JSON = {"faithful": 1, "step": ["yes", "yes"], "why": "It is wrong."}


@pytest.fixture
def records(project: Any, tmp_path: Path) -> Dataset:
    file = tmp_path / "records.jsonl"
    rows = [{"id": f"r{k}", "text": f"Well {k}.", "steps": ["Dig.", "Sum."], "points": 5} for k in range(10)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_dataset(project, file, format="jsonl", name="records", mapping=ColumnMapping())
    return Dataset.objects.get(slug="records")


def launched(records: Dataset, name: str, rubric: JSON = RUBRIC, **more: Any) -> Batch:
    made = {"task": "rate", "options": {"rubric": rubric}, "instructions": "Rate.", "assignments_per_hit": 2} | more
    batch = create_batch(records.project, name, datasets=[records], **made)
    batch_launch.launch(batch)
    return batch


def test_a_value_that_has_to_be_a_list_is_asked_for_as_a_list(records: Dataset, tmp_path: Path) -> None:
    topics = {"name": "topics", "ask": "Which topics?", "choices": ["wells", "fells"]}
    batch = launched(records, "topics", {"show": ["text"], "criteria": [topics]})
    for given, wrong in (
        ("wells", "Give a list, even of a single value."),
        ([], "Choose at least one of the answers."),
    ):
        row = {"item": 0, "worker": "ann", "answer": {"topics": given}}
        file = tmp_path / "said.jsonl"
        file.write_text(json.dumps(row))
        with pytest.raises(ImportRefused, match=wrong):
            import_responses(batch, file)


def rate_all(worker: Any, batch: Batch, answer: JSON) -> None:
    while row := take(worker, batch):
        submit(row, answer)


@pytest.fixture
def disputed(records: Dataset, bob: Any, carol: Any) -> Batch:
    batch = launched(records, "disputed", two_adjudicators=True)
    rate_all(bob, batch, HIGH)
    rate_all(carol, batch, LOW)
    return batch


def write(client: Any, user: User, batch: Batch, hit: Any, **fields: str) -> Any:
    """Decide on the adjudication page, as it opens, with these fields."""
    client.force_login(user)
    page = reverse("adjudicate-hit", args=["wells", batch.slug, hit.public_id])
    client.post(reverse("hit-open", args=["wells", batch.slug, hit.public_id]))
    _action, shown = read_form(client.get(page).content.decode(), "decide")
    return client.post(page, {**shown, "write": "1", **fields})


def test_two_adjudicators_decide_apart_and_agree_by_the_result(
    client: Any, disputed: Batch, alice: User, project: Any
) -> None:
    dora = User.objects.create_user("dora")
    Member.objects.create(project=project, user=dora)
    hits = list(disputed.hits.order_by("item__position")[:2])
    same = {"r-faithful": "5", "r-step-1": "no"}
    for user in (alice, dora):
        assert write(client, user, disputed, hits[0], **same).status_code == 303
    assert adjudication.agreement(disputed) == (1, 1)
    html = client.get(reverse("hit", args=["wells", disputed.slug, hits[0].public_id])).content.decode()
    assert '<q class="long">faithful: 5; step: yes × 1, no × 1</q>' in html
    write(client, alice, disputed, hits[1], **same)
    write(client, dora, disputed, hits[1], **same | {"r-faithful": "4"})
    assert adjudication.agreement(disputed) == (1, 2)
    assert {one.pk for one in adjudication.queue(disputed, alice)} == {
        hit.pk for hit in disputed.hits.exclude(pk=hits[0].pk)
    }
    page = reverse("adjudicate-hit", args=["wells", disputed.slug, hits[1].public_id])
    shown = client.get(page).content.decode()
    for value in (4, 5):
        assert f"“faithful: {value}; step: yes × 1, no × 1”" in shown
    assert "{&quot;" not in shown.partition("<main")[2].partition("Choose A")[0]
    results_dataset.create_results_dataset(disputed, name="decided")
    [first] = examples_of(Dataset.objects.whole().get(slug="decided"))
    assert first.extra["ratings"]["faithful"]["value"] == 5
    assert [cell["value"] for cell in first.extra["ratings"]["step"]] == ["yes", "no"]


def test_gold_in_doubt_is_not_offered(client: Any, disputed: Batch, alice: User) -> None:
    assert not gold_in_doubt.is_detectable(disputed)
    client.force_login(alice)
    html = client.get(reverse("batch-decide", args=["wells", disputed.slug])).content.decode()
    assert reverse("adjudicate", args=["wells", disputed.slug]) in html
    assert "doubt" not in html


def test_power_takes_a_response_for_right_where_all_is_as_gold_has_it(disputed: Batch) -> None:
    plan = {"kind": "unpaired", "items": 20, "answers": 2, "workers": 10}
    assert power_plan.plan(plan, pilot=disputed)["pilot"]["rate"] == 0.5


def test_power_takes_a_response_that_fulfils_an_expression_for_right(
    records: Dataset, bob: Any, carol: Any, alice: User, client: Any, run: Run
) -> None:
    """Without gold, and however many must agree on a result."""
    ungraded = {name: value for name, value in FAITHFUL.items() if name != "gold"}
    options = {"rubric": {"show": ["text"], "criteria": [ungraded, STEP, WHY]}, "agree": 2}
    batch = launched(records, "ungraded", options=options)
    rate_all(bob, batch, HIGH)
    rate_all(carol, batch, LOW)
    plan = {"kind": "unpaired", "items": 20, "answers": 2, "workers": 10}
    with pytest.raises(Refused, match="needs at least 20 responses with gold, or ratings and what counts"):
        power_plan.plan(plan, pilot=batch)
    for counts in ("not faithful < 5", "faithful >= 1 and step == yes"):
        found = power_plan.plan(plan | {"counts": counts}, pilot=batch)
        assert (found["pilot"]["rate"], found["pilot"]["counts"]) == (0.5, counts)
    said = "50 % were right: they fulfil “"
    assert said + counts in " ".join(sentence(part) for part in found["paragraph"])
    client.force_login(alice)
    asked = plan | {"pilot": "ungraded", "counts": counts, "seed": 0}
    assert said + counts in unescape(client.get(reverse("power", args=["wells"]), asked).content.decode())
    printed = run("power", "--pilot", "ungraded", "--counts", counts, "--items", "20", "--project", "wells", "--json")
    assert printed.document["pilot"]["rate"] == 0.5


@pytest.mark.parametrize(
    ("counts", "pilot", "why"),
    [
        ("faithfull >= 1", True, "faithfull"),
        ("faithful >= 1", False, "It is about the ratings of a pilot. Choose one."),
    ],
)
def test_an_expression_that_no_pilot_fulfils_is_refused_by_all_doors(
    counts: str, pilot: bool, why: str, disputed: Batch, alice: User, client: Any, run: Run
) -> None:
    client.force_login(alice)
    asked = {"kind": "unpaired", "items": 20, "answers": 2, "workers": 10, "counts": counts, "seed": 0}
    shown = client.get(reverse("power", args=["wells"]), asked | ({"pilot": "disputed"} if pilot else {}))
    assert (shown.status_code, why in unescape(shown.content.decode())) == (422, True)
    ended = run("power", "--counts", counts, *(["--pilot", "disputed"] if pilot else []), "--project", "wells")
    assert (ended.code != 0, why in ended.err) == (True, True)


def test_a_batchs_pages_speak_of_ratings(disputed: Batch, alice: User, client: Any) -> None:
    batch_scores.score_batch(disputed)
    client.force_login(alice)
    workers = client.get(reverse("batch-workers", args=["wells", "disputed"])).content.decode()
    assert "Answer F1" not in workers
    assert reverse("report", args=["wells", "disputed"]) + "#table-by-worker" in workers
    overview = unescape(client.get(reverse("batch", args=["wells", "disputed"])).content.decode())
    assert '"answer": { "faithful": …, "step": …, "why": … }}' in " ".join(overview.split())
    assert '"support"' not in overview


@pytest.mark.parametrize(("criterion", "is_told"), [(FAITHFUL, True), (STEP, False)])
def test_tables_by_position_explain_scores_only_where_there_is_gold(
    criterion: JSON, is_told: bool, records: Dataset, bob: Any
) -> None:
    batch = launched(records, "first", {"show": ["text"], "criteria": [criterion]})
    rate_all(bob, batch, {criterion["name"]: HIGH[criterion["name"]]})
    [table, *_others] = batch_scores.score_batch(batch)["by_position"]
    assert ("grade against gold" in note_of(table)) is is_told


def test_arms_are_compared_by_the_criteria_that_they_have_in_common(project: Any, records: Dataset) -> None:
    natural = {"name": "natural", "ask": "Natural?", "scale": [1, 5], "gold": "points"}
    arms = [
        launched(
            records, name, {"show": ["text"], "criteria": [FAITHFUL, natural | {"scale": scale}]}, assignments_per_hit=8
        )
        for name, scale in (("one", [1, 5]), ("two", [1, 6]))
    ]
    made = experiments.join(project, "study", arms, each="order", title="Rate")
    for k in range(8):
        worker = newcomer(project, f"w{k}")
        arm = arm_draws.begin(worker, made)
        while arm is not None:
            rate_all(worker, arm, {"faithful": 5, "natural": 1 if arm == arms[0] else 5})
            arm = arm_draws.next_arm(worker, arm)
    tables = {table["name"]: table for table in arm_scores.compute(made)["tables"]}
    assert [cell_text(cell) for cell in tables["arm-contrasts"]["rows"][0]] == ["one − two", "0.0", "0.0"]
    assert all("the same in all arms count: faithful." in note_of(table) for table in tables.values())


def test_the_ratings_of_a_worker_who_is_erased_stay_under_the_pseudonym(disputed: Batch, bob: Any) -> None:
    before = batch_scores.score_batch(disputed)
    assert worker_erasure.erase_worker(bob)
    assert batch_scores.score_batch(disputed)["tables"] == before["tables"]


def test_webhooks_hold_no_rating(records: Dataset, project: Any, bob: Any) -> None:
    subscriptions.add(project, url="http://127.0.0.1:45998/", kinds=list(KINDS))
    batch = launched(records, "told")
    row = take(bob, Batch.objects.select_related("project").get(pk=batch.pk))
    submit(row, LOW)
    text = json.dumps([event.content for event in WebhookEvent.objects.all()])
    assert "assignment.submitted" in text
    assert not [said for said in ("It is wrong.", "faithful", "yes") if said in text]


def test_a_batch_is_made_by_call_with_a_rubric_as_json_or_of_a_file(
    run: Run, records: Dataset, alice: User, tmp_path: Path
) -> None:
    common = ("task=rate", "datasets=records", "paid=false", "--project", "wells", "--json")
    options = json.dumps({"rubric": RUBRIC})
    (tmp_path / "options.json").write_text(options)
    for title, given in (("One", options), ("Two", f"@{tmp_path / 'options.json'}")):
        made = run("call", "createBatch", f"title={title}", f"options={given}", *common)
        assert (made.code, made.document["options"]["rubric"]) == (0, RUBRIC), made.err
    wrong = json.dumps({"rubric": RUBRIC | {"criteria": [FAITHFUL | {"scale": [5, 1]}]}})
    ended = run("call", "createBatch", "title=Three", f"options={wrong}", *common)
    assert (ended.code, "options.rubric: criteria[0].scale: Give the lowest" in ended.err) == (2, True)
    assert Batch.objects.count() == 2


def test_feedback_says_in_words_what_a_worker_rated(client: Any, records: Dataset, project: Any) -> None:
    batch, worker = launched(records, "first"), newcomer(project, "w1")
    row = take(worker, batch)
    assert row is not None
    submit(row, LOW)
    note = worker_feedback.feedback(worker, batch, text="Read the steps.", author=None, assignment=row)
    client.force_login(worker.user)
    html = client.get(reverse("feedback", args=[note.pk])).content.decode()
    assert "Read the steps." in html
    assert "Faithful? 1" in html
    assert "{&quot;" not in html


@pytest.mark.parametrize(("said", "first"), [(["yes", "no"], None), (["yes", "yes"], "values")])
def test_a_report_begins_with_a_picture_of_its_figures_or_with_none(
    said: list[str], first: str | None, client: Any, alice: Any, records: Dataset, project: Any
) -> None:
    """Where each item has the same share there is no interval to draw, only the flow of people."""
    batch = launched(records, "first", {"show": ["text"], "criteria": [STEP]}, assignments_per_hit=1)
    rate_all(newcomer(project, "w1"), batch, {"step": said})
    batch_scores.score_batch(batch)
    client.force_login(alice)
    lead = client.get(reverse("report", args=["wells", batch.slug])).context["lead"]
    assert (lead and lead["name"].partition("-")[0]) == first


def test_ratings_are_paid_approved_and_earned_as_other_responses(records: Dataset, project: Any, bob: Any) -> None:
    ledger.deposit(project, Decimal(20), key="budget")
    batch = launched(records, "paid", reward=Decimal("0.25"), auto_approval=7 * 24 * 3600, assignments_per_hit=1)
    rate_all(bob, batch, HIGH)
    first, second, *_others = batch.assignments.submitted().order_by("pk")
    assignment_approval.approve(first)
    assignment_approval.reject(second, text="Every step got a yes.")
    found = earnings(bob)
    assert (found.approved_owed, found.pending, found.rejected_count) == (Decimal("0.25"), Decimal("2.00"), 1)
