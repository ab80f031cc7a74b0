"""Altered facts as hidden gold: in no export, in the report as counts, and told to workers afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.flow.batches import batch_launch, hidden_gold
from annotation.flow.data import dataset_files, derivation
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.errors import Refused
from annotation.flow.reports import altered_facts, batch_scores
from annotation.forms.batches import LaunchForm
from annotation.models import Assignment, Batch, Dataset, Project, Worker
from annotation.pure.reports.report_values import table_of
from tests.batches import create_batch, set_up_gold
from tests.flow.acting import draft, newcomer, submit, take
from tests.flow.review.test_response_import import lines

pytestmark = pytest.mark.django_db

KEEPERS = ["Maud Finch", "Ada Reed", "Tom Hale", "Joan Marl"]


def record(number: int) -> dict[str, Any]:
    name = KEEPERS[number]
    text = f"Lamp {number} of the long mole has burnt since it was lit by {name} in the hardest of winters."
    asked = {"id": f"q{number}", "question": f"Who lit lamp {number}?", "answers": [name], "supports": [0]}
    return asked | {"paragraphs": [{"title": f"Lamp {number}", "text": text}, {"title": "Mole", "text": "Of stone."}]}


@pytest.fixture
def lamps(project: Project, tmp_path: Path) -> Dataset:
    """Four questions, and `altered`: the same with altered facts."""
    for name, numbers in (("lamps", range(4)), ("plain", range(12))):
        found = [record(number % 4) | {"id": f"{name}{number}"} for number in numbers]
        import_dataset(project, lines(tmp_path / f"{name}.jsonl", found), format="jsonl", name=name)
    derivation.derive_dataset(project.datasets.get(slug="lamps"), how="altered-facts", name="altered", seed=3)
    return project.datasets.get(slug="altered")


@pytest.fixture
def gold_batch(project: Project, lamps: Dataset) -> Batch:
    """An open batch with the altered facts as half of everybody's HITs."""
    made = draft(project, "lit", project.datasets.get(slug="plain"), assignments_per_hit=3, meeting="free")
    set_up_gold(made, datasets=[lamps], share=0.5, rule=hidden_gold.Rule())
    batch_launch.launch(made)
    return made


def answer_gold(worker: Worker, batch: Batch, *, as_the_world: bool) -> int:
    """The worker answers all they get, hidden gold as said; returns how many of that."""
    count = 0
    while (row := take(worker, batch)) is not None:
        gold = row.hit.item.example
        known = gold.extra.get("altered_fact")
        count += known is not None
        said = known["from"][0] if known and as_the_world else gold.answers[0]
        place = dict.fromkeys(("paragraph", "start", "end", "option"))
        submit(row, {"kind": "typed", "text": said, **place, "support": [0], "facts": []})
    return count


def test_the_report_counts_who_answered_as_the_world_has_it(project: Project, gold_batch: Batch) -> None:
    reader, knower = newcomer(project, "reader"), newcomer(project, "knower")
    read = answer_gold(reader, gold_batch, as_the_world=False)
    known = answer_gold(knower, gold_batch, as_the_world=True)
    assert min(read, known) >= 1
    batch_scores.score_batch(gold_batch)
    report = batch_scores.kept_report(gold_batch)
    assert report is not None
    table = table_of(report.content, "altered-facts")
    assert table is not None
    [everybody, first, second] = table["rows"]
    assert everybody[1] == read + known
    assert everybody[3]["value"] == pytest.approx(known / (read + known))
    assert first == [project.pseudonym(knower.pk), known, 0, known, 0]
    assert second == [project.pseudonym(reader.pk), read, read, 0, 0]
    assert set(report.content["datasets"]) == {"plain"}  # hidden gold is in no other figure


def test_without_altered_facts_there_is_no_table(batch: Batch) -> None:
    assert altered_facts.tables(batch) == []


def test_workers_are_told_once_the_batch_is_closed(gold_batch: Batch, bob: Worker) -> None:
    count = answer_gold(bob, gold_batch, as_the_world=False)
    assert altered_facts.disclosed(gold_batch, bob) == []
    assert "Altered facts" not in seen(bob, "history")
    batch_launch.close(gold_batch)
    gold_batch.refresh_from_db()
    told = altered_facts.disclosed(gold_batch, bob)
    assert len(told) == count
    assert all(one.original in KEEPERS and one.stated in KEEPERS and one.original != one.stated for one in told)
    page = seen(bob, "batch-done", gold_batch.pk)
    assert all(text in page for one in told for text in (one.question, one.stated, one.original))
    assert "Altered facts" in seen(bob, "history")
    assert "Altered facts" not in seen(newcomer(gold_batch.project, "carol"), "batch-done", gold_batch.pk)


def seen(worker: Worker, name: str, *args: Any) -> str:
    client = Client()
    client.force_login(worker.user)
    return client.get(reverse(name, args=args)).content.decode()


def test_they_are_for_nothing_but_hidden_gold(project: Project, lamps: Dataset, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="hidden gold"):
        dataset_files.export_dataset(lamps, tmp_path / "out.jsonl", format="jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    with pytest.raises(Refused, match="hidden gold"):
        create_batch(project, "no", task="answer", datasets=[lamps])
    with pytest.raises(Refused, match="hidden gold"):
        derivation.derive_dataset(lamps, how="sample", name="drawn", options={"count": 1})
    plain = project.datasets.get(slug="plain")
    with pytest.raises(Refused, match="contains altered facts"):
        derivation.derive_dataset(plain, how="join", name="joined", options={"others": "altered"})


def test_the_page_after_deriving_offers_no_further_derivation(project: Project, lamps: Dataset, alice: Any) -> None:
    client = Client()
    client.force_login(alice)
    offered = {}
    for how in ("altered-facts", "sample"):
        arguments = {
            "source": project.datasets.get(slug="lamps").pk,
            "how": how,
            "name": f"by-{how}",
            "seed": 1,
            "options": {},
        }
        job = jobs.enqueue("derive_dataset", project=project, title=how, arguments=arguments, user=alice)
        jobs.run_due_work()
        offered[how] = (
            "Derive from it" in client.get(reverse("job", args=[project.slug, job.public_id])).content.decode()
        )
    assert offered == {"altered-facts": False, "sample": True}


def test_pages_offer_them_for_nothing_else(project: Project, lamps: Dataset, alice: Any) -> None:
    boss = Client()
    boss.force_login(alice)
    form = LaunchForm(project=project)
    assert lamps in form.fields["checks"].queryset
    assert lamps not in form.fields["datasets"].queryset
    page = boss.get(reverse("dataset", args=[project.slug, "altered"])).content.decode()
    assert "for hidden gold only" in page
    assert "Derive…" not in page
    assert "Export…" not in page
    assert "Export…" in boss.get(reverse("dataset", args=[project.slug, "plain"])).content.decode()


def test_whoever_answers_as_the_world_has_it_fails_that_gold(gold_batch: Batch, bob: Worker) -> None:
    answer_gold(bob, gold_batch, as_the_world=True)
    grades = Assignment.objects.filter(worker=bob, hit__check_item=True).values_list("grade", flat=True)
    assert set(grades) == {0.0}
