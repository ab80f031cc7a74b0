"""Pages of a HIT and of its item hide gold, names and scores from requesters who are still to adjudicate it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.review import adjudication, comments, gold_looks, problem_reports
from annotation.models import Adjudication, AuditEntry, Batch, Comment, Hit, Item, Member, User
from tests.api.calling import caller, member
from tests.conftest import answer_to
from tests.flow import acting
from tests.replaying import replayed
from tests.views.console import at

HIT = "batches/open/hits/{}/"
BUTTON = "Show gold, names, scores and comments"


@pytest.fixture
def tied(project: Any, dataset: Any, alice: Any, bob: Any, carol: Any) -> Hit:
    """A HIT to adjudicate: Bob's answer is right, Carol's wrong; with a comment."""

    def make() -> Hit:
        made = acting.disputed(project, "open", dataset, right=bob, wrong=carol)
        hit = Hit.objects.select_related("batch", "item").get(pk=adjudication.queue(made)[0].pk)
        comments.add(alice, "Carol errs.", hit=hit)
        return hit

    return replayed("a tied HIT", make, project, dataset, alice, bob, carol)


def session(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def hit_page(hit: Hit, *, act: str = "hit") -> str:
    return at(act, hit.public_id, batch="open")


def item_page(hit: Hit, *, act: str = "item") -> str:
    return reverse(act, args=["wells", "wells", hit.item.position])


def read(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def is_blind(html: str, hit: Hit, *workers: Any) -> bool:
    """Whether the page offers to open gold and has none, nor names or comments."""
    shown = [worker.pseudonym in html for worker in workers]
    shown += ["mark-gold" in html, "Carol errs." in html, f"→ </span>{hit.item.example.answer}" in html]
    assert any(shown) == (BUTTON not in html), shown
    return BUTTON in html


def looks() -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(act=gold_looks.LOOK).order_by("pk")
    return [(str(row.user.username), row.key) for row in rows if row.user]


def test_the_page_of_a_hit_is_blind_until_it_is_decided(alice: Any, tied: Hit, bob: Any, carol: Any) -> None:
    client = session(alice)
    html = read(client, hit_page(tied))
    assert is_blind(html, tied, bob, carol)
    assert "the far shore" in html, "the responses are there"
    row = tied.assignments.get(worker=bob)
    client.post(hit_page(tied, act="adjudicate-hit"), {"pick": f"{row.public_id}.{row.revision}"})
    assert not is_blind(read(client, hit_page(tied)), tied, bob, carol)
    assert looks() == []


def test_the_page_of_its_item_is_blind_too(alice: Any, tied: Hit, bob: Any) -> None:
    client = session(alice)
    html = read(client, item_page(tied))
    assert is_blind(html, tied)
    assert ">supporting<" not in html
    assert 'class="mark-answer' not in html
    assert tied.item.example.paragraphs[0].text in html
    assert hit_page(tied, act="adjudicate-hit") in html
    row = tied.assignments.get(worker=bob)
    client.post(hit_page(tied, act="adjudicate-hit"), {"pick": f"{row.public_id}.{row.revision}"})
    assert not is_blind(read(client, item_page(tied)), tied)


@pytest.mark.parametrize("page", [hit_page, item_page])
def test_one_click_opens_both_pages_and_is_logged(alice: Any, tied: Hit, page: Any) -> None:
    client = session(alice)
    opener = page(tied, act="hit-open" if page is hit_page else "item-open")
    assert client.get(opener).status_code == 405
    assert client.post(opener)["Location"] == page(tied)
    client.post(opener)
    assert looks() == [("alice", tied.public_id)]
    for address in (hit_page(tied), item_page(tied)):
        assert not is_blind(read(client, address), tied)
    assert "gold and names opened before adjudicating" in read(client, reverse("log", args=["wells"]))


def test_it_is_opened_for_the_viewer_alone(project: Any, alice: Any, tied: Hit) -> None:
    dora = User.objects.create_user("dora")
    Member.objects.create(project=project, user=dora)
    session(alice).post(hit_page(tied, act="hit-open"))
    assert is_blind(read(session(dora), hit_page(tied)), tied)


def test_it_stays_hidden_while_the_second_decision_is_missing(alice: Any, tied: Hit, bob: Any) -> None:
    Batch.objects.update(two_adjudicators=True)
    client = session(alice)
    row = tied.assignments.get(worker=bob)
    client.post(hit_page(tied, act="adjudicate-hit"), {"pick": f"{row.public_id}.{row.revision}"})
    assert Adjudication.objects.count() == 1
    assert is_blind(read(client, hit_page(tied)), tied)


def test_nothing_is_hidden_where_nothing_is_to_adjudicate(alice: Any, batch: Batch, bob: Any, carol: Any) -> None:
    hits = acting.answer_all(bob, batch)
    client = session(alice)
    first = at("hit", hits[0].public_id)
    assert BUTTON not in read(client, first)
    acting.answer_all(carol, batch)
    assert BUTTON not in read(client, first)
    client.post(at("hit-open", hits[0].public_id))
    assert looks() == []


def test_other_pages_of_its_item_and_the_api_hide_the_gold_too(alice: Any, tied: Hit) -> None:
    client, api = session(alice), caller(alice)
    gold, position = tied.item.example.answer, tied.item.position
    listed = reverse("dataset", args=["wells", "wells"])
    one = f"datasets/wells/items/{position}/"

    def told() -> list[Any]:
        row = next(row for row in client.get(listed).context["slice"].items if row.position == position)
        answers = [api.get(address).json()["example"]["answers"] for address in (one, HIT.format(tied.public_id))]
        found = [item["example"]["answers"] for item in api.get("datasets/wells/items/").json()["results"]]
        versions = [item["example"]["answers"] for item in api.get(f"{one}versions/").json()["results"]]
        return [row.gold_hidden, *answers, found[position], *versions]

    for act in ("item-edit", "item-versions"):
        assert client.get(item_page(tied, act=act)).url == item_page(tied)
    assert told() == [True, [], [], [], []]
    assert "hidden until adjudicated" in read(client, listed)
    assert api.get(one).json()["gold_hidden"] is True
    assert api.get(HIT.format(tied.public_id)).json()["gold_hidden"] is True
    assert looks() == []
    assert api.post(f"{HIT.format(tied.public_id)}open/").status_code == 200
    assert api.post(f"{one}open/").status_code == 200
    assert looks() == [("alice", tied.public_id)]
    assert told() == [False, [gold], [gold], [gold], [gold]]
    for act in ("item-edit", "item-versions"):
        assert client.get(item_page(tied, act=act)).status_code == 200


def test_the_api_tells_neither_names_nor_what_the_responses_add_up_to(
    project: Any, alice: Any, tied: Hit, bob: Any, carol: Any
) -> None:
    """For an owner who is to adjudicate as for a member who may do nothing else."""
    rita = member(project, "rita", "reviewer")
    for api in (caller(alice), rita):
        one = HIT.format(tied.public_id)
        row = api.get(one).json()
        assert {work["worker"] for work in row["assignments"]} == {None}
        assert [work["id"] for work in row["assignments"]] == sorted(work["id"] for work in row["assignments"])
        told = [row["aggregate"], api.get(f"batches/open/adjudications/{tied.public_id}/").json()]
        told += [one for one in listed(api, "batches/open/aggregates/") if one["hit"] == tied.public_id]
        assert [(one["aggregate"], one["agreeing"], one["answers"]) for one in told] == [(None, None, 2)] * 3
        assert row["disagreement"] is None
        assigned = [work for work in listed(api, "assignments/") if work["hit"] == tied.public_id]
        assert [work["worker"] for work in assigned] == [None, None]
        assert api.get(f"assignments/{assigned[0]['id']}/").json()["worker"] is None
        responses = [row for row in listed(api, "batches/open/responses/") if row["hit"] == tied.public_id]
        assert [row["worker"] for row in responses] == [None, None]
        assert not {"gold", "gold_support", "score"}.intersection(responses[0])
        for path in ("assignments/", "batches/open/responses/"):
            assert tied.public_id not in {row["hit"] for row in listed(api, path, worker=bob.pseudonym)}
            assert {row["worker"] for row in listed(api, path, worker=carol.pseudonym)} <= {carol.pseudonym}
    assert listed(rita, "comments/") == []
    assert [one["text"] for one in listed(caller(alice), "comments/")] == ["Carol errs."], "her own"
    assert looks() == []


def test_a_report_of_a_problem_has_no_name_in_the_api_before_the_decision(alice: Any, tied: Hit, carol: Any) -> None:
    problem_reports.report_problem(tied.assignments.get(worker=carol), reason="other", text="Odd.")
    [row] = listed(caller(alice), "batches/open/problem-reports/")
    assert (row["text"], row["worker"]) == ("Odd.", None)


def test_lists_tell_no_names_before_the_decision(alice: Any, tied: Hit, bob: Any, carol: Any) -> None:
    client, reports = session(alice), at("problem-reports", batch="open")
    problem_reports.report_problem(tied.assignments.get(worker=carol), reason="other", text="Odd.")

    def named() -> list[bool]:
        page = client.get(at("batch-assignments", batch="open"))
        rows = [row.name_hidden for row in page.context["page"] if row.hit_id == tied.pk]
        shut = sum(row.name_hidden for row in page.context["page"])
        assert page.content.decode().count("hidden until adjudicated") == shut
        return [*rows, carol.pseudonym not in read(client, reports)]

    assert named() == [True, True, True]
    assert "hidden until adjudicated" in read(client, reports)
    client.post(hit_page(tied, act="hit-open"))
    assert named() == [False, False, False]


@pytest.mark.parametrize("act", ["hits", "batch-assignments"])
def test_no_filter_tells_who_said_what_before_the_decision(alice: Any, tied: Hit, carol: Any, act: str) -> None:
    client = session(alice)

    def found(**query: str) -> bool:
        page = client.get(at(act, batch="open"), query).context["page"]
        return tied.pk in {getattr(row, "hit_id", row.pk) for row in page}

    asked = {"worker": carol.pseudonym, "label": "typed"}
    assert not found(**asked)
    assert found(worker=carol.pseudonym)
    assert found(label="typed")
    client.post(hit_page(tied, act="hit-open"))
    assert found(**asked)


def test_more_comments_may_be_hidden_than_sqlite_takes_alternatives_in_a_condition(alice: Any, tied: Hit) -> None:
    dataset, example = tied.item.dataset, tied.item.content
    items = Item.objects.bulk_create(Item(dataset=dataset, position=1000 + k, content=example) for k in range(600))
    of_all = {"batch": tied.batch, "payload": tied.payload, "wanted": 2, "done": 2, "concluded": 1, "open_kind": "tied"}
    hits = Hit.objects.bulk_create(Hit(item=item, ticket=item.position, **of_all) for item in items)
    made = [Comment(project=tied.batch.project, item=hit.item, hit=hit, text="Bob is right.") for hit in hits]
    made += [Comment(project=tied.batch.project, item=hit.item, text="Ana Brook.") for hit in hits]
    Comment.objects.bulk_create(made)
    assert [one["text"] for one in listed(caller(alice), "comments/")] == ["Carol errs."]


def test_the_api_tells_everything_after_the_decision(alice: Any, tied: Hit, bob: Any, carol: Any) -> None:
    api, right = caller(alice), tied.assignments.get(worker=bob)
    given = {"assignment": right.public_id, "revision": right.revision}
    made = api.post(f"batches/open/adjudications/{tied.public_id}/", **given).json()
    assert made["aggregate"]
    row = api.get(HIT.format(tied.public_id)).json()
    assert {work["worker"] for work in row["assignments"]} == {bob.pseudonym, carol.pseudonym}
    assert row["aggregate"]["aggregate"] == made["aggregate"]


def test_the_first_of_two_decisions_opens_nothing_in_the_api(alice: Any, tied: Hit, bob: Any) -> None:
    Batch.objects.update(two_adjudicators=True)
    api, right = caller(alice), tied.assignments.get(worker=bob)
    given = {"assignment": right.public_id, "revision": right.revision}
    assert api.post(f"batches/open/adjudications/{tied.public_id}/", **given).json()["aggregate"] is None
    assert {work["worker"] for work in api.get(HIT.format(tied.public_id)).json()["assignments"]} == {None}


@pytest.mark.parametrize("path", ["responses/export/jsonl/", "aggregates/export/jsonl/", ""])
def test_a_file_of_the_batch_opens_what_it_contains_and_is_logged(
    alice: Any, tied: Hit, bob: Any, carol: Any, path: str
) -> None:
    api = caller(alice)
    if path:
        sent = api.get(f"batches/open/{path}")
    else:
        sent = session(alice).get(at("batch-export", "jsonl", batch="open"))
    assert tied.public_id.encode() in b"".join(sent)
    assert looks() == [("alice", "open")]
    workers = {work["worker"] for work in api.get(HIT.format(tied.public_id)).json()["assignments"]}
    assert workers == {bob.pseudonym, carol.pseudonym}
    row = tied.assignments.get(worker=carol)
    acting.submit(row, answer_to(row) | {"kind": "typed", "text": "the near shore"}, key="1.again", base=1)
    assert api.get(HIT.format(tied.public_id)).json()["aggregate"]["aggregate"] is None, "the file lacks this response"


def listed(api: Any, path: str, **query: Any) -> list[dict[str, Any]]:
    return list(api.get(path, **query).json()["results"])
