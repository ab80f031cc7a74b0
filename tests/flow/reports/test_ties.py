"""Ties of the human score: the expected value over them, or one of the tied at random, as MuSiQue has it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports import batch_scores
from annotation.management.commands.score_batch import printed
from annotation.models import Batch
from annotation.pure.reports.human_scores import random_human_score
from annotation.pure.statistics.metrics import MUSIQUE
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.scored import WORKED, imported, opened, say, worked
from tests.long_forms import first
from tests.views.console import at, work_off

__all__ = ["worked"]
pytestmark = pytest.mark.django_db

MEASURES = ("upper_bound", "agreement", "average")


def human(content: dict[str, Any], part: str = "answer") -> float:
    return float(content["datasets"]["wells"][part]["human_score"]["em"]["value"])


def tied(project: Any, folder: Path, seed: int, **options: Any) -> Batch:
    """Of the answers to item 1 one of three is right, and no two are alike."""
    batch = opened(project, imported(project, folder, f"wells-{seed}", records(5)), name=f"s-{seed}", options=options)
    Batch.objects.filter(pk=batch.pk).update(seed=seed)
    say(batch, folder, {(f"wells-{seed}", item): given for (_name, item), given in WORKED.items()})
    batch.refresh_from_db()
    return batch


@pytest.mark.parametrize("seeds", first(1, [2, 8]))
def test_a_random_tie_break_is_that_of_the_seed_and_leaves_the_other_figures_alone(
    project: Any, tmp_path: Path, seeds: int
) -> None:
    seen = set()
    for seed in range(seeds):
        batch = tied(project, tmp_path, seed, ties="random")
        content = batch_scores.score_batch(batch)
        assert (content["ties"], content["rule"]) == ("random", "majority-random/1")
        assert batch_scores.score_batch(batch) == content
        study = content["datasets"][f"wells-{seed}"]
        rng = Random(f"{seed}/well-1/3")
        texts = rng.sample(sorted(["Tower 1", "the tower", "Well 1"]), 3)
        drawn = random_human_score(texts, ["Tower 1"], scorer=MUSIQUE, rng=rng).em
        assert study["answer"]["human_score"]["em"]["value"] == pytest.approx((1 + drawn + 1 + 1) / 4)
        seen.add(drawn)
        expected = batch_scores.score_batch(batch, part=BatchPart(ties="expected"))["datasets"][f"wells-{seed}"]
        for part in ("answer", "support"):
            assert all(study[part][measure] == expected[part][measure] for measure in MEASURES)
    assert seen == {0.0, 1.0}


def test_the_default_is_the_expected_value_over_ties(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    assert (content["ties"], content["rule"]) == ("expected", "majority-expected/2")
    assert human(content) == pytest.approx(7 / 9)


def test_a_report_can_have_the_other_rule_and_is_kept_beside_the_batch_s_own(
    worked: Batch, client: Any, alice: Any
) -> None:
    batch_launch.close(worked)
    client.force_login(alice)
    address = at("report", batch="study")
    client.post(at("report-refresh", batch="study"))
    work_off()
    assert "the expected score over the tied answers" in client.get(address).content.decode()
    client.post(at("report-refresh", batch="study") + "?ties=random")
    work_off()
    page = client.get(address + "?ties=random").content.decode()
    assert f"one of the tied answers drawn at random (seed {worked.seed})" in page
    assert "These figures cover only part of the batch" not in page
    kept = batch_scores.kept_report(worked, BatchPart(ties="random"))
    assert kept is not None
    assert human(kept.content) in (pytest.approx(2 / 3), pytest.approx(1))
    whole = batch_scores.kept_report(worked)
    assert whole is not None
    assert human(whole.content) == pytest.approx(7 / 9)


def test_other_tasks_have_no_ties_to_choose(project: Any, dataset: Any) -> None:
    batch = create_batch(project, "c", task="sufficiency", datasets=[dataset], instructions="", assignments_per_hit=1)
    assert "ties" not in batch_scores.score_batch(batch, part=BatchPart(ties="random"))


@pytest.mark.parametrize("said", ["coin", "RANDOM", "1"])
def test_nonsense_asks_for_no_rule(said: str) -> None:
    assert BatchPart.of({"ties": said}) == BatchPart()


def test_the_printed_report_says_that_ties_were_broken_at_random(worked: Batch) -> None:
    result = "that of one tied answer"
    assert result in "\n".join(printed(batch_scores.score_batch(worked, part=BatchPart(ties="random"))))
    assert result not in "\n".join(printed(batch_scores.score_batch(worked)))
