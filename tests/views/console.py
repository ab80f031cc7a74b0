"""What the tests of a batch's pages share: addresses, answers, what waits, jobs carried out."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.flow.work import next_assignment, submissions
from tests.conftest import answer_to


def at(name: str, *args: Any, batch: str = "wells-1") -> str:
    """The address of a page of the batch."""
    return reverse(name, args=["wells", batch, *args])


def take(worker: Any, batch: Any) -> Any:
    """The worker's next assignment, the guide read."""
    participation = next_assignment.join_batch(worker, batch)
    next_assignment.read_instructions(participation, version=batch.instructions.version)
    return next_assignment.claim(next_assignment.join_batch(worker, batch))


def answer(worker: Any, batch: Any, **other: Any) -> Any:
    """The worker takes an assignment and submits the right answer, with `other` in place of its parts."""
    assignment = take(worker, batch)
    given = answer_to(assignment) | other
    submissions.submit(assignment, given, key=f"0.{assignment.pk}", base=0, active_seconds=30)
    assignment.refresh_from_db()
    return assignment


def steps(html: str) -> list[str]:
    """The lines of a page's list of what waits, without the header's button."""
    return re.findall(r'<a id="step-\d+" href="[^"]*">([^<]*)</a>', html)


def work_off() -> None:
    """Carry out the jobs that a request posted, as a process does while another one is at the sweeps."""
    jobs.run_due_work(turn=nullcontext(False), woken=True)
