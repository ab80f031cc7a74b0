"""The pages on which a requester decides what people leave open."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from annotation.flow.reports import batch_scores
from annotation.flow.review import adjudication
from annotation.models import Adjudication, Assignment, Batch, BatchActivity, Hit, Member, Review, User
from annotation.registry import task_type
from tests.conftest import answer_to
from tests.flow import acting
from tests.replaying import replayed
from tests.views.console import at


@pytest.fixture
def open_batch(project: Any, dataset: Any, bob: Any, carol: Any) -> Batch:
    def make() -> Batch:
        made = acting.launched(project, "open", dataset, assignments_per_hit=2)
        acting.answer_all(bob, made)
        while row := acting.take(carol, made):
            acting.submit(row, answer_to(row) | {"kind": "typed", "text": "the far shore"})
        return made

    return replayed("two who disagree", make, project, dataset, bob, carol)


@pytest.fixture
def boss(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


def page(name: str, *args: Any) -> str:
    return at(name, *args, batch="open")


def pick_of(hit: Hit, worker: Any) -> dict[str, Any]:
    row = Assignment.objects.get(hit=hit, worker=worker)
    return {"pick": f"{row.public_id}.{row.revision}"}


def test_the_queue_says_what_waits_and_why(boss: Any, open_batch: Batch) -> None:
    html = boss.get(page("adjudicate")).content.decode()
    assert f"{open_batch.size} HITs to decide" in html
    assert html.count(">tied<") == open_batch.size
    assert page("adjudicate") in boss.get(page("batch-decide")).content.decode()


def test_a_pick_is_kept_and_leads_to_the_next_with_a_way_back(boss: Any, open_batch: Batch, carol: Any) -> None:
    first, second = adjudication.queue(open_batch)[:2]
    hit = Hit.objects.get(pk=first.pk)
    response = boss.post(page("adjudicate-hit", first.public_id), pick_of(hit, carol))
    assert response.status_code == 303
    assert response["Location"] == f"{page('adjudicate-hit', second.public_id)}?undo={first.public_id}"
    html = boss.get(response["Location"]).content.decode()
    assert "one answer chosen" in html
    assert f"{open_batch.size - 1} left" in html
    assert Review.objects.get().reviewer.username == "alice"
    boss.post(page("adjudicate-undo", first.public_id))
    assert adjudication.queue(open_batch)[0] == first


def writing(hit: Hit, worker: Any, text: str) -> dict[str, str]:
    row = Assignment.objects.get(hit=hit, worker=worker)
    return {"write": "1", "base": f"{row.public_id}.{row.revision}", "text": text}


def test_a_written_answer_is_kept_shown_and_undone(boss: Any, open_batch: Batch, carol: Any) -> None:
    first, second = adjudication.queue(open_batch)[:2]
    hit = Hit.objects.get(pk=first.pk)
    text = " ".join(hit.payload["paragraphs"][-1]["text"].split()[:2])
    response = boss.post(page("adjudicate-hit", first.public_id), writing(hit, carol, text))
    assert response["Location"] == f"{page('adjudicate-hit', second.public_id)}?undo={first.public_id}"
    assert "an answer of your own" in boss.get(response["Location"]).content.decode()
    assert (Review.objects.get().decision, Review.objects.get().text) == ("edited", text)
    html = boss.get(page("adjudicate-hit", first.public_id)).content.decode()
    assert "Your wording, based on" in html
    assert f">\n{text}</textarea>" in html
    boss.post(page("adjudicate-undo", first.public_id))
    assert adjudication.queue(open_batch)[0] == first


def test_what_cannot_stand_is_refused_beside_the_field_with_everything_typed(
    boss: Any, open_batch: Batch, bob: Any, carol: Any
) -> None:
    hit = Hit.objects.get(pk=adjudication.queue(open_batch)[0].pk)
    for worker in (bob, carol):
        response = boss.post(page("adjudicate-hit", hit.public_id), writing(hit, worker, "the <b> moon"))
        html = response.content.decode()
        assert response.status_code == 422
        assert "“the &lt;b&gt; moon” is not in any paragraph." in html
        assert ">\nthe &lt;b&gt; moon</textarea>" in html
        assert re.findall(r'data-base="([\w-]+)"[^>]* checked', html) == [
            Assignment.objects.get(hit=hit, worker=worker).public_id
        ]
    assert not Review.objects.exists()


def test_what_was_written_stays_on_the_page_when_the_worker_was_first(boss: Any, open_batch: Batch, carol: Any) -> None:
    hit = Hit.objects.get(pk=adjudication.queue(open_batch)[0].pk)
    wish = writing(hit, carol, "mine")
    row = Assignment.objects.get(hit=hit, worker=carol)
    acting.submit(row, answer_to(row) | {"kind": "typed", "text": "the near shore"}, key="1.form", base=1)
    response = boss.post(page("adjudicate-hit", hit.public_id), wish)
    assert response.status_code == 409
    assert ">\nmine</textarea>" in response.content.decode()


@pytest.mark.parametrize("base", ["", "nothing.1", "\0.1", "nothing.x", "."])
def test_nothing_is_written_on_what_is_no_answer_of_the_hit(boss: Any, open_batch: Batch, base: str) -> None:
    first = adjudication.queue(open_batch)[0]
    wish = {"write": "1", "base": base, "text": "somewhere"}
    assert boss.post(page("adjudicate-hit", first.public_id), wish).status_code == 404


def test_a_task_without_wordings_offers_picks_only(
    boss: Any, open_batch: Batch, carol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hit = Hit.objects.get(pk=adjudication.queue(open_batch)[0].pk)
    address = page("adjudicate-hit", hit.public_id)
    assert 'data-open-by="adjudicate-write"' in boss.get(address).content.decode()
    monkeypatch.setattr(type(task_type("answer")), "writes", "")
    assert "adjudicate-write" not in boss.get(address).content.decode()
    assert boss.post(address, writing(hit, carol, "somewhere")).status_code == 422
    assert not Review.objects.exists()


def test_leaving_out_wants_a_reason(boss: Any, open_batch: Batch) -> None:
    first = adjudication.queue(open_batch)[0]
    address = page("adjudicate-hit", first.public_id)
    response = boss.post(address, {"reason": " "})
    assert response.status_code == 422
    assert "Say why this HIT is excluded." in response.content.decode()
    assert boss.post(address, {"reason": "Two towers fit."}).status_code == 303
    hit = Hit.objects.get(pk=first.pk)
    assert (bool(hit.excluded_at), hit.exclusion_reason) == (True, "Two towers fit.")
    assert "Excluded: Two towers fit." in boss.get(address).content.decode()


def test_a_pick_of_what_changed_meanwhile_is_a_conflict(boss: Any, open_batch: Batch, carol: Any) -> None:
    hit = Hit.objects.get(pk=adjudication.queue(open_batch)[0].pk)
    wish = pick_of(hit, carol)
    row = Assignment.objects.get(public_id=wish["pick"].partition(".")[0])
    acting.submit(row, answer_to(row) | {"kind": "typed", "text": "the near shore"}, key="1.form", base=1)
    response = boss.post(page("adjudicate-hit", hit.public_id), wish)
    assert response.status_code == 409
    assert not Review.objects.exists()


@pytest.mark.parametrize("wish", [{"pick": "nothing.1"}, {"pick": "\0"}, {"pick": ""}])
def test_what_is_no_answer_of_the_hit_cannot_be_picked(boss: Any, open_batch: Batch, wish: dict[str, str]) -> None:
    first = adjudication.queue(open_batch)[0]
    assert boss.post(page("adjudicate-hit", first.public_id), wish).status_code == 404


def test_an_answer_of_another_hit_cannot_be_picked(boss: Any, open_batch: Batch, carol: Any) -> None:
    first, second = adjudication.queue(open_batch)[:2]
    wish = pick_of(Hit.objects.get(pk=second.pk), carol)
    assert boss.post(page("adjudicate-hit", first.public_id), wish).status_code == 404


def test_gold_and_names_come_after_the_decision(boss: Any, open_batch: Batch, bob: Any, carol: Any) -> None:
    first = adjudication.queue(open_batch)[0]
    hit = Hit.objects.get(pk=first.pk)
    address = page("adjudicate-hit", first.public_id)
    html = boss.get(address).content.decode()
    assert sorted(set(re.findall(r"Choose ([A-Z])", html))) == ["A", "B"]
    assert page("hit", first.public_id) not in html
    after = boss.post(address, pick_of(hit, carol))["Location"]
    for shown in (after, address):
        assert page("hit", first.public_id) in boss.get(shown).content.decode()
    opened = boss.get(page("hit", first.public_id)).content.decode()
    assert "mark-gold" in opened
    assert opened.count('class="badge good">accepted') == 1
    assert bob.pseudonym in opened
    assert carol.pseudonym in opened


def test_the_cause_is_chosen_beside_any_decision_and_can_be_changed(
    boss: Any, open_batch: Batch, bob: Any, carol: Any
) -> None:
    first, second = adjudication.queue(open_batch)[:2]
    hit = Hit.objects.get(pk=first.pk)
    address = page("adjudicate-hit", first.public_id)
    assert chosen_cause(boss.get(address)) == ""
    assert boss.post(address, pick_of(hit, bob) | {"cause": "nobody's"}).status_code == 404
    refused = boss.post(address, writing(hit, carol, "words that stand nowhere") | {"cause": "slip"})
    assert (refused.status_code, chosen_cause(refused)) == (422, "slip")
    next_page = boss.post(address, pick_of(hit, bob) | {"cause": "granularity"}, follow=True)
    assert chosen_cause(next_page) == ""
    assert chosen_cause(boss.get(address)) == "granularity"
    boss.post(address, pick_of(hit, bob) | {"cause": ""})
    assert (chosen_cause(boss.get(address)), Hit.objects.get(pk=first.pk).cause) == ("", "")
    boss.post(page("adjudicate-hit", second.public_id), {"reason": "Two towers fit.", "cause": "ambiguity"})
    assert Hit.objects.get(pk=second.pk).cause == "ambiguity"
    boss.post(page("adjudicate-undo", second.public_id))
    assert Hit.objects.get(pk=second.pk).cause == ""


def chosen_cause(response: Any) -> str:
    found = re.findall(r'name="cause" value="(\w*)"[^>]*\schecked', response.content.decode())
    assert len(found) == 1
    return str(found[0])


def test_the_report_counts_the_causes_of_decided_hits(boss: Any, open_batch: Batch, bob: Any) -> None:
    batch_scores.score_batch(open_batch)
    assert "Disagreement by cause" not in boss.get(page("report")).content.decode()
    for one, cause in zip(adjudication.queue(open_batch)[:3], ("slip", "slip", "symbolic"), strict=True):
        boss.post(page("adjudicate-hit", one.public_id), pick_of(Hit.objects.get(pk=one.pk), bob) | {"cause": cause})
    boss.post(page("adjudicate-undo", one.public_id))
    html = boss.get(page("report")).content.decode()
    assert "Disagreement by cause" in html
    assert "Agreement of two adjudicators on the cause" not in html
    file = boss.get(page("report-table", "causes", "csv")).content.decode()
    assert "Slip,2,1" in file
    assert "Symbolic equivalence,0,0" in file


def test_an_empty_queue_says_what_would_come(boss: Any, project: Any, dataset: Any) -> None:
    acting.launched(project, "open", dataset)
    assert "Nothing to adjudicate" in boss.get(page("adjudicate")).content.decode()
    acting.draft(project, "unborn", dataset)
    assert boss.get(at("adjudicate", batch="unborn")).status_code == 404


@pytest.fixture
def second(project: Any) -> Any:
    """The session of another requester of the project."""
    user = User.objects.create_user("dora")
    Member.objects.create(project=project, user=user)
    session = Client()
    session.force_login(user)
    return session


def settings_of(batch: Batch) -> dict[str, str]:
    return {"title": batch.title, "who": "all", "two_adjudicators": "on"}


def test_two_adjudicators_need_two_requesters(boss: Any, open_batch: Batch, request: Any) -> None:
    refused = boss.post(page("batch-settings"), settings_of(open_batch))
    assert "Only one member of this project can adjudicate." in refused.content.decode()
    request.getfixturevalue("second")
    boss.post(page("batch-settings"), settings_of(open_batch))
    assert Batch.objects.get().two_adjudicators
    assert "Two requesters decide independently." in boss.get(page("adjudicate")).content.decode()


def test_neither_sees_the_other_s_decision_before_both_have_decided(
    boss: Any, second: Any, open_batch: Batch, bob: Any, carol: Any
) -> None:
    Batch.objects.update(two_adjudicators=True)
    one = adjudication.queue(open_batch)[0]
    hit = Hit.objects.get(pk=one.pk)
    addresses = [page("adjudicate"), page("adjudicate-hit", one.public_id)]
    before = [without_tokens(second.get(address)) for address in addresses]
    after = boss.post(addresses[1], pick_of(hit, bob) | {"cause": "slip"})["Location"]
    assert [without_tokens(second.get(address)) for address in addresses] == before
    told = boss.get(after).content.decode()
    assert "waits for another requester" in told
    assert page("hit", one.public_id) not in told
    assert f"{open_batch.size - 1} left" in told

    differing = second.post(addresses[1], pick_of(hit, carol), follow=True).content.decode()
    assert "Another requester has decided differently on the last HIT." in differing
    for session in (boss, second):
        assert "Your decision is final." in session.get(addresses[1]).content.decode()
    assert "agreed on 0" in boss.get(addresses[0]).content.decode()
    assert boss.post(addresses[1], pick_of(hit, bob)).status_code == 409
    assert boss.post(addresses[1], pick_of(hit, bob) | {"saw_both": "1"}).status_code == 303
    assert page("hit", one.public_id) in boss.get(addresses[1]).content.decode()


def test_ones_own_decision_is_taken_back_while_it_waits(
    boss: Any, second: Any, open_batch: Batch, bob: Any, carol: Any
) -> None:
    Batch.objects.update(two_adjudicators=True)
    one = adjudication.queue(open_batch)[0]
    hit = Hit.objects.get(pk=one.pk)
    text = " ".join(hit.payload["paragraphs"][-1]["text"].split()[:2])
    boss.post(page("adjudicate-hit", one.public_id), writing(hit, carol, text))
    assert "Your wording, based on" in boss.get(page("adjudicate-hit", one.public_id)).content.decode()
    boss.post(page("adjudicate-undo", one.public_id))
    assert "Your wording, based on" not in boss.get(page("adjudicate-hit", one.public_id)).content.decode()
    assert not Adjudication.objects.exists()


def without_tokens(response: Any) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def test_letters_and_order_are_the_same_on_every_page_and_for_everybody(
    boss: Any, second: Any, open_batch: Batch
) -> None:
    hits = [Hit.objects.get(pk=row.pk) for row in adjudication.queue(open_batch)]

    def letters(session: Any, name: str, hit: Hit) -> list[tuple[str, int]]:
        responses = session.get(page(name, hit.public_id)).context["responses"]
        return [(each["letter"], each["assignment"].pk) for each in responses]

    for hit in hits:
        blind = letters(boss, "adjudicate-hit", hit)
        assert [letter for letter, _pk in blind] == ["A", "B"]
        boss.post(page("hit-open", hit.public_id))
        assert blind == letters(second, "adjudicate-hit", hit) == letters(boss, "hit", hit)
        assert blind == letters(second, "hit", hit)


def test_the_tab_counts_the_hits_of_the_list(boss: Any, open_batch: Batch) -> None:
    BatchActivity.objects.update_or_create(batch=open_batch, defaults={"to_adjudicate": 1})
    shown = boss.get(page("adjudicate"))
    [tab] = [each for each in shown.context["tabs"] if each["here"]]
    assert tab["counts"]["adjudicate"] == shown.context["page"].paginator.count == open_batch.size


def test_equal_answers_with_different_support_are_said_to_be_tied_for_it(
    boss: Any, project: Any, dataset: Any, bob: Any, carol: Any
) -> None:
    made = acting.launched(project, "open", dataset, assignments_per_hit=2)
    acting.answer_all(bob, made)
    while row := acting.take(carol, made):
        acting.submit(row, answer_to(row) | {"support": [0]})
    hit = adjudication.queue(made)[0]
    shown = boss.get(page("adjudicate-hit", hit.public_id)).content.decode()
    assert "The answers have a majority, the supporting paragraphs have none." in shown
    assert "The response that you choose becomes the aggregated response." in shown
