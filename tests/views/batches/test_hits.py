"""The HITs of a batch and one HIT with everybody's answers."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from annotation.flow.reports import batch_scores
from annotation.flow.work import leases, submissions
from annotation.models import Hit
from tests.conftest import answer_to
from tests.views.console import answer, at, take

pytestmark = pytest.mark.postgresql(reason="rows are sorted with those without a figure last")


def test_the_most_disputed_hit_comes_first(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    for _ in range(3):
        answer(bob, batch)
        answer(carol, batch)
    last = take(bob, batch)
    submissions.submit(last, answer_to(last), key="0.last", base=0, active_seconds=1)
    other = take(carol, batch)
    wrong = answer_to(other) | {"kind": "typed", "text": "a windmill", "paragraph": None, "start": None, "end": None}
    submissions.submit(other, wrong, key="0.other", base=0, active_seconds=1)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    page = client.get(at("hits")).context["page"]
    assert page[0] == last.hit
    assert page[0].disagreement > page[1].disagreement == 0


def test_disagreement_is_folded_with_the_scores(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    for worker in (bob, carol):
        answer(worker, batch)
    batch_scores.score_batch(batch)
    Hit.objects.filter(pk=Hit.objects.filter(batch=batch).latest("pk").pk).update(disagreement=0.73)
    by_ticket = list(Hit.objects.filter(batch=batch).order_by("ticket"))
    client.force_login(alice)
    for query in ("", "?order=disagreement", "?order=odd", "?differing=1"):
        page = client.get(at("hits") + query)
        assert list(page.context["page"]) == by_ticket, query
        assert "isagreement" not in page.content.decode(), query
        assert "Only HITs with different responses" not in page.content.decode()
    client.post(at("report-open"))
    page = client.get(at("hits"))
    assert page.context["page"][0].disagreement == 0.73
    assert "most disagreement first" in page.content.decode()
    assert list(client.get(at("hits") + "?differing=1").context["page"]) == [page.context["page"][0]]


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
    submissions.submit(given, answer_to(given) | {"support": [0, 2]}, key="1.x", base=1, active_seconds=40)
    answer(carol, batch, support=[1])
    client.force_login(alice)
    client.post(at("hit-open", given.hit.public_id))
    response = client.get(at("hit", given.hit.public_id))
    html = response.content.decode()
    responses = {each["worker"]: each for each in response.context["responses"]}
    first, second = responses[bob], responses[carol]
    own, other = first["letter"], second["letter"]
    assert sorted([own, other]) == ["A", "B"]
    assert [a.revision for a in first["earlier"]] == [1]
    assert first["column"]["f1"] == 1
    assert [[p["number"] for p in each["column"]["support"]] for each in (first, second)] == [[1, 3], [2]]
    rows = response.context["compare"]["rows"]
    assert rows[0]["number"] == given.hit.item.example.supports[-1] + 1, "answers stand there"
    rows.sort(key=lambda row: row["number"])
    assert [row["ticked_by"] for row in rows] == [[own], [other], [own]]
    assert [row["gold"] for row in rows] == [True, True, False]
    assert bob.pseudonym in html
    assert "bob" not in re.sub(r"[A-Za-z0-9]{64}", "", html).lower(), "but in a form’s token by chance"


def test_the_marked_text_of_a_hit_is_the_whole_text(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    given = answer(bob, batch)
    client.force_login(alice)
    rows = client.get(at("hit", given.hit.public_id)).context["compare"]["rows"]
    in_order = sorted(rows, key=lambda row: row["number"])
    texts = ["".join(piece["text"] for piece in row["pieces"]) for row in in_order]
    assert texts == [p["text"] for p in given.hit.payload["paragraphs"]]


def test_late_and_surplus_answers_are_marked(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    Hit.objects.update(wanted=1)
    late = take(bob, batch)
    leases.return_assignment(late)
    other = answer(carol, batch)
    while other.hit_id != late.hit_id:
        other = answer(carol, batch)
    late.refresh_from_db()
    submissions.submit(late, answer_to(late), key="0.late", base=0, active_seconds=1)
    client.force_login(alice)
    html = client.get(at("hit", late.hit.public_id)).content.decode()
    assert ">late<" in html
    assert ">surplus<" in html


def test_a_hit_without_answers_opens(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert client.get(at("hit", batch.hits.first().public_id)).status_code == 200


def test_a_hit_is_excluded_with_a_reason_and_restored(client: Any, alice: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(alice)
    client.post(at("hit-exclude", hit.public_id), {"reason": "unclear", "text": "which Ana?"})
    hit.refresh_from_db()
    assert hit.excluded_at is not None
    assert hit.exclusion_reason == "The question is unclear: which Ana?"
    assert client.get(at("hits") + "?show=excluded").context["page"].paginator.count == 1
    client.post(at("hit-restore", hit.public_id))
    hit.refresh_from_db()
    assert (hit.excluded_at, hit.exclusion_reason) == (None, "")


def test_voiding_needs_a_reason(client: Any, alice: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(alice)
    client.post(at("hit-exclude", hit.public_id), {"reason": "because"})
    hit.refresh_from_db()
    assert hit.excluded_at is None


def test_a_worker_can_neither_see_nor_exclude_a_hit(client: Any, bob: Any, batch: Any) -> None:
    hit = batch.hits.first()
    client.force_login(bob.user)
    assert client.get(at("hit", hit.public_id)).status_code == 404
    assert client.post(at("hit-exclude", hit.public_id), {"reason": "unclear"}).status_code == 404
    hit.refresh_from_db()
    assert hit.excluded_at is None


def test_a_hit_is_called_by_its_question_and_says_when_it_was_submitted(
    client: Any, alice: Any, bob: Any, batch: Any
) -> None:
    given = answer(bob, batch)
    earlier = given.submitted_at - timedelta(days=3)  # as the demo's, whose work is spread over three days
    type(given).objects.filter(pk=given.pk).update(submitted_at=earlier)
    client.force_login(alice)
    shown = client.get(at("hit", given.hit.public_id))
    label = shown.context["breadcrumbs"][-1]["label"]
    assert label.endswith("…")
    assert given.hit.item.question.startswith(label[:-1])
    [response] = shown.context["responses"]
    assert response["answer"].at == earlier
