"""Comments on the pages of items, HITs and responses: who reads, writes and erases them, and who never sees them."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.people import worker_erasure
from annotation.flow.review import adjudication, comments
from annotation.models import Batch, Comment, Hit, Member, Notice, Project, User
from tests.flow import acting
from tests.flow.compositions import compose, compose_batch
from tests.views.console import answer, at, take

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def boss(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


@pytest.fixture
def rita(project: Any, alice: Any) -> Any:
    """A session of a reviewer."""
    user = User.objects.create_user("rita", password=None, display_name="Rita")
    Member.objects.create(project=project, user=user, role=Member.Role.REVIEWER)
    return session(user)


@pytest.fixture
def hit(batch: Any, bob: Any, carol: Any) -> Hit:
    """A HIT with Bob's response A and Carol's B."""
    rows = [answer(worker, batch) for worker in (bob, carol)]
    assert rows[0].hit_id == rows[1].hit_id
    return Hit.objects.select_related("batch__project", "item__dataset").get(pk=rows[0].hit_id)


def session(user: Any) -> Client:
    made = Client()
    made.force_login(user)
    return made


def add(kind: str, name: Any) -> str:
    return reverse("comment-add", args=["wells", kind, name])


def erase(comment: Comment) -> str:
    return reverse("comment-erase", args=["wells", comment.pk])


def page_of(row: Any) -> str:
    """The page of a HIT or an item."""
    if isinstance(row, Hit):
        return at("hit", row.public_id, batch=row.batch.slug)
    return reverse("item", args=["wells", row.dataset.slug, row.position])


def thread(response: Any) -> str:
    """The text of the section with the comments, without markup."""
    found = re.search(r'<section class="card comments".*?</section>', response.content.decode(), re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found[0])).split()) if found else ""


def test_a_comment_is_posted_on_the_page_of_its_object(boss: Any, hit: Hit, dataset: Any, bob: Any) -> None:
    compositions = compose_batch(hit.batch.project, dataset)
    composed = compose(bob, compositions)
    of_response = at("review-answer", composed.public_id, batch="compositions")
    for kind, name, page, label in (
        ("item", hit.item.pk, page_of(hit.item), "Comment on this item"),
        ("hit", hit.public_id, page_of(hit), "Comment on this HIT"),
        ("response", composed.public_id, of_response, "Comment on this response"),
    ):
        assert label in thread(boss.get(page))
        posted = boss.post(add(kind, name), {"text": f"One on the {kind}.\r\nIt has two lines."})
        assert (posted.status_code, posted.url) == (303, f"{page}#comments")
        said = thread(boss.get(page))
        assert f"One on the {kind}. It has two lines." in said
        assert "Alice" in said
    item, on_hit, response = Comment.objects.order_by("pk")
    assert (item.item, item.hit, item.text) == (hit.item, None, "One on the item.\nIt has two lines.")
    assert (on_hit.hit, on_hit.assignment) == (hit, None)
    assert (response.hit, response.assignment) == (composed.hit, composed)


def letters_on(boss: Any, hit: Hit) -> dict[Any, str]:
    """The letters of the workers' responses on the HIT's page."""
    return {each["worker"]: each["letter"] for each in boss.get(page_of(hit)).context["responses"]}


def test_each_comment_says_what_it_is_about(boss: Any, alice: Any, hit: Hit, carol: Any) -> None:
    comments.add(alice, "First.", item=hit.item)
    comments.add(alice, "Second.", hit=hit)
    comments.add(alice, "Third.", assignment=hit.assignments.get(worker=carol))
    on_hit, on_item = boss.get(page_of(hit)), boss.get(page_of(hit.item))
    letter = letters_on(boss, hit)[carol]
    assert re.search(r" on the item Erase… First", thread(on_hit))
    assert re.search(r"\d\d:\d\d Erase… Second", thread(on_hit))
    assert re.search(rf" on response {letter} Erase… Third", thread(on_hit))
    assert re.search(r"\d\d:\d\d Erase… First", thread(on_item))
    assert re.search(r" on the HIT in “wells-1” Erase… Second", thread(on_item))
    assert re.search(rf" on response {letter} in “wells-1” Erase… Third", thread(on_item))
    assert on_item.content.decode().count(f'href="{page_of(hit)}"') >= 2
    assert f'href="{page_of(hit.item)}"' in on_hit.content.decode()
    assert '<a href="#comments">' in on_hit.content.decode()


@pytest.mark.postgresql(reason="a trigger keeps responses from being changed")
def test_a_comment_on_an_erased_response_says_so_and_the_others_keep_their_letters(
    boss: Any, alice: Any, hit: Hit, bob: Any, carol: Any
) -> None:
    comments.add(alice, "First.", assignment=hit.assignments.get(worker=bob))
    comments.add(alice, "Second.", assignment=hit.assignments.get(worker=carol))
    worker_erasure.erase(hit.assignments.filter(worker=bob))
    on_hit, on_item = boss.get(page_of(hit)), boss.get(page_of(hit.item))
    assert [each["letter"] for each in on_hit.context["responses"]] == ["A"]
    assert re.search(r" on an erased response Erase… First", thread(on_hit))
    assert re.search(r" on response A Erase… Second", thread(on_hit))
    assert re.search(r" on an erased response in “wells-1” Erase… First", thread(on_item))


@pytest.mark.parametrize(("text", "why"), [(" \r\n", "Write a comment"), ("x" * 2001, "can have 2000 characters")])
def test_a_refused_comment_stays_in_the_field_beside_the_reason(boss: Any, hit: Hit, text: str, why: str) -> None:
    for headers, status in (({}, 422), (HTMX, 200)):
        refused = boss.post(add("hit", hit.public_id), {"text": text}, **headers)
        assert refused.status_code == status
        assert why in thread(refused)
        assert text.replace("\r\n", "\n") + "</textarea>" in refused.content.decode()
    assert not Comment.objects.exists()


def test_htmx_gets_the_thread_alone(boss: Any, hit: Hit) -> None:
    posted = boss.post(add("hit", hit.public_id), {"text": "Only the thread."}, **HTMX)
    assert posted.status_code == 200
    assert posted.content.decode().lstrip().startswith("<section")
    assert "Only the thread." in thread(posted)
    gone = boss.post(erase(Comment.objects.get()), {"page": f"hit/{hit.public_id}"}, **HTMX)
    assert "Only the thread." not in thread(gone)


def test_authors_and_owners_are_offered_to_erase_and_others_may_not(boss: Any, alice: Any, rita: Any, hit: Hit) -> None:
    of_alice = comments.add(alice, "Alice's.", hit=hit)
    of_rita = comments.add(User.objects.get(username="rita"), "Rita's.", item=hit.item)
    assert thread(boss.get(page_of(hit))).count("Erase…") == 2
    assert thread(rita.get(page_of(hit))).count("Erase…") == 1
    assert rita.post(erase(of_alice)).status_code == 403
    back = rita.post(erase(of_rita), {"page": f"hit/{hit.public_id}"})
    assert (back.status_code, back.url) == (303, f"{page_of(hit)}#comments")
    assert rita.post(erase(of_rita)).status_code == 404
    assert boss.post(erase(of_alice)).url == f"{page_of(hit)}#comments"
    assert not Comment.objects.exists()
    log = boss.get(reverse("log", args=["wells"])).content.decode()
    assert log.count("comment") >= 2
    assert "Rita&#x27;s." not in log


def test_nothing_is_written_about_what_is_not_there(boss: Any, hit: Hit, batch: Batch, carol: Any) -> None:
    unsubmitted = take(carol, batch)
    assert unsubmitted is not None
    for kind, name in (
        ("item", "0"),
        ("item", "x"),
        ("item", "9" * 25),
        ("hit", "none"),
        ("response", "none"),
        ("response", unsubmitted.public_id),
        ("worker", carol.pk),
    ):
        assert boss.post(add(kind, name), {"text": "Hm."}).status_code == 404
    made = comments.add(User.objects.get(username="alice"), "Hm.", hit=hit)
    assert boss.post(erase(made), {"page": "hit/none"}).status_code == 404
    assert Comment.objects.count() == 1


def test_members_of_other_projects_and_workers_reach_no_comment(
    alice: Any, rita: Any, hit: Hit, bob: Any, client: Any
) -> None:
    made = comments.add(alice, "Among us.", hit=hit)
    springs = Project.objects.create(slug="springs", title="Springs")
    dora = User.objects.create_user("dora")
    Member.objects.create(project=springs, user=dora)
    for stranger in (session(dora), session(bob.user)):
        assert stranger.get(page_of(hit)).status_code == 404
        assert stranger.post(add("hit", hit.public_id), {"text": "Hm."}).status_code == 404
        assert stranger.post(erase(made)).status_code == 404
    foreign = reverse("comment-add", args=["springs", "hit", hit.public_id])
    assert session(dora).post(foreign, {"text": "Hm."}).status_code == 404
    assert session(dora).post(reverse("comment-erase", args=["springs", made.pk])).status_code == 404
    assert client.post(add("hit", hit.public_id), {"text": "Hm."}).url.startswith("/accounts/sign-in/")
    assert Comment.objects.get() == made


def test_no_page_of_a_worker_and_no_file_holds_a_comment(
    boss: Any, alice: Any, hit: Hit, batch: Batch, bob: Any, carol: Any
) -> None:
    response = hit.assignments.get(worker=bob)
    for about in ({"item": hit.item}, {"hit": hit}, {"assignment": response}):
        comments.add(alice, "Canary @Bob", **about)
    worker, started = session(bob.user), take(bob, batch)
    comments.add(alice, "Canary @Bob", hit=started.hit)
    for address in (
        reverse("work"),
        reverse("history"),
        reverse("notices"),
        reverse("my-messages"),
        reverse("assignment", args=[response.public_id]),
        reverse("assignment", args=[started.public_id]),
    ):
        shown = worker.get(address, follow=True)
        assert shown.status_code == 200, address
        assert "Canary" not in shown.content.decode(), address
    assert not Notice.objects.filter(user=bob.user).exists()
    for address in (
        at("batch-export", "jsonl"),
        at("batch-export", "csv"),
        reverse("dataset-export", args=["wells", "wells", "jsonl"]),
        reverse("dataset-document", args=["wells", "wells", "datasheet"]),
    ):
        file = boss.get(address)
        assert file.status_code == 200
        assert b"Canary" not in file.getvalue(), address


def test_hostile_text_is_shown_as_text(boss: Any, alice: Any, hit: Hit) -> None:
    text = """<script>alert(1)</script><img src=x onerror="alert(2)">{{ 7 }}{% now 'Y' %}</textarea> &amp; 'q'"""
    User.objects.filter(pk=alice.pk).update(display_name="<b>A</b>")
    comments.add(alice, text, hit=hit)
    for response in (
        boss.get(page_of(hit)),
        boss.get(page_of(hit.item)),
        boss.post(add("hit", hit.public_id), {"text": text + "x" * 2000}),
    ):
        page = response.content.decode()
        assert html.escape(text) in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "<b>A</b>" not in page


def test_names_below_the_field_are_those_of_the_other_members(boss: Any, rita: Any, hit: Hit) -> None:
    assert "To notify a member, write: @Rita" in thread(boss.get(page_of(hit)))
    assert "To notify a member, write: @Alice" in thread(rita.get(page_of(hit)))
    Member.objects.get(user__username="rita").delete()
    assert "To notify" not in thread(boss.get(page_of(hit)))


def test_the_notice_of_a_mention_leads_to_the_comment(boss: Any, rita: Any, hit: Hit, dataset: Any) -> None:
    boss.post(add("hit", hit.public_id), {"text": "@rita please look"})
    boss.post(add("item", hit.item.pk), {"text": "@rita here too"})
    page = rita.get(reverse("notices")).content.decode()
    assert f"Alice mentions you in a comment on the HIT of item {hit.item.position + 1} of “wells”." in page
    assert "please look" not in page
    assert "somebody mentions you in a comment" in page
    addresses = []
    for notice in Notice.objects.filter(kind="comment").order_by("pk"):
        address = rita.post(reverse("notice-open", args=[notice.pk])).url
        assert f'id="{address.partition("#")[2]}"' in rita.get(address).content.decode()
        addresses.append(address.partition("#")[0])
    assert addresses == [page_of(hit), page_of(hit.item)]
    type(dataset).objects.update(state="removing")
    assert rita.post(reverse("notice-open", args=[notice.pk])).url == reverse("datasets", args=["wells"])


def test_lists_say_how_many_comments_there_are(boss: Any, alice: Any, hit: Hit) -> None:
    for about in ({"item": hit.item}, {"hit": hit}, {"hit": hit}):
        comments.add(alice, "Hm.", **about)
    assert "2 comments" in boss.get(at("hits")).content.decode()
    assert "3 comments" in boss.get(reverse("dataset", args=["wells", "wells"])).content.decode()


def test_a_thread_takes_the_same_queries_whatever_its_length(boss: Any, alice: Any, hit: Hit, bob: Any) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            boss.get(page_of(hit.item))
        return len(asked)

    row = hit.assignments.get(worker=bob)
    comments.add(alice, "Hm.", assignment=row)
    queries()  # notes the session
    few = queries()
    for _more in range(3):
        comments.add(alice, "Hm.", assignment=row)
        comments.add(alice, "Hm.", hit=hit)
    assert queries() == few


@pytest.fixture
def disputed(project: Any, dataset: Any, bob: Any, carol: Any, alice: Any) -> Hit:
    """A HIT to adjudicate, with three comments; Bob's answer is right, Carol's wrong."""
    made = acting.disputed(project, "disputed", dataset, right=bob, wrong=carol)
    hit = Hit.objects.select_related("batch__project", "item__dataset").get(pk=adjudication.queue(made)[0].pk)
    comments.add(alice, "Bob is right.", hit=hit)
    comments.add(alice, "Tower 0 is right.", item=hit.item)
    comments.add(alice, "This one.", assignment=hit.assignments.get(worker=bob))
    return hit


def pick(user: Client, hit: Hit, worker: Any, **more: str) -> Any:
    row = hit.assignments.get(worker=worker)
    given = {"pick": f"{row.public_id}.{row.revision}", **more}
    return user.post(at("adjudicate-hit", hit.public_id, batch="disputed"), given)


def blind(user: Client, hit: Hit) -> bool:
    """Whether the pages of adjudication say nothing of the comments, not even that there are some."""
    for address in (
        at("adjudicate-hit", hit.public_id, batch="disputed"),
        at("adjudicate", batch="disputed"),
    ):
        page = user.get(address).content.decode()
        if "comment" in page.lower() or "is right" in page:
            return False
    return True


def test_an_adjudicator_reads_comments_after_deciding(boss: Any, rita: Any, disputed: Hit, carol: Any) -> None:
    assert blind(boss, disputed)
    assert pick(boss, disputed, carol).status_code == 303
    shown = boss.get(at("adjudicate-hit", disputed.public_id, batch="disputed"))
    for text in ("Bob is right.", "Tower 0 is right.", "This one."):
        assert text in thread(shown)
    assert "Erase" not in thread(shown)
    boss.post(at("adjudicate-undo", disputed.public_id, batch="disputed"))
    assert blind(boss, disputed)
    boss.post(at("adjudicate-hit", disputed.public_id, batch="disputed"), {"leave": "1", "reason": "Two towers."})
    assert "Bob is right." in thread(boss.get(at("adjudicate-hit", disputed.public_id, batch="disputed")))


def test_comments_have_the_letters_of_the_adjudicators_page(boss: Any, disputed: Hit, bob: Any) -> None:
    pick(boss, disputed, bob)
    page = boss.get(at("adjudicate-hit", disputed.public_id, batch="disputed")).content.decode()
    row = disputed.assignments.get(worker=bob)
    chosen = re.search(rf'value="{row.public_id}\.1".*?Choose (\w)', page, re.DOTALL)
    assert chosen is not None
    assert f"on response {chosen[1]}" in page


def test_two_adjudicators_read_them_when_both_have_decided(
    boss: Any, rita: Any, disputed: Hit, bob: Any, carol: Any
) -> None:
    Batch.objects.filter(slug="disputed").update(two_adjudicators=True)
    pick(boss, disputed, bob)
    assert blind(boss, disputed)
    assert blind(rita, disputed)
    pick(rita, disputed, bob)
    for user in (boss, rita):
        assert "Bob is right." in thread(user.get(at("adjudicate-hit", disputed.public_id, batch="disputed")))
