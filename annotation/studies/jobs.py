"""The jobs that launch and analyse a study."""

from typing import Any

from annotation.flow.projects.job_queue import JobProgress
from annotation.jobs import enqueue_once
from annotation.models import Job, User
from annotation.studies import folders, report
from annotation.studies.launch import launch
from annotation.studies.models import StudyRun


def launch_study(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Launch what is not launched of a run; returns its datasets and batches with their sizes."""
    run = StudyRun.objects.get(pk=job.arguments["run"], project=job.project)
    found = run.definition
    steps = [*found.datasets, *found.launched]
    done = iter(range(len(steps)))
    return launch(run, folders.read(run.study), say=lambda _text: progress(next(done), len(steps)))


def enqueue(run: StudyRun, *, user: User | None) -> Job:
    """Queue the launch of a run; the same job if it waits or runs already."""
    return enqueue_once(
        "launch_study", project=run.project, title=f"Launch {run.slug}", arguments={"run": run.pk}, user=user
    )


def analyse_study(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Compute what a run says of all its batches together, and its figures beside the paper's."""
    run = StudyRun.objects.get(pk=job.arguments["run"], project=job.project)
    report.compute(run, look=True)
    return {"study": run.study, "batches": {}}


def enqueue_analysis(run: StudyRun, *, user: User | None) -> Job:
    """Queue the analysis of a run; the same job if it waits or runs already."""
    return enqueue_once(
        "analyse_study", project=run.project, title=f"Scores of {run.slug}", arguments={"run": run.pk}, user=user
    )
