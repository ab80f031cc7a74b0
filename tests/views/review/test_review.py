"""Reading answers: the requester's pages, and what the worker sees of it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.review import review_decisions, review_samples, worker_feedback
from annotation.flow.review.review_decisions import Decision
from annotation.models import Batch, Feedback, Review
from annotation.registry import task_type
from tests.flow.acting import submit, take
from tests.flow.compositions import change, compose, compose_batch
from tests.views.console import at


@pytest.fixture
def compositions(project: Any, dataset: Any) -> Batch:
    return compose_batch(project, dataset)


@pytest.fixture
def boss(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def page(name: str, *args: Any) -> str:
    return at(name, *args, batch="compositions")


def posted(row: Any, decision: str, **more: Any) -> dict[str, Any]:
    return {"decision": decision, "revision": row.revision, "seen": 0} | more


def test_only_tasks_with_criteria_are_read(boss: Any, batch: Batch, compositions: Batch) -> None:
    assert boss.get(at("review")).status_code == 404
    assert at("review") not in boss.get(at("batch-decide")).content.decode()
    assert page("review") in boss.get(page("batch-decide")).content.decode()


def test_the_overview_says_how_far_each_worker_is_read(boss: Any, compositions: Batch, bob: Any, carol: Any) -> None:
    rows = [compose(worker, compositions) for worker in (bob, bob, carol)]
    response = boss.post(page("review-draw"), {"size": "1"}, follow=True)
    assert "2 responses drawn for review." in response.content.decode()
    review_decisions.decide(rows[2], 1, Decision("accepted", {}), reviewer=None)
    html = boss.get(page("review")).content.decode()
    assert "0 of 1 reviewed" in html
    assert "1 of 1 reviewed" in html
    assert bob.pseudonym in html
    assert "bob" not in html
    boss.post(page("review-draw"), {"size": "5", "worker": bob.pk})
    assert [draw.assignments.count() for draw in compositions.review_samples.order_by("number")] == [2, 1]
    assert "have been drawn already" in boss.post(page("review-draw"), {"size": "5"}, follow=True).content.decode()


@pytest.mark.parametrize("size", ["", "0", "501", "x", "-1", "9" * 12])
def test_odd_sizes_draw_nothing(boss: Any, compositions: Batch, bob: Any, size: str) -> None:
    compose(bob, compositions)
    boss.post(page("review-draw"), {"size": size})
    assert not compositions.review_samples.exists()


def test_a_decision_leads_to_the_next_unread_answer_with_a_way_back(boss: Any, compositions: Batch, bob: Any) -> None:
    rows = {row.public_id: row for row in (compose(bob, compositions) for _ in range(3))}
    review_samples.draw(compositions, seed=1)
    first, second, _third = (rows[place.public_id] for place in review_samples.queue(compositions))
    address = page("review-answer", first.public_id)
    assert "0 of 3 reviewed" in boss.get(address).content.decode()
    marks = {"mark-correct": "yes", "mark-coherent": "no"}
    response = boss.post(address, posted(first, "discarded", reason="Two questions.", **marks))
    assert response.status_code == 303
    assert response["Location"] == page("review-answer", second.public_id) + f"?undo={first.public_id}"
    html = boss.get(response["Location"]).content.decode()
    assert "1 of 3 reviewed" in html
    assert "<strong>excluded</strong>" in html
    review = Review.objects.get()
    assert (review.decision, review.reason, review.marks) == (
        "discarded",
        "Two questions.",
        {"correct": True, "coherent": False},
    )
    assert review.reviewer.username == "alice"
    undone = boss.post(page("review-undo", first.public_id))
    assert undone["Location"] == address
    response = boss.get(address)
    assert response.context["standing"].state == "unread"
    assert response.context["filled"]["reason"] == "Two questions."


def test_the_last_decision_leads_back_to_the_overview(boss: Any, compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions)
    review_samples.draw(compositions)
    response = boss.post(page("review-answer", row.public_id), posted(row, "accepted"), follow=True)
    assert response.redirect_chain[0][0] == f"{page('review')}?undo={row.public_id}"
    assert "All drawn responses are reviewed." in response.content.decode()


def test_reading_one_worker_stays_with_that_worker(boss: Any, compositions: Batch, bob: Any, carol: Any) -> None:
    mine = [compose(bob, compositions) for _ in range(2)]
    compose(carol, compositions)
    review_samples.draw(compositions)
    places = review_samples.queue(compositions, worker=bob.pk)
    address = page("review-answer", places[0].public_id) + f"?worker={bob.pk}"
    response = boss.post(address, posted(mine[0], "accepted"))
    assert response["Location"].startswith(page("review-answer", places[1].public_id) + f"?worker={bob.pk}")


def test_what_is_missing_is_said_and_what_was_typed_stays(boss: Any, compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions)
    address = page("review-answer", row.public_id)
    response = boss.post(address, posted(row, "returned", message=" ", **{"mark-correct": "no"}))
    assert response.status_code == 422
    assert "Tell the worker what to change." in response.content.decode()
    assert [row["value"] for row in response.context["filled"]["criteria"]] == [False, None]


def test_an_answer_that_changed_meanwhile_is_shown_again(boss: Any, compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions)
    form = posted(row, "edited", text="My better wording?")
    change(row, "Which white tower is it?")
    response = boss.post(page("review-answer", row.public_id), form)
    assert response.status_code == 409
    assert "The worker has changed this response in the meantime" in response.content.decode()
    assert response.context["text"] == "Which white tower is it?"
    assert response.context["filled"]["text"] == "My better wording?"
    assert not Review.objects.exists()


def test_a_repaired_answer_is_read_again_beside_what_was_asked(boss: Any, compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions, "Which tower?")
    review_decisions.decide(row, 1, Decision("returned", {}, reason="Say beside what."), reviewer=None)
    change(row, "Which tower is beside the well?")
    html = boss.get(page("review-answer", row.public_id)).content.decode()
    assert "Say beside what." in html
    assert "<del>Which tower?</del>" in html
    listed = boss.get(page("review") + "?show=repaired").context["page"]
    assert [line["standing"].assignment for line in listed] == [row]


def test_the_list_shows_what_was_asked_for(boss: Any, compositions: Batch, bob: Any, carol: Any) -> None:
    first, second = compose(bob, compositions), compose(carol, compositions)
    review_samples.draw(compositions)
    review_decisions.decide(first, 1, Decision("accepted", {}), reviewer=None)

    def listed(**query: Any) -> list[Any]:
        return [line["standing"].assignment for line in boss.get(page("review"), query).context["page"]]

    assert listed() == [second]
    assert listed(show="decided") == [first]
    assert listed(show="discarded") == []
    assert sorted(row.pk for row in listed(show="all")) == [first.pk, second.pk]
    assert listed(show="all", worker=carol.pk) == [second]
    assert listed(show="nonsense", worker="x", since="nowhere") == [second]


def test_one_of_several_is_chosen_side_by_side(boss: Any, compositions: Batch, bob: Any, carol: Any) -> None:
    first, second = (compose(worker, compositions, f"Which tower, {worker.pk}?") for worker in (bob, carol))
    several = boss.get(page("review") + "?show=choose").context["several"]
    assert [row["hit"] for row in several] == [first.hit]
    hit = page("hit", first.hit.public_id)
    assert "Choose A" in boss.get(hit).content.decode()
    chosen = boss.post(page("review-choose", second.public_id), {"revision": "1"})
    assert chosen["Location"] == hit
    states = {row["standing"].assignment: row["standing"].state for row in boss.get(hit).context["standings"]}
    assert states == {first: "unread", second: "accepted"}
    assert not boss.get(page("review") + "?show=choose").context["several"].object_list
    back = boss.post(page("review-choose", first.public_id), {"revision": "1", "after": "several"})
    assert back["Location"] == page("review") + "?show=choose"


def test_feedback_is_sent_listed_and_withdrawn_while_unread(boss: Any, compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions)
    address = page("review-answer", row.public_id)
    assert boss.post(page("review-feedback", row.public_id), {"feedback": "Fewer words."})["Location"] == address
    result = Feedback.objects.get()
    assert (result.worker, result.batch, result.assignment, result.text) == (bob, compositions, row, "Fewer words.")
    assert "Fewer words." in boss.get(address).content.decode()
    fragment = boss.post(
        page("review-feedback", row.public_id), {"feedback": "And one hop more."}, headers={"HX-Request": "true"}
    )
    assert fragment.status_code == 200
    assert "<html" not in fragment.content.decode()
    boss.post(page("review-withdraw", result.pk))
    assert [f.text for f in Feedback.objects.all()] == ["And one hop more."]
    worker_feedback.acknowledge(Feedback.objects.get())
    boss.post(page("review-withdraw", Feedback.objects.get().pk))
    assert Feedback.objects.count() == 1


def test_a_worker_reads_feedback_before_the_next_assignment(
    client: Any, compositions: Batch, batch: Batch, bob: Any, carol: Any
) -> None:
    row = compose(bob, compositions, "Which tower is it?")
    notes = [worker_feedback.feedback(bob, compositions, text=t, author=None, assignment=row) for t in ("One.", "Two.")]
    result = worker_feedback.feedback(carol, compositions, text="For Carol.", author=None)
    client.force_login(bob.user)
    client.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})
    for note in notes:
        sent = client.post(f"/work/batches/{batch.pk}/start/")
        assert sent["Location"] == f"/feedback/{note.pk}/?batch={batch.pk}"
        html = client.get(sent["Location"]).content.decode()
        assert note.text in html
        assert "Which tower is it?" in html
        following = client.post(f"/feedback/{note.pk}/", {"batch": batch.pk})
    assert following["Location"].startswith("/assignments/")
    assert client.get(f"/feedback/{result.pk}/").status_code == 404
    assert client.post(f"/feedback/{result.pk}/").status_code == 404
    assert worker_feedback.first_waiting(carol) == result


def test_taking_something_up_again_is_no_way_round_feedback(client: Any, batch: Batch, bob: Any) -> None:
    client.force_login(bob.user)
    client.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})
    row = batch.assignments.get()
    client.post(f"/assignments/{row.public_id}/return/")
    note = worker_feedback.feedback(bob, batch, text="Read more slowly.", author=None)
    address = f"/assignments/{row.public_id}/take-up/"
    assert client.post(address)["Location"] == f"/feedback/{note.pk}/?batch={batch.pk}"
    client.post(f"/feedback/{note.pk}/")
    assert client.post(address)["Location"] == f"/assignments/{row.public_id}/"


@pytest.mark.parametrize("closed", [False, True])
def test_a_returned_answer_is_repaired_from_the_workers_home(
    client: Any, compositions: Batch, bob: Any, closed: bool
) -> None:
    row = compose(bob, compositions, "Which tower stands beside the well that Ana Brook dug?")
    review_decisions.decide(row, 1, Decision("returned", {}, reason="Say it in fewer words."), reviewer=None)
    if closed:
        batch_launch.close(compositions)
    client.force_login(bob.user)
    home = client.get("/work/").content.decode()
    assert "Changes requested: 1" in home
    assert "Say it in fewer words." in home
    address = f"/assignments/{row.public_id}/"
    html = client.get(address).content.decode()
    assert "Say it in fewer words." in html
    assert "data-readonly" not in html
    question = "Which tower stands by the well that Ana Brook dug?"
    form = {"key": "1.repair", "bridge-1": "same", "question": question, "version": "0", "active_seconds": "3"}
    reasons = {f"override-{name}": "It is shorter." for name in ("hop_missing-1", "hop_missing-2", "repeats_hop-1")}
    assert client.post(f"{address}draft/", form).status_code == 200
    sent = client.post(f"{address}submit/", form | reasons)
    assert (sent.status_code, sent["Location"]) == (303, "/work/")
    home = client.get("/work/").content.decode()
    assert "Thank you for the changes." in home
    assert "Changes requested" not in home
    row.refresh_from_db()
    assert row.current.answer["question"] == question
    assert review_decisions.responses_with_reviews([row])[0].state == "repaired"
    html = client.get(address).content.decode()
    assert ("data-readonly" in html) == closed
    assert ('id="missing" class="needs-js" hidden' in html) == closed


def test_a_response_without_a_question_is_asked_no_criterion_of_questions(
    boss: Any, compositions: Batch, bob: Any
) -> None:
    row = take(bob, compositions)
    payload = row.hit.payload
    answer = {"bridges": ["different"], "why": "", "question": "", "overrides": {}, "pasted": 0}
    assert not task_type("compose").check(payload, answer)
    submit(row, answer)
    html = boss.get(page("review-answer", row.public_id)).content.decode()
    assert "data-mark=" not in html
    assert "Is the worker right that this bridge does not hold?" in html
    assert "confirms the criteria" not in html
    boss.post(page("review-answer", row.public_id), posted(row, "accepted", revision=1))
    assert Review.objects.get().marks == {}
