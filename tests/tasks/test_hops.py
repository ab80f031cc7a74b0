"""The task `hops`: what its arms show and keep, and what the responses say against gold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_import
from annotation.flow.projects import recycle_bin
from annotation.flow.reports import batch_scores, follow_up
from annotation.flow.work import next_assignment, submissions
from annotation.marketplaces.models import PanelStudy, Visit, VisitAssignment
from annotation.models import Assignment, Batch, Project, User, Worker, clock
from annotation.pure.data.example import Example
from annotation.registry import form_class, task_type
from annotation.tasktype import GivenResponse, HitWithResponses, InvalidWording, RelatedResponses
from tasks.hops.aggregation import status
from tests.batches import create_batch
from tests.marketplaces.panel import put_on_panel
from tests.tasks.html_form import read_form

JSON = dict[str, Any]
CASES = json.loads((Path(__file__).resolve().parents[2] / "tasks/hops/examples.json").read_text())
TASK = task_type("hops")
EXAMPLE = Example.from_json(CASES[0]["example"])


def payload_of(arm: str, example: Example = EXAMPLE) -> JSON:
    payload = TASK.prepare(example, TASK.options({"arm": arm}), Random(1))
    assert payload is not None
    return payload


def step(text: str, *support: int, question: str = "Who?") -> JSON:
    return {"question": question, "text": text, "support": list(support)}


def said(arm: str, *steps: JSON) -> JSON:
    return TASK.complete(payload_of(arm), {"hops": list(steps)})


def status_of(*answers: JSON, elsewhere: tuple[RelatedResponses, ...] = ()) -> str:
    """The status in the report of one question with these responses."""
    given = tuple(GivenResponse(f"worker {k}", answer) for k, answer in enumerate(answers))
    row = HitWithResponses("hit", "wells", "jsonl", EXAMPLE, payload_of("free"), given, elsewhere=elsewhere)
    [table] = [one for one in report_of([row], "free")["tables"] if one["name"] == "statuses"]
    columns = [str(column) for column in table["columns"][2:]]
    return next(name for name, cell in zip(columns, table["rows"][0][2:], strict=True) if cell["value"] == 1)


def report_of(rows: list[HitWithResponses], arm: str) -> JSON:
    return TASK.report(rows, TASK.options({"arm": arm}), seed=1)


FULLY_CITED = said("free", step("Ana Brook", 0), step("Wéllmouth", 1))
UNDER_CITED = said("free", step("Wéllmouth", 1))
WRONG = said("free", step("Piet Sorrel", 2))
APART = step("Ana Brook", 0, question="Who built it?"), step("Wéllmouth", 1, question="Which town is on the Lum?")


@pytest.mark.parametrize("arm", ["free", "kind"])
def test_the_arms_that_give_nothing_hold_no_trace_of_the_hops(arm: str) -> None:
    hops = tuple(replace(hop, question=f"CANARY {hop.question}", answer="CANARY") for hop in EXAMPLE.hops)
    other = replace(EXAMPLE, hops=hops, answers=("CANARY",), supports=(2,), shape="CANARY", id="CANARY")
    assert payload_of(arm, other) == payload_of(arm)


def test_guided_fills_in_the_workers_own_answer_and_single_the_right_one() -> None:
    wrong = said("guided", step("Piet Sorrel"), step("Wéllmouth"))
    rows = form_class("hops")(payload_of("guided")).shown(wrong)["rows"]
    assert [row["asked"] for row in rows] == ["Who built Grey Tower?", "Where was Piet Sorrel born?"]
    given = said("single", step("Wéllmouth"), step("Piet Sorrel"), step("Wéllmouth"))
    rows = form_class("hops")(payload_of("single")).shown(given)["rows"]
    assert [row["asked"] for row in rows] == ["", "Who built Grey Tower?", "Where was Ana Brook born?"]


def test_integrate_gives_all_answers_but_the_last() -> None:
    payload = payload_of("integrate")
    assert payload["given"] == [{"question": "Who built Grey Tower?", "answer": "Ana Brook"}]
    assert len(payload["steps"]) == 1
    assert "Wéllmouth" not in json.dumps({**payload, "paragraphs": []}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ([FULLY_CITED, FULLY_CITED, WRONG], "fully cited"),
        ([UNDER_CITED, UNDER_CITED, FULLY_CITED], "under-cited"),
        ([WRONG, WRONG, FULLY_CITED], "wrong"),
        ([FULLY_CITED, WRONG], "undecided"),
        ([said("free", *APART)], "fully cited"),
    ],
)
def test_a_question_has_a_status_by_its_majority_and_what_most_of_it_cite(answers: list[JSON], wanted: str) -> None:
    assert status_of(*answers) == wanted


def answered(paragraphs: list[int], text: str) -> RelatedResponses:
    """Two responses to `answer` from these paragraphs of the example."""
    shown = [{"title": EXAMPLE.paragraphs[k].title, "text": EXAMPLE.paragraphs[k].text} for k in paragraphs]
    payload = {"question": EXAMPLE.question, "paragraphs": shown, "options": [], "controls": {}}
    return RelatedResponses("answer", payload, ({"kind": "typed", "text": text},) * 2)


@pytest.mark.parametrize(
    ("elsewhere", "wanted"),
    [
        ([], "under-cited"),
        ([answered([1, 2], "Wéllmouth")], "under-cited"),  # nobody was asked closed-book
        ([answered([1, 2], "Wéllmouth"), answered([], "no idea")], "shortcut"),
        ([answered([1, 2], "Wéllmouth"), answered([], "Wéllmouth")], "known"),
        ([answered([], "Wéllmouth")], "known"),
        ([answered([1, 2], "Grey Tower"), answered([], "no idea")], "under-cited"),
        ([answered([0, 1], "Wéllmouth"), answered([], "no idea")], "under-cited"),  # nothing was withheld
    ],
)
def test_a_shortcut_is_answered_without_the_paragraphs_and_what_is_answered_closed_book_is_known(
    elsewhere: list[RelatedResponses], wanted: str
) -> None:
    assert status_of(UNDER_CITED, elsewhere=tuple(elsewhere)) == wanted
    assert status_of(FULLY_CITED, elsewhere=tuple(elsewhere)) == ("known" if wanted == "known" else "fully cited")
    assert status_of(WRONG, elsewhere=tuple(elsewhere)) == "wrong"
    aggregate = TASK.aggregate(payload_of("free"), [UNDER_CITED])
    assert TASK.opened_by(aggregate, EXAMPLE, elsewhere) == ("shortcut" if wanted == "shortcut" else "")  # type: ignore[attr-defined]


def test_a_requester_says_that_a_paragraph_is_equivalent_by_writing_golds_number() -> None:
    payload = payload_of("free")
    other = said("free", step("Ana Brook", 2), step("Wéllmouth", 1))
    assert status_of(other) == "under-cited"
    text = TASK.review(payload, other)["text"]  # type: ignore[attr-defined]
    assert text == "Who? → Ana Brook ← 3\nWho? → Wéllmouth ← 2"
    edited = TASK.edited(payload, other, text.replace("← 3", "← 1"))  # type: ignore[attr-defined]
    assert status_of({**edited, "accepted": True}, WRONG, WRONG) == "fully cited"
    with pytest.raises(InvalidWording, match="Line 1"):
        TASK.edited(payload, other, "Who? → Ana Brook")  # type: ignore[attr-defined]


def test_hops_are_aligned_by_paragraph_and_then_by_answer() -> None:
    by_answer = said("free", step("Wéllmouth", 2), step("Ana Brook", 0))
    given = (GivenResponse("ada", by_answer), GivenResponse("bob", UNDER_CITED))
    row = HitWithResponses("hit", "wells", "jsonl", EXAMPLE, payload_of("free"), given)
    [table] = [one for one in report_of([row], "free")["tables"] if one["name"] == "found"]
    [[hops, responses, mean, alike, found, right]] = table["rows"]
    assert (hops, responses, mean) == (2, 2, 1.5)
    assert (alike["value"], found["value"], right["value"]) == (0.5, 0.75, 1.0)


def test_single_has_eight_rows_for_two_hops_and_a_failure_rate_beside_the_models() -> None:
    right = said("single", step("Wéllmouth"), step("Ana Brook"), step("Wéllmouth"))
    failed = said("single", step("Wéllmouth"), step("Piet Sorrel"), step("Wéllmouth"))
    given = tuple(GivenResponse(f"worker {k}", answer) for k, answer in enumerate([right, right, right, failed]))
    row = HitWithResponses("hit", "wells", "jsonl", EXAMPLE, payload_of("single"), given)
    tables = {table["name"]: table for table in report_of([row], "single")["tables"]}
    outcomes = {cells[0]: cells[1]["value"] for cells in tables["outcomes-2"]["rows"]}
    assert len(outcomes) == 8
    assert {name: value for name, value in outcomes.items() if value} == {"c c c": 0.75, "c w c": 0.25}
    rates = {str(cells[0]): cells[1]["value"] for cells in tables["failures"]["rows"][1:]}
    assert rates == {"DFGN": 0.604, "DecompRC": 0.504, "CogQA": 0.498}
    assert tables["failures"]["rows"][0][1]["value"] == 0.25


def test_one_step_or_several_is_counted_for_questions_with_hops_only() -> None:
    rows = []
    for hops, kind in ((EXAMPLE.hops, "several"), (EXAMPLE.hops[:1], "several"), ((), "one")):
        example, given = replace(EXAMPLE, hops=hops), GivenResponse("ada", {"kind": kind, "hops": []})
        rows.append(
            HitWithResponses(f"{len(hops)} hops", "wells", "jsonl", example, payload_of("kind", example), (given,))
        )
    content = report_of(rows, "kind")
    [table] = [one for one in content["tables"] if one["name"] == "kinds"]
    counts = [(cells[1], cells[2]["value"], cells[3]["value"]) for cells in table["rows"]]
    assert counts == [(1, 0.0, 1.0), (1, 0.0, 1.0)]
    assert "50" in json.dumps(content["paragraph"][0])
    without = report_of(rows[2:], "kind")
    assert [cells[1] for cells in without["tables"][0]["rows"]] == [0, 0]


def test_the_status_of_a_question_is_worked_out_once_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out = []

    def counted(example: Example, *found: Any) -> str:
        worked_out.append(example.id)
        return status(example, *found)

    monkeypatch.setattr("tasks.hops.report.status", counted)
    row = HitWithResponses("hit", "wells", "jsonl", EXAMPLE, payload_of("free"), (GivenResponse("ada", FULLY_CITED),))
    assert report_of([row], "free")["paragraph"]
    assert worked_out == [EXAMPLE.id]


def batch_of(project: Project, folder: Path, arm: str, task: str = "hops", name: str = "study") -> Batch:
    file = folder / "wells.jsonl"
    file.write_text(json.dumps(CASES[0]["example"], ensure_ascii=False) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="wells")
    datasets = [project.datasets.get(slug="wells")]
    options = {"arm": arm} if task == "hops" else {}
    batch = create_batch(
        project, name, task=task, datasets=datasets, options=options, instructions="Read.", assignments_per_hit=2
    )
    batch_launch.launch(batch)
    return batch


def claimed(worker: Any, batch: Batch) -> Assignment | None:
    participation = next_assignment.join_batch(worker, batch)
    next_assignment.read_instructions(participation, version=1)
    participation.refresh_from_db()
    return next_assignment.claim(participation)


def posted(client: Any, row: Assignment, **fields: str) -> Any:
    """Post the form of the assignment's page with these fields changed."""
    action, own = read_form(client.get(f"/assignments/{row.public_id}/").content.decode())
    return client.post(action, {**own, **{name.replace("_", "-"): value for name, value in fields.items()}})


@pytest.mark.django_db
def test_the_next_sub_question_comes_once_the_answer_before_it_is_closed(
    project: Project, bob: Any, client: Any, tmp_path: Path
) -> None:
    row = claimed(bob, batch_of(project, tmp_path, "guided"))
    assert row is not None
    client.force_login(bob.user)
    page = client.get(f"/assignments/{row.public_id}/").content.decode()
    assert "Who built Grey Tower?" in page
    assert "born?" in page  # of the question itself
    assert "Where was #1" not in page
    assert "Where was Ana" not in page

    came = posted(client, row, hop_1_text="Piet Sorrel")
    assert (came.status_code, came["Location"]) == (303, f"/assignments/{row.public_id}/")
    page = client.get(f"/assignments/{row.public_id}/").content.decode()
    assert "Where was Piet Sorrel born?" in page

    assert posted(client, row, hop_1_text="Ana Brook", hop_2_text="Wéllmouth").status_code == 303
    row.refresh_from_db()
    assert [hop["text"] for hop in row.current.answer["hops"]] == ["Piet Sorrel", "Wéllmouth"]


@pytest.mark.django_db
def test_no_request_shows_a_later_sub_question_before_the_answer_is_stored(
    project: Project, bob: Any, client: Any, tmp_path: Path
) -> None:
    row = claimed(bob, batch_of(project, tmp_path, "guided"))
    assert row is not None
    client.force_login(bob.user)
    here = f"/assignments/{row.public_id}/"
    for tried in (
        {"hop-1-text": "", "hop-2-text": ""},
        {"hop-1-text": "Nobody", "hop-2-text": ""},
        {"hop-1-text": "Ana Brook", "hop-2-text": ""},
        {"hop-1-text": "Ana Brook", "hop-2-text": "Nobody"},
    ):
        _action, fields = read_form(client.get(here).content.decode())
        assert client.post(f"{here}draft/", {**fields, **tried}).status_code == 200
        refused = client.post(f"{here}draft/", {**fields, **tried})
        assert refused.status_code == 409
        for reply in (refused, client.get(here)):
            assert "Where was Ana" not in reply.content.decode()
    _action, fields = read_form(client.get(here).content.decode())
    refused = client.post(f"{here}submit/", {**fields, "hop-1-text": "Nobody", "hop-2-text": "Wéllmouth"})
    assert refused.status_code == 422
    assert "Where was Nobody" not in refused.content.decode()
    row.refresh_from_db()
    assert row.revision == 0


@pytest.mark.django_db
def test_a_step_is_closed_once_however_often_its_answer_is_sent(
    project: Project, bob: Any, client: Any, tmp_path: Path
) -> None:
    row = claimed(bob, batch_of(project, tmp_path, "guided"))
    assert row is not None
    client.force_login(bob.user)
    here = f"/assignments/{row.public_id}/"
    _action, fields = read_form(client.get(here).content.decode())
    client.post(f"{here}draft/", {**fields, "hop-1-text": "Ana"})
    assert client.post(f"{here}submit/", {**fields, "hop-1-text": "Ana Brook"}).status_code == 303
    _action, after = read_form(client.get(here).content.decode())
    client.post(f"{here}draft/", {**after, "hop-2-text": "Wéll"})
    for again in ("Ana Brook", "Piet Sorrel"):
        assert client.post(f"{here}submit/", {**fields, "hop-1-text": again}).status_code == 303
    row.refresh_from_db()
    assert [hop["text"] for hop in row.draft["hops"]] == ["Ana Brook", "Wéll"]


def answers(worker: Any, batch: Batch, answer: JSON) -> None:
    """The worker's response to the next HIT of the batch."""
    row = claimed(worker, batch)
    assert row is not None
    submissions.submit(row, answer, key="0.form", base=0, active_seconds=9)


def answered_again(asked: Batch, text: str) -> None:
    """Two workers answer the question of a follow-up batch."""
    batch_launch.launch(asked)
    given = task_type("answer").complete(asked.hits.get().payload, {"text": text, "support": []})
    for name in ("dora", "erik"):
        user, _new = User.objects.get_or_create(username=f"{name}-{asked.slug}")
        answers(Worker.objects.create(project=asked.project, user=user, consented_version=1), asked, given)


def statuses(batch: Batch) -> list[float]:
    """The shares in the report's only row: fully cited, under-cited, shortcut, known, wrong, undecided."""
    tables = batch_scores.score_batch(batch)["tables"]
    [cells] = [table["rows"][0] for table in tables if table["name"] == "statuses"]
    return [cell["value"] for cell in cells[2:]]


@pytest.mark.django_db
def test_an_under_cited_question_is_asked_again_by_one_click_and_a_shortcut_waits_for_a_requester(
    project: Project, alice: Any, bob: Any, carol: Any, client: Any, tmp_path: Path
) -> None:
    project.contact = "lab@example.org"
    batch = batch_of(project, tmp_path, "free")
    for worker in (bob, carol):
        answers(worker, batch, UNDER_CITED)
    batch_scores.score_batch(batch)
    client.force_login(alice)
    report = f"/projects/{project.slug}/batches/study/report/"
    other = create_batch(
        project,
        "given",
        task="hops",
        datasets=list(batch.datasets.all()),
        options={"arm": "single"},
        instructions="Go.",
    )
    assert client.post(f"/projects/{project.slug}/batches/{other.slug}/report/follow-up/").status_code == 404
    assert f"{report}follow-up/" in client.get(report).content.decode()
    assert client.post(f"{report}follow-up/").status_code == 303
    again = [follow_up.follow_up(batch), follow_up.follow_up(batch)]
    assert again[0] == again[1]
    assert again[0]["items"] == 1
    withheld, closed = (Batch.objects.get(slug=slug) for slug in again[0]["batches"])
    assert (withheld.state, closed.state) == ("draft", "draft")

    adjudicate = f"/projects/{project.slug}/batches/study/adjudicate/"
    assert "possible shortcut" not in client.get(adjudicate).content.decode()
    for asked, text in ((withheld, "Wéllmouth"), (closed, "no idea")):
        answered_again(asked, text)
        titles = [paragraph["title"] for paragraph in asked.hits.get().payload["paragraphs"]]
        assert "Grey Tower" not in titles
        assert ("Ana Brook" in titles) == (asked == withheld)
    assert statuses(batch) == [0, 0, 1, 0, 0, 0]
    assert "possible shortcut" in client.get(adjudicate).content.decode()


@pytest.mark.django_db
def test_deleted_batches_and_visits_that_do_not_count_are_no_evidence_of_a_shortcut(
    project: Project, bob: Any, carol: Any, tmp_path: Path
) -> None:
    project.contact = "lab@example.org"
    batch = batch_of(project, tmp_path, "free")
    for worker in (bob, carol):
        answers(worker, batch, UNDER_CITED)
    withheld, closed = (Batch.objects.get(slug=slug) for slug in follow_up.follow_up(batch)["batches"])
    answered_again(withheld, "Wéllmouth")
    answered_again(closed, "no idea")
    shortcut, under_cited = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert statuses(batch) == shortcut

    batch_launch.close(closed)
    assert recycle_bin.remove_batch(closed)
    assert statuses(batch) == under_cited
    assert recycle_bin.restore_batch(closed)
    assert statuses(batch) == shortcut

    put_on_panel(withheld, hits=1)
    for row in withheld.assignments.all():
        visit = Visit.objects.create(
            study=PanelStudy.objects.get(),
            worker=row.worker,
            external_id=str(row.pk),
            deadline=clock.now(),
            state="done",
        )
        VisitAssignment.objects.create(visit=visit, assignment=row)
    assert statuses(batch) == shortcut
    Visit.objects.update(state="ended", remote_state="returned")
    assert statuses(batch) == under_cited


@pytest.mark.django_db
def test_whoever_saw_the_graph_in_another_task_gets_none_of_its_questions(
    project: Project, bob: Any, carol: Any, tmp_path: Path
) -> None:
    checked = batch_of(project, tmp_path, "", task="subquestions", name="checked")
    assert claimed(bob, checked) is not None
    asked = batch_of(project, tmp_path, "free")
    assert claimed(bob, asked) is None
    assert claimed(carol, asked) is not None
