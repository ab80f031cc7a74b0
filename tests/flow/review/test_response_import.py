"""Judgments that were collected elsewhere: read whole or not at all, and never twice."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch, workers_needed
from annotation.flow.data import response_files
from annotation.flow.data.dataset_import import ImportRefused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.reports import batch_scores
from annotation.flow.review import problem_reports, response_import
from annotation.flow.review.response_import import import_responses
from annotation.models import Assignment, Hit, ResponseImport, Worker, WorkerResponse
from tests.batches import create_batch
from tests.flow.acting import answer_all, dataset_of, launched, take

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgresql(reason="rows are inserted in bulk where none is in conflict"),
]


def response(item: int, worker: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    answer = {"text": f"Tower {item}" if text is None else text, "support": [0, 1], **more}
    return {"dataset": "wells", "item": item, "worker": worker, "answer": answer}


def lines(path: Path, found: list[Any]) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in found))
    return path


def nothing_is_left() -> bool:
    rows = [ResponseImport, Assignment, WorkerResponse]
    return not any(model.objects.exists() for model in rows) and not Hit.objects.exclude(done=0).exists()


GOOD = [response(item, worker) for item in range(4) for worker in ("ann@mail.example", "Ben")]


def test_responses_fill_the_places_of_their_hits(batch: Any, tmp_path: Path) -> None:
    report = import_responses(batch, lines(tmp_path / "j.jsonl", GOOD))
    assert report == {"read": 8, "accepted": 8, "warnings": 0, "flaws": [], "already_there": False}
    assert set(batch.hits.values_list("done", "room")) == {(2, 0)}
    assert set(Worker.objects.values_list("external_id", flat=True)) == {"ann@mail.example", "Ben"}
    answer = WorkerResponse.objects.get(assignment__hit__item__position=2, assignment__worker__external_id="Ben")
    assert answer.answer == {
        "kind": "span",
        "text": "Tower 2",
        "paragraph": 1,
        "start": 0,
        "end": 7,
        "option": None,
        "support": [0, 1],
        "facts": [],
    }


def test_nothing_is_set_aside_for_responses_that_nobody_is_paid_for(project: Any, dataset: Any, tmp_path: Path) -> None:
    ledger.deposit(project, Decimal(10), key="budget")
    terms = {"assignments_per_hit": 3, "reward": Decimal("0.25"), "auto_approval": 3600}
    batch = launched(project, "paid", dataset, **terms)
    import_responses(batch, lines(tmp_path / "j.jsonl", GOOD))
    assert batch_funds.needed(batch) == 4 * Decimal("0.25"), "one place of each HIT is left"


def test_the_same_file_may_go_into_another_batch(batch: Any, project: Any, tmp_path: Path) -> None:
    file = lines(tmp_path / "j.jsonl", GOOD)
    import_responses(batch, file)
    other = launched(project, "wells-2", *batch.datasets.all(), assignments_per_hit=2, fresh_only=False)
    assert import_responses(other, file)["accepted"] == 8


def test_the_same_file_again_changes_nothing(batch: Any, tmp_path: Path) -> None:
    file = lines(tmp_path / "j.jsonl", GOOD)
    import_responses(batch, file)
    again = import_responses(batch, file)
    assert again == {"read": 0, "accepted": 0, "warnings": 0, "flaws": [], "already_there": True}
    assert WorkerResponse.objects.count() == 8


def test_more_responses_than_places_are_surplus_and_count_in_the_scores(batch: Any, tmp_path: Path) -> None:
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(0, f"w{k}") for k in range(5)]))
    rows = Assignment.objects.order_by("pk").values_list("counts", flat=True)
    assert list(rows) == [True, True, False, False, False]
    report = batch_scores.score_batch(batch)["datasets"]["wells"]
    assert len(report["by_worker"]) == 5


def test_responses_of_an_excluded_item_are_kept_and_take_no_place(batch: Any, tmp_path: Path) -> None:
    hit = batch.hits.get(item__position=0)
    problem_reports.exclude(hit, reason="broken")
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(0, "Ben")]))
    assert Assignment.objects.get().counts is False
    hit.refresh_from_db()
    assert hit.done == 0


BAD = [
    ("{", "line", "not JSON"),
    ("[]", "line", "not a JSON object"),
    ('{"dataset": "wells", "dataset": "wells"}', "dataset", "twice"),
    ({"worker": "x", "answer": {"text": ""}}, "dataset, item", "not a name and a position"),
    (response(0, "x") | {"item": "0"}, "item", "item '0' of 'wells' is not in the batch"),
    (response(0, "x") | {"item": 0.5}, "dataset, item", "not a name and a position or an id"),
    (response(0, "x") | {"item": True}, "dataset, item", "not a name and a position"),
    (response(9, "x"), "item", "item 9 of 'wells' is not in the batch"),
    (response(-1, "x"), "item", "item -1"),
    (response(0, "x") | {"dataset": "other"}, "item", "'other'"),
    (response(0, ""), "worker", "no worker"),
    (response(0, "x" * 201), "worker", "no worker"),
    (response(0, "x") | {"worker": 7}, "worker", "no worker"),
    (response(0, "a\0b"), "worker", "NUL"),
    (response(0, "a\ud800b"), "worker", "surrogate"),
    (response(0, "x", "\0"), "answer.text", "NUL"),
    (response(0, "x", "\udc00"), "answer.text", "surrogate"),
    (response(0, "x") | {"answer": "Tower 0"}, "answer", "paragraph positions"),
    (response(0, "x") | {"answer": {"text": 7}}, "answer", "paragraph positions"),
    (response(0, "x", support=[3]), "answer.support", "3 is neither a position from 0 to 2 nor the title"),
    (response(0, "x", support=[True]), "answer.support", "True is neither a position"),
    (response(0, "x", support=["Wel 0"]), "answer.support", "'Wel 0' is neither a position"),
    (response(0, "x", support="01"), "answer", "support must list"),
    (response(0, "x", facts=[[0]]), "answer", "facts must list"),
    (response(0, "x", facts=[["0", "1"]]), "answer.facts", "'0' is neither a position"),
    (response(0, "x", facts=[[0.5, 1]]), "answer", "facts must list"),
    (response(0, "x", facts=7), "answer", "facts must list"),
    ('{"dataset": "wells", "item": 0, "worker": "x", "answer": {"text": NaN}}', "answer", "paragraph positions"),
]


@pytest.mark.parametrize(("line", "field", "wrong"), BAD)
def test_a_bad_line_keeps_the_file_out_and_is_named(
    batch: Any, tmp_path: Path, line: Any, field: str, wrong: str
) -> None:
    with pytest.raises(ImportRefused, match="1 of the lines cannot be stored, so nothing was imported") as refused:
        import_responses(batch, lines(tmp_path / "j.jsonl", [*GOOD[:3], "", line, *GOOD[3:]]))
    report = refused.value.report
    assert (report["read"], report["errors"]) == (9, 1)
    flaw = report["flaws"][0]
    assert (flaw["place"], flaw["field"]) == ("line 5", field)
    assert wrong in flaw["wrong"]
    assert flaw["fix"]
    json.dumps(report, ensure_ascii=False).encode()
    assert nothing_is_left()


def test_flaws_stand_in_the_order_of_the_lines(batch: Any, tmp_path: Path) -> None:
    found = [response(0, "a", support=[9]), response(9, "a"), response(1, "a", support=7), "{"]
    with pytest.raises(ImportRefused) as refused:
        import_responses(batch, lines(tmp_path / "j.jsonl", found))
    assert [flaw["place"] for flaw in refused.value.report["flaws"]] == ["line 1", "line 2", "line 3", "line 4"]


def test_one_flaw_of_many_lines_is_told_once(batch: Any, tmp_path: Path) -> None:
    found = [response(item, f"w{k}", support=["Nowhere"]) for item in range(4) for k in range(30)]
    with pytest.raises(ImportRefused) as refused:
        import_responses(batch, lines(tmp_path / "j.jsonl", found[:119]))
    report = refused.value.report
    assert (report["errors"], len(report["flaws"])) == (119, 1)
    flaw = report["flaws"][0]
    assert (flaw["count"], flaw["lines"], flaw["place"]) == (119, [1, 2, 3], "lines 1, 2, 3 and 116 more")
    assert str(refused.value) == (
        "j.jsonl: 119 of the lines cannot be stored, so nothing was imported. First: lines 1, 2, 3 and 116 more, "
        "answer.support: 'Nowhere' is neither a position from 0 to 2 nor the title of a paragraph. "
        "The fields of its answer stand in tasks/answer/README.md."
    )


def test_thousands_of_bad_lines_are_counted_and_two_hundred_flaws_shown(batch: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="1500 of the lines") as refused:
        import_responses(batch, lines(tmp_path / "j.jsonl", ["{}"] * 1500))
    assert (refused.value.report["errors"], len(refused.value.report["flaws"])) == (1500, 1)
    found = [f'{{"key {k}": 2, "key {k}": 1}}' for k in range(1500)]
    with pytest.raises(ImportRefused, match="1500 of the lines") as refused:
        import_responses(batch, lines(tmp_path / "j.jsonl", found))
    assert (refused.value.report["errors"], len(refused.value.report["flaws"])) == (1500, 200)


def test_a_line_without_a_dataset_is_about_the_only_one_of_its_batch(batch: Any, project: Any, tmp_path: Path) -> None:
    alone = {name: value for name, value in response(0, "ann").items() if name != "dataset"}
    found = import_responses(batch, lines(tmp_path / "a.jsonl", [alone, alone | {"item": 1, "dataset": ""}]))
    assert found["accepted"] == 2
    other = dataset_of(project, tmp_path, name="towers", size=2)
    both = create_batch(project, "both", task="answer", datasets=[*batch.datasets.all(), other])
    batch_launch.launch(both)
    with pytest.raises(ImportRefused, match="dataset, item: not a name and a position"):
        import_responses(both, lines(tmp_path / "b.jsonl", [alone]))


def test_items_and_paragraphs_may_be_named(batch: Any, tmp_path: Path) -> None:
    named = response(0, "Ben", support=["Tower 2", 0]) | {"item": "well-2"}
    named["answer"]["text"] = "Tower 2"
    import_responses(batch, lines(tmp_path / "j.jsonl", [named]))
    answer = WorkerResponse.objects.get(assignment__hit__item__position=2).answer
    assert (answer["support"], answer["text"]) == ([0, 1], "Tower 2")


def test_one_worker_judges_an_item_once_in_one_file_or_two(batch: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="'Ben' has a response to this item already"):
        import_responses(batch, lines(tmp_path / "a.jsonl", [*GOOD, response(2, "Ben", "Other")]))
    assert nothing_is_left()
    import_responses(batch, lines(tmp_path / "b.jsonl", GOOD))
    with pytest.raises(ImportRefused, match="has a response to this item already"):
        import_responses(batch, lines(tmp_path / "c.jsonl", [response(2, "Ben", "Other")]))


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe{\x00", b"\x1f\x8b broken", b"PAR1\x00\x00\x00\xff"])
def test_a_file_without_responses_is_refused(batch: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(ImportRefused):
        import_responses(batch, tmp_path / "j")
    assert nothing_is_left()


def test_a_folder_is_refused(batch: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="cannot be read"):
        import_responses(batch, tmp_path)


def test_a_packed_file_with_a_byte_order_mark_is_read(batch: Any, tmp_path: Path) -> None:
    plain = lines(tmp_path / "j.jsonl", GOOD).read_bytes()
    (tmp_path / "j.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")))
    assert import_responses(batch, tmp_path / "j.gz")["accepted"] == 8


def test_a_draft_takes_no_responses(project: Any, dataset: Any, tmp_path: Path) -> None:
    draft = create_batch(project, "d", task="answer", datasets=[dataset], instructions="")
    with pytest.raises(ImportRefused, match="Launch the batch first"):
        import_responses(draft, lines(tmp_path / "j.jsonl", GOOD))


def test_responses_show_only_when_all_are_in(batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_import, "CHUNK", 3)
    seen = []
    import_responses(
        batch,
        lines(tmp_path / "j.jsonl", GOOD),
        progress=lambda done, total: seen.append((done, total, batch.assignments.submitted().count())),
    )
    assert seen == [(3, 8, 0), (6, 8, 0), (8, 8, 0)]
    assert batch.assignments.submitted().count() == 8


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_midway_takes_everything_out_and_offers_the_places_again(
    batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException], bob: Any
) -> None:
    monkeypatch.setattr(response_import, "CHUNK", 3)

    def fail(done: int, total: int) -> None:
        if done == 8:
            assert take(bob, batch) is None
            raise failure

    with pytest.raises(failure):
        import_responses(batch, lines(tmp_path / "j.jsonl", GOOD), progress=fail)
    assert nothing_is_left()
    assert len(answer_all(bob, batch)) == 4


def half_dead(batch: Any, tmp_path: Path, *, silent_for: timedelta) -> Path:
    """A file whose import was killed after the first of its judgments."""
    file = lines(tmp_path / "dead.jsonl", GOOD)
    import_responses(batch, file)
    ResponseImport.objects.update(ready=False, created_at=Now() - silent_for)
    Assignment.objects.update(submitted_at=Now() - silent_for)
    return file


@pytest.mark.parametrize("same", [True, False])
def test_what_a_dead_import_left_is_cleared_by_the_next(batch: Any, tmp_path: Path, same: bool) -> None:
    file = half_dead(batch, tmp_path, silent_for=timedelta(minutes=2))
    mended = file if same else lines(tmp_path / "mended.jsonl", [*GOOD[:7], response(3, "Ben", "the tower")])
    assert import_responses(batch, mended)["accepted"] == 8
    assert (ResponseImport.objects.count(), WorkerResponse.objects.count()) == (1, 8)
    assert set(batch.hits.values_list("done", flat=True)) == {2}


def test_a_living_import_of_the_same_file_is_left_alone(batch: Any, tmp_path: Path) -> None:
    file = half_dead(batch, tmp_path, silent_for=timedelta(seconds=5))
    with pytest.raises(ImportRefused, match="being imported right now"):
        import_responses(batch, file)
    assert (ResponseImport.objects.count(), WorkerResponse.objects.count()) == (1, 8)


def test_an_import_that_was_taken_for_dead_says_so(batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_import, "CHUNK", 3)

    def stall(done: int, total: int) -> None:
        if done == 6:
            response_import.remove_import(ResponseImport.objects.get())

    with pytest.raises(ImportRefused, match="stopped responding"):
        import_responses(batch, lines(tmp_path / "j.jsonl", GOOD), progress=stall)
    assert nothing_is_left()


def test_sentences_bring_their_paragraphs_with_them(batch: Any, tmp_path: Path) -> None:
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(0, "x", facts=[[2, 0], [1, 1], [2, 0]])]))
    answer = WorkerResponse.objects.get().answer
    assert (answer["support"], answer["facts"]) == ([0, 1, 2], [[1, 1], [2, 0]])


def test_an_answer_in_no_paragraph_is_kept_as_it_was_typed(batch: Any, tmp_path: Path) -> None:
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(0, "x", "the tall tower"), response(1, "x", " ")]))
    answers = [a.answer for a in WorkerResponse.objects.order_by("pk")]
    assert [(a["kind"], a["text"]) for a in answers] == [("typed", "the tall tower"), ("none", "")]


def test_what_only_a_worker_here_must_give_is_not_warned_of(batch: Any, tmp_path: Path) -> None:
    report = import_responses(batch, lines(tmp_path / "j.jsonl", [response(0, "x", support=[])]))
    assert (report["accepted"], report["warnings"], report["flaws"]) == (1, 0, [])


def test_responses_and_our_own_annotators_share_a_batch(batch: Any, tmp_path: Path, bob: Any) -> None:
    answer_all(bob, batch, most=3)
    import_responses(batch, lines(tmp_path / "j.jsonl", [response(item, "Ben") for item in range(4)]))
    assert sorted(batch.hits.values_list("done", flat=True)) == [1, 2, 2, 2]
    assert len(answer_all(bob, batch)) == 1


def test_ten_times_as_many_responses_take_less_than_twice_the_statements(project: Any, tmp_path: Path) -> None:
    dataset = dataset_of(project, tmp_path, name="wells", size=60)
    batch = create_batch(project, "b", task="answer", datasets=[dataset], instructions="", assignments_per_hit=10)
    batch_launch.launch(batch)
    statements = []
    for name, items in (("a", range(6)), ("b", range(60))):
        found = [response(item, f"{name}{k}") for k in range(5) for item in items]
        with CaptureQueriesContext(connection) as asked:
            assert import_responses(batch, lines(tmp_path / f"{name}.jsonl", found))["accepted"] == len(found)
        statements.append(len(asked))
    assert statements[1] < 2 * statements[0], statements


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_what_a_batch_exports_can_be_imported_into_another(
    project: Any, batch: Any, tmp_path: Path, format: str
) -> None:
    import_responses(batch, lines(tmp_path / "j.jsonl", GOOD))
    out = tmp_path / f"out.{format}"
    response_files.export_responses(batch, out, format=format)
    other = launched(project, "other", batch.datasets.get())
    assert import_responses(other, out)["accepted"] == 8


def test_positions_in_a_table_may_be_written_as_1_0(batch: Any, tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text('dataset;item;worker;answer\nwells;1.0;Ben;"{""text"": ""Tower 1"", ""support"": [0]}"\n')
    assert import_responses(batch, file)["accepted"] == 1
    assert WorkerResponse.objects.get().assignment.hit.item.position == 1


def test_a_batch_whose_responses_are_all_imported_invites_nobody(batch: Any, tmp_path: Path) -> None:
    Worker.objects.update(active=False)
    assert workers_needed.missing_by_batch(batch.project) == {batch.pk: 2}
    import_responses(batch, lines(tmp_path / "j.jsonl", GOOD))
    assert workers_needed.missing_by_batch(batch.project) == {}
    assert workers_needed.places_missing(batch.project) == 0
