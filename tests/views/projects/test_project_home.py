"""A project's home: what waits, how batches get on, the family of datasets, money; and as fast with many batches."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotation import jobs
from annotation.flow.batches import batch_launch, batch_progress
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_rounds, qualification_types
from annotation.flow.projects import overview
from annotation.flow.review import problem_reports, results_dataset
from annotation.flow.review.response_import import import_responses
from annotation.models import Assignment, BatchActivity, Member, Project, User, clock
from annotation.pure.batches.next_step import NextStep
from annotation.pure.people import roles
from annotation.views import next_steps
from tests.batches import create_round
from tests.flow import acting
from tests.flow.review.test_response_import import lines, response
from tests.one_line import one_line
from tests.tasks.html_form import read_form
from tests.views.console import answer, steps, take


def home(client: Any, page: str = "project") -> str:
    response = client.get(reverse(page, args=["wells"]))
    assert response.status_code == 200
    return one_line(response.content.decode())


def test_it_shows_how_far_each_batch_is_and_when_it_will_be_done(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    answer(bob, batch)
    answer(bob, batch)
    take(carol, batch)
    type(batch).objects.update(launched_at=timezone.now() - timedelta(hours=4))
    found = overview.running(batch.project)[0]
    assert (found.done, found.wanted, found.live, found.recent) == (2, 8, 1, 2)
    assert found.left is not None
    assert abs(found.left - timedelta(hours=12)) < timedelta(minutes=1)
    client.force_login(alice)
    html = home(client)
    assert "2 / 8" in html
    assert "12\xa0hours" in html or "11\xa0hours" in html


def test_imported_responses_are_no_pace_and_no_work_of_the_last_day(batch: Any, tmp_path: Path) -> None:
    import_responses(batch, lines(tmp_path / "one.jsonl", [response(0, "elsewhere")]))
    found = overview.running(batch.project)[0]
    assert (found.done, found.recent, found.left) == (1, 0, None)
    assert batch_progress.progress_of(batch)["recent"] == 0


def test_what_just_began_to_wait_has_no_age() -> None:
    def age(minutes: int) -> str:
        begun = clock.now() - timedelta(minutes=minutes)
        step = NextStep("review", 1, {"slug": "wells", "title": "Wells"}, since=begun)
        return str(next_steps.shown(Project(slug="p"), [step], [roles.REVIEW])[0]["age"])

    assert age(0) == ""
    assert age(3) == "3\xa0minutes"


def test_titles_are_shown_in_the_readers_language(client: Any, alice: Any, batch: Any) -> None:
    type(batch).objects.update(title="Ferries [de] Fähren")
    client.force_login(alice)
    assert "Fähren" not in home(client)
    client.post(reverse("set-language"), {"language": "de"})
    page = client.get(reverse("batch", args=["wells", batch.slug])).content.decode()
    assert "<h1>Fähren</h1>" in page
    assert "Ferries" not in page


def test_the_fragment_asks_for_itself_while_a_batch_is_open(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    assert f'hx-get="{reverse("project-now", args=["wells"])}"' in home(client, "project-now")
    acting.batch_launch.close(batch)
    assert "hx-get" not in home(client, "project-now")


def test_everything_that_waits_is_a_link_to_where_it_is_done(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any, project: Any
) -> None:
    row = answer(bob, batch)
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=5))
    problem_reports.report_problem(row, reason="unclear", text="")
    kind = qualification_types.create_type(project, "Readers", description="")
    qualification_types.request(kind, bob)
    worker_messages.ask(carol, "", "When does it go on?")
    BatchActivity.objects.update_or_create(batch=batch, defaults={"to_adjudicate": 2, "counted_at": timezone.now()})
    overview.decided(batch, "to_adjudicate")
    client.force_login(alice)
    html = home(client)
    result = {
        "approvals": f"{reverse('approvals', args=['wells'])}?batch=wells-1",
        "problem_reports": reverse("problem-reports", args=["wells", "wells-1"]),
        "adjudicate": reverse("adjudicate", args=["wells", "wells-1"]),
        "requests": reverse("qualification-requests", args=["wells", kind.public_id]),
        "messages": reverse("worker-messages", args=["wells", carol.pk]),
    }
    for address in result.values():
        assert address in html
        assert client.get(address).status_code == 200
    assert f'message from a worker</a><span class="cut">{carol.pseudonym}</span>' in one_line(html)
    worker_messages.ask(bob, "", "And when does it end?")
    both = one_line(home(client))
    assert f"{reverse('messages', args=['wells'])}?show=new" in both
    assert f"{carol.pseudonym}, {bob.pseudonym}" in both or f"{bob.pseudonym}, {carol.pseudonym}" in both
    assert "Adjudicate 1 HIT</a>" in html
    assert "first automatic approval in" in html


def test_it_lists_what_to_do_most_urgent_first_and_keeps_it_live(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any, project: Any
) -> None:
    client.force_login(alice)
    assert "Nothing waits for you now." in home(client, "project-now")
    BatchActivity.objects.create(batch=batch, to_adjudicate=2)
    assert steps(home(client)) == ["Adjudicate 2 HITs"]
    row = answer(bob, batch)
    problem_reports.report_problem(row, reason="unclear", text="")
    worker_messages.ask(carol, "", "When does it go on?")
    batch_launch.pause(batch)
    expected = ["Read 1 problem report", "Read 1 message from a worker", "Adjudicate 2 HITs", "Resume"]
    assert steps(home(client, "project-now")) == expected
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(days=5))
    assert steps(home(client, "project-now")) == ["Approve 1 response", *expected]


def test_a_closed_batch_asks_for_its_dataset_until_there_is_one(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    for worker in (bob, carol):
        acting.answer_all(worker, batch)
    batch_launch.close(batch)
    client.force_login(alice)
    assert ">Create a dataset…</a>" in home(client)
    results_dataset.create_results_dataset(batch, name="gathered", user=None, progress=lambda done, total: None)
    assert ">Create a dataset…</a>" not in home(client)


def test_it_invites_as_many_workers_as_are_missing(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    carol.__class__.objects.filter(pk=carol.pk).update(active=False)
    client.force_login(alice)
    page = re.search(r'href="([^"]*)#invite-link">Invite 1 more</a>', home(client))
    assert page is not None
    assert 'id="invite-link"' in client.get(page[1]).content.decode()


def test_it_invites_for_the_batch_that_lacks_most_workers(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any, project: Any, dataset: Any
) -> None:
    carol.__class__.objects.filter(pk=carol.pk).update(active=False)
    acting.launched(project, "own", dataset, workers=[bob], assignments_per_hit=9, fresh_only=False)
    acting.launched(project, "four", dataset, assignments_per_hit=4, fresh_only=False)
    client.force_login(alice)
    html = home(client)
    assert "You need 4 workers and have 1." in html
    assert steps(html) == ["Invite 3 more"], "the batch with its own workers waits for nobody else"


def test_what_people_leave_open_is_counted_with_the_report(alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    for worker, other in ((bob, {}), (carol, {"kind": "none", "text": "", "paragraph": None, "start": 0, "end": 0})):
        answer(worker, batch, **other)
    jobs.enqueue("score_batch", project=batch.project, title="Report", arguments={"batch": batch.pk})
    jobs.run_due_work()
    news = BatchActivity.objects.get(batch=batch)
    assert news.counted_at is not None
    assert news.to_adjudicate == len(overview.adjudication.queue(batch))


def test_a_reviewer_sees_no_money_and_what_is_theirs_to_do(client: Any, bob: Any, batch: Any, project: Any) -> None:
    reader = User.objects.create_user("rita")
    Member.objects.create(project=project, user=reader, role=Member.Role.REVIEWER)
    ledger.deposit(project, Decimal(100), key="in")
    row = answer(bob, batch)
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=5))
    problem_reports.report_problem(row, reason="unclear", text="")
    client.force_login(reader)
    html = home(client)
    assert "free in the budget" not in html
    assert "to approve" not in html
    assert "problem report</a>" in html


def test_money_is_what_is_free_set_aside_and_spent(project: Any) -> None:
    assert overview.project_money(project) is None
    ledger.deposit(project, Decimal(100), key="in")
    ledger.move(project, ledger.AVAILABLE, ledger.FEES, Decimal(30), kind="fee", key="f")
    ledger.move(project, ledger.AVAILABLE, "held/1", Decimal(20), kind="hold", key="h")
    assert overview.project_money(project) == overview.ProjectMoney(Decimal(50), Decimal(20), Decimal(30))


def test_the_family_shows_datasets_and_the_batches_between_them(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any, dataset: Any
) -> None:
    derive_dataset(dataset, how="splits", name="cut", seed=0, options={})
    for worker in (bob, carol):
        acting.answer_all(worker, batch)
    results_dataset.create_results_dataset(batch, name="gathered", user=None, progress=lambda done, total: None)
    client.force_login(alice)
    html = home(client)
    assert '<svg class="family"' in html
    drawn = html[html.index('<svg class="family"') :].partition("</svg>")[0]
    for address in (reverse("dataset", args=["wells", "gathered"]), reverse("batch", args=["wells", "wells-1"])):
        assert f'<a href="{address}">' in drawn
    assert "created from wells-1" in html
    assert drawn.count('class="line"') >= 3


def test_it_asks_as_much_of_the_database_for_many_batches_as_for_few(
    client: Any, alice: Any, bob: Any, project: Any, dataset: Any, batch: Any, tmp_path: Path
) -> None:
    create_round(
        project, "r-0", task="answer", datasets=[dataset], per_worker=1, tries=1, instructions="",
        grants=qualification_rounds.grant_type(project, "R"), disjoint=False, fresh_only=False,
    )  # fmt: skip
    answer(bob, batch)
    client.force_login(alice)

    def asked() -> list[str]:
        home(client)
        with CaptureQueriesContext(connection) as made:
            home(client)
        return [re.sub(r"\d+", "N", query["sql"][:120]) for query in made]

    BatchActivity.objects.create(batch=batch, to_adjudicate=1)
    few = asked()
    assert project.batches.filter(round=None).count() == 1
    other = acting.dataset_of(project, tmp_path, name="towers", size=2)
    for k in range(9):
        made = acting.launched(project, f"more-{k}", dataset, other, fresh_only=False)
        answer(bob, made)
        BatchActivity.objects.create(batch=made, to_adjudicate=1, in_doubt=1)
    assert asked() == few
    assert len(few) < 40


@pytest.mark.app("demo")
def test_a_new_project_gets_to_a_launched_batch_by_the_example(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    assert reverse("dataset-example", args=["wells"]) in home(client)
    response = client.post(reverse("dataset-example", args=["wells"]))
    assert (response.status_code, response.url) == (303, f"{reverse('batch-new', args=['wells'])}?dataset=example")
    _action, shown = read_form(client.get(response.url).content.decode(), "launch")
    posted = {name: values for name, values in shown.items() if any(values)} | {"task": ["answer"]}
    looked = client.post(reverse("batch-new", args=["wells"]), posted | {"look": "2"})
    assert looked.status_code == 303, looked.context["form"].errors
    draft = project.batches.get()
    assert looked.url == f"{reverse('batch-preview', args=['wells', draft.slug])}?n=2"
    preview = client.get(looked.url)
    assert preview.status_code == 200
    assert reverse("batch", args=["wells", draft.slug]) in preview.content.decode()  # which leads on to the draft
    launched = client.post(reverse("batch-edit", args=["wells", draft.slug]), posted | {"launch": "1"})
    assert launched.status_code == 303
    jobs.run_due_work()
    draft.refresh_from_db()
    assert draft.state == "open"
    assert draft.size > 20
    assert client.post(reverse("dataset-example", args=["wells"])).status_code == 303  # once more changes nothing
    assert project.datasets.count() == 1


def test_whoever_runs_a_project_may_make_another_and_owns_it(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    page = reverse("project-new")
    assert client.get(page).status_code == 200
    made = client.post(page, {"title": "Mills of the north"})
    assert (made.status_code, made.url) == (303, reverse("project", args=["mills-of-the-north"]))
    assert Member.objects.get(project__slug="mills-of-the-north", user=alice).role == Member.Role.OWNER
    assert "First steps" in client.get(made.url).content.decode()
    for wish, word in (
        ({"title": "Again", "name": "wells"}, "is taken"),
        ({"title": "Again", "name": "new"}, "is reserved"),
        ({"title": "村"}, "Latin letters"),
        ({"title": ""}, "required"),
    ):
        refused = client.post(page, wish)
        assert refused.status_code == 422
        assert word in refused.content.decode()
    assert page in client.get(reverse("home")).content.decode()


def test_an_administrator_without_a_project_is_led_to_making_one(client: Any, db: None) -> None:
    chief = User.objects.create_superuser("chief", password=None)
    client.force_login(chief)
    html = client.get(reverse("home")).content.decode()
    assert "No projects yet" in html
    assert reverse("project-new") in html
    client.force_login(User.objects.create_user("frank"))
    assert reverse("project-new") not in client.get(reverse("home")).content.decode()
    assert client.get(reverse("project-new")).status_code == 404


def test_pages_of_ones_work_and_account_do_not_say_that_one_is_at_home(client: Any, project: Any, alice: Any) -> None:
    project.workers.create(user=alice)
    client.force_login(alice)
    here = {
        address: re.findall(r'<a href="([^"]*)" aria-current="page">', navigation(client.get(address)))
        for address in ("/work/", "/marketplace/", "/work/earnings/", "/accounts/", "/notices/")
    }
    work = [reverse("work")]
    assert list(here.values()) == [work, work, work, [], []]


def test_home_says_what_waits_in_each_of_several_projects(client: Any, project: Any, alice: Any, batch: Any) -> None:
    other = Project.objects.create(slug="other", title="Other")
    other.members.create(user=alice, role="owner")
    client.force_login(alice)
    quiet = client.get(reverse("home")).content.decode()
    steps = next_steps.shown(project, next_steps.waiting(project), roles.acts_of("owner"))
    assert [quiet.count(escape(step["label"])) for step in steps[:3]] == [1] * len(steps[:3])
    assert quiet.count("Nothing waits for you now.") == (1 if steps else 2)
    assert steps


def navigation(response: Any) -> str:
    return str(re.search(r'<nav aria-label="Main">.*?</nav>', response.content.decode(), re.DOTALL)[0])
