"""Celery, for installations with a broker: it wakes workers and runs the schedule; jobs are rows of the outbox."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")

app = Celery("hopscribe")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    beat_schedule={"run-due": {"task": "annotation.run_due", "schedule": 30.0}},
    imports=("annotation.jobs",),
)


@app.task(name="annotation.run_due", acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def run_due() -> None:
    """Run due work; called by the bell and by the schedule."""
    from annotation.jobs import run_due_work  # needs the models

    run_due_work()


def broker_trouble(seconds: float = 5) -> str:
    """Why the broker does not answer within so many seconds; "" if it does."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=seconds)
    except Exception as broken:  # each transport raises exceptions of its own
        return str(broken) or type(broken).__name__
    return ""
