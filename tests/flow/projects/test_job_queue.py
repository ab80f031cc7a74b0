"""The outbox: a job has one run at a time, and one that was taken over changes nothing any more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.errors import Refused
from annotation.flow.projects import job_queue
from annotation.flow.projects.job_queue import JobProgress, JobTakenOver
from annotation.models import Job

pytestmark = pytest.mark.postgresql(reason="jobs are fetched by guarded updates")


def fails() -> None:
    raise RuntimeError("a defect")


def refuses() -> None:
    raise Refused("It cannot be.")


@pytest.mark.parametrize("ending", [fails, refuses, dict])
def test_a_run_that_was_taken_over_ends_nothing(project: Any, ending: Callable[[], object]) -> None:
    job_queue.post("work", project=project, title="Work", arguments={})
    first = job_queue.take()
    assert first is not None
    taken: list[Job] = []

    def slow(job: Job, progress: JobProgress) -> dict[str, Any]:
        Job.objects.update(lease_until=Now() - timedelta(seconds=1))
        second = job_queue.take()
        assert second is not None
        taken.append(second)
        ending()
        return {"by": "the first"}

    job_queue.run(first, {"work": slow})
    (second,) = taken
    assert job_queue.take() is None  # it is being done
    JobProgress(second)(1, 2)
    job_queue.run(second, {"work": lambda job, progress: {"by": "the second"}})
    second.refresh_from_db()
    assert (second.state, second.result, second.tries) == (Job.State.DONE, {"by": "the second"}, 2)
    with pytest.raises(JobTakenOver):
        JobProgress(first)(2, 2)


def test_a_job_whose_process_is_ended_three_times_ends_as_failed_with_what_to_do(project: Any) -> None:
    posted = job_queue.post("work", project=project, title="Work", arguments={})
    for _try in range(3):
        assert job_queue.take() == posted
        Job.objects.update(lease_until=Now() - timedelta(seconds=1))  # its process was killed
    assert job_queue.take() is None
    posted.refresh_from_db()
    assert (posted.state, posted.tries) == (Job.State.FAILED, 3)
    assert "3 times" in posted.error
    assert "memory" in posted.error
    assert posted.ended_at is not None
    assert job_queue.try_again(posted)
    assert job_queue.take() == posted


def test_the_third_run_of_a_job_is_left_alone_while_it_renews_its_lease(project: Any) -> None:
    posted = job_queue.post("work", project=project, title="Work", arguments={})
    Job.objects.update(tries=2)
    third = job_queue.take()
    assert third is not None
    assert job_queue.take() is None
    posted.refresh_from_db()
    assert (posted.state, posted.tries) == (Job.State.RUNNING, 3)
