"""Importing: all or nothing, invisible until it is whole, and the same verdict on every database."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.data import dataset_files, item_writer
from annotation.flow.data.dataset_import import ImportRefused, Report, import_dataset
from annotation.formats.base import Flaw
from annotation.models import Dataset, Item
from annotation.pure.data.example import Example
from tests.conftest import records, write_records
from tests.flow.interleaving import just_before

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgresql(reason="rows are inserted in bulk"),
]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_writer, "CHUNK", 2)


def lines(path: Path, found: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in found))
    return path


def with_bad(path: Path, *, good: int = 5) -> Path:
    """Good records, with one in the middle whose question is missing."""
    found = records(good)
    broken = {key: value for key, value in found[0].items() if key != "question"} | {"id": "broken"}
    return lines(path, [*found[:2], broken, *found[2:]])


def nothing_is_left() -> bool:
    return not Dataset.objects.exists() and not Item.objects.exists()


def test_records_come_in_with_their_order_features_and_report(project: Any, tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl", 5)
    report = import_dataset(project, file, format="jsonl", name="wells", licence="CC0", source="https://w.example")
    dataset = Dataset.objects.whole().get()
    assert (dataset.size, dataset.licence, dataset.source) == (5, "CC0", "https://w.example")
    assert (dataset.file_name, dataset.report) == ("wells.jsonl", report)
    assert [i.source_id for i in dataset.items.order_by("position")] == [f"well-{k}" for k in range(5)]
    assert dataset.features["hops"] == {"2": 5}
    counts = {name: report[name] for name in ("read", "accepted", "skipped", "errors", "warnings")}
    assert counts == {"read": 5, "accepted": 5, "skipped": 0, "errors": 0, "warnings": 0}


def test_records_without_a_context_come_in_without_a_warning(project: Any, tmp_path: Path) -> None:
    found = [{"id": f"q{k}", "question": f"Who is {k}?", "paragraphs": [], "answers": [f"Ada {k}"]} for k in range(3)]
    report = import_dataset(project, lines(tmp_path / "closed.jsonl", found), format="jsonl", name="closed")
    assert (report["accepted"], report["errors"], report["warnings"]) == (3, 0, 0)
    dataset = Dataset.objects.whole().get()
    assert dataset.features["paragraphs"] == {"0": 3}
    assert [item.example.answers for item in dataset.items.order_by("position")] == [(f"Ada {k}",) for k in range(3)]


def test_one_bad_record_keeps_the_whole_file_out(project: Any, tmp_path: Path, small_chunks: None) -> None:
    with pytest.raises(ImportRefused, match="1 of 6 records cannot be stored, so nothing was imported") as refused:
        import_dataset(project, with_bad(tmp_path / "bad.jsonl"), format="jsonl", name="wells")
    assert nothing_is_left()
    report = refused.value.report
    assert (report["read"], report["accepted"], report["skipped"], report["errors"]) == (6, 5, 1, 1)
    flaw = report["flaws"][0]
    assert (flaw["place"], flaw["record_id"], flaw["field"]) == ("line 3", "broken", "question")
    assert flaw["wrong"]
    assert flaw["fix"]


def test_skip_bad_takes_the_good_records_and_says_what_it_left_out(project: Any, tmp_path: Path) -> None:
    report = import_dataset(project, with_bad(tmp_path / "b.jsonl"), format="jsonl", name="wells", skip_bad=True)
    assert (report["read"], report["accepted"], report["skipped"]) == (6, 5, 1)
    assert list(Item.objects.order_by("position").values_list("position", flat=True)) == list(range(5))
    assert Dataset.objects.whole().get().size == 5


def test_skip_bad_of_nothing_but_bad_records_is_refused(project: Any, tmp_path: Path) -> None:
    file = lines(tmp_path / "bad.jsonl", [{"id": "a"}, 7, None])
    with pytest.raises(ImportRefused, match="None of the records in the file can be stored"):
        import_dataset(project, file, format="jsonl", name="wells", skip_bad=True)
    assert nothing_is_left()


def test_a_dry_run_says_the_same_and_stores_nothing(project: Any, tmp_path: Path) -> None:
    good, bad = write_records(tmp_path / "good.jsonl"), with_bad(tmp_path / "bad.jsonl")
    dry = import_dataset(project, good, format="jsonl", name="wells", dry_run=True)
    with pytest.raises(ImportRefused) as refused:
        import_dataset(project, bad, format="jsonl", name="wells", dry_run=True)
    assert nothing_is_left()
    assert dry == import_dataset(project, good, format="jsonl", name="wells")
    with pytest.raises(ImportRefused) as again:
        import_dataset(project, bad, format="jsonl", name="other")
    assert refused.value.report == again.value.report


def test_the_same_bytes_under_the_same_name_change_nothing(project: Any, tmp_path: Path) -> None:
    file = write_records(tmp_path / "wells.jsonl")
    import_dataset(project, file, format="jsonl", name="wells")
    before = list(Item.objects.values_list("pk", flat=True))
    copy = tmp_path / "renamed.jsonl"
    copy.write_bytes(file.read_bytes())
    assert import_dataset(project, copy, format="jsonl", name="wells")["already_there"] is True
    assert list(Item.objects.values_list("pk", flat=True)) == before


def test_other_bytes_under_a_used_name_are_refused(project: Any, dataset: Any, tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="wells is taken by a dataset with different content"):
        import_dataset(project, write_records(tmp_path / "more.jsonl", 5), format="jsonl", name="wells")
    assert Dataset.objects.whole().get().size == 4


def test_nothing_of_an_import_shows_before_it_is_whole(project: Any, tmp_path: Path, small_chunks: None) -> None:
    seen = []

    def look(done: int, total: int) -> None:
        seen.append((Dataset.objects.whole().count(), Dataset.objects.count()))

    import_dataset(project, write_records(tmp_path / "w.jsonl", 7), format="jsonl", name="wells", progress=look)
    assert seen == [(0, 1)] * 3
    assert Dataset.objects.whole().count() == 1


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_midway_leaves_no_row(
    project: Any, tmp_path: Path, small_chunks: None, failure: type[BaseException]
) -> None:
    def fail(done: int, total: int) -> None:
        if done == 6:
            assert Item.objects.count() == 4
            raise failure

    with pytest.raises(failure):
        import_dataset(project, write_records(tmp_path / "w.jsonl", 9), format="jsonl", name="wells", progress=fail)
    assert nothing_is_left()


def test_a_file_that_breaks_off_leaves_no_row(project: Any, tmp_path: Path, small_chunks: None) -> None:
    whole = gzip.compress(write_records(tmp_path / "w.jsonl", 400).read_bytes())
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ImportRefused, match="gzip data is damaged") as refused:
        import_dataset(project, tmp_path / "cut.gz", format="jsonl", name="wells")
    assert refused.value.report["errors"] == 1
    assert nothing_is_left()


def half_dead(project: Any, *, silent_for: timedelta, state: str = "importing") -> Dataset:
    """What a killed import leaves behind."""
    dataset = Dataset.objects.create(project=project, slug="wells", format="jsonl", sha256="0" * 64, state=state)
    example = Example.from_json(records(1)[0])
    Item.objects.bulk_create(item_writer.item_of(dataset, k, example) for k in range(3))
    Dataset.objects.filter(pk=dataset.pk).update(beat_at=Now() - silent_for)
    return dataset


@pytest.mark.parametrize("state", ["importing", "removing"])
def test_what_a_dead_import_left_is_cleared_by_the_next_of_its_name(project: Any, tmp_path: Path, state: str) -> None:
    dead = half_dead(project, silent_for=timedelta(minutes=2), state=state)
    import_dataset(project, write_records(tmp_path / "w.jsonl"), format="jsonl", name="wells")
    assert Dataset.objects.get().pk != dead.pk
    assert Item.objects.count() == 4


def test_a_living_import_of_the_name_is_left_alone(project: Any, tmp_path: Path) -> None:
    alive = half_dead(project, silent_for=timedelta(seconds=5))
    with pytest.raises(ImportRefused, match="wells is being imported or deleted right now"):
        import_dataset(project, write_records(tmp_path / "w.jsonl"), format="jsonl", name="wells")
    assert Dataset.objects.get() == alive
    assert Item.objects.count() == 3


def test_a_second_import_of_the_name_is_refused_while_the_first_runs(
    project: Any, tmp_path: Path, small_chunks: None
) -> None:
    file, refusals = write_records(tmp_path / "w.jsonl", 5), []

    def meanwhile(done: int, total: int) -> None:
        with pytest.raises(ImportRefused) as refused:
            import_dataset(project, file, format="jsonl", name="wells")
        refusals.append(str(refused.value))

    import_dataset(project, file, format="jsonl", name="wells", progress=meanwhile)
    assert len(refusals) == 2
    assert Dataset.objects.whole().get().items.count() == 5


def taken_for_dead(dataset: Dataset) -> None:
    item_writer.remove_dataset(dataset)


def hidden(dataset: Dataset) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(state=Dataset.State.REMOVING)


@pytest.mark.parametrize("clearing", [taken_for_dead, hidden])
@pytest.mark.parametrize("when", [2, 8])
def test_an_import_that_was_taken_for_dead_says_so_and_ends(
    project: Any, tmp_path: Path, small_chunks: None, clearing: Callable[[Dataset], None], when: int
) -> None:
    def stall(done: int, total: int) -> None:
        if done == when:
            clearing(Dataset.objects.get())

    with pytest.raises(ImportRefused, match="stopped responding"):
        import_dataset(project, write_records(tmp_path / "w.jsonl", 8), format="jsonl", name="wells", progress=stall)
    assert nothing_is_left()


def test_a_job_that_takes_an_import_over_finds_it_stale() -> None:
    from annotation.flow.projects import job_queue

    busy_timeout = timedelta(seconds=20)  # how long SQLite lets a writer wait: such an import is alive
    assert busy_timeout < item_writer.STALE < job_queue.LEASE - timedelta(seconds=10)


def test_alike_warnings_are_one_row_and_errors_come_first(project: Any, tmp_path: Path) -> None:
    absent = [f"Which one is it?,No{k}where's,Well {k},Well {k} is deep.\n" for k in range(300)]
    broken = ["one cell\n"] * 20
    (tmp_path / "w.csv").write_text("".join(["question,answer,title,text\n", *absent, *broken]))
    with pytest.raises(ImportRefused) as refused:
        import_dataset(project, tmp_path / "w.csv", format="csv", name="wells")
    report = refused.value.report
    assert (report["errors"], report["warnings"], len(report["flaws"])) == (20, 300, 21)
    assert [flaw["severity"] for flaw in report["flaws"]] == ["error"] * 20 + ["warning"]
    assert (report["flaws"][-1]["place"], report["flaws"][-1]["more"]) == ("line 2", 299)


def test_no_more_than_two_hundred_flaws_are_kept_and_errors_come_first() -> None:
    report = Report(format="csv", file="w.csv")
    for k in range(300):
        report.note(Flaw("warning", f"line {k}", "", "x" * k, "this is odd", "Look at it"))
    for k in range(20):
        report.note(Flaw("error", f"line {300 + k}", "", "text", "this is wrong", "Correct it"))
    result = report.as_json()
    assert (result["errors"], result["warnings"], len(result["flaws"])) == (20, 300, 200)
    assert [flaw["severity"] for flaw in result["flaws"]] == ["error"] * 20 + ["warning"] * 180


def test_an_answer_outside_its_context_is_a_warning_and_the_record_is_kept(project: Any, tmp_path: Path) -> None:
    odd = [{"answers": ["Nowhere"]}, {"answers": ["yes"]}, {"answerable": False}, {"options": ["Nowhere", "x"]}]
    found = [record | {"answers": ["Nowhere"]} | more for record, more in zip(records(4), odd, strict=True)]
    report = import_dataset(project, lines(tmp_path / "w.jsonl", found), format="jsonl", name="wells")
    assert (report["accepted"], report["errors"], report["warnings"]) == (4, 0, 1)
    assert (report["flaws"][0]["place"], report["flaws"][0]["field"]) == ("line 1", "answers")


STORABLE = [
    "",
    "\u200b",
    "e\u0301",
    "\U0001f469\u200d\U0001f680",
    "\ufffe",
    "\u202etxet",
    "\x01\x7f",
    "\u2028",
    "'; --",
]
NOT_STORABLE = ["\0", "a\0b", "\ud800", "\udfff text", "\ud83d alone"]
FIELDS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "id": lambda record, text: record.update(id=f"id {text}"),
    "question": lambda record, text: record.update(question=f"Why? {text}"),
    "title": lambda record, text: record["paragraphs"][0].update(title=text),
    "text": lambda record, text: record["paragraphs"][1].update(text=f"Tower 0. {text}"),
    "answer": lambda record, text: record.update(answers=["Tower 0", f"x{text}"]),
    "hop": lambda record, text: record["hops"][0].update(question=f"q{text}"),
    "extra": lambda record, text: record.update(extra={"note": {"deep": [text]}}),
    "extra key": lambda record, text: record.update(extra={f"key {text}": 1}),
}


@pytest.mark.postgresql(reason="PostgreSQL refuses NUL in texts", each=True)
@pytest.mark.parametrize("field", FIELDS)
def test_a_text_is_stored_exactly_or_refused_on_every_database_alike(project: Any, tmp_path: Path, field: str) -> None:
    for number, text in enumerate([*STORABLE, *NOT_STORABLE]):
        record = records(1)[0]
        FIELDS[field](record, text)
        file = lines(tmp_path / f"{number}.jsonl", [record])
        if text in NOT_STORABLE and field.startswith("extra"):  # nothing depends on it
            report = import_dataset(project, file, format="jsonl", name=f"n{number}", dry_run=True)
            assert (report["accepted"], report["warnings"]) == (1, 1)
            continue
        if text in NOT_STORABLE:
            with pytest.raises(ImportRefused) as refused:
                import_dataset(project, file, format="jsonl", name=f"n{number}")
            json.dumps(refused.value.report, ensure_ascii=False).encode()
            continue
        import_dataset(project, file, format="jsonl", name=f"n{number}")
        out = tmp_path / "out.jsonl"
        dataset_files.export_dataset(Dataset.objects.get(slug=f"n{number}"), out, format="jsonl")
        assert json.loads(out.read_text()) == record
    assert Dataset.objects.count() == len(STORABLE)


def test_a_file_name_that_is_not_text_is_kept_as_far_as_it_is(project: Any, tmp_path: Path) -> None:
    content = write_records(tmp_path / "w.jsonl").read_bytes()
    odd = tmp_path / "w\udcff.jsonl"
    odd.write_bytes(content)
    import_dataset(project, odd, format="jsonl", name="wells")
    assert Dataset.objects.get().file_name == "w?.jsonl"
    import_dataset(project, tmp_path / "w.jsonl", format="jsonl", name="long", file_name="n" * 300)
    assert Dataset.objects.get(slug="long").file_name == "n" * 255


def test_very_long_ids_and_groups_fit_on_every_database(project: Any, tmp_path: Path) -> None:
    found = [{**r, "id": f"{r['id']} " + "😀" * 600, "group": "g" * 400} for r in records(2)]
    import_dataset(project, lines(tmp_path / "w.jsonl", found), format="jsonl", name="wells")
    stored = list(Item.objects.order_by("position"))
    assert [i.example.id for i in stored] == [r["id"] for r in found]
    assert len({i.group_key for i in stored}) == 1


@pytest.mark.soak
def test_memory_does_not_grow_with_the_file(project: Any, tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    with file.open("w") as out:
        for record in records(3000):
            record["paragraphs"][2]["text"] = "Farrow is a village. " * 600
            out.write(json.dumps(record) + "\n")
    assert file.stat().st_size > 36_000_000
    tracemalloc.start()
    try:
        import_dataset(project, file, format="jsonl", name="wells")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 24_000_000


def test_an_import_that_ends_at_this_instant_is_not_taken_for_dead(project: Any, tmp_path: Path) -> None:
    """It stood still for long, and shows its dataset between the look of another and its broom."""
    slow = item_writer.reserve(project, "wells")
    Dataset.objects.update(beat_at=Now() - 2 * item_writer.STALE)
    filler = item_writer.Filler(slow)

    def end() -> None:
        filler.write()
        filler.show({})

    with just_before('UPDATE "annotation_dataset"', end) as happened, pytest.raises(ImportRefused):
        item_writer.reserve(project, "wells")
    assert happened
    assert Dataset.objects.get().state == Dataset.State.READY
