"""Things side by side: chosen by checkboxes, paired where the items are the same, taken away as tables and chart."""

from __future__ import annotations

import json
from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.flow.batches import batch_launch, cached_figures
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.reports.batch_scores import import_predictions
from annotation.flow.review import problem_reports, review_decisions
from tests.batches import create_batch
from tests.conftest import answer_to, write_records
from tests.one_line import one_line
from tests.views.console import answer, at


def _study(project: Any, dataset: Any, name: str) -> Any:
    terms = {
        "task": "answer",
        "datasets": [dataset],
        "instructions": "Read.",
        "assignments_per_hit": 2,
        "fresh_only": False,
    }
    made = create_batch(project, name, **terms)
    batch_launch.launch(made)
    return made


def test_large_batches_are_compared_by_a_job(
    client: Any, alice: Any, bob: Any, carol: Any, project: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    import_dataset(project, write_records(tmp_path / "six.jsonl", 6), format="jsonl", name="six")
    six = project.datasets.get(slug="six")
    for batch in (_study(project, six, "one"), _study(project, six, "two")):
        for _item in range(6):
            answer(bob, batch)
            answer(carol, batch)
        batch_scores.score_batch(batch)
    client.force_login(alice)
    address = _address(of="batches", one=["one", "two"])
    by_job = address.replace("compare/", "compare/job/")
    here = client.get(address).context
    assert client.post(by_job).status_code == 404, "a page compares them"
    monkeypatch.setattr(cached_figures, "LARGE", 6)
    page = client.get(address)
    assert (page.context["tables"], page.context["chart"]) == ([], None)
    assert "Batches this large are compared by a job." in one_line(page.content.decode())
    job = client.post(by_job).url
    jobs.run_due_work()
    assert address.replace("of=batches&", "") in client.get(job).content.decode().replace("&amp;", "&")
    page = client.get(address)
    assert page.context["tables"] == here["tables"]
    assert page.context["chart"]["plot"] == here["chart"]["plot"]
    assert "As of" in page.content.decode()
    assert client.get(here["tables"][0]["files"][0]["url"]).status_code == 200
    assert client.get(_address(one=["one"])).context["tables"] == [], "another comparison"


def _address(**query: Any) -> str:
    return reverse("compare", args=["wells"], query=query)


def test_batches_of_the_same_items_differ_item_by_item(
    client: Any, alice: Any, bob: Any, carol: Any, project: Any, tmp_path: Any
) -> None:
    import_dataset(project, write_records(tmp_path / "six.jsonl", 6), format="jsonl", name="six")
    six = project.datasets.get(slug="six")
    first, second = _study(project, six, "one"), _study(project, six, "two")
    for batch, wrong in ((first, {}), (second, {"kind": "none", "text": "", "paragraph": None})):
        for _item in range(6):
            answer(bob, batch)
            answer(carol, batch, **wrong)
        batch_scores.score_batch(batch)
    client.force_login(alice)
    page = client.get(_address(of="batches", one=["one", "two"]))
    tables = {table["name"]: table for table in page.context["tables"]}
    assert [row[0]["text"] for row in tables["batches"]["rows"]] == ["two", "one"]
    grade = tables["differences"]["rows"][0]
    assert [cell["text"] for cell in grade[2:8:5]] == ["Grade against gold", "paired"]
    assert [cell["text"] for cell in grade[4:7]] == ["–", "–", "6"]
    assert "Neither is given for fewer than 7 workers." in page.content.decode()
    assert grade[3]["text"] == "−50.0"
    assert [row[4]["text"] for row in tables["human-performance"]["rows"]] == ["50.0 %", "100.0 %"]
    for row, slug in zip(tables["batches"]["rows"], ("two", "one"), strict=True):
        for cell, count in zip(row[1:3], (12, 6), strict=True):
            assert f"/batches/{slug}/" in cell["url"]
            assert client.get(cell["url"]).context["page"].paginator.count == int(cell["text"]) == count
    for file in tables["differences"]["files"]:
        assert client.get(file["url"]).status_code == 200
    assert client.get(page.context["chart"]["url"])["Content-Type"] == "image/svg+xml"


def test_annotators_and_models_stand_beside_each_other(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any, dataset: Any, tmp_path: Any
) -> None:
    for _item in range(4):
        answer(bob, batch)
        answer(carol, batch)
    batch_scores.score_batch(batch)
    said = {"predicted_answer": "Farrow", "predicted_support_idxs": [0], "predicted_answerable": True}
    lines = [json.dumps({"id": f"well-{k}", **said}) for k in range(4)]
    (tmp_path / "model.jsonl").write_text("\n".join(lines))
    import_predictions(dataset, tmp_path / "model.jsonl", format="musique", model="A $mall model")
    client.force_login(alice)
    page = client.get(_address(of="answerers", batch="wells-1", one=[bob.pseudonym, "model:A $mall model"]))
    rows = page.context["tables"][0]["rows"]
    assert [row[0]["text"] for row in rows] == ["all workers", bob.pseudonym, "A $mall model"]
    assert [row[3]["text"] for row in rows] == ["100.0 %", "100.0 %", "0.0 %"]
    assert [row[2]["text"] for row in rows] == ["4", "4", "4"]
    for row, count in zip(rows[:2], (8, 4), strict=True):
        url = row[0]["url"] or row[1]["url"]
        assert client.get(url).context["page"].paginator.count == int(row[1]["text"]) == count
    assert r"A \$mall model" in page.context["tables"][0]["quotes"][0]["text"]
    assert "carol" not in page.content.decode().lower()


def test_excluded_hits_count_nowhere_and_refused_answers_as_any_other(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    first, second = answer(bob, batch), answer(bob, batch)
    answer(carol, batch)
    answer(carol, batch)
    problem_reports.exclude(first.hit, reason="Two towers")
    review_decisions.decide(second, 1, review_decisions.Decision("discarded", {}, reason="A guess."), reviewer=alice)
    batch_launch.close(batch)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    both = [bob.pseudonym, carol.pseudonym]
    rows = client.get(_address(of="answerers", batch="wells-1", one=both)).context["tables"][0]["rows"]
    assert {row[0]["text"]: row[1]["text"] for row in rows} == {
        "all workers": "2", bob.pseudonym: "1", carol.pseudonym: "1",
    }  # fmt: skip
    rows = client.get(_address(of="batches", one="wells-1")).context["tables"][0]["rows"]
    assert [cell["text"] for cell in rows[0][1:3]] == ["2", "1"]


def test_nonsense_in_the_address_chooses_nothing(client: Any, alice: Any, batch: Any, dataset: Any) -> None:
    client.force_login(alice)
    for query in (
        {},
        {"of": "x", "one": "y"},
        {"of": "answerers", "batch": "z", "one": "model:\0"},
        {"of": "datasets"},
    ):
        page = client.get(_address(**query))
        assert page.status_code == 200
        assert page.context["tables"] == []
        assert page.context["chart"] is None
    assert client.get(reverse("compare-chart", args=["wells"])).status_code == 404
    datasets = client.get(_address(of="datasets", one="wells"))
    assert datasets.context["tables"][0]["rows"][0][1]["text"] == "4"


def test_lists_are_filtered_by_what_answers_say_and_by_days(
    client: Any, alice: Any, bob: Any, carol: Any, batch: Any
) -> None:
    given = [answer(bob, batch) for _item in range(4)]
    answer(carol, batch, kind="none", text="", paragraph=None, start=None, end=None)
    assert answer_to(given[0])["kind"] == "span"
    batch.assignments.filter(pk=given[0].pk).update(submitted_at="2020-05-05T23:30Z")
    client.force_login(alice)

    def count(page: str, **query: Any) -> int:
        return client.get(at(page), query).context["page"].paginator.count

    assert [count("batch-assignments", label=label) for label in ("span", "none", "nothing")] == [4, 1, 0]
    assert count("batch-assignments", since="2020-05-05", until="2020-05-05") == 1
    assert count("batch-assignments", worker=carol.pseudonym, hops="2", dataset="wells") == 1
    assert count("batch-assignments", worker=str(carol.pk)) == 1
    assert [count("hits", **query) for query in ({"worker": bob.pseudonym}, {"label": "none"}, {"hops": "3"})] == [
        4,
        1,
        0,
    ]
    assert count("hits", shape="\0", since="soon") == 4
