"""The task of Celery's workers. In a file of its own, because `jobs` wakes them and this calls `jobs`."""

from annotation.celery import RUN_DUE, app
from annotation.jobs import run_due_work


@app.task(name=RUN_DUE, acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def run_due() -> None:
    """Run due work; called by the bell and by the schedule."""
    run_due_work()
