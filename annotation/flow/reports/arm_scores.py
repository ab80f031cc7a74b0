"""Scores of an experiment's arms by position and items done before, with contrasts (pure/reports/arm_contrasts)."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from annotation.flow.reports import batch_scores, score_looks
from annotation.flow.reports.comparisons import common_criteria
from annotation.flow.work.arm_draws import arms_of
from annotation.models import Assignment, Batch, Experiment, Job
from annotation.pure.data.example import JSON
from annotation.pure.reports.arm_contrasts import ArmResponse, arm_tables
from annotation.pure.reports.tables import text_cell
from annotation.pure.reports.worker_dependence_tables import with_notes
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.registry import task_type
from annotation.tasktype import Rated

KIND = "score_arms"  # of job
SAME_ONLY = _("Of ratings, only the criteria that are the same in all arms count: %(names)s.")


def compute(experiment: Experiment) -> JSON:
    """{"tables"} of the responses of workers who drew; that somebody sees them is logged with each batch."""
    arms = arms_of(experiment)
    only = common_criteria(arms)
    rows = list(_graded(experiment, arms, only))
    if rows:
        for arm in arms:
            score_looks.record_look(arm)
    tables = arm_tables(rows, [(_name(experiment, arm), arm.task) for arm in arms])
    if only is not None:
        about = text_cell(SAME_ONLY, names=", ".join(only))
        tables = [with_notes(made, [about]) for made in tables]
    return {"tables": tables}


def _name(experiment: Experiment, arm: Batch) -> str:
    """The arm's name, as in the study where it is part of one."""
    return arm.slug.removeprefix(f"{experiment.slug}-")


def job_arguments(experiment: Experiment) -> JSON:
    return {"experiment": experiment.pk}


def last_computed(experiment: Experiment) -> Job | None:
    """The job that computed the scores last; its result is that of `compute`."""
    jobs = experiment.project.jobs.filter(kind=KIND, arguments=job_arguments(experiment), state=Job.State.DONE)
    return jobs.order_by("pk").last()


def _graded(experiment: Experiment, arms: list[Batch], only: list[str] | None) -> Iterator[ArmResponse]:
    """The graded responses of workers who drew, without excluded HITs and hidden gold.

    Of ratings the criteria `only` are graded; None: all.
    """
    name = cache(experiment.project.pseudonym)
    drawn = {name(worker): order for worker, order in experiment.draws.values_list("worker", "order")}
    before = _done_before(arms, name)
    for arm in arms:
        task = task_type(arm.task)
        for row in batch_scores.hits_with_responses(arm):
            payload = task.narrowed(row.payload, only) if only is not None and isinstance(task, Rated) else row.payload
            if row.excluded or payload is None or not task.gradable(payload, row.example):
                continue
            for given in row.given:
                place = before.get((row.hit, given.worker))
                if place is None or arm.pk not in drawn.get(given.worker, ()):
                    continue
                position = drawn[given.worker].index(arm.pk) + 1
                grade = task.grade(payload, given.answer, row.example)
                item = row.example.group or row.example.id
                yield ArmResponse(_name(experiment, arm), item, given.worker, position, place, grade)


def _done_before(arms: list[Batch], name: Callable[[int], str]) -> dict[tuple[str, str], int]:
    """How many items the worker of each response, by HIT and pseudonym, had accepted before it in all arms."""
    rows = Assignment.objects.submitted().filter(batch__in=arms, response_import=None).order_by("accepted_at", "pk")
    count, found = Counter[str](), dict[tuple[str, str], int]()
    for worker, hit in rows.values_list("worker", "hit__public_id").iterator():
        found[hit, name(worker)] = count[name(worker)]
        count[name(worker)] += 1
    return found
