"""The outbox: a job has one run at a time, and one that was taken over changes nothing any more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow import queueing
from annotation.flow.queueing import Lost, Progress
from annotation.flow.refusal import Refused
from annotation.models import Job


def fails() -> None:
    raise RuntimeError("a defect")


def refuses() -> None:
    raise Refused("It cannot be.")


@pytest.mark.parametrize("ending", [fails, refuses, dict])
def test_a_run_that_was_taken_over_ends_nothing(project: Any, ending: Callable[[], object]) -> None:
    queueing.post("work", project=project, title="Work", arguments={})
    first = queueing.take()
    assert first is not None
    taken: list[Job] = []

    def slow(job: Job, tell: Progress) -> dict[str, Any]:
        Job.objects.update(lease_until=Now() - timedelta(seconds=1))
        second = queueing.take()
        assert second is not None
        taken.append(second)
        ending()
        return {"by": "the first"}

    queueing.run(first, {"work": slow})
    (second,) = taken
    assert queueing.take() is None  # it is being done
    Progress(second)(1, 2)
    queueing.run(second, {"work": lambda job, tell: {"by": "the second"}})
    second.refresh_from_db()
    assert (second.state, second.result, second.tries) == (Job.State.DONE, {"by": "the second"}, 2)
    with pytest.raises(Lost):
        Progress(first)(2, 2)


def test_a_job_whose_process_is_ended_three_times_ends_as_failed_with_what_to_do(project: Any) -> None:
    posted = queueing.post("work", project=project, title="Work", arguments={})
    for _try in range(3):
        assert queueing.take() == posted
        Job.objects.update(lease_until=Now() - timedelta(seconds=1))  # its process was killed
    assert queueing.take() is None
    posted.refresh_from_db()
    assert (posted.state, posted.tries) == (Job.State.FAILED, 3)
    assert "3 times" in posted.error
    assert "memory" in posted.error
    assert posted.ended_at is not None
    assert queueing.try_again(posted)
    assert queueing.take() == posted


def test_the_third_run_of_a_job_is_left_alone_while_it_renews_its_lease(project: Any) -> None:
    posted = queueing.post("work", project=project, title="Work", arguments={})
    Job.objects.update(tries=2)
    third = queueing.take()
    assert third is not None
    assert queueing.take() is None
    posted.refresh_from_db()
    assert (posted.state, posted.tries) == (Job.State.RUNNING, 3)
