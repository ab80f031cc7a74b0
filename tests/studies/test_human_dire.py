"""The human DiRe row: five arms worked through by simulated people, who never meet a question twice; its scores."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.projects.projects import project_named
from annotation.flow.reports import batch_scores
from annotation.flow.work import arm_draws
from annotation.jobs import run_due_work
from annotation.models import Assignment, AuditEntry, Batch, Hit, Project, Worker
from annotation.registry import task_type
from annotation.studies import analysis, folders, plans, report
from annotation.studies.launch import batches_of, experiment_of
from annotation.studies.models import StudyRun
from tests.api.calling import caller
from tests.flow import acting
from tests.studies.test_studies import assert_every_figure_is_measured, launched, own_study, responses

pytestmark = pytest.mark.django_db
ARMS = ["original", "probe", "transformed", "trivial", "closed-book"]


@pytest.fixture
def project(db: None) -> Project:
    found = project_named()
    consent.fill_in(found, contact="Ada, ada@example.org", ethics="board 7, no. 12")
    return found


def answered(project: Project, tmp_path: Path, *, seed: int = 3, name: str = "human-dire") -> StudyRun:
    """A run with all responses, each instance's from people of its own."""
    run = launched(project, name, seed=seed)
    files = responses(run, tmp_path)
    for arm, file in files.items():
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        seen: Counter[str] = Counter()
        for number, row in enumerate(rows):
            row["worker"] = f"worker {(number * 7 + len(arm)) % 80}"
            seen[row["worker"]] += 1
        file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    report.take_responses(run, files)
    return run


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_the_plans_workers_complete_every_hit_and_nobody_meets_a_question_twice(project: Project, seed: int) -> None:
    run = launched(project, "human-dire", scale=0.06)  # seven questions
    batches = [batches_of(run)[arm] for arm in ARMS]
    experiment = experiment_of(run)
    assert experiment is not None
    rng = Random(seed)
    people = [acting.newcomer(project, f"w{k}") for k in range(plans.of_run(run).workers)]
    queue: list[tuple[Worker, Batch | None]] = [(worker, None) for worker in people]
    while queue:
        place = rng.randrange(len(queue)) if seed else 0  # at once, or one after the other
        worker, batch = queue[place]
        batch = batch or arm_draws.begin(worker, experiment)
        while batch and (taken := acting.take(worker, batch)) is None:
            batch = arm_draws.next_arm(worker, batch)
        if batch is None:
            del queue[place]
            continue
        queue[place] = worker, batch
        gold = taken.hit.item.example
        answer = task_type(batch.task).imitate(taken.hit.payload, gold, rng, right=True)  # type: ignore[attr-defined]
        acting.submit(taken, answer)
    done = Assignment.objects.submitted().select_related("hit__item", "batch")
    met = Counter((row.worker_id, row.group_key) for row in done)
    assert set(met.values()) == {1}
    mine = Counter((row.worker_id, row.batch_id) for row in done)
    for batch in batches:
        assignments = batch.hits.count() * 3
        assert batch.most_per_worker == math.ceil(assignments / 60)
        assert sum(n for (_worker, key), n in mine.items() if key == batch.pk) == assignments
        assert max(n for (_worker, key), n in mine.items() if key == batch.pk) <= batch.most_per_worker
    people: defaultdict[str, set[int]] = defaultdict(set)
    for row in done:
        people[row.group_key].add(row.worker_id)
    assert {len(some) for some in people.values()} == {30, 54}  # of two and of three supporting paragraphs
    assert len(people) == 7


def test_the_arms_show_the_same_page_and_nothing_of_the_gold(project: Project) -> None:
    batches = batches_of(launched(project, "human-dire", seed=1))
    answering = [batches[arm] for arm in ("original", "probe", "trivial")]
    assert len({(batch.title, json.dumps(batch.options), batch.instructions.text) for batch in answering}) == 1
    text = answering[0].instructions.text
    assert text.startswith("## Before you begin")
    assert "## What you do" in text
    hits = Hit.objects.filter(batch__in=batches.values())
    sizes = {len(payload["paragraphs"]) for payload in hits.values_list("payload", flat=True)}
    assert sizes == {10, 9, 8, 0}  # of three supports up to two are missing
    for batch in batches.values():
        for hit in batch.hits.all():
            shown = json.dumps(hit.payload)
            assert "support_idx" not in shown
            assert "is_supporting" not in shown
            assert "answerable" not in hit.payload
    assert batches["closed-book"].options["context"] == "none"
    assert not batches["closed-book"].options["no_answer"]


def test_the_run_is_compared_with_the_paper_and_scored_over_all_batches(project: Project, tmp_path: Path) -> None:
    run = answered(project, tmp_path)
    told = report.compute(run, look=True)
    assert_every_figure_is_measured(run, told)
    rows = {row["figure"].partition(",")[0]: row for row in told}
    drop = rows["Expected drop from D to T(D) because of proxy paragraphs"]
    assert (drop["paper"]["value"], drop["ours"]["n"]) == (0.0628, 14)
    found = run.analysis
    assert found is not None
    assert (found["questions"], found["workers"]) == (14, 80)
    people = found["rows"]["people"]
    for name in ("d", "p_raw", "p_standardised", "d_minus_p", "trivial", "t", "floor", "drop", "read"):
        assert people[name]["answer_em"]["n"] == 14, name
    low, raw, high = (people[name]["answer_em"]["value"] for name in ("p_lower", "p_raw", "p_upper"))
    assert low <= raw <= high
    assert people["closed"]["support_f1"]["value"] is None
    own = drop["ours"]["value"]
    assert own == pytest.approx(people["d"]["support_em"]["value"] - people["t"]["support_em"]["value"])


@pytest.mark.soak
def test_the_same_seed_and_responses_give_the_same_scores_byte_for_byte(project: Project, tmp_path: Path) -> None:
    second = Project.objects.create(slug="second", title="Second", consent=project.consent)
    told = []
    for each in (project, second):
        run = answered(each, tmp_path, seed=5)
        report.compute(run, look=True)
        payloads = [list(b.hits.order_by("ticket").values_list("payload", flat=True)) for b in batches_of(run).values()]
        told.append(json.dumps([run.analysis, payloads]))
    assert told[0] == told[1]


@pytest.mark.soak
def test_a_missing_response_is_left_out_and_an_excluded_hit_takes_its_arm_of_the_question(
    project: Project, tmp_path: Path
) -> None:
    run = answered(project, tmp_path)
    probe = batches_of(run)["probe"]
    hit = probe.hits.order_by("pk").first()
    assert hit is not None
    Hit.objects.filter(pk=hit.pk).update(excluded_at="2026-01-01T00:00:00Z", exclusion_reason="broken")
    people = analysis.compute(run)["rows"]["people"]
    assert (people["d"]["answer_em"]["n"], people["p_raw"]["answer_em"]["n"]) == (14, 13)
    assert people["d_minus_p"]["answer_em"]["n"] == people["dire_range"]["answer_em"]["n"] == 13


@pytest.mark.soak
def test_models_stand_beside_people(project: Project, tmp_path: Path) -> None:
    """A model that always answers right, of which the probe's two instances have confidences."""
    run = answered(project, tmp_path)
    for arm, name in (
        ("original", "drawn"),
        ("probe", "probe"),
        ("transformed", "transformed"),
        ("trivial", "trivial"),
    ):
        dataset = project.datasets.get(slug=run.name_of(name))
        lines = []
        for item in dataset.items.order_by("position"):
            example = item.example
            titles = [example.paragraphs[k].title for k in example.supports or ()]
            label = {"sufficiency": int(bool(example.answerable))} if arm == "transformed" else {}
            number = {"sub_idx": example.extra["sub_idx"]} if "sub_idx" in example.extra else {}
            lines.append({"question_id": item.source_id, "answer": example.answers[0], "answer_confidence": 0.25,
                          "supporting_paragraphs": titles, "supporting_sentences": [], **label, **number})  # fmt: skip
        if arm != "probe":  # whose rows are told apart by their order
            Random(1).shuffle(lines)
        file = tmp_path / f"{arm}.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)) + "\n")
        kind = {"transformed": "dire-transform"}.get(arm, f"dire-{arm}")
        result = batch_scores.import_predictions(dataset, file, format=kind, model="oracle")
        assert result["missing"] == 0
    model = analysis.compute(run)["rows"]["oracle"]
    for name in ("d", "p_raw", "dire", "t", "trivial"):
        assert {figure["value"] for figure in model[name].values()} == {1.0}, name
    assert "closed" not in model  # the predictions on these questions saw their paragraphs
    words = [row[1] for row in run.analysis["tables"][0]["rows"] if row[1] == "oracle"]  # type: ignore[index]
    assert len(words) == 12
    for name in ("d_minus_p", "connected", "floor", "drop", "trivial_minus_t"):
        assert {(figure["value"], figure["low"]) for figure in model[name].values()} == {(0.0, None)}, name


def test_the_page_calculates_the_scores_and_says_when_they_are_early(
    project: Project, alice: Any, tmp_path: Path
) -> None:
    run = launched(project, "human-dire")
    client = Client()
    client.force_login(alice)
    page = reverse("study", args=[project.slug, "human-dire"])
    empty = client.get(page).content.decode()
    assert "at least 72 workers in all" in empty
    assert "3,450 assignments" in empty
    assert "Calculate the scores" not in empty
    files = responses(run, tmp_path)
    half = tmp_path / "half.jsonl"
    half.write_text("".join(files["original"].read_text().splitlines(keepends=True)[::3]))
    report.take_responses(run, {"original": half})
    early = client.get(page).content.decode()
    assert "who looks at the scores now is recorded" in early
    address = reverse("study-scores", args=[project.slug, "human-dire", run.slug])
    assert f'action="{address}"' in early
    assert client.get(address).status_code == 405
    assert not AuditEntry.objects.filter(act="scores opened").exists()
    job = client.post(address)["Location"]
    run_due_work()
    assert AuditEntry.objects.filter(act="scores opened").count() == 1
    assert f'href="{page}"' in client.get(job).content.decode()
    shown = client.get(page).content.decode()
    assert "Disconnected reasoning: people and models" in shown
    assert "who looks at the scores now is recorded" in shown
    rest = [line for k, line in enumerate(files["original"].read_text().splitlines(keepends=True)) if k % 3]
    half.write_text("".join(rest))
    report.take_responses(run, files | {"original": half})
    stale = client.get(page).content.decode()
    assert "Disconnected reasoning: people and models" not in stale
    assert "are not up to date" in stale
    client.post(address)
    run_due_work()
    shown = client.get(page).content.decode()
    assert "P(D): the more confident of two answers" in shown
    assert "Calculate the scores" not in shown
    assert client.post(reverse("study-scores", args=[project.slug, "human-dire", "none"])).status_code == 404


@pytest.mark.soak
def test_the_api_plans_scores_and_shows_the_analysis(project: Project, alice: Any, tmp_path: Path) -> None:
    run = launched(project, "human-dire")
    api = caller(alice, project.slug)
    plan = api.get("studies/human-dire/").json()["plan"]
    assert (plan["workers"], plan["people_a_question"], plan["assignments"]) == (72, 30, 3450)
    assert (plan["hours"], plan["cost"]) == (209.9, 2518.5)
    Project.objects.filter(pk=project.pk).update(wage_floor="15.00")
    assert api.get("studies/human-dire/").json()["plan"]["cost"] == 3148.12
    address = f"studies/human-dire/runs/{run.slug}/"
    assert api.get(address).json()["analysis"] is None
    report.take_responses(run, responses(run, tmp_path))
    assert api.post(f"{address}scores/").status_code == 202
    run_due_work()
    found = api.get(address).json()
    assert found["analysis"]["rows"]["people"]["d"]["answer_em"]["n"] == 14
    assert all(row["ours"] for row in found["figures"] if "people" in row["figure"])


@pytest.mark.soak
def test_the_command_shows_the_plan_and_prints_the_table(project: Project, tmp_path: Path, capsys: Any) -> None:
    call_command("study", "show", "human-dire", "--wage", "20")
    assert "$4,198 at $20.00 an hour" in capsys.readouterr().out
    call_command("study", "launch", "human-dire", "--small", "--as", "pilot")
    run = StudyRun.objects.get(slug="pilot")
    files = [f"--from={arm}={file}" for arm, file in responses(run, tmp_path).items()]
    capsys.readouterr()
    call_command("study", "report", "pilot", *files)
    out = capsys.readouterr().out
    assert "DiRe: min(D, P(D)) of each question" not in out  # that is of models
    assert "D − P(D), with P(D) too high: at least this much of D needs connecting" in out
    assert "DiRe of people" not in out  # three people are too few for a range
    [row] = [line for line in out.splitlines() if line.startswith("XLNet, D − DiRe by equation 7")]
    assert "paper 17.5 (Section 1)" in row
    assert "the paper expects 6.28 points from proxy paragraphs (6.41 unrounded" in out


def test_an_unknown_analysis_and_a_missing_preface_are_refused(monkeypatch: Any, tmp_path: Path) -> None:
    root = own_study(tmp_path)
    monkeypatch.setattr(folders, "root", lambda: root)
    file = root / "mine" / "study.yaml"
    text = file.read_text()
    for added, why in (
        (text + "analysis: no-such\n", "there is no analysis no-such. There are: human-dire"),
        (text + "    preface: none.md\n", "there is no file none.md"),
        (text + "workers: 0\n", "workers: write a whole number above 0"),
        (text + "analysis: 3\n", "analysis: write a name"),
    ):
        file.write_text(added)
        with pytest.raises(Refused, match=why):
            folders.read("mine")
