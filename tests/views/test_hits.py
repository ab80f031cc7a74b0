"""The HITs of a batch and one HIT with everybody's answers."""

from __future__ import annotations

from typing import Any

from annotation.flow import assigning, scoring, submitting
from annotation.models import Hit
from tests.conftest import answer_to
from tests.views.console import answer, at, take


def test_the_most_disputed_hit_comes_first(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    for _ in range(3):
        answer(bob, batch)
        answer(carol, batch)
    last = take(bob, batch)
    submitting.submit(last, answer_to(last), key="0.last", base=0, active_seconds=1)
    other = take(carol, batch)
    wrong = answer_to(other) | {"kind": "typed", "text": "a windmill", "paragraph": None, "start": None, "end": None}
    submitting.submit(other, wrong, key="0.other", base=0, active_seconds=1)
    scoring.score_batch(batch)
    client.force_login(alice)
    page = client.get(at("hits")).context["page"]
    assert page[0] == last.hit
    assert page[0].disagreement > page[1].disagreement == 0


def test_hits_are_found_by_words_and_by_state(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    answer(carol, batch)
    client.force_login(alice)
    assert client.get(at("hits") + "?q=year 2").context["page"].paginator.count == 1
    assert client.get(at("hits") + "?q=well-3").context["page"].paginator.count == 1
    assert client.get(at("hits") + "?show=finished").context["page"].paginator.count == 1
    assert client.get(at("hits") + "?show=unfinished").context["page"].paginator.count == 3


def test_a_hit_shows_all_answers_beside_gold(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    given = answer(bob, batch)
    submitting.submit(given, answer_to(given) | {"support": [0, 2]}, key="1.x", base=1, active_seconds=40)
    answer(carol, batch, support=[1])
    client.force_login(alice)
    response = client.get(at("hit", given.hit.public_id))
    html = response.content.decode()
    first, second = response.context["judgments"]
    assert (first["letter"], second["letter"]) == ("A", "B")
    assert [a.revision for a in first["earlier"]] == [1]
    assert first["told"]["f1"] == 1
    ticks = [[tick["on"] for tick in row["ticks"]] for row in response.context["compare"]["rows"]]
    assert [[row[0] for row in ticks], [row[1] for row in ticks]] == [[True, False, True], [False, True, False]]
    assert [row["gold"] for row in response.context["compare"]["rows"]] == [True, True, False]
    assert bob.pseudonym in html
    assert "bob" not in html.lower()


def test_the_marked_text_of_a_hit_is_the_whole_text(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    given = answer(bob, batch)
    client.force_login(alice)
    rows = client.get(at("hit", given.hit.public_id)).context["compare"]["rows"]
    texts = ["".join(piece["text"] for piece in row["pieces"]) for row in rows]
    assert texts == [p["text"] for p in given.hit.payload["paragraphs"]]


def test_late_and_surplus_answers_are_marked(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    Hit.objects.update(wanted=1)
    late = take(bob, batch)
    assigning.give_back(late)
    other = answer(carol, batch)
    while other.hit_id != late.hit_id:
        other = answer(carol, batch)
    late.refresh_from_db()
    submitting.submit(late, answer_to(late), key="0.late", base=0, active_seconds=1)
    client.force_login(alice)
    html = client.get(at("hit", late.hit.public_id)).content.decode()
    assert ">late<" in html
    assert ">surplus<" in html


def test_a_hit_without_answers_opens(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("hit", batch.hits.first().public_id)).status_code == 200


def test_a_hit_is_voided_with_a_reason_and_restored(client: Any, alice: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(alice)
    client.post(at("hit-void", hit.public_id), {"reason": "unclear", "text": "which Ana?"})
    hit.refresh_from_db()
    assert hit.voided_at is not None
    assert hit.void_reason == "The question is unclear: which Ana?"
    assert client.get(at("hits") + "?show=voided").context["page"].paginator.count == 1
    client.post(at("hit-restore", hit.public_id))
    hit.refresh_from_db()
    assert (hit.voided_at, hit.void_reason) == (None, "")


def test_voiding_needs_a_reason(client: Any, alice: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(alice)
    client.post(at("hit-void", hit.public_id), {"reason": "because"})
    hit.refresh_from_db()
    assert hit.voided_at is None


def test_a_worker_can_neither_see_nor_void_a_hit(client: Any, bob: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(bob.user)
    assert client.get(at("hit", hit.public_id)).status_code == 404
    assert client.post(at("hit-void", hit.public_id), {"reason": "unclear"}).status_code == 404
    hit.refresh_from_db()
    assert hit.voided_at is None
