"""Studies, each launched on its small data, worked through and compared with its paper; and a study of one's own."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from annotation.flow.data import response_files
from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.projects.projects import project_named
from annotation.jobs import run_due_work
from annotation.models import Assignment, Batch, Dataset, Item, Member, Project, User
from annotation.pure.studies.published import COLUMNS
from annotation.registry import task_type
from annotation.studies import folders, report
from annotation.studies.launch import batches_of, begin, launch
from annotation.studies.models import StudyRun
from tests.flow import acting
from tests.long_forms import examples
from tests.long_forms import first as first_of
from tests.studies.rounds import imitated, work_through_rounds

pytestmark = pytest.mark.django_db

DIFFERENT = ["musique-composition", "su-2026"]  # compositions; steps. With an analysis: test_human_dire.py


@pytest.fixture
def project(db: None) -> Project:
    found = project_named()
    consent.fill_in(found, contact="Ada, ada@example.org", ethics="board 7, no. 12")
    return found


def launched(project: Project, name: str, **terms: Any) -> StudyRun:
    folder = folders.read(name)
    run = begin(project, folder, {"small": True, **terms})
    launch(run, folder, say=lambda _text: None)
    return run


def responses(run: StudyRun, folder: Path, seed: int = 1, people: int = 0) -> dict[str, Path]:
    """A file of simulated responses, most of them right, for each batch of the run; each by the first of its workers,
    or by some of `people`."""
    files = {}
    for row in run.definition.batches:
        batch, rng = batches_of(run)[row.name], Random(seed)
        lines = []
        for hit in batch.hits.select_related("item__dataset").order_by("pk"):
            each = batch.assignments_per_hit
            for number in rng.sample(range(people), each) if people else range(each):
                right = rng.random() < 0.85
                answer = task_type(batch.task).imitate(hit.payload, hit.item.example, rng, right=right)  # type: ignore[attr-defined]
                place = {"dataset": hit.item.dataset.slug, "item": hit.item.position}
                lines.append(json.dumps({**place, "worker": f"worker {number}", "answer": answer}))
        files[row.name] = folder / f"{run.slug}-{row.name}.jsonl"
        files[row.name].write_text("\n".join(lines) + "\n")
    return files


@pytest.mark.parametrize("name", first_of(2, [*DIFFERENT, *sorted({*folders.names()} - {*DIFFERENT})]))
def test_a_study_runs_whole_on_its_small_data(name: str, project: Project, tmp_path: Path, alice: User) -> None:
    run = launched(project, name, scale=examples(10, soak=100) / 100)
    work_through_rounds(run, alice)
    report.take_responses(run, responses(run, tmp_path))
    assert_every_figure_is_measured(run, report.compute(run, look=True))


def assert_every_figure_is_measured(run: StudyRun, rows: list[dict[str, Any]]) -> None:
    measured = [row for row in rows if row["ours"] is not None]
    pointed = [figure for figure in run.published if figure.batch]
    assert len(measured) == len(pointed), [row["note"] for row in rows if row["note"]]
    for row in measured:
        assert -1 <= row["ours"]["value"] <= (10**6 if row["unit"] == "count" else 1), row
    assert len(report.lines(rows)) == len(run.published)
    assert not [line for line in report.lines(rows) if "(;" in line or "()" in line]


@pytest.mark.parametrize("name", folders.names())
def test_a_study_says_what_it_needs_and_chose(name: str) -> None:
    folder = folders.read(name)
    assert {"**The paper**", "**Left open**", "**What we chose**"} <= {
        part.partition("**")[0] + "**" + part.split("**")[1] + "**"
        for part in folder.readme.split("\n\n")
        if "**" in part
    }
    assert not re.findall(r"\]\((?!https?:)", folder.readme), "the study's page has no other files to link to"
    for data in folder.definition.data:
        assert folder.small_file(data).is_file()
        assert data.where


def test_the_same_launch_again_changes_nothing_and_another_gets_the_next_name(project: Project) -> None:
    first = launched(project, "musique-human-score", seed=3)
    again = launched(project, "musique-human-score", seed=3)
    assert again == first
    assert Batch.objects.filter(project=project).count() == 2
    other = launched(project, "musique-human-score", seed=4)
    assert (first.slug, other.slug) == ("musique-human-score", "musique-human-score-2")
    assert launched(project, "musique-human-score", seed=4) == other
    assert launched(project, "musique-human-score", seed=5).slug == "musique-human-score-3"
    assert set(batches_of(other)) == {"qualification", "answers"}


def test_a_name_that_is_taken_is_refused_to_other_settings(project: Project) -> None:
    folder = folders.read("musique-full-answerability")
    first = begin(project, folder, {"small": True, "run": "pilot", "seed": 3})
    assert begin(project, folder, {"small": True, "run": "pilot", "seed": 3}) == first
    with pytest.raises(Refused, match="pilot was launched with other settings"):
        begin(project, folder, {"small": True, "run": "pilot", "seed": 4})
    assert StudyRun.objects.count() == 1


def test_the_small_file_of_musique_full_has_twins_of_invented_questions() -> None:
    folder = Path(settings.ROOT) / "studies" / "_small"
    known, twins = (
        [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in ("vennory.jsonl", "vennory_full.jsonl")
    )
    questions = {row["id"]: row["question"] for row in known}
    labels: dict[str, list[bool]] = {}
    for row in twins:
        assert row["question"] == questions[row["id"]]
        labels.setdefault(row["id"], []).append(row["answerable"])
        supported = [hop["paragraph_support_idx"] is not None for hop in row["question_decomposition"]]
        assert all(supported) is row["answerable"]
    assert (len(twins), len(labels)) == (60, 30)
    assert all(sorted(both) == [False, True] for both in labels.values())


def test_a_figure_that_the_paper_does_not_print_says_where_it_is_from(project: Project, alice: Any) -> None:
    run = begin(project, folders.read("subqa-1000"), {"small": True})
    rows = [line for line in report.lines(report.compute(run)) if line.startswith("DecompRC: failure rate, EM")]
    assert rows == [
        "DecompRC: failure rate, EM: paper 50.4 (Figure 2, EM, DecompRC; from the percentages in Table 3 of Tang et "
        "al. 2021); not measured by this study's responses"
    ]
    run.delete()
    client = Client()
    client.force_login(alice)
    page = client.get(reverse("study", args=[project.slug, "subqa-1000"])).content.decode()
    assert page.count("(from the percentages in Table 3 of Tang et al. 2021)") == 1


def test_an_interrupted_launch_goes_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folders.read("musique-human-score")
    run = begin(project, folder, {"small": True})

    def dies(text: str) -> None:
        if "answers" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        launch(run, folder, say=dies)
    assert set(batches_of(run)) == {"qualification"}
    assert set(launch(run, folder, say=lambda _text: None)["batches"]) == {"qualification", "answers"}


def test_two_runs_with_a_seed_draw_the_same_and_score_the_same(project: Project, tmp_path: Path) -> None:
    project_named("default")
    second = Project.objects.create(slug="second", title="Second", consent=project.consent)
    runs = [
        launched(project, "musique-full-answerability", seed=5),
        launched(second, "musique-full-answerability", seed=5),
    ]
    contents = [
        list(
            Item.objects.filter(dataset__project=run.project)
            .order_by("dataset__slug", "position")
            .values_list("content")
        )
        for run in runs
    ]
    assert contents[0] == contents[1]
    for run in runs:
        report.take_responses(run, responses(run, tmp_path))
    assert report.compute(runs[0], look=True) == report.compute(runs[1], look=True)


def test_scale_draws_a_share(project: Project) -> None:
    run = launched(project, "musique-full-answerability", scale=0.1)
    assert Dataset.objects.get(slug="musique-full-answerability-drawn").size == 10  # five questions, two instances each
    assert batches_of(run)["labels"].hits.count() == 5
    assert run.scale == 0.1


def test_single_instances_are_as_many_as_the_scale_says(project: Project) -> None:
    """Drawn one by one, two instances of a question would make one HIT: 23 of 25."""
    run = launched(project, "musique-full-answerability", scale=0.5, seed=2)
    hits = batches_of(run)["labels"].hits.select_related("item")
    assert len({hit.item.example.group for hit in hits}) == len(hits) == 25


def submit(assignment: Assignment) -> None:
    acting.submit(assignment, imitated(assignment))


def test_a_missing_file_is_named_with_its_place(project: Project) -> None:
    with pytest.raises(CommandError, match=r"needs hotpot_dev_distractor_v1\.json .*--data questions=FILE"):
        call_command("study", "launch", "dire-sufficiency")
    assert not StudyRun.objects.exists()


def test_a_file_with_another_digest_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = own_study(tmp_path, 'sha256: "0"')
    monkeypatch.setattr(folders, "root", lambda: root)
    with pytest.raises(Refused, match="is not the file that the study was written for"):
        begin(project, folders.read("mine"), {}, files={"questions": root / "_small" / "vennory.jsonl"})


def own_study(tmp_path: Path, line: str = 'sha256: ""', study: str = "musique-human-score") -> Path:
    """A folder of studies with a copied one."""
    root = tmp_path / "studies"
    there = Path(settings.ROOT) / "studies"
    shutil.copytree(there / "_small", root / "_small")
    shutil.copytree(there / study, root / "mine")
    file = root / "mine" / "study.yaml"
    file.write_text(file.read_text().replace("    format: musique\n", f"    format: musique\n    {line}\n", 1))
    return root


def test_a_copied_folder_is_a_new_study(project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = own_study(tmp_path)
    monkeypatch.setattr(folders, "root", lambda: root)
    assert folders.names() == ["mine"]
    run = launched(project, "mine")
    assert set(batches_of(run)) == {"qualification", "answers"}


def with_figures(root: Path, *lines: str, study: str = "mine") -> None:
    (root / study / "published.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")


def test_a_figure_may_be_the_difference_of_two_batches(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = own_study(tmp_path, study="min-2019-withheld")
    monkeypatch.setattr(folders, "root", lambda: root)
    path = "datasets.{}.answer.human_score.em"
    with_figures(root, *(f"F,20,percent,,,,,,,{batch},{path},," for batch in ("whole - withheld", "whole", "withheld")))
    run = launched(project, "mine", scale=0.2)
    report.take_responses(run, responses(run, tmp_path))
    values = [row["ours"]["value"] for row in report.compute(run, look=True)]
    assert values[0] == pytest.approx(values[1] - values[2])


def test_a_contrast_with_an_unknown_batch_or_without_one_dataset_each_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = own_study(tmp_path, study="min-2019-withheld")
    monkeypatch.setattr(folders, "root", lambda: root)
    with_figures(root, "F,20,percent,,,,,,,whole - other,a,,")
    with pytest.raises(Refused, match="there is no batch other"):
        folders.read("mine")
    file = root / "mine" / "study.yaml"
    file.write_text(file.read_text() + "  both: {task: answer, datasets: [drawn, drawn]}\n")
    with_figures(root, "F,20,percent,,,,,,,whole - both,{}.a,,")
    with pytest.raises(Refused, match="needs batches of one dataset each"):
        folders.read("mine")


def test_a_missing_package_is_named_once_instead_of_with_each_study(
    client: Client, project: Project, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Member.objects.create(project=project, user=admin_user)
    client.force_login(admin_user)
    monkeypatch.setitem(sys.modules, "yaml", None)
    page = client.get(reverse("studies", args=[project.slug])).content.decode()
    assert page.count("hopscribe[studies]") == 1
    with pytest.raises(CommandError, match=r"hopscribe\[studies\]"):
        call_command("study", "list")


def test_a_broken_study_is_listed_with_its_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    root = own_study(tmp_path)
    (root / "mine" / "study.yaml").write_text("title: Mine\n")
    monkeypatch.setattr(folders, "root", lambda: root)
    call_command("study", "list")
    assert "studies/mine/study.yaml: paper: write a text" in capsys.readouterr().out
    with pytest.raises(CommandError, match="paper: write a text"):
        call_command("study", "show", "mine")


@pytest.mark.parametrize(
    ("line", "changed", "why"),
    [
        ("assignments: 3", "assignments: 0", "batches.answers.assignments: Ensure this value is greater than"),
        ("assignments: 3", "minutes: 700", "batches.answers.minutes: Ensure this value is less than or equal to 600"),
        ("sample: 125", "sample: -1", "batches.answers.sample: Ensure this value is greater than"),
        ("per_worker: 25", "per_worker: 1001", "rounds.qualification.per_worker: Ensure this value is less than"),
        ("answer_f1>75", "answer_f1>175", "rounds.qualification.rule: 'answer_f1>175': write"),
        ("assignments: 3", "options: {yes_no: 3}", "batches.answers.options.yes_no: Give true or false"),
        ("rounds:", "derivations:\n  few: {from: questions, how: smaple}\nrounds:", "derivations.few.how: there is no"),
        (
            "rounds:",
            "derivations:\n  few: {from: questions, how: sample, options: {count: 0}}\nrounds:",
            "derivations.few.options.count: Ensure this value is greater than",
        ),
    ],
)
def test_values_beyond_the_limits_of_their_settings_are_refused_before_anything_is_made(
    line: str, changed: str, why: str, project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = own_study(tmp_path) / "mine" / "study.yaml"
    monkeypatch.setattr(folders, "root", lambda: tmp_path / "studies")
    assert line in file.read_text()
    file.write_text(file.read_text().replace(line, changed))
    with pytest.raises(Refused, match=re.escape(f"studies/mine/study.yaml: {why}")):
        launched(project, "mine")
    assert not Dataset.objects.exists()


def test_the_command_launches_and_prints_each_figure(project: Project, capsys: Any, tmp_path: Path) -> None:
    call_command("study", "launch", "musique-full-answerability", "--small", "--as", "pilot", "--seed", "2")
    run = StudyRun.objects.get(slug="pilot")
    [file] = responses(run, tmp_path).values()
    capsys.readouterr()
    call_command("study", "report", "pilot", "--from", f"labels={file}")
    out = capsys.readouterr().out
    assert "paper 90.0, n = 50 (Section 6.1, 45 of 50, p. 546); ours" in out
    with pytest.raises(CommandError, match="No study other was launched"):
        call_command("study", "report", "other")
    with pytest.raises(CommandError, match="There is no study other"):
        call_command("study", "show", "other")


def test_the_pages_launch_a_study_and_compare_it(project: Project, alice: Any, tmp_path: Path) -> None:
    client = Client()
    client.force_login(alice)
    listed = client.get(reverse("studies", args=[project.slug])).content.decode()
    assert "The human score on MuSiQue" in listed
    page = reverse("study", args=[project.slug, "musique-full-answerability"])
    assert "45 of 50" in client.get(page).content.decode()
    form = {"run": "pilot", "scale": "1", "seed": "0"}
    refused = client.post(page, form)
    assert refused.status_code == 422
    assert "musique_full_v1.0_dev.jsonl" in refused.content.decode()
    assert client.post(page, {**form, "small": "on"}).status_code == 303
    run_due_work()
    run = StudyRun.objects.get(slug="pilot")
    assert "no responses yet" in client.get(page).content.decode()
    report.take_responses(run, responses(run, tmp_path))
    assert "the scores are being computed" in client.get(page).content.decode()
    report.compute(run, look=True)
    assert "no conclusion: fewer than seven people" in client.get(page).content.decode()
    assert client.get(reverse("study", args=[project.slug, "none"])).status_code == 404


def test_the_page_proposes_the_next_free_name_and_the_job_leads_back_to_it(project: Project, alice: Any) -> None:
    client = Client()
    client.force_login(alice)
    page = reverse("study", args=[project.slug, "musique-full-answerability"])
    for name in ("musique-full-answerability", "musique-full-answerability-2"):
        assert f'value="{name}"' in client.get(page).content.decode()
        job = client.post(page, {"run": name, "scale": "1", "seed": "0", "small": "on"})["Location"]
        run_due_work()
        assert f'href="{page}"' in client.get(job).content.decode()
    assert set(StudyRun.objects.values_list("slug", flat=True)) == {
        "musique-full-answerability",
        "musique-full-answerability-2",
    }
    made = StudyRun.objects.get(slug="musique-full-answerability").created_at
    assert date_format(made, "j M Y, H:i") in client.get(page).content.decode()


@pytest.mark.parametrize("name", first_of(1, ["human-dire", *sorted({*folders.names()} - {"human-dire"})]))
def test_a_study_replays_from_its_exports(name: str, project: Project, tmp_path: Path) -> None:
    run = launched(project, name, run="first", seed=4)
    report.take_responses(run, responses(run, tmp_path))
    told = json.dumps(report.compute(run, look=True)), json.dumps(run.analysis)
    exported = {}
    for row in run.definition.batches:
        exported[row.name] = tmp_path / f"exported-{row.name}.jsonl"
        response_files.export_responses(batches_of(run)[row.name], exported[row.name], format="jsonl")
    project_named("default")
    elsewhere = Project.objects.create(slug="second", title="Second", consent=project.consent)
    again = launched(elsewhere, name, run="first", seed=4)
    report.take_responses(again, exported)
    assert (json.dumps(report.compute(again, look=True)), json.dumps(again.analysis)) == told
