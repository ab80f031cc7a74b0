"""Batches: the draw, the launch, and what a requester may do while people work."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import batch_launch, item_selection
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.errors import Refused
from annotation.flow.projects.job_queue import JobTakenOver
from annotation.models import Batch, Dataset, Hit, Worker
from tests.conftest import records
from tests.flow.acting import dataset_of, draft, launched, submit, take
from tests.flow.data.test_dataset_import import lines

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgresql(
        reason="rows are inserted in bulk under a lock of the batch, and a failed launch is taken back"
    ),
]


@pytest.fixture
def many(project: Any, tmp_path: Path) -> Dataset:
    return dataset_of(project, tmp_path, name="many", size=30)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_launch, "CHUNK", 2)


def items_of(batch: Batch) -> list[tuple[str, int]]:
    return list(batch.hits.order_by("ticket").values_list("item__dataset__slug", "item__position"))


def test_the_same_seed_draws_the_same_items_in_the_same_order(project: Any, many: Dataset) -> None:
    first, again, other = (launched(project, f"b{k}", many, sample=8, seed=seed) for k, seed in enumerate([3, 3, 4]))
    assert items_of(first) == items_of(again)
    assert len(set(items_of(first))) == 8
    assert set(items_of(first)) != set(items_of(other))
    assert [p for _, p in items_of(first)] != sorted(p for _, p in items_of(first))


def test_another_size_of_the_sample_or_another_dataset_beside_changes_no_draw_of_the_rest(
    project: Any, many: Dataset, dataset: Dataset
) -> None:
    alone, beside = launched(project, "a", many, sample=4), launched(project, "b", many, dataset, sample=4)
    assert set(items_of(alone)) == {found for found in items_of(beside) if found[0] == "many"}


def test_several_datasets_are_shuffled_into_one_batch(project: Any, many: Dataset, tmp_path: Path) -> None:
    wells = dataset_of(project, tmp_path, name="more", size=30)
    batch = launched(project, "b", many, wells, sample=12)
    names = [name for name, _position in items_of(batch)]
    assert (names.count("many"), names.count("more"), batch.size) == (12, 12, 24)
    assert sum(one != other for one, other in pairwise(names)) > 3


def test_a_dataset_smaller_than_the_sample_comes_whole(project: Any, many: Dataset, dataset: Dataset) -> None:
    batch = launched(project, "b", many, dataset, sample=9)
    names = [name for name, _position in items_of(batch)]
    assert (names.count("many"), names.count("wells")) == (9, 4)


def test_qualification_and_production_share_no_item_unless_asked_to(project: Any, many: Dataset) -> None:
    trial = launched(project, "trial", many, sample=10, purpose="qualification")
    work = launched(project, "work", many)
    assert len(items_of(work)) == 20
    assert not set(items_of(work)) & set(items_of(trial))
    second_trial = launched(project, "trial-2", many, purpose="qualification")
    assert set(items_of(second_trial)) == set(items_of(trial))
    assert len(items_of(launched(project, "all", many, disjoint=False))) == 30


def test_what_cannot_work_is_told_and_does_not_hinder(project: Any, dataset: Dataset, bob: Any, carol: Any) -> None:
    batch = draft(project, "b", dataset, assignments_per_hit=5)
    result = batch_launch.launch(batch)["warnings"]
    assert result == ["You need 5 workers and have 2."]
    assert batch.state == Batch.State.OPEN
    assert batch_launch.setting_warnings(launched(project, "fits", dataset, assignments_per_hit=2)) == []


def test_only_people_who_may_work_count(project: Any, dataset: Dataset, bob: Any, carol: Any) -> None:
    chosen = launched(project, "chosen", dataset, assignments_per_hit=2, workers=[bob])
    assert "You need 2 workers and have 1." in batch_launch.setting_warnings(chosen)[0]
    Worker.objects.filter(pk=carol.pk).update(active=False)
    Worker.objects.create(project=project, external_id="from a file")
    assert "have 1" in batch_launch.setting_warnings(launched(project, "all", dataset, assignments_per_hit=2))[0]


def test_members_of_a_group_need_as_many_more_people(project: Any, bob: Any, carol: Any, tmp_path: Path) -> None:
    twins = [{**record, "group": f"pair {k // 2}"} for k, record in enumerate(records(4))]
    import_dataset(project, lines(tmp_path / "t.jsonl", twins), format="jsonl", name="twins")
    pairs = project.datasets.get(slug="twins")
    assert (
        "You need 4 workers" in batch_launch.setting_warnings(launched(project, "one", pairs, assignments_per_hit=2))[0]
    )
    assert batch_launch.setting_warnings(launched(project, "free", pairs, assignments_per_hit=2, meeting="free")) == []


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_launch_that_fails_leaves_a_draft_without_hits(
    project: Any, many: Dataset, small_chunks: None, failure: type[BaseException]
) -> None:
    batch = draft(project, "b", many)

    def fail(done: int, total: int) -> None:
        if done == 6:
            assert batch.hits.count() == 6
            raise failure

    with pytest.raises(failure):
        batch_launch.launch(batch, progress=fail)
    batch.refresh_from_db()
    assert (batch.state, batch.hits.count(), batch.launched_at) == (Batch.State.DRAFT, 0, None)
    assert batch_launch.launch(batch)["hits"] == 30
    assert items_of(batch) == items_of(launched(project, "c", many))


def test_nothing_to_ask_about_is_refused(project: Any, dataset: Dataset) -> None:
    batch = draft(project, "b", dataset, options={"sentences": True})
    with pytest.raises(Refused, match="nothing to launch"):
        batch_launch.launch(batch)
    batch.refresh_from_db()
    assert batch.state == Batch.State.DRAFT


def test_a_launch_that_died_is_begun_anew(project: Any, many: Dataset) -> None:
    batch, whole = draft(project, "b", many, seed=5), launched(project, "whole", many, seed=5)
    batch.move(Batch.State.LAUNCHING)
    Hit.objects.bulk_create(list(batch_launch.hits_of(batch, item_selection.selected_keys(batch)[3:9], ticket=40)))
    assert batch_launch.launch(batch) == {
        "asked": 30,
        "hits": 30,
        "skipped": 0,
        "left_out": [],
        "warnings": batch_launch.setting_warnings(batch),
    }
    assert items_of(batch) == items_of(whole)
    assert list(batch.hits.order_by("ticket").values_list("ticket", flat=True)) == list(range(30))
    assert batch.next_ticket == 30


def test_nobody_is_given_a_hit_while_a_launch_is_under_way(
    project: Any, many: Dataset, bob: Any, small_chunks: None
) -> None:
    batch, got = draft(project, "b", many), []
    batch_launch.launch(batch, progress=lambda done, total: got.append(take(bob, Batch.objects.get(pk=batch.pk))))
    assert got == [None] * 15
    assert take(bob, batch) is not None


def test_a_batch_is_launched_once(batch: Any) -> None:
    with pytest.raises(Refused, match="already launched"):
        batch_launch.launch(batch)
    assert batch.hits.count() == 4


@pytest.mark.parametrize("heard", [True, False])
def test_a_launch_that_another_run_took_over_stops_without_a_trace(
    project: Any, many: Dataset, small_chunks: None, heard: bool
) -> None:
    batch = draft(project, "b", many)

    def stall(done: int, total: int) -> None:
        if done == 6:
            batch_launch.launch(Batch.objects.get(pk=batch.pk))
            if heard:
                raise JobTakenOver

    with pytest.raises(JobTakenOver):
        batch_launch.launch(batch, progress=stall)
    batch.refresh_from_db()
    assert (batch.state, batch.size, batch.hits.count()) == (Batch.State.OPEN, 30, 30)


def test_what_cannot_be_is_refused_by_name(project: Any, dataset: Dataset, batch: Any) -> None:
    with pytest.raises(Refused, match="The name wells-1 is taken"):
        draft(project, "wells-1", dataset)
    with pytest.raises(Refused, match="colour: There is no such option"):
        draft(project, "b", dataset, options={"colour": True})
    with pytest.raises(Refused, match="support: Give true or false"):
        draft(project, "b", dataset, options={"support": "yes"})
    with pytest.raises(Refused, match="at least one dataset"):
        draft(project, "b")
    assert list(project.batches.values_list("slug", flat=True)) == ["wells-1"]


def test_a_batch_that_asks_nobody_is_not_called_a_taken_name(project: Any, dataset: Dataset) -> None:
    with pytest.raises(Refused, match="greater than or equal to 1"):
        draft(project, "b", dataset, assignments_per_hit=0)


def test_the_expected_time_follows_the_length_of_the_context(project: Any, tmp_path: Path) -> None:
    long = [{**record} for record in records(2)]
    for record in long:
        record["paragraphs"] = [{"title": "Farrow", "text": "word " * 1190}, *record["paragraphs"][1:]]
    import_dataset(project, lines(tmp_path / "l.jsonl", long), format="jsonl", name="long")
    batch = draft(project, "b", project.datasets.get(slug="long"))
    assert 300 <= batch.expected_seconds <= 310  # some 1,200 words at 238 a minute
    assert batch.lease_seconds == 3 * batch.expected_seconds
    assert draft(project, "c", project.datasets.get(slug="long"), expected_seconds=30).lease_seconds == 600


def test_pausing_resuming_and_closing_follow_the_table_of_moves(project: Any, batch: Any, dataset: Dataset) -> None:
    assert not batch_launch.resume(batch)
    assert batch_launch.pause(batch)
    assert not batch_launch.pause(batch)
    assert batch_launch.close(batch)
    assert not batch_launch.close(batch)
    assert batch_launch.resume(batch)
    half = draft(project, "half", dataset)
    half.move(Batch.State.LAUNCHING)
    assert not batch_launch.resume(half)
    assert not batch_launch.pause(half)


def test_a_changed_instructions_is_a_new_version_and_the_same_text_is_none(batch: Any, alice: Any, bob: Any) -> None:
    assert batch_launch.change_instructions(batch, "Read, then answer.").version == 1
    assert batch_launch.change_instructions(batch, "Read twice.", user=alice).version == 2
    assert [(g.version, g.text) for g in batch.instructions_versions.order_by("version")] == [
        (1, "Read, then answer."),
        (2, "Read twice."),
    ]
    assignment = take(bob, batch)
    assert assignment is not None
    submit(assignment)
    assert assignment.responses.get().instructions_version == 2


def test_a_run_that_takes_over_a_launch_leaves_it_if_the_other_run_opens_the_batch_first(
    project: Any, many: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, move = draft(project, "b", many, sample=4), Batch.move

    def while_the_other_ends(row: Batch, to: str, **columns: Any) -> bool:
        moved = move(row, to, **columns)
        monkeypatch.setattr(Batch, "move", move)
        batch_launch.launch(Batch.objects.get(pk=batch.pk))
        return moved

    monkeypatch.setattr(Batch, "move", while_the_other_ends)
    with pytest.raises(Refused, match="already launched"):
        batch_launch.launch(Batch.objects.get(pk=batch.pk))
    batch.refresh_from_db()
    assert (batch.state, batch.next_ticket, batch.hits.count()) == ("open", 4, 4)


def test_a_run_that_fails_after_another_opened_the_batch_takes_nothing_back(
    project: Any, many: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, select = draft(project, "b", many, sample=4), batch_launch.select_and_reserve

    def fails(row: Batch) -> Any:
        monkeypatch.setattr(batch_launch, "select_and_reserve", select)
        batch_launch.launch(Batch.objects.get(pk=row.pk))
        raise OSError("gone")

    monkeypatch.setattr(batch_launch, "select_and_reserve", fails)
    with pytest.raises(OSError, match="gone"):
        batch_launch.launch(Batch.objects.get(pk=batch.pk))
    batch.refresh_from_db()
    assert (batch.state, batch.next_ticket, batch.hits.count()) == ("open", 4, 4)
