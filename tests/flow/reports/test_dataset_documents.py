"""The facts of a datasheet as they are read off the rows: people, pay, lineage, sources, and what is missing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data import item_editing
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.people import consent
from annotation.flow.reports import batch_scores
from annotation.flow.reports.dataset_documents import card_of, datasheet_of, sheet_of
from annotation.flow.review import assignment_approval, problem_reports, review_decisions
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Batch, Dataset, Project
from annotation.pure.people.consent_text import DEFAULT, filled
from tests.batches import create_batch
from tests.conftest import write_records
from tests.flow.acting import answer_all, launched
from tests.flow.making import everything
from tests.flow.paying import paid_batch, worked
from tests.flow.review.test_response_import import lines, response

pytestmark = pytest.mark.django_db


@pytest.fixture
def wells(project: Project, tmp_path: Path) -> Dataset:
    file = write_records(tmp_path / "wells.jsonl", 6)
    import_dataset(project, file, format="jsonl", name="wells", licence="CC0", source="https://wells.example")
    return Dataset.objects.get(slug="wells")


def test_a_dataset_that_people_composed_is_described_from_its_first_source_on(project: Project, tmp_path: Path) -> None:
    made = everything(project, tmp_path)
    Dataset.objects.filter(slug="singles").update(licence="CC BY-SA 4.0")
    sheet = sheet_of(made["ours-dev"])
    assert sheet.name == "ours"
    assert [(split.name, split.records) for split in sheet.splits] == [
        (name, made[f"ours-{name}"].size) for name in ("train", "dev", "test")
    ]
    assert [origin.name for origin in sheet.origins] == ["singles"]
    assert [(step.how, step.made, step.sources, step.seed) for step in sheet.steps] == [
        ("composable-pairs", ("pairs",), ("singles",), 4),
        ("graphs", ("graphs",), ("pairs",), 4),
        ("verdicts", ("questions",), ("graphs",), 0),
        ("contexts", ("wide",), ("questions",), 4),
        ("unanswerable-twins", ("full",), ("wide",), 4),
        ("splits", ("ours-train", "ours-dev", "ours-test"), ("full",), 4),
    ]
    [work] = sheet.works
    assert (work.batch, work.task, work.made, work.workers, work.answers) == (
        "writing",
        "Compose questions",
        True,
        2,
        made["graphs"].size,
    )
    assert work.pay == ()  # nothing was paid, whatever the options offer
    assert sheet.workers == 2
    text = datasheet_of(made["ours-dev"])
    assert "CC BY-SA 4.0" in text
    assert text == datasheet_of(made["ours-train"])
    assert 'path: "d"' in card_of(made["ours-dev"], files={"dev": "d"})


def test_who_worked_how_they_were_chosen_and_when(project: Project, wells: Dataset, bob: Any, carol: Any) -> None:
    trial = launched(project, "trial", wells, purpose="qualification", sample=2)
    answer_all(carol, trial)
    answer_all(bob, trial)
    batch = launched(project, "real", wells)
    batch.workers.add(bob)
    answer_all(bob, batch, most=3)
    batch.assignments.update(submitted_at=datetime(2026, 3, 4, 5, tzinfo=UTC))
    create_results_dataset(batch, name="verdicts")
    sheet = sheet_of(Dataset.objects.get(slug="verdicts"))
    [work] = sheet.works
    assert (work.workers, work.answers, work.chosen, work.qualifications) == (1, 3, 1, (("trial", 2),))
    assert (work.first, work.last) == ("2026-03-04", "2026-03-04")
    assert (work.pay, work.agreement, work.instructions_versions) == ((), (), 1)


def test_excluded_hits_and_the_agreement_of_the_report_stand_in_it(
    project: Project, wells: Dataset, tmp_path: Path
) -> None:
    batch = launched(project, "real", wells)
    rows = [response(k, worker, f"Tower {k}") for k in range(6) for worker in ("a", "b")]
    import_responses(batch, lines(tmp_path / "j", rows))
    first = batch.hits.order_by("pk").first()
    assert first is not None
    problem_reports.exclude(first, reason="broken")
    create_results_dataset(batch, name="verdicts")
    made = Dataset.objects.get(slug="verdicts")
    assert "Agreement: not recorded" in datasheet_of(made)
    batch_scores.score_batch(batch)
    text = datasheet_of(made)
    assert "- HITs: 6, 1 of them excluded" in text
    assert "| `verdicts` | excluded | 1 | 6 HITs |" in text
    assert "| answer, F1 | 100.0 %" in text


def test_a_study_of_the_finished_dataset_is_told_apart_from_what_went_into_it(
    project: Project, wells: Dataset, bob: Any
) -> None:
    answer_all(bob, launched(project, "study", wells))
    create_batch(project, "planned", task="answer", datasets=[wells], instructions="Read.")
    [work] = sheet_of(wells).works
    assert (work.batch, work.made) == ("study", False)
    assert "are about the dataset as it is" in datasheet_of(wells)


def test_the_datasets_of_a_pool_are_sources_too_and_what_is_gone_is_named(
    project: Project, wells: Dataset, tmp_path: Path
) -> None:
    import_dataset(project, write_records(tmp_path / "b", 9), format="jsonl", name="pool", licence="CC BY 4.0")
    derive_dataset(wells, how="contexts", name="wide", options={"pool": "pool", "paragraphs": 5})
    wide = Dataset.objects.get(slug="wide")
    sheet = sheet_of(wide)
    assert [(origin.name, origin.licence) for origin in sheet.origins] == [("wells", "CC0"), ("pool", "CC BY 4.0")]
    Dataset.objects.filter(slug="pool").update(state=Dataset.State.REMOVING)
    assert sheet_of(wide).gone == ("pool",)
    assert Batch.objects.count() == 0


def test_pay_is_told_of_batches_that_pay_with_what_the_ledger_paid(project: Project, wells: Dataset, bob: Any) -> None:
    paid = paid_batch(project, wells)
    worked(bob, paid, approved=True)
    worked(bob, paid)
    [work] = sheet_of(wells).works
    assert work.pay == (("An answer", "0.25 US dollars"), ("Paid so far, without fees", "0.25 US dollars"))
    assert "- Pay: An answer: 0.25 US dollars; Paid so far, without fees: 0.25 US dollars" in datasheet_of(wells)
    assert "How they were chosen and paid," in card_of(wells, files={}, datasheet="sheet.md")


def test_what_an_unpaid_batch_or_none_leaves_unsaid(project: Project, wells: Dataset, bob: Any) -> None:
    assert "How they were" not in card_of(wells, files={}, datasheet="sheet.md")
    answer_all(bob, launched(project, "study", wells))
    assert "One person worked on it, under a pseudonym." in card_of(wells, files={}, datasheet="sheet.md")
    assert "How they were chosen, how far" in card_of(wells, files={}, datasheet="sheet.md")
    assert "dollar" not in datasheet_of(wells)


def test_answers_that_were_given_elsewhere_have_no_day_and_excluded_ones_are_counted(
    project: Project, wells: Dataset, tmp_path: Path
) -> None:
    batch = launched(project, "real", wells)
    import_responses(batch, lines(tmp_path / "j", [response(k, "a", f"Tower {k}") for k in range(3)]))
    problem_reports.exclude(batch.hits.get(item__position=0), reason="broken")
    text = datasheet_of(wells)
    assert "- Answers: 3, by 1 worker; 1 of them to excluded HITs" in text
    assert "- Responses collected elsewhere: 3\n" in text
    assert "- Days: not recorded" in text


def test_what_datasets_state_about_ethics_goes_on_to_what_is_made_of_them_and_comes_before_the_consent_text(
    project: Project, wells: Dataset, bob: Any
) -> None:
    answer_all(bob, launched(project, "study", wells))
    text = filled(DEFAULT, contact="ada@example.org", ethics="board 7")
    Project.objects.filter(pk=project.pk).update(consent=text)
    wells.project.refresh_from_db()
    found = sheet_of(wells)
    assert (found.ethics, found.consent, found.asked, found.consented) == ("board 7", "", 1, 0)
    consent.give(bob, version=1)
    assert sheet_of(wells).consented == 1
    Project.objects.filter(pk=project.pk).update(consent="")
    wells.project.refresh_from_db()
    assert (sheet_of(wells).ethics, sheet_of(wells).asked) == ("", 0)
    assert item_editing.describe(wells, ethics=" board 8 ", consent="in writing")
    assert not item_editing.describe(wells, ethics="board 8", licence=None)
    with pytest.raises(TypeError):
        item_editing.describe(wells, size="4")
    wells.refresh_from_db()
    derive_dataset(wells, how="sample", name="some", options={"count": 2})
    some = Dataset.objects.get(slug="some")
    assert (some.ethics, some.consent) == ("board 8", "in writing")
    Dataset.objects.filter(slug="some").update(ethics="")
    some.refresh_from_db()
    assert "Ethics approval: board 8." in datasheet_of(some)
    assert "Ethics approval: board 8." in card_of(some, files={})


def test_how_results_came_about_and_what_was_rejected_is_told_in_both_documents(
    project: Project, wells: Dataset, bob: Any
) -> None:
    batch = paid_batch(project, wells)
    rows = [worked(bob, batch) for _turn in range(4)]
    review_decisions.choose(rows[0], rows[0].revision, reviewer=None)
    review_decisions.choose(rows[1], rows[1].revision, reviewer=None, text=rows[1].hit.item.example.answer)
    assert assignment_approval.reject(rows[2], text="Not read.")
    assert assignment_approval.approve(rows[3])
    create_results_dataset(batch, name="verdicts")
    made = Dataset.objects.get(slug="verdicts")
    counted = "2 aggregated from the responses, 1 accepted by a requester, 1 in a requester's wording"
    text, shown = datasheet_of(made), card_of(made, files={})
    assert f"- Its answers: went into the dataset: {counted}\n" in text
    assert "- Answers: 4, by 1 worker; 1 of them rejected and not paid; 2 of them not paid or decided on yet\n" in text
    assert "- Asked for each HIT: 1 worker; obtained: 0 to 1\n" in text
    assert f"Results of the batch `paid` in it: {counted}." in shown
    assert "The batch `paid` has 4 answers, 1 of them rejected and not paid, 2 of them not paid" in shown
