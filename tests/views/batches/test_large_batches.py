"""Pages of batches with very many HITs: what sums over all responses is kept for some minutes, and the page says so."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from annotation import jobs
from annotation.flow.batches import cached_figures
from annotation.flow.reports import batch_scores, methods_facts
from annotation.flow.reports.methods_facts import count_facts
from annotation.models import Assignment, Batch, BatchFigure, BatchReport, Project, User, clock
from tests.api.calling import caller
from tests.flow.acting import dataset_of, launched, newcomer, submit, take
from tests.one_line import one_line

pytestmark = pytest.mark.django_db
PAGE = "/projects/wells/batches/many/"


@pytest.fixture
def many(project: Project, tmp_path: Path) -> Batch:
    return launched(project, "many", dataset_of(project, tmp_path, name="two", size=2))


@pytest.fixture
def large(many: Batch, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """A batch that counts as large."""
    assert jobs.FIGURES  # loaded, as where a sweep runs
    monkeypatch.setattr(cached_figures, "LARGE", many.size)
    return many


def respond(batch: Batch, name: str) -> None:
    assignment = take(newcomer(batch.project, name), batch)
    assert assignment is not None
    submit(assignment)


def notice(client: Client, page: str = "") -> str:
    """What the page says on the age of its figures."""
    html = one_line(client.get(f"{PAGE}{page}").content.decode())
    return html.partition('id="kept-since">')[2].partition("</p>")[0].strip()


def minutes_later() -> None:
    BatchFigure.objects.update(due_at=clock.now())
    cached_figures.count_due()


@pytest.mark.parametrize(("extra", "count"), [(0, 0), (1, 1)])
def test_the_counts_of_a_large_batch_are_kept_and_those_of_others_are_fresh(
    client: Client, alice: User, many: Batch, monkeypatch: pytest.MonkeyPatch, extra: int, count: int
) -> None:
    monkeypatch.setattr(cached_figures, "LARGE", many.size + extra)
    client.force_login(alice)
    assert client.get(PAGE).context["counts"].submitted == 0
    respond(many, "worker")
    assert client.get(PAGE).context["counts"].submitted == count
    assert ("are counted every few minutes" in notice(client)) == (count == 0)
    assert client.get(f"{PAGE}assignments/").context["page"].paginator.count == count


def test_the_time_of_kept_figures_is_told_where_they_are_shown(
    client: Client, alice: User, large: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(alice)
    respond(large, "worker")
    begun = clock.now().replace(hour=12, minute=3, second=59)
    monkeypatch.setattr(clock, "now", lambda: begun)
    said = f"Figures as of {timezone.localtime(begun):%H:%M}. In a batch this large they are counted every few minutes."
    assert notice(client) == said
    monkeypatch.setattr(clock, "now", lambda: begun + timedelta(minutes=4))
    with_figures = ["", "workers/", "report/", "assignments/?show=submitted"]
    assert {page: notice(client, page) for page in with_figures} == dict.fromkeys(with_figures, said)
    without = ["hits/", "settings/", "instructions/", "problem-reports/", "assignments/?show=submitted&hops=2"]
    assert {page: notice(client, page) for page in without} == dict.fromkeys(without, "")


def test_only_the_page_of_a_large_batch_keeps_whether_its_report_is_up_to_date(
    client: Client, alice: User, large: Batch
) -> None:
    client.force_login(alice)
    respond(large, "worker")
    batch_scores.score_batch(large)
    client.post(f"{PAGE}report/open/")
    assert client.get(f"{PAGE}report/").context["fresh"] is True
    respond(large, "another")
    client.post(f"{PAGE}report/open/")
    report = BatchReport.objects.get(batch=large)
    assert client.get(f"{PAGE}report/").context["fresh"] is True, "kept"
    assert batch_scores.is_fresh(large, report) is False
    assert caller(alice).get("batches/many/report/").json()["fresh"] is False
    minutes_later()
    assert client.get(f"{PAGE}report/").context["fresh"] is False
    batch_scores.score_batch(large)
    assert client.get(f"{PAGE}report/").context["fresh"] is True, "what is kept is about the former report"


def test_a_worker_who_came_a_moment_ago_is_found_by_their_pseudonym(client: Client, alice: User, large: Batch) -> None:
    client.force_login(alice)
    respond(large, "worker")
    first, *others = large.project.workers.order_by("pk")
    assert not others
    assert client.get(f"{PAGE}assignments/?worker={first.pseudonym}").context["page"].paginator.count == 1
    respond(large, "another")
    another = large.project.workers.exclude(pk=first.pk).get()
    assert client.get(f"{PAGE}assignments/?worker={another.pseudonym}").context["page"].paginator.count == 1
    for name in ("nobody", another.pseudonym[:8]):
        assert client.get(f"{PAGE}assignments/?worker={name}").context["page"].paginator.count == 0


def test_the_workers_of_a_batch_are_listed_in_pages(client: Client, alice: User, many: Batch) -> None:
    client.force_login(alice)
    everybody = [newcomer(many.project, f"worker-{n}") for n in range(101)]
    Assignment.objects.bulk_create(
        Assignment(batch=many, hit=many.hits.all()[0], worker=worker, lease_until=clock.now()) for worker in everybody
    )
    pages = [client.get(f"{PAGE}workers/?page={page}").context["page"].object_list for page in (1, 2)]
    assert [len(rows) for rows in pages] == [100, 1]
    assert {row["worker"] for rows in pages for row in rows} == set(everybody)


def test_the_home_of_a_project_has_the_stored_progress_of_a_large_batch(
    client: Client, alice: User, large: Batch
) -> None:
    client.force_login(alice)
    respond(large, "worker")
    cached_figures.count_due()
    respond(large, "another")
    (row,) = client.get("/projects/wells/").context["batches"]
    assert (row["progress"].done, row["progress"].wanted, row["progress"].recent) == (1, 6, 1)
    assert f"as of {timezone.localtime(row['progress'].as_of):%-d %b, %H:%M}" in one_line(
        client.get("/projects/wells/").content.decode()
    )
    minutes_later()
    (row,) = client.get("/projects/wells/").context["batches"]
    assert row["progress"].done == 2


def test_the_methods_paragraph_of_a_file_is_written_anew(client: Client, alice: User, large: Batch) -> None:
    client.force_login(alice)
    respond(large, "worker")
    batch_scores.score_batch(large)
    client.post(f"{PAGE}report/open/")
    assert "One annotator submitted one response." in client.get(f"{PAGE}report/").context["methods"]["text"]
    respond(large, "another")
    client.post(f"{PAGE}report/open/")
    assert "One annotator submitted one response." in client.get(f"{PAGE}report/").context["methods"]["text"], "kept"
    file = client.get(f"{PAGE}report/export/markdown/").content.decode()
    assert "In all, 2 annotators submitted 2 responses." in file


def test_only_files_with_the_methods_paragraph_count_its_facts(
    client: Client, alice: User, large: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(alice)
    respond(large, "worker")
    batch_scores.score_batch(large)
    counted: list[Batch] = []
    monkeypatch.setattr(methods_facts, "count_facts", lambda batch: counted.append(batch) or count_facts(batch))
    for form, count in {"latex": 0, "csv": 0, "svg": 0, "markdown": 1, "html": 2}.items():
        assert client.get(f"{PAGE}report/export/{form}/").status_code == 200
        assert len(counted) == count, form
