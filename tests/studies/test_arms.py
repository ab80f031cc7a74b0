"""Studies whose batches are arms: one entry, from which each worker gets one arm, or all in a drawn order."""

from __future__ import annotations

import pytest

from annotation.flow.batches.experiments import balance
from annotation.flow.work import arm_draws
from annotation.models import ArmDraw, Project
from annotation.studies.launch import batches_of, experiment_of
from tests.flow import acting
from tests.studies.test_studies import launched, project, submit

__all__ = ["project"]

pytestmark = pytest.mark.django_db


def test_nobody_meets_a_question_twice_with_and_without_its_paragraphs(project: Project) -> None:
    run = launched(project, "min-2019-withheld", scale=0.2)
    batches = batches_of(run)
    whole, withheld = batches["whole"], batches["withheld"]
    experiment, met = experiment_of(run), list[str]()
    assert experiment is not None
    for name in ("ada", "ben"):
        worker = acting.newcomer(project, name)
        own = arm_draws.begin(worker, experiment)
        assert own in (whole, withheld)
        while (taken := acting.take(worker, own)) is not None:
            submit(taken)
            met.append(f"{name} {taken.hit.item.example.question}")
        assert acting.take(worker, withheld if own == whole else whole) is None
    assert len(met) == len(set(met)) == 2 * whole.hits.count()
    assert [row.submitted for row in balance(experiment)] == [1, 1]


def test_whoever_judged_a_question_does_not_fill_its_blanks(project: Project) -> None:
    run = launched(project, "capacity-reconstructability", scale=0.1)
    batches = batches_of(run)
    assert run.definition.own_batches == ["cloze"]
    assert not [figure for figure in run.published if figure.batch == "cloze"], "nothing there is comparable with it"
    ada, ben = (acting.newcomer(project, name) for name in ("ada", "ben"))
    experiment, judged, cloze = experiment_of(run), batches["self-reports-squad"], batches["cloze"]
    drawn = ArmDraw.objects.create(experiment=experiment, worker=ada, order=[judged.pk], arm=judged)
    while (taken := acting.take(ada, judged)) is not None:
        submit(taken)
    ArmDraw.objects.filter(pk=drawn.pk).update(order=[cloze.pk], arm=cloze)  # even if they had drawn it
    ArmDraw.objects.create(experiment=experiment, worker=ben, order=[cloze.pk], arm=cloze)
    assert acting.take(ada, cloze) is None
    assert acting.take(ben, cloze) is not None


def test_a_study_with_arms_has_one_entry_before_its_batches_open(project: Project) -> None:
    run = launched(project, "human-dire", scale=0.1)
    experiment = experiment_of(run)
    assert experiment is not None
    assert (experiment.slug, experiment.title, experiment.each) == (run.slug, "Answer questions", "order")
    assert list(experiment.arms.order_by("pk")) == list(batches_of(run).values())
    assert {batch.title for batch in batches_of(run).values()} == {"Answer questions"}
    ada = acting.newcomer(project, "ada")
    assert acting.take(ada, batches_of(run)["original"]) is None
    assert arm_draws.begin(ada, experiment) is not None
    launched(project, "human-dire", scale=0.1)  # the same launch again changes nothing
    assert project.experiments.count() == 1
